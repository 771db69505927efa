"""An acknowledgement of an event far from every mark: it is checked in pieces, and a commit goes in between."""

from __future__ import annotations

import asyncio
from pathlib import Path

from controller.formats.journal.stream import stream_genesis, stream_hash
from controller.io.journal.journal import Journal
from controller.io.journal.reader import JournalEntry
from controller.io.journal.stream import HASHED_AT_ONCE
from tests.io.stream_rig import HERE
from tests.journal_key import KEY

EVENTS = 5 * HASHED_AT_ONCE


async def test_a_commit_does_not_wait_for_the_hash_of_every_event_before(tmp_path: Path) -> None:
    journal = await Journal.open(tmp_path / "journal.sqlite", HERE, key=KEY)
    bodies = [b'{"seq":%d}' % seq for seq in range(1, EVENTS + 1)]
    await journal.commit([JournalEntry(1, b"record", tuple(enumerate(bodies, start=1)))])
    done: list[str] = []

    async def acknowledged() -> bytes:
        hashed = await journal.stream_at(EVENTS)
        done.append("acknowledgement")
        return hashed

    checking = asyncio.create_task(acknowledged())
    await asyncio.sleep(0)
    await journal.commit([JournalEntry(2, b"record")])
    done.append("commit")
    expected = stream_genesis(HERE)
    for body in bodies:
        expected = stream_hash(expected, body)
    assert await checking == expected
    assert done == ["commit", "acknowledgement"]
    await journal.close()
