"""A write-ahead log of SQLite as bytes: where it is damaged, and the first page as its transactions leave it.

SQLite itself ends a log at its first damaged frame.

The format: https://www.sqlite.org/fileformat2.html, section 4.
"""

from __future__ import annotations

import struct
from typing import Final, Literal

from controller.formats.journal.schema import PAGE_BYTES

WAL_HEADER_BYTES: Final = 32
FRAME_HEADER_BYTES: Final = 24
FRAME_BYTES: Final = FRAME_HEADER_BYTES + PAGE_BYTES

HEADER_DAMAGED: Final = "write-ahead log: its header is damaged"
"""What ``wal_damage`` says of a log whose header is not what SQLite wrote."""

ByteOrder = Literal["<", ">"]


def wal_damage(data: bytes) -> str | None:
    """What is wrong with a write-ahead log, or None.

    A frame that fails its checksum ends the log (section 4.1), as a power cut in the middle of a transaction does. But
    when another transaction follows, the broken one had been on the disk, and all from there on is lost.

    A log is begun anew over the frames of the one before, with another salt (section 4.4). What a power cut kept from
    the disk shows such a stale frame in its place, perhaps with the mark of a commit: it says nothing of this log. So a
    later transaction is one that goes on, by its checksum, from the commit of this log before it.
    """
    if len(data) <= WAL_HEADER_BYTES:
        return None
    if not _has_header(data):
        return HEADER_DAMAGED
    order = _order(data)
    salt, running = data[16:24], _pair(data, 24)
    broken, before = 0, running
    for at in range(WAL_HEADER_BYTES, len(data) - FRAME_BYTES + 1, FRAME_BYTES):
        frame = data[at : at + FRAME_BYTES]
        stored, ours = _pair(frame, 16), frame[8:16] == salt
        if not broken and ours:
            running = _frame_sum(frame, running, order)
        if not broken and (not ours or running != stored):
            broken = at
        if broken and ours and frame[4:8] != bytes(4):
            # Damage may lie in the stored checksum itself, and what follows go on from what it was.
            ends = {stored, _frame_sum(frame, before, order)}
            following = data[at + FRAME_BYTES : at + 2 * FRAME_BYTES]
            if _goes_on(following, salt, ends, order):
                lost = f"bytes {broken} to {broken + FRAME_BYTES - 1} are damaged, what follows is lost"
                return f"write-ahead log: {lost}"
        before = stored
    return None


def first_page(data: bytes) -> bytes | None:
    """The database's first page as the log's last transaction leaves it; None: it is the file's."""
    if len(data) <= WAL_HEADER_BYTES or not _has_header(data):
        return None
    order, salt, running = _order(data), data[16:24], _pair(data, 24)
    written: bytes | None = None
    committed: bytes | None = None
    for at in range(WAL_HEADER_BYTES, len(data) - FRAME_BYTES + 1, FRAME_BYTES):
        frame = data[at : at + FRAME_BYTES]
        running = _frame_sum(frame, running, order)
        if frame[8:16] != salt or running != _pair(frame, 16):
            break
        if int.from_bytes(frame[:4], "big") == 1:
            written = frame[FRAME_HEADER_BYTES:]
        if frame[4:8] != bytes(4):
            committed = written
    return committed


def _goes_on(frame: bytes, salt: bytes, ends: set[tuple[int, int]], order: ByteOrder) -> bool:
    """Whether a frame is of this log and follows, by its checksum, a frame whose checksum is one of ``ends``."""
    if len(frame) < FRAME_BYTES or frame[8:16] != salt:
        return False
    return any(_frame_sum(frame, end, order) == _pair(frame, 16) for end in ends)


def _has_header(data: bytes) -> bool:
    marked = data[:3] == b"\x37\x7f\x06" and data[3] in {0x82, 0x83}
    return marked and _sum(data[:24], (0, 0), _order(data)) == _pair(data, 24)


def _order(data: bytes) -> ByteOrder:
    return "<" if data[3] % 2 == 0 else ">"


def _pair(data: bytes, at: int) -> tuple[int, int]:
    return int.from_bytes(data[at : at + 4], "big"), int.from_bytes(data[at + 4 : at + 8], "big")


def _frame_sum(frame: bytes, running: tuple[int, int], order: ByteOrder) -> tuple[int, int]:
    """The checksum of a frame that follows one whose checksum is ``running``."""
    return _sum(frame[FRAME_HEADER_BYTES:], _sum(frame[:8], running, order), order)


def _sum(data: bytes, running: tuple[int, int], order: ByteOrder) -> tuple[int, int]:
    """The write-ahead log's checksum (section 4.2)."""
    first, second = running
    numbers = struct.unpack(f"{order}{len(data) // 4}I", data)
    for even, odd in zip(numbers[::2], numbers[1::2], strict=True):
        first = (first + even + second) & 0xFFFFFFFF
        second = (second + odd + first) & 0xFFFFFFFF
    return first, second
