"""What a program did to the files of one directory and said to the outside, call by call, as strace saw it."""

from __future__ import annotations

import itertools
import os
import re
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final, NamedTuple

CHANGING: Final = (
    *("openat", "creat", "write", "writev", "pwrite64", "pwritev", "ftruncate", "truncate", "fallocate"),
    *("fsync", "fdatasync", "rename", "renameat", "renameat2", "link", "linkat", "unlink", "unlinkat"),
    *("mkdir", "mkdirat", "rmdir", "symlink", "symlinkat", "sendfile", "copy_file_range", "sendto", "sendmsg", "lseek"),
)
"""Every call by which bytes get into a file, a file gets a name or loses it, or bytes leave the process."""

WIDEST_BYTES: Final = 64 * 1024 * 1024
"""Of a write so much is recorded; strace would else write 32 bytes of it."""


class Opened(NamedTuple):
    """A file was opened under a name, and made if it was not there."""

    descriptor: int
    name: str
    is_cut: bool
    """Whether what it held was dropped."""
    is_appended: bool


class Written(NamedTuple):
    """Bytes were handed to the kernel; ``offset`` None: behind what was written before."""

    descriptor: int
    name: str
    offset: int | None
    data: bytes


class Moved(NamedTuple):
    """What is written next goes to ``offset``."""

    descriptor: int
    name: str
    offset: int


class Sized(NamedTuple):
    """A file was given a size; ``is_least``: it is not made smaller."""

    descriptor: int
    name: str
    size: int
    is_least: bool


class SyncBegun(NamedTuple):
    """A sync was asked for; ``name`` is empty for the directory itself."""

    descriptor: int
    name: str


class SyncDone(NamedTuple):
    """It has come back."""

    descriptor: int
    name: str


class Renamed(NamedTuple):
    """A file got another name, or with ``is_kept`` one more."""

    name: str
    new: str
    is_kept: bool


class Removed(NamedTuple):
    """A name was taken away."""

    name: str


class Sent(NamedTuple):
    """Bytes left for ``to``: a socket or a terminal, as the kernel names it."""

    to: str
    data: bytes


BESIDE: Final = "copy/"
"""Begins the names of files in the directory beside, and is that directory's own."""

Operation = Opened | Written | Moved | Sized | SyncBegun | SyncDone | Renamed | Removed | Sent


class NotRecorded(Exception):  # noqa: N818 - named for what happened
    """The program did something to the directory that this recorder does not know."""


def is_able() -> str:
    """Why this machine cannot record; empty if it can."""
    if shutil.which("strace") is None:
        return "strace is not installed"
    tried = subprocess.run(["strace", "-qq", "-o", "/dev/null", "true"], check=False, capture_output=True)
    return "" if tried.returncode == 0 else "strace may not trace here: " + tried.stderr.decode().strip()


def recorded(trace: Path, command: Sequence[str]) -> tuple[str, ...]:
    """The command line that runs ``command`` and writes what it does to ``trace``."""
    calls = f"trace={','.join(CHANGING)}"
    wide = ("-y", "-xx", "-s", str(WIDEST_BYTES))
    return ("strace", "-f", "-qq", "--seccomp-bpf", *wide, "-o", str(trace), "-e", calls, "-e", "signal=none", *command)


HANGING_LIMIT: Final = 6
"""Writes under way at a kill of which it is tried whether they happened; there are as many as threads that write."""

_LINE: Final = re.compile(r"^(\d+) +(.*)$")
_RESUMED: Final = re.compile(r"^<\.\.\. (\w+) resumed>(.*)$")
_CALL: Final = re.compile(r"^(\w+)\((.*)\) += (-?\d+|\?)(?:<((?:\\x[0-9a-f]{2})*)>)?")
_DESCRIPTOR: Final = re.compile(r"^(-?\d+|AT_FDCWD)(?:<((?:\\x[0-9a-f]{2})*)>(\(deleted\))?)?$")
_UNFINISHED: Final = " <unfinished ...>"


