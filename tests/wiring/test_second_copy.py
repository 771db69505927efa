"""A daemon whose journal has a second copy on another device: killed in play, its journal damaged, the device full."""

from __future__ import annotations

import asyncio
import contextlib
import os
import random
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from controller.core.messages.events import CardDrawn
from controller.core.messages.raised_alerts import AlertKind, AlertRaised
from controller.formats.journal.schema import TABLES
from controller.formats.journal.segments import JournalRow
from controller.formats.mqtt.retained_machine import MachineNow
from controller.io.copies.segment_folder import batches, survey
from controller.io.journal.reader import JournalReader
from controller.io.journal.verification import verify
from controller.io.mqtt.connection import Broker
from tests.wiring.premises import PATIENCE_S, TOPICS, Premises, open_house, ran

MIB = 2**20
DEAL = "1 main 25\nno_more_bets\nTh 7d Qs"
REST = "Td\nstand\nhole_turned\n1 main 50\n1 main 0\nround_closed"


@pytest.fixture
def other_device(tmp_path: Path) -> Iterator[Path]:
    folder = Path(tempfile.mkdtemp(dir="/dev/shm", prefix="tableside-copy-"))
    assert folder.stat().st_dev != tmp_path.stat().st_dev, "/dev/shm is the device of the tests' own folders"
    yield folder
    shutil.rmtree(folder)


async def restarted_with(house: Premises, copy: Path) -> None:
    text = house.table_file.read_text()
    await house.stop()
    house.table_file.write_text(text.replace("[table]\n", f'[table]\nsecond_copy = "{copy}"\n', 1))
    await house.start()


def rows_of(journal: Path) -> set[JournalRow]:
    with JournalReader(journal) as reader:
        return {
            JournalRow(table, tuple(values))
            for table in TABLES
            for values in reader.connection.execute(f"SELECT * FROM {table}")
        }


def copied_rows(copy: Path) -> set[JournalRow]:
    return {row for batch in batches(survey(copy)) for row in batch.rows}


