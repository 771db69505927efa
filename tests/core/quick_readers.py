"""A table whose readers see every movement of a hand, and what its people do at a dealer's pace."""

from __future__ import annotations

from typing import Any

from controller.core.messages.raised_alerts import AlertKind, AlertRaised
from controller.io.files import profile_files
from firmware_protocols.cards import Card
from firmware_protocols.readings import CardDrawn, ChipsSeen
from tests.core.rig import Rig

PENN = "hollywood-penn-national"


class QuickReaders(Rig):
    """A rig whose readers see every movement of a hand."""

    gathers_moves = True


def table(deal: str, profile: str = PENN, **options: Any) -> QuickReaders:
    rig = QuickReaders(profile_files.load(profile, {"turn_key": "sometimes", **options}).rules)
    rig.talk(deal)
    rig.pass_ms(3_000)
    return rig


def draw(rig: Rig, *faces: str, gap_ms: int = 600) -> None:
    """Cards that follow one another at an even pace."""
    for face in faces:
        rig.pass_ms(gap_ms)
        rig.give(CardDrawn(rig.now_ns, Card(face)))


def deal(rig: Rig, cards: str) -> None:
    """Cards in a dealer's rhythm, and the moment that says that the deal is done."""
    draw(rig, *cards.split())
    rig.pass_ms(4_000)


def look(rig: Rig, spot: int, chips: tuple[str, ...], since_ns: int, zone: str = "main") -> None:
    """A zone shows these chips now; the last look that showed others was then."""
    rig.lying[spot, zone] = chips
    rig.give(ChipsSeen(spot, zone, chips, since_ns, rig.now_ns))


def alerts(rig: Rig, *kinds: AlertKind) -> list[AlertKind]:
    return [one.kind for one in rig.events if isinstance(one, AlertRaised) and one.kind in kinds]


def accused(rig: Rig) -> list[AlertKind]:
    return alerts(rig, AlertKind.CAPPING, AlertKind.PINCHING, AlertKind.PAST_POSTING, AlertKind.BET_TOUCHED)
