"""A consumer's file: the events of one epoch, each on a line exactly as it was published, on the disk when asked."""

from __future__ import annotations

import fcntl
import os
import stat
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from controller.formats.journal.records import Identity
from controller.formats.journal.stream import stream_genesis, stream_hash
from controller.formats.mqtt.envelope import EVENT_LIMIT_BYTES
from controller.formats.text.safe_parse import DataRefused
from controller.io.files.fsync_dir import sync_directory
from controller.io.files.plain_files import FileRefused, content
from controller.reports.audit.durable_follower import HEAD_LIMIT, NOTHING, EventPlace, StreamPosition, read_place

OPEN: Final = os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOCTTY
"""Nothing is waited for, whatever the name stands for."""

CHUNK_BYTES: Final = 1024 * 1024


class DurableRefused(Exception):  # noqa: N818 - named for what happened
    """The file cannot be used; the text says why."""


class DurableFile:
    """Events of one table in a file, with one writer at a time.

    Raises on opening:
        DurableRefused: another process has it, it holds another table's events, or it cannot be opened.
    """

    def __init__(self, path: Path, site: str, table: str) -> None:
        self.path = path
        self._site, self._table = site, table
        self.repaired = ""
        """What was cut off at the end when the file was opened; empty if nothing."""
        self._descriptor = self._open()
        try:
            self.head = self._read_head()
            """The furthest signed head of the table's journal that was kept, empty if none."""
            self.held = self._read()
        except BaseException:
            os.close(self._descriptor)
            raise

    def append(self, events: Sequence[bytes], held: StreamPosition) -> None:
        """Write events behind the last and sync; ``held`` is what the file then holds.

        Raises:
            OSError: the disk refused. Nothing may be acknowledged, nor anything written after it.
        """
        data = memoryview(b"".join(body + b"\n" for body in events))
        while data:
            data = data[os.write(self._descriptor, data) :]
        os.fdatasync(self._descriptor)
        self.held = held

    def begin(self, held: StreamPosition) -> None:
        """Begin a new epoch: the file of the one before, if it has anything, is put beside it with its epoch's number.

        Raises:
            OSError: the disk refused.
        """
        if self.held.seq:
            self._set_aside(f"{self.path}.{self.held.epoch}")
        self.held = held

    def differs(self, held: StreamPosition) -> str:
        """Put the file aside, as what it holds is not what the table has; the name it now has.

        Raises:
            OSError: the disk refused.
        """
        number = 1
        while Path(name := f"{self.path}.differs-{number}").exists():
            number += 1
        self._set_aside(name)
        self.held = held
        return name

    def keep_head(self, head: str) -> None:
        """Keep a signed head of the table's journal in ``FILE.head``, in place of the one before.

        Raises:
            OSError: the disk refused.
        """
        path = head_path(self.path)
        part = path.with_name(f"{path.name}.part")
        descriptor = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o640)
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(head)
            file.flush()
            os.fsync(file.fileno())
        part.rename(path)
        sync_directory(path.parent)
        self.head = head

    def close(self) -> None:
        """Let go of the file."""
        os.close(self._descriptor)

    def _set_aside(self, name: str) -> None:
        if Path(name).exists():
            raise FileExistsError(17, "is there already; move it away", name)
        self.path.rename(name)
        os.close(self._descriptor)
        self._descriptor = self._open()

    def _open(self) -> int:
        try:
            descriptor = os.open(self.path, OPEN, 0o640)
        except OSError as error:
            raise DurableRefused(f"{self.path}: cannot be opened: {error.strerror}") from error
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            os.close(descriptor)
            raise DurableRefused(f"{self.path}: expected a file that events can be kept in")
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            directory = os.open(self.path.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
            os.fsync(directory)
            os.close(directory)
        except OSError as error:
            os.close(descriptor)
            reason = "in use by another consumer" if isinstance(error, BlockingIOError) else error.strerror
            raise DurableRefused(f"{self.path}: {reason}") from error
        return descriptor

    def _read_head(self) -> str:
        path = head_path(self.path)
        try:
            return content(path, HEAD_LIMIT).decode()
        except FileRefused as refused:
            if refused.is_absent:
                return ""
            raise DurableRefused(str(refused)) from refused
        except UnicodeDecodeError as error:
            raise DurableRefused(f"{path}: expected a signed head of the table's journal: {error}") from error

    def _read(self) -> StreamPosition:
        """What the file holds; an end that is no event, as a power cut leaves it, is cut off."""
        held, end = NOTHING, 0
        with os.fdopen(os.dup(self._descriptor), "rb", CHUNK_BYTES) as file:
            file.seek(0)
            # One more than the longest event: what is longer does not end where a line does, and is no event.
            while line := file.readline(EVENT_LIMIT_BYTES + 1):
                place = _place(line)
                if place is None or place.seq != held.seq + 1 or held.epoch not in {0, place.epoch}:
                    break
                if place.source != f"/{self._site}/{self._table}":
                    raise DurableRefused(
                        f"{self.path}: holds events of {place.source}, not of /{self._site}/{self._table}"
                    )
                before = held.hash or stream_genesis(Identity(self._site, self._table, place.epoch))
                held = StreamPosition(place.epoch, place.seq, stream_hash(before, line[:-1]))
                end += len(line)
        size = os.fstat(self._descriptor).st_size
        if size > end:
            self.repaired = f"bytes {end} to {size - 1} were no event that follows: cut off, and asked for again"
            os.ftruncate(self._descriptor, end)
            os.fsync(self._descriptor)
        return held


def head_path(path: Path) -> Path:
    """Where a consumer's file has the signed head of the table's journal beside it."""
    return Path(f"{path}.head")


def _place(line: bytes) -> EventPlace | None:
    if not line.endswith(b"\n"):
        return None
    try:
        return read_place(line)
    except DataRefused:
        return None
