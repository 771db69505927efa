"""Chips, cards and rules against one another: what is raised, what is not, and how it leaves the list."""

from __future__ import annotations

import msgspec
import pytest
from msgspec.structs import replace

from controller.core.messages.alerts import OrderRefused
from controller.core.messages.inputs import AcknowledgeAlert, DaemonStarted
from controller.core.messages.raised_alerts import (
    ACKNOWLEDGED_LIMIT,
    LISTED_LIMIT,
    SEVERITY,
    AlertAcknowledged,
    AlertKind,
    Severity,
)
from controller.core.table.state import restore
from controller.formats.mqtt.retained_alerts import AlertsNow, alerts_bytes
from controller.formats.replay import read_state, state_bytes
from controller.io.files import profile_files
from firmware_protocols.readings import ChipsConfirmed, ChipsSeen
from tests.core.alerting import at_table, dealt, kinds, raised, won
from tests.core.houses import DEALERS, HABITS, simulated
from tests.core.rig import MS, SPOTS, Rig, penn


def test_chips_laid_in_an_empty_zone_after_the_lock_are_past_posting() -> None:
    rig = at_table()
    dealt(rig, "Th")
    rig.chips(1, "lucky_ladies", 500)
    rig.leave_lying()
    (alert,) = raised(rig)
    assert (alert.kind, alert.severity) == (AlertKind.PAST_POSTING, Severity.CRITICAL)
    assert (alert.round, alert.spot, alert.zone, alert.before_cents, alert.after_cents) == (
        1,
        1,
        "lucky_ladies",
        0,
        500,
    )
    assert alert.before == ()
    assert alert.after == rig.lying[1, "lucky_ladies"]
    seen = [one.number for one in rig.stamped if isinstance(one.input, ChipsSeen)]
    assert alert.readings == (seen[-1],)


def test_chips_laid_where_nobody_plays_are_only_to_be_looked_at() -> None:
    rig = at_table()
    dealt(rig, "Th")
    rig.chips(6, "main", 500)
    rig.leave_lying()
    assert [(one.kind, one.severity) for one in raised(rig)] == [(AlertKind.PAST_POSTING, Severity.NOTICE)]


def test_a_wager_that_grows_after_the_lock_is_capped_and_one_that_shrinks_pinched() -> None:
    rig = at_table()
    dealt(rig, "Th")
    rig.chips(1, "main", 5000)
    rig.leave_lying()
    rig.chips(1, "main", 1000)
    rig.chips(1, "main", 2500)
    assert kinds(rig) == ["capping", "pinching", "bet_touched"]


def test_other_chips_of_the_same_value_are_no_alert() -> None:
    rig = at_table()
    dealt(rig, "Th")
    rig.values["E004010000000001"] = 2500
    rig.lay(1, "main", ("E004010000000001",))
    assert kinds(rig) == []


def test_a_player_who_raises_when_it_is_another_spots_turn_is_found_out() -> None:
    rig = at_table()
    rig.talk("1 main 25\n3 main 25\nkey no_more_bets\nTh 6d 6h 9s 5d Tc\nkey stand")
    rig.chips(1, "main", 5000)
    rig.leave_lying()
    assert kinds(rig) == ["capping"]


def test_insurance_taken_back_once_it_counts_is_pinched() -> None:
    rig = at_table()
    dealt(rig, "Th As 9s 7d")
    rig.chips(1, "insurance", 1000)
    rig.key("insurance_closed")
    rig.chips(1, "insurance", 0)
    assert kinds(rig) == ["pinching"]


def test_more_insurance_than_half_the_wager_is_too_much() -> None:
    rig = at_table()
    dealt(rig, "Th As 9s 7d")
    rig.chips(1, "insurance", 2000)
    rig.key("insurance_closed")
    assert kinds(rig) == ["insurance_too_large"]


# --- what is no wager -------------------------------------------------------------------------------


def of_profile(name: str, **options: object) -> Rig:
    return Rig(profile_files.load(name, {"stand_key": "always", **options}).rules)


def test_wagers_outside_the_sign_and_side_bets_without_a_main_are_reported_at_the_lock() -> None:
    rig = of_profile("hollywood-penn-national", minimum_cents=1000, maximum_cents=50_000)
    rig.talk("1 main 5 \n 3 main 600 \n 4 lucky_ladies 25")
    assert kinds(rig) == []
    rig.key("no_more_bets")
    assert sorted(kinds(rig)) == ["side_bet_without_main", "wager_outside_limits", "wager_outside_limits"]
    by_spot = {one.spot: one for one in raised(rig)}
    assert by_spot[1].text == ("spot 1 main: a wager of 5.00, where the sign allows at least 10.00 and at most 500.00")
    assert by_spot[4].after == rig.lying[4, "lucky_ladies"]


