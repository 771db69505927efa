"""How many legal plays explained a round after each of its readings: the ways shrink as evidence comes.

Counted anew from the journal's readings, as ``tableside reconstruct --each`` counts: cards, chips and keys, without
what people answered, and without the hole card until it was turned. For rounds that are closed: of an open one the
faces are not known.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import msgspec

from controller.core.inference.case import RoundCase
from controller.core.messages.events import BettingClosed
from controller.core.messages.house import House
from controller.core.messages.inputs import StampedInput
from firmware_protocols.readings import CardDrawn, ChipsSeen, KeyPressed

ACTIONS = frozenset({"hit", "stand", "double", "split", "surrender", "even_money", "insurance_closed", "hole_turned"})
"""The keys that are evidence of a play."""


class LegalPlays(msgspec.Struct, frozen=True):
    """How many legal plays explain everything up to a reading; 0: none does."""

    reading: int
    plays: int


def play_counts(house: House, locked: BettingClosed, given: Iterable[StampedInput]) -> Iterator[LegalPlays]:
    """The count after each reading of a round that says something of its play, in order.

    ``given`` are the readings from the lock to the close, with the faces that were opened.
    """
    wagers: dict[int, dict[str, int]] = {}
    for one in locked.wagers:
        wagers.setdefault(one.spot, {})[one.bet] = one.cents
    recount = RoundCase(house.rules, wagers)
    named: int | None = None
    for stamped in given:
        match stamped.input:
            case CardDrawn(at_ns, face, burn=False):
                recount.card(face, at_ns)
            case ChipsSeen(spot, zone, chips, after_ns, by_ns, values):
                cents = sum(values.get(chip) or house.chips.get(chip, 0) for chip in chips)
                recount.chips(spot, zone, cents, after_ns, by_ns)
            case KeyPressed(at_ns, key):
                meaning = house.keys.get(key, "")
                if meaning in ACTIONS:
                    recount.key(meaning, named, at_ns)
                named = int(meaning) if meaning.isdigit() else None
            case _:
                continue
        if recount.hypotheses is not None:
            yield LegalPlays(stamped.number, recount.account(outside=True).plays)