def operations(trace: Path, directory: Path) -> list[Operation]:
    """What was done, in the order in which it began; a sync is two operations, as it holds only once it has come back.

    Raises:
        NotRecorded: something was done to the directory that the recording does not show.
    """
    return next(accounts(trace, directory))


def accounts(trace: Path, directory: Path, beside: Path | None = None) -> Iterator[list[Operation]]:
    """What was done, in each way that a kill leaves open: a write under way happened, or it did not.

    ``beside`` is another directory, on another device; names in it begin with ``BESIDE``.

    Raises:
        NotRecorded: something was done to the directory that the recording does not show.
    """
    reader = _Reader(directory, beside)
    for line in trace.read_text(encoding="ascii").splitlines():
        reader.take(line)
    hanging = reader.hanging()[:HANGING_LIMIT]
    for kept in itertools.product((True, False), repeat=len(hanging)):
        left_out = {place for place, is_kept in zip(hanging, kept, strict=True) if not is_kept}
        yield [operation for place, done in enumerate(reader.places) if place not in left_out for operation in done]


class _Reader:
    def __init__(self, directory: Path, beside: Path | None) -> None:
        self._directories = {os.path.realpath(directory): ""}
        if beside is not None:
            self._directories[os.path.realpath(beside)] = BESIDE
        self.places: list[list[Operation]] = []
        """What each line came to; a call that took its time stands where it began."""
        self._begun: dict[str, tuple[str, int]] = {}
        self._cut: list[int] = []
        """The lines of writes that came back to nobody."""

    def take(self, line: str) -> None:
        found = _LINE.match(line)
        if found is None:
            raise NotRecorded(line[:200])
        process, text = found.groups()
        resumed = _RESUMED.match(text)
        place = len(self.places)
        self.places.append([])
        if text.endswith(_UNFINISHED):
            start = text.removesuffix(_UNFINISHED)
            self._begun[process] = start, place
            if start.startswith(("fsync", "fdatasync")):
                self._sync(place, start)
            elif start.startswith(("write", "pwrite")):
                # A process that is killed may leave it so: then it happened, or not.
                self._call(place, f"{start}) = {2**62}")
            return
        if resumed is not None:
            start, began = self._begun.pop(process)
            whole = start + resumed[2]
            if resumed[1] in {"fsync", "fdatasync"}:
                self._synced(place, whole)
            else:
                self.places[began] = []
                self._came_back(began, whole)
            return
        if text.startswith(("fsync", "fdatasync")):
            self._sync(place, text)
            self._synced(place, text)
        else:
            self._came_back(place, text)

    def _came_back(self, place: int, text: str) -> None:
        if text.startswith(("write(", "pwrite64(")) and text.endswith("= ?"):
            self._cut.append(place)
            text = f"{text[:-1]}{2**62}"
        self._call(place, text)

    def hanging(self) -> list[int]:
        """The lines of writes that were begun and of whose end nothing was reported."""
        places = [*self._cut, *(place for _, place in self._begun.values())]
        return [place for place in places if any(isinstance(operation, Written) for operation in self.places[place])]

    def _sync(self, place: int, text: str) -> None:
        descriptor, name = self._at(text.split("(", 1)[1].split(")", 1)[0])
        if name is not None:
            self.places[place].append(SyncBegun(descriptor, name))

    def _synced(self, place: int, text: str) -> None:
        found = _CALL.match(text)
        if found is not None and found[3] == "0":
            descriptor, name = self._at(found[2])
            if name is not None:
                self.places[place].append(SyncDone(descriptor, name))

    def _call(self, place: int, text: str) -> None:
        found = _CALL.match(text)
        if found is None:
            if text.startswith(("+++", "---")):
                return
            raise NotRecorded(text[:200])
        call, result = found[1], found[3]
        if result == "?" or int(result) >= 0:
            self.places[place] += self._operations_of(
                call, found[2].split(", "), 0 if result == "?" else int(result), found[4]
            )

    def _operations_of(self, call: str, words: Sequence[str], result: int, opened: str | None) -> Iterator[Operation]:
        match call:
            case "openat" | "creat":
                name = self._name(_plain(opened or ""))
                flags = words[2] if call == "openat" else "O_WRONLY|O_CREAT|O_TRUNC"
                if name and name != BESIDE and "O_DIRECTORY" not in flags:
                    yield Opened(result, name, "O_TRUNC" in flags, "O_APPEND" in flags)
            case "write" | "pwrite64" | "writev" | "sendto" | "sendmsg":
                yield from self._bytes(call, words, result)
            case "lseek":
                descriptor, name = self._at(words[0])
                if name:
                    yield Moved(descriptor, name, result)
            case "ftruncate" | "fallocate":
                descriptor, name = self._at(words[0])
                if name:
                    least = call == "fallocate"
                    yield Sized(descriptor, name, int(words[-1]) + (int(words[2]) if least else 0), least)
            case "rename" | "renameat" | "renameat2" | "link" | "linkat":
                name, new = (self._name(_plain(word.strip('"'))) for word in words if word.startswith('"'))
                if name is not None and new is not None:
                    yield Renamed(name, new, call.startswith("link"))
                elif name is not None or new is not None:
                    raise NotRecorded(f"a file came from outside, or went there: {call} {words}")
            case "unlink" | "unlinkat":
                name = self._name(_plain(next(word for word in words if word.startswith('"')).strip('"')))
                if name is not None:
                    yield Removed(name)
            case _:
                paths = [_DESCRIPTOR.match(word) for word in words]
                named = [_plain(word.strip('"')) for word in words if word.startswith('"')]
                named += [_plain(found[2]) for found in paths if found is not None and found[2]]
                if any(self._name(path) is not None for path in named):
                    raise NotRecorded(f"{call} in the directory")

    def _bytes(self, call: str, words: Sequence[str], result: int) -> Iterator[Operation]:
        descriptor, name = self._at(words[0])
        pieces = re.findall(r'"((?:\\x[0-9a-f]{2})*)"(?!\.)', ", ".join(words[1:]))
        data = b"".join(_bytes_of(piece) for piece in pieces)[:result]
        if name is None:
            found = _DESCRIPTOR.match(words[0])
            to = _plain(found[2]) if found is not None and found[2] else ""
            if to.startswith(("socket:", "/dev/pts/", "/dev/ptmx")):
                yield Sent(to, data)
        elif call == "pwrite64":
            yield Written(descriptor, name, int(words[-1]), data)
        else:
            yield Written(descriptor, name, None, data)

    def _at(self, word: str) -> tuple[int, str | None]:
        """The descriptor, and the name of its file in the directory; None: it lies elsewhere."""
        found = _DESCRIPTOR.match(word)
        if found is None or found[2] is None:
            return -1, None
        name = self._name(_plain(found[2]))
        return int(found[1]), name if name is None else name + (found[3] or "")

    def _name(self, path: str) -> str | None:
        """A path's name in the directory, empty for itself, None for what lies elsewhere."""
        if not path.startswith("/"):
            return None
        real = f"{os.path.realpath(Path(path).parent)}/{Path(path).name}"
        for directory, leading in self._directories.items():
            if directory in {real, path}:
                return leading
            if real.startswith(f"{directory}/"):
                name = real.removeprefix(f"{directory}/")
                if "/" in name:
                    raise NotRecorded(f"a folder in the directory: {name}")
                return leading + name
        return None


def _bytes_of(hexed: str) -> bytes:
    return bytes.fromhex(hexed.replace("\\x", ""))


def _plain(hexed: str) -> str:
    return os.fsdecode(_bytes_of(hexed))
