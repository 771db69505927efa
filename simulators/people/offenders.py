"""People who cheat and dealers who slip: one offence put into a round that was played honestly.

An offence edits the acts of a whole round and leaves its truth as it was. Where a round has no occasion for an offence
none is planted. What is laid or lifted is put right again before the round is closed, as far as the script of the round
does not do so itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Final, NamedTuple

from firmware_protocols.cards import Card
from simulators.chance import Chance, pick
from simulators.people.acts import Act, Draw, Lay, Pause, Press, RoundPlayed
from simulators.people.simulated_table import (
    INSURANCE,
    KEY_HOLE_TURNED,
    KEY_INSURANCE_CLOSED,
    KEY_NO_MORE_BETS,
    KEY_ROUND_CLOSED,
    MAIN,
)

SIDE: Final = "lucky_ladies"
"""A zone for side wagers that honest players here leave alone."""

OWN_CHIPS: Final = {500: "E0040151AA000005", 2500: "E0040151AA000025", 10000: "E0040151AA000100"}
"""Chips of the house that offenders carry in their pockets, by value: in the registry, and never in the rack."""

STOLEN: Final = "E0040151BB000001"
"""A registered chip that the house keeps in its vault."""

UNREGISTERED: Final = "E0040151CC000001"
FOREIGN: Final = "E0070151DD000001"

Place = tuple[int, str]
Contents = dict[Place, tuple[str, ...]]


class Planted(NamedTuple):
    """An offence that was put into a round: the acts with it, where it shows, and the act that does it."""

    acts: list[Act]
    spot: int
    zone: str
    at: int


class Script:
    """A round's acts, and where its moments lie among them."""

    def __init__(self, acts: Iterable[Act], before: Contents) -> None:
        self.acts = list(acts)
        self.before = before
        played = self.acts[-1]
        assert isinstance(played, RoundPlayed), "a script ends with its truth"
        self.played = played
        self.lock = self.key(KEY_NO_MORE_BETS)
        self.close = self.key(KEY_ROUND_CLOSED)
        self.turned = self.key(KEY_HOLE_TURNED)
        self.draws = [at for at, act in enumerate(self.acts) if isinstance(act, Draw) and at > self.lock]
        self.boxes = [wager.spot for wager in played.wagers if wager.bet == MAIN]

    def key(self, key: str) -> int:
        """Where a key is pressed; -1: nowhere."""
        return next((at for at, act in enumerate(self.acts) if isinstance(act, Press) and act.key == key), -1)

    def content(self, place: Place, at: int) -> tuple[str, ...]:
        """What lies in a zone before an act."""
        laid = [act.chips for act in self.acts[:at] if isinstance(act, Lay) and (act.spot, act.zone) == place]
        return laid[-1] if laid else self.before.get(place, ())

    def left(self) -> Contents:
        """What lies in each zone that was touched, once the round is over."""
        return {(act.spot, act.zone): act.chips for act in self.acts if isinstance(act, Lay)}

    def lays(self, place: Place, after: int) -> list[int]:
        """Where a zone is changed after an act and before the round is closed."""
        return [
            at
            for at, act in enumerate(self.acts)
            if after < at < self.close and isinstance(act, Lay) and (act.spot, act.zone) == place
        ]

    def with_change(self, at: int, place: Place, chips: tuple[str, ...], then_ms: int = 0) -> list[Act]:
        """The acts with a zone changed before act ``at``, and put right again after ``then_ms``, or by the close."""
        changed: list[Act] = [Pause(700), Lay(*place, chips)]
        back: list[Act] = [Pause(700), Lay(*place, self.content(place, at))]
        if then_ms:
            return [*self.acts[:at], *changed, Pause(then_ms), *back, Pause(1500), *self.acts[at:]]
        if self.lays(place, at - 1):
            return [*self.acts[:at], *changed, *self.acts[at:]]
        back = [Pause(700), Lay(*place, self.content(place, self.close))]
        return [*self.acts[:at], *changed, *self.acts[at : self.close], *back, *self.acts[self.close :]]

    def while_dealing(self, rng: Chance) -> int:
        """A moment between two cards of the initial deal."""
        return pick(rng, self.draws[: 2 * len(self.boxes)]) + 1

    def payment(self, spot: int) -> int:
        """Where a spot's one hand is taken or paid after the last card and all is gone in the end; -1: not so."""
        after = max(self.turned, self.draws[-1])
        lays = self.lays((spot, MAIN), after)
        one_hand = len(self.played.hands[str(spot)]) == 1 and spot not in self.played.surrendered
        final = self.acts[lays[-1]] if lays else None
        gone = isinstance(final, Lay) and not final.chips
        return lays[0] if one_hand and gone else -1

    def due(self, spot: int) -> int:
        """The true net of a main wager."""
        return next(wager.net_cents for wager in self.played.wagers if (wager.spot, wager.bet) == (spot, MAIN))