async def test_killed_again_and_again_the_copy_is_whole_and_gives_the_journal_back(
    tmp_path: Path, broker: Broker, other_device: Path
) -> None:
    chance = random.Random(5)
    async with open_house(tmp_path, broker) as house:
        await restarted_with(house, other_device)
        for cut in range(2):
            playing = asyncio.create_task(house.talk(DEAL if cut == 0 else "no\nundo\n2c 3d"))
            await asyncio.wait([playing], timeout=chance.uniform(0.05, 0.6))
            await house.kill()
            playing.cancel()
            await asyncio.gather(playing, return_exceptions=True)
            status, output, _ = await ran("verify", str(other_device))
            assert status in {0, 2}, output
            await house.start()
        await house.stop()
        before = rows_of(house.journal)
        # Each row of the journal and nothing else: what is sealed there is sealed here.
        assert copied_rows(other_device) == before
        data = bytearray(house.journal.read_bytes())
        data[len(data) // 2] ^= 4
        house.journal.write_bytes(data)
        await house.spawn()
        assert house.process is not None
        assert await asyncio.wait_for(house.process.wait(), PATIENCE_S) == 2
        command = f"tableside restore --aside --key KEY_FILE {other_device} {house.journal}"
        last_line = house.log().splitlines()[-1]
        assert last_line.endswith(f": {command}"), last_line
        status, output, _ = await ran(*command.replace("KEY_FILE", str(house.key)).split()[1:])
        assert status == 0, output
        assert rows_of(house.journal) == before
        assert verify(house.journal).damage is None
        await house.start()
        await house.assert_published_once()


async def test_the_copys_device_fills_in_a_round_and_the_round_does_not_notice(
    tmp_path: Path, small_disk: Path, broker: Broker
) -> None:
    copy = small_disk / "copy"
    copy.mkdir()
    async with open_house(tmp_path, broker) as house:
        await restarted_with(house, copy)
        await house.talk(DEAL)
        await house.ear.event(CardDrawn, 3)
        filler = small_disk / "other"
        room = os.statvfs(small_disk)
        # The copy may take some of that room meanwhile.
        with contextlib.suppress(OSError):
            filler.write_bytes(bytes(room.f_bavail * room.f_frsize))
        await house.talk(REST)
        raised = await house.ear.event(AlertRaised)
        assert (raised.kind, "No space left on device" in raised.text) == (AlertKind.SECOND_COPY_LOST, True)
        await house.ear.until(lambda: house.ear.outcomes() == ["settled"])
        assert house.ear.due() == {(1, 1, "main"): (2500, 2500)}
        assert survey(copy).damage is None
        await house.ear.until(lambda: alarms(house))
        filler.unlink()
        await house.ear.until(lambda: not alarms(house))
        await house.stop()
        assert copied_rows(copy) == rows_of(house.journal)


async def test_an_older_copy_put_in_its_place_in_a_round_is_reported_and_the_round_does_not_notice(
    tmp_path: Path, broker: Broker, other_device: Path
) -> None:
    async with open_house(tmp_path, broker) as house:
        await restarted_with(house, other_device)
        (segment,) = survey(other_device).segments
        kept = shutil.copy(segment, other_device / "kept")
        await house.talk(DEAL)
        await house.ear.event(CardDrawn, 3)
        os.replace(kept, segment)  # noqa: PTH105 - pathlib's are refused in a coroutine
        await house.talk(REST)
        raised = await house.ear.event(AlertRaised)
        assert (raised.kind, raised.text.endswith("another file lies in its place")) == (
            AlertKind.SECOND_COPY_LOST,
            True,
        )
        await house.ear.until(lambda: house.ear.outcomes() == ["settled"])
        assert house.ear.due() == {(1, 1, "main"): (2500, 2500)}
        await house.ear.until(lambda: not alarms(house))
        await house.kill()
        status, output, _ = await ran("verify", str(other_device))
        assert status == 0, output
        await house.start()
        await house.stop()
        assert copied_rows(other_device) == rows_of(house.journal)
        assert verify(house.journal).damage is None


def alarms(house: Premises) -> bool:
    return b"second copy" in (house.ear.last(TOPICS.status) or b"")


async def test_a_technician_is_shown_how_lines_disk_copy_and_journal_are(
    tmp_path: Path, broker: Broker, other_device: Path
) -> None:
    async with open_house(tmp_path, broker) as house:

        def now() -> MachineNow | None:
            machine = house.ear.last(TOPICS.state("machine"))
            return msgspec.json.decode(machine, type=MachineNow) if machine else None

        def has_heard(*lines: str) -> bool:
            found = now()
            return found is not None and all(one.quiet_s is not None for one in found.lines if one.line in lines)

        await house.ear.until(lambda: has_heard("bet_spots"))
        assert (before := now()) is not None
        assert before.second_copy is None
        # What has never said anything is not shown to have.
        assert [line.quiet_s for line in before.lines if line.line == "keypad"] == [None]
        await restarted_with(house, other_device)
        await house.talk(DEAL)
        await house.ear.until(lambda: (found := now()) is not None and found.second_copy is not None)
        await house.ear.until(lambda: has_heard("shoe", "keypad", "bet_spots"))
        assert (found := now()) is not None
        assert found.second_copy is not None
        assert found.second_copy.trouble == ""
        assert 0 < found.second_copy.records <= found.second_copy.of_records
        assert found.disk is not None
        assert 0 < found.disk.free_bytes < found.disk.size_bytes
        assert (found.verification.state, found.verification.whole_at is not None) == ("whole", True)
        assert [(line.line, line.protocol, line.is_open) for line in found.lines] == [
            ("shoe", "bee_tek", True),
            ("keypad", "matrix_orbital", True),
            ("bet_spots", "feig_obid", True),
        ]
        assert all(line.port.endswith(f"/{line.line}") for line in found.lines)
