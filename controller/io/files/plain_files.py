"""Opening what a person names: an ordinary file of limited size, or a reason why not, at once.

A device without end, a pipe without a writer, a socket and a folder are refused before a byte is read of them.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, Final

LINE_LIMIT_BYTES: Final = 1024 * 1024
"""Of a line of a file that has lines: many times the longest event."""

FILE_LIMIT_BYTES: Final = 16 * 1024 * 1024
"""Of a file that is read whole: a table's file, a list, a case, a recording of noise for a minute."""

PIECE_BYTES: Final = 256 * 1024

KINDS: Final = (
    (stat.S_ISDIR, "a folder"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
    (stat.S_ISFIFO, "a pipe"),
    (stat.S_ISSOCK, "a socket"),
)


class FileRefused(OSError):  # noqa: N818 - named for what happened
    """What is named cannot be read as a file; ``strerror`` says why, the text of this names the file too."""

    def __init__(self, path: Path | str, why: str) -> None:
        super().__init__(None, why)
        self.strerror = why
        self._said = f"{path}: {why}"

    def __str__(self) -> str:
        return self._said

    @property
    def is_absent(self) -> bool:
        """Whether there is nothing of this name."""
        return isinstance(self.__cause__, FileNotFoundError)


def ordinary(path: Path | str, *endings: str) -> None:
    """Refuse what is no ordinary file, for who opens it by another way (SQLite).

    ``endings``: of the names of files that may lie beside it and are opened with it.

    Raises:
        FileRefused: it is not there, or one of them is something else.
    """
    for name in (path, *(f"{path}{ending}" for ending in endings)):
        try:
            found = Path(name).stat()
        except (OSError, ValueError) as error:
            if isinstance(error, FileNotFoundError) and name is not path:
                continue
            raise FileRefused(name, _why(error)) from error
        _ordinary(name, found, None)


@contextmanager
def opened(path: Path | str, limit_bytes: int | None = FILE_LIMIT_BYTES) -> Iterator[BinaryIO]:
    """An ordinary file for reading, of at most ``limit_bytes``; None: of any size, for who reads it piece by piece.

    Raises:
        FileRefused: it is something else, too large, or cannot be opened.
    """
    try:
        # Whatever it is, it opens without waiting, and a terminal does not become ours.
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC)
    except (OSError, ValueError) as error:
        raise FileRefused(path, _why(error)) from error
    try:
        file = os.fdopen(descriptor, "rb")
    except OSError as error:
        # A folder opens, and is no file: the error names the descriptor.
        os.close(descriptor)
        raise FileRefused(path, _why(error)) from error
    with file:
        _ordinary(path, os.fstat(descriptor), limit_bytes)
        yield file


@contextmanager
def named(path: Path | str) -> Iterator[str]:
    """A name of an ordinary file for who opens by name (OpenSSL), good within the block; it is what was judged.

    Raises:
        FileRefused: as ``opened``.
    """
    with opened(path) as file:
        yield f"/proc/self/fd/{file.fileno()}"


def content(path: Path | str, limit_bytes: int = FILE_LIMIT_BYTES) -> bytes:
    """What an ordinary file holds.

    Raises:
        FileRefused: as ``opened``, or it grows beyond the limit meanwhile.
        OSError: it cannot be read.
    """
    found = bytearray()
    with opened(path, limit_bytes) as file:
        # In pieces: room for all of the limit is not taken for a file of a few bytes.
        while piece := file.read(PIECE_BYTES):
            found += piece
            if len(found) > limit_bytes:
                raise FileRefused(path, _too_large(limit_bytes))
    return bytes(found)


def text_content(path: Path | str, limit_bytes: int = FILE_LIMIT_BYTES) -> str:
    """The same, of a file in UTF-8.

    Raises:
        FileRefused: as ``content``, or it is no text.
        OSError: it cannot be read.
    """
    try:
        return content(path, limit_bytes).decode()
    except UnicodeDecodeError as error:
        raise FileRefused(path, "not UTF-8 text") from error


def lines(file: BinaryIO, path: Path | str, limit_bytes: int = LINE_LIMIT_BYTES) -> Iterator[bytes]:
    """The lines of a file, each with its end.

    Raises:
        FileRefused: a line is longer than ``limit_bytes``.
    """
    number = 1
    while line := file.readline(limit_bytes + 1):
        if len(line) > limit_bytes:
            raise FileRefused(path, f"line {number}: longer than {limit_bytes} bytes")
        yield line
        number += 1


def _ordinary(path: Path | str, found: os.stat_result, limit_bytes: int | None) -> None:
    for is_kind, name in KINDS:
        if is_kind(found.st_mode):
            raise FileRefused(path, f"expected a file, found {name}")
    if limit_bytes is not None and found.st_size > limit_bytes:
        raise FileRefused(path, _too_large(limit_bytes))


def _too_large(limit_bytes: int) -> str:
    return f"larger than {limit_bytes} bytes"


def _why(error: OSError | ValueError) -> str:
    # A socket does not open; a name with a null character is none.
    if isinstance(error, OSError) and error.errno in {6, 95}:
        return "expected a file, found a socket"
    return (error.strerror if isinstance(error, OSError) else None) or str(error)
