"""The real box process on a paired line: it listens to a table with its key, and to nobody else."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import pwd
from collections.abc import AsyncIterator
from pathlib import Path
from random import Random

import msgspec
import pytest

from controller.commands.trigger_box import ProcessParts
from controller.formats.config.trigger_file import TriggerConfig
from controller.io.files.key_file import KeyFileRefused, create_key
from controller.io.lines.talk_limit import BYTES_PER_SECOND
from controller.io.system.clock import SystemClock
from controller.io.system.notify import Notifier
from controller.io.system.randomness import SystemEntropy
from controller.trigger_box import custody
from controller.trigger_box.line import PAIRING_SECONDS, TOO_MUCH, UNREAD_BYTES, TriggerLine
from controller.trigger_box.service import CALLERS_LIMIT, TriggerBoxService
from controller.trigger_box.store import BoxStore
from devices.paired_session import PairedSession
from devices.trigger.mystery_trigger import MysteryTriggerSession, TriggerTable
from firmware_protocols.codec import LineEnd
from firmware_protocols.mystery_trigger.tableside import CODEC
from firmware_protocols.readings import DeviceComplained, DeviceHealth, HealthState, MysteryAnswered, Reading
from firmware_protocols.trigger_messages import Contribute, GreetTrigger, OpenCycle, TriggerWish
from tests.trigger_box.premises import (
    PATIENCE_SECONDS,
    Host,
    begun,
    box_command,
    connected,
    noise,
    running,
    write_files,
)
from tests.wiring.premises import ran


class HeldClock(SystemClock):
    """The machine's clock until a test holds it."""

    held_ns: int | None = None

    def monotonic_ns(self) -> int:
        return super().monotonic_ns() if self.held_ns is None else self.held_ns


class Table:
    """The table's end of the socket: its real session behind its real pairing."""

    def __init__(self, key: bytes) -> None:
        self.inner = MysteryTriggerSession(CODEC, TriggerTable("harbour", "bj-1", 7))
        self.session = PairedSession(self.inner, "mystery_trigger", key, lambda: SystemEntropy().take(16))
        self.clock = SystemClock()
        self.readings: list[Reading] = []

    async def until(self, folder: Path, kind: type[Reading], wanted: int = 1) -> list[Reading]:
        """Connect and go on until so many readings of a kind have come."""
        async with self.calling(folder):
            return await self.hear(kind, wanted)

    @contextlib.asynccontextmanager
    async def calling(self, folder: Path) -> AsyncIterator[None]:
        """Connect, and be gone at the end."""
        async with asyncio.timeout(PATIENCE_SECONDS):
            while True:
                try:
                    self.reader, self.writer = await asyncio.open_unix_connection(folder / "trigger.sock")
                    break
                except OSError:
                    await asyncio.sleep(0)
        self.session.connected(self.clock.monotonic_ns())
        yield
        self.writer.close()
        self.session.disconnected(self.clock.monotonic_ns())

    async def hear(self, kind: type[Reading], wanted: int = 1) -> list[Reading]:
        """Go on until so many readings of a kind have come."""
        async with asyncio.timeout(PATIENCE_SECONDS):
            while len(found := [one for one in self.readings if isinstance(one, kind)]) < wanted:
                self.writer.write(self.session.bytes_to_send())
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(0.05):
                        self.session.receive(await self.reader.read(4096), self.clock.monotonic_ns())
                self.session.handle_deadline(self.clock.monotonic_ns())
                self.readings += self.session.readings()
        return found

    async def is_hung_up(self) -> bool:
        """Whether the box ends the line, once all it had said is read."""
        async with asyncio.timeout(PATIENCE_SECONDS):
            try:
                while await self.reader.read(4096):
                    pass
            except ConnectionError:
                pass
        return True


@contextlib.asynccontextmanager
async def paired_box(folder: Path) -> AsyncIterator[tuple[bytes, list[dict[str, object]]]]:
    """A box at work, its pairing key, and what it logs."""
    file = write_files(folder)
    key = create_key(folder / "pairing.key", SystemEntropy())
    file.write_text(file.read_text().replace("[line]", '[line]\npairing_key_file = "pairing.key"'))
    config = custody.load_config(file)
    custody.begin(config, custody.sealer_of(config), custody.Custodians("ann", "ben"), 0, None)
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
    """Why frames and callers were refused, as the box has logged it."""
    return [line["why"] for line in logged if line["event"] == "refused"]


async def test_a_table_with_the_key_has_its_contributions_answered(tmp_path: Path) -> None:
    async with paired_box(tmp_path) as (key, logged):
        table = Table(key)
        await table.until(tmp_path, DeviceHealth, 2)
        table.inner.apply(TriggerWish(1, 0, 0, OpenCycle(1, bytes(32)), (Contribute(1, 100),)), 1)
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
        # One without the key, too, is answered that it has another.
        other = Table(bytes(32))
        (refused,) = await other.until(tmp_path, DeviceComplained)
        assert isinstance(refused, DeviceComplained)
        assert refused.code == "pairing_refused"
        assert not plain.heard
        await plain.close()
    assert refusals(logged) == ["unpaired"]


