"""The worked hands, settled: every net, hand and dealer's card to the cent, and every refusal by its rule."""

from __future__ import annotations

from typing import Any

import pytest

from controller.formats.cases.settle_output import differences
from tests.rules.cases import WORKED, settled

CASES = WORKED["cases"]

REFUSED_BY = {
    "HC022": "even_money",
    "HC031": "insurance_cap",
    "HC047": "surrender_on",
    "HC062": "max_hands",
    "HC065": "split_by",
    "HC072": "max_hands",
    "HC077": "double_on",
    "HC126": "ez_bust.up_cards",
    "HC140": "turn",
    "HC157": "max_hands",
}


def without_expectation(case: dict[str, Any]) -> dict[str, Any]:
    """The case without anything it says of its own outcome."""
    acts = [{key: value for key, value in act.items() if key != "expect"} for act in case["actions"]]
    return {key: value for key, value in case.items() if key not in {"expect", "rule", "tags"}} | {"actions": acts}


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case['id']} {case['title']}")
def test_worked_hand(case: dict[str, Any]) -> None:
    found = settled(without_expectation(case))
    assert differences(case, found) == []
    assert found["net_cents"] == case["expect"]["net_cents"]
    assert [row["rule"] for row in found["rejected"]] == [REFUSED_BY.get(case["id"])] * len(found["rejected"])


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_a_refused_act_changes_nothing(case: dict[str, Any]) -> None:
    found = settled(case)
    refused = {row["index"] for row in found["rejected"]}
    kept = [act for place, act in enumerate(case["actions"]) if place not in refused]
    again = settled({**case, "actions": kept})
    assert again["rejected"] == []
    assert {**again, "rejected": found["rejected"]} == found


@pytest.mark.parametrize(
    "case",
    [case for case in CASES if "dealer-bj" in case["tags"] and any(act.get("moot_if_peek") for act in case["actions"])],
    ids=lambda case: case["id"],
)
def test_where_a_device_checks_the_round_ends_and_the_nets_are_the_same(case: dict[str, Any]) -> None:
    checked = settled({**case, "options": {**case.get("options", {}), "hole_check": "device"}})
    assert checked["net_cents"] == case["expect"]["net_cents"]
    assert checked["dealer"] == case["expect"]["dealer"]
    assert checked["moot"] == [place for place, act in enumerate(case["actions"]) if act.get("moot_if_peek")]


def test_every_sentence_names_a_rule_and_its_source() -> None:
    for case in CASES:
        found = settled(case)
        for spot, nets in found["net_cents"].items():
            for bet in nets:
                assert found["why"][spot][bet].endswith("]")
                assert "[" in found["why"][spot][bet]
    assert settled(CASES[0])["why"]["1"]["main"] == "natural pays 3 to 2 [natural_pays: card: odds of 3 to 2]"


def test_an_expectation_is_compared_and_never_believed() -> None:
    case = CASES[0]
    wrong = {**case, "expect": {**case["expect"], "net_cents": {"1": {"main": 1}}, "hands": {"1": []}}}
    found = settled(wrong)
    assert found == settled(case)
    assert len(differences(wrong, found)) == 2
