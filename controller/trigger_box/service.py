"""The trigger box's process: the line to the table on one side, the noise source on the other, the store between.

An answer leaves only after its entries are on the disk. Nothing that is logged depends on a number not yet revealed.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import random
import stat
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Final, Protocol

import structlog

from controller.formats.config.pairing import unpaired
from controller.formats.config.trigger_file import UNIX, TriggerConfig
from controller.formats.text.printable import many
from controller.io.lines.ports import serial_opener
from controller.io.lines.supervisor import LineSupervisor
from controller.io.lines.talk_limit import Quota, Talk
from controller.io.system.backoff import Backoff
from controller.io.system.clock import Clock
from controller.io.system.notify import Notifier
from controller.io.system.randomness import Entropy
from controller.io.system.rate_limits import NANOSECONDS
from controller.io.system.watchdog import Watchdog
from controller.trigger_box.box import BoxLabel, CommandResult, TriggerBox
from controller.trigger_box.line import TOO_MUCH, TriggerLine
from controller.trigger_box.pool import NOISE_BYTES, Noise
from controller.trigger_box.sealing import Sealer
from controller.trigger_box.store import BoxStore, BoxStoreRefused
from devices.trigger.rng import RngSession
from firmware_protocols import discovery
from firmware_protocols.codec import Codec, LineEnd
from firmware_protocols.paired_line import NONCE_BYTES, PairedLine
from firmware_protocols.readings import DeviceComplained, DeviceHealth, LineDisturbed, Reading
from firmware_protocols.trigger_messages import TriggerCommand, TriggerReport

SOCKET_MODE: Final = 0o660
"""A local socket is for the box's own group, which the table's daemon belongs to."""

CALLERS_LIMIT: Final = 16
"""Lines on which the pairing may be under way at once: one is the table's, and nobody else need call."""

NOISE_BYTES_PER_SECOND: Final = 4_000_000
"""More than any generator pours."""

log = structlog.get_logger(__name__)


class TriggerBoxParts(Protocol):
    """What the process is handed that could surprise it."""

    @property
    def clock(self) -> Clock:
        """Time."""
        ...

    @property
    def entropy(self) -> Entropy:
        """The operating system's randomness."""
        ...

    @property
    def chance(self) -> random.Random:
        """What spreads retries and decides nothing."""
        ...


