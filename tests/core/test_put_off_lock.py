"""*No more bets* pressed while the round before waits for its readers: the felt counts as it lay at the key."""

from __future__ import annotations

import pytest

from controller.core.messages.alerts import BetDecreasedAfterLock, BetIncreasedAfterLock
from controller.core.messages.events import BettingClosed, KeyUndone, RoundClosed
from controller.core.messages.inputs import VoidRound
from firmware_protocols.readings import ChipsConfirmed, ChipsSeen
from tests.core.rig import MS, SPOTS, Rig, penn

ROUND = "1 main 10 \n key no_more_bets \n Th 9c 6d 8s \n key stand"


def put_off() -> Rig:
    """The round is closed and the next bets are locked; the readers have still to confirm the first."""
    rig = Rig(penn(stand_key="always"))
    rig.talk(ROUND)
    rig.late = True
    rig.talk("key hole_turned \n 1 main 0 \n 1 main 15 \n key round_closed no_more_bets")
    assert len(rig.events_of(RoundClosed)) == 0
    return rig


def confirm(rig: Rig) -> None:
    rig.late = False
    rig.give(ChipsConfirmed(SPOTS, rig.now_ns))
    rig.pass_ms(100)


def locked(rig: Rig) -> list[tuple[int, int, str, int]]:
    found = (event for event in rig.events if isinstance(event, BettingClosed))
    return [(event.round, w.spot, w.bet, w.cents) for event in found for w in event.wagers]


SECOND = [(1, 1, "main", 1000), (2, 1, "main", 1500)]


@pytest.mark.parametrize(
    ("spot", "dollars", "kind"),
    [(2, 50, BetIncreasedAfterLock), (1, 40, BetIncreasedAfterLock), (1, 5, BetDecreasedAfterLock)],
)
def test_chips_moved_after_the_key_are_no_wager(
    spot: int, dollars: int, kind: type[BetIncreasedAfterLock | BetDecreasedAfterLock]
) -> None:
    rig = put_off()
    rig.chips(spot, "main", dollars * 100)
    confirm(rig)
    assert locked(rig) == SECOND
    assert [(event.round, event.spot) for event in rig.events if isinstance(event, kind)] == [(2, spot)]


def test_moved_back_before_the_round_begins_they_are_as_they_were() -> None:
    rig = put_off()
    rig.talk("2 main 50 \n 2 main 0")
    confirm(rig)
    assert locked(rig) == SECOND
    assert rig.events_of(BetIncreasedAfterLock, BetDecreasedAfterLock) == []


def test_chips_reported_after_the_key_that_may_have_lain_there_in_time_are_a_wager() -> None:
    rig = put_off()
    rig.values["E00450000000002A"] = 500
    rig.give(ChipsSeen(2, "main", ("E00450000000002A",), rig.now_ns - 1000 * MS, rig.now_ns))
    confirm(rig)
    assert locked(rig) == [*SECOND, (2, 2, "main", 500)]


def test_a_void_round_leaves_the_bets_locked_as_they_lay_at_the_key() -> None:
    rig = put_off()
    rig.talk("2 main 50")
    rig.give(VoidRound(rig.now_ns, 1, "M. Okafor", "a card was seen"))
    confirm(rig)
    assert locked(rig)[-1] == (2, 1, "main", 1500)


@pytest.mark.parametrize("confirmed", [False, True])
def test_the_key_can_be_taken_back_while_no_card_is_out(confirmed: bool) -> None:
    rig = put_off()
    if confirmed:
        confirm(rig)
    rig.talk("key undo \n 2 main 50")
    confirm(rig)
    rig.talk("key no_more_bets")
    assert [event.meaning for event in rig.events_of(KeyUndone)] == ["no_more_bets"]
    assert locked(rig)[-1] == (rig.table.state.rounds, 2, "main", 5000)
    voided = [event.outcome for event in rig.events_of(RoundClosed)]
    assert voided == (["settled", "void"] if confirmed else ["settled"])


def test_chips_laid_after_the_key_are_no_wager_when_another_spot_is_reported_late() -> None:
    rig = Rig(penn(stand_key="always"))
    rig.talk("1 main 10")
    rig.late = True
    rig.talk("key no_more_bets \n 2 main 50")
    rig.values["E00450000000002A"] = 500
    rig.give(ChipsSeen(3, "main", ("E00450000000002A",), 1_000 * MS, rig.now_ns))
    confirm(rig)
    assert locked(rig) == [(1, 1, "main", 1000), (1, 3, "main", 500)]
