"""What each wager may be due over all legal plays, as far as the evidence goes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import product
from typing import Final, NamedTuple

from controller.core.game.hand import Outcome, holes_that_draw, is_natural, points_of, total
from controller.core.game.play import Play
from controller.core.game.position import EVEN_MONEY, SURRENDERED, BoxStatus, Node
from controller.core.game.settlement import DRAWN, NATURAL, DealerEnd, Net, insurance_net, main_net
from controller.core.inference.lattice import Frontier, Lattice, OutcomesByBox

_WAYS_TOLD: Final = 3
"""Explanations published of a net on which the plays agree in cents only; more would not help."""

_UNPLAYED: Final = frozenset({BoxStatus.NATURAL, EVEN_MONEY, SURRENDERED})
"""Boxes that ended on their first two cards."""


class Due(NamedTuple):
    """The nets a wager may have, each with why; None stands for a future that is still open."""

    nets: frozenset[Net]
    known: bool

    def cents(self) -> tuple[int, ...]:
        """The different nets, ascending."""
        return tuple(sorted({net.cents for net in self.nets}))

    def certain(self) -> Net | None:
        """The one net all plays agree on, explained, or None."""
        if not self.known or len(self.cents()) != 1:
            return None
        return agreed(self.nets)


def agreed(nets: Iterable[Net]) -> Net:
    """One net for several of the same cents; where the plays explain them differently it says no more than is known."""
    ways = sorted({net.why: net for net in nets}.items(), key=lambda way: (len(way[0]), way[0]))
    net = ways[0][1]
    if len(ways) == 1:
        return net
    name = "agreed_few" if len(ways) <= _WAYS_TOLD else "agreed"
    return Net(net.cents, ((name, "; or: ".join(why for why, _ in ways)),))


def dealer_ends(play: Play, node: Node, hole_points: int | None) -> frozenset[DealerEnd]:
    """How the dealer may yet end at ``node``; ``hole_points`` None: the hole card has not been turned."""
    complete = play.holes(node, drawing=False) if play.all_played(node) else 0
    if complete and play.rules.hole_card == "none" and not node.second:
        # No box waits for it: no natural is known, and a broken hand loses whatever the dealer would have had.
        return frozenset((DealerEnd(natural=False, total=total((play.up_points,))[0]),))
    # Where no hole card is dealt the dealer's second card comes face up.
    points = points_of(node.second) if node.second else hole_points
    # What the boxes have played says no more of it: the same few hands are judged at every reading.
    key = node.hole, node.drawn, complete, points
    ends = play.dealer_ends.get(key)
    if ends is None:
        ends = play.dealer_ends[key] = frozenset(_dealer_ends(play, *key))
    return ends


def _dealer_ends(
    play: Play, holes: int, cards: tuple[int, ...], complete: int, hole_points: int | None
) -> Iterator[DealerEnd]:
    """How a hand of the dealer's may end that has drawn ``cards`` and stays as it is with the ``complete`` holes."""
    up, drawn = play.up_points, tuple(points_of(card) for card in cards)
    if hole_points is not None:
        holes &= 1 << hole_points
        # Whatever the boxes still do, a dealer's hand that need not draw stays as it is.
        complete |= ~holes_that_draw(up, drawn, play.rules.soft_17 == "hit")
    open_still = False
    for hole in range(1, 11):
        if not holes >> hole & 1:
            continue
        if not drawn and {up, hole} == {1, 10}:
            yield NATURAL
        elif hole_points is not None and complete >> hole & 1:
            yield DealerEnd(natural=False, total=min(total((up, hole, *drawn))[0], 22))
        else:
            open_still = True
    if open_still:
        yield from DRAWN


def _outcomes(play: Play, node: Node, outcomes: OutcomesByBox, box: int) -> frozenset[Outcome]:
    """How a box may have ended at ``node``; empty while it may still play."""
    if outcomes[box]:
        return outcomes[box]
    kind = node.boxes[box].kind
    if node.dealt < play.deal_cards and play.deal.up and not play.naturals_wait and _is_natural_dealt(play, box):
        return frozenset((play.undecided_outcome(box, BoxStatus.NATURAL),))
    if node.dealt == play.deal_cards and kind in _UNPLAYED:
        return frozenset((play.undecided_outcome(box, kind),))
    return frozenset()


def _is_natural_dealt(play: Play, box: int) -> bool:
    """Whether a box has been dealt an ace and a ten, whichever box still waits for a second card."""
    cards = play.deal.initial[box]
    return len(cards) == 2 and is_natural(*cards)