@pytest.mark.parametrize("early", [False, True])
def test_ez_bust_against_another_up_card_is_reported_whether_it_came_late_or_lay_there(early: bool) -> None:
    rig = of_profile("hollywood-penn-national")
    assert "ez_bust" in rig.house.rules.side_bets
    rig.chips(1, "main", 2500)
    if early:
        rig.chips(1, "ez_bust", 500)
    rig.talk("key no_more_bets\nTh Kd 9s 7d")
    if not early:
        rig.chips(1, "ez_bust", 500)
    (alert,) = raised(rig)
    assert (alert.kind, alert.spot, alert.zone, alert.after_cents) == (
        AlertKind.EZ_BUST_WRONG_UP_CARD,
        1,
        "ez_bust",
        500,
    )


def test_ez_bust_that_is_no_wager_is_handed_back_without_another_word() -> None:
    rig = of_profile("hollywood-penn-national")
    rig.talk("1 main 25\nkey no_more_bets\nTh Kd 9s 7d")
    rig.chips(1, "ez_bust", 500)
    rig.chips(1, "ez_bust", 0)
    assert kinds(rig) == ["ez_bust_wrong_up_card"]


def test_ez_bust_against_its_up_card_is_a_wager() -> None:
    rig = of_profile("hollywood-penn-national")
    rig.talk("1 main 25\nkey no_more_bets\nTh 5d 9s 7d")
    rig.chips(1, "ez_bust", 500)
    assert kinds(rig) == []


def test_who_comes_in_mid_shoe_is_reported_where_that_is_refused() -> None:
    rig = Rig(replace(penn(stand_key="always"), mid_shoe_entry="refused"))
    won(rig)
    rig.chips(1, "main", 5000)
    rig.talk("key round_closed\n4 main 25\nkey no_more_bets")
    assert kinds(rig) == ["mid_shoe_entry"]
    rig.answer("no")
    assert kinds(rig) == ["mid_shoe_entry"]
    rig.chips(4, "main", 0)
    assert kinds(rig) == ["mid_shoe_entry"]


# --- chips ------------------------------------------------------------------------------------------


def test_a_chip_of_no_registry_is_unknown_and_one_of_another_make_foreign() -> None:
    rig = at_table()
    rig.chips(1, "main", 2500)
    rig.lay(2, "main", ("E00401FFFFFFFFFF",))
    rig.lay(3, "main", ("E007010000000001",))
    assert kinds(rig) == ["unknown_chip", "foreign_chip"]


def test_a_chip_carried_from_zone_to_zone_is_not_two_chips() -> None:
    rig = at_table()
    rig.late = True
    rig.values["E004010000000001"] = 2500
    rig.lay(1, "main", ("E004010000000001",))
    rig.lay(2, "main", ("E004010000000001",))
    rig.lay(1, "main", ())
    rig.give(ChipsConfirmed(SPOTS, rig.now_ns))
    assert kinds(rig) == []


def test_a_chip_that_both_readers_see_again_is_two_chips() -> None:
    rig = at_table()
    rig.late = True
    rig.values["E004010000000001"] = 2500
    rig.lay(1, "main", ("E004010000000001",))
    rig.lay(2, "main", ("E004010000000001",))
    rig.leave_lying()
    assert rig.desired.confirm_ns > 0
    rig.give(ChipsConfirmed((1,), rig.now_ns))
    assert kinds(rig) == []
    rig.give(ChipsConfirmed((2,), rig.now_ns))
    assert kinds(rig) == ["duplicated_chip"]
    rig.give(ChipsConfirmed(SPOTS, rig.now_ns))
    assert kinds(rig) == ["duplicated_chip"]
    assert rig.desired.confirm_ns == 0


def test_a_chip_the_house_keeps_elsewhere_is_reported_when_it_comes() -> None:
    rig = at_table()
    away = "E004010000000009"
    rig.values[away] = 10_000
    house = replace(rig.house, elsewhere={away: "vault"})
    rig.give(DaemonStarted(rig.now_ns, "test", house))
    rig.lay(1, "main", (away,))
    rig.lay(1, "main", (away,))
    (alert,) = raised(rig)
    assert alert.kind is AlertKind.CHIP_ELSEWHERE
    assert "vault" in alert.text


# --- cards ------------------------------------------------------------------------------------------


def test_a_card_without_bets_is_out_of_turn() -> None:
    rig = at_table()
    rig.card("8h")
    assert kinds(rig) == ["card_out_of_turn"]


