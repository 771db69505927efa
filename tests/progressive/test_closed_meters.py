"""A wager laid while a meter it feeds is closed: who hears of it, while it can be handed back, and what it counts."""

from __future__ import annotations

import msgspec
from msgspec.structs import replace

from controller.core.game.wager import LockedWager
from controller.core.messages.alerts import SideBetRefused
from controller.core.messages.events import BettingClosed, Event, WagerSettled
from controller.core.messages.house import SensorBet
from controller.core.messages.inputs import DaemonStarted
from controller.core.messages.meter_events import ContributionMade
from controller.core.messages.pool_events import ContributionPosted
from controller.core.messages.raised_alerts import AlertKind, AlertRaised
from controller.core.meters.pooled_meter import WhileClosed
from controller.core.step import step
from controller.core.table.state import restore
from controller.formats.mqtt.retained_state import ClosedBet, RoundNow, round_bytes
from controller.formats.replay import read_state, state_bytes
from firmware_protocols.readings import ChipsSeen, DeviceHealth, HealthState, WagersSensed
from tests.core.rig import MS, coded
from tests.progressive.live import LINKED, MYSTERY, NOTHING, REST, Box, MeterRig, Pit

AWAY = "the link is away"
BET = "1 main 10 \n 1 blazing7s 5"
CARDS = f"9h 6c 8s Tc \n {REST}"


def table(pit: Pit, while_closed: WhileClosed = "stand") -> MeterRig:
    """A table whose link was heard and is away."""
    rig = MeterRig(linked=(replace(LINKED, while_closed=while_closed),))
    pit.publishes(rig)
    pit.is_lost(rig)
    return rig


def raised(rig: MeterRig) -> list[tuple[int | None, int | None, str | None, int | None, str]]:
    found = (one for one in rig.events_of(AlertRaised))
    return [
        (one.round, one.spot, one.zone, one.after_cents, one.text)
        for one in found
        if one.kind is AlertKind.METER_CLOSED_AT_LOCK
    ]


def picture(rig: MeterRig) -> tuple[ClosedBet, ...]:
    """What the retained picture of the round says."""
    return msgspec.json.decode(round_bytes(rig.house, rig.table.state), type=RoundNow).on_closed_meters


LAID = f"spot 1 blazing7s: a wager of 5.00 while pit_sevens is closed: {AWAY}; dealt to, it stands"
REPORTED = (1, 1, "blazing7s", 500, LAID)


def test_the_dealer_reads_of_it_while_bets_are_open_and_the_table_says_so_at_the_lock(pit: Pit) -> None:
    rig = table(pit)
    rig.talk("1 main 10")
    assert rig.desired.display == "Bets open"
    rig.talk("1 blazing7s 5 \n 3 main 10 \n 3 blazing7s 5")
    assert rig.desired.display == "Meter closed: blazing7s 1,3"
    assert picture(rig) == (ClosedBet(1, "blazing7s"), ClosedBet(3, "blazing7s"))
    assert raised(rig) == []
    rig.key("no_more_bets")
    assert rig.desired.display == "Meter closed: blazing7s 1,3"
    assert raised(rig)[0] == REPORTED
    assert [(spot, bet) for _, spot, bet, _, _ in raised(rig)] == [(1, "blazing7s"), (3, "blazing7s")]
    assert rig.table.state.alerts.listed[0].spot == 1
    rig.talk("9h")
    assert rig.desired.display == "Round 1"
    assert picture(rig) == ()
    assert len(raised(rig)) == 2


def test_dealt_to_it_stands_and_is_owed_to_the_pool(pit: Pit) -> None:
    rig = table(pit)
    rig.talk(f"{BET} \n key no_more_bets \n {CARDS}")
    assert rig.postings()[0] == "1: spot 1 blazing7s -5.00"
    assert [one.spot for one in rig.events_of(ContributionPosted)] == [1]
    assert rig.outcomes() == ["settled"]


def test_where_the_first_card_locks_the_bets_it_is_reported_at_the_card(pit: Pit) -> None:
    rig = table(pit)
    rig.talk(NOTHING)
    assert raised(rig) == [REPORTED]


