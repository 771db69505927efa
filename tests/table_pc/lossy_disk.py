"""A disk that forgets, at a power cut, what was not flushed: a plugin of nbdkit (nbdkit-python-plugin(3)).

    nbdkit -f -U SOCKET python tests/table_pc/lossy_disk.py disk=IMAGE seed=N record=FILE

Until a flush each sector of 512 bytes may be as after any write since the last one, in no order, or as it was before
them all. A write with FUA is kept. When nbdkit ends the power is cut: the image is then what the disk kept, and the
record gets a line with how many sectors waited for a flush and how many of these were lost in whole or in part.
"""

from __future__ import annotations

import os
import random
from pathlib import Path
from typing import Final

SECTOR: Final = 512
API_VERSION = 2
FUA_NATIVE: Final = 2
"""nbdkit-common.h: the plugin itself sees to writes that must not be lost."""
FLAG_FUA: Final = 1 << 1


class LossyDisk:
    """An image, and the writes to it that no flush has followed yet."""

    def __init__(self, image: Path, chance: random.Random) -> None:
        self._file = os.open(image, os.O_RDWR)
        self._chance = chance
        self._waiting: dict[int, list[bytes]] = {}

    def size(self) -> int:
        """In bytes."""
        return os.fstat(self._file).st_size

    def read(self, length: int, offset: int) -> bytes:
        """What a reader finds: the last that was written, flushed or not."""
        found = bytearray(os.pread(self._file, length, offset))
        if self._waiting:
            for place in range(0, length, SECTOR):
                versions = self._waiting.get((offset + place) // SECTOR)
                if versions:
                    found[place : place + SECTOR] = versions[-1]
        return bytes(found)

    def write(self, data: bytes, offset: int, *, durable: bool) -> None:
        """Whole sectors; ``durable``: they are kept, though no flush follows (FUA)."""
        if offset % SECTOR or len(data) % SECTOR:
            raise ValueError(f"{len(data)} bytes at {offset}: expected whole sectors")
        first = offset // SECTOR
        if durable:
            os.pwrite(self._file, data, offset)
            for sector in range(first, first + len(data) // SECTOR):
                self._waiting.pop(sector, None)
            return
        for place in range(0, len(data), SECTOR):
            self._waiting.setdefault(first + place // SECTOR, []).append(data[place : place + SECTOR])

    def flush(self) -> None:
        """All that was written is kept."""
        for sector, versions in self._waiting.items():
            os.pwrite(self._file, versions[-1], sector * SECTOR)
        self._waiting.clear()

    def cut(self) -> tuple[int, int]:
        """The power goes: sectors that waited for a flush, and how many of them are not as they were written last.

        A disk may have kept nearly all, nearly nothing, or any part.
        """
        waited, lost, kept = len(self._waiting), 0, self._chance.choice((0.0, self._chance.random(), 1.0))
        for sector, versions in self._waiting.items():
            reached = len(versions) if self._chance.random() < kept else self._chance.randrange(len(versions))
            lost += reached < len(versions)
            if reached:
                os.pwrite(self._file, versions[reached - 1], sector * SECTOR)
        self._waiting.clear()
        os.close(self._file)
        return waited, lost


# --- what nbdkit calls ------------------------------------------------------------------------------

_given: dict[str, str] = {}
_disks: list[LossyDisk] = []
"""The one disk, once nbdkit has read its command line."""


def config(key: str, value: str) -> None:
    _given[key] = value


def get_ready() -> None:
    _disks.append(LossyDisk(Path(_given["disk"]), random.Random(_given["seed"])))


def open(readonly: bool) -> int:  # noqa: A001 - nbdkit's name and signature
    return 1


def get_size(handle: int) -> int:
    return _disks[0].size()


def can_fua(handle: int) -> int:
    return FUA_NATIVE


def pread(handle: int, buf: bytearray, offset: int, flags: int) -> None:
    buf[:] = _disks[0].read(len(buf), offset)


def pwrite(handle: int, buf: bytearray, offset: int, flags: int) -> None:
    _disks[0].write(bytes(buf), offset, durable=bool(flags & FLAG_FUA))


def flush(handle: int, flags: int) -> None:
    _disks[0].flush()


def cleanup() -> None:
    waited, lost = _disks[0].cut()
    with Path(_given["record"]).open("a") as record:
        record.write(f"{waited} {lost}\n")
