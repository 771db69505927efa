"""The N-th write, sync, truncation, removal or opening of the journal's files fails, N = 1, 2, ... until a run passes.

    python -m tests.campaigns.io

strace makes the system call itself fail, so that SQLite, the head file and all of ours see what they would of a disk
that fails. What must hold of every run: it ends in good order or with status 2 or 70 and one line; the next start finds
the journal whole, with every record that was acknowledged, as it was. A second copy follows the journal; its own disk
fails in its turn, which must not end the run; after the next start the copy is whole and has every record.
"""

from __future__ import annotations

import argparse
import itertools
import json
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final, NamedTuple

from controller.io.copies.segment_folder import segment_path
from controller.io.copies.segment_writer import PART
from controller.io.journal.errors import JournalDamaged, NotAJournal
from controller.io.journal.reader import JournalReader
from controller.io.journal.verification import verify
from tests.campaigns.io_worker import EPOCH
from tests.campaigns.second_copies import FOLDER, copy_fault
from tests.journal_key import KEY

FAULTS: Final = (
    ("pwrite64", "EIO"),
    ("pwrite64", "ENOSPC"),
    ("fdatasync", "EIO"),
    ("fsync", "EIO"),
    ("ftruncate", "EIO"),
    ("unlink", "EIO"),
    ("openat", "EIO"),
    ("openat", "EACCES"),
    ("fallocate", "ENOSPC"),
    ("pread64", "EIO"),
)
"""System calls by which SQLite and we change or read a journal, and how each may fail."""

COPY_FAULTS: Final = (
    ("write", "EIO"),
    ("write", "ENOSPC"),
    ("fdatasync", "EIO"),
    ("fsync", "EIO"),
    ("ftruncate", "EIO"),
    ("rename", "EIO"),
    ("openat", "EIO"),
    ("openat", "EACCES"),
    ("read", "EIO"),
)
"""As ``FAULTS``, of the second copy's segments and folder."""

BESIDE: Final = ("", "-wal", "-shm", "-head")
SEGMENTS: Final = tuple(f"{segment_path(Path(FOLDER), EPOCH, number)}{end}" for number in (1, 2) for end in ("", PART))
"""The files of the second copy that a run is long enough to write."""

MOST: Final = 10_000
BEGUN: Final = (False, True)
"""Whether the run begins the journal, or goes on with one that a killed run left with its log."""


class Fault(NamedTuple):
    """One failure."""

    call: str
    error: str
    number: int
    is_begun: bool
    is_of_copy: bool = False
    """Whether it is the second copy's disk that fails."""


class Ending(NamedTuple):
    """How a run ended. ``wrong`` is empty where nothing was."""

    was_hit: bool
    status: int
    wrong: str


def is_able() -> str:
    """Why this machine cannot let system calls fail; empty if it can."""
    if shutil.which("strace") is None:
        return "strace is not installed"
    tried = subprocess.run(
        ["strace", "-qq", "-o", "/dev/null", "-e", "trace=none", "true"], check=False, capture_output=True
    )
    return "" if tried.returncode == 0 else "strace may not trace here: " + tried.stderr.decode().strip()


def worker(path: Path) -> list[str]:
    return [sys.executable, "-m", "tests.campaigns.io_worker", str(path), "--copy"]


def run(fault: Fault, directory: Path) -> Ending:
    """One run with one failure, and the start after it."""
    path = directory / "journal.sqlite"
    acknowledged: dict[int, str] = {}
    if fault.is_begun:
        # Killed, so that its log is there to be taken up.
        with subprocess.Popen(worker(path), stdout=subprocess.PIPE, text=True) as first:
            assert first.stdout is not None
            acknowledged |= lines_of([first.stdout.readline() for _ in range(4)])
            first.kill()
            acknowledged |= lines_of(first.stdout.read().splitlines())
    trace = directory / "trace"
    own = [f"{path}{suffix}" for suffix in BESIDE]
    copied = [str(directory / name) for name in (FOLDER, *SEGMENTS)]
    paths = [word for name in (copied if fault.is_of_copy else own) for word in ("-P", name)]
    inject = f"inject={fault.call}:error={fault.error}:when={fault.number}"
    command = [
        "strace",
        "-f",
        "-qq",
        "-o",
        str(trace),
        *paths,
        "-e",
        f"trace={fault.call}",
        "-e",
        inject,
        *worker(path),
    ]
    ended = subprocess.run(command, check=False, capture_output=True, text=True, timeout=120)
    acknowledged |= lines_of(ended.stdout.splitlines())
    was_hit = "(INJECTED)" in trace.read_text(errors="replace")
    if fault.is_of_copy and ended.returncode:
        return Ending(was_hit, ended.returncode, f"ended by its second copy: {ended.stderr[-300:]}")
    return Ending(was_hit, ended.returncode, judge(path, acknowledged, ended))


