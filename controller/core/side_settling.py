"""Side wagers of the open round: settled as soon as the cards that lie open decide them in every play."""

from __future__ import annotations

from collections.abc import Iterator

from controller.core.desk import Desk
from controller.core.events import Basis, WagerOpen, WagerSettled
from controller.core.judging import Judged, hole_points, resting_on, tell_settled
from controller.core.side_bet import SideNet, find
from controller.core.side_dues import Felt, side_due, sides
from controller.core.stories import Sides
from controller.core.worlds import Ended, Judgement


def offered_later(bet: str) -> bool:
    """Whether a side wager is placed after the deal."""
    return find(bet).placed == "after_deal"


def dues(desk: Desk, judged: Judged, *, closed: bool) -> Iterator[tuple[int, str, int, set[SideNet | None]]]:
    """Each unsettled side wager of the boxes: box, bet, what was staked, and what it may come to."""
    round_now = desk.round()
    faces = [card.shown() for card in round_now.cards]
    ended = Ended(judged.found, judged.frontier, judged.points, 1)
    felt = Felt(desk.rules, faces, len(round_now.spots), round_now.hole_place(), Judgement((ended,), closed))
    staked = {(wager.spot, wager.bet): wager.cents for wager in round_now.wagers}
    for box, spot in enumerate(round_now.spots):
        for bet in desk.rules.side_bets:
            if (spot, bet) in round_now.settled:
                continue
            nets = side_due(felt, box, bet, staked.get((spot, bet), 0))
            if nets is not None:
                yield box, bet, wager_cents(judged, box, staked.get((spot, bet), 0)), nets


def sides_of(desk: Desk) -> Sides:
    """What the side wagers of the open round come to where it has ended."""
    round_now = desk.round()
    faces = [card.shown() for card in round_now.cards]
    ended = Ended(desk.lattice(), {}, hole_points(desk), 1)
    felt = Felt(desk.rules, faces, len(round_now.spots), round_now.hole_place(), Judgement((ended,), closed=True))
    staked = {
        (round_now.spots.index(wager.spot), wager.bet): wager.cents
        for wager in round_now.wagers
        if wager.bet in desk.rules.side_bets and wager.spot in round_now.spots
    }
    return sides(felt, staked, desk.lattice().play().offered_zone)


def wager_cents(judged: Judged, box: int, staked_cents: int) -> int:
    """What was staked before the deal, or what the plays count of a wager placed after it."""
    return staked_cents or max((node.insured[box] if node.insured else 0 for node in judged.frontier), default=0)


def settle_sides(desk: Desk, judged: Judged, *, closed: bool) -> None:
    """Publish every side wager on which all plays agree."""
    for box, bet, staked_cents, nets in dues(desk, judged, closed=closed):
        if None in nets or len({net.cents for net in nets if net is not None}) != 1:
            continue
        if offered_later(bet) and any(node.offers for node in judged.frontier):
            continue
        net = min(net for net in nets if net is not None)
        spot = desk.round().spots[box]
        basis = Basis.ANSWER if desk.round().by_people() else Basis.EVIDENCE
        fields = (desk.round().number, spot, bet, staked_cents, net.cents)
        tell_settled(desk, WagerSettled(*fields, basis, resting_on(judged.found, box), net.why))


def sides_differ(desk: Desk) -> bool:
    """Whether plays that are over differ on what a side wager of the open round comes to."""
    points = hole_points(desk)
    if points is None:
        return False
    judged = Judged(desk.lattice(), desk.lattice().ends(points), points)
    return any(len(nets) > 1 for _, _, _, nets in dues(desk, judged, closed=True))


def sides_open(desk: Desk, judged: Judged) -> Iterator[WagerOpen]:
    """Side wagers that no settlement has been found for; a row of a meter waits for the progressive."""
    for box, bet, staked_cents, nets in dues(desk, judged, closed=True):
        possible = tuple(sorted({net.cents for net in nets if net is not None}))
        yield WagerOpen(desk.round().number, desk.round().spots[box], bet, staked_cents, possible)
