"""Every refusal by the name of its rule."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from controller.core.analysis.scripted_round import ScriptedAct, ScriptedRound
from controller.core.game.refusals import Refusal
from controller.formats.cases.settle_output import differences
from firmware_protocols.cards import Card
from tests.rules.cases import WORKED, case, settled
from tests.rules.scripted_rounds import PROFILES

TWO = {"1": {"main": 1000}, "2": {"main": 1000}}
THREE = TWO | {"3": {"main": 1000}}
ACES = "1 split, 1 split, 1 split:2"
BG, CL, PV = "borgata", "classic-shoe-and-pitch", "hollywood-perryville"
LATE = {"surrender": "late"}
PLAIN = "Kh 7c 8d Td"
ACE_UP = "Kh As 8d 9d"
PAIR = "8c 6h 8d Ts 2h 9s 5h"

REFUSED: list[tuple[str, dict[str, Any]]] = [
    ("turn", case(PLAIN, "4 stand, 1 stand")),
    ("insurance", case(ACE_UP, "1 insurance 100, 1 stand", options={"insurance": False})),
    ("insurance", case(PLAIN, "1 insurance 100, 1 stand")),
    ("insurance_until", case("6h 9h As 5d 8c 9d Kc", "1 hit, 2 insurance 100, 2 stand", bets=TWO)),
    ("insurance_until", case("Kh 9h As 8d 8c 9d", "1 stand, 2 insurance 100, 2 stand", BG, TWO)),
    ("insurance_cap", case(ACE_UP, "1 insurance 300, 1 insurance 300, 1 stand") | {"rule": "300 and 300 are 600"}),
    ("even_money", case("Ah As Jc 9d", "1 even_money, 1 insurance 100", BG)),
    ("even_money", case("Ah As Jc 9d", "1 insurance 100, 1 even_money", BG)),
    ("even_money", case("Ah 6s Jc 9d", "1 even_money", BG)),
    ("even_money", case(ACE_UP, "1 even_money, 1 stand", BG)),
    ("insurance_until", case("Kh Ah As 8d Jc 9d", "1 stand, 2 even_money", BG, TWO)),
    ("ez_bust", case("Kh 9h 6s 8d 8c 9d 8h", "1 stand, 2 ez_bust 100, 2 stand", bets=TWO)),
    ("ez_bust.up_cards", case(ACE_UP, "1 ez_bust 100, 1 stand")),
    ("surrender", case(PLAIN, "1 surrender, 1 stand", PV)),
    ("turn", case("Ah 6s Jc 9d", "1 surrender")),
    ("surrender_turn", case("Kh 9h 5h 7s 8d 8c 9d Td", "1 stand, 3 surrender, 2 stand, 3 stand", bets=THREE)),
    ("surrender_turn", case("Kh 9h 7s 8d 8c Td", "2 surrender, 1 stand, 2 stand", BG, TWO, options=LATE)),
    ("surrender_on", case("9h Ks 3d 7d 2c", "1 hit, 1 surrender, 1 stand")),
    ("natural_pays", case("Ah 6s Jc 9d", "1 hit")),
    ("surrender", case("9h Ks 7d 8d", "1 surrender, 1 hit")),
    ("turn", case(PLAIN, "1 stand, 1 hit:1")),
    ("turn", case(PLAIN, "1 stand, 1 hit")),
    ("turn", case("Kh 9h 7s 8d 8c Td", "2 stand, 1 stand, 2 stand", bets=TWO)),
    ("turn", case(PLAIN, "1 stand:1, 1 stand")),
    ("turn", case(PAIR, "1 split, 1 hit:1, 1 stand, 1 stand:1")),
    ("turn", case(PAIR, "1 split, 1 stand, 1 hit:0, 1 stand:1")),
    ("turn", case("Ts 7c 6d Td Kc", "1 hit, 1 hit")),
    ("double_on", case("5c 7h 6d Ts 9d", "1 double, 1 hit")),
    ("surrender", case(PAIR, "1 split, 1 surrender, 1 hit:0, 1 stand:1", options={"surrender_on": "any_hand"})),
    ("max_hands", case("Ah 6c As Td Ad 9c 5s Ac 2h", ACES, CL, options={"max_hands": 3})),
    ("resplit_aces", case("Ah 6c As Td 2d Ad 5c", "1 split, 1 split:1")),
    ("split_ace_cards", case("Ah 6c As Td 2d 3d 5c", "1 split, 1 hit:1")),
    ("split_ace_cards", case("Ah 6c As Td Ad 2d 5c", "1 split, 1 hit, 1 stand", CL)),
    ("double_on", case("2h 7c 3d Td 4s", "1 hit, 1 double, 1 stand")),
    ("double_after_split", case(PAIR, "1 split, 1 double, 1 stand, 1 stand:1", options={"double_after_split": False})),
    (
        "double_split_aces",
        case("Ah 6c As Td 2d 3d 5c", "1 split, 1 double, 1 stand, 1 stand:1", options={"split_ace_cards": "any"}),
    ),
    (
        "resplit_aces",
        case("Ah 6c As Td Ad 3d 5c", "1 split, 1 split, 1 stand, 1 stand:1", options={"split_ace_cards": "any"}),
    ),
    ("split_by", case("2h 7c 2d Td 4s", "1 hit, 1 split, 1 stand")),
    ("split_by", case(PAIR, "1 split 900, 1 split, 1 stand, 1 stand:1")),
]  # fmt: skip


@pytest.mark.parametrize(("rule", "round_case"), REFUSED, ids=lambda one: str(one)[:60])
def test_refused_by_its_rule(rule: str, round_case: dict[str, Any]) -> None:
    (refused,) = settled(round_case)["rejected"]
    assert refused["rule"] == rule
    assert refused["sentence"]
    kept = [act for place, act in enumerate(round_case["actions"]) if place != refused["index"]]
    assert settled({**round_case, "actions": kept})["net_cents"] == settled(round_case)["net_cents"]


def test_a_round_takes_no_acts_once_a_device_has_found_a_natural() -> None:
    rules = replace(PROFILES["borgata"], hole_check="device")
    script = ScriptedRound(rules, {1: 1000}, [Card(face) for face in ("9c", "As", "7d", "Kd")])
    refused = script.act(script.deal(), ScriptedAct(1, "hit"))
    assert isinstance(refused, Refusal)
    assert refused.rule == "hole_check"


def test_what_a_file_expects_of_refusals_and_meters_is_compared() -> None:
    round_case = WORKED["cases"][0]
    found = settled(round_case)
    acts = [{"spot": 1, "act": "stand", "expect": "rejected"}]
    expect = {"rejected_bets": {"1": ["lucky_ladies"]}, "blazing_meter_after_cents": 5, "hands": []}
    lines = differences({"actions": acts, "expect": expect}, found)
    assert [line.split(":")[0] for line in lines] == ["hands", "rejected_bets", "blazing_meter_after_cents", "rejected"]
    for written in ({"1": ["lucky_ladies"]}, ["lucky_ladies"], [{"spot": 1, "bet": "lucky_ladies"}], "lucky_ladies"):
        same = {"actions": [], "expect": {"rejected_bets": written}}
        assert differences(same, {**found, "rejected_bets": {"1": ["lucky_ladies"]}}) == []
