"""Tables at which something is to be noticed, and what was."""

from __future__ import annotations

from controller.core.messages.raised_alerts import AlertRaised
from tests.core.rig import Rig, penn

LOST = "Th Td 7s 9d"
"""Spot 1 has seventeen against nineteen."""


def raised(rig: Rig) -> list[AlertRaised]:
    return [event for event in rig.events if isinstance(event, AlertRaised)]


def kinds(rig: Rig) -> list[str]:
    return [event.kind.value for event in raised(rig)]


def at_table(**options: object) -> Rig:
    return Rig(penn(stand_key="always", **options))


def dealt(rig: Rig, cards: str) -> None:
    rig.talk("1 main 25\nkey no_more_bets\n" + cards)


def won(rig: Rig) -> None:
    """Spot 1 bets 25 and beats the dealer with twenty against seventeen."""
    dealt(rig, "Th 7d Qs Td")
    rig.talk("key stand hole_turned")


def lost(rig: Rig) -> None:
    """Spot 1 bets 25 and has seventeen against nineteen."""
    dealt(rig, LOST)
    rig.talk("key stand hole_turned")


def next_bets(rig: Rig) -> None:
    """Somebody else bets, and the next round is locked."""
    rig.talk("key round_closed\n5 main 10\nkey no_more_bets")
    rig.pass_ms(100)
