"""Whole rounds of any cards and acts: where the money goes, and what may not matter."""

from __future__ import annotations

from hypothesis import given, settings
from msgspec.structs import replace

from controller.core.analysis.scripted_account import ScriptedAccount, account
from controller.core.analysis.scripted_round import ScriptedAct, ScriptedEnding, ScriptedRound
from controller.core.game.hand import place_of
from controller.core.game.refusals import Refusal
from controller.core.game.side_bet import SideNet
from firmware_protocols.cards import POINTS, Card, Rank
from tests.rules.scripted_rounds import METERS, PROFILES, Round, position_after, rounds, stakes


def points(cards: list[Card]) -> int:
    """The best total, counted afresh."""
    low = sum(POINTS[card.rank] for card in cards)
    return low + 10 if low <= 11 and any(card.rank is Rank.ACE for card in cards) else low


def cents(found: ScriptedAccount) -> dict[int, dict[str, int]]:
    """The nets alone, by spot and bet."""
    return {spot: {bet: net.cents for bet, net in nets.items()} for spot, nets in found.nets.items()}


def returned_cents(found: Round, box: int) -> int:
    """The chips that come back to a box's main wager, counted afresh from the faces by the cards' plain words."""
    rules, outcome, shoe = found.script.rules, found.ended.outcomes[box], found.script.shoe
    dealer = [shoe[place_of(card)] for card in found.ended.dealer]
    dealt_natural = len(dealer) == 2 and points(dealer) == 21
    unit, wager = rules.options.payout_unit_cents, outcome.hands[0].base_cents
    if found.ended.even_money[box]:
        return 2 * wager
    if outcome.how == "natural":
        return wager if dealt_natural else wager + wager * 3 // 2 // unit * unit
    if outcome.how == "surrendered":
        return 0 if dealt_natural else wager // 2 // unit * unit
    staked = sum(hand.stake_cents() for hand in outcome.hands)
    if dealt_natural:
        return staked - wager if rules.extra_wagers_against_natural == "original_only" else 0
    back = 0
    for hand in outcome.hands:
        own, theirs = points([shoe[place_of(card)] for card in hand.cards]), points(dealer)
        if own <= 21:
            wins = theirs > 21 or own > theirs
            back += hand.stake_cents() * (2 if wins else 1 if own == theirs else 0)
    return back


@settings(max_examples=150)
@given(rounds())
def test_money_in_is_money_out(found: Round) -> None:
    """What the players laid and what the house adds is what comes back and what the house takes, wager by wager."""
    staked = stakes(found)
    assert {spot: set(row) for spot, row in staked.items()} == {
        spot: set(row) for spot, row in found.account.nets.items()
    }
    house_cents = 0
    for box, spot in enumerate(found.script.spots):
        for bet, net in found.account.nets[spot].items():
            assert net.cents >= -staked[spot][bet]
            house_cents -= net.cents
        assert found.account.nets[spot]["main"].cents == returned_cents(found, box) - staked[spot]["main"]
        assert sum(net.cents for net in found.account.hands[spot]) == found.account.nets[spot]["main"].cents
    players_cents = sum(sum(row.values()) for row in cents(found.account).values())
    assert players_cents + house_cents == 0
    assert {type(net.cents) for row in found.account.nets.values() for net in row.values()} == {int}
    assert 0 <= found.account.breakage_cents < 100 * len(found.script.spots) * 2


@settings(max_examples=100)
@given(rounds())
def test_a_refusal_changes_nothing(found: Round) -> None:
    kept = tuple(act for place, act in enumerate(found.acts) if place not in found.refused)
    standing = found.script.deal()
    for act in kept:
        after = found.script.act(standing, act)
        assert not isinstance(after, Refusal)
        standing = after
    assert standing == position_after(found.script, found.acts)
    assert found.script.finish(standing) == found.ended


@settings(max_examples=100)
@given(rounds())
def test_the_order_of_the_spots_moves_no_money(found: Round) -> None:
    """Boxes change places with their cards, wagers and outcomes; only meters look at who sits where."""
    script, boxes = found.script, len(found.script.spots)
    flip = {spot: script.spots[boxes - 1 - box] for box, spot in enumerate(script.spots)}
    shoe = list(script.shoe)
    for box in range(boxes):
        for first in (0, boxes + 1):
            shoe[first + boxes - 1 - box] = script.shoe[first + box]
    mains = {flip[spot]: script.play.deal.wagers[box] for box, spot in enumerate(script.spots)}
    turned = ScriptedRound(script.rules, mains, shoe)
    ended = found.ended._replace(
        outcomes=found.ended.outcomes[::-1],
        even_money=found.ended.even_money[::-1],
        offered=found.ended.offered[::-1],
    )
    sides = {flip[spot]: row for spot, row in found.sides.items()}
    again = account(turned, ended, sides, METERS)
    for spot, row in found.account.nets.items():
        for bet, net in row.items():
            metered = isinstance(net, SideNet) and bet in {"blazing7s", "five_card_progressive"}
            assert metered or again.nets[flip[spot]][bet].cents == net.cents


@settings(max_examples=60)
@given(rounds())
def test_why_is_a_sentence_for_every_wager(found: Round) -> None:
    for nets in found.account.nets.values():
        for net in nets.values():
            assert net.why
            assert isinstance(net, SideNet) or net.rule in {*PROFILES["borgata"].__struct_fields__}


def test_another_box_changes_only_the_cards_one_gets() -> None:
    rules = PROFILES["borgata"]
    alone = ScriptedRound(rules, {3: 1000}, [Card(face) for face in ("Th", "6c", "8d", "Td", "9s")])
    standing = alone.act(alone.deal(), ScriptedAct(3, "stand"))
    assert not isinstance(standing, Refusal)
    ended: ScriptedEnding = alone.finish(standing)
    assert cents(account(alone, ended, {}, METERS)) == {3: {"main": 1000}}
    limited = replace(rules, options=replace(rules.options, maximum_cents=500))
    again = ScriptedRound(limited, {3: 1000}, alone.shoe)
    assert cents(account(again, ended, {}, METERS)) == {3: {"main": 1000}}
