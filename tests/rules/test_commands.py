"""``tableside settle`` and ``tableside profile`` as a shell sees them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from controller.cli import main
from controller.formats.cases.settle_input import CaseError, parse_json
from controller.io.files import profile_files
from tests.rules.cases import FILE, WORKED, case

GOOD = case("Kh 6c 8d Td 9h", "1 stand")


def run(*words: str, stdin: object = None) -> Result:
    stdin_bytes = stdin if isinstance(stdin, bytes) else json.dumps(stdin).encode()
    return CliRunner().invoke(main, list(words), input=stdin_bytes)


def test_a_case_from_standard_input() -> None:
    done = run("settle", "-", stdin=GOOD)
    assert done.exit_code == 0
    found = json.loads(done.stdout)
    assert found["net_cents"] == {"1": {"main": 1000}}
    assert found["hands"] == {"1": [["Kh", "8d"]]}
    assert (found["dealer"], found["dealer_total"]) == (["6c", "Td", "9h"], 25)
    assert (found["rejected"], found["rejected_bets"], found["meters"]) == ([], {}, {})
    assert found["why"] == {"1": {"main": "18 wins, the dealer broke [win_pays: card: 1 to 1]"}}


def test_a_file_of_cases_is_compared_with_what_it_expects(tmp_path: Path) -> None:
    done = run("settle", str(FILE))
    assert done.exit_code == 0
    found = json.loads(done.stdout)
    assert (found["settled"], found["different"]) == (len(WORKED["cases"]), 0)
    wrong = {**WORKED["cases"][0], "expect": {"net_cents": {"1": {"main": 1499}}, "dealer_total": 15}}
    other = tmp_path / "cases.json"
    other.write_text(json.dumps({"cases": [wrong, GOOD]}))
    done = run("settle", str(other))
    assert done.exit_code == 1
    (first, second) = json.loads(done.stdout)["cases"]
    assert first["differences"] == [
        'net_cents: expected {"1":{"main":1499}}, found {"1":{"main":1500}}',
    ]
    assert (second["id"], second["differences"]) == ("1", [])
    assert done.stderr == "tableside: 1 of 2 cases differ\n"


def compact(value: object) -> str:
    return json.dumps(value, separators=(",", ":"))


def without(key: str) -> dict[str, Any]:
    return {name: value for name, value in GOOD.items() if name != key}


MALFORMED: list[tuple[object, str]] = [
    ([1], "expected an object"),
    *((without(key), f"{key}: missing") for key in ("rules", "bets", "shoe", "actions")),
    (GOOD | {"bet": {}}, "bet: unknown key; did you mean bets?"),
    (GOOD | {"odd": []}, "odd: unknown key"),
    (GOOD | {"rules": "red-dog"}, "rules: profile 'red-dog': expected one of borgata"),
    (GOOD | {"rules": 3}, "rules: no profile"),
    (GOOD | {"bets": 3}, "bets: expected an object"),
    (GOOD | {"bets": {"8": {"main": 100}}}, "bets.8: expected a spot"),
    (GOOD | {"bets": {"1": 100}}, "bets.1: expected an object"),
    (GOOD | {"bets": {"1": {"main": 10.5}}}, "bets.1.main: expected a whole number"),
    (GOOD | {"bets": {"1": {"main": 0}}}, "bets.1.main: expected a whole number"),
    (GOOD | {"bets": {"1": {"mian": 100}}}, "bets.1.mian: unknown wager; expected one of blazing7s"),
    (GOOD | {"bets": {"1": {"lucky_ladies": 100}}}, "bets: expected at least one main wager"),
    (GOOD | {"shoe": "Kh"}, "shoe: expected a list"),
    (GOOD | {"shoe": ["Kh", "1s"]}, 'shoe[1]: expected a card such as 8h or Td, got "1s"'),
    (GOOD | {"shoe": ["Kh"] * 417}, "shoe: expected at most 416"),
    (GOOD | {"shoe": ["Kh", "6c", "8d"]}, "shoe: 3 cards are too few to deal to 1 boxes"),
    (GOOD | {"shoe": ["Kh", "6c", "8d", "Td"]}, "shoe: its 4 cards end before the round does"),
    (GOOD | {"shoe": [*GOOD["shoe"], "2c"]}, "shoe: expected to be used up exactly, 1 card left"),
    (GOOD | {"actions": []}, "actions: spot 1 hand 0 has 18 and no decision"),
    (GOOD | {"actions": [3]}, "actions[0]: expected an object"),
    (GOOD | {"actions": [{"act": "stand"}]}, "actions[0].spot: missing"),
    (GOOD | {"actions": [{"spot": 1}]}, "actions[0].act: missing"),
    (GOOD | {"actions": [{"spot": 1, "act": "peek"}]}, "actions[0].act: expected one of"),
    (
        GOOD | {"actions": [{"spot": 1, "act": "stand", "how": 1}]},
        "actions[0].how: unknown key; expected one of",
    ),
    (GOOD | {"actions": [{"spot": 1, "act": "insurance"}]}, "actions[0].amount: missing"),
    (GOOD | {"actions": [{"spot": True, "act": "stand"}]}, "actions[0].spot: expected a whole number"),
    (GOOD | {"actions": [{"spot": 1, "act": "stand", "hand": 4}]}, "actions[0].hand: expected a whole number"),
    (GOOD | {"actions": [{"spot": 1, "act": "stand", "expect": "refused"}]}, 'actions[0].expect: expected "rejected"'),
    (GOOD | {"actions": [{"spot": 1, "act": "stand", "expect": []}]}, 'actions[0].expect: expected "rejected"'),
    (GOOD | {"expect": 3}, "expect: expected an object"),
    (GOOD | {"expect": {"net_cent": {}}}, "expect.net_cent: unknown key; expected one of blazing_meter_after_cents"),
    (GOOD | {"options": 3}, "options: expected an object"),
    (GOOD | {"options": {"surrender": "early"}}, "options.surrender: expected one of"),
    (GOOD | {"options": {"soft_18": "hit"}}, "options.soft_18: unknown key"),
    (GOOD | {"options": {"hole_check": "device", "hole_card": "none"}}, "options.hole_check: a device"),
    (GOOD | {"chip_unit_cents": 0}, "chip_unit_cents: expected"),
    (GOOD | {"payout_unit_cents": 1.0}, "payout_unit_cents: expected"),
    (GOOD | {"decks": 9}, "decks: expected a whole number from 1 to 8"),
    (GOOD | {"burn": 6}, "burn: expected a whole number from 0 to 5"),
    (GOOD | {"blazing_meter_cents": 1}, "blazing_reset_cents: missing"),
    (GOOD | {"mhb": 3}, "mhb: expected an object"),
    (GOOD | {"mhb": {"meter": 1}}, "mhb.meter: unknown key; expected one of meter_before_cents"),
    (GOOD | {"mhb": {}}, "mhb.meter_before_cents: missing"),
    (GOOD | {"entered_mid_shoe": [9]}, "entered_mid_shoe[0]: expected a whole number"),
    (case("7d 7d 7d Tc", "1 stand", bets={"1": {"main": 100, "blazing7s": 500}}), "blazing_meter_cents: the linked"),
    (case("Kh 6d 9d 9c", "", "pitch-h17", entered_mid_shoe=[1]), "bets: no main wager stands"),
    ({"cases": 3}, "cases: expected a list"),
    (b'{"rules": 1, "rules": 2}', "rules: is given twice"),
    (b"{", "not JSON"),
    (b"\xff", "not JSON"),
]


@pytest.mark.parametrize(("round_case", "line"), MALFORMED, ids=lambda one: str(one)[:50])
def test_a_malformed_case_is_one_line_that_names_the_key(round_case: object, line: str) -> None:
    done = run("settle", "-", stdin=round_case)
    assert done.exit_code == 2
    assert done.stdout == ""
    assert done.stderr.startswith("tableside: ")
    assert line in done.stderr
    assert done.stderr.count("\n") == 1


def test_a_case_that_cannot_be_read_is_named_and_the_others_are_settled() -> None:
    cases = [
        GOOD | {"id": "X0"},
        GOOD | {"id": "X1", "shoe": 3},
        GOOD | {"id": "X2", "expect": {"dealer_totals": 25}},
        without("shoe"),
    ]
    done = run("settle", "-", stdin={"cases": cases})
    assert done.exit_code == 2
    found = json.loads(done.stdout)
    assert (found["settled"], found["refused"], found["different"]) == (1, 3, 0)
    assert [row["id"] for row in found["cases"]] == ["X0", "X1", "X2", "3"]
    lines = done.stderr.splitlines()
    assert len(lines) == 3
    assert "cases[1] (X1): shoe: expected a list" in lines[0]
    assert "cases[2] (X2): expect.dealer_totals: unknown key" in lines[1]
    assert "cases[3]: shoe: missing" in lines[2]


def test_bets_returned_are_compared_by_spot() -> None:
    bets = {"1": {"main": 1000}, "2": {"main": 1000, "lucky_ladies": 500}}
    round_case = case("Th 9h 7s Td 9d Tc", "1 stand, 2 stand", bets=bets, decks=1)
    expected = {"rejected_bets": {"1": ["lucky_ladies"]}}
    found = json.loads(run("settle", "-", stdin={"cases": [round_case | {"expect": expected}]}).stdout)
    assert found["cases"][0]["differences"] == [
        f'rejected_bets: expected {{"1":["lucky_ladies"]}}, found {compact(found["cases"][0]["rejected_bets"])}'
    ]
    expected = {"rejected_bets": {"2": ["lucky_ladies"]}}
    found = json.loads(run("settle", "-", stdin={"cases": [round_case | {"expect": expected}]}).stdout)
    assert found["cases"][0]["differences"] == []


def test_a_houses_own_profile_is_named_by_its_path(tmp_path: Path) -> None:
    own = tmp_path / "own.toml"
    own.write_text(profile_files.text_of("borgata").replace("natural_pays = [3, 2]", "natural_pays = [6, 5]"))
    round_case = case("Ah 9c Kh 8d", "", bets={"1": {"main": 1000}})
    assert (
        json.loads(run("settle", "-", stdin=round_case | {"rules": "borgata"}).stdout)["net_cents"]["1"]["main"] == 1500
    )
    assert (
        json.loads(run("settle", "-", stdin=round_case | {"rules": str(own)}).stdout)["net_cents"]["1"]["main"] == 1200
    )
    line = json.dumps({"profile": str(own), "options": {}, "wagers": {"1": {"main": 1000}}})
    done = run("reconstruct", "-", stdin=(line + '\n{"card": "Ah"}\n').encode())
    assert (done.exit_code, json.loads(done.stdout)["plays"]) == (0, 1)
    missing = run("settle", "-", stdin=round_case | {"rules": str(tmp_path / "none.toml")})
    assert (missing.exit_code, "none.toml: No such file or directory" in missing.stderr) == (2, True)


def test_a_profile_named_in_a_file_lies_beside_that_file(tmp_path: Path) -> None:
    own = profile_files.text_of("borgata").replace("natural_pays = [3, 2]", "natural_pays = [6, 5]")
    (tmp_path / "own.toml").write_text(own)
    hand, lines = tmp_path / "hand.json", tmp_path / "round.jsonl"
    round_case = case("Ah 9c Kh 8d", "", bets={"1": {"main": 1000}}) | {"rules": "own.toml"}
    hand.write_text(json.dumps(round_case))
    assert json.loads(run("settle", str(hand)).stdout)["net_cents"]["1"]["main"] == 1200
    hand.write_text(json.dumps({"cases": [round_case, round_case | {"rules": "none.toml"}]}))
    done = run("settle", str(hand))
    assert json.loads(done.stdout)["cases"][0]["net_cents"]["1"]["main"] == 1200
    assert f"cases[1]: rules: {tmp_path / 'none.toml'}: No such file or directory" in done.stderr
    header = json.dumps({"profile": "own.toml", "options": {}, "wagers": {"1": {"main": 1000}}})
    lines.write_text("\n".join((header, *(json.dumps({"card": face}) for face in ["Ah", "9c", "Kh", "8d"]))) + "\n")
    done = run("reconstruct", str(lines))
    assert json.loads(done.stdout)["due_cents"] == {"1": {"main": 1200}}


def test_a_box_that_the_layout_does_not_have_is_refused() -> None:
    round_case = case("Kh 6c 8d Td 9h", "7 stand", bets={"7": {"main": 1000}})
    assert run("settle", "-", stdin=round_case).exit_code == 0
    done = run("settle", "-", stdin=round_case | {"rules": "borgata"})
    assert (done.exit_code, done.stderr) == (2, "tableside: -: bets.7: expected a spot from 1 to 6 ([rules] boxes)\n")
    assert run("settle", "-", stdin=round_case | {"rules": "borgata", "options": {"boxes": 7}}).exit_code == 0


def test_a_profile_that_is_none_names_those_there_are() -> None:
    done = run("profile", "show", "hollywood")
    assert done.exit_code == 2
    assert "expected one of borgata" in done.stderr
    for command in ("demo", "simulate"):
        words = ("simulate", "somewhere") if command == "simulate" else ("demo",)
        done = run(*words, "--profile", "hollywood")
        assert (done.exit_code, "expected one of borgata" in done.stderr) == (2, True)


def test_numbers_that_are_no_numbers_are_refused() -> None:
    with pytest.raises(CaseError):
        parse_json('{"a": 1, "b": {"c": 1, "c": 2}}')
    assert run("settle", "-", stdin=b'{"rules": NaN}').exit_code == 2
    assert run("settle", "-", stdin=b"[" * 100_000).exit_code == 2
    assert run("settle", "/nowhere/case.json").stderr.endswith("cannot be read: No such file or directory\n")


def test_side_wagers_that_do_not_stand_are_returned() -> None:
    bets = {"1": {"main": 1000, "lucky_ladies": 500, "ez_bust": 500, "blazing7s": 100}, "4": {"lucky_ladies": 500}}
    found = json.loads(run("settle", "-", stdin=GOOD | {"bets": bets, "decks": 1}).stdout)
    assert found["net_cents"] == {"1": {"main": 1000}}
    assert found["rejected_bets"] == {"1": ["lucky_ladies", "ez_bust", "blazing7s"], "4": ["lucky_ladies"]}
    assert found["why"]["1"]["lucky_ladies"].endswith("[lucky_ladies.least_decks]")
    assert found["why"]["1"]["ez_bust"].endswith("[ez_bust.up_cards]")
    assert found["why"]["1"]["blazing7s"].endswith("[blazing7s.stake_cents]")
    pitch = run("settle", "-", stdin=case("Kh 6d 9d 9c 5h", "1 stand", "pitch-h17", {"1": bets["1"]}))
    assert json.loads(pitch.stdout)["why"]["1"]["lucky_ladies"].endswith("[side_wagers]")
    borgata = run("settle", "-", stdin=case("Kh 6d 9d 9c 5h", "1 stand", "borgata", {"1": bets["1"]}))
    assert json.loads(borgata.stdout)["why"]["1"]["lucky_ladies"].endswith("[side_bets]")


def test_breakage_is_booked() -> None:
    round_case = case("As 6c Kd 9s", bets={"1": {"main": 500}}, payout_unit_cents=100)
    found = json.loads(run("settle", "-", stdin=round_case).stdout)
    assert (found["net_cents"]["1"]["main"], found["breakage_cents"]) == (700, 50)
    assert "rounded down to 100 cents" in found["why"]["1"]["main"]
    even = case("Ah As Jc Kd", "1 even_money", "borgata", {"1": {"main": 1550}}, payout_unit_cents=100)
    assert json.loads(run("settle", "-", stdin=even).stdout)["breakage_cents"] == 0


def test_profiles_are_listed_shown_and_compared() -> None:
    listed = run("profile", "list")
    assert [line.split()[0] for line in listed.stdout.splitlines()[1:]] == list(profile_files.names())
    shown = run("profile", "show", "borgata")
    assert shown.exit_code == 0
    assert "even_money = true  # card: even money in lieu of insurance" in shown.stdout
    assert profile_files.load("borgata").hash in shown.stdout
    assert run("profile", "diff", "borgata", "borgata").exit_code == 0
    differ = run("profile", "diff", "borgata", "pitch-h17")
    assert differ.exit_code == 1
    assert 'split_by: "value" -> "rank"' in differ.stdout


def test_a_side_wager_by_which_the_house_can_only_lose_is_a_warning(tmp_path: Path) -> None:
    file = tmp_path / "house.toml"
    card = profile_files.text_of("borgata").replace('"borgata"', '"house"').replace('"Borgata"', '"House"')
    pays = "[side_bets.perfect_pairs.pays]\nperfect = [25, 1]\ncoloured = [12, 1]\nmixed = [{}, 1]\n"
    sheet = card.replace("[sources]", '[sources]\nperfect_pairs = "the sheet"') + pays
    file.write_text(sheet.format(6))
    assert run("profile", "check", str(file)).stderr == ""
    file.write_text(sheet.format(60))
    done = run("profile", "check", str(file))
    assert done.exit_code == 0
    # Of the 415 other cards 7 are the same, 8 match in rank and colour, 16 in rank: (7 * 26 + 8 * 13 + 16 * 61) / 415.
    assert done.stderr == (
        f"tableside: warning: {file}: [side_bets] perfect_pairs: returns 304.1 % of what is staked; "
        "tableside par lists its rows\n"
    )
    assert "perfect_pairs: returns" in json.loads(run("profile", "check", "--json", str(file)).stdout)["warnings"][0]


def test_a_profile_in_a_file_is_checked(tmp_path: Path) -> None:
    file = tmp_path / "house.toml"
    file.write_text(profile_files.text_of("hollywood-perryville").replace("boxes = 6", "boxes = 7"))
    fit = run("profile", "check", str(file))
    assert fit.exit_code == 0
    assert "fit to play" in fit.stdout
    assert "house.toml:" in fit.stderr
    assert "warning" in fit.stderr
    file.write_text(profile_files.text_of("borgata").replace("max_hands = 4", "max_hands = 4.0"))
    bad = run("profile", "check", str(file))
    assert bad.exit_code == 2
    assert "[rules] max_hands: expected a whole number, got 4.0" in bad.stderr
    file.write_bytes(b"\xff")
    assert run("profile", "check", str(file)).exit_code == 2
    assert run("profile", "check", str(tmp_path / "none.toml")).exit_code == 2
    assert run("profile", "show", "red-dog").exit_code == 2


def test_what_the_case_overrides_has_the_case_as_its_source() -> None:
    """The profile's card says 3 to 2, so it is no source of the 6 to 5 that was paid."""
    options = {"natural_pays": [6, 5], "blazing7s.stake_cents": 200, "blazing7s": {"awards_cents": {"one": 300}}}
    bets = {"1": {"main": 1000}, "2": {"main": 1000, "blazing7s": 200}}
    round_case = case("Ah 7c 6d Kd 8c 9s Td", "2 stand", bets=bets, options=options, blazing_meter_cents=100_000)
    done = run("settle", "-", stdin=round_case | {"blazing_reset_cents": 50_000})
    why = json.loads(done.stdout)["why"]
    assert why["1"]["main"] == "natural pays 6 to 5 [natural_pays: options of the case]"
    kept = profile_files.load("hollywood-penn-national").sources["blazing7s"]
    changed = "stake_cents: options of the case; awards_cents: options of the case"
    assert why["2"]["blazing7s"].endswith(f"[blazing7s: {kept}; {changed}]")
    assert why["2"]["main"].endswith("[win_pays: card: 1 to 1]")
