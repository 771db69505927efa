"""Bet sensors held against chips, and what the sensors are sent."""

from __future__ import annotations

from msgspec.structs import replace

from controller.core.messages.events import BettingClosed, CardDealt, WagerSettled
from controller.core.messages.house import SensorBet
from controller.core.messages.inputs import DaemonStarted
from controller.core.messages.meter_events import ContributionMade, MeterClosed
from controller.core.messages.raised_alerts import Severity
from controller.core.meters.state import MeterTerms
from controller.io.files import profile_files
from firmware_protocols.readings import ChipsSeen, DeviceComplained, DeviceHealth, HealthState, WagersSensed
from tests.core.alerting import at_table, kinds, raised
from tests.core.rig import MS, Rig
from tests.progressive.live import SEVENS

BET = "blazing7s"
UNIT = "bet_sensors"


def at_sensors() -> Rig:
    rig = Rig(profile_files.load("hollywood-penn-national", {"stand_key": "always"}).rules)
    rig.house = replace(rig.house, sensors={BET: (1, 2, 3)})
    rig.give(DaemonStarted(rig.now_ns, "test", rig.house))
    rig.events.clear()
    return rig


def sense(rig: Rig, *spots: int, live: tuple[int, ...] | None = None) -> None:
    """The unit does what the table wishes, and reports."""
    rig.pass_ms(150)
    seen = spots if live is None else live
    latched = spots if rig.desired.lock else ()
    rig.give(
        WagersSensed(
            "bet_sensors", BET, seen, latched, rig.desired.lock, after_ns=rig.now_ns - 100 * MS, by_ns=rig.now_ns
        )
    )


def disagreements(rig: Rig) -> list[tuple[int | None, int | None, str]]:
    return [(one.round, one.spot, one.text) for one in raised(rig) if one.kind.value == "sensor_disagrees"]


def test_where_both_agree_nothing_is_said_and_the_lamps_are_lit() -> None:
    rig = at_sensors()
    rig.talk(f"1 main 25\n1 {BET} 5\n3 main 25\n3 {BET} 5")
    sense(rig, 1, 3)
    assert (rig.desired.lock, rig.desired.lamps) == (0, {})
    rig.key("no_more_bets")
    assert (rig.desired.lock, rig.desired.lamps) == (1, {})
    sense(rig, 1, 3)
    assert rig.desired.lamps == {BET: (1, 3)}
    assert kinds(rig) == []


def test_a_wager_sensed_without_chips_is_alerted_before_the_first_card() -> None:
    rig = at_sensors()
    rig.talk("1 main 25\n2 main 25")
    rig.key("no_more_bets")
    sense(rig, 2)
    assert disagreements(rig) == [(1, 2, f"spot 2 {BET}: a wager sensed and no chips there")]
    assert raised(rig)[0].severity is Severity.WARNING
    assert rig.table.state.round is not None
    assert not rig.table.state.round.cards.drawn
    assert rig.desired.lamps == {BET: ()}


def test_chips_that_no_sensor_has_are_alerted_too() -> None:
    rig = at_sensors()
    rig.talk(f"1 main 25\n1 {BET} 5")
    rig.key("no_more_bets")
    sense(rig)
    assert disagreements(rig) == [(1, 1, f"spot 1 {BET}: chips lie there and the sensor has no wager")]
    assert raised(rig)[0].after_cents == 500


def test_spots_without_a_sensor_are_not_judged() -> None:
    rig = at_sensors()
    rig.talk(f"5 main 25\n5 {BET} 5")
    rig.key("no_more_bets")
    sense(rig)
    assert disagreements(rig) == []


def test_a_round_is_judged_once_and_the_next_anew() -> None:
    rig = at_sensors()
    rig.talk("1 main 25")
    rig.key("no_more_bets")
    sense(rig, 1)
    sense(rig, 1, live=())
    rig.talk("Th 7d Qs Td\nkey stand hole_turned\nkey round_closed")
    assert rig.desired.lock == 0
    sense(rig, 1)
    rig.key("no_more_bets")
    assert rig.desired.lock == 2
    sense(rig, 1)
    assert [number for number, _, _ in disagreements(rig)] == [1, 2]


