"""How likely a wager is to win a meter, and what is too unlikely to be offered."""

from __future__ import annotations

from fractions import Fraction
from math import comb

import pytest
from msgspec.structs import replace

from controller.core.analysis.meter_odds import LONGEST_ODDS, Chance, must_hit_by_chances, row_chances
from controller.core.meters.meter import Parameters
from controller.formats.config.meter_odds import odds_checks, odds_lines
from controller.formats.config.meters import MeterSection
from controller.io.files import profile_files

RULES = profile_files.load("hollywood-penn-national", {}).rules
BONUS = "five_card_progressive"
SEVENS = MeterSection(
    name="sevens", fed_by=("blazing7s",), rate=(17, 100), unreasonable_cents=200, base_cents=1, reset_cents=1
)
MYSTERY = MeterSection(name="bonus", fed_by=(BONUS,), rate=(4, 5), unreasonable_cents=5000, pays="mystery")


def test_the_rows_of_blazing_sevens_are_counted_exactly() -> None:
    whole, tenth = row_chances(RULES, ("blazing7s",))
    diamonds = Fraction(comb(8, 2) * 6, comb(416, 2) * 414)
    assert whole == Chance("blazing7s", "three_diamonds", diamonds)
    assert tenth == Chance("blazing7s", "three_suited", 3 * diamonds)
    assert whole.one_in == 212_718
    assert not whole.too_long


@pytest.mark.parametrize(("chip_cents", "one_in"), [(1, 93_750), (2_500, 38)])
def test_the_must_hit_by_meter_is_won_by_a_part_of_what_can_be_added(chip_cents: int, one_in: int) -> None:
    rules = replace(RULES, options=replace(RULES.options, chip_unit_cents=chip_cents))
    parameters = Parameters(25_000, 25_000, (4, 5), 5_000, 100_000)
    (one,) = must_hit_by_chances(rules, (BONUS,), parameters)
    assert one == Chance(BONUS, "must hit by", Fraction(chip_cents * 4, 5 * 75_000))
    assert one.one_in == one_in


def test_a_wager_larger_than_the_meter_is_sure_to_win_it() -> None:
    rules = replace(RULES, options=replace(RULES.options, chip_unit_cents=1_000_000))
    (one,) = must_hit_by_chances(rules, (BONUS,), Parameters(25_000, 25_000, (4, 5), 5_000, 100_000))
    assert one.probability == Fraction(1)
    assert one.one_in == 1


def test_odds_of_a_hundred_million_to_one_are_the_longest() -> None:
    assert not Chance("b", "r", Fraction(1, LONGEST_ODDS + 1)).too_long
    assert Chance("b", "r", Fraction(1, LONGEST_ODDS + 2)).too_long
    assert Chance("b", "r", Fraction(0)).too_long


def test_what_can_be_offered_is_printed_with_its_odds() -> None:
    assert [*odds_checks((SEVENS, MYSTERY), RULES)] == []
    assert [*odds_lines((SEVENS, MYSTERY), RULES)] == [
        "meter sevens: blazing7s, three diamonds: one wager in 212,718",
        "meter sevens: blazing7s, three suited: one wager in 70,906",
        "meter bonus: five_card_progressive, must hit by: one wager in 93,750 (the least wager, over a cycle)",
    ]


def test_a_meter_that_hardly_anybody_could_win_is_refused_with_the_reason() -> None:
    (line,) = odds_checks((replace(MYSTERY, rate=(1, 2_000)),), RULES)
    assert line == (
        "[[meters]] bonus: five_card_progressive, must hit by: one wager in 150,000,000 wins it, and no more than"
        " 100,000,000 to 1 is allowed (N.J.A.C. 13:69D-1.52(e)4): a higher rate, a narrower meter, or a larger smallest"
        " chip (chip_unit_cents)"
    )


def test_a_row_that_cannot_be_dealt_is_refused() -> None:
    rules = replace(RULES, decks=1)
    complaints = [*odds_checks((SEVENS,), rules)]
    assert [line.partition(": ")[2].partition(", and")[0] for line in complaints] == [
        "blazing7s, three_diamonds: no wager ever wins it",
        "blazing7s, three_suited: no wager ever wins it",
    ]
