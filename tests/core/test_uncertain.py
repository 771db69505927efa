"""Side wagers whose chips moved between two looks with the first card between: neither late nor certain."""

from __future__ import annotations

from controller.core.game.wager import Basis
from controller.core.messages.alerts import (
    BetDecreasedAfterLock,
    BetIncreasedAfterLock,
    ChipsUnexplained,
    WagerUncertain,
)
from controller.core.messages.events import BettingClosed, WagerSettled, WagerUnresolved
from controller.core.messages.inputs import AdjustWager
from controller.core.messages.raised_alerts import AlertRaised
from firmware_protocols.cards import Card
from firmware_protocols.readings import CardDrawn, ChipsConfirmed, ChipsSeen
from tests.core.rig import MS, SPOTS, Rig, whole_house_with

PLAYED = "9c 6d 8s \n key stand hole_turned \n 1 main 0 \n key round_closed"
ALARMS = (BetIncreasedAfterLock, BetDecreasedAfterLock, ChipsUnexplained, AlertRaised)


def first_card(rig: Rig, cents: int, zone: str = "lucky_ladies", *, seen_ms: int = 80) -> None:
    """The first card; then a look at a zone reports a change since well before it."""
    rig.late = True
    rig.pass_ms(1000)
    before_ns = rig.now_ns - 6_000 * MS
    rig.give(CardDrawn(rig.now_ns, Card("Th")))
    rig.now_ns += seen_ms * MS
    chip = f"E0045{cents:011X}"
    rig.values[chip] = cents
    rig.give(ChipsSeen(1, zone, (chip,) if cents else (), max(before_ns, 0), rig.now_ns))
    rig.late = False
    rig.give(ChipsConfirmed(SPOTS, rig.now_ns))


def locked(rig: Rig) -> list[tuple[int, str, int]]:
    return [(w.spot, w.bet, w.cents) for e in rig.events_of(BettingClosed) for w in e.wagers]


def opened(rig: Rig) -> list[tuple[str, int, tuple[int, ...]]]:
    return [(e.bet, e.wager_cents, e.possible_cents) for e in rig.events_of(WagerUnresolved)]


def test_a_side_wager_laid_unseen_before_the_first_card_is_open_and_nobody_is_accused() -> None:
    rig = whole_house_with("1 main 10")
    first_card(rig, 500)
    rig.talk(PLAYED)
    assert locked(rig) == [(1, "main", 1000)]
    assert rig.events_of(WagerUncertain) == [WagerUncertain(1, 1, "lucky_ladies", (0, 500))]
    assert opened(rig) == [("lucky_ladies", 500, (-500, 0))]
    assert rig.events_of(*ALARMS) == []
    assert rig.outcomes() == ["open"]


def test_a_side_wager_taken_off_unseen_before_the_first_card_is_not_settled_as_if_it_lay_there() -> None:
    rig = whole_house_with("1 main 10 \n 1 lucky_ladies 5")
    first_card(rig, 0)
    rig.talk(PLAYED)
    assert opened(rig) == [("lucky_ladies", 500, (-500, 0))]
    assert rig.events_of(*ALARMS) == []
    assert [e.bet for e in rig.events_of(WagerSettled)] == ["main"]


def test_taking_or_paying_it_later_is_no_offence() -> None:
    rig = whole_house_with("1 main 10")
    first_card(rig, 500)
    rig.talk("9c 6d 8s \n 1 lucky_ladies 0 \n 1 lucky_ladies 25 \n 1 lucky_ladies 0")
    assert rig.events_of(*ALARMS) == []


def test_the_floor_settles_it() -> None:
    rig = whole_house_with("1 main 10")
    first_card(rig, 500)
    rig.talk(PLAYED)
    rig.give(AdjustWager(rig.now_ns, 1, 1, "lucky_ladies", -500, "M. Okafor", "it lay there"))
    (event,) = [e for e in rig.events_of(WagerSettled) if e.bet == "lucky_ladies"]
    assert (event.net_cents, event.basis) == (-500, Basis.FLOOR)


def test_at_a_spot_without_a_main_wager_it_is_none() -> None:
    rig = whole_house_with("2 main 10")
    first_card(rig, 500)
    rig.talk("9c 6d 8s \n key stand hole_turned \n 2 main 0 \n key round_closed")
    assert rig.events_of(WagerUncertain, WagerUnresolved, *ALARMS) == []


def test_after_the_key_and_before_the_first_card_it_lay_there_in_time() -> None:
    rig = whole_house_with("1 main 10")
    rig.late = True
    rig.key("no_more_bets")
    rig.values["E00450000000001F"] = 500
    rig.give(ChipsSeen(1, "lucky_ladies", ("E00450000000001F",), 1000 * MS, rig.now_ns))
    rig.late = False
    rig.talk("Th 9c 6d 8s \n 1 lucky_ladies 0 \n key stand hole_turned \n 1 main 0 \n key round_closed")
    assert rig.events_of(WagerUncertain, *ALARMS) == []


def test_with_a_limit_on_all_wins_a_win_that_hangs_on_it_stays_open_too() -> None:
    rig = whole_house_with("1 main 10 \n 1 twenty_one_plus_three 5", aggregate_limit_cents=5000)
    first_card(rig, 500)
    rig.talk("9c Jd 8s \n key stand hole_turned round_closed")
    assert [bet for bet, _, _ in opened(rig)] == ["twenty_one_plus_three", "lucky_ladies"]


def test_a_main_wager_reported_late_lay_there_in_time() -> None:
    rig = whole_house_with("2 main 10")
    first_card(rig, 500, "main")
    rig.talk("9c 6d 8s 7c 6h")
    assert locked(rig) == [(1, "main", 500), (2, "main", 1000)]
    assert rig.events_of(*ALARMS) == []