def test_what_was_latched_for_an_earlier_round_judges_nothing() -> None:
    rig = at_sensors()
    rig.give(WagersSensed("bet_sensors", BET, (2,), (2,), 9, after_ns=0, by_ns=rig.now_ns))
    rig.talk("1 main 25")
    rig.key("no_more_bets")
    assert rig.desired.lock == 1
    assert disagreements(rig) == []


def test_nothing_is_judged_until_the_readers_have_confirmed_the_lock() -> None:
    rig = at_sensors()
    rig.talk("1 main 25")
    rig.late = True
    rig.key("no_more_bets")
    sense(rig, 1)
    assert disagreements(rig) == []
    rig.late = False
    rig.pass_ms(100)
    assert len(disagreements(rig)) == 1


def test_a_table_without_sensors_wishes_nothing_of_them() -> None:
    rig = at_table()
    rig.talk("1 main 25")
    rig.key("no_more_bets")
    assert (rig.desired.lock, rig.desired.lamps) == (0, {})


# --- where sensors alone see the wager --------------------------------------------------------------


def alone(*spots: int, meters: tuple[MeterTerms, ...] = ()) -> Rig:
    """A table where no reader sees Blazing 7's at these spots; its sensors are at work."""
    rig = Rig(profile_files.load("hollywood-penn-national", {"stand_key": "always"}).rules, meters=meters)
    counted = {BET: SensorBet(UNIT, spots, 500)}
    rig.house = replace(rig.house, sensors={BET: (1, 2, 3)}, counted=counted)
    rig.give(DaemonStarted(rig.now_ns, "test", rig.house))
    health(rig, HealthState.READY)
    rig.events.clear()
    return rig


def health(rig: Rig, state: HealthState) -> None:
    rig.give(DeviceHealth(UNIT, state, rig.now_ns))


def locked(rig: Rig) -> list[tuple[int, str, int]]:
    """The wagers of the last lock."""
    locks = [event for event in rig.events if isinstance(event, BettingClosed)]
    return [(one.spot, one.bet, one.cents) for one in locks[-1].wagers] if locks else []


def alerts(rig: Rig) -> list[tuple[str, int | None]]:
    return [(one.kind.value, one.spot) for one in raised(rig)]


def test_what_only_sensors_see_is_a_wager_of_the_cards_stake_and_is_settled() -> None:
    rig = alone(1, 2, 3)
    rig.talk("1 main 25\n2 main 10")
    sense(rig, 1)
    rig.key("no_more_bets")
    assert locked(rig) == []
    sense(rig, 1)
    assert locked(rig) == [(1, "main", 2500), (1, BET, 500), (2, "main", 1000)]
    assert rig.desired.lamps == {BET: (1,)}
    rig.talk("7h 9c 8d Td 8c Ts\nkey stand stand hole_turned\nkey round_closed")
    assert f"1: spot 1 {BET} +5.00" in rig.postings()
    assert rig.outcomes() == ["settled"]
    assert (rig.desired.lock, rig.desired.lamps, alerts(rig)) == (0, {}, [])


def test_spots_that_readers_see_are_bet_with_chips_and_the_others_with_coins() -> None:
    rig = alone(2)
    rig.talk(f"1 main 25\n1 {BET} 5\n2 main 25")
    rig.key("no_more_bets")
    sense(rig, 2)
    assert [wager for wager in locked(rig) if wager[1] == BET] == [(1, BET, 500), (2, BET, 500)]
    assert alerts(rig) == [("sensor_disagrees", 1)]


