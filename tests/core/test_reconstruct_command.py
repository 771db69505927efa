"""``tableside reconstruct``: the worked examples, line by line, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from controller.commands.reconstruct import command

CASES = json.loads((Path(__file__).parents[1] / "cases" / "evidence-cases.json").read_text())["cases"]
OWN = json.loads((Path(__file__).parents[1] / "cases" / "own-evidence-cases.json").read_text())["cases"]
TABLE = '{"profile": "hollywood-penn-national", "wagers": {"1": {"main": 1000}}}'


def run(text: str, *flags: str) -> tuple[int, str]:
    ran = CliRunner().invoke(command, ["-", *flags], input=text)
    return ran.exit_code, ran.output


def lines(case: dict[str, Any]) -> str:
    return "\n".join(json.dumps(line) for line in case["evidence"])


@pytest.mark.parametrize("case", [*CASES, *OWN], ids=[case["id"] for case in [*CASES, *OWN]])
def test_worked_examples_come_out_exactly(case: dict[str, Any]) -> None:
    status, output = run(lines(case))
    answer = json.loads(output)
    assert status == 0
    assert {key: answer[key] for key in case["expect"]} == case["expect"]


def test_a_round_given_from_its_lock_on_is_the_same_whether_or_not_the_house_always_locks_it_by_key() -> None:
    for case in CASES[::5]:
        header = case["evidence"][0]
        keyed = {**header, "options": {**header.get("options", {}), "no_more_bets": "always"}}
        assert run(lines({"evidence": [keyed, *case["evidence"][1:]]})) == run(lines(case))


@pytest.mark.parametrize("case", CASES[::7], ids=[case["id"] for case in CASES[::7]])
def test_each_line_is_answered_and_the_last_answer_is_the_whole(case: dict[str, Any]) -> None:
    status, output = run(lines(case), "--each")
    answers = [json.loads(line) for line in output.splitlines()]
    assert (status, len(answers)) == (0, len(case["evidence"]))
    assert answers[-1] == json.loads(run(lines(case))[1])


def test_before_the_turn_no_answer_depends_on_the_hole_card() -> None:
    def answers_of(hole: str) -> list[str]:
        cards = ["Td", "6c", "9h", hole]
        text = [TABLE, *(json.dumps({"card": card}) for card in cards), '{"key": "stand"}']
        return run("\n".join(text), "--each")[1].splitlines()

    seen = {hole: answers_of(hole) for hole in ("2c", "As", "Kd", "9d")}
    assert all(answers[:5] == seen["2c"][:5] for answers in seen.values())
    assert json.loads(seen["Kd"][4])["dealer"] == ["6c", "??"]
    assert json.loads(seen["Kd"][5])["dealer"] == ["6c", "Kd"]


def test_an_unread_card_is_each_of_the_52_faces() -> None:
    text = "\n".join([TABLE, *(json.dumps({"card": card}) for card in ("Td", "Tc", "??", "9s")), '{"close": true}'])
    answer = json.loads(run(text)[1])
    # Nobody drew: a hand that must not stand is none, and every other may have stopped.
    assert answer["plays"] == 52
    assert answer["hands"] == {"1": [["Td", "??"]]}
    assert answer["possible_cents"]["1"]["main"] == [-1000, 0, 1000, 1500]


def test_a_question_is_asked_only_if_its_answer_changes_money() -> None:
    asked = {case["id"]: json.loads(run(lines(case))[1])["question"] for case in CASES}
    for case in CASES:
        open_due = any(None in bets.values() for bets in case["expect"]["due_cents"].values())
        assert asked[case["id"]] is None or open_due


REFUSED = {
    "no table": ('{"card": "8h"}', "line 1: card: expected profile, options, wagers"),
    "not JSON": (f"{TABLE}\n8h", "line 2: not JSON: Extra data at column 2"),
    "no kind of line": (
        f'{TABLE}\n{{"crad": "8h"}}',
        'line 2: expected one of the keys card, spot, key, answer, declare, health, close, got "crad"',
    ),
    "no such face": (f'{TABLE}\n{{"card": "1h"}}', "line 2: card: expected a face such as 8h, or ??"),
    "no such zone": (f'{TABLE}\n{{"spot": 1, "zone": "moon", "cents": 5}}', "line 2: zone: expected one of main"),
    "no such key": (f'{TABLE}\n{{"key": "fold"}}', "line 2: key: expected one of"),
    "half of it timed": (f'{TABLE}\n{{"card": "8h", "t": 1}}\n{{"card": "9h"}}', "line 3: t: either every"),
    "a float of cents": (
        f'{TABLE}\n{{"spot": 1, "zone": "main", "cents": 5.5}}',
        "line 2: cents: expected whole cents",
    ),
    "no such profile": ('{"profile": "moon", "wagers": {}}', "line 1: "),
    "an unknown key of a line": (f'{TABLE}\n{{"card": "8h", "colour": 1}}', "line 2: colour: not a key"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_no_evidence_is_refused_in_one_line(name: str) -> None:
    text, expected = REFUSED[name]
    status, output = run(text)
    assert (status, expected in output, output.count("\n")) == (2, True, 1)
