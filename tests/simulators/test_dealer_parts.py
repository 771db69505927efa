"""The dealer's tools: the house read from a profile, the rack, the shoe, chance, and a player's sense."""

from __future__ import annotations

from collections import Counter
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmware_protocols.cards import DECK, Card
from simulators.chance import happens, pick
from simulators.people.box import Box, Choice, Hand
from simulators.people.deck import LoadedShoe
from simulators.people.house import House, house_from
from simulators.people.player import choose
from simulators.people.rack import DENOMINATIONS_CENTS, ZONE_CHIPS_LIMIT, Rack, pieces
from tests.simulators.seen import values_of

AMOUNTS_CENTS = st.integers(0, 1000).map(lambda halves: halves * 50)


# --- the house


def test_a_profile_without_rules_is_penn_national() -> None:
    assert house_from({}) == house_from({"rules": {}}) == House()
    assert House().natural_payment_cents(500) == 750


def test_a_profile_says_what_differs_and_other_keys_are_passed_over() -> None:
    rules = {"soft_17": "hit", "max_hands": 4, "natural_pays": [6, 5], "double_for_less": False, "hole_card": "none"}
    house = house_from({"rules": rules | {"signals": "not_said"}, "side_bets": {}, "name": "a table"})

    assert house == House(soft_17="hit", max_hands=4, natural_pays=(6, 5), double_for_less=False, hole_card="none")


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("soft_17", "draw"),
        ("max_hands", 0),
        ("max_hands", True),
        ("resplit_aces", "no"),
        ("split_by", 1),
        ("double_on", ""),
        ("surrender", "early"),
        ("natural_pays", [3]),
        ("natural_pays", [3, 0]),
        ("insurance_pays", 2),
        ("hole_card", None),
    ],
)
def test_a_value_that_is_no_rule_is_refused_by_name(key: str, value: Any) -> None:
    with pytest.raises(ValueError, match=key):
        house_from({"rules": {key: value}})


@given(won=st.integers(1, 12), staked=st.integers(1, 12), times=st.integers(1, 50))
def test_wagers_in_units_leave_no_rest(won: int, staked: int, times: int) -> None:
    house = House(natural_pays=(won, staked), insurance_pays=(won, staked))

    wager_cents, insurance_cents = times * house.wager_unit_cents, times * house.insurance_unit_cents
    assert house.natural_payment_cents(wager_cents) * staked == wager_cents * won
    assert house.insurance_payment_cents(insurance_cents) * staked == insurance_cents * won
    for cents in (house.natural_payment_cents(wager_cents), house.returned_half_cents(wager_cents)):
        assert cents % 50 == 0
    assert house.insurance_payment_cents(insurance_cents) % 50 == 0


def test_half_is_rounded_up_to_a_chip_where_the_house_says_so() -> None:
    perryville = House(insurance_cap="half_up_to_next_chip", chip_unit_cents=100)

    assert [perryville.insurance_cap_cents(cents) for cents in (500, 1000, 2500)] == [300, 500, 1300]
    assert House(insurance_cap="half_up_to_next_chip", chip_unit_cents=500).insurance_cap_cents(2500) == 1500
    assert House().insurance_cap_cents(500) == 250


def test_natural_payments_are_rounded_down_to_the_payout_unit() -> None:
    assert House(payout_unit_cents=100).natural_payment_cents(500) == 700
    assert House(payout_unit_cents=100).returned_half_cents(500) == 200


# --- the rack


def test_the_registry_names_every_chip_once() -> None:
    values = values_of(Rack(30).registry_csv())

    assert len(values) == 30 * len(DENOMINATIONS_CENTS)
    assert Counter(values.values()) == dict.fromkeys((50, 100, 250, 500, 2500, 10000), 30)
    for chip in values:
        assert chip.startswith("E004")
        assert len(chip) == 16
        assert set(chip) <= set("0123456789ABCDEF")


@given(cents=AMOUNTS_CENTS)
def test_amounts_are_made_of_few_chips(cents: int) -> None:
    rack = Rack()

    chips = rack.give(cents)

    assert rack.value_cents(chips) == cents
    assert len(chips) == len(pieces(cents))
    assert len(pieces(cents % 10000)) <= ZONE_CHIPS_LIMIT


@given(amounts=st.lists(st.tuples(st.integers(0, 3), AMOUNTS_CENTS), max_size=30))
def test_chips_are_neither_lost_nor_doubled(amounts: list[tuple[int, int]]) -> None:
    rack = Rack()
    values = values_of(rack.registry_csv())
    zones: dict[int, tuple[str, ...]] = dict.fromkeys(range(4), ())

    for zone, cents in amounts:
        zones[zone] = rack.change_to(zones[zone], cents)
        assert sum(values[chip] for chip in zones[zone]) == cents
        assert len(zones[zone]) <= max(ZONE_CHIPS_LIMIT, len(pieces(cents)))
        lying = [chip for chips in zones.values() for chip in chips]
        assert len(set(lying)) == len(lying)

    for chips in zones.values():
        rack.take(chips)
    everything = [chip for cents in DENOMINATIONS_CENTS for _ in range(200) for chip in rack.give(cents)]
    assert sorted(everything) == sorted(values)


