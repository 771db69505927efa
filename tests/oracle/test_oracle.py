"""The oracle against worked cases, against rounds whose truth is known, and against itself."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.oracle.generator import honest
from tests.oracle.lines import read
from tests.oracle.oracle import each, plays, readings
from tests.oracle.search import Search, TooWide

FILES = "evidence-cases.json", "own-evidence-cases.json"
CASES = [
    case
    for name in FILES
    for case in json.loads((Path(__file__).parents[1] / "cases" / name).read_text(encoding="utf-8"))["cases"]
]

Line = dict[str, Any]
NOTHING: frozenset[int] = frozenset()


def header(profile: str, wagers: dict[int, int], **options: Any) -> Line:
    return {
        "profile": profile,
        "options": options,
        "wagers": {str(spot): {"main": cents} for spot, cents in wagers.items()},
    }


def dealt(first: Line, cards: str, *rest: Line) -> list[Line]:
    return [first, *({"card": card} for card in cards.split()), *rest]


def main_chips(spot: int, cents: int) -> Line:
    return {"spot": spot, "zone": "main", "cents": cents}


CLOSE: Line = {"close": True}
HPN = "hollywood-penn-national"


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_worked_cases_are_answered_exactly(case: dict[str, Any]) -> None:
    answer = readings(case["evidence"])
    expected = case["expect"]
    assert {name: getattr(answer, name) for name in expected} == expected
    assert (answer.dropped == ()) == ("dropped" not in case.get("why", ""))


@pytest.mark.parametrize("block", range(8))
def test_what_truly_happened_is_among_the_readings(block: int) -> None:
    for seed in range(block * 50, block * 50 + 50):
        made = honest(seed, boxes=4)
        found = plays(made.lines, None if made.prompt else made.idle)
        assert made.truth in found, f"seed {seed}: {json.dumps(made.lines)}"


def test_what_truly_happened_with_ez_bust_wagers_is_among_the_readings() -> None:
    wagered = 0
    for seed in range(1000):
        made = honest(seed, bust_bets=True)
        if any(line.get("zone") == "ez_bust" for line in made.lines):
            wagered += 1
            found = plays(made.lines, None if made.prompt else made.idle)
            assert made.truth in found, f"seed {seed}: {json.dumps(made.lines)}"
    assert wagered > 20


@pytest.mark.parametrize("seed", range(40))
def test_an_unread_card_stands_for_each_of_the_faces(seed: int) -> None:
    made = honest(seed, boxes=2)
    cards = [number for number, line in enumerate(made.lines) if "card" in line]
    chosen = cards[seed % len(cards)]
    unread = [line | {"card": "??"} if number == chosen else line for number, line in enumerate(made.lines)]
    faces = [rank + suit for rank in "A23456789TJQK" for suit in "cdhs"]
    read = [[*made.lines[:chosen], {**made.lines[chosen], "card": face}, *made.lines[chosen + 1 :]] for face in faces]
    assert len(plays(unread, made.idle)) == sum(len(plays(lines, made.idle)) for lines in read)


@pytest.mark.parametrize("seed", range(60))
@pytest.mark.parametrize("option", [{"stand_key": "always"}, {"busts_taken": "at_once"}])
def test_a_stricter_procedure_only_takes_readings_away(seed: int, option: dict[str, str]) -> None:
    made = honest(seed)
    first = made.lines[0]
    loose = first | {"options": {k: v for k, v in first["options"].items() if k not in option}}
    strict = first | {"options": first["options"] | option}
    assert plays([strict, *made.lines[1:]], made.idle) <= plays([loose, *made.lines[1:]], made.idle)


@pytest.mark.parametrize("seed", range(60))
def test_a_reader_that_knows_less_leaves_more_readings(seed: int) -> None:
    made = honest(seed)
    vague = [
        line | {"t": [max(0, line["t"][0] - 1), line["t"][1] + 1]} if isinstance(line.get("t"), list) else line
        for line in made.lines
    ]
    assert plays(made.lines, made.idle) <= plays(vague, made.idle)


@pytest.mark.parametrize("seed", range(60))
def test_key_slack_leaves_more_readings(seed: int) -> None:
    made = honest(seed)
    first = made.lines[0]
    slack = [first | {"options": first["options"] | {"key_slack": 1}}, *made.lines[1:]]
    assert plays(made.lines, made.idle) <= plays(slack, made.idle)


@pytest.mark.parametrize("seed", range(60))
def test_answers_divide_the_readings(seed: int) -> None:
    made = honest(seed)
    spot = int(next(iter(made.lines[0]["wagers"])))
    divided = [
        plays([*made.lines[:-1], {"answer": {"spot": spot, "hand": 0, "cards": count}}, CLOSE], made.idle)
        for count in range(2, 14)
    ]
    assert sum(map(len, divided)) == len(plays(made.lines, made.idle))


def test_a_change_nothing_explains_is_dropped_and_later_contents_are_compared_with_what_it_left() -> None:
    lines = dealt(
        header(HPN, {1: 1000}),
        "6c 7d",
        main_chips(1, 1500),
        {"card": "5h"},
        {"card": "Td"},
        main_chips(1, 2500),
        {"card": "9s"},
        {"key": "hole_turned"},
        CLOSE,
    )
    answer = readings(lines)
    assert answer.dropped == (3,)
    assert answer.stakes == {"1": [2000]}
    assert answer.due_cents == {"1": {"main": 2000}}


def test_a_change_that_only_another_hole_card_would_explain_is_dropped_once_the_hole_card_counts() -> None:
    lines = dealt(header("pitch-h17", {3: 1500}), "Kh 7s 7c 7c", main_chips(3, 3000), {"card": "3s"}, CLOSE)
    assert readings(lines).dropped == (5,)
    assert readings(lines).plays == 1


def test_without_a_hole_card_the_dealers_second_card_comes_after_the_players() -> None:
    lines = dealt(header("borgata", {1: 1000}, hole_card="none"), "Ts 7c 9h", {"key": "stand"}, {"card": "Td"}, CLOSE)
    answer = readings(lines)
    assert (answer.plays, answer.dealer, answer.due_cents) == (1, ["7c", "Td"], {"1": {"main": 1000}})


def test_a_declared_box_shifts_the_deal() -> None:
    lines = dealt(
        header("borgata", {1: 1000}) | {"options": {"stand_key": "always"}},
        "",
        {"declare": {"spot": 4, "main": 500}},
        *({"card": card} for card in ("Ts", "9c", "7c", "9h", "9d", "Td")),
        {"key": "stand", "spot": 1},
        {"key": "stand", "spot": 4},
        CLOSE,
    )
    answer = readings(lines)
    assert answer.hands == {"1": [["Ts", "9h"]], "4": [["9c", "9d"]]}
    assert answer.due_cents == {"1": {"main": 1000}, "4": {"main": 500}}


def test_a_dead_reader_may_have_missed_a_double() -> None:
    round_ = dealt(header("borgata", {1: 1000}, chip_unit_cents=1000), "6s 7c 5h Td 9c", CLOSE)
    dead = [*round_[:-1], {"health": "reader 1", "from": 5, "to": 99}, CLOSE]
    assert readings(round_).possible_cents == {"1": {"main": [1000]}}
    assert readings(dead).possible_cents == {"1": {"main": [1000, 2000]}}


@pytest.mark.parametrize(
    ("cards", "key", "drawn", "net"),
    [
        ("8c 6d 8h Td", "stand", "Ks", 500),
        ("8c 6d 8h Td", "stand", "3c", -500),
        ("8c 6d 8h Td", "hit", "Ks", 0),
        ("Ac 6d Kh Td", "hole_turned", "Ks", 500),
    ],
)
def test_an_ez_bust_wager_is_decided_by_the_dealer_unless_every_hand_broke(
    cards: str, key: str, drawn: str, net: int
) -> None:
    bet = {"spot": 1, "zone": "ez_bust", "cents": 500}
    lines = dealt(header(HPN, {1: 1000}), cards, bet, {"key": key}, {"card": drawn}, CLOSE)
    assert readings(lines).possible_cents["1"]["ez_bust"] == [net]


def test_nothing_answered_before_the_turn_depends_on_the_hole_card() -> None:
    answers = []
    for hole in ("Ts", "As", "6s", "5s", "2s"):
        lines = dealt(header(HPN, {1: 1000, 2: 500}), f"Tc 9c 9d Th 7c {hole}", {"key": "stand"}, {"card": "Td"})
        answers.append(each(lines)[:-1])
    assert all(other == answers[0] for other in answers)


def test_a_walk_that_grows_too_wide_ends_and_says_so() -> None:
    lines = honest(7).lines
    whole = read(lines)
    narrow = Search(whole, whole.pieces, frozenset(), close=True)
    found = len(list(narrow.readings()))
    exact = Search(whole, whole.pieces, frozenset(), close=True, widest=len(narrow.seen))
    assert len(list(exact.readings())) == found
    with pytest.raises(TooWide):
        list(Search(whole, whole.pieces, frozenset(), close=True, widest=len(narrow.seen) - 1).readings())


def test_equal_times_leave_either_order_open() -> None:
    double = {"spot": 1, "zone": "main", "cents": 2000}
    cards = [{"card": card, "t": t} for t, card in enumerate(("6s", "7c", "5h", "Td"), start=1)]
    rest = [double | {"t": 5}, {"card": "4c", "t": 5}, CLOSE]
    answer = readings([header("borgata", {1: 1000}), *cards, *rest])
    assert answer.possible_cents == {"1": {"main": [-2000, -1000]}}
