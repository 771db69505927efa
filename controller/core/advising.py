"""Telling the dealer what to take and pay as it is settled, and keeping it for the screens until the next lock."""

from __future__ import annotations

from collections.abc import Iterator

from controller.core import advice
from controller.core.advised import Advice, AdviceLine, Move, PaymentAdvised
from controller.core.desk import Desk
from controller.core.events import BetsLocked, CardDealt, Event, HandPlayed, WagerSettled
from controller.core.hand import seen
from controller.core.state import Round, Table
from controller.core.wager import Basis

DISPLAY_LIMIT = 80
"""Characters that a keypad's display takes (``ShowText``)."""

DONE = "take and pay"


def advise(before: Table, desk: Desk) -> None:
    """What this step has settled, as things to do; what was settled as it had been paid needs doing no more."""
    if any(isinstance(event, BetsLocked) for event in desk.events):
        desk.change(advice=Advice())
    settled = [event for event in desk.events if isinstance(event, WagerSettled) and event.basis is not Basis.PAID]
    for number in sorted({event.round for event in settled}):
        faces, told = known_of(before, desk, number)
        of_round = [event for event in settled if event.round == number]
        lines = advice.lines_of(desk.rules, of_round, told, faces, desk.house.denominations)
        desk.tell(PaymentAdvised(number, lines))
        if desk.state.advice.round in {0, number}:
            everything = tuple(sorted((*desk.state.advice.lines, *lines), key=advice.order))
            desk.change(advice=Advice(number, everything))


def known_of(before: Table, desk: Desk, number: int) -> tuple[dict[int, int], tuple[Event, ...]]:
    """A round's open cards by number, and the facts told of its hands and the dealer's."""
    states = (desk.state, before.state)
    rounds = [one for state in states for one in (state.round, *state.waiting) if one is not None]
    round_now = next((one for one in rounds if one.number == number), None)
    if round_now is None:
        return {}, ()
    # A round that this step has closed lies open on the felt.
    closed = not any(one is not None and one.number == number for one in (desk.state.round, *desk.state.waiting))
    told = [one for one in (*round_now.told, *desk.events) if isinstance(one, HandPlayed | CardDealt)]
    return dict(open_cards(round_now, closed=closed)), tuple(dict.fromkeys(one for one in told if one.round == number))


def open_cards(round_now: Round, *, closed: bool) -> Iterator[tuple[int, int]]:
    """The cards that lie face up, as plays remember them, by number."""
    for place, card in enumerate(round_now.cards):
        face = card.shown()
        if face is not None and (card.opened or closed):
            yield card.number, seen(place, face)


def shown(given: Advice) -> str:
    """The advice in a line for the keypad: ``7 +37.50 5 -25 3 = take and pay``; empty where it does not fit."""
    words = [word(line) for line in given.lines]
    text = " ".join([*words, DONE])
    return text if words and len(text) <= DISPLAY_LIMIT else ""


def word(line: AdviceLine) -> str:
    """One line as a dealer reads it: spot, hand or side wager, and what to do."""
    where = f"{line.spot}" if line.hand < 0 else f"{line.spot}.{line.hand + 1}"
    what = "" if line.bet == "main" else f" {line.bet}"
    whole, part = divmod(line.cents, 100)
    amount = f"{whole}.{part:02}" if part else f"{whole}"
    sign = {Move.PAY: f"+{amount}", Move.TAKE: f"-{amount}", Move.LEAVE: "="}[line.move]
    return f"{where}{what} {sign}"
