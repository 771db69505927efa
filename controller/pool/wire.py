"""What tables and link say to each other: two frames, the protocol and one message as JSON.

Which table speaks is known from its key (CURVE); no message says it. A table asks for the pool every half second and is
answered; what it posts is answered once the ledger has it on its disk.
"""

from __future__ import annotations

from typing import Annotated, Final

import msgspec

from controller.core.meters.pool_postings import ClaimPosting, VerdictPosting, WagerPosting
from controller.formats.text.safe_parse import json_as, reads_outside
from controller.pool.postings import LedgerAnswer
from firmware_protocols.values import Value

PROTOCOL: Final = b"tableside.link.v1"
MESSAGE_LIMIT_BYTES: Final = 16 * 1024
"""Many times the largest claim; a larger message ends its connection."""

NOT_ADDED_UP: Final = "the ledger does not add up"
"""Why a pool is closed whose ledger does not agree with itself."""

WireOrdinal = Annotated[int, msgspec.Meta(ge=1, le=2**53)]


class StatusRequest(Value, frozen=True, tag="asked"):
    """A table asks for the amount of the pool, and for its own last posting in the ledger."""


class PostingRequest(Value, frozen=True, tag="posted"):
    """A table: enter this. What people move at the link is not for tables."""

    epoch: WireOrdinal
    seq: WireOrdinal
    deed: WagerPosting | ClaimPosting | VerdictPosting


class PoolStatus(Value, frozen=True, tag="told"):
    """The link: the pool as it stands, and the table's last posting in its ledger.

    ``closed``: why nothing may be wagered on it; empty: it is open.
    """

    pool: str
    number: int
    shown_cents: int
    epoch: int
    seq: int
    closed: str = ""


class PostingAnswer(Value, frozen=True, tag="answered"):
    """The link: the answer to a posting."""

    epoch: int
    seq: int
    answer: LedgerAnswer


class NotUnderstood(Exception):  # noqa: N818 - named for what happened
    """No message of this protocol; the text says what is wrong."""


def frames(message: StatusRequest | PostingRequest | PoolStatus | PostingAnswer) -> list[bytes]:
    """A message as it is sent."""
    return [PROTOCOL, msgspec.json.encode(message)]


@reads_outside(NotUnderstood)
def from_table(received: list[bytes]) -> StatusRequest | PostingRequest:
    """What a table said.

    Raises:
        NotUnderstood: nothing that a table says.
    """
    message: StatusRequest | PostingRequest = json_as(
        _body(received), StatusRequest | PostingRequest, limit_bytes=MESSAGE_LIMIT_BYTES
    )
    return message


@reads_outside(NotUnderstood)
def from_link(received: list[bytes]) -> PoolStatus | PostingAnswer:
    """What the link said.

    Raises:
        NotUnderstood: nothing that a link says.
    """
    message: PoolStatus | PostingAnswer = json_as(
        _body(received), PoolStatus | PostingAnswer, limit_bytes=MESSAGE_LIMIT_BYTES
    )
    return message


def _body(received: list[bytes]) -> bytes:
    if len(received) != 2 or received[0] != PROTOCOL:
        raise NotUnderstood(f"expected {PROTOCOL.decode()} and a message")
    return received[1]
