"""What side wagers may be due over all legal plays of a round."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import product
from typing import NamedTuple

from controller.core.game.hand import FACE_RANKS, place_of, rank_of
from controller.core.game.position import BROKEN, Node
from controller.core.game.rules import Rules
from controller.core.game.side_bet import PUSH, SideNet, View, find, fixed_net_cents, terms_of
from controller.core.inference.unread_cards import HoleHypothesis, Judgement
from firmware_protocols.cards import DECK, Card


class SideEvidence(NamedTuple):
    """A round as side wagers see it: the faces in the order drawn (None: unread) and all its plays."""

    rules: Rules
    faces: list[Card | None]
    boxes: int
    hole_place: int
    judgement: Judgement
    awards: Mapping[tuple[int, str], int] | None = None
    """What a meter has awarded, by box and bet; a row of a meter that is not among them is not decided."""

    def side_due(self, box: int, bet: str, wager_cents: int) -> set[SideNet | None] | None:
        """What a side wager may come to; None among it where the cards do not decide yet; None: there is no such wager.

        A wager placed before the deal is ``wager_cents``; one placed after it is what each play counts.
        """
        placed_later = find(bet).placed == "after_deal"
        if not wager_cents and not placed_later:
            return None
        nets: set[SideNet | None] = set()
        made = not placed_later
        for end in self.judgement.ended:
            if placed_later and end.lattice.game.offered_zone != bet:
                continue
            for node in end.frontier:
                made = made or bool(node.insured and node.insured[box])
                nets.update(self.due_at(end, (box, bet), node, wager_cents))
        return nets if made else None

    def due_at(
        self, end: HoleHypothesis, wager: tuple[int, str], node: Node, wager_cents: int
    ) -> Iterator[SideNet | None]:
        """What a side wager comes to at one node, over every face an unread card may have; None: it is not decided."""
        box, bet = wager
        placed_later = find(bet).placed == "after_deal"
        cents = (node.insured[box] if node.insured else 0) if placed_later else wager_cents
        if placed_later and node.offers:
            # While it is offered its chips may still change.
            yield None
        elif cents:
            yield from _nets_at(self, end, wager, node, cents)
        else:
            yield SideNet(0, bet, PUSH)

    def rows_of(self, box: int, bet: str) -> set[str | None]:
        """The rows that a wager made before the deal may have; None among them where the cards do not decide yet."""
        return {
            row
            for end in self.judgement.ended
            for node in end.frontier
            for row in _rows_at(self, end, (box, bet), node)
        }

    def faces_at(self, end: HoleHypothesis, place: int) -> tuple[Card, ...]:
        """The face of a card; of an unread one every face that these plays take for it."""
        face = self.faces[place]
        if face is not None:
            return (face,)
        rank = rank_of(end.lattice.cards[place])
        if rank:
            return tuple(face for face in DECK if FACE_RANKS[face] == rank)
        if place == self.hole_place and end.points is not None:
            return tuple(face for face in DECK if min(FACE_RANKS[face], 10) == end.points)
        return DECK

    def views_at(self, end: HoleHypothesis, box: int, node: Node) -> Iterator[View]:
        """What a box's wagers look at, its two cards and the up card dealt, over every face an unread card may have."""
        places = [box, box + self.boxes + 1, self.boxes]
        if end.points is not None and self.hole_place >= 0:
            places += [self.hole_place, *(place_of(card) for card in node.drawn)]
        elif self.hole_place < 0:
            places += [place_of(card) for card in node.dealers()]
        complete = _is_complete(self, end, node)
        played = complete or end.lattice.game.all_played(node)
        broke = all(one.kind is BROKEN for one in node.boxes) if played else None
        for first, second, up, *rest in product(*(self.faces_at(end, place) for place in places)):
            # Where no hole card is dealt the up card may be all there is in the end.
            dealer = (up, *rest) if rest or (complete and self.hole_place < 0) else ()
            yield View(first, second, up, dealer, complete, broke)


def nets_listed(nets: set[SideNet | None]) -> list[int]:
    """The cents of these nets, ascending; none where one of them is not decided yet."""
    return [] if None in nets else sorted({net.cents for net in nets if net is not None})


def _nets_at(
    felt: SideEvidence, end: HoleHypothesis, wager: tuple[int, str], node: Node, cents: int
) -> Iterator[SideNet | None]:
    """The nets of a box's bet at one node, over every face an unread card may have; None: it is not decided."""
    terms = terms_of(felt.rules, wager[1])
    won = None if felt.awards is None else felt.awards.get(wager)
    for row in _rows_at(felt, end, wager, node):
        net = None if row is None else fixed_net_cents(terms, row, cents)
        if net is None and row in terms.meter_shares and won is not None:
            net = won - cents
        yield None if row is None or net is None else SideNet(net, wager[1], row)


def _rows_at(felt: SideEvidence, end: HoleHypothesis, wager: tuple[int, str], node: Node) -> Iterator[str | None]:
    """The rows of a box's bet at one node, over every face an unread card may have; None: the cards do not decide."""
    box, bet = wager
    terms = terms_of(felt.rules, bet)
    if len(felt.faces) <= box + felt.boxes + 1:
        yield None
        return
    for view in felt.views_at(end, box, node):
        yield find(bet).row(terms, view)


def _is_complete(felt: SideEvidence, end: HoleHypothesis, node: Node) -> bool:
    """Whether the dealer's hand lies open and takes no more cards."""
    play = end.lattice.game
    hidden = felt.hole_place >= 0 and end.points is None
    if felt.judgement.closed:
        return True
    if hidden or not play.finished(node):
        return False
    holes = play.holes(node, drawing=True)
    return not (holes if end.points is None else holes & 1 << end.points)


def sides(
    felt: SideEvidence, staked: Mapping[tuple[int, str], int], offered: str
) -> Callable[[Node], tuple[object, ...]]:
    """What the side wagers of a round come to where it has ended, by box and bet.

    Of ``felt`` one judged end counts, the first. ``staked`` is what was staked before the deal, in cents, ``offered``
    what could be staked after it. A row of a
    meter, whose amount is not known here, counts as one amount; an unread card leaves several.
    """
    known: dict[tuple[object, ...], tuple[object, ...]] = {}
    before = [(key, cents) for key, cents in sorted(staked.items()) if find(key[1]).placed == "before_deal"]
    later = [offered] if offered in felt.rules.side_bets else []

    def at(node: Node) -> tuple[object, ...]:
        key = node.drawn, node.second, node.insured, all(one.kind is BROKEN for one in node.boxes)
        if key not in known:
            made = [((box, bet), cents) for bet in later for box, cents in enumerate(node.insured)]
            known[key] = tuple(_came_to(felt, *wager, node, cents) for wager, cents in (*before, *made) if cents)
        return known[key]

    return at


def _came_to(felt: SideEvidence, box: int, bet: str, node: Node, cents: int) -> tuple[object, ...]:
    """A side wager where a round has ended: its box, and its nets."""
    nets = _nets_at(felt, felt.judgement.ended[0], (box, bet), node, cents)
    return box, bet, frozenset(None if net is None else net.cents for net in nets)
