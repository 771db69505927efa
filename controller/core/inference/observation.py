"""A piece of evidence as the game knows it, and what lies on the layout when it comes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

import msgspec
from msgspec.structs import replace

from firmware_protocols.values import Value


class CardObserved(Value, frozen=True, tag="card_came"):
    """A card left the shoe; ``card`` as ``hand.seen`` writes it."""

    card: int


class ChipsObserved(Value, frozen=True, tag="chips_moved"):
    """The value in a zone of a box changed."""

    box: int
    zone: str
    before: int
    after: int
    idle: bool = False
    """No play explains it: it means nothing, and only says what lies there now."""
    early: bool = False
    """It came before a card after which it may count as a double or split: it is no payment. Of journals of before."""
    waits: bool = False
    """It may have been laid before its box's turn, and then doubles or splits the hand once that has come."""
    takes_back: bool = False
    """It may take back of a double or split what was laid before its card came; after that card it means nothing."""
    follows: bool = False
    """It may add to what was laid before its box's turn (``waits``), or take back of it, also once that has come."""
    unheard: int = 0
    """Cents of the wager's own chips that left unexplained and have not come again: they may lie there unheard."""

    def rises(self) -> tuple[int, ...]:
        """By how much the chips may have risen: by what lies beyond ``before`` or by all that came; none: not at all.

        Who changes chips for his wager lays back what is missing of it; where a tag fell silent nothing is missing.
        """
        beyond = self.after - self.before
        return tuple(cents for cents in sorted({beyond, beyond + self.unheard}) if cents > 0)

    def counts(self) -> bool:
        """Whether the chips count: not where they would make a wager that no play explains."""
        return not self.idle or self.zone == "main"


class KeyObserved(Value, frozen=True, tag="key_spoke"):
    """A key of the dealer's, with the box it named (None: the box in play).

    ``stand``, ``hit``, ``double``, ``split``, ``surrender``, ``even_money``, ``insurance_closed`` or ``hole_turned``.
    """

    action: str
    box: int | None = None


Observation = CardObserved | ChipsObserved | KeyObserved


def idle(item: Observation) -> Observation:
    """A change of chips as one that means nothing; what is no change of chips as it is."""
    return replace(item, idle=True) if isinstance(item, ChipsObserved) else item


class OutagePeriod(msgspec.Struct, frozen=True):
    """A time during which the same readers are lost; it lasts until the next one."""

    from_ns: int
    unwatched: frozenset[int]
    """Boxes whose chips no reader watches."""
    back: frozenset[int]
    """Those of them whose reader comes back, so that it sees what lies there in the end."""
    exchanged: frozenset[int] = frozenset()
    """Those of them where other chips lie in the end."""
    cleared: frozenset[int] = frozenset()
    """Those of them where these may be the next bet after a broken hand, however the house takes busts."""


class Layout(msgspec.Struct, frozen=True):
    """What lies on the layout at the moment, by box: main chips, and the insurance or EZ Bust that would count."""

    mains: tuple[int, ...]
    insured: tuple[int, ...]
    outage_periods: tuple[OutagePeriod, ...] = ()
    """When which readers were lost, one time after another; empty where none was."""
    main_changes_to_come: tuple[tuple[int, int, int], ...] = ()
    """Changes of main zones of such readers that are yet to happen: the box, the first moment, and what lies there."""
    unwatched: frozenset[int] = frozenset()
    """Boxes whose chips no reader watches at the moment."""
    back: frozenset[int] = frozenset()
    """Those of them whose reader comes back."""
    exchanged: frozenset[int] = frozenset()
    """Those of them where other chips lie in the end."""
    cleared: frozenset[int] = frozenset()
    """Those of them where these may be the next bet after a broken hand, however the house takes busts."""

    def during(self, period: int) -> Layout:
        """The layout in one of its periods."""
        now = self.outage_periods[period]
        return replace(self, unwatched=now.unwatched, back=now.back, exchanged=now.exchanged, cleared=now.cleared)


NEVER_ENDS: Final = 1 << 62
"""A moment after every moment, in nanoseconds: what has not ended."""


class DatedObservation(Value, frozen=True, tag=False):
    """Evidence with the first and the last moment it may belong to, and the number of its reading."""

    first_ns: int
    last_ns: int
    item: Observation
    number: int = 0

    def precedes(self, later: DatedObservation) -> bool:
        """Whether this one, which arrived first, must lie before a later one."""
        if self.last_ns < later.first_ns:
            return True
        same = _lane(self.item)
        return same is not None and same == _lane(later.item)

    def chips_at(self, box: int, zone: str) -> ChipsObserved | None:
        """The change in a zone of a box that this is evidence of; None: it is evidence of something else."""
        item = self.item
        return item if isinstance(item, ChipsObserved) and (item.box, item.zone) == (box, zone) else None


def _lane(item: Observation) -> tuple[int, str] | str | None:
    """What keeps its order of arrival whatever the times say: cards among themselves, changes of one zone."""
    match item:
        case CardObserved():
            return "cards"
        case ChipsObserved(box, zone):
            return box, zone
        case _:
            return None


def slackened(evidence: tuple[DatedObservation, ...], dated: DatedObservation) -> tuple[DatedObservation, ...]:
    """Evidence with one more piece, where a press may belong one card earlier or later (``key_slack``).

    It lies after the last card but one before it, and before the second card after it; against chips between these
    cards it has no order. Until that card has come a press is open to the future, and nothing that rests on it is
    certain.
    """
    cards = [at for at, one in enumerate(evidence) if isinstance(one.item, CardObserved)]
    if isinstance(dated.item, KeyObserved):
        first_ns = evidence[cards[-2]].first_ns + 1 if len(cards) > 1 else 0
        dated = replace(dated, first_ns=min(dated.first_ns, first_ns), last_ns=NEVER_ENDS)
    if not isinstance(dated.item, CardObserved):
        return (*evidence, dated)
    last_ns = dated.last_ns - 1
    since, until = ([0, 0] + [at + 1 for at in cards])[-2:]
    late = (
        replace(one, last_ns=max(one.first_ns, last_ns)) if isinstance(one.item, KeyObserved) else one
        for one in evidence[since:until]
    )
    return (*evidence[:since], *late, *evidence[until:], dated)


DatedMove = tuple[DatedObservation, ChipsObserved]
"""A change of a box's main zone, with what it is."""


def main_moves(evidence: Iterable[DatedObservation]) -> dict[int, list[DatedMove]]:
    """The changes of each box's main zone, in the order of the evidence."""
    moves = dict[int, list[DatedMove]]()
    for one in evidence:
        if isinstance(one.item, ChipsObserved) and one.item.zone == "main":
            moves.setdefault(one.item.box, []).append((one, one.item))
    return moves
