"""Evidence with the moments it may belong to, and the order that these leave between two pieces of it."""

from __future__ import annotations

from typing import Final

from msgspec.structs import replace

from controller.core.items import CardCame, ChipsMoved, Item, KeySpoke
from firmware_protocols.values import Value

EVER: Final = 1 << 62
"""A moment after every moment, in nanoseconds: what has not ended."""


class Dated(Value, frozen=True, tag=False):
    """Evidence with the first and the last moment it may belong to, and the number of its reading."""

    first_ns: int
    last_ns: int
    item: Item
    number: int = 0


def lane(item: Item) -> tuple[int, str] | str | None:
    """What keeps its order of arrival whatever the times say: cards among themselves, changes of one zone."""
    match item:
        case CardCame():
            return "cards"
        case ChipsMoved(box, zone):
            return box, zone
        case _:
            return None


def precedes(earlier: Dated, later: Dated) -> bool:
    """Whether ``earlier``, which arrived first, must lie before ``later``."""
    if earlier.last_ns < later.first_ns:
        return True
    same = lane(earlier.item)
    return same is not None and same == lane(later.item)


def slackened(evidence: tuple[Dated, ...], dated: Dated) -> tuple[Dated, ...]:
    """Evidence with one more piece, where a press may belong one card earlier or later (``key_slack``).

    It lies after the last card but one before it, and before the second card after it; against chips between these
    cards it has no order. Until that card has come a press is open to the future, and nothing that rests on it is
    certain.
    """
    cards = [at for at, one in enumerate(evidence) if isinstance(one.item, CardCame)]
    if isinstance(dated.item, KeySpoke):
        first_ns = evidence[cards[-2]].first_ns + 1 if len(cards) > 1 else 0
        dated = replace(dated, first_ns=min(dated.first_ns, first_ns), last_ns=EVER)
    if not isinstance(dated.item, CardCame):
        return (*evidence, dated)
    last_ns = dated.last_ns - 1
    since, until = ([0, 0] + [at + 1 for at in cards])[-2:]
    late = (
        replace(one, last_ns=max(one.first_ns, last_ns)) if isinstance(one.item, KeySpoke) else one
        for one in evidence[since:until]
    )
    return (*evidence[:since], *late, *evidence[until:], dated)