async def test_a_stranger_without_the_key_never_takes_the_line_from_the_table(tmp_path: Path) -> None:
    """He may call as often as he likes: the table's line stays, and what he says is heard by nobody."""
    async with paired_box(tmp_path) as (key, logged):
        table = Table(key)
        async with table.calling(tmp_path):
            await table.hear(DeviceHealth, 2)
            strangers = [await connected(tmp_path) for _ in range(3)]
            for number, stranger in enumerate(strangers, start=1):
                stranger.say(GreetTrigger(number, "harbour", "bj-1", 7, 0, 0), Contribute(1, 5))
            one_with_another_key = Table(bytes(32))
            await one_with_another_key.until(tmp_path, DeviceComplained)
            table.inner.apply(TriggerWish(1, 0, 0, OpenCycle(1, bytes(32)), (Contribute(1, 100),)), 1)
            (answer,) = await table.hear(MysteryAnswered)
            assert isinstance(answer, MysteryAnswered)
            assert answer.meter_units == 500 * 10_000 + 100
            assert [one.state for one in table.readings if isinstance(one, DeviceHealth)].count(HealthState.LOST) == 0
            for stranger in strangers:
                assert not stranger.heard
                await stranger.close()
    assert set(refusals(logged)) == {"unpaired"}


async def test_strangers_who_hold_every_place_and_say_nothing_do_not_keep_the_table_out(tmp_path: Path) -> None:
    """Each is hung up on after a few seconds, and called again at once: the table comes in before that."""
    async with paired_box(tmp_path) as (key, logged):
        strangers = [await connected(tmp_path) for _ in range(CALLERS_LIMIT)]
        table = Table(key)
        async with asyncio.timeout(PAIRING_SECONDS / 2):
            await table.until(tmp_path, DeviceHealth, 2)
        for stranger in strangers:
            await stranger.close()
    assert refusals(logged) == ["one too many"]


async def test_a_table_that_calls_again_has_the_line_once_it_has_paired(tmp_path: Path) -> None:
    """Its old line may hang for a while: the new one, with the key, replaces it."""
    async with paired_box(tmp_path) as (key, _):
        before, after = Table(key), Table(key)
        async with before.calling(tmp_path):
            await before.hear(DeviceHealth, 2)
            async with after.calling(tmp_path):
                await after.hear(DeviceHealth)
                assert await before.is_hung_up()


async def test_nobody_takes_an_unpaired_line_from_whoever_has_it(tmp_path: Path) -> None:
    file, _ = begun(tmp_path)
    async with noise(tmp_path), running(*box_command(file)):
        first = await connected(tmp_path)
        await first.open_cycle()
        second = await connected(tmp_path)
        second.say(GreetTrigger(1, "harbour", "bj-1", 7, 0, 0), Contribute(1, 5))
        assert not await second.listen()
        await second.close()
        assert (await first.contribute(1, 100)).meter_units == 500 * 10_000 + 100
        await first.close()
        third = await next_in_line(tmp_path)
        assert (await third.contribute(2, 100)).meter_units == 500 * 10_000 + 200
        await third.close()


async def next_in_line(folder: Path) -> Host:
    """Call until the box has noticed that the one before is gone."""
    while True:
        host = await connected(folder)
        host.say(GreetTrigger(1, "harbour", "bj-1", 7, 1, 1))
        if await host.listen():
            return host
        await host.close()


async def test_another_users_process_is_not_listened_to(tmp_path: Path) -> None:
    """The kernel says whose process calls; here the box hears that the table is somebody else's."""
    _, config = begun(tmp_path)
    store = BoxStore(Path(config.box.store), custody.sealer_of(config))
    surroundings = ProcessParts(SystemClock(), SystemEntropy(), Random(1))
    nobody_here = frozenset({os.getuid() + 1})
    async with noise(tmp_path):
        service = TriggerBoxService(config, store, custody.sealer_of(config), surroundings, "1.0", users=nobody_here)
        serving = asyncio.create_task(service.run(TriggerLine, Notifier({})))
        stranger = await connected(tmp_path)
        stranger.say(GreetTrigger(1, "harbour", "bj-1", 7, 0, 0))
        assert not await stranger.listen()
        await stranger.close()
        assert service.refused == {f"caller user {os.getuid()} is not the table's": 1}
        assert service.line is None
        serving.cancel()
        await asyncio.gather(serving, return_exceptions=True)
    store.close()


def test_the_tables_user_is_named_in_the_boxs_file(tmp_path: Path) -> None:
    config = custody.load_config(write_files(tmp_path))
    mine = pwd.getpwuid(os.getuid()).pw_name

    def running_as(user: str) -> TriggerConfig:
        return msgspec.structs.replace(config, line=msgspec.structs.replace(config.line, user=user))

    assert custody.users_of(running_as(mine), 4711) == {4711, os.getuid()}
    with pytest.raises(KeyFileRefused, match="there is no user 'nobody-of-this-name'"):
        custody.users_of(running_as("nobody-of-this-name"), 4711)


