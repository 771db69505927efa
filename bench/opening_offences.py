"""Cards that are opened as others than were committed to when they were drawn: every second round has one.

The table is stepped once more with the commitments a daemon makes, and what it opens is held against them as the daemon
does, one opening of a planted round replaced by another face or other random bytes.
"""

from __future__ import annotations

from collections.abc import Iterable
from random import Random

from msgspec.structs import replace

from controller.core.messages.events import CardOpened, Event
from controller.core.messages.inputs import OpeningRefuted, StampedInput
from controller.core.messages.raised_alerts import AlertKind, AlertRaised
from controller.core.step import step
from controller.core.table.state import State, Table
from controller.reports.audit.commitment_check import OwnOpenings
from firmware_protocols.cards import DECK
from simulators.people.acts import Act
from tests.core.human import HumanRig
from tests.core.journals import HERE, stamped_here


class Listener:
    """A table that is sent the same and commits as a daemon does, and somebody who holds it to its word."""

    def __init__(self, rig: HumanRig) -> None:
        self._table = Table(rig.house, State())
        self._openings = OwnOpenings(HERE)

    def refuted(self, stamped_inputs: Iterable[StampedInput], chance: Random | None) -> list[CardOpened]:
        """The openings of a round that are none; ``chance``: one of them is made so."""
        events: list[Event] = []
        for stamped in stamped_inputs:
            stepped = step(self._table, stamped_here(stamped))
            self._table = stepped.table
            events += stepped.events
        if chance is not None:
            at = chance.choice([at for at, event in enumerate(events) if isinstance(event, CardOpened)])
            opened = events[at]
            assert isinstance(opened, CardOpened)
            events[at] = wrong(opened, chance)
        return list(self._openings.refuted(events))


def wrong(opened: CardOpened, chance: Random) -> CardOpened:
    """Another face with the same random bytes, or the same face with others."""
    if chance.random() < 0.5:
        face = chance.choice([str(card) for card in DECK if str(card) != opened.face])
        return replace(opened, face=face)
    return replace(opened, nonce=chance.randbytes(32).hex())


def plant_openings(rig: HumanRig, rounds: Iterable[list[Act]], count: int, seed: int) -> dict[str, object]:
    """Plant ``count`` wrong openings, each followed by an honest round."""
    listener, chance = Listener(rig), Random(seed)
    found = honest = at = 0
    for number, acts in enumerate(rounds):
        if number == 2 * count:
            break
        rig.perform(acts)
        bad = listener.refuted(rig.stamped[at:], chance if number % 2 == 0 else None)
        at = len(rig.stamped)
        rig.events.clear()
        for one in bad:
            rig.give(OpeningRefuted(rig.now_ns, one.card, one.face))
        at = len(rig.stamped)
        alerts = [
            event for event in rig.events if isinstance(event, AlertRaised) and event.kind is AlertKind.COMMITMENT_WRONG
        ]
        found += bool(alerts) and number % 2 == 0
        honest += len(alerts) if number % 2 else 0
    return {"rounds": 2 * count, "planted": count, "findable": count, "found": found, "false_alarms": honest}
