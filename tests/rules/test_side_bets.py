"""Every side wager against its table of cases, and what all side wagers have in common."""

from __future__ import annotations

from itertools import pairwise, product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controller.core.game.rules import Rules, SideBetTerms
from controller.core.game.side_bet import LOST, PUSH, SideNet, View, find, fixed_net_cents, names, terms_of
from firmware_protocols.cards import DECK, Card
from tests.rules.tables import METER, Case, tables

TABLES = tables()
CASES = [case for table in TABLES.values() for case in table]


@pytest.mark.parametrize("case", CASES, ids=str)
def test_case(case: Case) -> None:
    row = find(case.bet).row(case.terms, case.view)
    assert row == case.row
    if row is not None:
        net = fixed_net_cents(case.terms, row, case.stake_cents)
        assert net == (None if case.net == METER else int(case.net))


def test_every_side_wager_has_a_table_and_every_row_a_case() -> None:
    assert set(TABLES) == set(names())
    for name in names():
        assert {case.row for case in TABLES[name]} - {LOST, PUSH, None} == set(find(name).rows)


def test_every_reading_of_a_card_has_a_case() -> None:
    for name in names():
        tried = {(key, value) for case in TABLES[name] for key, value in case.terms.choices.items()}
        others = {(key, value) for key, values in find(name).choices.items() for value in values[1:]}
        assert others - tried <= {("two_meter_winners", "in_turn")}  # settled by the meter, not by the cards


def test_a_wager_is_found_by_its_file() -> None:
    assert {name: find(name).name for name in names()} == {name: name for name in names()}
    with pytest.raises(KeyError):
        find("red_dog")


def test_a_profile_without_terms_has_the_usual_ones() -> None:
    rules = Rules(name="a table", side_bets=("perfect_pairs",))
    assert terms_of(rules, "perfect_pairs") == find("perfect_pairs").usual
    own = SideBetTerms(pays={"perfect": (30, 1)})
    assert terms_of(Rules(name="a table", side_bet_terms={"perfect_pairs": own}), "perfect_pairs") == own


def test_a_row_without_a_price_loses() -> None:
    assert fixed_net_cents(SideBetTerms(), "perfect", 500) == -500
    assert fixed_net_cents(SideBetTerms(), PUSH, 500) == 0


def test_the_sentence_names_the_wager_and_the_row() -> None:
    assert SideNet(12500, "perfect_pairs", "perfect").why == "Perfect Pairs: perfect"
    assert SideNet(-500, "perfect_pairs", LOST).why == "Perfect Pairs: loses"
    assert SideNet(0, "ez_bust", PUSH).why == "EZ Bust: push"


@given(st.sampled_from(names()), st.lists(st.sampled_from(DECK), min_size=5, max_size=5), st.booleans())
def test_a_decided_row_stays_decided_and_a_complete_round_decides_every_row(
    name: str, faces: list[Card], broke: bool
) -> None:
    bet = find(name)
    first, second, *dealer = faces
    opened = View(first, second, dealer[0])
    turned = opened._replace(dealer=tuple(dealer[:2]))
    ended = opened._replace(dealer=tuple(dealer), complete=True, all_broke=broke)
    rows = [bet.row(bet.usual, view) for view in (opened, turned, ended)]
    assert rows[2] is not None
    for earlier, later in pairwise(rows):
        assert earlier in {None, later}
    assert rows[2] in {LOST, PUSH, *bet.rows}


def test_the_order_of_a_players_two_cards_pays_alike() -> None:
    for name, (first, second) in product(names(), [(Card.S7, Card.KH), (Card.AH, Card.C9), (Card.QH, Card.QD)]):
        bet = find(name)
        there = View(first, second, Card.D7, (Card.D7, Card.TC), complete=True, all_broke=False)
        back = there._replace(first=second, second=first)
        assert bet.row(bet.usual, there) == bet.row(bet.usual, back)
