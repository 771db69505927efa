"""The oracle and the product on the same evidence, honest, bent and thrown together."""

from __future__ import annotations

from random import Random

import pytest

from tests.oracle.compare import evidence, kind_of, shrunk, told
from tests.oracle.generator import honest

ROUNDS = 40
BLOCKS = 8


def judged(lines: list[dict[str, object]]) -> str:
    """Nothing, or the smallest lines on which the two still differ in a way nobody knows of."""
    return told(shrunk(lines, lambda fewer: kind_of(fewer) == "")) if kind_of(lines) == "" else ""


@pytest.mark.parametrize("block", range(BLOCKS))
def test_the_product_reads_what_the_oracle_reads(block: int) -> None:
    for seed in range(block * ROUNDS, (block + 1) * ROUNDS):
        assert not judged(evidence(seed)), f"seed {seed}"


@pytest.mark.parametrize("block", range(BLOCKS))
def test_honest_rounds_of_four_boxes_are_read_alike(block: int) -> None:
    for seed in range(10_000 + block * ROUNDS, 10_000 + (block + 1) * ROUNDS):
        assert not judged(honest(seed, boxes=4).lines), f"seed {seed}"


def test_honest_rounds_without_insurance_or_surrender_are_read_alike_to_the_last_doubt() -> None:
    compared = 0
    for seed in range(20_000, 20_300):
        lines = honest(seed).lines
        if any(line.get("zone") == "insurance" or line.get("key") == "surrender" for line in lines):
            continue
        compared += 1
        assert kind_of(lines) is None, told(lines)
    assert compared > 200


def test_shrinking_keeps_what_it_was_asked_to_keep() -> None:
    lines = honest(Random(1).randrange(100), boxes=3).lines
    smallest = shrunk(lines, lambda fewer: sum("card" in line for line in fewer) >= 3)
    assert len(smallest) == 4
