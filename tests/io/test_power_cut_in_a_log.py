"""A power cut in the middle of a commit, in a write-ahead log that has begun anew over the frames of the one before."""

from __future__ import annotations

import random
import shutil
from pathlib import Path

import pytest

from controller.formats.journal.records import Identity
from controller.formats.journal.wal import FRAME_BYTES, WAL_HEADER_BYTES, wal_damage
from controller.io.journal.journal import Journal
from controller.io.journal.reader import JournalEntry
from controller.io.journal.scrub import before_start
from tests.journal_key import KEY

HERE = Identity("harbour", "bj-1", 3)

FULL = 200
"""Commits of many pages after which the log has begun anew at least once."""


def frames(log: bytes) -> list[bytes]:
    return [log[at : at + FRAME_BYTES] for at in range(WAL_HEADER_BYTES, len(log), FRAME_BYTES)]


def salts(log: bytes) -> set[bytes]:
    return {frame[8:16] for frame in frames(log)}


async def around_a_commit(directory: Path) -> tuple[dict[str, bytes], dict[str, bytes]]:
    """The files before a commit and after it; the log holds frames of two generations."""
    path = directory / "running.sqlite"
    journal = await Journal.open(path, HERE, key=KEY)

    async def commit(*, is_last: bool = False) -> None:
        number = journal.head.number + 1
        chance = random.Random(number)
        body = chance.randbytes(20_000 if is_last else chance.randint(1, 30) * 1000)
        await journal.commit([JournalEntry(number, body, ((number, b"event"),))])

    def files() -> dict[str, bytes]:
        return {suffix: Path(f"{path}{suffix}").read_bytes() for suffix in ("", "-wal", "-head")}

    for _ in range(FULL):
        await commit()
    before = files()
    await commit(is_last=True)
    after = files()
    await journal.close()
    assert len(salts(before["-wal"])) == 2
    return before, after


def lay(folder: Path, files: dict[str, bytes]) -> Path:
    """Write a journal and what lies beside it; where it is."""
    path = folder / "journal.sqlite"
    for suffix, data in files.items():
        Path(f"{path}{suffix}").write_bytes(data)
    return path


def cut(before: bytes, after: bytes, chance: random.Random) -> bytes:
    """A log of which some pages of the last commit reached the disk."""
    pages = [before[at : at + 4096] for at in range(0, len(before), 4096)]
    whole = [after[at : at + 4096] for at in range(0, len(after), 4096)]
    old = [*pages, *[bytes(4096)] * (len(whole) - len(pages))]
    return b"".join(chance.choice(pair) for pair in zip(old, whole, strict=True))[: len(after)]


async def test_what_a_cut_leaves_of_a_commit_is_not_damage_whatever_lay_there_before(tmp_path: Path) -> None:
    before, after = await around_a_commit(tmp_path)
    chance = random.Random(1)
    left = [cut(before["-wal"], after["-wal"], chance) for _ in range(300)]
    assert [wal_damage(one) for one in left] == [None] * len(left)
    assert len(set(left)) > 100
    for number, log in enumerate(left[:12]):
        folder = tmp_path / f"cut-{number}"
        folder.mkdir()
        path = lay(folder, before | {"-wal": log})
        before_start(path)
        journal = await Journal.open(path, HERE, key=KEY)
        assert journal.head.number in {FULL, FULL + 1}
        await journal.close()
        shutil.rmtree(folder)


@pytest.mark.parametrize("damaged", [0, 8, 16, 24, 2000])
async def test_a_frame_that_was_synced_and_is_another_now_is_damage_in_any_generation(
    tmp_path: Path, damaged: int
) -> None:
    _, after = await around_a_commit(tmp_path)
    log = bytearray(after["-wal"])
    own = log[16:24]
    sound = [place for place, frame in enumerate(frames(bytes(log))) if frame[8:16] == own]
    commits = [place for place in sound if frames(bytes(log))[place][4:8] != bytes(4)]
    for place in (commits[-2] - 1, commits[-2] - 3, sound[0]):
        flipped = bytearray(log)
        flipped[WAL_HEADER_BYTES + place * FRAME_BYTES + damaged] ^= 0x10
        assert "what follows is lost" in str(wal_damage(bytes(flipped))), (place, damaged)