class TriggerBoxService:
    """One box at work."""

    def __init__(
        self,
        config: TriggerConfig,
        store: BoxStore,
        sealer: Sealer,
        parts: TriggerBoxParts,
        firmware: str,
        *,
        pairing_key: bytes | None = None,
        users: frozenset[int] = frozenset(),
    ) -> None:
        """``pairing_key``: only a table that has it too is listened to.

        ``users``: by number, whose processes may use the local socket.
        """
        self.config = config
        self.users = users
        self.store = store
        self.parts = parts
        self.codec: Codec = discovery.find("mystery_trigger", config.line.protocol)
        noise = discovery.find("rng", config.rng.protocol)
        self.rng = RngSession(noise, claimed_bits=config.rng.claimed_bits)
        opener = serial_opener(config.rng.port, noise.line)
        self.noise_link = LineSupervisor(
            "rng",
            opener,
            self.rng,
            clock=parts.clock,
            chance=parts.chance,
            deliver=self._noise_reported,
            talk=Talk(parts.chance, Quota(bytes_per_second=NOISE_BYTES_PER_SECOND)),
        )
        self.box = TriggerBox(store.state, store, sealer, BoxLabel(config.box.serial, firmware[:12]), self._noise)
        self._pairing_key = pairing_key
        self.refused: Counter[str] = Counter()
        """Frames dropped of a paired line, and callers, by why."""
        self.line: TriggerLine | None = None
        """The table's line, if it has one."""
        self.talk = Talk(parts.chance)
        self._closed_until_ns = parts.clock.monotonic_ns()
        """The table's line said too much, and no line is listened to before."""
        self._callers: dict[TriggerLine, None] = {}
        """Lines whose other end has not yet shown that it is the table, in the order in which they called."""
        self.failed: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        """Fails with what ends the box."""

    def paired_line(self) -> PairedLine | None:
        """The box's end of a line just opened; None where lines are not paired."""
        if self._pairing_key is None:
            return None
        return PairedLine(LineEnd.DEVICE, self._pairing_key, lambda: self.parts.entropy.take(NONCE_BYTES))

    def refuse(self, why: str, what: str = "frame") -> None:
        """A frame or a caller was dropped; in the log when it has happened once, twice, four times, and so on."""
        self.refused[f"{what} {why}"] += 1
        times = self.refused[f"{what} {why}"]
        if times.bit_count() == 1:
            log.warning("refused", what=what, why=why, times=times)

    def answer(self, command: TriggerCommand) -> tuple[TriggerReport, ...]:
        """Carry a command out; what may be sent now that it is stored.

        Raises:
            StoreFailed: the disk; nothing may be sent.
        """
        return self._stored(self.box.hear(command))

    def fail(self, error: Exception) -> None:
        """What was to be stored may or may not be: nothing is answered any more, and the box ends."""
        if not self.failed.done():
            self.failed.set_exception(error)

    def opened(self, line: TriggerLine) -> bool:
        """Somebody has reached the box; whether they are listened to.

        On a paired line they have to show that they are the table first, and the line there is stays; else nobody takes
        a line that lives from who has it.
        """
        if self.closed_seconds():
            self.refuse("closed for a while", "caller")
            return False
        if self.line is None:
            self.talk.opened(self.parts.clock.monotonic_ns())
        if self._pairing_key is None:
            if self.line is not None:
                self.refuse("a second caller", "caller")
                return False
            self.take_line(line)
        else:
            if len(self._callers) >= CALLERS_LIMIT:
                # The table pairs within milliseconds: who has been there longest is the least likely to be it.
                self.refuse("one too many", "caller")
                first = next(iter(self._callers))
                self._callers.pop(first)
                first.hang_up()
            self._callers[line] = None
        return True

    def bears(self, count: int) -> bool:
        """Take bytes of the table's line; false if it says too much, and is closed for a while."""
        now_ns = self.parts.clock.monotonic_ns()
        if self.talk.data(count, now_ns):
            return True
        self.refuse(TOO_MUCH, "line")
        self.talk.closed(now_ns)
        self._closed_until_ns = now_ns + round(self.talk.pause_seconds() * NANOSECONDS)
        return False

    def closed_seconds(self) -> float:
        """For how long no line is listened to, because the table's line said too much."""
        return max(0, self._closed_until_ns - self.parts.clock.monotonic_ns()) / NANOSECONDS

    def take_line(self, line: TriggerLine) -> None:
        """Answer this line, which is the table's, and one from before no more."""
        before, self.line = self.line, line
        self._callers.pop(line, None)
        if before is not None and before is not line:
            before.hang_up()
        self.box.line_lost()

    def closed(self, line: TriggerLine) -> None:
        """That line is gone."""
        self._callers.pop(line, None)
        if self.line is line:
            self.line = None
            self.box.line_lost()

    def status(self) -> str:
        """How the box is, for people. Nothing in it follows from a number not yet revealed."""
        health = self.rng.health
        noise = f"{self.rng.available} bytes of noise, {health.warnings} warnings in {health.samples} bytes"
        state = self.box.state
        refused = "".join(f"; {many(count, 'time')} refused: {why}" for why, count in sorted(self.refused.items()))
        line = self.config.line
        open_line = "; line not paired" if unpaired(line.port, line.pairing_key_file) else ""
        return (
            f"{self.box.condition.value}: cycle {state.cycle}, contribution {state.number}; {noise}{refused}{open_line}"
        )

    def _stored(self, heard: CommandResult) -> tuple[TriggerReport, ...]:
        before = self.box.condition
        self.store.append(heard.entries)
        self.box.take(heard.entries)
        log.debug("stored", entries=len(heard.entries), condition=before.value)
        return heard.reports

    def _noise(self) -> Noise | None:
        device = self.rng.take(NOISE_BYTES)
        return Noise(device, self.parts.entropy.take(NOISE_BYTES)) if device else None

    def _noise_reported(self, reading: Reading) -> None:
        match reading:
            case DeviceComplained(_, code, text):
                log.error("noise source halted", test=code, reason=text)
            case LineDisturbed():
                log.warning("no noise", reason=reading.reason)
            case DeviceHealth():
                log.info("noise source", state=reading.state.value, detail=reading.detail)
            case _:
                pass

    def noise_came(self) -> None:
        """Noise may be there again: draw what waited for it, and tell the table."""
        if self.rng.available >= NOISE_BYTES:
            reports = self._stored(self.box.noise_is_back())
            if self.line is not None:
                self.line.say(reports)

    # --- going on for ever ----------------------------------------------------------------------------

    async def run(self, line: Callable[[TriggerBoxService], TriggerLine], notifier: Notifier) -> None:
        """Serve until cancelled.

        Raises:
            ExceptionGroup: of ``BoxStoreFailed`` if the disk failed.
        """
        watchdog = Watchdog(notifier, self.parts.clock, [], [], self.status)
        async with asyncio.TaskGroup() as group:
            group.create_task(self.noise_link.run(), name="noise")
            group.create_task(self._watch_noise(), name="watch noise")
            group.create_task(self._serve(line), name="line")
            group.create_task(watchdog.run(), name="watchdog")
            await self.failed

    async def _watch_noise(self) -> None:
        while True:
            await asyncio.sleep(0.1)
            self.noise_came()

    async def _serve(self, line: Callable[[TriggerBoxService], TriggerLine]) -> None:
        port = self.config.line.port
        if port.startswith(UNIX):
            await self._serve_socket(Path(port.removeprefix(UNIX)), line)
        backoff = Backoff(self.parts.chance)
        opener = serial_opener(port, self.codec.line)
        while True:
            served = line(self)
            try:
                await opener(served)
                backoff.reset()
                await served.lost
            except OSError as error:
                log.warning("line down", reason=str(error))
            await asyncio.sleep(max(backoff.next_seconds(), self.closed_seconds()))

    async def _serve_socket(self, path: Path, line: Callable[[TriggerBoxService], TriggerLine]) -> None:
        _clear_away(path)
        before = os.umask(0o777 & ~SOCKET_MODE)
        try:
            server = await asyncio.get_running_loop().create_unix_server(lambda: line(self), path)
        finally:
            os.umask(before)
        log.info("box reached at", path=str(path))
        async with server:
            await server.serve_forever()


def _clear_away(path: Path) -> None:
    """Remove the socket that a box killed before left behind."""
    with contextlib.suppress(FileNotFoundError):
        if not stat.S_ISSOCK(path.stat().st_mode):
            raise BoxStoreRefused(f"[line] port: {path} is there and no socket")
        path.unlink()
