"""A round's life: the lock, the cards, the chips, what becomes certain, the close.

An inferred fact waits until the readers have confirmed the layout up to the moment it speaks of: chips laid down before
a card are often reported after it, and nothing published is ever taken back.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import msgspec

from controller.core.census import Census
from controller.core.desk import Desk
from controller.core.dues import Due, agreed_drawn, insurance_due, main_due
from controller.core.events import (
    Basis,
    BetsLocked,
    CardDrawn,
    CardWithoutBets,
    InsuranceTooLarge,
    LateWager,
    LockedWager,
    Pinched,
    RoundClosed,
    UnexplainedChange,
    WagerOpen,
    WagerSettled,
)
from controller.core.facts import Names, inferred
from controller.core.felt import Change
from controller.core.hand import place_of, points_of, seen
from controller.core.moves import CardCame, ChipsMoved, KeySpoke
from controller.core.reconstruction import Dated, Frontier, Reconstruction
from controller.core.state import CardKept, Round
from firmware_protocols.cards import Card
from firmware_protocols.readings import HealthState

PLAYED_ZONES = ("main", "insurance")


def lock(desk: Desk, lock_ns: int) -> bool:
    """No more bets: the wagers are what lies there. False: there is no main wager."""
    wagers = lying(desk)
    spots = tuple(wager.spot for wager in wagers if wager.bet == "main")
    if not spots:
        return False
    number = desk.state.rounds + 1
    desk.change(rounds=number, round=Round(number, lock_ns, spots, wagers))
    desk.found = Reconstruction.begin(desk.rules, desk.round().main_wagers())
    return True


def lying(desk: Desk) -> tuple[LockedWager, ...]:
    """What lies in the zones now, by spot, main first; insurance is no wager yet."""
    zones = [zone for zone in desk.state.felt.values() if zone.cents and zone.name != "insurance"]
    zones.sort(key=lambda zone: (zone.spot, zone.name != "main", zone.name))
    return tuple(LockedWager(zone.spot, zone.name, zone.cents) for zone in zones)


def lock_again(desk: Desk) -> None:
    """A reader reports late what lay there in time: the round is the same, with the wagers as they were."""
    before = desk.round()
    wagers = lying(desk)
    spots = tuple(wager.spot for wager in wagers if wager.bet == "main")
    if not spots:
        desk.tell(*(CardWithoutBets(card.number) for card in before.cards))
        desk.tell(RoundClosed(before.number, (), 0, "void"))
        desk.change(round=None)
        desk.found = None
        return
    desk.change_round(spots=spots, wagers=wagers, evidence=())
    desk.found = Reconstruction.begin(desk.rules, desk.round().main_wagers())
    for dated in before.evidence:
        again = dated
        if isinstance(dated.item, CardCame):
            # With other boxes another card is the hole card.
            again = msgspec.structs.replace(dated, item=CardCame(remembered(desk.round(), place_of(dated.item.card))))
        desk.observe(again, may_drop=isinstance(dated.item, ChipsMoved))


def remembered(round_now: Round, place: int) -> int:
    """A card as the lattice learns it: never the hole card's face, so that nothing before the turn depends on it."""
    face = round_now.cards[place].face
    return place << 4 if face is None or place == round_now.hole_place() else seen(place, face)


# --- evidence ---------------------------------------------------------------------------------------


def card(desk: Desk, face: Card | None, at_ns: int) -> None:
    """A card of the round left the shoe."""
    stamped = desk.stamped
    round_now = desk.round()
    place = len(round_now.cards)
    kept = CardKept(stamped.number, face, stamped.nonce)
    desk.change_round(cards=(*round_now.cards, kept))
    desk.tell(CardDrawn(round_now.number, stamped.number, place, stamped.commitment))
    if face is None and not stamped.closed:
        desk.irregular("a card could not be read")
    if desk.round().trouble:
        return
    told = remembered(desk.round(), place)
    desk.observe(Dated(at_ns, at_ns, CardCame(told), stamped.number), may_drop=False)


