"""A disk that keeps no order: what a power cut leaves of a directory, given what was done to it.

What was synced is there. Of what was not, each sector of 512 bytes is what it was after some moment between the file's
last sync and the cut, whichever; the file's length too, and each name that was given, changed or taken away since the
directory's last sync has been, or not. That is more than any file system in use would lose, and less than none: a disk
that acknowledges a sync and does not keep it is beyond any program's help.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from typing import Final, assert_never

from tests.campaigns.recording import (
    BESIDE,
    Moved,
    NotRecorded,
    Opened,
    Operation,
    Removed,
    Renamed,
    Sent,
    Sized,
    SyncBegun,
    SyncDone,
    Written,
)

SECTOR_BYTES: Final = 512
PAGE_BYTES: Final = 4096

Moment = Callable[[int], int]
"""Which of the moments a piece of a file is left in: given how many there are after the first, one from 0 to that."""


class File:
    """One file: what is on the disk for certain, and what was done to it since."""

    def __init__(self, durable: bytes = b"") -> None:
        self.durable = durable
        self.now = bytearray(durable)
        self._pending: list[tuple[int, bytes | None]] = []
        """Offset and bytes, or a size and None."""
        self._begun = 0

    def write(self, offset: int, data: bytes) -> None:
        if offset > len(self.now):
            self.resize(offset)
        self.now[offset : offset + len(data)] = data
        self._pending.append((offset, data))

    def resize(self, size: int) -> None:
        del self.now[size:]
        self.now.extend(bytes(size - len(self.now)))
        self._pending.append((size, None))

    def sync_begins(self) -> None:
        self._begun = len(self._pending)

    def sync_ends(self) -> None:
        self.durable = self._after(self._begun)
        self._pending = self._pending[self._begun :]
        self._begun = 0

    def is_synced(self) -> bool:
        return not self._pending

    def left(self, of_length: Moment, of_sector: Callable[[int, int], int]) -> bytes:
        """What a cut leaves: the length of one moment, and each sector, given its number, of a moment of its own."""
        last = len(self._pending)
        sized = of_length(last)
        length = _lengths(self.durable, self._pending)[sized]
        history: dict[int, list[tuple[int, bytes]]] = {}
        image = bytearray(self.durable)
        for moment, (offset, data) in enumerate(self._pending, start=1):
            end = max(len(image), offset) if data is None else offset + len(data)
            touched = range(offset // SECTOR_BYTES, -(-end // SECTOR_BYTES))
            _apply(image, offset, data)
            if data is None and moment > sized:
                # A cut that has not reached the disk has blanked nothing there.
                continue
            for sector in touched:
                at = sector * SECTOR_BYTES
                history.setdefault(sector, []).append((moment, bytes(image[at : at + SECTOR_BYTES])))
        found = bytearray(self.durable[:length].ljust(length, b"\x00"))
        for sector, versions in history.items():
            wanted = of_sector(sector, last)
            known = [content for moment, content in versions if moment <= wanted]
            if known:
                at = sector * SECTOR_BYTES
                found[at : at + SECTOR_BYTES] = known[-1].ljust(SECTOR_BYTES, b"\x00")
        return bytes(found[:length])

    def _after(self, count: int) -> bytes:
        if count == len(self._pending):
            return bytes(self.now)
        image = bytearray(self.durable)
        for offset, data in self._pending[:count]:
            _apply(image, offset, data)
        return bytes(image)


def _apply(image: bytearray, offset: int, data: bytes | None) -> None:
    if data is None:
        del image[offset:]
        image.extend(bytes(offset - len(image)))
    else:
        image.extend(bytes(max(0, offset - len(image))))
        image[offset : offset + len(data)] = data


def _lengths(durable: bytes, pending: list[tuple[int, bytes | None]]) -> list[int]:
    found = [len(durable)]
    for offset, data in pending:
        found.append(offset if data is None else max(found[-1], offset + len(data)))
    return found


Change = dict[str, File | None]
"""Names, and the file each has after it; None: none."""


class Disk:
    """A directory; ``files`` lay in it for certain when the recording began."""

    def __init__(self, files: Mapping[str, bytes]) -> None:
        self._durable: dict[str, File] = {name: File(data) for name, data in files.items()}
        self._names = dict(self._durable)
        self._changes: list[Change] = []
        self._begun = 0
        self._open: dict[int, File] = {}
        self._places: dict[int, int] = {}
        """How far each descriptor has come."""

    def take(self, operation: Operation) -> None:
        """Do it."""
        match operation:
            case Opened(descriptor, name, is_cut, is_appended):
                if name not in self._names:
                    self._change({name: File()})
                file = self._open[descriptor] = self._names[name]
                self._places[descriptor] = -1 if is_appended else 0
                if is_cut:
                    file.resize(0)
            case Written():
                self._write(operation)
            case Moved(descriptor, _, offset):
                if self._places.get(descriptor, 0) >= 0:
                    self._places[descriptor] = offset
            case Sized(descriptor, name, size, is_least):
                file = self._file(descriptor, name)
                file.resize(max(size, len(file.now)) if is_least else size)
            case SyncBegun(descriptor, name):
                if name:
                    self._file(descriptor, name).sync_begins()
                else:
                    self._begun = len(self._changes)
            case SyncDone(descriptor, name):
                if name:
                    self._file(descriptor, name).sync_ends()
                else:
                    self._directory_synced()
            case Renamed(name, new, is_kept):
                self._change({new: self._names[name]} | ({} if is_kept else {name: None}))
            case Removed(name):
                self._change({name: None})
            case Sent():
                pass
            case _:
                assert_never(operation)

    def now(self) -> dict[str, bytes]:
        """What whoever looks sees while the power is on."""
        return {name: bytes(file.now) for name, file in self._names.items()}

    def cut(self, chance: random.Random) -> tuple[str, dict[str, bytes]]:
        """What one cut leaves, and in which way."""
        way = chance.choice(WAYS)
        names = dict(self._durable)
        kept = _prefix(chance, len(self._changes))
        for place, change in enumerate(self._changes):
            if {"none": False, "all": True, "prefix": place < kept}.get(way, chance.random() < 0.5):
                _rename(names, change)
        return way, {name: _left(file, way, chance) for name, file in names.items()}

    def _write(self, written: Written) -> None:
        file = self._file(written.descriptor, written.name)
        if written.offset is not None:
            file.write(written.offset, written.data)
            return
        place = self._places[written.descriptor]
        file.write(len(file.now) if place < 0 else place, written.data)
        self._places[written.descriptor] = place if place < 0 else place + len(written.data)

    def _change(self, change: Change) -> None:
        _rename(self._names, change)
        self._changes.append(change)

    def _directory_synced(self) -> None:
        for change in self._changes[: self._begun]:
            _rename(self._durable, change)
        self._changes = self._changes[self._begun :]
        self._begun = 0

    def _file(self, descriptor: int, name: str) -> File:
        file = self._names.get(name) or self._open.get(descriptor)
        if file is None:
            raise NotRecorded(f"nobody saw descriptor {descriptor} of {name} opened")
        return file


class Disks:
    """The directory of a journal and that of its second copy: two devices, and a cut leaves of each what it likes."""

    def __init__(self, files: Mapping[str, bytes]) -> None:
        own = {name: data for name, data in files.items() if not name.startswith(BESIDE)}
        beside = {name.removeprefix(BESIDE): data for name, data in files.items() if name.startswith(BESIDE)}
        self._one, self._other = Disk(own), Disk(beside)

    def take(self, operation: Operation) -> None:
        """Do it, where it was done."""
        if isinstance(operation, Sent) or not operation.name.startswith(BESIDE):
            self._one.take(operation)
        elif isinstance(operation, Renamed):
            name, new = operation.name.removeprefix(BESIDE), operation.new.removeprefix(BESIDE)
            self._other.take(operation._replace(name=name, new=new))
        else:
            self._other.take(operation._replace(name=operation.name.removeprefix(BESIDE)))

    def now(self) -> dict[str, bytes]:
        """What whoever looks sees while the power is on."""
        return _both(self._one.now(), self._other.now())

    def cut(self, chance: random.Random) -> tuple[str, dict[str, bytes]]:
        """What one cut leaves, and in which way the journal's device did."""
        way, left = self._one.cut(chance)
        _, copied = self._other.cut(chance)
        return way, _both(left, copied)