def test_the_wager_raises_its_meter_once_the_first_card_is_out() -> None:
    rig = alone(1, 2, 3, meters=(SEVENS,))
    rig.talk("1 main 25\n2 main 25")
    rig.key("no_more_bets")
    sense(rig, 1, 2)
    assert rig.events_of(ContributionMade) == []
    rig.talk("7h")
    made = [event for event in rig.events if isinstance(event, ContributionMade)]
    assert [(one.meter, one.spot, one.bet, one.wager_cents) for one in made] == [
        ("sevens", 1, BET, 500),
        ("sevens", 2, BET, 500),
    ]


def test_a_coin_without_a_main_wager_is_handed_back() -> None:
    rig = alone(1, 2, 3)
    rig.talk("1 main 25")
    rig.key("no_more_bets")
    sense(rig, 2)
    assert locked(rig) == [(1, "main", 2500)]
    assert alerts(rig) == [("side_bet_without_main", 2)]
    assert rig.desired.lamps == {BET: ()}


def test_cards_do_not_wait_for_the_sensors_and_the_round_is_published_once_they_have_spoken() -> None:
    rig = alone(1)
    rig.talk("1 main 25")
    rig.key("no_more_bets")
    rig.talk("7h 9c Td 8c")
    assert locked(rig) == []
    assert rig.events_of(CardDealt, WagerSettled) == []
    sense(rig, 1)
    assert locked(rig) == [(1, "main", 2500), (1, BET, 500)]
    rig.talk("key stand hole_turned\nkey round_closed")
    assert sorted(rig.postings()) == [f"1: spot 1 {BET} +5.00", "1: spot 1 main +0.00"]


def test_a_late_chip_before_the_lock_does_not_lose_what_the_sensors_said() -> None:
    rig = alone(1)
    rig.talk("1 main 25")
    before_ns = rig.now_ns
    rig.late = True
    rig.key("no_more_bets")
    sense(rig, 1)
    rig.values["C"] = 1000
    rig.give(ChipsSeen(2, "main", ("C",), before_ns - 50 * MS, before_ns - MS))
    rig.late = False
    rig.pass_ms(100)
    assert locked(rig) == [(1, "main", 2500), (1, BET, 500), (2, "main", 1000)]


def test_bets_locked_by_the_first_card_are_what_was_last_seen_before_it() -> None:
    rig = alone(1, 2, 3)
    rig.talk("1 main 25\n2 main 25\n3 main 25")
    sense(rig, 1, 2)
    rig.talk("7h")
    assert [wager for wager in locked(rig) if wager[1] == BET] == [(1, BET, 500), (2, BET, 500)]
    sense(rig, 2, 3)
    assert [(one.spot, one.text.partition(": ")[2]) for one in raised(rig)] == [
        (1, "a wager was sensed before the first card and none when the sensors were locked; it counts"),
        (3, "a wager was sensed only after the first card; it does not count"),
    ]
    assert rig.desired.lamps == {BET: (2,)}
    assert [wager for wager in locked(rig) if wager[1] == BET] == [(1, BET, 500), (2, BET, 500)]


def test_a_coin_laid_after_the_lock_is_past_posting_said_once() -> None:
    rig = alone(1, 2, 3)
    rig.talk("1 main 25\n2 main 25")
    rig.key("no_more_bets")
    for live in ((1,), (1, 2), (1,), (1, 2)):
        rig.pass_ms(150)
        rig.give(WagersSensed(UNIT, BET, live, (1,), 1, after_ns=rig.now_ns - MS, by_ns=rig.now_ns))
    assert [wager for wager in locked(rig) if wager[1] == BET] == [(1, BET, 500)]
    assert alerts(rig) == [("past_posting", 2)]
    assert raised(rig)[0].after_cents == 500


def test_after_the_deal_a_covered_sensor_is_an_award_being_paid() -> None:
    rig = alone(1, 2, 3)
    rig.talk("1 main 25")
    rig.key("no_more_bets")
    sense(rig)
    rig.talk("7h 9c Td 8c")
    rig.give(WagersSensed(UNIT, BET, (1,), (), 1, after_ns=rig.now_ns - MS, by_ns=rig.now_ns))
    assert alerts(rig) == []