def test_a_dealer_who_takes_the_lock_back_can_hand_the_bet_back(pit: Pit) -> None:
    rig = table(pit)
    rig.talk(f"{BET} \n key no_more_bets undo \n 1 blazing7s 0 \n key no_more_bets \n {CARDS}")
    assert [one.round for one in rig.events_of(BettingClosed)] == [1, 2]
    assert [number for number, *_ in raised(rig)] == [1]
    assert rig.events_of(ContributionPosted) == []
    assert {one.bet for one in rig.events_of(WagerSettled)} == {"main"}
    assert rig.outcomes() == ["void", "settled"]


def test_chips_that_go_after_the_lock_are_a_collected_stake_and_not_a_bet_handed_back(pit: Pit) -> None:
    rig = table(pit)
    rig.talk(f"{BET} \n key no_more_bets \n 1 blazing7s 0 \n {CARDS}")
    assert len(rig.events_of(ContributionPosted)) == 1
    assert "1: spot 1 blazing7s -5.00" in rig.postings()


def test_an_open_meter_and_one_that_closes_after_the_lock_are_no_alarm(pit: Pit) -> None:
    rig = MeterRig(linked=(LINKED,))
    pit.publishes(rig)
    rig.talk(BET)
    assert rig.desired.display == "Bets open"
    rig.late = True
    rig.key("no_more_bets")
    pit.is_lost(rig)
    rig.late = False
    rig.talk(CARDS)
    assert raised(rig) == []
    assert rig.outcomes() == ["settled"]


def test_a_meter_that_can_be_won_again_before_the_lock_is_published_is_no_alarm(pit: Pit) -> None:
    rig = table(pit)
    rig.talk(BET)
    rig.late = True
    rig.key("no_more_bets")
    pit.publishes(rig)
    rig.late = False
    rig.talk(CARDS)
    assert raised(rig) == []


def test_the_must_hit_by_meter_too(pit: Pit) -> None:
    rig = MeterRig(linked=(LINKED,))
    pit.publishes(rig)
    rig.talk("1 main 10 \n 1 five_card_progressive 5")
    assert rig.desired.display == "Meter closed: five_card_progressive 1"
    rig.key("no_more_bets")
    ((_, spot, bet, cents, text),) = raised(rig)
    assert (spot, bet, cents) == (1, "five_card_progressive", 500)
    assert "mystery is closed: the trigger box does not answer" in text
    Box(rig, [90_000]).up()
    rig.talk(CARDS)
    assert len(rig.events_of(ContributionMade)) == 1


# --- a house that does not take them ----------------------------------------------------------------------


def test_a_house_that_refuses_it_has_no_such_wager(pit: Pit) -> None:
    rig = table(pit, "refuse")
    rig.talk(BET)
    assert rig.desired.display == "Meter closed: blazing7s 1"
    rig.key("no_more_bets")
    sentence = f"pit_sevens is closed: {AWAY}"
    assert rig.events_of(SideBetRefused) == [SideBetRefused(1, 1, "blazing7s", 500, "blazing7s.while_closed", sentence)]
    (alert,) = rig.events_of(AlertRaised)
    assert isinstance(alert, AlertRaised)
    assert (alert.kind, alert.spot, alert.zone) == (AlertKind.SIDE_BET_REFUSED, 1, "blazing7s")
    (locked,) = rig.events_of(BettingClosed)
    assert isinstance(locked, BettingClosed)
    assert locked.wagers == (LockedWager(1, "main", 1000),)
    assert rig.desired.display == "Meter closed: blazing7s 1"
    assert picture(rig) == (ClosedBet(1, "blazing7s"),)
    rig.talk(f"1 blazing7s 0 \n {CARDS}")
    assert rig.events_of(ContributionPosted) == []
    assert rig.postings() == ["1: spot 1 main -10.00"]
    assert rig.outcomes() == ["settled"]
    # It was handed back, which is no alarm.
    assert len(rig.events_of(AlertRaised)) == 1