def key(desk: Desk, action: str, box: int | None, at_ns: int) -> None:
    """A key that is evidence."""
    if not desk.round().trouble:
        desk.observe(Dated(at_ns, at_ns, KeySpoke(action, box), desk.stamped.number), may_drop=False)


def chips(desk: Desk, change: Change, first_ns: int, last_ns: int) -> None:
    """The chips of a zone changed while a round is open."""
    round_now = desk.round()
    if not round_now.locked and (
        last_ns <= round_now.lock_ns or (not round_now.cards and first_ns < round_now.lock_ns)
    ):
        lock_again(desk)
        return
    if round_now.trouble:
        return
    in_play = change.spot in round_now.spots
    if in_play and change.zone in PLAYED_ZONES:
        item = ChipsMoved(round_now.spots.index(change.spot), change.zone, change.before, change.after)
        explained = desk.observe(Dated(first_ns, last_ns, item, desk.stamped.number), may_drop=True)
        if explained and change.zone == "insurance":
            check_insurance(desk, change)
    else:
        explained = paying(desk) or (in_play and round_now.turned)
    if not explained:
        alert_of(desk, change)


def check_insurance(desk: Desk, change: Change) -> None:
    """More on the insurance line than the card allows is said while it can still be put right."""
    box = desk.round().spots.index(change.spot)
    most = desk.rules.insurance_cap_cents(desk.round().main_wagers()[box])
    if change.after > most and any(node.offers for node in desk.lattice().frontier):
        desk.tell(InsuranceTooLarge(desk.round().number, change.spot, change.after, most))


def paying(desk: Desk) -> bool:
    """Whether payment has begun in every play."""
    nodes = desk.lattice().frontier
    return bool(nodes) and all(node.paying for node in nodes)


def alert_of(desk: Desk, change: Change) -> None:
    """A change that means nothing: say what it looks like. The locked wagers stand."""
    round_now = desk.round()
    fields = (round_now.number, change.spot, change.zone, change.before, change.after)
    if change.zone == "insurance":
        desk.tell(UnexplainedChange(*fields))
    elif len(round_now.cards) <= round_now.hole_place() or change.spot not in round_now.spots:
        desk.tell(LateWager(*fields) if change.after > change.before else Pinched(*fields))
    else:
        desk.tell(UnexplainedChange(*fields))


# --- what becomes certain ---------------------------------------------------------------------------


def known_until(desk: Desk) -> int:
    """The moment up to which the chips of every box are confirmed.

    Until the lock has been told any spot may turn out to be a box; of a reader that is lost nothing can be awaited.
    """
    confirmed, spots = desk.state.confirmed, set(desk.round().spots)
    if not desk.round().locked:
        for reader, watched in desk.house.readers.items():
            if desk.state.devices.get(reader, HealthState.READY) == HealthState.READY:
                spots.update(watched)
    return min(confirmed.get(str(spot), -1) for spot in spots)


def latest(desk: Desk) -> int:
    """The moment the readers should confirm: the last evidence that came from elsewhere, or the lock."""
    moments = [d.last_ns for d in desk.round().evidence if not isinstance(d.item, ChipsMoved)]
    return max([desk.round().lock_ns, *moments])


def hole_points(desk: Desk) -> int | None:
    """What the hole card counts, once it has been turned."""
    if not desk.round().turned:
        return None
    face = desk.round().cards[desk.round().hole_place()].face
    return None if face is None else points_of(seen(0, face))


def of_hole(frontier: Frontier, points: int | None) -> Frontier:
    """The nodes that agree with the hole card."""
    if points is None:
        return frontier
    return {node: told for node, told in frontier.items() if node.hole >> points & 1}


class Judged(NamedTuple):
    """A lattice, the nodes of it that agree with the hole card, and what that counts (None: not turned)."""

    found: Reconstruction
    frontier: Frontier
    points: int | None


def review(desk: Desk) -> None:
    """Publish what has become certain; close the round if it was to be closed."""
    if desk.state.round is None:
        return
    until = known_until(desk)
    if not desk.round().locked and until >= desk.round().lock_ns:
        desk.change_round(locked=True)
        desk.tell(BetsLocked(desk.round().number, desk.round().wagers))
    if desk.round().doubt:
        return
    if not desk.round().trouble and desk.round().locked:
        infer(desk, until)
    if desk.round().closing and may_close(desk):
        close(desk)


