"""What the outside knows of a table at each moment of a recording: by its broker, its shoe and its head file."""

from __future__ import annotations

import collections
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from controller.io.journal.commit_marker import MARK, SUFFIX
from firmware_protocols import discovery
from firmware_protocols.codec import LineEnd
from firmware_protocols.messages import AcknowledgeDraw
from tests.campaigns.recording import Operation, Sent, Written

PUBLISH: Final = 3
"""The type of an MQTT packet that carries a message."""


class KnownOutside(NamedTuple):
    """What the outside knew at some moment: the last committed record, events and cards of the shoe."""

    record: int
    events: frozenset[int]
    cards: frozenset[int]


NOTHING: Final = KnownOutside(0, frozenset(), frozenset())


def known_at_each(done: Sequence[Operation], known: KnownOutside, journal: Sequence[bytes]) -> Iterator[KnownOutside]:
    """What the outside knew before each operation, and at the end; ``known``: at first; ``journal``: event 1 first."""
    numbers = {body: seq for seq, body in enumerate(journal, start=1)}
    record, events, cards = known
    wire = discovery.find("shoe", "reference").open(LineEnd.DEVICE)
    streams: dict[str, bytearray] = collections.defaultdict(bytearray)
    for operation in done:
        yield KnownOutside(record, events, cards)
        match operation:
            case Written(_, name, _, data) if name.endswith(SUFFIX) and data.startswith(MARK):
                record = max(record, int.from_bytes(data[16:24], "big"))
            case Sent(to, data) if to.startswith("socket:"):
                streams[to] += data
                numbered = [numbers[body] for body in messages(streams[to], numbers)]
                events |= frozenset(numbered)
            case Sent(_, data):
                heard = [one for one in wire.feed(data) if isinstance(one, AcknowledgeDraw)]
                wire.idle()
                cards |= frozenset(one.sequence for one in heard)
            case _:
                pass
    yield KnownOutside(record, events, cards)


def messages(stream: bytearray, known: dict[bytes, int]) -> Iterator[bytes]:
    """Take the whole MQTT packets off a stream; the events that they carry, as known."""
    while len(stream) >= 2:
        length, size = 0, 1
        while True:
            if size >= len(stream):
                return
            length |= (stream[size] & 0x7F) << 7 * (size - 1)
            size += 1
            if not stream[size - 1] & 0x80:
                break
        if len(stream) < size + length:
            return
        packet = bytes(stream[size : size + length])
        kind = stream[0] >> 4
        del stream[: size + length]
        if kind == PUBLISH and b"/event/" in packet[:200]:
            body = packet[packet.index(b'{"') :]
            assert body in known, f"an event left that the journal never had: {body[:200]!r}"
            yield body
