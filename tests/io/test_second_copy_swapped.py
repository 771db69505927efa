"""Somebody changes the second copy while its table runs: it is reported at once, and the copy becomes whole again.

The table goes on all the while, and its journal is never touched.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest

from controller.commands import verify
from controller.io.journal.errors import JournalDamaged
from controller.io.journal.verification import verify as verify_journal
from tests.io.second_copy_rig import HERE, House, begin_another, run, segments


@pytest.fixture
async def house(tmp_path: Path) -> AsyncIterator[House]:
    one = House(tmp_path)
    yield one
    await one.close()


def older(house: House) -> bytes:
    """A whole copy as it was earlier: what every check of the folder by itself finds sound."""
    return segments(house)[-1].with_name("kept").read_bytes()


def renamed_over(house: House) -> None:
    new = house.copy / "new"
    new.write_bytes(older(house))
    new.rename(segments(house)[-1])


def written_over(house: House) -> None:
    segments(house)[-1].write_bytes(older(house))


def cut_short(house: House) -> None:
    os.truncate(segments(house)[-1], len(older(house)))


def emptied(house: House) -> None:
    os.truncate(segments(house)[-1], 0)


def appended_to(house: House) -> None:
    with segments(house)[-1].open("ab") as file:
        file.write(b"somebody else's")


def removed(house: House) -> None:
    segments(house)[-1].unlink()


def made_a_link(house: House) -> None:
    """The bytes are there, and on the journal's own device."""
    elsewhere = house.journal.with_name("elsewhere")
    elsewhere.write_bytes(segments(house)[-1].read_bytes())
    segments(house)[-1].unlink()
    (house.copy / "3-00000001.segment").symlink_to(elsewhere)


def made_a_pipe(house: House) -> None:
    path = segments(house)[-1]
    path.unlink()
    os.mkfifo(path)


def made_a_folder(house: House) -> None:
    path = segments(house)[-1]
    path.unlink()
    path.mkdir()


def folder_exchanged(house: House) -> None:
    """As with a device that is pulled out, written to elsewhere and put back."""
    before = older(house)
    house.copy.rename(house.copy.with_name("away"))
    house.copy.mkdir()
    (house.copy / "3-00000001.segment").write_bytes(before)


@pytest.mark.parametrize(
    "change",
    [
        renamed_over,
        written_over,
        cut_short,
        emptied,
        appended_to,
        removed,
        made_a_link,
        made_a_pipe,
        made_a_folder,
        folder_exchanged,
    ],
)
@pytest.mark.parametrize("goes_on", [False, True], ids=["idle", "in play"])
async def test_a_copy_changed_under_a_running_table_is_reported_and_whole_again(
    house: House, change: Callable[[House], None], goes_on: bool
) -> None:
    await house.open()
    await house.commit(3)
    await house.until(lambda: house.copied() == 3)
    shutil.copy(segments(house)[-1], house.copy / "kept")
    await house.commit(5)
    await house.until(lambda: house.copied() == 8 and house.fitness[-1] == ("fit", ""))
    change(house)
    if goes_on:
        await house.commit(2)
    records = 10 if goes_on else 8
    await house.until(lambda: "warned" in [level for level, _ in house.fitness])
    await house.until(lambda: house.fitness[-1] == ("fit", "") and house.copied() == records)
    await house.close()
    assert (house.copied(), run(verify.command, house.copy)[0]) == (records, 0)
    assert verify_journal(house.journal).records == records
    fitness = list(house.fitness)
    await house.played(1)
    assert house.fitness == fitness, "nothing is left to be said at the next start"
    assert house.copied() == records + 1


async def set_back(house: House) -> None:
    """A copy of eight records becomes what it was with three."""
    await house.open()
    await house.commit(3)
    await house.until(lambda: house.copied() == 3)
    shutil.copy(segments(house)[-1], house.copy / "kept")
    await house.commit(5)
    await house.until(lambda: house.copied() == 8)
    renamed_over(house)