def may_close(desk: Desk) -> bool:
    """Whether a round that was closed can be judged: the readers have told all of it, or the floor must rule anyway."""
    return bool(desk.round().trouble) or (not desk.round().doubt and known_until(desk) >= latest(desk))


def infer(desk: Desk, until: int) -> None:
    """Open what lies face up and publish what follows from everything known up to ``until``."""
    for place in range(len(desk.round().cards)):
        if place != desk.round().hole_place():
            desk.open_card(place)
    view = desk.lattice().as_of(until)
    if not view.frontier:
        desk.irregular("no legal play explains the evidence")
        return
    turn_if_shown(desk, view)
    points = hole_points(desk)
    if not of_hole(view.frontier, points):
        desk.irregular("the dealer's cards do not fit the dealer's rule")
    else:
        publish(desk, Judged(view, of_hole(view.frontier, points), points))


def turn_if_shown(desk: Desk, view: Reconstruction) -> None:
    """The hole card is turned by its key, or when every play has the players finished, or when payment has begun."""
    if len(desk.round().cards) <= desk.round().hole_place():
        return
    play = view.play()
    nodes = desk.lattice().frontier
    by_key = bool(nodes) and all(node.turned for node in nodes)
    finished = all(play.finished(node) for node in view.frontier)
    if by_key or finished:
        desk.turn_hole()


def publish(desk: Desk, judged: Judged) -> None:
    """Facts and dues that hold in every play."""
    view, frontier = judged.found, judged.frontier
    names = Names(desk.round().number, desk.round().spots, tuple(card.number for card in desk.round().cards))
    used = view.evidence[: view.cuts[-1].used]
    shown = view._replace(cards=view.cards[: sum(isinstance(dated.item, CardCame) for dated in used)])
    told = desk.round().told
    for fact in inferred(shown, frontier, names):
        if fact not in told:
            told = (*told, fact)
            desk.tell(fact)
    desk.change_round(told=told)
    if len(shown.cards) <= desk.round().hole_place() or not frontier:
        return
    for box in range(len(desk.round().spots)):
        for bet, due in dues(judged, box):
            settle(desk, judged, box, bet, due)


def dues(judged: Judged, box: int) -> Iterator[tuple[str, Due]]:
    """The wagers of a box and what they may be due."""
    view, frontier, points = judged
    yield "main", main_due(view, frontier, box, points)
    insured = insurance_due(view, frontier, box, points)
    if insured is not None:
        yield "insurance", insured


def settle(desk: Desk, judged: Judged, box: int, bet: str, due: Due) -> None:
    """Publish a wager's due once every play agrees on it."""
    net, wager_cents = due.certain(), wager_of(judged, box, bet)
    spot = desk.round().spots[box]
    if net is None or wager_cents is None or (spot, bet) in desk.round().settled:
        return
    desk.change_round(settled=(*desk.round().settled, (spot, bet)))
    readings = resting_on(judged.found, box)
    number = desk.round().number
    desk.tell(WagerSettled(number, spot, bet, wager_cents, net.cents, Basis.EVIDENCE, readings, net.why))


def wager_of(judged: Judged, box: int, bet: str) -> int | None:
    """The wager in cents; None where plays differ on the insurance counted."""
    if bet == "main":
        return judged.found.wagers[box]
    counted = {node.insured[box] if node.insured else 0 for node in judged.frontier}
    return counted.pop() if len(counted) == 1 else None


def resting_on(view: Reconstruction, box: int) -> tuple[int, ...]:
    """The readings a settlement rests on: all cards and keys so far, and the chips of its own spot."""
    used = view.evidence[: view.cuts[-1].used]
    return tuple(d.number for d in used if not isinstance(d.item, ChipsMoved) or d.item.box == box)


# --- the close --------------------------------------------------------------------------------------


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
    if round_now.next_lock_ns >= 0:
        lock(desk, round_now.next_lock_ns)


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
