"""The retained picture of the table PC, for a technician: lines, disk, second copy, verification.

It has no byte that a device sent, and counts none: a shoe's line carries the faces of closed cards, and on some the
length of a message depends on the face.
"""

from __future__ import annotations

from typing import Literal

import msgspec


class LineNow(msgspec.Struct, frozen=True):
    """A line and the device on it.

    ``quiet_s``: whole seconds since its last byte; null: not a byte since it was opened, or it is not open.
    ``failures``: openings in a row that led to nothing; 0 while the device makes sense.
    """

    line: str
    protocol: str
    port: str
    is_open: bool
    quiet_s: int | None
    failures: int


class DiskNow(msgspec.Struct, frozen=True):
    """The disk that the journal lies on: bytes that the table may still use, and all of it."""

    free_bytes: int
    size_bytes: int


class SecondCopyNow(msgspec.Struct, frozen=True):
    """The journal's second copy: the records it has, and those in the journal.

    ``trouble``: why it cannot be written; empty if it can.
    """

    folder: str
    records: int
    of_records: int
    trouble: str


class VerificationNow(msgspec.Struct, frozen=True):
    """The look through the whole journal that a table takes at its start and every hour.

    ``state``: ``due``: none has ended since the start, ``running``, ``whole``, or ``failed``: it could not be done.
    While one runs, ``read`` of ``records`` records have been read; both are 0 until the first is. ``whole_at``: when
    the journal was last found whole since the start (RFC 3339, UTC); null: not yet.
    """

    state: Literal["due", "running", "whole", "failed"]
    read: int
    records: int
    whole_at: str | None


class MachineNow(msgspec.Struct, frozen=True):
    """Retained on ``state/machine``, every five seconds: how the table PC is, for the technician.

    ``time``: when (RFC 3339, UTC). ``disk``: null until it was first looked at, or where it cannot be. ``second_copy``:
    null where no copy is kept.
    """

    time: str
    lines: tuple[LineNow, ...]
    disk: DiskNow | None
    second_copy: SecondCopyNow | None
    verification: VerificationNow