def lines_of(lines: Iterable[str]) -> dict[int, str]:
    """The records acknowledged, and their hashes; a last line cut off by a kill is none."""
    words = [line.split() for line in lines]
    return {int(pair[0]): pair[1] for pair in words if len(pair) == 2 and len(pair[1]) == 64}


def judge(path: Path, acknowledged: dict[int, str], ended: subprocess.CompletedProcess[str]) -> str:
    """What was wrong with how a worker ended, or with what the next start finds; empty: nothing."""
    if ended.returncode not in {0, 2, 70}:
        return f"status {ended.returncode}: {ended.stderr[-300:]}"
    if ended.returncode and len(ended.stderr.splitlines()) != 1:
        return f"not one line: {ended.stderr[-300:]}"
    if ended.returncode == 0 and ended.stderr:
        return f"said: {ended.stderr[-300:]}"
    again = subprocess.run(worker(path), check=False, capture_output=True, text=True, timeout=120)
    if again.returncode:
        return f"the next start ends with status {again.returncode}: {again.stderr[-300:]}"
    try:
        report = verify(path)
        if report.damage is not None:
            return f"damaged: {report.damage}"
        lacking = copy_fault(path.parent / FOLDER, report, KEY)
        if lacking:
            return lacking
        with JournalReader(path) as reader:
            lost = [number for number, own in acknowledged.items() if reader.hash_of(number).hex() != own]
    except (JournalDamaged, NotAJournal) as error:
        return str(error)
    return f"records {lost} are not what was acknowledged" if lost else ""


def all_faults() -> Iterator[Iterator[Fault]]:
    """For each way to fail: its first time, its second, and so on."""
    for is_of_copy in (False, True):
        for is_begun in BEGUN:
            for call, error in COPY_FAULTS if is_of_copy else FAULTS:
                yield (Fault(call, error, number, is_begun, is_of_copy) for number in range(1, MOST))


def campaign(part: int, parts: int) -> tuple[int, dict[str, int], list[str]]:
    """Every failure until a run passes untouched; runs hit, how they ended, and what was wrong."""
    hits, endings, wrong = 0, dict[str, int](), list[str]()
    for faults in itertools.islice(all_faults(), part, None, parts):
        for fault in faults:
            with tempfile.TemporaryDirectory(prefix="tableside-io-") as directory:
                ending = run(fault, Path(directory))
            if ending.wrong:
                wrong.append(f"{fault}: {ending.wrong}")
                print(wrong[-1], flush=True)
            if not ending.was_hit:
                print(json.dumps({**fault._asdict(), "passed_at": fault.number}), flush=True)
                break
            hits += 1
            name = f"{fault.call} {fault.error} -> {ending.status}"
            endings[name] = endings.get(name, 0) + 1
    return hits, endings, wrong


def sample(count: int, seed: int) -> list[Fault]:
    """A few failures chosen by chance, among the first of each kind."""
    chance = random.Random(seed)
    kinds = [(call, error) for call, error in FAULTS if call in {"pwrite64", "fdatasync", "openat", "pread64"}]
    own = [Fault(*chance.choice(kinds), chance.randrange(1, 30), chance.choice(BEGUN)) for _ in range(count)]
    return [*own, *(Fault(*one, chance.randrange(1, 4), chance.choice(BEGUN), True) for one in COPY_FAULTS[::3])]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--part", type=int, default=0, help="which of the parts, from 0")
    parser.add_argument("--parts", type=int, default=1, help="so many processes share the work")
    given = parser.parse_args()
    unable = is_able()
    if unable:
        sys.exit(unable)
    began = time.monotonic()
    hits, endings, wrong = campaign(given.part, given.parts)
    print(json.dumps(endings, indent=1))
    print(f"{hits} failures in {time.monotonic() - began:.0f} s, {len(wrong)} wrong endings")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
