"""Which of a table's events somebody was given: every number from a first one on, once, and as the table published it.

Numbers show what is missing between the first and the last. What is missing after the last, and whether an event was
changed, only the table's own hash of its stream shows (``state/stream``, ``controller.formats.journal.stream``): a mark
is a number and the hash after it.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping
from enum import Enum, auto
from typing import Final, NamedTuple

from controller.formats.journal.records import HASH_BYTES, Identity
from controller.formats.journal.stream import read_stream, stream_genesis, stream_hash

DIGEST_BYTES: Final = 8
"""Of each event so much of its hash is kept, to tell a repetition from another form of it."""


class Range(NamedTuple):
    """Events ``first`` to ``last``."""

    first: int
    last: int

    def text(self) -> str:
        """``event 41``, or ``events 41 to 43``."""
        return f"event {self.first}" if self.first == self.last else f"events {self.first} to {self.last}"


class Complaint(NamedTuple):
    """What is wrong with some events."""

    where: Range
    text: str


class Delivery(Enum):
    """What an event that was given is."""

    NEW = auto()
    AGAIN = auto()
    OTHER_FORM = auto()
    BEFORE = auto()
    """Its number is below the first one asked for."""


class HashMark(NamedTuple):
    """The hash of a table's stream after event ``seq``; ``epoch`` None: of the epoch that is looked at."""

    epoch: int | None
    seq: int
    hash: bytes


def stream_marks(lines: Iterable[bytes]) -> Iterator[HashMark]:
    """What a table said of its stream, among other lines; what stands before a line's first brace is passed over."""
    for line in lines:
        now = read_stream(line[line.find(b"{") :]) if b'"published"' in line else None
        if now is not None and re.fullmatch(f"[0-9a-f]{{{2 * HASH_BYTES}}}", now.hash):
            yield HashMark(now.epoch, now.published, bytes.fromhex(now.hash))


class EventNumbers:
    """Takes events in any order and any number of times; ``first`` is the number they are to begin with."""

    def __init__(self, identity: Identity, first: int, marks: Mapping[int, bytes]) -> None:
        self._first, self._marks = first, marks
        self._end = first - 1
        """The last of those that follow each other from the first on."""
        self._digests = bytearray()
        self._apart: dict[int, bytes] = {}
        """Those that came before one they follow."""
        self._hash = stream_genesis(identity) if first == 1 else marks.get(first - 1)
        self._held = (first - 1) if self._hash is not None else None
        """The event up to which the hash of the stream has been compared; None: there was nothing to begin with."""
        self.complaints: list[Complaint] = []

    def take(self, seq: int, body: bytes) -> Delivery:
        """An event's bytes as they were published."""
        if seq < self._first:
            return Delivery.BEFORE
        digest = _digest(body)
        if seq <= self._end:
            place = (seq - self._first) * DIGEST_BYTES
            return Delivery.AGAIN if self._digests[place : place + DIGEST_BYTES] == digest else Delivery.OTHER_FORM
        if seq in self._apart:
            return Delivery.AGAIN if self._apart[seq] == body else Delivery.OTHER_FORM
        self._apart[seq] = body
        while (following := self._apart.pop(self._end + 1, None)) is not None:
            self._end += 1
            self._digests += _digest(following)
            self._follow(following)
        return Delivery.NEW

    @property
    def last(self) -> int:
        """The highest number given; below the first one if none was."""
        return max(self._apart, default=self._end)

    def missing(self) -> Iterator[Range]:
        """What was not given, up to the last event known to exist."""
        wanted = self._end + 1
        for seq in sorted(self._apart):
            if seq > wanted:
                yield Range(wanted, seq - 1)
            wanted = seq + 1
        known = max(self._marks, default=0)
        if known >= max(wanted, self._first):
            yield Range(wanted, known)

    def unchecked(self) -> Iterator[str]:
        """What could not be known of the events that were given."""
        if self._first > 1:
            yield f"{Range(1, self._first - 1).text()}: left out as asked"
        if self._held is None or self._held < self._first:
            given = Range(self._first, max(self.last, self._first))
            yield (
                f"{given.text()}: no hash of the stream was given (state/stream, or --stream-hash): whether one was"
                f" changed in what bears on no cycle, and whether any follow event {self.last}, cannot be known"
            )
        elif self._held < self.last:
            given = Range(self._held + 1, self.last)
            yield (
                f"{given.text()}: the hash of the stream that was given covers events up to {self._held}; whether one"
                f" was changed in what bears on no cycle, and whether any follow event {self.last}, cannot be known"
            )

    def _follow(self, body: bytes) -> None:
        """The stream's hash after one more event, and whether it is the table's."""
        marked = self._marks.get(self._end)
        if self._hash is None:
            self._hash = marked
        else:
            self._hash = stream_hash(self._hash, body)
            if marked is None:
                return
            if marked != self._hash:
                where = Range(self._held + 1 if self._held is not None else self._first, self._end)
                self.complaints.append(
                    Complaint(where, f"{where.text()}: not as published, the hash of the stream differs")
                )
                self._hash = marked
        if marked is not None:
            self._held = self._end


def _digest(body: bytes) -> bytes:
    return hashlib.sha256(body).digest()[:DIGEST_BYTES]
