"""The real box process on a paired line: it listens to a table with its key, and to nobody else."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator
from pathlib import Path

from controller.io.clock import SystemClock
from controller.io.keys import create_key
from controller.io.randomness import SystemEntropy
from controller.trigger_box import custody
from devices.mystery_trigger import MysteryTriggerSession, TableName
from devices.paired import PairedSession
from firmware_protocols.mystery_trigger.tableside import CODEC
from firmware_protocols.readings import DeviceComplained, DeviceHealth, HealthState, MysteryAnswered, Reading
from firmware_protocols.trigger_messages import Contribute, GreetTrigger, OpenCycle, TriggerWish
from tests.trigger_box.premises import PATIENCE_SECONDS, box_command, connected, noise, running, write_files
from tests.wiring.premises import ran


class Table:
    """The table's end of the socket: its real session behind its real pairing."""

    def __init__(self, key: bytes) -> None:
        self.inner = MysteryTriggerSession(CODEC, TableName("harbour", "bj-1", 7))
        self.session = PairedSession(self.inner, "mystery_trigger", key, lambda: SystemEntropy().take(16))
        self.clock = SystemClock()
        self.readings: list[Reading] = []

    async def until(self, folder: Path, kind: type[Reading], wanted: int = 1) -> list[Reading]:
        """Connect and go on until so many readings of a kind have come."""
        async with asyncio.timeout(PATIENCE_SECONDS):
            while True:
                try:
                    reader, writer = await asyncio.open_unix_connection(folder / "trigger.sock")
                    break
                except OSError:
                    await asyncio.sleep(0)
            self.session.connected(self.clock.monotonic_ns())
            while len(found := [one for one in self.readings if isinstance(one, kind)]) < wanted:
                writer.write(self.session.bytes_to_send())
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(0.05):
                        self.session.receive(await reader.read(4096), self.clock.monotonic_ns())
                self.session.handle_deadline(self.clock.monotonic_ns())
                self.readings += self.session.readings()
        writer.close()
        self.session.disconnected(self.clock.monotonic_ns())
        return found


@contextlib.asynccontextmanager
async def paired_box(folder: Path) -> AsyncIterator[tuple[bytes, list[dict[str, object]]]]:
    """A box at work, its pairing key, and what it logs."""
    file = write_files(folder)
    key = create_key(folder / "pairing.key", SystemEntropy())
    file.write_text(file.read_text().replace("[line]", '[line]\npairing_key_file = "pairing.key"'))
    config = custody.load_config(file)
    custody.begin(config, custody.sealer_of(config), custody.People("ann", "ben"), 0, None)
    logged: list[dict[str, object]] = []
    async with noise(folder), running(*box_command(file)) as process:
        assert process.stderr is not None

        async def read(stream: asyncio.StreamReader) -> None:
            while line := await stream.readline():
                logged.append(json.loads(line))

        reading = asyncio.create_task(read(process.stderr))
        yield key, logged
        process.terminate()
        assert await process.wait() == 0
        await reading


def refusals(logged: list[dict[str, object]]) -> list[object]:
    """Why frames were refused, as the box has logged it."""
    return [line["why"] for line in logged if line["event"] == "frame refused"]


async def test_a_table_with_the_key_has_its_contributions_answered(tmp_path: Path) -> None:
    async with paired_box(tmp_path) as (key, logged):
        table = Table(key)
        await table.until(tmp_path, DeviceHealth, 2)
        table.inner.wish(TriggerWish(1, 0, 0, OpenCycle(1, bytes(32)), (Contribute(1, 100),)), 1)
        (answer,) = await table.until(tmp_path, MysteryAnswered)
        assert isinstance(answer, MysteryAnswered)
        assert (answer.number, answer.cycle) == (1, 1)
        assert HealthState.READY in [one.state for one in table.readings if isinstance(one, DeviceHealth)]
    assert refusals(logged) == []


async def test_a_table_without_the_key_is_not_heard(tmp_path: Path) -> None:
    async with paired_box(tmp_path) as (_, logged):
        plain = await connected(tmp_path)
        plain.say(GreetTrigger(1, "harbour", "bj-1", 7, 0, 0))
        async with asyncio.timeout(PATIENCE_SECONDS):
            while not refusals(logged):  # noqa: ASYNC110 - the log is read by a task beside
                await asyncio.sleep(0)
        # A second table takes the line from the first.
        other = Table(bytes(32))
        (refused,) = await other.until(tmp_path, DeviceComplained)
        assert isinstance(refused, DeviceComplained)
        assert refused.code == "pairing_refused"
        assert not plain.heard
        await plain.close()
    assert refusals(logged) == ["unpaired"]


async def test_a_pairing_key_is_made_once_and_for_its_owner_alone(tmp_path: Path) -> None:
    key = tmp_path / "pairing.key"
    status, said, _ = await ran("keys", "pairing", str(key))
    assert (status, key.stat().st_mode & 0o077) == (0, 0)
    assert said == f"{key}: a new pairing key; the table's and the box's pairing_key_file both name a copy of it\n"
    assert len(bytes.fromhex(key.read_text())) == 32
    status, _, errors = await ran("keys", "pairing", str(key))
    assert (status, len(errors.splitlines())) == (2, 1)