def test_refused_it_stays_when_the_link_comes_back_in_the_round(pit: Pit) -> None:
    rig = table(pit, "refuse")
    rig.talk(BET)
    rig.late = True
    rig.key("no_more_bets")
    pit.publishes(rig)
    rig.late = False
    rig.talk(CARDS)
    assert rig.events_of(ContributionPosted) == []
    assert rig.postings() == ["1: spot 1 main -10.00"]


def test_a_wager_seen_late_that_lay_there_at_the_lock_is_refused_as_the_others_are(pit: Pit) -> None:
    rig = table(pit, "refuse")
    rig.talk("1 main 10")
    rig.late = True
    rig.key("no_more_bets")
    pit.publishes(rig)
    rig.values["E004"] = 500
    rig.give(ChipsSeen(1, "blazing7s", ("E004",), rig.now_ns - 1_000 * MS, rig.now_ns))
    rig.late = False
    rig.talk(CARDS)
    assert len(rig.events_of(SideBetRefused)) == 1
    assert rig.events_of(ContributionPosted) == []


def test_the_meters_of_one_table_may_differ(pit: Pit) -> None:
    rig = MeterRig(replace(MYSTERY, while_closed="refuse"), linked=(LINKED,))
    pit.is_lost(rig)
    rig.talk(f"{BET} \n 1 five_card_progressive 5 \n key no_more_bets \n {CARDS}")
    assert [one.bet for one in rig.events_of(SideBetRefused)] == ["five_card_progressive"]
    assert [bet for _, _, bet, _, _ in raised(rig)] == ["blazing7s"]


# --- where only sensors see it ----------------------------------------------------------------------------


def sensed(pit: Pit, while_closed: WhileClosed) -> MeterRig:
    """A table whose sevens lie on sensors alone; its link is away."""
    rig = table(pit, while_closed)
    rig.house = replace(
        rig.house, sensors={"blazing7s": (1, 2)}, counted={"blazing7s": SensorBet("sensors", (1, 2), 500)}
    )
    rig.give(DaemonStarted(rig.now_ns, "test", rig.house))
    rig.give(DeviceHealth("sensors", HealthState.READY, rig.now_ns))
    pit.is_lost(rig)
    rig.talk("1 main 10")
    rig.give(WagersSensed("sensors", "blazing7s", (1,), (), 0, rig.now_ns, rig.now_ns))
    assert rig.desired.display == "Meter closed: blazing7s 1"
    rig.key("no_more_bets")
    rig.give(WagersSensed("sensors", "blazing7s", (1,), (1,), 1, rig.now_ns, rig.now_ns))
    rig.pass_ms(100)
    return rig


def test_a_sensed_wager_is_reported_and_stands(pit: Pit) -> None:
    rig = sensed(pit, "stand")
    assert raised(rig) == [REPORTED]
    assert rig.desired.lamps == {"blazing7s": (1,)}
    rig.talk(CARDS)
    assert len(rig.events_of(ContributionPosted)) == 1


def test_a_sensed_wager_is_refused_and_no_lamp_is_lit(pit: Pit) -> None:
    rig = sensed(pit, "refuse")
    assert len(rig.events_of(SideBetRefused)) == 1
    assert rig.desired.lamps == {"blazing7s": ()}
    rig.talk(CARDS)
    assert rig.events_of(ContributionPosted) == []


def test_a_night_stepped_again_from_a_checkpoint_says_the_same(pit: Pit) -> None:
    houses: tuple[WhileClosed, ...] = ("stand", "refuse")
    for while_closed in houses:
        rig = table(pit, while_closed)
        rig.talk(f"{BET} \n key no_more_bets")
        held = restore(rig.house, read_state(state_bytes(rig.table.state)))
        stepped, published = len(rig.stamped), len(rig.events)
        rig.talk(CARDS)
        again: list[Event] = []
        for stamped in rig.stamped[stepped:]:
            after = step(held, stamped)
            held = after.table
            again.extend(after.events)
        assert coded(again) == coded(rig.events[published:])
