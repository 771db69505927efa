"""Nobody presses a key, and a side wager's zone was last looked at before its chips moved: nothing of it is guessed."""

from __future__ import annotations

import pytest

from controller.core.messages.alerts import BetDecreasedAfterLock, BetIncreasedAfterLock, WagerUncertain
from controller.core.messages.events import BettingClosed, WagerSettled, WagerUnresolved
from controller.core.messages.raised_alerts import AlertRaised
from controller.io.files import profile_files
from firmware_protocols.cards import Card
from firmware_protocols.readings import CardDrawn, ChipsSeen
from tests.core.rig import MS, Rig

MAIN, SIDE = "E004010000000001", "E004010000000002"
LADIES = "lucky_ladies"


def bare() -> Rig:
    """A wager of 25 dollars at spot 3, in a house without keys."""
    house = profile_files.load("hollywood-perryville", {"turn_key": "sometimes", "new_shoe_burns": 0})
    rig = Rig(house.rules, {MAIN: 2_500, SIDE: 500})
    rig.lay(3, "main", (MAIN,))
    return rig


def dealt(rig: Rig, before: tuple[str, ...], after: tuple[str, ...], since_ms: int, seen_ms: int) -> None:
    """Two looks at the side wager's zone, so long before the first card and after it; 16 against a nine."""
    if before:
        rig.lay(3, LADIES, before)
    rig.pass_ms(8_000)
    rig.late = True
    first_ns = rig.now_ns
    for face in ("Th", "9c"):
        rig.give(CardDrawn(rig.now_ns, Card(face)))
        rig.now_ns += 400 * MS
    rig.give(ChipsSeen(3, LADIES, after, first_ns + since_ms * MS, first_ns + seen_ms * MS))
    rig.late = False
    for face in ("6d", "6s"):
        rig.give(CardDrawn(rig.now_ns, Card(face)))
        rig.now_ns += 400 * MS
    rig.pass_ms(5_000)


def locked(rig: Rig) -> list[tuple[str, int]]:
    (lock,) = (event for event in rig.events_of(BettingClosed))
    return [(wager.bet, wager.cents) for wager in lock.wagers]


MOVED = [pytest.param((), (SIDE,), id="laid"), pytest.param((SIDE,), (), id="taken off")]


@pytest.mark.parametrize(("before", "after"), MOVED)
def test_seen_around_the_first_card_it_may_be_either(before: tuple[str, ...], after: tuple[str, ...]) -> None:
    rig = bare()
    dealt(rig, before, after, -6_000, 300)
    assert locked(rig) == [("main", 2_500)]
    assert rig.events_of(WagerUncertain) == [WagerUncertain(1, 3, LADIES, (0, 500))]


@pytest.mark.parametrize(("before", "after"), MOVED)
def test_it_is_settled_on_no_evidence_and_left_open(before: tuple[str, ...], after: tuple[str, ...]) -> None:
    rig = bare()
    dealt(rig, before, after, -6_000, 300)
    rig.talk("key hole_turned \n Kh \n 3 main 50 \n 3 main 0 \n key round_closed")
    assert [event.bet for event in rig.events_of(WagerSettled) if event.bet == LADIES] == []
    nets = [event.possible_cents for event in rig.events_of(WagerUnresolved) if event.bet == LADIES]
    assert nets == [(-500, 0)]


@pytest.mark.parametrize(("before", "after"), MOVED)
def test_nobody_is_accused_of_it(before: tuple[str, ...], after: tuple[str, ...]) -> None:
    rig = bare()
    dealt(rig, before, after, -6_000, 300)
    assert rig.events_of(AlertRaised, BetIncreasedAfterLock, BetDecreasedAfterLock) == []


def test_only_one_reading_is_possible_where_the_looks_do_not_hold_the_card() -> None:
    rig = bare()
    dealt(rig, (), (SIDE,), -6_000, -100)
    assert locked(rig) == [("main", 2_500), (LADIES, 500)]
    late = bare()
    dealt(late, (), (SIDE,), 100, 300)
    assert locked(late) == [("main", 2_500)]
    assert [event.zone for event in late.events_of(BetIncreasedAfterLock)] == [LADIES]


def test_between_two_rounds_every_zone_is_looked_at() -> None:
    rig = bare()
    rig.talk("Th 9c 6d 8s")
    assert rig.desired.watched == ()
    rig.talk("3 main 0")
    assert rig.desired.watched == ()
