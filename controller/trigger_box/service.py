"""The trigger box's process: the line to the table on one side, the noise source on the other, the store between.

An answer leaves only after its entries are on the disk. Nothing that is logged depends on a number not yet revealed.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import random
import resource
import stat
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Final, Protocol

import structlog

from controller.formats.pairing import unpaired
from controller.formats.trigger_config import UNIX, TriggerConfig
from controller.io.backoff import Backoff
from controller.io.clock import Clock
from controller.io.link import Link
from controller.io.notify import Notifier
from controller.io.ports import serial_opener
from controller.io.randomness import Entropy
from controller.io.watchdog import Watchdog
from controller.trigger_box.box import Heard, Maker, TriggerBox
from controller.trigger_box.pool import NOISE_BYTES, Noise
from controller.trigger_box.sealing import Sealer
from controller.trigger_box.store import Store, StoreRefused
from devices.rng import RngSession
from firmware_protocols import discovery
from firmware_protocols.codec import Codec, Role, Wire
from firmware_protocols.messages import LineFault
from firmware_protocols.paired_line import NONCE_BYTES, PairedLine
from firmware_protocols.readings import DeviceComplained, DeviceHealth, LineDisturbed, Reading
from firmware_protocols.trigger_messages import TriggerCommand, TriggerReport

SOCKET_MODE: Final = 0o660
"""A local socket is for the box's own group, which the table's daemon belongs to."""

_PR_SET_DUMPABLE: Final = 4

log = structlog.get_logger(__name__)


class Parts(Protocol):
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


class Service:
    """One box at work."""

    def __init__(
        self,
        config: TriggerConfig,
        store: Store,
        sealer: Sealer,
        parts: Parts,
        firmware: str,
        *,
        pairing_key: bytes | None = None,
    ) -> None:
        """``pairing_key``: only a table that has it too is listened to."""
        self.config = config
        self.store = store
        self.parts = parts
        self.codec: Codec = discovery.find("mystery_trigger", config.line.protocol)
        noise = discovery.find("rng", config.rng.protocol)
        self.rng = RngSession(noise, claimed_bits=config.rng.claimed_bits)
        opener = serial_opener(config.rng.port, noise.line)
        self.noise_link = Link(
            "rng", opener, self.rng, clock=parts.clock, chance=parts.chance, deliver=self._noise_told
        )
        self.box = TriggerBox(store.state, store, sealer, Maker(config.box.serial, firmware[:12]), self._noise)
        self._pairing_key = pairing_key
        self.refused: Counter[str] = Counter()
        """Frames dropped of a paired line, by why."""
        self.line: Line | None = None
        """The line that is open, if one is."""
        self.failed: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        """Fails with what ends the box."""

    def paired_line(self) -> PairedLine | None:
        """The box's end of a line just opened; None where lines are not paired."""
        if self._pairing_key is None:
            return None
        return PairedLine(Role.DEVICE, self._pairing_key, lambda: self.parts.entropy.take(NONCE_BYTES))

    def refuse(self, why: str) -> None:
        """A frame was dropped; said in the log when it has happened once, twice, four times, and so on."""
        self.refused[why] += 1
        if self.refused[why].bit_count() == 1:
            log.warning("frame refused", why=why, times=self.refused[why])

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

    def opened(self, line: Line) -> None:
        """A table has reached the box; a line from before is no longer answered."""
        if self.line is not None:
            self.line.hang_up()
        self.line = line
        self.box.line_lost()

    def closed(self, line: Line) -> None:
        """That line is gone."""
        if self.line is line:
            self.line = None
            self.box.line_lost()

    def status(self) -> str:
        """How the box is, for people. Nothing in it follows from a number not yet revealed."""
        health = self.rng.health
        noise = f"{self.rng.available} bytes of noise, {health.warnings} warnings in {health.samples} bytes"
        state = self.box.state
        refused = "".join(f"; {count} frames {why}" for why, count in sorted(self.refused.items()))
        line = self.config.line
        open_line = "; line not paired" if unpaired(line.port, line.pairing_key_file) else ""
        return (
            f"{self.box.condition.value}: cycle {state.cycle}, contribution {state.number}; {noise}{refused}{open_line}"
        )

    def _stored(self, heard: Heard) -> tuple[TriggerReport, ...]:
        before = self.box.condition
        self.store.append(heard.entries)
        self.box.take(heard.entries)
        log.debug("stored", entries=len(heard.entries), condition=before.value)
        return heard.reports

    def _noise(self) -> Noise | None:
        device = self.rng.take(NOISE_BYTES)
        return Noise(device, self.parts.entropy.take(NOISE_BYTES)) if device else None

    def _noise_told(self, reading: Reading) -> None:
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

    async def run(self, line: Callable[[Service], Line], notifier: Notifier) -> None:
        """Serve until cancelled.

        Raises:
            ExceptionGroup: of ``StoreFailed`` if the disk failed.
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

    async def _serve(self, line: Callable[[Service], Line]) -> None:
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
            await asyncio.sleep(backoff.next_seconds())

    async def _serve_socket(self, path: Path, line: Callable[[Service], Line]) -> None:
        _clear_away(path)
        before = os.umask(0o777 & ~SOCKET_MODE)
        try:
            server = await asyncio.get_running_loop().create_unix_server(lambda: line(self), path)
        finally:
            os.umask(before)
        log.info("box reached at", path=str(path))
        async with server:
            await server.serve_forever()


class Line(asyncio.Protocol):
    """One opening of the line to the table."""

    def __init__(self, service: Service) -> None:
        self._service = service
        self._wire: Wire = service.codec.open(Role.DEVICE)
        self._paired = service.paired_line()
        self._transport: asyncio.Transport | None = None
        self._silence: asyncio.TimerHandle | None = None
        self.lost: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        """Done when the line is gone."""

    def say(self, reports: tuple[TriggerReport, ...]) -> None:
        """Send, in order."""
        if self._transport is not None and not self._transport.is_closing():
            data = b"".join(self._wire.encode(report) for report in reports)
            self._transport.write(data if self._paired is None else self._paired.seal(data))

    def hang_up(self) -> None:
        """Close the line."""
        if self._transport is not None:
            self._transport.abort()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """See ``asyncio.Protocol``."""
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        self._service.opened(self)

    def data_received(self, data: bytes) -> None:
        """See ``asyncio.Protocol``."""
        if self._silence is not None:
            self._silence.cancel()
            self._silence = None
        self._hear(self._wire.feed(data if self._paired is None else self._authentic(self._paired, data)))
        if self._wire.held():
            loop = asyncio.get_running_loop()
            self._silence = loop.call_later(self._service.codec.idle_ns / 1e9, self._fell_silent)

    def _authentic(self, paired: PairedLine, data: bytes) -> bytes:
        """What the table said, out of what came on a paired line."""
        fed = paired.feed(data)
        for why in fed.refused:
            self._service.refuse(why)
        if fed.paired:
            self._wire = self._service.codec.open(Role.DEVICE)
            self._service.box.line_lost()
        if fed.answer and self._transport is not None:
            self._transport.write(fed.answer)
        return fed.inside

    def connection_lost(self, exc: Exception | None) -> None:
        """See ``asyncio.Protocol``."""
        del exc
        if self._silence is not None:
            self._silence.cancel()
        self._service.closed(self)
        if not self.lost.done():
            self.lost.set_result(None)

    def _fell_silent(self) -> None:
        self._hear(self._wire.idle())

    def _hear(self, messages: tuple[object, ...]) -> None:
        for message in messages:
            if isinstance(message, TriggerCommand):
                try:
                    reports = self._service.answer(message)
                except Exception as error:  # noqa: BLE001 - asyncio would only close the line
                    self._service.fail(error)
                    self.hang_up()
                    return
                self.say(reports)
            elif isinstance(message, LineFault):
                log.warning("line disturbed", reason=message.reason)


def _clear_away(path: Path) -> None:
    """Remove the socket that a box killed before left behind."""
    with contextlib.suppress(FileNotFoundError):
        if not stat.S_ISSOCK(path.stat().st_mode):
            raise StoreRefused(f"[line] port: {path} is there and no socket")
        path.unlink()


def keep_memory_private() -> None:
    """No core dumps, and no other process of this user may look into this one's memory."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    # A hardened service may be forbidden the memory that ctypes asks for; its user has no other process then.
    with contextlib.suppress(ImportError, MemoryError, OSError):
        import ctypes  # noqa: PLC0415

        ctypes.CDLL(None).prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0)
