"""Commits to a journal and says what was acknowledged, one line each: what ``tests.campaigns.io`` lets fail.

    python -m tests.campaigns.io_worker JOURNAL [--patience SECONDS] [--copy]

``--copy``: a second copy follows it, in a folder beside the journal.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import os
import sys
from pathlib import Path

from controller.formats.journal.records import Identity, chain, seal_checkpoint
from controller.io.copies.second_copy import CopyPlace, SecondCopy, compared
from controller.io.journal.errors import JournalDamaged, JournalFailed, NotAJournal
from controller.io.journal.journal import CLOSE_SECONDS, Journal
from controller.io.journal.reader import JournalEntry
from controller.io.journal.scrub import before_start
from controller.io.journal.setup import is_blank
from controller.io.system.clock import SystemClock
from tests.campaigns.second_copies import place_inside
from tests.journal_key import KEY

COMMITS = 5
EPOCH = 3
RETRY_S = 0.05


async def work(path: Path, patience_s: float | None, *, is_copied: bool) -> None:
    """What a daemon does with its journal between a start and a stop.

    ``patience_s``: it is asked to stop once the disk has not answered for so long, and waits as long for its end.
    """
    place = place_inside(path.parent, RETRY_S) if is_copied else None
    await asyncio.to_thread(_look, path, place)
    journal = await Journal.open(
        path, Identity("harbour", "bj-1", EPOCH), created_wall_ns=1, key=KEY, close_seconds=patience_s or CLOSE_SECONDS
    )
    second = None if place is None else SecondCopy(place, journal, SystemClock())
    if second is not None:
        second.start()
    with contextlib.suppress(TimeoutError):
        await commits(journal, patience_s)
    if second is not None:
        await second.close()
    await journal.close()


def _look(path: Path, place: CopyPlace | None) -> None:
    before_start(path)
    if place is not None and path.is_file() and not is_blank(path):
        compared(place, path, KEY)


async def commits(journal: Journal, patience_s: float | None) -> None:
    """Some of them, each acknowledged.

    Raises:
        TimeoutError: the disk has not answered in time.
    """
    for _ in range(COMMITS):
        head = journal.head
        events = ((head.seq + 1, b"event %d" % (head.seq + 1)),)
        number, body = head.number + 1, os.urandom(1500)
        hashed = chain(head.hash, number, body, [event for _, event in events])
        checkpoint = seal_checkpoint(bytes(5000), KEY, number, hashed) if number % 4 == 0 else None
        async with asyncio.timeout(patience_s):
            await journal.commit([JournalEntry(number, body, events, checkpoint)])
        print(journal.head.number, journal.head.hash.hex(), flush=True)
        async with asyncio.timeout(patience_s):
            await journal.mark_published(journal.head.seq)
    await journal.note_ack("surveillance", journal.head.seq)


def main() -> None:
    """As ``tableside run`` ends: 0, 2 for a journal that cannot be used, 70 for a disk that failed, one line each."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("journal", type=Path)
    parser.add_argument("--patience", type=float)
    parser.add_argument("--copy", action="store_true")
    given = parser.parse_args()
    try:
        asyncio.run(work(given.journal, given.patience, is_copied=given.copy))
    except JournalFailed as error:
        print(error, file=sys.stderr, flush=True)
        os._exit(70)
    except (JournalDamaged, NotAJournal, OSError) as error:
        print(error, file=sys.stderr, flush=True)
        os._exit(2)


if __name__ == "__main__":
    main()