def test_sensors_that_do_not_answer_have_accepted_nothing_and_it_is_said_before_the_first_card() -> None:
    rig = alone(1, 2, 3)
    rig.talk("1 main 25")
    sense(rig, 1)
    health(rig, HealthState.LOST)
    rig.key("no_more_bets")
    assert alerts(rig) == [("sensors_silent", None)]
    assert locked(rig) == []
    rig.talk("7h 9c Td 8c\nkey stand hole_turned\nkey round_closed")
    assert rig.postings() == ["1: spot 1 main +0.00"]
    assert alerts(rig) == [("sensors_silent", None)]


def test_sensors_back_before_the_first_card_have_their_say() -> None:
    rig = alone(1)
    rig.talk("1 main 25")
    health(rig, HealthState.FAULTY)
    rig.key("no_more_bets")
    health(rig, HealthState.READY)
    sense(rig, 1)
    assert [wager for wager in locked(rig) if wager[1] == BET] == [(1, BET, 500)]


def test_sensors_back_after_the_first_card_have_seen_nothing_that_counts() -> None:
    rig = alone(1)
    rig.talk("1 main 25")
    health(rig, HealthState.LOST)
    rig.key("no_more_bets")
    rig.talk("7h")
    health(rig, HealthState.READY)
    sense(rig, 1)
    assert locked(rig) == [(1, "main", 2500)]
    assert alerts(rig) == [("sensors_silent", None)]
    assert rig.desired.lamps == {BET: ()}


def test_sensors_lost_between_lock_and_answer_once_cards_are_out_have_accepted_nothing() -> None:
    rig = alone(1)
    rig.talk("1 main 25")
    rig.key("no_more_bets")
    rig.talk("7h")
    health(rig, HealthState.LOST)
    health(rig, HealthState.READY)
    sense(rig, 1)
    assert locked(rig) == [(1, "main", 2500)]


def test_a_unit_that_lost_its_lock_once_cards_are_out_has_accepted_nothing() -> None:
    rig = alone(1)
    rig.talk("1 main 25")
    rig.key("no_more_bets")
    rig.talk("7h")
    rig.give(DeviceComplained(UNIT, "lock_lost", "it was locked and is open", rig.now_ns))
    sense(rig, 1)
    assert locked(rig) == [(1, "main", 2500)]


def test_a_first_card_before_anything_is_known_of_the_sensors_finds_no_wager() -> None:
    rig = alone(1)
    rig.give(DaemonStarted(rig.now_ns, "test", rig.house))
    rig.talk("1 main 25\n7h")
    assert alerts(rig) == [("sensors_silent", None)]
    assert locked(rig) == [(1, "main", 2500)]


def test_the_bets_opened_again_by_undo_are_counted_anew() -> None:
    rig = alone(1, 2)
    rig.talk("1 main 25\n2 main 25")
    rig.key("no_more_bets")
    sense(rig, 1)
    rig.key("undo")
    sense(rig, 1, 2)
    rig.key("no_more_bets")
    assert rig.desired.lock == 2
    sense(rig, 2)
    assert [wager for wager in locked(rig) if wager[1] == BET] == [(2, BET, 500)]


def test_the_meter_they_feed_is_closed_while_they_do_not_answer() -> None:
    rig = alone(1, meters=(SEVENS,))
    assert [one.cents for one in rig.desired.meters] == [1_000_000]
    health(rig, HealthState.LOST)
    assert [event.reason for event in rig.events if isinstance(event, MeterClosed)] == ["bet_sensors does not answer"]
    assert [one.cents for one in rig.desired.meters] == [None]
    health(rig, HealthState.READY)
    assert [one.cents for one in rig.desired.meters] == [1_000_000]
