"""The aggregate limit over the side wagers of a round while its plays may still differ (A35).

How far a win is lowered hangs on every other win of the round, also on those that later cards decide and on wagers
that may still be made. So of a play a win is known only if whatever may still come leaves it the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import product
from typing import Final

from controller.core.play import Kind, Node
from controller.core.rules import Rules, Terms
from controller.core.settlement import held_cents
from controller.core.side_bet import SideNet, find, fixed_net_cents, terms_of
from controller.core.side_dues import Felt, due_at, faces_at, side_due
from controller.core.worlds import Ended, Judgement

Wager = tuple[int, str]
"""A box and a side bet."""

UNBOUNDED: Final = 10**18
"""Cents that wins may come to where wagers may still be made; no wins are so much."""


def side_dues(felt: Felt, staked: Mapping[Wager, int]) -> dict[Wager, set[SideNet | None]]:
    """What each side wager of a round may come to, the aggregate limit applied; None among it: not decided yet.

    ``staked`` is what was staked before the deal, in cents. Wagers that were not made are not in the answer.
    """
    wagers = ((box, bet) for box in range(felt.boxes) for bet in felt.rules.side_bets)
    dues = ((wager, side_due(felt, *wager, staked.get(wager, 0))) for wager in wagers)
    found = {wager: nets for wager, nets in dues if nets is not None}
    if not felt.rules.aggregate_limit_cents:
        return found
    held: dict[Wager, set[SideNet | None]] = {wager: set() for wager in found}
    for known in told_apart(felt):
        (end,) = known.judgement.ended
        # Nodes that differ in nothing a side wager looks at come to the same.
        for node in {looked_at(node): node for node in end.frontier}.values():
            for wager, net in held_at(known, end, node, {wager: staked.get(wager, 0) for wager in found}):
                held[wager].add(net)
    return held


def looked_at(node: Node) -> tuple[object, ...]:
    """What side wagers look at of a node."""
    return node.drawn, node.second, node.insured, node.offers, all(box.kind is Kind.BROKEN for box in node.boxes)


def told_apart(felt: Felt) -> Iterator[Felt]:
    """The round once for each assumption about the faces of its unread cards; a closed hole card stays closed."""
    for end in felt.judgement.ended:
        unread = [place for place, face in enumerate(felt.faces) if face is None]
        if end.points is None and felt.hole_place in unread:
            unread.remove(felt.hole_place)
        for faces in product(*(faces_at(felt, end, place) for place in unread)):
            assumed = dict(zip(unread, faces, strict=True))
            known = [assumed.get(place, face) for place, face in enumerate(felt.faces)]
            yield felt._replace(faces=known, judgement=Judgement((end,), felt.judgement.closed))


def held_at(felt: Felt, end: Ended, node: Node, staked: Mapping[Wager, int]) -> Iterator[tuple[Wager, SideNet | None]]:
    """What each wager comes to at one node of a round without unread cards."""
    rules, play = felt.rules, end.found.play()
    offered = play.offered_zone
    nets: dict[Wager, SideNet | None] = {}
    least = most = 0
    for wager in (wager for wager in staked if find(wager[1]).placed == "before_deal" or wager[1] == offered):
        box, bet = wager
        (net,) = due_at(felt, end, wager, node, staked[wager])
        nets[wager] = net
        if net is None:
            # Nothing was staked before the deal on what is made after it.
            cents = staked[wager] or (node.insured[box] if node.insured else 0)
            most += most_cents(terms_of(rules, bet), cents)
        elif is_win(rules, net):
            least, most = least + net.cents, most + net.cents
    if offered in rules.side_bets and (node.offers or node.dealt < play.deal_cards or end.found.silences):
        # A wager may still be laid, or may have been laid unseen.
        most = UNBOUNDED
    for wager, net in nets.items():
        yield wager, net if net is None or not is_win(rules, net) else held_win(rules, net, least, most)


def is_win(rules: Rules, net: SideNet) -> bool:
    """Whether a wager wins at fixed odds: what a meter pays is not held to the limit."""
    return net.cents > 0 and net.row not in terms_of(rules, net.bet).meter_shares


def most_cents(terms: Terms, stake_cents: int) -> int:
    """The most that a wager may win at fixed odds."""
    wins = (fixed_net_cents(terms, row, stake_cents) or 0 for row in (*terms.pays, *terms.awards_cents))
    return max((0, *wins))


def held_win(rules: Rules, net: SideNet, least_cents: int, most_cents: int) -> SideNet | None:
    """A win where all wins of the round come to between ``least_cents`` and ``most_cents``; None: not known yet.

    The more is won in all, the less of it is left, so both ends tell of everything between.
    """
    limit = rules.aggregate_limit_cents
    most, least = (held_cents(net.cents, wins, limit) for wins in (least_cents, most_cents))
    return net.lowered(most) if most == least else None
