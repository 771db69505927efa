"""Commits to a journal and says what was acknowledged, one line each: what ``tests.campaigns.io`` lets fail."""

from __future__ import annotations

import asyncio
import contextlib
import os
import sys
from pathlib import Path

from controller.formats.journal.records import Identity
from controller.io.journal.journal import CLOSE_SECONDS, Entry, Journal, JournalDamaged, JournalFailed, NotAJournal
from controller.io.journal.scrub import before_start
from tests.journal_key import KEY

COMMITS = 5


async def work(path: Path, patience_s: float | None = None) -> None:
    """What a daemon does with its journal between a start and a stop.

    ``patience_s``: it is told to stop once the disk has not answered for so long, and waits as long for its end.
    """
    await asyncio.to_thread(before_start, path)
    journal = await Journal.open(
        path, Identity("harbour", "bj-1", 3), created_wall_ns=1, key=KEY, close_seconds=patience_s or CLOSE_SECONDS
    )
    with contextlib.suppress(TimeoutError):
        await commits(journal, patience_s)
    await journal.close()


async def commits(journal: Journal, patience_s: float | None) -> None:
    """Some of them, each acknowledged.

    Raises:
        TimeoutError: the disk has not answered in time.
    """
    for _ in range(COMMITS):
        head = journal.head
        events = ((head.seq + 1, b"event %d" % (head.seq + 1)),)
        checkpoint = bytes(5000) if head.number % 4 == 3 else None
        async with asyncio.timeout(patience_s):
            await journal.commit([Entry(head.number + 1, os.urandom(1500), events, checkpoint)])
        print(journal.head.number, journal.head.hash.hex(), flush=True)
        async with asyncio.timeout(patience_s):
            await journal.mark_published(journal.head.seq)
    await journal.note_ack("surveillance", journal.head.seq)


def main() -> None:
    """As ``tableside run`` ends: 0, 2 for a journal that cannot be used, 70 for a disk that failed, one line each."""
    try:
        asyncio.run(work(Path(sys.argv[1]), *map(float, sys.argv[2:])))
    except JournalFailed as error:
        print(error, file=sys.stderr, flush=True)
        os._exit(70)
    except (JournalDamaged, NotAJournal, OSError) as error:
        print(error, file=sys.stderr, flush=True)
        os._exit(2)


if __name__ == "__main__":
    main()