def test_a_dealer_who_draws_on_seventeen_goes_against_the_rule() -> None:
    rig = at_table()
    dealt(rig, "Th 7d Qs Td")
    rig.talk("key stand hole_turned\n2c")
    rig.talk("key round_closed round_closed")
    assert kinds(rig) == ["dealer_against_rule", "settlement_disputed"]


def test_a_dealer_who_stands_on_sixteen_goes_against_the_rule() -> None:
    rig = at_table()
    dealt(rig, "Th 6d Qs Td")
    rig.talk("key stand hole_turned")
    rig.talk("key round_closed round_closed")
    assert kinds(rig) == ["dealer_against_rule"]


# --- the list ---------------------------------------------------------------------------------------


def capped() -> Rig:
    rig = at_table()
    dealt(rig, "Th")
    rig.chips(1, "main", 5000)
    rig.leave_lying()
    return rig


def test_an_alert_waits_until_a_named_person_has_seen_it() -> None:
    rig = capped()
    assert [one.alert for one in rig.table.state.alerts.listed] == [1]
    rig.talk("key round_closed round_closed\n1 main 25\nkey no_more_bets")
    assert rig.table.state.alerts.listed[0].alert == 1
    rig.give(AcknowledgeAlert(rig.now_ns, 1, "M. Okafor", "put back"))
    assert 1 not in [one.alert for one in rig.table.state.alerts.listed]
    assert rig.events[-1] == AlertAcknowledged(1, AlertKind.CAPPING, "M. Okafor", "put back")


def test_who_acknowledged_the_last_alerts_and_when_stays_readable() -> None:
    rig = capped()
    for number in range(1, ACKNOWLEDGED_LIMIT + 2):
        rig.lay(7, "main", ())
        rig.lay(7, "main", (f"E0070100000{number:05}",))
        rig.give(AcknowledgeAlert(rig.now_ns, rig.table.state.alerts.listed[0].alert, "M. Okafor", f"note {number}"))
    shown = msgspec.json.decode(alerts_bytes(rig.table.state), type=AlertsNow)
    assert len(shown.acknowledged) == ACKNOWLEDGED_LIMIT
    assert {one.who for one in shown.acknowledged} == {"M. Okafor"}
    assert shown.acknowledged[-1].note == f"note {ACKNOWLEDGED_LIMIT + 1}"
    assert restore(rig.house, read_state(state_bytes(rig.table.state))).state.alerts == rig.table.state.alerts


def test_what_was_acknowledged_cannot_be_acknowledged_again() -> None:
    rig = capped()
    for _ in range(2):
        rig.give(AcknowledgeAlert(rig.now_ns, 1, "M. Okafor", ""))
    assert isinstance(rig.events[-1], OrderRefused)
    assert rig.events[-1].reason == "no such alert is unacknowledged"


def test_the_list_outlives_a_restart_and_the_numbers_go_on() -> None:
    rig = capped()
    rig.table = restore(rig.house, read_state(state_bytes(rig.table.state)))
    rig.give(DaemonStarted(rig.now_ns, "test", rig.house))
    assert [one.kind for one in rig.table.state.alerts.listed] == [AlertKind.CAPPING]
    rig.lay(7, "main", ("E007010000000001",))
    assert [one.alert for one in rig.table.state.alerts.listed] == [1, 2]


def test_a_list_that_nobody_reads_says_so_and_stays_bounded() -> None:
    rig = Rig(penn(), {})
    for serial in range(LISTED_LIMIT + 20):
        rig.give(ChipsSeen(1, "main", (f"E00401{serial:010X}",), rig.now_ns, rig.now_ns + MS))
    listed = rig.table.state.alerts.listed
    assert len(listed) == LISTED_LIMIT
    assert listed[-1].kind is AlertKind.ALERTS_UNREAD
    numbers = [one.alert for one in raised(rig)]
    assert numbers == list(range(1, LISTED_LIMIT + 22))
    assert [one.kind for one in raised(rig)].count(AlertKind.ALERTS_UNREAD) == 1


def test_every_kind_has_a_severity() -> None:
    assert set(SEVERITY) == set(AlertKind)


# --- false alarms -----------------------------------------------------------------------------------


@pytest.mark.parametrize("stand_key", HABITS)
@pytest.mark.parametrize("name", DEALERS)
def test_honest_rounds_raise_nothing(name: str, stand_key: str) -> None:
    rig, rounds = simulated(name, 77, 30, stand_key)  # type: ignore[arg-type]
    assert len(rounds) == 30
    assert kinds(rig) == []
