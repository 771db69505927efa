"""Every ruling where a card leaves a choice: the profile's reading, and the other one by one line."""

from __future__ import annotations

from typing import Any

import pytest

from tests.rules.cases import case, main_cents, nets, played, settled

HPN, PV, BG, CL, PH = (
    "hollywood-penn-national",
    "hollywood-perryville",
    "borgata",
    "classic-shoe-and-pitch",
    "pitch-h17",
)
LL = {"1": {"main": 1000, "lucky_ladies": 500}}
BLAZING = {"1": {"main": 1000, "blazing7s": 500}}

DOUBLED_BROKE = case("8c As 4d Kd Kc", "1 double")
SPLIT_ONE_BROKE = case("8c As 8d Kd 9d Th Kc", "1 split, 1 stand, 1 hit:1")
TWO = {"1": {"main": 1000}, "2": {"main": 1000}}

ONE_LINE: list[tuple[str, dict[str, Any], dict[str, Any], int, int]] = [
    # ruling, case, the other reading, main net as the profile has it, main net by the other reading
    ("A1 surrender", case("9c As 7d Kd", "1 surrender"), {"surrender_against_natural": "half"}, -1000, -500),
    ("A4 naturals", case("Ah Kc Kd As"), {"natural_against_natural": "loses"}, 0, -1000),
    ("A5 double", case("5c As 6d Kd 9c", "1 double"), {"extra_wagers_against_natural": "all"}, -1000, -2000),
    (
        "A5 split",
        case("8c As 8d Kd Th 9d", "1 split, 1 stand, 1 stand:1"),
        {"extra_wagers_against_natural": "all"},
        -1000,
        -2000,
    ),
    ("A6 double", DOUBLED_BROKE, {"busted_bets_lost": True}, -1000, -2000),
    ("A6 split", SPLIT_ONE_BROKE, {"busted_bets_lost": True}, -1000, -2000),
    ("A29 drawn 21", case("9c 7d 5d Tc 7h", "1 hit"), {"drawn_21": "pushes"}, 1000, 0),
    ("A30 payout", case("As 6c Kd 9s", bets={"1": {"main": 500}}), {"payout_unit_cents": 100}, 750, 700),
    ("natural and 21", case("As 5c Kd 9s", bets={"1": {"main": 1000}}), {"natural_pays": [6, 5]}, 1500, 1200),
    ("tie", case("Kh 7c 8d Ad", "1 stand"), {"tie": "loses"}, 0, -1000),
    ("win", case("Kh 7c 9d Td", "1 stand"), {"win_pays": [2, 1]}, 1000, 2000),
]


@pytest.mark.parametrize(
    ("ruling", "round_case", "other", "usual", "otherwise"), ONE_LINE, ids=lambda one: str(one)[:20]
)
def test_the_other_reading_is_one_line(
    ruling: str, round_case: dict[str, Any], other: dict[str, Any], usual: int, otherwise: int
) -> None:
    assert main_cents(round_case) == usual
    assert main_cents({**round_case, "options": other}) == otherwise


def test_a1_a_device_answers_before_play_and_a_surrender_is_then_half() -> None:
    round_case = case("9c As 7d 8d", "1 surrender", options={"hole_check": "device"})
    assert main_cents(round_case) == -500
    natural = case("9c As 7d Kd", "1 surrender", options={"hole_check": "device"})
    found = settled(natural)
    assert found["net_cents"] == {"1": {"main": -1000}}
    assert found["moot"] == [0]


def test_a1_a_device_ends_the_round_for_everybody_and_naturals_push() -> None:
    bets = {"1": {"main": 1000}, "2": {"main": 1000}, "3": {"main": 1000}}
    round_case = case(
        "9c Ah 5c As 7d Kd 6c Kh 2c", "1 insurance 500, 1 hit, 3 stand", bets=bets, options={"hole_check": "device"}
    )
    found = settled(round_case)
    assert found["net_cents"] == {"1": {"main": -1000, "insurance": 1000}, "2": {"main": 0}, "3": {"main": -1000}}
    assert found["moot"] == [1, 2]
    assert found["dealer"] == ["As", "Kh"]
    assert played(round_case).ended.used == 8


def test_a3_without_a_hole_card_every_drawn_card_moves_by_one_place() -> None:
    dealt = case("5c 9h 6d Ts 9d", "1 double")
    assert settled(dealt)["hands"] == {"1": [["5c", "6d", "9d"]]}
    moved = settled({**dealt, "options": {"hole_card": "none"}})
    assert moved["hands"] == {"1": [["5c", "6d", "Ts"]]}
    assert moved["dealer"] == ["9h", "9d"]
    assert moved["net_cents"] == {"1": {"main": 2000}}


