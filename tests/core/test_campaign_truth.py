"""A small part of ``make campaign-truth``: rounds against their truth, with good and with damaged shoe lines."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from bench.campaign_truth import KEYPADS, block_played, blocks, merged, table
from bench.truth_bare import BARE, mistakes, played_bare
from bench.truth_blocks import Block, played

CONDITIONS = tomllib.loads((Path(__file__).parents[2] / "bench" / "conditions.toml").read_text(encoding="utf-8"))
UNGUARDED = CONDITIONS | {"house": CONDITIONS["house"] | {"guarded": False}}
"""As journals have it that are older than the guard of the hole card: there chips alone may turn it."""


@pytest.mark.parametrize("keypad", KEYPADS)
def test_no_wager_is_settled_otherwise_than_it_truly_ended(keypad: str) -> None:
    result = block_played(Block(0, 7, 30, 3, keypad, "ideal"), CONDITIONS)
    assert (result["silent"], result["wrong"], result["stuck"]) == ({}, 0, 0)
    assert sum(result["basis"].values()) + result["open"] == result["wagers"]


def test_no_win_is_settled_otherwise_under_an_aggregate_limit() -> None:
    conditions = CONDITIONS | {"house": CONDITIONS["house"] | {"aggregate_limits_cents": [2_500]}}
    result = played(Block(10, 777_010, 15, 4, "sometimes", "ideal"), conditions)
    assert (result["silent"], result["wrong"], result["flagged"], result["stuck"]) == ({}, 0, {}, 0)
    assert result["limit_cents"] == 2_500
    assert result["held"] >= 5


def test_a_shoe_with_check_and_numbers_has_no_silent_error_on_a_damaged_line() -> None:
    # Seed and size of the block in which a card reported late was once dated when it was reported.
    result = played(Block(1, 1_000_004, 30, 2, "always", "reference"), CONDITIONS)
    assert result["silent"] == {}


def test_what_a_shoe_without_either_hides_looks_like_some_legal_round() -> None:
    result = played(Block(9, 21_000_073, 70, 3, "sometimes", "bee_tek"), CONDITIONS)
    assert result["silent"]["indistinguishable"] >= 1
    assert set(result["silent"]) == {"indistinguishable"}


def test_a_wager_settled_as_a_card_ended_its_round_is_judged_without_that_card() -> None:
    # In its third round a lost card makes chips laid for a double a payment, and the double's card ends the round.
    result = played(Block(20, 23_000_089, 5, 7, "never", "bee_tek"), UNGUARDED)
    counts = {kind.rpartition("; ")[2]: count for kind, count in result["found_out"].items()}
    assert counts == {"legal until then, ended by a card": 3, "legal until then": 1}


def test_a_round_is_asked_about_whose_first_card_was_taken_for_the_burn_before_it() -> None:
    """The line lost the burned card's own report."""
    result = played(Block(10, 23_000_079, 3, 4, "sometimes", "bee_tek"), UNGUARDED)
    assert (result["wrong"], result["found_out"], result["open"]) == (0, {}, 4)


def test_a_campaign_goes_round_every_number_of_boxes_and_every_habit() -> None:
    cells = {(block.boxes, block.keypad) for block in blocks(2_800, 1, "ideal")}
    assert cells == {(boxes, keypad) for boxes in range(1, 8) for keypad in KEYPADS}


def test_on_a_damaged_line_no_table_is_bare() -> None:
    assert {block.keypad for block in blocks(2_800, 1, "bee_tek")} == {"always", "sometimes", "never"}


def test_a_bare_table_has_a_row_of_its_own_and_what_must_not_be_is_a_mistake() -> None:
    result = played_bare(Block(0, 7, 10, 2, BARE, "ideal"))
    assert any(line.startswith("| bare | 2 | 10 |") for line in table([result]))
    counts = {"silent": 1, "neither": 2, "accused": {"capping": 3}}
    assert mistakes(counts) == 6


def test_a_report_adds_blocks_up() -> None:
    results = [played(Block(number, number, 5, 1, "always", "ideal"), CONDITIONS) for number in (0, 21)]
    total = merged(results)
    assert (total["rounds"], total["wagers"]) == (10, sum(result["wagers"] for result in results))
    assert any(line.startswith("| always | 1-7 | 10 |") for line in table(results))