Offence = Callable[[Script, Chance], Planted | None]


def own(rng: Chance) -> tuple[str]:
    """A chip out of the offender's pocket."""
    return (OWN_CHIPS[pick(rng, [500, 2500])],)


def past_post(script: Script, rng: Chance) -> Planted | None:
    """A side wager laid once the first cards lie there."""
    place, at = (pick(rng, script.boxes), SIDE), script.while_dealing(rng)
    return Planted(script.with_change(at, place, own(rng)), *place, at + 1)


def cap(script: Script, rng: Chance) -> Planted | None:
    """A chip added to a main wager during the deal."""
    place, at = (pick(rng, script.boxes), MAIN), script.while_dealing(rng)
    return Planted(script.with_change(at, place, script.content(place, at) + own(rng)), *place, at + 1)


def pinch(script: Script, rng: Chance) -> Planted | None:
    """A chip taken off a main wager during the deal."""
    place, at = (pick(rng, script.boxes), MAIN), script.while_dealing(rng)
    return Planted(script.with_change(at, place, script.content(place, at)[1:]), *place, at + 1)


def touch(script: Script, rng: Chance) -> Planted | None:
    """A chip lifted from a main wager during the deal and put back, later than an antenna misses one for a moment."""
    place, at = (pick(rng, script.boxes), MAIN), script.while_dealing(rng)
    acts = script.with_change(at, place, script.content(place, at)[1:], 3_500)
    return Planted(acts, *place, at + 4)


def over_insure(script: Script, rng: Chance) -> Planted | None:
    """Far too much on the insurance line as the offer closes."""
    closed = script.key(KEY_INSURANCE_CLOSED)
    insured = [wager.spot for wager in script.played.wagers if wager.bet == INSURANCE]
    if closed < 0 or not insured:
        return None
    place = (pick(rng, insured), INSURANCE)
    at = max(one for one in script.lays(place, script.lock) if one < closed) + 1
    chips = (*script.content(place, at), OWN_CHIPS[10000])
    return Planted(script.with_change(at, place, chips), *place, at + 1)


def lay_before_lock(chip: str) -> Offence:
    """A chip laid beside a wager for a moment while bets are open."""

    def lay(script: Script, rng: Chance) -> Planted | None:
        place, at = (pick(rng, script.boxes), SIDE), script.lock
        return Planted(script.with_change(at, place, (chip,), 2500), *place, at + 1)

    return lay


def copy_chip(script: Script, rng: Chance) -> Planted | None:
    """A chip with the id of one that lies at another spot."""
    if len(script.boxes) < 2:
        return None
    one, other = script.boxes[0], script.boxes[1]
    place, at = (other, SIDE), script.lock
    chip = pick(rng, script.content((one, MAIN), at))
    return Planted(script.with_change(at, place, (chip,), 4000), *place, at + 1)


def bet_alone(script: Script, rng: Chance) -> Planted | None:
    """A side wager at a spot without a main wager, before the lock."""
    free = [spot for spot in range(1, 8) if spot not in script.boxes and not script.content((spot, MAIN), script.lock)]
    if not free:
        return None
    place, at = (pick(rng, free), SIDE), max(script.lock - 1, 0)
    return Planted(script.with_change(at, place, own(rng)), *place, at + 1)


# --- payments ---------------------------------------------------------------------------------------


def paid_wrongly(change: Callable[[tuple[str, ...], tuple[str, ...], Chance], tuple[str, ...] | None]) -> Offence:
    """A winner is paid something else than is due. ``change`` makes the content of what lay there and what should."""

    def pay(script: Script, rng: Chance) -> Planted | None:
        winners = [spot for spot in script.boxes if script.due(spot) > 0 and script.payment(spot) >= 0]
        for spot in winners:
            at = script.payment(spot)
            act = script.acts[at]
            assert isinstance(act, Lay)
            chips = change(script.content((spot, MAIN), at), act.chips, rng)
            if chips is not None and len(script.lays((spot, MAIN), at)) == 1:
                return Planted([*script.acts[:at], Lay(spot, MAIN, chips), *script.acts[at + 1 :]], spot, MAIN, at)
        return None

    return pay


