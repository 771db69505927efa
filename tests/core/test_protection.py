"""Chips, cards and rules against one another: what is raised, what is not, and how it leaves the list."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from controller.core.alerts import FloorRefused
from controller.core.game_alerts import LISTED_LIMIT, SEVERITY, AlertAcknowledged, AlertRaised, Kind, Severity
from controller.core.inputs import Acknowledged, Started
from controller.core.state import restore
from controller.formats.states import read_state, state_bytes
from controller.io import profile_files
from firmware_protocols.readings import ChipsConfirmed, ChipsSeen
from tests.core.houses import DEALERS, HABITS, simulated
from tests.core.rig import MS, SPOTS, Rig, penn

LOST = "Th Td 7s 9d"
"""Spot 1 has seventeen against nineteen."""


def raised(rig: Rig) -> list[AlertRaised]:
    return [event for event in rig.events if isinstance(event, AlertRaised)]


def kinds(rig: Rig) -> list[str]:
    return [event.kind.value for event in raised(rig)]


def at_table(**options: object) -> Rig:
    return Rig(penn(stand_key="always", **options))


def dealt(rig: Rig, cards: str) -> None:
    rig.talk("1 main 25\nkey no_more_bets\n" + cards)


def won(rig: Rig) -> None:
    """Spot 1 bets 25 and beats the dealer with twenty against seventeen."""
    dealt(rig, "Th 7d Qs Td")
    rig.talk("key stand hole_turned")


def lost(rig: Rig) -> None:
    """Spot 1 bets 25 and has seventeen against nineteen."""
    dealt(rig, LOST)
    rig.talk("key stand hole_turned")


def next_bets(rig: Rig) -> None:
    """Somebody else bets, and the next round is locked."""
    rig.talk("key round_closed\n5 main 10\nkey no_more_bets")
    rig.pass_ms(100)


def test_chips_laid_in_an_empty_zone_after_the_lock_are_past_posting() -> None:
    rig = at_table()
    dealt(rig, "Th")
    rig.chips(1, "lucky_ladies", 500)
    (alert,) = raised(rig)
    assert (alert.kind, alert.severity) == (Kind.PAST_POSTING, Severity.CRITICAL)
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
    assert [(one.kind, one.severity) for one in raised(rig)] == [(Kind.PAST_POSTING, Severity.NOTICE)]


def test_a_wager_that_grows_after_the_lock_is_capped_and_one_that_shrinks_pinched() -> None:
    rig = at_table()
    dealt(rig, "Th")
    rig.chips(1, "main", 5000)
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
    assert kinds(rig) == ["insurance_too_large"]


# --- what is no wager -------------------------------------------------------------------------------


def of_profile(name: str, **options: object) -> Rig:
    return Rig(profile_files.load(name, {"stand_key": "always", **options}).rules)


def test_wagers_outside_the_sign_and_side_bets_without_a_main_are_told_at_the_lock() -> None:
    rig = of_profile("hollywood-penn-national", minimum_cents=1000, maximum_cents=50_000)
    rig.talk("1 main 5 \n 3 main 600 \n 4 lucky_ladies 25")
    assert kinds(rig) == []
    rig.key("no_more_bets")
    assert sorted(kinds(rig)) == ["side_bet_without_main", "wager_outside_limits", "wager_outside_limits"]
    by_spot = {one.spot: one for one in raised(rig)}
    assert by_spot[1].text == ("spot 1 main: a wager of 5.00, where the sign allows at least 10.00 and at most 500.00")
    assert by_spot[4].after == rig.lying[4, "lucky_ladies"]


@pytest.mark.parametrize("early", [False, True])
def test_ez_bust_against_another_up_card_is_told_whether_it_came_late_or_lay_there(early: bool) -> None:
    rig = of_profile("hollywood-penn-national")
    assert "ez_bust" in rig.house.rules.side_bets
    rig.chips(1, "main", 2500)
    if early:
        rig.chips(1, "ez_bust", 500)
    rig.talk("key no_more_bets\nTh Kd 9s 7d")
    if not early:
        rig.chips(1, "ez_bust", 500)
    (alert,) = raised(rig)
    assert (alert.kind, alert.spot, alert.zone, alert.after_cents) == (Kind.EZ_BUST_WRONG_UP_CARD, 1, "ez_bust", 500)


def test_ez_bust_against_its_up_card_is_a_wager() -> None:
    rig = of_profile("hollywood-penn-national")
    rig.talk("1 main 25\nkey no_more_bets\nTh 5d 9s 7d")
    rig.chips(1, "ez_bust", 500)
    assert kinds(rig) == []


def test_who_comes_in_mid_shoe_is_told_where_that_is_refused() -> None:
    rig = Rig(replace(penn(stand_key="always"), mid_shoe_entry="refused"))
    won(rig)
    rig.chips(1, "main", 5000)
    rig.talk("key round_closed\n4 main 25\nkey no_more_bets")
    assert kinds(rig) == ["mid_shoe_entry"]


# --- payments ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "changes",
    [
        [5000],
        [5000, 0],
        [5000, 2500],
        [3500, 5000, 0],
        [3500, 1000, 2500, 0],
        [5000, 7500],
        [0, 2500, 5000],
        [5000, 0, 2500],
    ],
    ids=["left", "picked up", "let ride", "in two steps", "picked up between", "pressed", "changed first", "bet anew"],
)
def test_a_right_payment_is_no_alert_however_people_handle_it(changes: list[int]) -> None:
    rig = at_table()
    won(rig)
    for cents in changes:
        rig.chips(1, "main", cents)
    next_bets(rig)
    assert kinds(rig) == []


def test_the_payment_and_a_hand_that_takes_the_wager_at_one_look_are_told_apart_by_their_chips() -> None:
    rig = at_table()
    won(rig)
    rig.values["E004010000000001"] = 2500
    rig.lay(1, "main", ("E004010000000001",))
    next_bets(rig)
    assert kinds(rig) == []


@pytest.mark.parametrize(
    ("changes", "kind", "paid"),
    [
        ([], "mispay", 0),
        ([4500], "mispay", 2000),
        ([5500], "mispay", 3000),
        ([4500, 0], "mispay", 2000),
        ([7500, 0], "mispay", 5000),
        ([0], "winning_bet_taken", -2500),
    ],
    ids=["not paid", "too little", "too much", "too little and gone", "twice", "taken"],
)
def test_a_winner_who_is_not_paid_to_the_chip_is_told(changes: list[int], kind: str, paid: int) -> None:
    rig = at_table()
    won(rig)
    for cents in changes:
        rig.chips(1, "main", cents)
    rig.key("round_closed")
    assert kinds(rig) == []
    next_bets(rig)
    (alert,) = raised(rig)
    assert (alert.kind, alert.due_cents, alert.paid_cents) == (kind, 2500, paid)
    assert (alert.round, alert.spot, alert.zone) == (1, 1, "main")


def test_a_payment_put_right_before_the_next_lock_is_no_alert() -> None:
    rig = at_table()
    won(rig)
    rig.chips(1, "main", 4500)
    rig.key("round_closed")
    rig.chips(1, "main", 5000)
    next_bets(rig)
    assert kinds(rig) == []


@pytest.mark.parametrize(
    ("changes", "found"),
    [
        ([0], []),
        ([1500, 0], []),
        ([0, 2500], []),
        ([], ["losing_bet_left"]),
    ],
    ids=["taken", "in two steps", "bet anew", "left"],
)
def test_a_lost_wager_is_taken(changes: list[int], found: list[str]) -> None:
    rig = at_table()
    lost(rig)
    for cents in changes:
        rig.chips(1, "main", cents)
    next_bets(rig)
    assert kinds(rig) == found


def test_a_lost_wager_that_is_paid_is_told_even_if_all_of_it_is_gone_then() -> None:
    rig = at_table()
    lost(rig)
    rig.values["E004010000000001"] = 2500
    rig.lay(1, "main", (*rig.lying[1, "main"], "E004010000000001"))
    rig.chips(1, "main", 0)
    next_bets(rig)
    (alert,) = raised(rig)
    assert (alert.kind, alert.due_cents, alert.paid_cents) == (Kind.MISPAY, -2500, 2500)


def test_a_push_may_be_left_taken_or_pressed() -> None:
    for changes in ([], [0], [5000], [1000, 0]):
        rig = at_table()
        dealt(rig, "Th 9d 9s Td")
        rig.talk("key stand hole_turned")
        for cents in changes:
            rig.chips(1, "main", cents)
        next_bets(rig)
        assert kinds(rig) == []


def test_a_natural_is_due_after_the_payout_unit() -> None:
    for paid, found in ((6200, []), (6250, ["mispay"])):
        rig = at_table(payout_unit_cents=100)
        dealt(rig, "Ah 7d Ks Td")
        rig.chips(1, "main", paid)
        rig.talk("key hole_turned")
        next_bets(rig)
        assert kinds(rig) == found


def test_nobody_is_called_wrongly_paid_whose_reader_was_lost() -> None:
    rig = at_table()
    won(rig)
    rig.give(Started(rig.now_ns, "test", rig.house))
    rig.answer("no")
    next_bets(rig)
    assert kinds(rig) == []


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
    assert rig.desired.confirm_ns > 0
    rig.give(ChipsConfirmed((1,), rig.now_ns))
    assert kinds(rig) == []
    rig.give(ChipsConfirmed((2,), rig.now_ns))
    assert kinds(rig) == ["duplicated_chip"]
    rig.give(ChipsConfirmed(SPOTS, rig.now_ns))
    assert kinds(rig) == ["duplicated_chip"]
    assert rig.desired.confirm_ns == 0


def test_a_chip_the_house_keeps_elsewhere_is_told_when_it_comes() -> None:
    rig = at_table()
    away = "E004010000000009"
    rig.values[away] = 10_000
    house = replace(rig.house, elsewhere={away: "vault"})
    rig.give(Started(rig.now_ns, "test", house))
    rig.lay(1, "main", (away,))
    rig.lay(1, "main", (away,))
    (alert,) = raised(rig)
    assert alert.kind is Kind.CHIP_ELSEWHERE
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
    assert kinds(rig) == ["dealer_against_rule"]


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
    return rig


def test_an_alert_waits_until_a_named_person_has_seen_it() -> None:
    rig = capped()
    assert [one.alert for one in rig.table.state.alerts.listed] == [1]
    rig.talk("key round_closed round_closed\n1 main 25\nkey no_more_bets")
    assert rig.table.state.alerts.listed[0].alert == 1
    rig.give(Acknowledged(rig.now_ns, 1, "M. Okafor", "put back"))
    assert 1 not in [one.alert for one in rig.table.state.alerts.listed]
    assert rig.events[-1] == AlertAcknowledged(1, Kind.CAPPING, "M. Okafor", "put back")


def test_what_was_acknowledged_cannot_be_acknowledged_again() -> None:
    rig = capped()
    for _ in range(2):
        rig.give(Acknowledged(rig.now_ns, 1, "M. Okafor", ""))
    assert isinstance(rig.events[-1], FloorRefused)
    assert rig.events[-1].reason == "no such alert is unacknowledged"


def test_the_list_outlives_a_restart_and_the_numbers_go_on() -> None:
    rig = capped()
    rig.table = restore(rig.house, read_state(state_bytes(rig.table.state)))
    rig.give(Started(rig.now_ns, "test", rig.house))
    assert [one.kind for one in rig.table.state.alerts.listed] == [Kind.CAPPING]
    rig.lay(7, "main", ("E007010000000001",))
    assert [one.alert for one in rig.table.state.alerts.listed] == [1, 2]


def test_a_list_that_nobody_reads_says_so_and_stays_bounded() -> None:
    rig = Rig(penn(), {})
    for serial in range(LISTED_LIMIT + 20):
        rig.give(ChipsSeen(1, "main", (f"E00401{serial:010X}",), rig.now_ns, rig.now_ns + MS))
    listed = rig.table.state.alerts.listed
    assert len(listed) == LISTED_LIMIT
    assert listed[-1].kind is Kind.ALERTS_UNREAD
    numbers = [one.alert for one in raised(rig)]
    assert numbers == list(range(1, LISTED_LIMIT + 22))
    assert [one.kind for one in raised(rig)].count(Kind.ALERTS_UNREAD) == 1


def test_every_kind_has_a_severity() -> None:
    assert set(SEVERITY) == set(Kind)


# --- false alarms -----------------------------------------------------------------------------------


@pytest.mark.parametrize("stand_key", HABITS)
@pytest.mark.parametrize("name", DEALERS)
def test_honest_rounds_raise_nothing(name: str, stand_key: str) -> None:
    rig, told = simulated(name, 77, 30, stand_key)  # type: ignore[arg-type]
    assert len(told) == 30
    assert kinds(rig) == []
