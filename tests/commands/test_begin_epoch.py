"""What two people read who begin a journal anew: what the old one still owes to pools."""

from __future__ import annotations

from pathlib import Path

from controller.commands.begin_epoch import owed
from controller.core.messages.pool_events import ContributionPosted, MeterLinked, PoolEntryRecorded
from controller.formats.journal.records import Identity
from controller.formats.replay import payloads
from controller.io.journal.journal import Journal
from controller.io.journal.reader import JournalEntry
from tests.journal_key import KEY

HERE = Identity("harbour", "bj-1", 3)


async def test_what_an_old_journal_still_owes_to_a_pool_is_named(tmp_path: Path) -> None:
    path = tmp_path / "journal.sqlite"
    events = (
        MeterLinked("pit_sevens", "pit-1"),
        ContributionPosted("pit_sevens", 1, 1, 3, "blazing7s", 500),
        ContributionPosted("pit_sevens", 2, 1, 4, "blazing7s", 500),
        PoolEntryRecorded("pit_sevens", 1, 9, 850_000, 150_000, 1_000_085),
    )
    journal = await Journal.open(path, HERE, key=KEY)
    try:
        numbered = tuple(enumerate(payloads(events, HERE, 0, 0), start=1))
        await journal.commit([JournalEntry(1, b"record", numbered)])
    finally:
        await journal.close()
    (line,) = owed(path)
    assert line.startswith(f"{path}: pool pit-1 has not answered postings 2; ")


def test_an_old_journal_that_cannot_be_read_is_said_so(tmp_path: Path) -> None:
    nothing = tmp_path / "nothing.sqlite"
    assert owed(nothing)[0].startswith(f"{nothing}: what it owes to pools cannot be read")
