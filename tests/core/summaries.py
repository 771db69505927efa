"""Rounds in words, and what the table made of them."""

from __future__ import annotations

from typing import NamedTuple

from controller.core.game.rules import Rules
from controller.core.messages.alerts import (
    BetDecreasedAfterLock,
    BetIncreasedAfterLock,
    CardOutsideRound,
    ChipsUnexplained,
    InsuranceTooLarge,
    KeyRefused,
    RoundIrregular,
)
from controller.core.messages.events import HandDoubled, HandsSplit, InsuranceTaken, SpotSurrendered, WagerUnresolved
from tests.core.rig import Rig

ALERTS = (
    ChipsUnexplained,
    BetIncreasedAfterLock,
    BetDecreasedAfterLock,
    RoundIrregular,
    InsuranceTooLarge,
    KeyRefused,
    CardOutsideRound,
)


class RoundSummary(NamedTuple):
    """The first round's settlements, what legal plays left open, inferred moves, and alerts, each as short words."""

    settled: list[str]
    open: list[str]
    moves: list[str]
    alerts: list[str]


def round_summary(rules: Rules, talk: str) -> RoundSummary:
    """Play a round in words; it is closed at its end."""
    rig = Rig(rules)
    rig.talk(talk)
    rig.key("round_closed")
    rig.pass_ms(100)
    return summary(rig)


def summary(rig: Rig) -> RoundSummary:
    """What a rig's table has said."""
    opens = [
        f"{e.spot} {e.bet} " + " or ".join(f"{cents / 100:+.2f}" for cents in e.possible_cents)
        for e in rig.events_of(WagerUnresolved)
        if e.possible_cents
    ]
    moves: list[str] = []
    for event in rig.events:
        match event:
            case HandDoubled(_, spot, hand, cents):
                moves.append(f"{spot} doubled {hand} for {cents / 100:g}")
            case HandsSplit(_, spot, hands):
                moves.append(f"{spot} split to {hands}")
            case SpotSurrendered(_, spot):
                moves.append(f"{spot} surrendered")
            case InsuranceTaken(_, spot, cents):
                moves.append(f"{spot} insured for {cents / 100:g}")
            case _:
                pass
    settled = [words.removeprefix("1: spot ") for words in rig.postings() if words.startswith("1:")]
    return RoundSummary(settled, opens, moves, [type(event).__name__ for event in rig.events_of(*ALERTS)])
