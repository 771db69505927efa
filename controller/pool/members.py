"""What a table may post to a pool: its own bets, at its own spots, and claims for what it has wagered.

The link sees no cards, so it believes a table that a wager was won. It need not believe that the table has such a bet,
that the bet pays such a part of the pool, or that the wager was ever laid: one table's key must not be worth the pool.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final, NamedTuple, assert_never

from controller.core.meters.pool_postings import ClaimPosting, VerdictPosting, WagerPosting
from controller.formats.text.printable import many
from controller.pool.postings import ChangePosting, PostingBody

NOT_THEIRS: Final = "not this table's: "
"""Begins the reason of a posting that is declined here. What a table may post changes with the link's file, so a ledger
that is stepped again takes such an answer as it was given."""

RECENT: Final = 2_000
"""Postings among which the wager of a claim is looked for: those of the rounds that a table has on its books."""

ROUND_LIMIT: Final = 2**53


class Member(NamedTuple):
    """A table of the pool: for each of its bets the parts of the meter that rows of it take, and its spots."""

    shares: Mapping[str, frozenset[tuple[int, int]]]
    spots: int


WagerPlace = tuple[int, int, str]
"""Round, spot and bet."""


def undue(member: Member, deed: PostingBody, wagered: Callable[[WagerPlace], bool]) -> str:
    """Why a deed is declined before anything is counted; empty: it may be the table's.

    ``wagered``: whether a wager of the table's was counted there lately; that it is claimed once is the pool's to see.
    """
    match deed:
        case WagerPosting(_, number, spot, bet):
            return _misplaced(member, number, spot, bet)
        case ClaimPosting(number, winners):
            for one in winners:
                if wrong := _misplaced(member, number, one.spot, one.bet):
                    return wrong
                if one.share not in member.shares[one.bet]:
                    return f"{NOT_THEIRS}no row of {one.bet} pays {one.share[0]} of {one.share[1]}"
                if not wagered((number, one.spot, one.bet)):
                    return f"{NOT_THEIRS}no wager on {one.bet} at spot {one.spot} in round {number} was posted"
            return ""
        case VerdictPosting() | ChangePosting():
            return ""
        case _:
            assert_never(deed)


def _misplaced(member: Member, number: int, spot: int, bet: str) -> str:
    if bet not in member.shares:
        return f"{NOT_THEIRS}it has no bet {bet[:32]!r} that feeds the pool"
    if not 0 < spot <= member.spots:
        return f"{NOT_THEIRS}it has {many(member.spots, 'spot')}, and none of the number posted"
    if not 0 < number < ROUND_LIMIT:
        return f"{NOT_THEIRS}it has no round of the number posted"
    return ""