async def test_a_copy_set_back_is_said_to_have_been_and_is_gone_on_with_from_where_it_ends(house: House) -> None:
    await set_back(house)
    await house.until(lambda: any("another file lies in its place" in text for _, text in house.fitness))
    message = f"second copy {house.copy}: ends with record 3, and record 8 had been copied: somebody changed it"
    await house.until(lambda: any(text.startswith(message) for _, text in house.fitness))
    await house.until(lambda: house.fitness[-1] == ("fit", "") and house.copied() == 8)


async def test_a_copy_set_back_as_its_table_ends_is_whole_when_it_has_ended(house: House) -> None:
    house.retry = 3600.0
    await set_back(house)
    await house.close()
    assert (house.copied(), run(verify.command, house.copy)[0]) == (8, 0)


@pytest.mark.parametrize("change", [Path.unlink, lambda path: os.truncate(path, 400)], ids=["removed", "cut short"])
async def test_a_full_segment_that_is_changed_is_reported_and_written_anew(
    house: House, change: Callable[[Path], None]
) -> None:
    await house.played(30)
    begin_another(house, 2)
    await house.open()
    await house.commit(3)
    await house.until(lambda: house.copied() == 33 and house.fitness[-1] == ("fit", ""))
    change(segments(house)[0])
    await house.until(lambda: any("3-00000001.segment: " in text for _, text in house.fitness))
    await house.until(lambda: house.fitness[-1] == ("fit", "") and house.copied() == 33)
    assert run(verify.command, house.copy)[0] == 0
    assert len(segments(house)) == 2


async def test_a_link_where_a_segment_is_made_leads_nobody_to_the_journal(house: House) -> None:
    """Made on the copy's device while it was elsewhere, by somebody who may not write to the journal's."""
    await house.played(5)
    before = house.journal.read_bytes()
    (segment,) = segments(house)
    segment.unlink()
    (house.copy / f"{HERE.epoch}-00000001.segment.part").symlink_to(house.journal)
    await house.open()
    await house.until(lambda: house.copied() == 5)
    await house.close()
    assert house.journal.read_bytes()[: len(before) // 2] == before[: len(before) // 2]
    assert verify_journal(house.journal).records == 5


async def test_nor_does_a_pipe_there_keep_the_copy_waiting(house: House) -> None:
    os.mkfifo(house.copy / f"{HERE.epoch}-00000001.segment.part")
    await house.open()
    await house.commit(2)
    await house.until(lambda: house.copied() == 2)


async def test_a_link_that_leads_nowhere_beside_the_segments_keeps_no_journal_from_being_held_against_them(
    house: House,
) -> None:
    await house.played(5)
    older_journal = house.journal.read_bytes()
    await house.played(5)
    house.journal.write_bytes(older_journal)
    house.journal.with_name("journal.sqlite-head").unlink()
    (house.copy / "nowhere").symlink_to("nothing")
    with pytest.raises(JournalDamaged, match="ends with record 5, and its second copy with record 10"):
        await house.open()


@pytest.mark.parametrize("restarted", [False, True])
async def test_a_copy_emptied_as_it_is_written_to_is_reported_and_whole_again(house: House, *, restarted: bool) -> None:
    """What is written then lies where the file ends, so that it is shorter than it was left."""
    await house.open()
    await house.commit(3)
    await house.until(lambda: house.copied() == 3)
    if restarted:
        await house.close()
        house.fitness.clear()
        await house.open()
        await house.until(lambda: bool(house.fitness) and house.fitness[-1] == ("fit", ""))
    house.device.meanwhile = lambda: emptied(house)
    await house.commit(2)
    await house.until(lambda: "warned" in [level for level, _ in house.fitness])
    await house.until(lambda: house.copied() == 5 and house.fitness[-1] == ("fit", ""))
