"""What the offline commands say to input that is none: one line, exit status 2, never a traceback."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from controller.cli import main
from controller.io.files import profile_files
from tests.rules.cases import case

GOOD = case("Kh 6c 8d Td 9h", "1 stand")
HAND = json.dumps(GOOD)
TABLE = '{"profile": "hollywood-penn-national", "wagers": {"1": {"main": 1000}}}'

DEEP = "[" * 900 + "]" * 900
DEEPER = "[" * 5000 + "]" * 5000

HANDS = {
    "nothing": (b"", "not JSON"),
    "an expectation nested deep": (f'{HAND[:-1]}, "expect": {{"rejected_bets": {DEEP}}}}}'.encode(), "nested deeper"),
    "a face nested deep": (json.dumps(GOOD | {"shoe": ["?"]}).replace('"?"', DEEP).encode(), "nested deeper"),
    "nested deeper": (DEEPER.encode(), "nested deeper"),
    "a number of 5000 digits": (HAND.replace("1000", "9" * 5000).encode(), "not JSON"),
    "half a character as a name": (b'{"cases": [' + HAND[:-1].encode() + b', "id": "\\ud800"}]}', "half a character"),
    "half a character as an option": (HAND[:-1].encode() + b', "options": {"side_bets": "\\ud800"}}', "half a char"),
    "a control code as a key": (HAND[:-1].encode() + b', "a\\u001b[2J\\nb": 1}', "a [2J b: unknown key"),
    "a key of 100,000 letters": (json.dumps(GOOD | {"x" * 100_000: 1}).encode(), "xxx..."),
    "a list for a switch": (
        json.dumps(GOOD | {"options": {"even_money": []}}).encode(),
        "options.even_money: expected",
    ),
    "more of a card than its decks hold": (
        json.dumps(case("7d 6c 7d Td 9h", "1 stand", decks=1)).encode(),
        "shoe: holds 7d 2 times, more than 1 deck can",
    ),
}


def shell(*words: str, stdin: bytes = b"") -> Result:
    return CliRunner().invoke(main, list(words), input=stdin)


def refused(done: Result) -> str:
    """The one line of a refusal."""
    assert (done.exit_code, done.stdout, done.stderr.count("\n")) == (2, "", 1), done
    assert done.stderr.startswith("tableside: ")
    assert done.stderr[:-1].isprintable()
    assert len(done.stderr) < 500
    return done.stderr


@pytest.mark.parametrize("name", HANDS)
def test_a_hand_that_is_none(name: str) -> None:
    stdin, line = HANDS[name]
    assert line in refused(shell("settle", "-", stdin=stdin))


def test_a_case_with_a_long_name_is_named_by_its_beginning() -> None:
    done = shell("settle", "-", stdin=json.dumps({"cases": [{"id": "x" * 10_000}]}).encode())
    assert (done.exit_code, done.stderr) == (2, f"tableside: -: cases[0] ({'x' * 40}): rules: missing\n")


def test_an_act_of_a_box_that_is_not_there_is_rejected_by_rule() -> None:
    acts = [{"spot": 5, "act": "hit"}, {"spot": 1, "act": "stand", "hand": 2}, *GOOD["actions"]]
    done = shell("settle", "-", stdin=json.dumps(GOOD | {"actions": acts}).encode())
    found = json.loads(done.stdout)
    assert [row["index"] for row in found["rejected"]] == [0, 1]
    assert all(row["rule"] and row["sentence"] for row in found["rejected"])
    assert found["net_cents"] == {"1": {"main": 1000}}


COMMANDS = [("settle",), ("profile", "check"), ("profile", "diff", "borgata"), ("par",), ("reconstruct",)]


@pytest.mark.parametrize("command", COMMANDS)
def test_a_directory_and_a_file_that_is_not_there(command: tuple[str, ...], tmp_path: Path) -> None:
    assert "Is a directory" in refused(shell(*command, str(tmp_path)))
    assert "No such file" in refused(shell(*command, str(tmp_path / "none")))


PROFILES = {
    "nothing": (b"", "name: expected"),
    "no text": (b"\xff\x00", "not UTF-8"),
    "nested deep": (f"a = {DEEP}".encode(), "nested deeper than 32"),
    "nested deeper": (f"a = {DEEPER}".encode(), "nested deeper than 32"),
    "a number of 5000 digits": (b"decks = " + b"9" * 5000, "Exceeds the limit"),
    "not a number": (profile_files.text_of("borgata").replace("decks = 8", "decks = nan").encode(), "decks: expected"),
    "below nothing": (profile_files.text_of("borgata").replace("decks = 8", "decks = -8").encode(), "decks"),
}


@pytest.mark.parametrize("name", PROFILES)
@pytest.mark.parametrize("command", COMMANDS[1:4])
def test_a_profile_that_is_none(name: str, command: tuple[str, ...], tmp_path: Path) -> None:
    file = tmp_path / "house.toml"
    file.write_bytes(PROFILES[name][0])
    assert PROFILES[name][1] in refused(shell(*command, str(file)))


EVIDENCE = {
    "no text": (TABLE.encode() + b"\n\xff\n", "line 2: not UTF-8 text"),
    "nested deep": (f"{TABLE}\n{DEEP}".encode(), "line 2: nested deeper"),
    "nested deeper": (f"{TABLE}\n{DEEPER}".encode(), "line 2: nested deeper"),
    "a list as a key": (f'{TABLE}\n{{"key": []}}'.encode(), "line 2: key: expected one of"),
    "a key given twice": (f'{TABLE}\n{{"card": "8h", "card": "9h"}}'.encode(), "line 2: card: is given twice"),
    "a raised two as a spot": (TABLE.replace('"1"', '"²"').encode(), "line 1: wagers.²: expected a spot"),
    "more money than there is": (TABLE.replace("1000", "9" * 30).encode(), "wagers.1.main: expected a number of"),
    "less than none": (TABLE.replace("1000", "-1").encode(), "expected whole cents"),
    "a time beyond all times": (f'{TABLE}\n{{"card": "8h", "t": 1e999999999}}'.encode(), "line 2: t: expected seconds"),
    "a time that is none": (f'{TABLE}\n{{"card": "8h", "t": NaN}}'.encode(), "line 2: not JSON: NaN is no number"),
    "a time that is a word": (f'{TABLE}\n{{"card": "8h", "t": true}}'.encode(), "line 2: t: expected seconds"),
    "an option nobody knows": (
        TABLE.replace('"wagers"', '"options": {"moon": 1}, "wagers"').encode(),
        "line 1: options.moon: u",
    ),
    "an option beyond its range": (
        TABLE.replace('"wagers"', '"options": {"max_hands": 99}, "wagers"').encode(),
        "line 1: options.max_hands: expected a whole number from 1 to 4, got 99",
    ),
    "an exponent beyond all numbers": (
        f'{TABLE}\n{{"card": "8h", "t": 1e{"9" * 30}}}'.encode(),
        "line 2: not JSON: a num",
    ),
    "a number of 5000 digits": (TABLE.replace("1000", "9" * 5000).encode(), "line 1: not JSON: a number of too many"),
    "a part of a cent": (TABLE.replace("1000", "10.50").encode(), "expected whole cents, got 10.50"),
    "zeros without end": (b"\0" * 70_000, "line 1: longer than 65536 bytes"),
    "lines without end": (TABLE.encode() + b"\n" * 2_000, "line 1001: more than 1000 lines"),
    "a time of the close that is none": (
        f'{TABLE}\n{{"close": true, "t": "x"}}'.encode(),
        "line 2: t: expected seconds",
    ),
    "a card after the close": (
        f'{TABLE}\n{{"close": true}}\n{{"card": "8h"}}'.encode(),
        "line 3: card: the round was closed",
    ),
    "closed twice": (
        f'{TABLE}\n{{"close": true}}\n{{"close": true}}'.encode(),
        "line 3: close: the round was closed by line 2",
    ),
    "fewer than no cards": (
        f'{TABLE}\n{{"answer": {{"spot": 1, "cards": -2}}}}'.encode(),
        "answer.cards: expected a number",
    ),
    "a hand before the first": (
        f'{TABLE}\n{{"answer": {{"spot": 1, "hand": -1, "cards": 2}}}}'.encode(),
        "line 2: answer.hand: expected a number from 0",
    ),
    "a hand of which nothing is said": (
        f'{TABLE}\n{{"answer": {{"spot": 1, "hand": 1, "doubled": true}}}}'.encode(),
        "line 2: answer.hand: expected with cards",
    ),
    "an answer that is no answer": (
        f'{TABLE}\n{{"answer": {{"spot": 1, "doubled": 1}}}}'.encode(),
        "line 2: answer.doubled: expected true or false, got 1",
    ),
    "a declared box without a wager": (
        f'{TABLE}\n{{"declare": {{"spot": 2, "main": 0}}}}'.encode(),
        "line 2: declare.main: expected a wager",
    ),
    "a reader nobody knows": (
        f'{TABLE}\n{{"health": "raeder 1", "from": 1, "to": 2}}'.encode(),
        'line 2: health: expected reader 1 to reader 7, got "raeder 1"',
    ),
    "a silence that ends before it begins": (
        f'{TABLE}\n{{"health": "reader 1", "from": 2, "to": 1}}'.encode(),
        "line 2: to: expected no time before from",
    ),
    "a line end as a key": (f'{TABLE}\n{{"card": "8h", "a\\nb": 1}}'.encode(), "line 2: a b: not a key"),
}


@pytest.mark.parametrize("name", EVIDENCE)
def test_evidence_that_is_none(name: str) -> None:
    assert EVIDENCE[name][1] in refused(shell("reconstruct", "-", stdin=EVIDENCE[name][0]))
