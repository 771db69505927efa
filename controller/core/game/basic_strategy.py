"""A player who plays by the total: the strategy under which the main game's edge is measured.

It looks at the hand's total, whether an ace counts as eleven, the up card and what the rules allow; never at which
cards make the total, at other boxes or at what has left the shoe. The tables are written out in
``docs/reference/par.md``.
"""

from __future__ import annotations

from typing import Final

from controller.core.game.hand import points_of, total
from controller.core.game.play import Play
from controller.core.game.position import Hand, Node
from controller.core.game.rules import Rules

_ACE: Final = 1

StrategyTable = dict[int, frozenset[int]]
"""Up cards (1: ace) against which something is done, by the hand's total or the pair's points."""


def ups(text: str) -> frozenset[int]:
    """``"2-7 9 A"`` -> the up cards two to seven, nine and the ace."""
    found: set[int] = set()
    for part in text.replace("A", str(_ACE)).split():
        first, _, last = part.partition("-")
        found.update(range(int(first), int(last or first) + 1))
    return frozenset(found)


def _table(rows: dict[int, str]) -> StrategyTable:
    """A table from its rows as text."""
    return {total_: ups(text) for total_, text in rows.items()}


HARD_STANDS: Final = _table({12: "4-6", 13: "2-6", 14: "2-6", 15: "2-6", 16: "2-6"})
"""Below 12 a hard hand is hit, from 17 on it stands."""
HARD_DOUBLES: Final = {
    "stand": _table({9: "3-6", 10: "2-9", 11: "2-10"}),
    "hit": _table({9: "3-6", 10: "2-9", 11: "2-10 A"}),
}
"""By what the dealer does on soft 17, as the two tables after it."""
SOFT_DOUBLES: Final = {
    "stand": _table({13: "5-6", 14: "5-6", 15: "4-6", 16: "4-6", 17: "3-6", 18: "3-6"}),
    "hit": _table({13: "5-6", 14: "5-6", 15: "4-6", 16: "4-6", 17: "3-6", 18: "2-6", 19: "6"}),
}
SURRENDERS: Final = {
    "stand": _table({15: "10", 16: "9-10 A"}),
    "hit": _table({15: "10 A", 16: "9-10 A", 17: "A"}),
}
SOFT_18_STANDS: Final = ups("2-8")
"""Below 18 a soft hand is hit, from 19 on it stands."""
SPLITS: Final = {
    True: _table({1: "2-10 A", 2: "2-7", 3: "2-7", 4: "5-6", 6: "2-6", 7: "2-7", 8: "2-10 A", 9: "2-6 8-9"}),
    False: _table({1: "2-10 A", 2: "4-7", 3: "4-7", 6: "3-6", 7: "2-7", 8: "2-10 A", 9: "2-6 8-9"}),
}
"""By whether a split hand may be doubled; fives and tens are never split."""


def choose(play: Play, node: Node, hand: Hand) -> str:
    """The act of the hand in play: ``surrender``, ``split``, ``double``, ``hit`` or ``stand``, one the rules allow."""
    rules, up = play.rules, play.up_points
    points = tuple(points_of(card) for card in hand.cards)
    best, soft = total(points)
    pair = points[0] if play.may_split(node, hand) else 0
    if (
        rules.surrender == "late"
        and play.untouched_hand(node, node.acting)
        and _gives_up(rules, best, pair, up, soft=soft)
    ):
        return "surrender"
    if pair and up in SPLITS[rules.double_after_split].get(pair, frozenset()):
        return "split"
    doubles = (SOFT_DOUBLES if soft else HARD_DOUBLES)[rules.soft_17]
    if up in doubles.get(best, frozenset()) and play.may_double(node, hand):
        return "double"
    # A split ace that gets one card only is never asked, save for a pair of aces, and that was split above.
    return "stand" if stands(best, up, soft=soft) else "hit"


def _gives_up(rules: Rules, best: int, pair: int, up: int, *, soft: bool) -> bool:
    """Whether an untouched hand is surrendered; eights only against an ace whose dealer hits soft 17."""
    if soft or (pair == 8 and not (up == _ACE and rules.soft_17 == "hit")):
        return False
    return up in SURRENDERS[rules.soft_17].get(best, frozenset())


def stands(best: int, up: int, *, soft: bool) -> bool:
    """Whether a hand that is neither split nor doubled stops."""
    if soft:
        return best > 18 or (best == 18 and up in SOFT_18_STANDS)
    return best > 16 or up in HARD_STANDS.get(best, frozenset())