def _both(one: dict[str, bytes], other: dict[str, bytes]) -> dict[str, bytes]:
    return one | {BESIDE + name: data for name, data in other.items()}


def _rename(names: dict[str, File], change: Change) -> None:
    for name, file in change.items():
        if file is None:
            names.pop(name, None)
        else:
            names[name] = file


WAYS: Final = ("none", "all", "prefix", "pages", "sectors", "mostly", "sizes")
"""Nothing, everything, what came first; pages or sectors by chance; all but a few sectors; lengths without content."""


def _prefix(chance: random.Random, last: int) -> int:
    return chance.randint(0, last)


def _left(file: File, way: str, chance: random.Random) -> bytes:
    if file.is_synced():
        return file.durable
    if way in {"none", "all"}:
        return file.durable if way == "none" else bytes(file.now)
    if way == "prefix":
        moment: list[int] = []

        def first(last: int) -> int:
            moment.append(moment[0] if moment else _prefix(chance, last))
            return moment[0]

        return file.left(first, lambda _, last: first(last))
    if way == "sizes":
        return file.left(lambda last: last, lambda _, __: 0)
    size = PAGE_BYTES if way == "pages" else SECTOR_BYTES
    drawn: dict[int, int] = {}

    def by_chance(sector: int, last: int) -> int:
        piece = sector * SECTOR_BYTES // size
        if piece not in drawn:
            spared = way == "mostly" and chance.random() < 0.9
            drawn[piece] = last if spared or chance.random() < 0.4 else _prefix(chance, last)
        return drawn[piece]

    return file.left(lambda last: last if chance.random() < 0.5 else _prefix(chance, last), by_chance)
