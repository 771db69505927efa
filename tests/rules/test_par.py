"""Side wagers counted: against closed forms worked by hand, and against tables others have published."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from functools import lru_cache
from math import comb

import pytest
from msgspec.structs import replace as with_

from controller.core.analysis.par import BetPar, ParError, deal_counts, dealer_row_chances, par_of
from controller.core.game.rules import Rules, SideBetTerms
from controller.core.game.side_bet import LOST, PUSH, SideBet, Stage, View, find, names, terms_of
from controller.io.files import profile_files
from controller.reports.par_report import decimal
from firmware_protocols.cards import Card, Rank

HOUSE = profile_files.load("hollywood-penn-national").rules
DECKS = [1, 2, 6]


@lru_cache(maxsize=64)
def counted(name: str, decks: int) -> tuple[BetPar, ...]:
    return par_of(with_(HOUSE, decks=decks), name)


def ways(name: str, decks: int) -> dict[str, int]:
    (par,) = counted(name, decks)
    return {row.row: row.combinations for row in par.rows if row.combinations is not None}


@pytest.mark.counting
@pytest.mark.parametrize("n", DECKS)
def test_pairs_by_hand(n: int) -> None:
    perfect, coloured, mixed = 52 * comb(n, 2), 26 * n * n, 52 * n * n
    of = comb(52 * n, 2)
    found = ways("perfect_pairs", n)
    assert found == {"perfect": perfect, "coloured": coloured, "mixed": mixed, LOST: of - perfect - coloured - mixed}
    assert counted("perfect_pairs", n)[0].of == of


@pytest.mark.counting
@pytest.mark.parametrize("n", DECKS)
def test_three_card_hands_by_hand(n: int) -> None:
    straight_flush = 12 * 4 * n**3
    by_hand = {
        "straight_flush": straight_flush,
        "trips": 13 * comb(4 * n, 3),
        "straight": 12 * (4 * n) ** 3 - straight_flush,
        # Three of one suit, less the straights and the three of one rank among them.
        "flush": 4 * (comb(13 * n, 3) - 13 * comb(n, 3)) - straight_flush,
    }
    # Any of the three cards may be the one that lies in front of the dealer.
    assert {row: 3 * count for row, count in by_hand.items()} == {
        row: count for row, count in ways("twenty_one_plus_three", n).items() if row in by_hand
    }
    assert counted("twenty_one_plus_three", n)[0].of == 3 * comb(52 * n, 3)


@pytest.mark.counting
@pytest.mark.parametrize("n", DECKS)
def test_twenties_by_hand(n: int) -> None:
    behind = (52 * n - 2) * (52 * n - 3)
    queens, matched = comb(n, 2), 15 * comb(n, 2)
    # In each suit two ten-point cards of different ranks, or an ace with a nine.
    suited = 4 * (comb(4, 2) + 1) * n * n
    twenties = comb(16 * n, 2) + (4 * n) ** 2
    with_natural = queens * 2 * (4 * n) * (16 * n - 2)
    found = ways("lucky_ladies", n)
    scale = 1 if queens else behind
    assert found == {
        "queen_hearts_pair_and_dealer_natural": with_natural,
        "queen_hearts_pair": queens * behind - with_natural,
        "matched_20": matched * behind // scale,
        "suited_20": suited * behind // scale,
        "any_20": (twenties - queens - matched - suited) * behind // scale,
        LOST: (comb(52 * n, 2) - twenties) * behind // scale,
    }


@pytest.mark.counting
@pytest.mark.parametrize("n", DECKS)
def test_sevens_by_hand(n: int) -> None:
    found = ways("blazing7s", n)
    three = 3 * comb(4 * n, 3)
    assert found["three_diamonds"] == 3 * comb(n, 3)
    assert found["three_suited"] == 9 * comb(n, 3)
    assert found["three_same_color"] == 2 * 3 * (comb(2 * n, 3) - 2 * comb(n, 3))
    assert sum(found[row] for row in found if row.startswith("three")) == three
    assert found["two"] == comb(4 * n, 2) * 48 * n
    assert found["one"] == 4 * n * 48 * n * (52 * n - 2)


def test_the_meter_is_a_straight_line() -> None:
    (par,) = counted("blazing7s", 6)
    assert (par.stake_cents, par.of) == (500, 3 * comb(312, 3))
    diamonds, suited = Fraction(60, 3 * comb(312, 3)), Fraction(180, 3 * comb(312, 3))
    assert par.meter_coefficient == (diamonds + suited / 10) / 500
    fixed = {"three_same_color": 500, "three": 200, "two": 25, "one": 2}
    assert par.returned == sum(
        Fraction(ways("blazing7s", 6)[row] * back, 3 * comb(312, 3)) for row, back in fixed.items()
    )
    least = par.break_even_cents
    assert least is not None
    assert par.returned + par.meter_coefficient * least >= 1
    assert par.returned + par.meter_coefficient * (least - 1) < 1
    assert counted("lucky_ladies", 6)[0].break_even_cents is None


def test_a_wager_with_an_edge_below_nothing_breaks_even_with_an_empty_meter() -> None:
    terms = terms_of(HOUSE, "blazing7s")
    generous = with_(terms, awards_cents={**terms.awards_cents, "one": 100_000})
    (par,) = par_of(with_(HOUSE, side_bet_terms={**HOUSE.side_bet_terms, "blazing7s": generous}), "blazing7s")
    assert par.edge < 0
    assert par.break_even_cents == 0


@pytest.mark.parametrize("name", [name for name in names() if find(name).rows])
@pytest.mark.parametrize("decks", [1, 2])
def test_probabilities_add_up_to_one_exactly(name: str, decks: int) -> None:
    for par in counted(name, decks):
        assert sum(row.probability for row in par.rows) == 1
        if par.of is not None:
            assert all(row.probability == Fraction(row.combinations or 0, par.of) for row in par.rows)


@pytest.mark.counting
def test_the_pay_table_is_the_profiles() -> None:
    terms = terms_of(HOUSE, "lucky_ladies")
    meaner = with_(terms, pays={**terms.pays, "any_20": (3, 1)})
    (par,) = counted("lucky_ladies", 8)
    (other,) = par_of(with_(HOUSE, side_bet_terms={**HOUSE.side_bet_terms, "lucky_ladies": meaner}), "lucky_ladies")
    (any_20,) = [row for row in par.rows if row.row == "any_20"]
    assert par.returned - other.returned == any_20.probability


def test_odds_that_part_a_cent_are_counted_whole() -> None:
    terms = SideBetTerms(pays={"perfect": (25, 3), "coloured": (7, 2), "mixed": (1, 1)})
    (par,) = par_of(with_(HOUSE, side_bet_terms={"perfect_pairs": terms}), "perfect_pairs")
    assert par.stake_cents == 600
    assert [row.net for row in par.rows] == [Fraction(25, 3), Fraction(7, 2), 1, -1]


def test_a_row_nobody_pays_loses() -> None:
    rules = with_(HOUSE, side_bet_terms={"perfect_pairs": SideBetTerms(pays={"perfect": (25, 1)})})
    (par,) = par_of(rules, "perfect_pairs")
    assert {row.row: row.net for row in par.rows} == {"perfect": 25, "coloured": -1, "mixed": -1, LOST: -1}


def test_a_wager_without_rows_has_no_account() -> None:
    assert counted("five_card_progressive", 8) == ()
    with pytest.raises(KeyError):
        par_of(HOUSE, "red_dog")


# --- what others have published; docs/reference/par.md says where ------------------------------------------------


@pytest.mark.counting
def test_lucky_ladies_in_six_decks_as_published() -> None:
    published = [135_360, 2_738_340, 43_105_500, 193_112_640, 744_863_040, 8_310_740_400]
    (par,) = counted("lucky_ladies", 6)
    # There the box's two cards are counted in both orders.
    assert [2 * (row.combinations or 0) for row in par.rows] == published


@pytest.mark.counting
def test_twenty_one_plus_three_in_six_decks_as_published() -> None:
    published = [10_368, 26_312, 155_520, 236_736 + 56_160]
    (par,) = counted("twenty_one_plus_three", 6)
    assert [row.combinations for row in par.rows][:4] == [3 * count for count in published]


def test_perfect_pairs_in_eight_decks_as_published() -> None:
    (par,) = counted("perfect_pairs", 8)
    assert [row.combinations for row in par.rows] == [1456, 1664, 3328, 79_872]
    assert [decimal(counted("perfect_pairs", n)[0].edge) for n in (8, 2)] == ["0.040964", "0.223301"]


@pytest.mark.counting
@pytest.mark.parametrize(
    ("decks", "published"),
    [
        (1, ["0.352973", "0.375588", "0.402803", "0.428905", "0.420823"]),
        (2, ["0.353291", "0.374794", "0.398540", "0.422505", "0.422132"]),
        # Published under four decks; docs/reference/par.md says why it is the column of three.
        (3, ["0.353398", "0.374501", "0.397162", "0.420440", "0.422503"]),
    ],
)
def test_ez_bust_as_published(decks: int, published: list[str]) -> None:
    _, *each = counted("ez_bust", decks)
    assert [par.up_points for par in each] == [2, 3, 4, 5, 6]
    assert [decimal(par.rows[0].probability) for par in each] == published


# --- EZ Bust --------------------------------------------------------------------------------------------


@pytest.mark.counting
def test_ez_bust_against_all_is_the_mean_of_each() -> None:
    together, *each = counted("ez_bust", 1)
    assert (together.up_points, together.of) == (0, None)
    assert together.returned == sum(par.returned for par in each) / 5
    assert all(par.edge == 1 - 2 * par.rows[0].probability for par in each)


@pytest.mark.counting
@pytest.mark.parametrize("decks", [1, 2])
def test_two_cards_on_which_the_dealer_stands(decks: int) -> None:
    pushing = SideBetTerms(pays={"dealer_broke": (1, 1)}, up_cards=(5, 6), choices={"no_card_drawn": "pushes"})
    rules = with_(HOUSE, decks=decks, side_bet_terms={"ez_bust": pushing})
    _, five, six = par_of(rules, "ez_bust")
    assert [row.row for row in five.rows] == ["dealer_broke", LOST]
    push = {row.row: row for row in six.rows}[PUSH]
    assert (push.probability, push.net) == (Fraction(4 * decks, 52 * decks - 1), Fraction(0))
    hitting = with_(rules, soft_17="hit")
    assert PUSH not in [row.row for row in par_of(hitting, "ez_bust")[2].rows]


# --- what cannot be counted is refused -------------------------------------------------------------------


def made_up(row: object, *, decided: Stage = Stage.DEAL) -> SideBet:
    return replace(find("perfect_pairs"), name="made_up", rows=("yes",), decided=decided, row=row)  # type: ignore[arg-type]


def test_a_row_that_hangs_on_the_order_is_refused() -> None:
    def first_is_an_ace(terms: SideBetTerms, view: View) -> str:
        return "yes" if view.first.rank is Rank.ACE else LOST

    with pytest.raises(ParError, match=r"made_up: the order of Ac and .. decides its row"):
        deal_counts(made_up(first_is_an_ace), SideBetTerms(), 1)


def test_a_wager_of_the_complete_hand_made_before_the_deal_is_refused() -> None:
    def waits(terms: SideBetTerms, view: View) -> str | None:
        return "yes" if view.complete else None

    with pytest.raises(ParError, match="made before the deal and decided by the dealer's complete hand"):
        deal_counts(made_up(waits), SideBetTerms(), 1)


def test_a_dealers_row_that_hangs_on_suits_is_refused() -> None:
    def hole_is_a_spade(terms: SideBetTerms, view: View) -> str:
        return "yes" if view.dealer[1].value[1] == "s" else LOST

    rules = Rules(name="made-up", decks=1)
    with pytest.raises(ParError, match="does not hang on the points"):
        dealer_row_chances(made_up(hole_is_a_spade), SideBetTerms(), rules, 6)


def test_a_card_that_only_the_turn_shows_is_counted() -> None:
    def pair_of_aces_and_hole_pairs_the_up_card(terms: SideBetTerms, view: View) -> str | None:
        if not view.first is view.second is Card.AC:
            return LOST
        if not view.dealer:
            return None
        return "yes" if view.dealer[1] is view.up else LOST

    counts, of = deal_counts(made_up(pair_of_aces_and_hole_pairs_the_up_card), SideBetTerms(), 2)
    assert of == comb(104, 2) * 102 * 101
    # Both aces of clubs are gone: each of the other 51 faces may pair.
    assert counts["yes"] == 51 * 2
