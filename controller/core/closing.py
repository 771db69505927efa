"""A round's end: settle what is certain, ask about the rest, hand what nobody can explain to the floor."""

from __future__ import annotations

from controller.core.census import Census
from controller.core.desk import Desk
from controller.core.dues import agreed_drawn
from controller.core.events import RoundClosed, WagerOpen
from controller.core.hand import place_of
from controller.core.judging import Judged, dues, hole_points, known_until, latest, publish, wager_of
from controller.core.reconstruction import Frontier
from controller.core.state import Round


def close(desk: Desk) -> None:
    """The round is over: settle what is certain, say what is open, hand the rest to the floor."""
    round_now = desk.round()
    if not round_now.cards:
        desk.tell(RoundClosed(round_now.number, (), 0, "void"))
    else:
        if round_now.doubt:
            desk.irregular("nobody said whether cards were missed")
        elif known_until(desk) < latest(desk):
            desk.irregular("the readers had not confirmed the layout when the next round began")
        elif not round_now.trouble and not finish(desk):
            desk.irregular("the round was closed before it could end")
        if desk.round().trouble:
            hand_to_floor(desk)
    desk.change(round=None)
    desk.found = None


def hand_to_floor(desk: Desk) -> None:
    """An irregular round ends unsettled; its cards are opened, as they lie on the felt for all to see."""
    for place in range(len(desk.round().cards)):
        if place == desk.round().hole_place():
            desk.turn_hole()
        else:
            desk.open_card(place)
    desk.tell(RoundClosed(desk.round().number, (), 0, "irregular"))


def finish(desk: Desk) -> bool:
    """Settle a round that some legal play brings to its end; False if none does."""
    if len(desk.round().cards) <= desk.round().hole_place():
        return False
    desk.turn_hole()
    points = hole_points(desk)
    ends = desk.lattice().ends(points) if points is not None else {}
    if points is None or not ends:
        return False
    judged = Judged(desk.lattice(), ends, points)
    publish(desk, judged)
    still_open = False
    for box, spot in enumerate(desk.round().spots):
        for bet, due in dues(judged, box):
            if (spot, bet) not in desk.round().settled:
                still_open = True
                desk.tell(WagerOpen(desk.round().number, spot, bet, wager_of(judged, box, bet) or 0, due.cents()))
    plays = Census(judged.found, points).plays()
    outcome = "open" if still_open else "settled"
    desk.tell(RoundClosed(desk.round().number, dealer_cards(desk.round(), ends), plays, outcome))
    return True


def dealer_cards(round_now: Round, ends: Frontier) -> tuple[int, ...]:
    """The numbers of the dealer's cards where every play agrees on them."""
    drawn = agreed_drawn(ends)
    if drawn is None:
        return ()
    places = (len(round_now.spots), round_now.hole_place(), *(place_of(card) for card in drawn))
    return tuple(round_now.cards[place].number for place in places)
