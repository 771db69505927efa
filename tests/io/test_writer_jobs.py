"""How a commit's answer comes to the loop: at once where the disk is quick, and never by holding the loop for long."""

from __future__ import annotations

import asyncio
import itertools
import os
import threading
from pathlib import Path

import pytest

from controller.formats.journal.records import Identity
from controller.io.journal.errors import JournalFailed
from controller.io.journal.journal import Journal
from controller.io.journal.reader import JournalEntry, JournalReader
from controller.io.journal.space_reserve import SpaceReserve
from controller.io.journal.writer_jobs import QUICK_STREAK, WAIT_SECONDS, Job, JobQueue, Patience, SharedWork
from tests.journal_key import KEY

HERE = Identity("harbour", "bj-1", 3)
LONG_SECONDS = 60.0


async def test_an_answer_in_time_needs_no_turn_of_the_loop() -> None:
    job = Job(lambda _: None, asyncio.get_running_loop())
    job.stand_by()
    writer = threading.Thread(target=job.answer, args=("durable", None))
    writer.start()
    assert job.wait(LONG_SECONDS)
    assert job.done.result() == "durable"
    writer.join()


async def test_an_answer_that_is_late_wakes_the_loop() -> None:
    job = Job(lambda _: None, asyncio.get_running_loop())
    job.stand_by()
    assert not job.wait(0.001)
    assert not job.done.done()
    writer = threading.Thread(target=job.answer, args=(None, JournalFailed("the disk refused")))
    writer.start()
    with pytest.raises(JournalFailed, match="refused"):
        await job.done
    writer.join()


async def test_every_job_reaches_the_writer_in_order_and_a_full_queue_says_so() -> None:
    queue, loop, took = JobQueue(1000), asyncio.get_running_loop(), list[Job | None]()
    jobs: list[Job] = [Job(lambda _: None, loop) for _ in range(1000)]

    def write() -> None:
        while not took or took[-1] is not None:
            took.extend(queue.take(7))

    for job in jobs:
        assert not queue.is_full()
        queue.put(job)
    assert queue.is_full()
    writer = threading.Thread(target=write)
    writer.start()
    more = [Job(lambda _: None, loop) for _ in range(5000)]
    for job in more:
        queue.put(job)
    queue.put(None)
    await asyncio.to_thread(writer.join, LONG_SECONDS)
    assert took == [*jobs, *more, None]


def test_what_two_threads_want_is_worked_out_once_and_the_later_one_waits_for_it() -> None:
    begun, go_on, worked, found = threading.Event(), threading.Event(), list[int](), list[int]()

    def work() -> int:
        worked.append(1)
        begun.set()
        assert go_on.wait(LONG_SECONDS)
        return 7

    shared = SharedWork(work)
    threads = [threading.Thread(target=lambda: found.append(shared.result())) for _ in range(2)]
    for thread in threads:
        thread.start()
    assert begun.wait(LONG_SECONDS)
    assert found == []
    go_on.set()
    for thread in threads:
        thread.join()
    assert (worked, found, shared.result()) == ([1], [7, 7], 7)


def test_a_slow_commit_costs_the_patience_for_the_next_ones() -> None:
    patience = Patience()
    for _ in range(QUICK_STREAK):
        assert not patience.has()
        patience.note(0.001)
    assert patience.has()
    patience.note(WAIT_SECONDS)
    assert not patience.has()


class Disk:
    """A disk that hangs from one look at it to the moment it is let go."""

    def __init__(self) -> None:
        self.free = threading.Event()
        self.free.set()
        self.hangs = threading.Event()

    def stat(self, path: Path) -> os.statvfs_result:
        if not self.free.is_set():
            self.hangs.set()
            assert self.free.wait(LONG_SECONDS)
        return os.statvfs(path)


async def test_a_disk_that_hangs_holds_the_loop_for_a_moment_only(tmp_path: Path) -> None:
    disk, seconds = Disk(), itertools.count()
    reserve = SpaceReserve(tmp_path / "journal.sqlite", 1, disk.stat, lambda: float(next(seconds)))
    journal = await Journal.open(tmp_path / "journal.sqlite", HERE, key=KEY, reserve=reserve)
    # The machine may be busy; sooner or later so many in a row are quick.
    async with asyncio.timeout(LONG_SECONDS):
        while not await is_at_once(journal):
            pass
    last = journal.head.number
    disk.free.clear()
    done = journal.begin_commit([JournalEntry(last + 1, b"slow")])
    assert not done.done()
    assert await asyncio.to_thread(disk.hangs.wait, LONG_SECONDS)
    behind = journal.begin_commit([JournalEntry(last + 2, b"behind it")])
    assert not behind.done()
    disk.free.set()
    await done
    await behind
    await journal.close()
    with JournalReader(tmp_path / "journal.sqlite") as reader:
        assert reader.head().number == last + 2


async def is_at_once(journal: Journal) -> bool:
    """Whether a commit is durable as it returns."""
    done = journal.begin_commit([JournalEntry(journal.head.number + 1, b"quick")])
    is_done = done.done()
    await done
    await asyncio.sleep(0)
    return is_done