async def test_a_pairing_key_is_made_once_and_for_its_owner_alone(tmp_path: Path) -> None:
    key = tmp_path / "pairing.key"
    status, output, _ = await ran("keys", "pairing", str(key))
    assert (status, key.stat().st_mode & 0o077) == (0, 0)
    assert output == f"{key}: a new pairing key; the table's and the box's pairing_key_file both name a copy of it\n"
    assert len(bytes.fromhex(key.read_text())) == 32
    status, _, errors = await ran("keys", "pairing", str(key))
    assert (status, len(errors.splitlines())) == (2, 1)


async def test_a_line_that_says_too_much_is_closed_for_a_while_and_then_listened_to_again(tmp_path: Path) -> None:
    _, config = begun(tmp_path)
    store = BoxStore(Path(config.box.store), custody.sealer_of(config))
    clock = HeldClock()
    surroundings = ProcessParts(clock, SystemEntropy(), Random(1))
    mine = frozenset({os.getuid()})
    async with noise(tmp_path):
        service = TriggerBoxService(config, store, custody.sealer_of(config), surroundings, "1.0", users=mine)
        serving = asyncio.create_task(service.run(TriggerLine, Notifier({})))
        babbling = await connected(tmp_path)
        await babbling.open_cycle()
        clock.held_ns = clock.monotonic_ns()
        babbling.say_bytes(b"\x01" * (BYTES_PER_SECOND + 100_000))
        while await babbling.listen():
            pass
        await babbling.close()
        assert service.refused == {f"line {TOO_MUCH}": 1}
        assert f"1 time refused: line {TOO_MUCH}" in service.status()
        early = await connected(tmp_path)
        assert not await early.listen()
        await early.close()
        assert service.refused["caller closed for a while"] == 1
        clock.held_ns += 20 * 1_000_000_000
        again = await connected(tmp_path)
        await again.open_cycle()
        assert (await again.contribute(1, 100)).meter_units == 500 * 10_000 + 100
        await again.close()
        serving.cancel()
        await asyncio.gather(serving, return_exceptions=True)
    store.close()


async def test_a_stranger_who_pours_before_pairing_is_hung_up_and_costs_the_table_nothing(tmp_path: Path) -> None:
    async with paired_box(tmp_path) as (key, logged):
        table = Table(key)
        async with table.calling(tmp_path):
            await table.hear(DeviceHealth)
            stranger = await connected(tmp_path)
            stranger.say_bytes(b"\x01" * (2 * BYTES_PER_SECOND))
            while await stranger.listen():
                pass
            await stranger.close()
            table.inner.apply(TriggerWish(1, 0, 0, OpenCycle(1, bytes(32)), (Contribute(1, 100),)), 1)
            (answer,) = await table.hear(MysteryAnswered)
        assert isinstance(answer, MysteryAnswered)
    assert "too much before the pairing" in refusals(logged)
    assert TOO_MUCH not in refusals(logged)


class Unread(asyncio.Transport):
    """A line whose other end takes nothing."""

    def __init__(self) -> None:
        super().__init__()
        self.waiting = 0
        self.is_aborted = False

    def write(self, data: bytes | bytearray | memoryview) -> None:
        self.waiting += len(data)

    def get_write_buffer_size(self) -> int:
        return self.waiting

    def is_closing(self) -> bool:
        return self.is_aborted

    def abort(self) -> None:
        self.is_aborted = True


async def test_a_line_whose_answers_nobody_reads_is_hung_up_and_holds_no_more_than_its_limit(tmp_path: Path) -> None:
    """Greetings within the allowance, each answered, for as long as it takes."""
    _, config = begun(tmp_path)
    store = BoxStore(Path(config.box.store), custody.sealer_of(config))
    clock = HeldClock()
    clock.held_ns = 1
    service = TriggerBoxService(
        config, store, custody.sealer_of(config), ProcessParts(clock, SystemEntropy(), Random(1)), "1.0"
    )
    line, transport = TriggerLine(service), Unread()
    line.connection_made(transport)
    greeting = CODEC.open(LineEnd.HOST).encode(GreetTrigger(1, "harbour", "bj-1", 7, 0, 0))
    while not transport.is_aborted and transport.waiting <= 2 * UNREAD_BYTES:
        line.data_received(greeting)
        clock.held_ns += 1_000_000
    assert service.refused == {"line it does not read its answers": 1}
    waiting = transport.waiting
    assert UNREAD_BYTES < waiting < UNREAD_BYTES + 1024
    line.data_received(greeting)
    assert transport.waiting == waiting, "it was still answered"
    line.connection_lost(None)
    assert service.line is None
    store.close()