def test_chips_that_can_stay_do_stay() -> None:
    rack = Rack()
    bet = rack.give(1500)

    raised = rack.change_to(bet, 3000)
    assert raised[: len(bet)] == bet
    assert set(rack.change_to(raised, 1500)) < set(raised)


def test_an_exchange_has_the_same_values_and_other_chips() -> None:
    rack = Rack()
    chips = rack.give(3150)

    others = rack.exchange(chips)

    assert not set(others) & set(chips)
    assert [rack.value_cents((chip,)) for chip in others] == [rack.value_cents((chip,)) for chip in chips]


def test_the_rack_refuses_what_it_cannot_do() -> None:
    rack = Rack(2)
    chips = rack.give(20000)
    with pytest.raises(LookupError):
        rack.give(10000)
    with pytest.raises(LookupError):
        rack.exchange(chips)
    rack.take(chips)
    with pytest.raises(KeyError):
        rack.take(chips)
    for cents in (25, -50, 101):
        with pytest.raises(ValueError, match="no chips make"):
            rack.give(cents)


# --- the shoe


def test_a_shoe_deals_every_card_of_its_decks_once() -> None:
    shoe = LoadedShoe(Random(1), 6)
    assert shoe.done
    shoe.load()

    drawn = [shoe.draw() for _ in range(312)]

    assert Counter(drawn) == dict.fromkeys(DECK, 6)


def test_a_shoe_is_done_with_less_than_a_quarter_left() -> None:
    shoe = LoadedShoe(Random(1), 6)
    shoe.load()
    for _ in range(312 - 78):
        shoe.draw()
    assert not shoe.done
    shoe.draw()
    assert shoe.done


def test_an_empty_shoe_goes_on_with_the_discards_and_not_with_the_cards_on_the_table() -> None:
    shoe = LoadedShoe(Random(1), 2)
    shoe.load()
    for _ in range(100):
        shoe.draw()
    shoe.clear_table()
    on_table = [shoe.draw() for _ in range(4)]

    again = [shoe.draw() for _ in range(100)]

    assert Counter(again) + Counter(on_table) == dict.fromkeys(DECK, 2)


# --- chance and sense


def test_what_never_happens_and_what_always_does() -> None:
    rng = Random(1)
    assert not any(happens(rng, 0) for _ in range(200))
    assert all(happens(rng, 1000) for _ in range(200))
    with pytest.raises(ValueError, match="nothing"):
        pick(rng, [])


def holding(text: str) -> Box:
    cards = tuple(Card(face) for face in text.split())
    return Box(spot=1, wager_cents=1000, hands=(Hand(cards=cards, base_cents=1000),))


@pytest.mark.parametrize(
    ("hand", "up", "choice"),
    [
        ("8c 8d", "Th", Choice.SPLIT),
        ("Ac Ad", "6h", Choice.SPLIT),
        ("Tc Kd", "6h", Choice.STAND),
        ("9c 9d", "7h", Choice.STAND),
        ("5c 5d", "6h", Choice.DOUBLE),
        ("6c 5d", "Th", Choice.DOUBLE),
        ("6c 5d", "Ah", Choice.HIT),
        ("Ac 6d", "3h", Choice.DOUBLE),
        ("Ac 7d", "2h", Choice.STAND),
        ("Ac 7d", "9h", Choice.HIT),
        ("Tc 6d", "9h", Choice.SURRENDER),
        ("Tc 5d", "Kh", Choice.SURRENDER),
        ("Tc 5d", "9h", Choice.HIT),
        ("Tc 2d", "3h", Choice.HIT),
        ("Tc 2d", "4h", Choice.STAND),
        ("9c 4d 3h", "Th", Choice.HIT),
        ("9c 4d 4h", "Th", Choice.STAND),
    ],
)
def test_a_sensible_player(hand: str, up: str, choice: Choice) -> None:
    assert choose(House(), Random(1), holding(hand), Card(up), 0) is choice


def test_a_player_on_a_whim_does_anything_the_house_allows() -> None:
    rng = Random(2)
    assert {choose(House(), rng, holding("8c 8d"), Card.TH, 1000) for _ in range(200)} == set(Choice)


def test_a_natural_has_nothing_to_choose() -> None:
    with pytest.raises(ValueError, match="nothing to choose"):
        choose(House(), Random(1), holding("Ac Kd"), Card.C5, 0)
