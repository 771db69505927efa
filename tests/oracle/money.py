"""What a position is worth: nets in cents, exact at the end, and before it where no card can change them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache

from tests.oracle.house import House, dealer_draws, is_natural, total
from tests.oracle.position import Box, Position


def main_net(house: House, position: Position, box: Box) -> int:
    """The net of the main wager with all its doubles and splits. The dealer's hand is complete."""
    dealer = position.ranks(position.dealer)
    wager, unit = box.wager, house.payout_unit_cents
    if box.even:
        return wager
    if box.surrendered:
        return -wager if is_natural(dealer) else wager // 2 // unit * unit - wager
    if position.natural(box):
        return 0 if is_natural(dealer) else wager * 3 // 2 // unit * unit
    if is_natural(dealer):
        return -wager
    net = 0
    for hand in box.hands:
        stake, count = hand.base + hand.extra, total(position.ranks(hand.cards))
        against = total(dealer) if total(dealer) <= 21 else 0
        if count > 21 or count < against:
            net -= stake
        elif count > against:
            net += stake
    return net


def insurance_net(position: Position, box: Box) -> int:
    return 2 * box.insured if is_natural(position.ranks(position.dealer)) else -box.insured


@lru_cache(maxsize=4096)
def drawn_ranks(house: House, ranks: str) -> tuple[str, ...]:
    """What the dealer may still draw to these ranks, one example for each different end (a total, or broke)."""
    if total(ranks) > 21 or (len(ranks) > 1 and not dealer_draws(house, ranks)):
        return ("",)
    found: dict[tuple[int, bool], str] = {}
    for rank in "A23456789T":
        for more in drawn_ranks(house, ranks + rank):
            end = ranks + rank + more
            found.setdefault((min(total(end), 22), is_natural(end)), rank + more)
    return tuple(found.values())


def dealer_ends(house: House, position: Position) -> Iterator[Position]:
    """Every different way the dealer's hand may still end."""
    place = len(position.faces)
    for ranks in drawn_ranks(house, position.ranks(position.dealer)):
        faces = (*position.faces, *(rank + "c" for rank in ranks))
        yield replace(position, faces=faces, dealer=(*position.dealer, *range(place, place + len(ranks))))


def ways_to_end(house: House, position: Position) -> list[Position]:
    """Which dealer's hands the position may still meet (only those that need a card get one)."""
    if position.complete(house):
        return [position]
    return list(dealer_ends(house, position))


def box_nets(house: House, position: Position, box: Box, ends: list[Position]) -> dict[str, set[int | None]]:
    """The nets a box's main wager and insurance may come to; None stands for a hand still in play."""
    finished = all(hand.over for hand in box.hands)
    nets: dict[str, set[int | None]] = {
        "main": {main_net(house, end, box) for end in ends} if finished or box.even else {None},
    }
    naturals = {insurance_net(end, box) for end in ends}
    nets["insurance"] = {*naturals}
    return nets