def too_little(lay: tuple[str, ...], right: tuple[str, ...], rng: Chance) -> tuple[str, ...] | None:
    """One chip of the payment is missing."""
    paid = [chip for chip in right if chip not in lay]
    if len(paid) < 2 or not set(lay) <= set(right):
        return None
    missing = pick(rng, paid)
    return tuple(chip for chip in right if chip != missing)


def too_much(lay: tuple[str, ...], right: tuple[str, ...], rng: Chance) -> tuple[str, ...] | None:
    """A chip too many."""
    return right + own(rng) if set(lay) <= set(right) else None


def take_winner(script: Script, _: Chance) -> Planted | None:
    """A winner is not paid, and the wager leaves the layout."""
    for spot in script.boxes:
        at = script.payment(spot)
        if script.due(spot) > 0 and at >= 0 and len(script.lays((spot, MAIN), at)) == 1:
            gone = next(iter(script.lays((spot, MAIN), at)))
            return Planted([*script.acts[:at], *script.acts[at + 1 :]], spot, MAIN, gone - 1)
    return None


def pay_loser(script: Script, rng: Chance) -> Planted | None:
    """A lost wager is paid before it is gone."""
    for spot in script.boxes:
        at = script.payment(spot)
        if script.due(spot) < 0 and at >= 0 and script.content((spot, MAIN), at):
            paid = Lay(spot, MAIN, script.content((spot, MAIN), at) + own(rng))
            return Planted([*script.acts[:at], paid, Pause(2500), *script.acts[at:]], spot, MAIN, at)
    return None


def forget_loser(script: Script, _: Chance) -> Planted | None:
    """A lost wager is not taken; ``carried_on`` keeps it there until the next lock."""
    for spot in script.boxes:
        at = script.payment(spot)
        if script.due(spot) < 0 and at >= 0 and script.content((spot, MAIN), at):
            return Planted([*script.acts[:at], *script.acts[at + 1 :]], spot, MAIN, at)
    return None


def carried_on(acts: Iterable[Act], place: Place, chips: tuple[str, ...]) -> Iterator[Act]:
    """The next round's acts with forgotten chips among whatever is laid there before the lock."""
    locked = False
    for act in acts:
        locked = locked or (isinstance(act, Press) and act.key == KEY_NO_MORE_BETS)
        if isinstance(act, Lay) and (act.spot, act.zone) == place and not locked:
            yield Lay(*place, (*act.chips, *(chip for chip in chips if chip not in act.chips)))
        else:
            yield act


# --- cards ------------------------------------------------------------------------------------------


def draw_on(script: Script, rng: Chance) -> Planted | None:
    """The dealer takes a card too many."""
    at = max(script.turned, script.draws[-1]) + 1
    if not any(script.payment(spot) >= 0 for spot in script.boxes):
        return None
    extra: list[Act] = [Pause(900), Draw(pick(rng, [Card("2c"), Card("7d"), Card("Kh")])), Pause(1500)]
    return Planted([*script.acts[:at], *extra, *script.acts[at:]], 0, "", at + 1)


def stand_early(script: Script, _: Chance) -> Planted | None:
    """The dealer does not take the last card."""
    at = script.draws[-1]
    if at < script.turned:
        return None
    return Planted([*script.acts[:at], *script.acts[at + 1 :]], 0, "", at)


def draw_alone(script: Script, rng: Chance) -> Planted | None:
    """A card leaves the shoe before anybody has bet, and nobody announced a burn."""
    if any(chips for place, chips in script.before.items() if place[1] == MAIN):
        return None
    return Planted([Pause(900), Draw(pick(rng, [Card("2c"), Card("7d")])), *script.acts], 0, "", 1)


OFFENCES: Final[dict[str, Offence]] = {
    "past_posting": past_post,
    "capping": cap,
    "pinching": pinch,
    "bet_touched": touch,
    "insurance_too_large": over_insure,
    "side_bet_without_main": bet_alone,
    "unknown_chip": lay_before_lock(UNREGISTERED),
    "foreign_chip": lay_before_lock(FOREIGN),
    "chip_elsewhere": lay_before_lock(STOLEN),
    "duplicated_chip": copy_chip,
    "mispay: too little": paid_wrongly(too_little),
    "mispay: too much": paid_wrongly(too_much),
    "mispay: a loser": pay_loser,
    "winning_bet_taken": take_winner,
    "losing_bet_left": forget_loser,
    "dealer_against_rule: a card too many": draw_on,
    "dealer_against_rule: a card too few": stand_early,
    "card_out_of_turn": draw_alone,
}
"""Every offence by the kind of alert it should raise."""