def test_a3_the_second_card_is_taken_only_where_somebody_waits_for_it() -> None:
    none = {"hole_card": "none"}
    assert settled(case("As 6c Kd", options=none))["dealer"] == ["6c"]
    assert settled(case("As Kc Kd As", options=none))["net_cents"] == {"1": {"main": 0}}
    broke = settled(
        case("Ts As 6d Kd", "1 insurance 500, 1 hit", PV, options=none | {"insurance_cap": "half"})
        | {"shoe": ["Ts", "As", "6d", "Kd", "Kh"]}
    )
    assert broke["net_cents"] == {"1": {"main": -1000, "insurance": 1000}}
    assert settled(case("Ts 6s 6d Kd", "1 hit", options=none))["dealer"] == ["6s"]


def test_a7_a_split_21_is_ordinary_or_beats_a_drawn_21() -> None:
    round_case = case("Kh 5c Td Kc Ac 9h 6d", "1 split, 1 stand:1", PV)
    assert main_cents(round_case) == -1000
    assert main_cents({**round_case, "options": {"split_21": "beats_drawn_21"}}) == 0


def test_a8_aces_resplit_where_the_operator_says_so() -> None:
    resplit = case("Ah 6c As Td Ad 9c 5s 2h 9d", "1 split, 1 split", PV, options={"resplit_aces": True})
    assert settled(resplit)["hands"] == {"1": [["Ah", "9c"], ["Ad", "5s"], ["As", "2h"]]}
    once = settled(case("Ah 6c As Td Ad 9c 5s", "1 split, 1 split", PV))
    assert once["rejected"][0]["rule"] == "resplit_aces"
    assert once["hands"] == {"1": [["Ah", "Ad"], ["As", "9c"]]}


def test_a9_only_the_third_card_may_make_the_pair_that_is_split_again() -> None:
    third = {"resplit_on": "third_card"}
    left = case("8c 6h 8d Ts 8h 3c Kd Ad 9s", "1 split, 1 split, 1 stand, 1 stand:1, 1 stand:2", options=third)
    assert len(settled(left)["hands"]["1"]) == 3
    right = case("8c 6h 8d Ts Kh 8h 9s", "1 split, 1 stand, 1 split:1, 1 stand:1", options=third)
    assert settled(right)["rejected"][0]["rule"] == "resplit_on"
    acts = "1 split, 1 split, 1 split, 1 stand, 1 stand:1, 1 stand:2"
    again = settled(case("8c 6h 8d Ts 8h 8s 2h 9s 5h", acts, PV, options=third))
    assert [row["rule"] for row in again["rejected"]] == ["resplit_on"]


def test_a10_a_soft_17_is_stood_on_or_hit() -> None:
    round_case = case("Kh 6c 8d As", "1 stand", CL)
    assert main_cents(round_case) == 1000
    hit = settled({**round_case, "shoe": ["Kh", "6c", "8d", "As", "4d"], "options": {"soft_17": "hit"}})
    assert hit["net_cents"] == {"1": {"main": -1000}}
    assert hit["dealer_total"] == 21


def test_a11_an_ace_and_an_eight_are_nineteen_or_also_nine() -> None:
    stood = settled(case("Ac 6h 8d Ts 9s", "1 double, 1 stand", PH))
    assert stood["rejected"][0]["rule"] == "double_on"
    doubled = case("Ac 6h 8d Ts 2h 9s", "1 double", PH, options={"double_count": "hard_or_best"})
    assert main_cents(doubled) == 2000


def test_a12_surrender_is_the_first_decision_or_any() -> None:
    shoe = "8c 6h 8d Ts 7h 9d Kd"
    round_case = case(shoe, "1 split, 1 surrender, 1 stand:1", options={"surrender_on": "any_hand"})
    found = settled(round_case)
    assert found["hand_nets"] == {"1": [-500, 1000]}
    after_hit = case("9h Ks 3d 7d 2c", "1 hit, 1 surrender", options={"surrender_on": "any_hand"})
    assert main_cents(after_hit) == -500
    natural = case("9h Ks 3d Ad 2c", "1 hit, 1 surrender", options={"surrender_on": "any_hand"})
    assert main_cents(natural) == -1000
    broke = case(
        shoe.replace("7h 9d Kd", "7h 9d Kd"), "1 split, 1 surrender, 1 hit:1", options={"surrender_on": "any_hand"}
    )
    assert settled(broke)["hand_nets"] == {"1": [-500, -1000]}


def test_a13_surrender_and_insurance_are_settled_separately() -> None:
    round_case = case("9c As 7d Kd", "1 insurance 500, 1 surrender")
    assert nets(round_case) == {"main": -1000, "insurance": 1000}
    assert nets({**round_case, "shoe": ["9c", "As", "7d", "8d"]}) == {"main": -500, "insurance": -500}


