"""``tableside par`` as a shell sees it, and the three forms of its report."""

from __future__ import annotations

import csv
import io
import json
from fractions import Fraction
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from hypothesis import given
from hypothesis import strategies as st

from controller.cli import main
from controller.io.files import profile_files
from controller.io.files.known_edges import known
from controller.reports.par_report import decimal, exact, up_card

HPN = "hollywood-penn-national"
CHECK = ("--simulate", "--rounds", "20")
ROW_KEYS = ["row", "combinations", "of", "probability", "pays", "contribution"]


def run(*words: str) -> Result:
    return CliRunner().invoke(main, ["par", *words])


def test_json_has_these_keys_and_no_others() -> None:
    done = run(HPN, "--decks", "2", "--bet", "perfect_pairs", "--bet", "main", *CHECK, "--format", "json")
    assert done.exit_code == 0
    counted = json.loads(done.stdout)
    assert list(counted) == ["profile", "decks", "side_bets", "main"]
    assert (counted["profile"], counted["decks"]) == (HPN, 2)
    (bet,) = counted["side_bets"]
    assert list(bet) == [
        *("bet", "offered", "up_card", "stake_cents", "rows", "return", "edge", "edge_decimal"),
    ]
    assert [list(row) for row in bet["rows"]] == [ROW_KEYS] * 4
    assert bet["rows"][0] == {
        "row": "perfect",
        "combinations": 52,
        "of": 5356,
        "probability": "1/103",
        "pays": "25 to 1",
        "contribution": "26/103",
    }
    assert bet["rows"][3]["row"] == "lost"
    assert (bet["bet"], bet["offered"], bet["up_card"]) == ("perfect_pairs", False, None)
    assert (bet["return"], bet["edge"], bet["edge_decimal"]) == ("80/103", "23/103", "0.223301")
    assert list(counted["main"]) == [
        *("edge", "edge_decimal", "edge_percent", "standard_deviation", "variance", "covariance", "simulated"),
    ]
    assert list(counted["main"]["simulated"]) == [
        *("rounds", "seed", "wager_cents", "net_cents", "edge", "edge_decimal", "interval_95"),
    ]


def test_the_meters_row_is_a_function() -> None:
    bet = json.loads(run(HPN, "--bet", "blazing7s", "--format", "json").stdout)
    assert list(bet)[-1] == "meter"
    assert bet["meter"]["break_even_cents"] == 39_268_352
    assert [row["pays"] for row in bet["rows"]] == [
        *("meter", "meter", "499 to 1", "199 to 1", "24 to 1", "1 to 1", "loses"),
    ]
    slope = Fraction(bet["meter"]["return_per_cent"])
    rows = {row["row"]: Fraction(row["probability"]) for row in bet["rows"]}
    assert slope == (rows["three_diamonds"] + rows["three_suited"] / 10) / 500


def test_a_wager_without_rows_returns_nothing_that_can_be_counted() -> None:
    counted = json.loads(run(HPN, "--bet", "five_card_progressive", "--format", "json").stdout)
    found = {"bet": "five_card_progressive", "offered": True, "rows": [], "return": None, "edge": None}
    assert counted == {"profile": HPN, "decks": counted["decks"], **found}
    assert "five_card_progressive: its cards win nothing" in run(HPN, "--bet", "five_card_progressive").stdout


def test_csv_has_a_line_for_each_row_and_a_total() -> None:
    done = run("borgata", "--bet", "perfect_pairs", "--bet", "main", *CHECK, "--format", "csv")
    lines = list(csv.reader(io.StringIO(done.stdout)))
    assert lines[0] == ["bet", "up_card", *ROW_KEYS]
    assert [line[2] for line in lines[1:]] == ["perfect", "coloured", "mixed", "lost", "total", "total", "simulated"]
    assert lines[1] == ["perfect_pairs", "", "perfect", "1456", "86320", "7/415", "25 to 1", "182/415"]
    assert lines[5][-1] == "398/415"
    assert [line[0] for line in lines[6:]] == ["main", "main"]
    assert (lines[6][5], lines[7][4]) == ("1/1", "20")
    assert sum(Fraction(line[7]) for line in lines[1:5]) == Fraction(398, 415)


def test_text_is_for_people() -> None:
    done = run(HPN, "--decks", "1", "--bet", "ez_bust")
    assert done.stdout.startswith(f"{HPN}, 1 deck\n\nez_bust, 100 cents staked\n")
    assert "ez_bust against 6, 100 cents staked\n" in done.stdout
    rows = [line.split() for line in done.stdout.splitlines() if line.startswith("  dealer_broke")]
    assert rows[1][:2] == ["dealer_broke", "0.352972543"]


def test_few_decks_are_remarked_upon() -> None:
    done = run(HPN, "--decks", "2", "--bet", "blazing7s")
    assert "blazing7s, 500 cents staked (blazing7s needs 6 decks, the shoe has 2)\n" in done.stdout
    assert "cents in it return the stake" not in done.stdout
    assert "for each 1000.00 in the meter" in run(HPN, "--decks", "6", "--bet", "blazing7s").stdout
    prohibited = run("pitch-h17", "--bet", "perfect_pairs").stdout
    assert "(side wagers are prohibited at this table)" in prohibited


