"""The oracle and ``tableside reconstruct`` on the same evidence, of every kind the page knows.

A small part of ``make campaign-oracle``.
"""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from tests.oracle.compare import differ, differ_after, difference_lines, oracle, shrunk
from tests.oracle.generator import honest
from tests.oracle.varied import HARDER, VARIATIONS, Variation, evidence, laid_in_parts, of_kind

ROUNDS = 25
BLOCKS = 8


def judged(lines: list[dict[str, Any]]) -> str:
    """Nothing, or the smallest lines on which the two still differ."""
    return difference_lines(shrunk(lines)) if differ(lines) else ""


@pytest.mark.parametrize("block", range(BLOCKS))
def test_the_product_reads_what_the_oracle_reads(block: int) -> None:
    for seed in range(block * ROUNDS, (block + 1) * ROUNDS):
        assert not judged(evidence(seed)), f"seed {seed}"


@pytest.mark.parametrize(
    "variation", [laid_in_parts, *(variation for _, variation in (*VARIATIONS, *HARDER))], ids=lambda one: one.__name__
)
def test_each_kind_of_evidence_is_read_alike(variation: Variation) -> None:
    for seed in range(20_000, 20_012):
        assert not judged(of_kind(seed, variation)), f"seed {seed}"


@pytest.mark.parametrize("block", range(2))
def test_honest_rounds_of_four_boxes_are_read_alike(block: int) -> None:
    for seed in range(10_000 + block * ROUNDS, 10_000 + (block + 1) * ROUNDS):
        assert not judged(honest(seed, boxes=4).lines), f"seed {seed}"


def test_after_every_line_what_is_published_is_alike() -> None:
    for seed in range(30_000, 30_003):
        lines = honest(seed, boxes=1, bust_bets=True).lines
        assert not differ_after(lines), f"seed {seed}"


@pytest.mark.parametrize("hole", ["Td", "As", "2c"])
def test_payment_shows_the_hole_card_also_where_that_refutes_it(hole: str) -> None:
    cards = [{"card": card} for card in ("Th", "6c", "9d", hole)]
    chips = {"spot": 1, "zone": "main", "cents": 0}
    header: dict[str, Any] = {"profile": "borgata", "options": {}, "wagers": {"1": {"main": 1000}}}
    assert not differ_after([header, *cards, chips, {"key": "hole_turned"}, {"card": "Kc"}, {"close": True}])


def test_the_rest_of_a_double_laid_in_two_movements_may_have_gone_unseen() -> None:
    header: dict[str, Any] = {
        "profile": "borgata",
        "options": {"chip_unit_cents": 500},
        "wagers": {"7": {"main": 1500}},
    }
    cards: list[dict[str, Any]] = [{"card": card, "t": t} for t, card in enumerate(("Jd", "Ac", "8s", "7s"), start=2)]
    lines = [header, *cards, {"spot": 7, "zone": "main", "cents": 1580, "t": 8}, {"card": "8d", "t": 9}]
    lines.append({"health": "reader 7", "from": 9, "to": 1_000_000})
    assert not judged(lines)
    assert oracle(lines)["plays"] == 4


def test_a_broken_hand_may_have_been_taken_unseen_before_its_player_bets_again() -> None:
    header: dict[str, Any] = {
        "profile": "hollywood-perryville",
        "options": {"chip_unit_cents": 500},
        "wagers": {"6": {"main": 500}},
    }
    cards: list[dict[str, Any]] = [{"card": card} for card in ("Kh", "Td", "8c", "7s", "Ts")]
    bets = {"spot": 6, "zone": "main", "cents": 872}
    lines = [header, *cards, bets, {"key": "hole_turned"}, {"health": "reader 6", "from": 5.5, "to": 9.5}]
    assert not judged(lines)
    assert oracle(lines)["plays"] > 0


def test_shrinking_keeps_what_it_was_asked_to_keep() -> None:
    lines = honest(Random(1).randrange(100), boxes=3).lines
    smallest = shrunk(lines, lambda fewer: sum("card" in line for line in fewer) >= 3)
    assert len(smallest) == 4
