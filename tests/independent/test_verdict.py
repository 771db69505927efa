"""What the independent table's verdict counts as a fault, and what not."""

from __future__ import annotations

import json

from tests.independent.dues import Box
from tests.independent.heard import Heard, Token
from tests.independent.rounds import Round
from tests.independent.verdict import judged


def a_round(number: int) -> Round:
    box = Box(1, 1000, ["Th", "9d"])
    return Round(number, {1: box}, ["Ts", "9c"])


def heard_of(number: int, heard: Heard) -> None:
    """A round of which one card was heard, and nothing more was published."""
    heard.tokens.append(Token(number, "Th"))
    event = {"seq": number, "data": {"card": number, "round": number}}
    heard.take("tableside/v1/harbour/bj-1/event/card_drawn", json.dumps(event).encode())


def test_a_round_that_nothing_ended_is_a_fault() -> None:
    heard = Heard()
    heard_of(1, heard)
    heard_of(2, heard)
    assert judged([a_round(1), a_round(2)], heard).unended == ["round 1 (1) has no end"]


def test_the_last_round_heard_needs_no_end_where_the_next_left_a_shoe_that_nobody_heard() -> None:
    heard = Heard()
    heard_of(1, heard)
    found = judged([a_round(1), a_round(2), a_round(3)], heard, missed={2, 3})
    assert (found.faults, found.lost) == ([], 1)


def test_while_it_is_asked_whether_the_last_two_rounds_are_one_neither_is_judged() -> None:
    heard = Heard()
    heard_of(1, heard)
    heard.tokens.append(Token(2, "Th"))
    for seq, name, data in (
        (2, "card_drawn", {"card": 2, "round": 1}),
        (3, "question_asked", {"question": 1, "round": 1}),
    ):
        heard.take(f"tableside/v1/harbour/bj-1/event/{name}", json.dumps({"seq": seq, "data": data}).encode())
    assert judged([a_round(1), a_round(2)], heard).faults == []
    withdrawn = {"seq": 4, "data": {"question": 1}}
    heard.take("tableside/v1/harbour/bj-1/event/question_withdrawn", json.dumps(withdrawn).encode())
    assert judged([a_round(1), a_round(2), a_round(3)], heard).faults != []


def test_both_of_two_rounds_that_may_be_one_are_left_to_people_if_the_wagers_of_each_are_named() -> None:
    """Of the second more cards are in the program's round than of the first."""

    def found(named: str) -> list[str]:
        heard = Heard()
        heard.tokens = [Token(1, "Th"), Token(2, "Th"), Token(2, "9c"), Token(3, "Th")]
        lock = {"round": 1, "wagers": [{"spot": 1, "bet": "main", "cents": 1000}]}
        reason = f"nobody said whether another round had begun; its wagers, locked in no round, would be {named}"
        said = [
            *(("card_drawn", {"card": card, "round": 1 if card < 4 else 2}) for card in (1, 2, 3, 4)),
            ("betting_closed", lock),
            ("round_irregular", {"round": 1, "reason": reason}),
            ("round_closed", {"round": 1, "outcome": "irregular"}),
        ]
        for seq, (name, data) in enumerate(said, start=1):
            heard.take(f"tableside/v1/harbour/bj-1/event/{name}", json.dumps({"seq": seq, "data": data}).encode())
        second = Round(2, {2: Box(2, 600, ["Th", "9d"])}, ["Ts", "9c"])
        return judged([a_round(1), second, a_round(3)], heard).faults

    assert found("spot 2 main 6.00") == []
    assert len(found("spot 2 main 7.00")) == 1
