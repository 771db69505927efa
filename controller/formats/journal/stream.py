"""The stream of a table's events: one hash over all of it, what its consumers acknowledge, and what they ask for.

A consumer that holds events 1 to ``seq`` and the hash of the stream there holds, byte for byte, what the table's
journal holds. The hash covers nothing but what was published, so that everybody who listens can compute it.
"""

from __future__ import annotations

import hashlib
import re
from typing import Any, Final

import msgspec

from controller.formats.journal.records import EMPTY_HASH, HASH_BYTES, Identity
from controller.formats.text.safe_parse import DataRefused, json_as, reads_outside

CONSUMER: Final = re.compile(r"[a-z0-9]([a-z0-9-]{0,30}[a-z0-9])?")
"""A consumer's name: as a site's or a table's."""

MESSAGE_LIMIT_BYTES: Final = 64 * 1024
MESSAGE_LIMIT_VALUES: Final = 1_000
"""Many times what an acknowledgement, a request for a replay or what a table says of its stream needs."""

UNACKED_LIMIT: Final = 10_000
"""Events a configured consumer may be behind before it is an alarm."""

UNACKED_SECONDS: Final = 60.0
"""How old the oldest event a configured consumer has not acknowledged may be before it is an alarm."""


class StreamRefused(ValueError):  # noqa: N818 - named for what happened
    """An acknowledgement or a request for a replay cannot be used; the text says what was expected."""


class Ack(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """``ack/{consumer}``: it holds events 1 to ``last_seq`` of ``epoch`` on its own disk; ``head_hash`` in hex.

    ``tree_head`` is the furthest signed head that it keeps, exactly as ``state/stream`` said it; empty: none.
    """

    epoch: int
    last_seq: int
    head_hash: str
    tree_head: str = ""


class ReplayRequest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """``cmd/replay``: events ``first_seq`` to ``last_seq`` again for ``consumer``; no ``last_seq``: all there are."""

    consumer: str
    epoch: int
    first_seq: int
    last_seq: int | None = None
    transaction: Any = None


class ConsumerNow(msgspec.Struct, frozen=True):
    """How far a configured consumer is. ``oldest_s``: for how many seconds, at least, it has lacked the next event.

    ``head_size``: of how many records the signed head is that it has shown since the table's start, and that the
    journal has; 0 if it has shown none. Until it is that of the head it keeps, a consumer takes no other in its place.
    """

    consumer: str
    last_seq: int
    behind: int
    oldest_s: int
    head_size: int = 0


class StreamNow(msgspec.Struct, frozen=True):
    """Retained on ``state/stream``: how far the journal, the broker and each configured consumer are.

    ``hash`` is that of the stream at event ``published``. ``alarms`` has a line for each thing a person should see to.
    ``tree_head`` is the journal's own head, a signed note (C2SP tlog-checkpoint): whoever keeps the furthest can show,
    and nobody can deny, how far the journal had come; empty where nothing is sealed yet.
    """

    epoch: int
    session: int
    seq: int
    published: int
    hash: str
    consumers: tuple[ConsumerNow, ...]
    alarms: tuple[str, ...]
    time: str
    tree_head: str = ""


REPLAY_EXAMPLE: Final = '{"consumer": "surveillance", "epoch": 1795259812, "first_seq": 41, "last_seq": 43}'


def stream_genesis(identity: Identity) -> bytes:
    """The stream's hash before its first event: SHA-256 of ``tableside.stream.v1``, a space, ``site/table/epoch``."""
    return hashlib.sha256(f"tableside.stream.v1 {identity.text()}".encode()).digest()


def stream_hash(previous: bytes, body: bytes) -> bytes:
    """The stream's hash after one more event: SHA-256 of the hash before it (32 bytes) and the event's bytes."""
    begun = EMPTY_HASH.copy()
    begun.update(previous + body)
    return begun.digest()


def ack_bytes(epoch: int, last_seq: int, head_hash: bytes, tree_head: str = "") -> bytes:
    """The payload of ``ack/{consumer}``."""
    return msgspec.json.encode(Ack(epoch, last_seq, head_hash.hex(), tree_head))


@reads_outside(StreamRefused)
def read_ack(payload: bytes) -> tuple[int, int, bytes, str]:
    """Epoch, last seq, hash and signed head (or an empty text) of an acknowledgement.

    Raises:
        StreamRefused: it is none.
    """
    try:
        ack: Ack = json_as(payload, Ack, limit_bytes=MESSAGE_LIMIT_BYTES, limit_values=MESSAGE_LIMIT_VALUES)
        hashed = bytes.fromhex(ack.head_hash)
    except ValueError as error:
        raise StreamRefused(f"{error}; expected epoch, last_seq and head_hash (64 hex digits)") from error
    if ack.last_seq < 0 or len(hashed) != HASH_BYTES:
        raise StreamRefused("expected a last_seq from 0 on and a head_hash of 64 hex digits")
    return ack.epoch, ack.last_seq, hashed, ack.tree_head


@reads_outside(StreamRefused)
def read_replay(payload: bytes, epoch: int) -> ReplayRequest:
    """A request for events of this journal's ``epoch``.

    Raises:
        StreamRefused: it is none, or names another epoch, no range or no consumer.
    """
    try:
        wanted: ReplayRequest = json_as(
            payload, ReplayRequest, limit_bytes=MESSAGE_LIMIT_BYTES, limit_values=MESSAGE_LIMIT_VALUES
        )
    except DataRefused as error:
        raise StreamRefused(f"{error}; expected {REPLAY_EXAMPLE}") from error
    if not CONSUMER.fullmatch(wanted.consumer):
        raise StreamRefused("consumer: expected at most 32 lower-case letters, digits and hyphens")
    if wanted.epoch != epoch:
        raise StreamRefused(
            f"this journal is of epoch {epoch}; events of epoch {wanted.epoch} are in that epoch's own journal:"
            " tableside export --events"
        )
    if wanted.first_seq < 1 or (wanted.last_seq is not None and wanted.last_seq < wanted.first_seq):
        raise StreamRefused(f"expected first_seq from 1 on, and last_seq not below it; such as {REPLAY_EXAMPLE}")
    return wanted


@reads_outside(None)
def read_stream(payload: bytes) -> StreamNow | None:
    """The payload of ``state/stream``; None for anything else."""
    now: StreamNow = json_as(payload, StreamNow, limit_bytes=MESSAGE_LIMIT_BYTES)
    return now


def consumer_alarm(now: ConsumerNow) -> str:
    """What a person should know of a consumer; empty if there is nothing."""
    if now.behind > UNACKED_LIMIT:
        return f"consumer {now.consumer} is {now.behind} events behind, more than {UNACKED_LIMIT}"
    if now.behind and now.oldest_s > UNACKED_SECONDS:
        since = f"has not acknowledged event {now.last_seq + 1} for {now.oldest_s} s"
        return f"consumer {now.consumer} {since}"
    return ""