def test_a14_side_wagers_do_not_hang_on_the_main_wager() -> None:
    assert nets(case("Kh Ks Qd 7d", "1 surrender", bets=LL)) == {"main": -500, "lucky_ladies": 2000}


@pytest.mark.parametrize(
    ("wager", "unit", "cap"), [(500, 100, 300), (2500, 500, 1500), (1000, 100, 500), (1500, 100, 800), (15, 1, 8)]
)
def test_a15_half_or_up_to_the_next_chip(wager: int, unit: int, cap: int) -> None:
    def refused(rules: str, cents: int) -> bool:
        acts = f"1 insurance {cents}, 1 stand"
        round_case = case("Kh As 9d 8d", acts, rules, {"1": {"main": wager}}, chip_unit_cents=unit)
        return bool(settled(round_case)["rejected"])

    assert not refused(PV, cap)
    assert refused(PV, cap + 1)
    assert not refused(BG, wager // 2)
    assert refused(BG, wager // 2 + 1)


def test_a17_queens_of_hearts_wait_for_the_dealers_natural() -> None:
    assert nets(case("Qh As Qh Kd", "1 stand", bets=LL))["lucky_ladies"] == 500_000
    assert nets(case("Qh As Qh 9d", "1 stand", bets=LL))["lucky_ladies"] == 100_000
    at_once = {"lucky_ladies.queens_settled": "at_once"}
    assert nets(case("Qh As Qh Kd", "1 stand", bets=LL, options=at_once))["lucky_ladies"] == 100_000


def test_a22_the_stake_of_blazing_sevens_is_gone() -> None:
    assert nets(case("7c 6d Kh Tc 9h", "1 stand", bets=BLAZING))["blazing7s"] == 500


def test_a23_two_winners_share_the_meter_or_take_turns() -> None:
    bets = {spot: {"main": 1000, "blazing7s": 500} for spot in ("2", "5")}
    meters: dict[str, Any] = {"blazing_meter_cents": 1_000_001, "blazing_reset_cents": 200_000}
    round_case = case("7d 7d 7d 7d 7d Tc", "2 stand, 5 stand", bets=bets, **meters)
    found = settled(round_case)
    assert [found["net_cents"][spot]["blazing7s"] for spot in ("2", "5")] == [499_500, 499_500]
    assert found["meters"] == {"blazing_meter_after_cents": 200_001}
    turns = settled({**round_case, "options": {"blazing7s.two_meter_winners": "in_turn"}})
    assert [turns["net_cents"][spot]["blazing7s"] for spot in ("2", "5")] == [199_500, 999_501]
    assert turns["meters"] == {"blazing_meter_after_cents": 200_000}


def test_a23_a_tenth_lowers_the_meter_for_the_next() -> None:
    bets = {spot: {"main": 1000, "blazing7s": 500} for spot in ("2", "5")}
    meters: dict[str, Any] = {"blazing_meter_cents": 1_000_000, "blazing_reset_cents": 200_000}
    found = settled(case("7s 7s 7s 7s 7s Tc", "2 stand, 5 stand", bets=bets, **meters))
    assert [found["net_cents"][spot]["blazing7s"] for spot in ("2", "5")] == [89_500, 99_500]
    assert found["meters"] == {"blazing_meter_after_cents": 810_000}


EZ = "1 ez_bust 500"


def test_a24_a_dealer_who_draws_nothing_has_not_broken() -> None:
    round_case = case("Kh 6c 8d As", f"{EZ}, 1 stand")
    assert nets(round_case)["ez_bust"] == -500
    assert nets({**round_case, "options": {"ez_bust.no_card_drawn": "pushes"}})["ez_bust"] == 0


def test_a25_with_a_natural_left_the_dealer_plays_out() -> None:
    round_case = case("Ks Ah 6c 6d Kd Tc Qs 9c", "1 ez_bust 500, 1 hit", bets=TWO)
    found = settled(round_case)
    assert found["net_cents"] == {"1": {"main": -1000, "ez_bust": 500}, "2": {"main": 1500}}
    assert found["dealer"] == ["6c", "Tc", "9c"]


def test_a25_a_surrendered_hand_is_not_broken() -> None:
    round_case = case("Ks 9h 6c 6d 7d Tc Qs 9c", "1 ez_bust 500, 1 hit, 2 surrender", bets=TWO)
    assert settled(round_case)["net_cents"] == {"1": {"main": -1000, "ez_bust": 500}, "2": {"main": -500}}


def test_a25_all_broke_pushes_or_the_dealer_plays_out() -> None:
    round_case = case("Ks 6c 6d Tc Qs", f"{EZ}, 1 hit")
    assert nets(round_case)["ez_bust"] == 0
    out = case("Ks 6c 6d Tc Qs 9c", f"{EZ}, 1 hit", options={"ez_bust.all_broke": "plays_out"})
    assert nets(out)["ez_bust"] == 500


def test_a26_before_the_first_decision_and_to_naturals_too() -> None:
    late = settled(case("Ks 6c 8d Tc 9c", f"1 stand, {EZ}"))
    assert late["rejected"][0]["rule"] in {"ez_bust", "turn"}
    assert nets(case("As 6c Kd Tc 9c", EZ)) == {"main": 1500, "ez_bust": 500}
    assert settled(case("Ks 6c 8d Tc 9c", f"{EZ}, 1 stand", BG))["rejected"][0]["rule"] == "side_bets"


MHB = {"meter_before_cents": 61_235, "increment_cents": 10, "trigger_cents": 61_240, "next_trigger_cents": 50_000}


def test_a27_the_meter_is_fed_by_the_wagers_the_profile_names() -> None:
    bets = {"1": {"main": 1000, "mhb": 100, "blazing7s": 500}}
    round_case = case("Kh 7c 8d Td", "1 stand", bets=bets, mhb=MHB)
    assert settled(round_case)["net_cents"]["1"] == {"main": 1000, "mhb": 61_145, "blazing7s": -500}
    fed = settled({**round_case, "options": {"mystery_fed_by": ["blazing7s"]}})
    assert fed["net_cents"]["1"] == {"main": 1000, "mhb": -100, "blazing7s": 60_745}


def test_a28_hit_above_the_number_with_a_ceiling_and_the_rest_carried() -> None:
    bets = {"1": {"main": 1000, "mhb": 100}}
    at = MHB | {"trigger_cents": 61_245}
    assert settled(case("Kh 7c 8d Td", "1 stand", bets=bets, mhb=at))["meters"] == {"mhb_meter_after_cents": 61_245}
    over = MHB | {"meter_before_cents": 99_995, "trigger_cents": 99_999}
    found = settled(case("Kh 7c 8d Td", "1 stand", bets=bets, mhb=over))
    assert found["net_cents"]["1"]["mhb"] == 99_900
    assert found["meters"] == {"mhb_meter_after_cents": 25_005}


def test_a31_a_double_may_be_for_less_or_only_for_all() -> None:
    round_case = case("5c 9h 6d Ts 9d", "1 double 400")
    assert main_cents(round_case) == 1400
    whole = case("5c 9h 6d Ts", "1 double 400, 1 stand", options={"double_for_less": False})
    assert settled(whole)["rejected"][0]["rule"] == "double_for_less"
    above = settled(case("5c 9h 6d Ts", "1 double 1100, 1 stand"))
    assert above["rejected"][0]["rule"] == "double_for_less"


def test_a35_an_aggregate_limit_lowers_wins_in_proportion() -> None:
    bets = {"1": {"main": 1000, "lucky_ladies": 500}, "2": {"main": 1000, "lucky_ladies": 500}}
    round_case = case("Kd Kc 9s Kd Qc Td", "1 stand, 2 stand", bets=bets)
    free = settled(round_case)["net_cents"]
    assert [free[spot]["lucky_ladies"] for spot in ("1", "2")] == [12_500, 5_000]
    held = settled({**round_case, "options": {"aggregate_limit_cents": 7_000}})["net_cents"]
    assert [held[spot]["lucky_ladies"] for spot in ("1", "2")] == [5_000, 2_000]
    same = settled({**round_case, "options": {"aggregate_limit_cents": 17_500}})["net_cents"]
    assert same == free


def test_natural_against_a_drawn_21_and_the_other_way_round() -> None:
    waits = case("As Kh 7c Kd 4d 9s 8c", "2 stand", bets=TWO, options={"natural_against_drawn_21": "pushes"})
    assert settled({**waits, "shoe": ["As", "Kh", "7c", "Kd", "4d", "4s", "Tc"]})["net_cents"]["1"] == {"main": 0}
    drawn = case("9c As 5d Kd 7h", "1 hit", options={"drawn_21_against_natural": "pushes"})
    assert main_cents(drawn) == 0
    doubled = {"drawn_21_against_natural": "pushes", "extra_wagers_against_natural": "all"}
    assert main_cents({**drawn, "options": doubled}) == 0


def test_split_aces_take_one_card_or_are_played_on() -> None:
    one = settled(case("Ah 6c As Td 2d 3c 9h", "1 split, 1 hit, 1 double"))
    assert [row["rule"] for row in one["rejected"]] == ["split_ace_cards", "double_split_aces"]
    on = {"split_ace_cards": "any", "double_split_aces": True}
    more = settled(case("Ah 6c As Td 2d 3c 9h 8d 4d", "1 split, 1 hit, 1 stand, 1 double:1", options=on))
    assert more["rejected"] == []
    assert more["hands"] == {"1": [["Ah", "2d", "3c"], ["As", "9h", "8d"]]}