def test_the_same_seed_deals_the_same_rounds() -> None:
    def net_cents(seed: str) -> tuple[int, int]:
        words = ("pitch-h17", "--simulate", "--rounds", "300", "--seed", seed)
        dealt = json.loads(run(*words, "--format", "json").stdout)["main"]["simulated"]
        return dealt["seed"], dealt["net_cents"]

    assert net_cents("7") == net_cents("7")
    assert net_cents("7")[0] == 7
    assert len({net_cents(seed)[1] for seed in ("7", "8", "9")}) > 1
    assert (
        "  300 rounds simulated with seed 0\n"
        in run("pitch-h17", "--simulate", "--rounds", "300", "--seed", "0").stdout
    )


def test_the_main_wager_is_printed_with_its_computed_edge() -> None:
    edge = known(profile_files.load("pitch-h17").rules)
    assert edge is not None
    counted = run("pitch-h17").stdout
    percent = decimal(100 * edge.edge, 4)
    assert "\nmain, computed\n" in counted
    assert f"  edge {decimal(edge.edge, 9)} = {percent} % of the initial wager, standard deviation 1.13" in counted
    found = json.loads(run("pitch-h17", "--format", "json").stdout)["main"]
    assert (Fraction(found["edge"]), found["edge_percent"], found["simulated"]) == (edge.edge, percent, None)
    assert abs(float(found["standard_deviation"]) ** 2 - float(found["variance"])) < 1e-5
    (line,) = list(csv.reader(io.StringIO(run("pitch-h17", "--format", "csv").stdout)))[1:]
    assert line == ["main", "", "total", "", "", "1/1", "", exact(1 - edge.edge)]
    shown = CliRunner().invoke(main, ["profile", "show", "pitch-h17"]).stdout
    assert f"\nmain wager: edge {decimal(edge.edge, 9)} = {percent} % of the initial wager, " in shown


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--rounds", "300"), "--rounds is for --simulate"),
        (("--seed", "3"), "--seed is for --simulate"),
        (("--bet", "perfect_pairs", "--simulate"), "add --bet main"),
        (("--bet", "perfect_pairs", "--rounds", "300"), "--rounds is for --simulate"),
    ],
)
def test_an_option_that_would_change_nothing_is_refused(words: tuple[str, ...], message: str) -> None:
    done = run("pitch-h17", *words)
    assert (done.exit_code, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert message in done.stderr


def test_csv_of_a_side_wager_alone_has_no_main_wager() -> None:
    done = run("borgata", "--bet", "perfect_pairs", "--format", "csv")
    assert [line[0] for line in csv.reader(io.StringIO(done.stdout))] == ["bet", *["perfect_pairs"] * 5]


@pytest.mark.counting
def test_without_a_bet_everything_the_profile_offers_is_counted() -> None:
    counted = json.loads(run("hollywood-perryville", "--format", "json").stdout)
    assert [bet["bet"] for bet in counted["side_bets"]] == ["lucky_ladies", "twenty_one_plus_three"]
    assert counted["decks"] == 8
    assert counted["main"]["edge_percent"] == "0.4325"


@pytest.mark.parametrize(
    "words",
    [("red-dog",), (HPN, "--decks", "9"), (HPN, "--bet", "red_dog"), (HPN, "--rounds", "1"), (HPN, "--format", "xml")],
)
def test_what_is_refused(words: tuple[str, ...]) -> None:
    done = run(*words)
    assert (done.exit_code, done.stdout) == (2, "")


def test_a_profile_from_a_file_that_is_not_there(tmp_path: Path) -> None:
    done = run(str(tmp_path / "mine.toml"))
    assert (done.exit_code, done.stdout) == (2, "")
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (Fraction(1, 2), "0.500000"),
        (Fraction(-1, 3), "-0.333333"),
        (Fraction(2, 3), "0.666667"),
        (Fraction(1, 2_000_000), "0.000001"),
        (Fraction(-1, 2_000_000), "-0.000001"),
        (Fraction(-1, 2_000_001), "0.000000"),
        (Fraction(7), "7.000000"),
    ],
)
def test_decimals_are_rounded_from_the_fraction(value: Fraction, text: str) -> None:
    assert decimal(value) == text


@given(st.fractions())
def test_a_fraction_survives_its_text(value: Fraction) -> None:
    assert Fraction(exact(value)) == value
    assert abs(Fraction(decimal(value)) - value) <= Fraction(1, 2_000_000)


def test_up_cards_by_name() -> None:
    assert [up_card(points) for points in (0, 1, 2, 10)] == ["", "A", "2", "10"]


def test_a_wager_made_after_the_up_card_is_counted_for_all_and_for_each() -> None:
    counted = json.loads(run(HPN, "--decks", "6", "--bet", "ez_bust", "--format", "json").stdout)
    assert (counted["bet"], counted["up_card"]) == ("ez_bust", None)
    assert [one["up_card"] for one in counted["by_up_card"]] == ["2", "3", "4", "5", "6"]
