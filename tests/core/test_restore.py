"""A checkpoint is the whole table, and a journal gives the same events again, even to those who hold no key."""

from __future__ import annotations

from functools import partial

import msgspec
import pytest
from msgspec.structs import replace

from controller.core.messages.events import CardOpened, Event
from controller.core.messages.house import House
from controller.core.messages.inputs import StampedInput
from controller.core.step import step
from controller.core.table.state import State, StepResult, Table, restore
from firmware_protocols.readings import CardDrawn
from simulators.people.simulated_table import StandKey
from tests.core.houses import DEALERS, HABITS, simulated
from tests.core.readers import LateRig, SlowRig
from tests.core.rig import Rig, coded


def replayed(house: House, stamped: list[StampedInput]) -> list[StepResult]:
    """Every step of a journal, from the beginning."""
    table, steps = Table(house, State()), []
    for each in stamped:
        stepped = step(table, each)
        table = stepped.table
        steps.append(stepped)
    return steps


def out_of_checkpoint(house: House, state: State) -> Table:
    return restore(house, msgspec.json.decode(msgspec.json.encode(state), type=State))


def output_bytes(stepped: StepResult) -> bytes:
    return coded((stepped.events, stepped.desired, stepped.table.state))


def assert_checkpoints_hold(rig: Rig) -> None:
    """Restored after every single step, a table goes on as if nothing had been."""
    straight = replayed(rig.house, rig.stamped)
    table = Table(rig.house, State())
    for stamped, expected in zip(rig.stamped, straight, strict=True):
        stepped = step(out_of_checkpoint(rig.house, table.state), stamped)
        assert output_bytes(stepped) == output_bytes(expected)
        table = stepped.table


@pytest.mark.parametrize("stand_key", HABITS)
@pytest.mark.parametrize("name", DEALERS)
def test_a_table_restored_after_every_step_goes_on_the_same(name: str, stand_key: StandKey) -> None:
    rig, _ = simulated(name, 51, 2, stand_key, boxes=(1, 5), fumbles_per_mille=60)
    assert_checkpoints_hold(rig)


@pytest.mark.parametrize("make", [LateRig, partial(SlowRig, looks=0.4)])
def test_a_table_restored_while_readers_are_behind_goes_on_the_same(make: type[Rig]) -> None:
    rig, _ = simulated("hollywood-penn-national", 52, 3, "sometimes", make=make, boxes=(1, 4))
    assert_checkpoints_hold(rig)


def test_a_table_restored_once_goes_on_the_same_to_the_end() -> None:
    rig, _ = simulated("hollywood-penn-national", 53, 4, "sometimes", boxes=(2, 4))
    straight = replayed(rig.house, rig.stamped)
    for at in range(0, len(straight), 9):
        table = out_of_checkpoint(rig.house, straight[at].table.state)
        for stamped, expected in zip(rig.stamped[at + 1 :], straight[at + 1 :], strict=True):
            stepped = step(table, stamped)
            table = stepped.table
            assert stepped.events == expected.events
            assert stepped.desired == expected.desired


def opened_in(events: tuple[Event, ...] | list[Event]) -> set[int]:
    return {event.card for event in events if isinstance(event, CardOpened)}


def without_key(stamped: list[StampedInput], opened: set[int]) -> list[StampedInput]:
    """The journal as it reads to somebody who holds no key: cards not opened yet have neither face nor nonce."""
    return [
        replace(each, input=replace(each.input, face=None), nonce=b"", closed=True)
        if isinstance(each.input, CardDrawn) and each.number not in opened
        else each
        for each in stamped
    ]


@pytest.mark.parametrize("stand_key", HABITS)
@pytest.mark.parametrize("name", DEALERS)
def test_closed_rounds_replay_without_the_key(name: str, stand_key: StandKey) -> None:
    rig, _ = simulated(name, 54, 12, stand_key)
    stamped = without_key(rig.stamped, opened_in(rig.events))
    closed = [each for each in stamped if each.closed]
    assert closed, "burned cards are never opened"
    again = [event for stepped in replayed(rig.house, stamped) for event in stepped.events]
    assert coded(again) == coded(rig.events)


@pytest.mark.parametrize("make", [Rig, LateRig, partial(SlowRig, looks=0.4)])
@pytest.mark.parametrize("stand_key", HABITS)
def test_a_journal_cut_anywhere_replays_without_the_key(stand_key: StandKey, make: type[Rig]) -> None:
    rig, _ = simulated("hollywood-penn-national", 55, 3, stand_key, make=make, boxes=(1, 4))
    straight = replayed(rig.house, rig.stamped)
    for end in range(1, len(straight), 4):
        events = [event for stepped in straight[:end] for event in stepped.events]
        stamped = without_key(rig.stamped[:end], opened_in(events))
        again = [event for stepped in replayed(rig.house, stamped) for event in stepped.events]
        assert coded(again) == coded(events)


def test_an_irregular_round_replays_without_the_key() -> None:
    rig, _ = simulated("hollywood-penn-national", 56, 1, "always", boxes=(2, 2))
    rig.talk("""
        1 main 10
        Th 7c 6d
        key round_closed round_closed
        1 main 20
        Th Tc 6d 9s
        key stand stand
        Td Ts 9d
        key round_closed
    """)
    assert rig.outcomes() == ["settled", "irregular", "irregular"]
    stamped = without_key(rig.stamped, opened_in(rig.events))
    again = [event for stepped in replayed(rig.house, stamped) for event in stepped.events]
    assert coded(again) == coded(rig.events)
