"""Whatever a person names instead of a file is refused in one line, at once, and without filling memory."""

from __future__ import annotations

import asyncio
import os
import re
import socket
import tracemalloc
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import click
import pytest
from click.testing import CliRunner

from controller.cli import main
from controller.commands.web import tls_of
from controller.io.files.key_file import create_key
from controller.io.files.plain_files import (
    FILE_LIMIT_BYTES,
    FileRefused,
    content,
    lines,
    opened,
    ordinary,
    text_content,
)
from controller.io.journal.append import prepare
from controller.io.journal.commit_marker import path_of
from controller.io.journal.errors import JournalFailed
from controller.io.mqtt.connection import Broker
from controller.io.operators.certificates import make_authority, paths
from controller.io.system.randomness import SystemEntropy
from tests.io.test_journal import write

HUGE_BYTES: Final = 10 * 1024**3
MEMORY_LIMIT_BYTES: Final = 64 * 1024 * 1024

COMMANDS: Final[dict[str, tuple[str, ...]]] = {
    "alerts": ("alerts", "FILE"),
    "backup": ("backup", "FILE", "COPY"),
    "begin-epoch": ("begin-epoch", "FILE", "--operator-key", "FILE", "--why", "lost"),
    "check": ("check", "FILE"),
    "export": ("export", "--events", "FILE"),
    "link": ("link", "run", "FILE"),
    "meters": ("meters", "FILE"),
    "mystery begin": ("mystery", "begin", "FILE", "--operations", "FILE", "--surveillance", "FILE"),
    "mystery verify": ("mystery", "verify", "FILE"),
    "par": ("par", "FILE"),
    "playback": ("playback", "FILE", "--serve", "COPY"),
    "profile check": ("profile", "check", "FILE"),
    "reconstruct": ("reconstruct", "FILE"),
    "replay": ("replay", "FILE"),
    "report": ("report", "FILE"),
    "restore": ("restore", "FILE", "COPY", "--key", "KEY"),
    "rng": ("rng", "report", "--file", "FILE"),
    "round": ("round", "FILE", "1"),
    "rounds": ("rounds", "FILE"),
    "run": ("run", "FILE"),
    "schemas": ("schemas", "--examples", "FILE", "FOLDER"),
    "settle": ("settle", "FILE"),
    "software": ("software", "--against", "FILE"),
    "trigger-box": ("trigger-box", "FILE"),
    "verify": ("verify", "FILE"),
}
"""Every command that reads a file a person names."""


def pipe(path: Path) -> Path:
    os.mkfifo(path)
    return path


def local_socket(path: Path) -> Path:
    with socket.socket(socket.AF_UNIX) as bound:
        bound.bind(str(path))
    return path


def huge(path: Path) -> Path:
    """Ten gigabytes in one line, of which the disk has nothing."""
    path.touch()
    os.truncate(path, HUGE_BYTES)
    return path


def folder(path: Path) -> Path:
    path.mkdir()
    return path


def deep(path: Path) -> Path:
    path.write_text("[1" * 100_000)
    return path


KINDS: Final[dict[str, Callable[[Path], Path]]] = {
    "a device without end": lambda _: Path("/dev/zero"),
    "a pipe nobody writes": pipe,
    "a socket": local_socket,
    "a folder": folder,
    "ten gigabytes": huge,
    "brackets": deep,
    "nothing": lambda path: path,
}


@pytest.fixture
def measured() -> Iterator[Callable[[], int]]:
    """The most memory that Python has held at once since."""
    tracemalloc.start()
    yield lambda: tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", COMMANDS)
def test_what_is_no_file_is_refused_in_one_line(
    name: str, kind: str, tmp_path: Path, measured: Callable[[], int]
) -> None:
    file = KINDS[kind](tmp_path / "given")
    there = {"FILE": str(file), "COPY": str(tmp_path / "copy"), "FOLDER": str(tmp_path / "folder")}
    create_key(tmp_path / "key", SystemEntropy())
    there["KEY"] = str(tmp_path / "key")
    done = CliRunner().invoke(main, [there.get(word, word) for word in COMMANDS[name]])
    # A list that says nothing of the program is a program that is not as listed.
    assert done.exit_code == (1 if (name, kind) == ("software", "brackets") else 2), done
    assert len(done.stderr.splitlines()) == 1, done.stderr
    assert done.stderr.startswith("tableside: ")
    assert done.stderr[:-1].isprintable()
    assert measured() < MEMORY_LIMIT_BYTES


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "nothing"])
def test_what_lies_beside_a_journal_in_place_of_its_head_file_is_refused_in_one_line(
    kind: str, tmp_path: Path, measured: Callable[[], int]
) -> None:
    journal = tmp_path / "journal.sqlite"
    asyncio.run(write(journal, 3))
    head = path_of(journal)
    head.unlink()
    given = KINDS[kind](head)
    if given != head:
        head.symlink_to(given)
    done = CliRunner().invoke(main, ["verify", str(journal)])
    assert (done.exit_code, len(done.stderr.splitlines())) == (2, 1), done
    assert done.stderr.startswith(f"tableside: {head}: ")
    with pytest.raises(JournalFailed, match=re.escape(f"{head}: ")):
        prepare(journal, None, None, 0)
    assert measured() < MEMORY_LIMIT_BYTES


@pytest.mark.parametrize("kind", KINDS)
def test_nor_is_it_taken_for_a_certificate(kind: str, tmp_path: Path) -> None:
    """OpenSSL opens what it is given by name, and would wait for ever at a pipe."""
    make_authority(tmp_path, datetime.now(UTC))
    trusted, key = str(paths(tmp_path, "ca").certificate), paths(tmp_path, "ca").key
    file = KINDS[kind](tmp_path / "given")
    with pytest.raises(OSError, match=r".+"):
        Broker("broker", 8883, tls_ca_file=str(file)).tls()
    with pytest.raises(OSError, match=r".+"):
        Broker("broker", 8883, tls_ca_file=trusted, tls_cert_file=str(file), tls_key_file=str(key)).tls()
    with pytest.raises(click.UsageError, match=r"--certificate-key: .+"):
        tls_of(file, key)


def test_an_ordinary_file_is_read(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_bytes(b"one\ntwo\n")
    ordinary(file)
    assert content(file) == b"one\ntwo\n"
    assert text_content(file) == "one\ntwo\n"
    with opened(file) as read:
        assert list(lines(read, file)) == [b"one\n", b"two\n"]


def test_what_is_larger_than_its_limit_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_bytes(b"12345678")
    with pytest.raises(FileRefused, match="larger than 7 bytes"):
        content(file, 7)
    with opened(file) as read, pytest.raises(FileRefused, match="line 1: longer than 7 bytes"):
        list(lines(read, file, 7))
    assert FILE_LIMIT_BYTES > 1024


def test_text_in_another_encoding_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"\xff")
    with pytest.raises(FileRefused, match="not UTF-8 text"):
        text_content(tmp_path / "file")


def test_a_name_with_a_null_character_is_no_file() -> None:
    with pytest.raises(FileRefused, match="null"):
        content("a\0b")
    with pytest.raises(FileRefused, match="null"):
        ordinary("a\0b")
