"""Another box in the place of the table's: it may know as much, and still cannot reveal what was committed to."""

from __future__ import annotations

from typing import TypeVar

import pytest
from msgspec.structs import replace

from controller.core.messages.events import Event
from controller.core.messages.inputs import RevealRefuted
from controller.core.messages.meter_events import JackpotHit, MysteryCommitted, MysteryDisputed, MysteryRevealed
from controller.reports.audit.commitment_check import TriggerReveals
from tests.trigger_box.nights import IDENTITY, ROUNDS, Night

E = TypeVar("E", JackpotHit, MysteryCommitted, MysteryDisputed, MysteryRevealed)


def published(night: Night, kind: type[E]) -> list[E]:
    """What a table published of this kind."""
    return [one for one in night.rig.events if isinstance(one, kind)]


def begun(seed: int) -> Night:
    """A table and its box, which have counted one round together."""
    night = Night(seed)
    night.up()
    night.plays()
    night.serve()
    assert published(night, JackpotHit) == []
    return night


def played_on(night: Night) -> None:
    for _ in range(ROUNDS):
        night.plays()
        night.serve()


def refuted(night: Night) -> list[str]:
    """What of a night was found to be impossible."""
    return [one.text for one in TriggerReveals(IDENTITY, None).refuted(night.rig.events)]


@pytest.mark.parametrize("seed", range(1, 4))
def test_what_the_tables_own_box_reveals_holds(seed: int) -> None:
    night = begun(seed)
    played_on(night)
    assert len(published(night, MysteryRevealed)) > 1
    assert refuted(night) == []


def test_a_box_that_knows_as_much_is_found_out_by_what_it_reveals() -> None:
    """It was begun for this table and fed on somebody's bench with the same contributions."""
    night, bench = begun(1), begun(2)
    night.down()
    night.box = bench.box
    night.up()
    played_on(night)
    assert refuted(night)[0] == "the number revealed of cycle 1 is not the one that the box was committed to"


def test_a_hit_below_the_trigger_is_found_out_by_the_number_revealed() -> None:
    night = begun(1)
    played_on(night)
    hit, revealed = published(night, JackpotHit)[0], published(night, MysteryRevealed)[0]
    (committed,) = [one for one in published(night, MysteryCommitted) if one.cycle == 1]
    early: list[Event] = [committed, replace(hit, cents=25_001), revealed]
    (found,) = TriggerReveals(IDENTITY, None).refuted(early)
    assert found.text.startswith("cycle 1 was won at 25001 cents, below its trigger of ")


def test_a_number_outside_the_bounds_is_refuted_and_never_searched_for() -> None:
    night = begun(1)
    played_on(night)
    revealed = published(night, MysteryRevealed)[0]
    (committed,) = [one for one in published(night, MysteryCommitted) if one.cycle == 1]
    nowhere = replace(committed, reset_cents=100_000, ceiling_cents=25_000)
    (found,) = TriggerReveals(IDENTITY, None).refuted([nowhere, revealed])
    assert "lies outside its bounds" in found.text


def test_what_was_committed_before_a_restart_is_remembered() -> None:
    night = begun(1)
    running = night.rig.table.state.progressives.cycle
    assert running is not None
    before = len(night.rig.events)
    played_on(night)
    check = TriggerReveals(IDENTITY, running)
    other = TriggerReveals(IDENTITY, replace(running, commitment="00" * 32))
    assert list(check.refuted(night.rig.events[before:])) == []
    assert [one.cycle for one in other.refuted(night.rig.events[before:])] == [1]


def test_a_refuted_reveal_closes_the_meter_until_two_persons_have_looked() -> None:
    night = begun(1)
    for _ in range(2):
        night.rig.give(RevealRefuted(night.rig.now_ns, 1, "the number revealed is another"))
    (disputed,) = published(night, MysteryDisputed)
    assert disputed.reason == "the number revealed is another"
    assert night.rig.shown()["mystery"] is None
