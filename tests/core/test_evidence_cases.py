"""Rounds as lines of evidence, against the exact answers of an enumerator that shares nothing with the lattice."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from controller.core.game.hand import PlayedHand, place_of, points_of, seen
from controller.core.inference.dues import agreed_drawn, insurance_due, main_due
from controller.core.inference.lattice import Frontier, Lattice
from controller.core.inference.observation import CardObserved, ChipsObserved, DatedObservation, KeyObserved
from controller.core.inference.play_count import PlayCounter
from firmware_protocols.cards import Card
from tests.core.houses import RULES, rules_of

CASES = json.loads((Path(__file__).parents[1] / "cases" / "evidence-cases.json").read_text(encoding="utf-8"))["cases"]
BETS = ("main", "insurance")


class Read(NamedTuple):
    """A case as the lattice has read it."""

    lattice: Lattice
    spots: tuple[int, ...]
    faces: tuple[str, ...]

    def hole_points(self) -> int:
        return points_of(seen(0, Card(self.faces[2 * len(self.spots) + 1])))

    def ends(self) -> Frontier:
        return self.lattice.ends(self.hole_points())


def agreed_hands(frontier: Frontier, box: int) -> tuple[PlayedHand, ...] | None:
    """A box's hands where every play agrees on them."""
    found: set[tuple[PlayedHand, ...]] = set()
    for outcomes in frontier.values():
        found.update(outcome.hands for outcome in outcomes[box])
    return found.pop() if len(found) == 1 else None


def moments(line: dict[str, Any], number: int) -> tuple[int, int]:
    t = line.get("t", number)
    first, last = t if isinstance(t, list) else (t, t)
    return round(first * 1_000_000_000), round(last * 1_000_000_000)


def read(evidence: list[dict[str, Any]]) -> Read:
    header, *lines = evidence
    wagers = {int(spot): bets["main"] for spot, bets in header["wagers"].items() if "main" in bets}
    spots = tuple(sorted(wagers))
    lattice = Lattice.begin(rules_of(header["profile"], **header["options"]), [wagers[spot] for spot in spots])
    content = {(spot, "main"): cents for spot, cents in wagers.items()}
    faces: list[str] = []
    for number, line in enumerate(lines, start=1):
        when = moments(line, number)
        match line:
            case {"card": face}:
                lattice = lattice.observe(DatedObservation(*when, CardObserved(seen(len(faces), Card(face)))))
                faces.append(face)
            case {"zone": "main" | "insurance" as zone, "spot": spot, "cents": cents}:
                moved = ChipsObserved(spots.index(spot), zone, content.get((spot, zone), 0), cents)
                content[spot, zone] = cents
                after = lattice.observe(DatedObservation(*when, moved))
                lattice = after if after.frontier else lattice
            case {"key": action}:
                named = spots.index(line["spot"]) if "spot" in line else None
                lattice = lattice.observe(DatedObservation(*when, KeyObserved(action, named)))
            case {"close": True} | {"zone": _}:
                pass
            case _:
                raise AssertionError(line)
    return Read(lattice, spots, tuple(faces))


def dues(case: Read) -> dict[str, dict[str, list[int]]]:
    """The nets that remain, by spot and bet."""
    ends, hole = case.ends(), case.hole_points()
    possible: dict[str, dict[str, list[int]]] = {}
    for box, spot in enumerate(case.spots):
        possible[str(spot)] = {"main": list(main_due(case.lattice, ends, box, hole).cents())}
        insured = insurance_due(case.lattice, ends, box, hole)
        if insured is not None:
            possible[str(spot)]["insurance"] = list(insured.cents())
    return possible


def of_core(expected: dict[str, dict[str, Any]]) -> dict[str, dict[str, Any]]:
    return {spot: {bet: cents for bet, cents in bets.items() if bet in BETS} for spot, bets in expected.items()}


def hands(case: Read) -> dict[str, list[list[str]] | None]:
    ends = case.ends()
    found: dict[str, list[list[str]] | None] = {}
    for box, spot in enumerate(case.spots):
        agreed = agreed_hands(ends, box)
        dealt = [[case.faces[place_of(card)] for card in hand.cards] for hand in agreed or ()]
        found[str(spot)] = dealt or None
    return found


def dealer(case: Read) -> list[str] | None:
    drawn = agreed_drawn(case.ends())
    boxes = len(case.spots)
    if drawn is None:
        return None
    return [case.faces[boxes], case.faces[2 * boxes + 1], *(case.faces[place_of(card)] for card in drawn)]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_exact_answer(case: dict[str, Any]) -> None:
    got, expect = read(case["evidence"]), case["expect"]
    possible = dues(got)
    assert PlayCounter(got.lattice, got.hole_points()).plays() == expect["plays"]
    assert possible == of_core(expect["possible_cents"])
    certain = {s: {b: c[0] if len(c) == 1 else None for b, c in bets.items()} for s, bets in possible.items()}
    assert certain == of_core(expect["due_cents"])
    assert hands(got) == expect["hands"]
    assert dealer(got) == expect["dealer"]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_the_truth_is_among_what_is_possible(case: dict[str, Any]) -> None:
    possible = dues(read(case["evidence"]))
    for spot, bets in of_core(case["truth"]["due_cents"]).items():
        for bet, cents in bets.items():
            assert cents in possible[spot].get(bet, [0])


def test_the_cases_cover_every_profile() -> None:
    assert {case["evidence"][0]["profile"] for case in CASES} == set(RULES)
    assert len(CASES) >= 60
