"""The aggregate limit over the side wagers of a round while its plays may still differ (A35).

How far a win is lowered hangs on every other win of the round, also on those that later cards decide and on wagers
that may still be made. So of a play a win is known only if whatever may still come leaves it the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import product
from typing import Final

from controller.core.game.hand import holes_that_draw, points_of
from controller.core.game.position import BoxStatus, Node
from controller.core.game.rules import Rules
from controller.core.game.settlement import limited_cents
from controller.core.game.side_bet import LOST, PUSH, SideNet, find, fixed_net_cents, terms_of
from controller.core.inference.side_dues import SideEvidence
from controller.core.inference.unread_cards import HoleHypothesis, Judgement
from firmware_protocols.cards import DECK, Card

_Wager = tuple[int, str]
"""A box and a side bet."""

_UNBOUNDED: Final = 10**18
"""Cents that wins may come to where wagers may still be made; no wins are so much."""


def side_dues(felt: SideEvidence, staked: Mapping[_Wager, int]) -> dict[_Wager, set[SideNet | None]]:
    """What each side wager of a round may come to, the aggregate limit applied; None among it: not decided yet.

    ``staked`` is what was staked before the deal, in cents. Wagers that were not made are not in the answer.
    """
    dues = ((wager, felt.side_due(*wager, staked.get(wager, 0))) for wager in _may_be_made(felt, staked))
    found = {wager: nets for wager, nets in dues if nets is not None}
    if not felt.rules.aggregate_limit_cents:
        return found
    limited: dict[_Wager, set[SideNet | None]] = {wager: set() for wager in found}
    for known in _distinguished(felt):
        (end,) = known.judgement.ended
        # Nodes that differ in nothing a side wager looks at come to the same.
        for node in {_looked_at(end, node): node for node in end.frontier}.values():
            for wager, net in _limited_at(known, end, node, {wager: staked.get(wager, 0) for wager in found}):
                limited[wager].add(net)
    return limited


def _may_be_made(felt: SideEvidence, staked: Mapping[_Wager, int]) -> Iterator[_Wager]:
    """The side wagers that were staked before the deal, or that some play may have made after it."""
    later = {end.lattice.game.offered_zone for end in felt.judgement.ended}.intersection(felt.rules.side_bets)
    if staked or later:
        wagers = product(range(felt.boxes), felt.rules.side_bets)
        yield from (wager for wager in wagers if wager[1] in later or wager in staked)


def _looked_at(end: HoleHypothesis, node: Node) -> tuple[object, ...]:
    """What side wagers look at of a node."""
    played, broke = end.lattice.game.all_played(node), all(box.kind is BoxStatus.BROKEN for box in node.boxes)
    return node.dealt, node.drawn, node.second, node.insured, node.offers, played, broke


def _distinguished(felt: SideEvidence) -> Iterator[SideEvidence]:
    """The round once for each assumption about the faces of its unread cards; a closed hole card stays closed."""
    for end in felt.judgement.ended:
        unread = [place for place, face in enumerate(felt.faces) if face is None]
        if end.points is None and felt.hole_place in unread:
            unread.remove(felt.hole_place)
        for faces in product(*(felt.faces_at(end, place) for place in unread)):
            assumed = dict(zip(unread, faces, strict=True))
            known = [assumed.get(place, face) for place, face in enumerate(felt.faces)]
            yield felt._replace(faces=known, judgement=Judgement((end,), felt.judgement.closed))


def _limited_at(
    felt: SideEvidence, end: HoleHypothesis, node: Node, staked: Mapping[_Wager, int]
) -> Iterator[tuple[_Wager, SideNet | None]]:
    """What each wager comes to at one node of a round without unread cards."""
    rules, offered = felt.rules, end.lattice.game.offered_zone
    nets: dict[_Wager, SideNet | None] = {}
    for wager in (wager for wager in staked if find(wager[1]).placed == "before_deal" or wager[1] == offered):
        (nets[wager],) = felt.due_at(end, wager, node, staked[wager])
    won = {net for net in nets.values() if net is not None and is_win(rules, net)}
    # Of a wager made after the deal nothing was staked before it.
    made = {wager: staked[wager] or (node.insured[wager[0]] if node.insured else 0) for wager in nets}
    least, most = _wins_in_all(felt, end, node, made) if won else (0, 0)
    for wager, net in nets.items():
        yield wager, _limited_win(rules, net, least, most) if net in won else net


def is_win(rules: Rules, net: SideNet) -> bool:
    """Whether a wager wins at fixed odds: what a meter pays is not limited."""
    return net.cents > 0 and net.row not in terms_of(rules, net.bet).meter_shares


def _limited_win(rules: Rules, net: SideNet, least_cents: int, most_cents: int) -> SideNet | None:
    """A win where all wins of the round come to between ``least_cents`` and ``most_cents``; None: not known yet.

    The more is won in all, the less of it is left, so both ends tell of everything between.
    """
    limit = rules.aggregate_limit_cents
    most, least = (limited_cents(net.cents, wins, limit) for wins in (least_cents, most_cents))
    return net.lowered(most) if most == least else None


# --- what all wagers of the round may win -----------------------------------------------------------


def _wins_in_all(felt: SideEvidence, end: HoleHypothesis, node: Node, staked: Mapping[_Wager, int]) -> tuple[int, int]:
    """The least and the most that all side wagers of the round may win at fixed odds, once the up card lies there."""
    least = most = 0
    for box in range(felt.boxes):
        made = {wager: cents for wager, cents in staked.items() if wager[0] == box}
        ways = [_wins_together(one, end, node, made) for one in _dealt_out(felt, box)]
        least, most = least + min(low for low, _ in ways), most + max(high for _, high in ways)
    play = end.lattice.game
    later = play.offered_zone
    may_come = node.offers or node.dealt < play.deal_cards or end.lattice.unwatched_offers(later)
    if may_come and later in felt.rules.side_bets and any(_may_win(felt, end, node, box) for box in range(felt.boxes)):
        # A wager may still be laid, or may have been laid unseen.
        most = _UNBOUNDED
    return least, most


def _dealt_out(felt: SideEvidence, box: int) -> Iterator[SideEvidence]:
    """The round with every second card that a box may still be dealt; it has its first, for the up card lies there."""
    place = _second_of(felt, box)
    if place < len(felt.faces):
        yield felt
        return
    between: list[Card | None] = [None] * (place - len(felt.faces))
    for face in DECK:
        yield felt._replace(faces=[*felt.faces, *between, face])


def _wins_together(
    felt: SideEvidence, end: HoleHypothesis, node: Node, staked: Mapping[_Wager, int]
) -> tuple[int, int]:
    """The least and the most that the wagers of a box may win with the two cards it has; meters pay beside it."""
    least = most = 0
    for (box, bet), stake_cents in staked.items():
        terms = terms_of(felt.rules, bet)
        rows = _rows_to_come(felt, end, node, (box, bet))
        cents = [max(0, fixed_net_cents(terms, row, stake_cents) or 0) for row in rows]
        least, most = least + min(cents), most + max(cents)
    return least, most


def _may_win(felt: SideEvidence, end: HoleHypothesis, node: Node, box: int) -> bool:
    """Whether a box's wager made after the deal could still win, of whatever amount."""
    later = end.lattice.game.offered_zone
    terms = terms_of(felt.rules, later)
    return any(row in terms.pays or row in terms.awards_cents for row in _rows_to_come(felt, end, node, (box, later)))


def _second_of(felt: SideEvidence, box: int) -> int:
    """The place of a box's second card."""
    return box + felt.boxes + 1


def _rows_to_come(felt: SideEvidence, end: HoleHypothesis, node: Node, wager: _Wager) -> set[str]:
    """The rows that a wager may still make once its box's two cards lie there."""
    box, bet = wager
    known, terms = find(bet), terms_of(felt.rules, bet)
    (view,) = felt.views_at(end, box, node)
    views = [view]
    if known.row(terms, view) is None and _is_pat(felt, end, node):
        # Whatever the boxes still do, a dealer's hand that need not draw stays as it is.
        views = [view._replace(complete=True, all_broke=broke) for broke in (False, True)]
    rows = {known.row(terms, one) for one in views}
    return {row for row in rows if row is not None} or {LOST, PUSH, *known.rows}


def _is_pat(felt: SideEvidence, end: HoleHypothesis, node: Node) -> bool:
    """Whether the dealer's cards lie open and call for no other."""
    if end.points is None:
        return False
    play = end.lattice.game
    drawn = tuple(points_of(card) for card in node.drawn)
    return not holes_that_draw(play.up_points, drawn, felt.rules.soft_17 == "hit") >> end.points & 1
