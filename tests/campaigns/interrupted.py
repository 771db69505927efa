"""What looks after a journal is killed, starved or kept waiting: nothing of that is damage, and the next try succeeds.

    python -m tests.campaigns.interrupted

A backup, a restore from it and a restore from a second copy's folder are killed at the first, second, ... of each of
their system calls on their files, until a run passes; then they are run again. The look that a running table takes of
its journal is given too little memory, or is killed. A disk keeps a commit waiting for longer than anybody waits for
it, and the program is asked to stop. What must hold: the same command, run again, does what it should, and the journal
then has every record; no look says that a sound journal is damaged; a program whose disk does not answer says so and
ends with status 70, and the next start finds everything that was acknowledged.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Final, NamedTuple

from controller.io.journal.scrub import Scrub
from controller.io.journal.verification import verify
from tests.campaigns.io import is_able, judge, lines_of
from tests.io.second_copy_rig import House

CALLS: Final = ("openat", "pwrite64", "write", "fdatasync", "fsync", "ftruncate", "rename", "link", "unlink")
"""By which a file is made, filled, kept, named and dropped."""

WORKS: Final = ("backup", "restore", "restore-folder")
MOST: Final = 1000
RECORDS: Final = 30
SUFFIXES: Final = tuple(f"{part}{beside}" for part in ("", ".part") for beside in ("", "-wal", "-shm", "-head"))

MEMORY_KIB: Final = (5_000, 90_000)
"""What a look may have: from less than any program of ours begins with to nearly what one takes."""

KILLED_S: Final = (0.05, 1.0)
HANG_S: Final = 2.5
PATIENCE_S: Final = 0.5
STORAGE_FAILED: Final = 70
HANGS: Final = 5
"""Syncs of a worker's commits, each of which is kept waiting in its turn."""


class Kept(NamedTuple):
    """A journal, its second copy, a backup of it, and the key."""

    journal: Path
    folder: Path
    backup: Path
    key: tuple[str, ...]


def kept(directory: Path) -> Kept:
    """A table that ran for a while."""
    house = House(directory)
    asyncio.run(house.played(RECORDS))
    backup = directory / "backup.sqlite"
    subprocess.run(words(("backup", str(house.journal), str(backup))), check=True, capture_output=True)
    return Kept(house.journal, house.copy, backup, house.with_key)


def words(given: tuple[str, ...]) -> list[str]:
    return [sys.executable, "-m", "controller", *given]


def command(work: str, of: Kept, target: Path) -> list[str]:
    """What is run; what comes of it is at ``target``."""
    match work:
        case "backup":
            return words((work, str(of.journal), str(target)))
        case "restore":
            return words((work, str(of.backup), str(target), *of.key))
        case _:
            return words(("restore", str(of.folder), str(target), *of.key))


def killed(work: str, call: str, number: int, of: Kept, directory: Path) -> tuple[bool, str]:
    """Kill it at that call, and run it again: whether it came so far, and what was wrong."""
    target, trace = directory / "journal.sqlite", directory / "trace"
    paths = [word for suffix in SUFFIXES for word in ("-P", f"{target}{suffix}")]
    inject = f"inject={call}:signal=KILL:when={number}"
    strace = ["strace", "-f", "-qq", "-o", str(trace), *paths, "-e", f"trace={call}", "-e", inject]
    first = subprocess.run([*strace, *command(work, of, target)], check=False, capture_output=True, timeout=120)
    was_hit = "KILL" in trace.read_text(errors="replace")
    if not was_hit:
        return False, "" if first.returncode == 0 else f"not killed, and ended with status {first.returncode}"
    again = subprocess.run(command(work, of, target), check=False, capture_output=True, text=True, timeout=120)
    if again.returncode and not (again.returncode == 2 and "already" in again.stderr):
        return True, f"run again, it ends with status {again.returncode}: {again.stderr[-300:]}"
    found, wanted = verify(target), verify(of.journal)
    if found.damage is not None:
        return True, f"damaged: {found.damage}"
    if found.records != wanted.records:
        return True, f"{found.records} records of {wanted.records}"
    return True, ""


def starved(chance: random.Random, of: Kept) -> str:
    """A look with too little memory, or killed; what was wrong with what it came to."""
    look = f"exec {sys.executable} -m controller verify --gently {of.journal}"
    limit = chance.choice(
        (f"ulimit -v {chance.randrange(*MEMORY_KIB)}; ", f"timeout -s KILL {chance.uniform(*KILLED_S):.2f} ")
    )
    text = limit + (look if limit.startswith("ulimit") else look.removeprefix("exec "))
    found = asyncio.run(Scrub(of.journal, is_due=True, command=("sh", "-c", text)).check())
    return f"{limit}: {found.damage}" if found.damage else ""


def hung(number: int, directory: Path) -> str:
    """A sync is kept waiting, and nobody waits for it; what was wrong."""
    path, trace = directory / "journal.sqlite", directory / "trace"
    worker = [sys.executable, "-m", "tests.campaigns.io_worker", str(path), "--patience", str(PATIENCE_S)]
    inject = f"inject=fdatasync:delay_enter={round(1e6 * HANG_S)}:when={number}"
    strace = ["strace", "-f", "-qq", "-o", str(trace), "-P", str(path), "-P", f"{path}-wal", "-P", f"{path}-head"]
    ended = subprocess.run(
        [*strace, "-e", "trace=fdatasync", "-e", inject, *worker],
        check=False,
        capture_output=True,
        text=True,
        timeout=120,
    )
    # What strace says of itself is not the worker's.
    own = "\n".join(line for line in ended.stderr.splitlines() if not line.startswith("strace: "))
    ended = subprocess.CompletedProcess(ended.args, ended.returncode, ended.stdout, own)
    if ended.returncode != STORAGE_FAILED:
        return f"status {ended.returncode} of a disk that does not answer"
    return judge(path, lines_of(ended.stdout.splitlines()), ended)


def campaign(
    looks: int, seed: int, works: tuple[str, ...] = WORKS, calls: tuple[str, ...] = CALLS, most: int = MOST
) -> tuple[int, list[str]]:
    """All of it; how many were interrupted, and what was wrong."""
    chance, interrupted, wrong = random.Random(seed), 0, list[str]()

    def note(what: str, fault: str) -> None:
        if fault:
            wrong.append(f"{what}: {fault}")
            print(wrong[-1], flush=True)

    with tempfile.TemporaryDirectory(prefix="tableside-interrupted-") as place:
        of = kept(Path(place))
        for work, call in itertools.product(works, calls):
            for number in range(1, most):
                with tempfile.TemporaryDirectory(prefix="tableside-interrupted-") as directory:
                    was_hit, fault = killed(work, call, number, of, Path(directory))
                note(f"{work} killed at {call} {number}", fault)
                if not was_hit:
                    break
                interrupted += 1
        for _ in range(looks):
            note("a look", starved(chance, of))
    syncs = range(1, min(most, HANGS + 1))
    for number in syncs:
        with tempfile.TemporaryDirectory(prefix="tableside-interrupted-") as directory:
            note(f"sync {number} hangs", hung(number, Path(directory)))
    return interrupted + looks + len(syncs), wrong


def main() -> int:
    """See the module."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--looks", type=int, default=60)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    if unable := is_able():
        sys.exit(unable)
    began = time.monotonic()
    interrupted, wrong = campaign(given.looks, given.seed)
    print(f"{interrupted} interruptions, {len(wrong)} faults; {time.monotonic() - began:.0f} s")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