def net_of(play: Play, outcome: Outcome, end: DealerEnd, *, even_money: bool) -> Net:
    """``main_net`` under the rules of one game, remembered: the same few hands are judged at every reading."""
    key = outcome, end, even_money
    net = play.nets.get(key)
    if net is None:
        net = play.nets[key] = main_net(play.rules, outcome, end, even_money=even_money)
    return net


def main_due(lattice: Lattice, frontier: Frontier, box: int, hole_points: int | None) -> Due:
    """The nets of a box's main wager over all plays."""
    play = lattice.game
    nets: set[Net] = set()
    known = True
    for node, outcomes in frontier.items():
        ended = _outcomes(play, node, outcomes, box)
        known = known and bool(ended) and not even_money_may_come(play, node, box)
        paid = node.boxes[box].kind is EVEN_MONEY
        for end in dealer_ends(play, node, hole_points):
            nets.update(net_of(play, outcome, end, even_money=paid) for outcome in ended)
    return Due(frozenset(nets), known)


def even_money_may_come(play: Play, node: Node, box: int) -> bool:
    """Whether a natural may still be paid even money, by its chips or, while it is offered, by key."""
    asked = node.offers and play.rules.even_money and play.up_points == 1 and node.boxes[box].kind is BoxStatus.NATURAL
    return asked or play.even_money_may_show(node, box)


def certain_main_nets(
    lattice: Lattice, frontier: Frontier, boxes: Iterable[int], hole_points: int | None
) -> dict[int, Net | None]:
    """The nets of the main wagers, of these boxes, on which all plays agree; found sooner than all that they may be."""
    play = lattice.game
    agreed_cents: dict[int, tuple[int, ...]] = dict.fromkeys(boxes, ())
    even_money = play.rules.even_money and play.up_points == 1
    for node, outcomes in frontier.items():
        ends = dealer_ends(play, node, hole_points)
        for box, known_cents in list(agreed_cents.items()):
            ended = outcomes[box] or _outcomes(play, node, outcomes, box)
            if not ended or (even_money and even_money_may_come(play, node, box)):
                del agreed_cents[box]
                continue
            paid = node.boxes[box].kind is EVEN_MONEY
            found_cents = _first_two_cents(play, ended, ends, even_money=paid)
            if len({*known_cents, *found_cents}) > 1:
                del agreed_cents[box]
            else:
                agreed_cents[box] = known_cents or found_cents
        if not agreed_cents:
            break
    known = [box for box, cents in agreed_cents.items() if cents]
    return {box: main_due(lattice, frontier, box, hole_points).certain() for box in known}


def _first_two_cents(
    play: Play, ended: frozenset[Outcome], ends: frozenset[DealerEnd], *, even_money: bool
) -> tuple[int, ...]:
    """The nets in cents of a box that ended in one of these ways against these ends of the dealer's; two are enough."""
    key = ended, ends, even_money
    known = play.cents.get(key)
    if known is None:
        found: list[int] = []
        for outcome, end in product(ended, ends):
            cents = net_of(play, outcome, end, even_money=even_money).cents
            if cents not in found:
                found.append(cents)
            if len(found) > 1:
                break
        known = play.cents[key] = tuple(found)
    return known


def insurance_due(lattice: Lattice, frontier: Frontier, box: int, hole_points: int | None) -> Due | None:
    """The nets of a box's insurance over all plays; None if no play has it."""
    play = lattice.game
    if not play.insurance_offered():
        return None
    insured = {node.insured[box] if node.insured else 0 for node in frontier}
    if not any(insured):
        return None
    known = all(not node.offers for node in frontier)
    nets: set[Net] = set()
    for node in frontier:
        cents, natural = node.insured[box] if node.insured else 0, _natural_known(play, node, hole_points)
        if not cents:
            nets.add(Net(0, (("no_insurance",),)))
        elif natural is None:
            known = False
        else:
            nets.add(insurance_net(lattice.rules, cents, dealer_natural=natural))
    return Due(frozenset(nets), known)


def _natural_known(play: Play, node: Node, hole_points: int | None) -> bool | None:
    """Whether the dealer has a natural in a play, as far as the table may know; None: not yet.

    Known is the turned hole card, a second card dealt face up, and what a device's check let go on.
    """
    if hole_points is not None:
        return {play.up_points, hole_points} == {1, 10}
    if node.second:
        return {play.up_points, points_of(node.second)} == {1, 10}
    passed = not node.hole & play.natural_hole
    if play.rules.hole_check == "device" and passed and play.rules.losing_insurance_taken == "when_known":
        return False
    return None


def agreed_drawn(frontier: Frontier) -> tuple[int, ...] | None:
    """The dealer's cards after the boxes had played, where every play agrees on them."""
    found = {node.dealers() for node in frontier}
    return found.pop() if len(found) == 1 else None
