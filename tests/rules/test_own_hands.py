"""Hands worked from the cards and rulings, beside the shared ones: each dimension with its less common reading."""

from __future__ import annotations

import json
from typing import Any

import pytest
from click.testing import CliRunner

from controller.cli import main
from controller.formats.cases.settle_output import differences
from tests.rules.cases import FILE, settled
from tests.rules.test_worked_hands import without_expectation

OWN = FILE.with_name("own-hand-cases.json")
CASES = json.loads(OWN.read_text(encoding="utf-8"))["cases"]


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case['id']} {case['title']}")
def test_a_hand_comes_out_as_worked(case: dict[str, Any]) -> None:
    found = settled(without_expectation(case))
    assert differences(case, found) == []
    assert found["net_cents"] == case["expect"]["net_cents"]
    assert all(row["rule"] and row["sentence"] for row in found["rejected"])


def test_every_hand_says_which_rule_decides_it_and_is_another() -> None:
    assert all(case["rule"] and case["title"] for case in CASES)
    assert len({case["id"] for case in CASES}) == len({case["title"] for case in CASES}) == len(CASES)


def test_the_whole_file_is_settled_as_one() -> None:
    done = CliRunner().invoke(main, ["settle", str(OWN)])
    assert done.exit_code == 0
    assert json.loads(done.stdout)["settled"] == len(CASES)


def test_breakage_is_summed_over_the_boxes_and_compared() -> None:
    case = next(case for case in CASES if "breakage_cents" in case["expect"])
    found = settled(case)
    assert (found["breakage_cents"], differences(case, found)) == (150, [])
    other = case | {"expect": case["expect"] | {"breakage_cents": 50}}
    assert differences(other, found) == ["breakage_cents: expected 50, found 150"]
