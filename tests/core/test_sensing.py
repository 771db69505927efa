"""Bet sensors held against chips, and what the sensors are told."""

from __future__ import annotations

from msgspec.structs import replace

from controller.core.game_alerts import Severity
from controller.core.inputs import Started
from controller.io import profile_files
from firmware_protocols.readings import WagersSensed
from tests.core.alerting import at_table, kinds, raised
from tests.core.rig import MS, Rig

BET = "blazing7s"


def at_sensors() -> Rig:
    rig = Rig(profile_files.load("hollywood-penn-national", {"stand_key": "always"}).rules)
    rig.house = replace(rig.house, sensors={BET: (1, 2, 3)})
    rig.give(Started(rig.now_ns, "test", rig.house))
    rig.events.clear()
    return rig


def sense(rig: Rig, *spots: int, live: tuple[int, ...] | None = None) -> None:
    """The unit does what the table wishes, and tells."""
    rig.pass_ms(150)
    seen = spots if live is None else live
    latched = spots if rig.desired.lock else ()
    rig.give(
        WagersSensed(
            "bet_sensors", BET, seen, latched, rig.desired.lock, after_ns=rig.now_ns - 100 * MS, by_ns=rig.now_ns
        )
    )


def disagreements(rig: Rig) -> list[tuple[int, int, str]]:
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
    assert not rig.table.state.round.cards
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
