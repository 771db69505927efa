"""A trigger box as it runs: its own process, its files, a noise source on a pseudo-terminal, a local socket."""

from __future__ import annotations

import asyncio
import contextlib
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator
from pathlib import Path
from random import Random

from controller.formats.config.trigger_file import TriggerConfig
from controller.io.files.key_file import create_key
from controller.io.system.randomness import SystemEntropy
from controller.trigger_box import custody
from controller.trigger_box.custody import Custodians
from firmware_protocols.codec import LineEnd
from firmware_protocols.messages import Message
from firmware_protocols.mystery_trigger.tableside import CODEC
from firmware_protocols.rng import truerng
from firmware_protocols.trigger_messages import (
    Contribute,
    ContributionAnswered,
    CycleCommitted,
    GreetTrigger,
    OpenCycle,
    TriggerCommand,
    TriggerCondition,
    TriggerStatus,
)
from simulators.devices.rng import NoiseSimulator
from simulators.serve import Port, pour

PATIENCE_SECONDS = 30.0
TWO = Custodians("ann", "ben")


def write_files(folder: Path, *, reset_cents: int = 500, ceiling_cents: int = 1_000) -> Path:
    """A box's file and keys; ``custody.begin`` makes the store."""
    for role in ("operations", "surveillance"):
        create_key(folder / f"{role}.key", SystemEntropy())
    file = folder / "box.toml"
    file.write_text(
        f"""
[box]
site = "harbour"
table = "bj-1"
serial = "TB0001"
store = "box.sqlite"
operations_key_file = "operations.key"
surveillance_key_file = "surveillance.key"

[line]
port = "unix:{folder}/trigger.sock"

[rng]
port = "{folder}/rng"

[bounds]
reset_cents = {reset_cents}
ceiling_cents = {ceiling_cents}
most_contribution_cents = 200
"""
    )
    return file


def begun(folder: Path, **bounds: int) -> tuple[Path, TriggerConfig]:
    """The files of a box that two people have begun."""
    file = write_files(folder, **bounds)
    config = custody.load_config(file)
    custody.begin(config, custody.sealer_of(config), TWO, 0, None)
    return file, config


@contextlib.asynccontextmanager
async def noise(folder: Path) -> AsyncIterator[NoiseSimulator]:
    """A noise source at ``folder/rng``."""
    source = NoiseSimulator(truerng.CODEC, Random(1))
    port = Port(folder / "rng", source, lambda: None)
    pouring = asyncio.create_task(pour(port, source.emit))
    try:
        yield source
    finally:
        pouring.cancel()
        port.close()


@contextlib.asynccontextmanager
async def running(*command: str) -> AsyncIterator[Process]:
    """A process, killed at the end if it still runs."""
    process = await asyncio.create_subprocess_exec(sys.executable, *command, stderr=PIPE, stdout=PIPE)
    try:
        yield process
    finally:
        with contextlib.suppress(ProcessLookupError):
            process.kill()
        await process.wait()


def box_command(file: Path, *more: str) -> tuple[str, ...]:
    return ("-m", "controller", "trigger-box", str(file), "--log-format", "json", *more)


class Host:
    """The table's end of the socket."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer
        self._wire = CODEC.open(LineEnd.HOST)
        self.heard: list[Message] = []

    def say(self, *commands: TriggerCommand) -> None:
        self._writer.write(b"".join(map(self._wire.encode, commands)))

    def say_bytes(self, data: bytes) -> None:
        self._writer.write(data)

    async def listen(self) -> bool:
        """Take what comes; false once the box is gone."""
        async with asyncio.timeout(PATIENCE_SECONDS):
            try:
                data = await self._reader.read(4096)
            except ConnectionError:
                data = b""
        self.heard += self._wire.feed(data)
        return bool(data)

    async def until(self, kind: type[Message], count: int = 1) -> Message:
        while len(found := [one for one in self.heard if isinstance(one, kind)]) < count:
            assert await self.listen(), self.heard
        return found[count - 1]

    async def greet(self, cycle: int = 0, number: int = 0) -> TriggerStatus:
        self.heard.clear()
        self.say(GreetTrigger(7, "harbour", "bj-1", 7, cycle, number))
        status = await self.until(TriggerStatus)
        assert isinstance(status, TriggerStatus)
        return status

    async def open_cycle(self) -> CycleCommitted | None:
        """Greet until a cycle runs, and open it."""
        status = await self.greet()
        while status.condition is TriggerCondition.NO_RANDOMNESS:
            self.heard.clear()
            status = await self.until(TriggerStatus)  # type: ignore[assignment]
        if status.condition is TriggerCondition.AWAITING_SHARE:
            self.say(OpenCycle(status.cycle, bytes(range(32))))
            while TriggerCondition.OPEN not in self.conditions():
                assert await self.listen()
        return next((one for one in self.heard if isinstance(one, CycleCommitted)), None)

    def conditions(self) -> list[TriggerCondition]:
        return [one.condition for one in self.heard if isinstance(one, TriggerStatus)]

    async def contribute(self, number: int, amount_units: int = 100) -> ContributionAnswered:
        self.heard.clear()
        self.say(Contribute(number, amount_units))
        answer = await self.until(ContributionAnswered)
        assert isinstance(answer, ContributionAnswered)
        return answer

    async def close(self) -> None:
        self._writer.close()
        with contextlib.suppress(OSError):
            await self._writer.wait_closed()


async def connected(folder: Path) -> Host:
    """Connect, as soon as the box can be reached."""
    async with asyncio.timeout(PATIENCE_SECONDS):
        while True:
            try:
                return Host(*await asyncio.open_unix_connection(folder / "trigger.sock"))
            except OSError:
                await asyncio.sleep(0)
