"""Standard output that takes no more is no verdict on a table, and no fault of a broker."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import IO

import pytest

from tests.core.journals import journal_of
from tests.core.rig import Rig, penn

FULL = "tableside: standard output: No space left on device\n"


@pytest.fixture(scope="module")
def journal(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return journal_of(Rig(penn()), tmp_path_factory.mktemp("lost output") / "journal.sqlite")


def status_of(out: int | IO[bytes], *words: object) -> tuple[int, str]:
    """How a command ends whose standard output is ``out``, and what it says on standard error."""
    command = [sys.executable, "-m", "controller", *map(str, words)]
    done = subprocess.run(command, stdout=out, stderr=subprocess.PIPE, text=True, check=False)
    return done.returncode, done.stderr


@pytest.mark.parametrize("words", [("verify",), ("alerts", "--all"), ("rounds",), ("export", "--events")])
def test_a_full_disk_is_said(words: tuple[str, ...], journal: Path) -> None:
    with Path("/dev/full").open("wb") as full:
        assert status_of(full, *words, journal) == (2, FULL)


@pytest.mark.parametrize("words", [("verify",), ("alerts", "--all"), ("rounds",), ("export", "--events")])
def test_a_reader_that_has_read_enough_is_told_nothing(words: tuple[str, ...], journal: Path) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    try:
        assert status_of(writing, *words, journal) == (2, "")
    finally:
        os.close(writing)


def test_a_profile_on_a_full_disk(tmp_path: Path) -> None:
    with Path("/dev/full").open("wb") as full:
        assert status_of(full, "profile", "list") == (2, FULL)
    (tmp_path / "file").write_text("here")
    message = f"tableside: {tmp_path / 'file' / 'schemas'}: cannot be written: Not a directory\n"
    assert status_of(subprocess.DEVNULL, "schemas", tmp_path / "file" / "schemas") == (2, message)
