"""Where a wager's due turns on one cent, one card or one word: boundaries, and the words for people."""

from __future__ import annotations

from typing import Any, Literal

import pytest
from msgspec.structs import replace

from controller.core.analysis.scripted_account import account, apply_aggregate_limit, refused_side_bet
from controller.core.analysis.scripted_round import ScriptedAct, ScriptedRound, ScriptError
from controller.core.analysis.stated_meters import StatedMeters
from controller.core.game.hand import Outcome, PlayedHand, seen
from controller.core.game.refusals import Refusal
from controller.core.game.rules import Options, Rules, SideBetTerms
from controller.core.game.settlement import NATURAL, DealerEnd, Net, breakage_cents, hand_nets, insurance_net, main_net
from controller.core.game.side_bet import LOST, PUSH, SideNet, fixed_net_cents
from firmware_protocols.cards import Card
from tests.rules.cases import case, nets, played
from tests.rules.scripted_rounds import PROFILES

PENN = PROFILES["hollywood-penn-national"]
ALL = replace(PENN, extra_wagers_against_natural="all")
ORIGINAL = "dealer's natural: the original wager only is lost"
RETURNED = "dealer's natural: the added wager is returned"
BROKE_FIRST = (
    "dealer's natural: hands already broken lose their whole stake, of the others the original wager only is lost"
)


def hand(faces: str, cents: int = 1000, extra_cents: int = 0) -> PlayedHand:
    """A hand that was played."""
    cards = tuple(seen(place, Card(face)) for place, face in enumerate(faces.split()))
    return PlayedHand(cards, cents, extra_cents)


def box(*faces: str) -> Outcome:
    """A box that played these hands of ten dollars each."""
    return Outcome("played", tuple(hand(each) for each in faces))


REFUSED: list[tuple[Rules, str, int, Refusal]] = [
    (
        replace(PENN, side_wagers="prohibited"),
        "lucky_ladies",
        500,
        Refusal("side_wagers", "side wagers are prohibited at this table"),
    ),
    (PENN, "perfect_pairs", 500, Refusal("side_bets", "perfect_pairs is not offered at this table")),
    (
        PENN,
        "ez_bust",
        500,
        Refusal("ez_bust.up_cards", "ez_bust is made once the up card lies there, not before the deal"),
    ),
    (PENN, "blazing7s", 600, Refusal("blazing7s.stake_cents", "blazing7s is made for 500 cents, not 600")),
    (
        replace(PENN, decks=5),
        "blazing7s",
        500,
        Refusal("blazing7s.least_decks", "blazing7s needs 6 decks, the shoe has 5"),
    ),
]


@pytest.mark.parametrize(("rules", "bet", "cents", "refusal"), REFUSED, ids=lambda one: str(getattr(one, "rule", "")))
def test_a_side_wager_is_returned_with_the_rule_and_the_whole_sentence(
    rules: Rules, bet: str, cents: int, refusal: Refusal
) -> None:
    assert refused_side_bet(rules, bet, cents) == refusal


def test_a_side_wager_stands_with_exactly_the_decks_and_the_stake_it_needs() -> None:
    assert refused_side_bet(replace(PENN, decks=6), "blazing7s", 500) is None
    assert refused_side_bet(replace(PENN, decks=2), "lucky_ladies", 1) is None


def test_what_rounding_keeps_is_summed_over_all_boxes() -> None:
    bets = {"1": {"main": 500}, "2": {"main": 500}, "3": {"main": 500}}
    three = case("As Ah Kd 6c Kd Kh 9c 9s 4d", "3 stand", bets=bets, options={"payout_unit_cents": 100})
    found = played(three)
    assert [net["main"].cents for net in found.account.nets.values()] == [700, 700, 0]
    assert found.account.breakage_cents == 100


def test_a_payout_unit_of_two_cents_keeps_one_of_a_natural_for_five() -> None:
    rules = replace(PENN, options=Options(payout_unit_cents=2))
    natural = Outcome("natural", (hand("As Kd", 5),))
    net = main_net(rules, natural, DealerEnd(natural=False, total=20))
    assert net.cents == 6
    assert breakage_cents(rules, natural, DealerEnd(natural=False, total=20), net) == 1


def limited(most: int, **wins: int) -> dict[str, Any]:
    """The nets of one spot's wagers under an aggregate limit."""
    row: dict[str, Net | SideNet] = {bet: SideNet(cents, bet, "row") for bet, cents in wins.items()}
    row["main"] = Net(1000, (("beats", 20, 19),))
    row["lost"] = SideNet(-500, "lost", LOST)
    row["returned"] = SideNet(0, "returned", PUSH)
    apply_aggregate_limit(replace(PENN, aggregate_limit_cents=most), {1: row})
    return {bet: net.cents for bet, net in row.items()}


def test_the_aggregate_limit_at_its_boundary() -> None:
    others = {"main": 1000, "lost": -500, "returned": 0}
    assert limited(10, first=1, second=9) == {"first": 1, "second": 9, **others}
    assert limited(9, first=1, second=9) == {"first": 0, "second": 8, **others}
    assert limited(0, first=1, second=9) == {"first": 1, "second": 9, **others}


def test_the_aggregate_limit_gives_whole_cents() -> None:
    held = limited(7, first=5, second=5)
    assert [held["first"], held["second"]] == [3, 3]
    assert all(type(cents) is int for cents in held.values())


def test_each_hand_of_a_split_says_what_became_of_it() -> None:
    split = box("8c Th", "8d Ts Kc")
    for rules in (PENN, ALL):
        net = main_net(rules, split, DealerEnd(natural=False, total=17))
        assert (net.cents, net.why) == (0, "18 beats 17; 28 broke")


def test_where_the_original_wager_only_is_lost_one_sentence_speaks_for_the_box() -> None:
    split = box("8c Th", "8d Ts")
    net = main_net(PENN, split, NATURAL)
    assert (net.cents, net.why) == (-1000, ORIGINAL)
    assert [each.why for each in hand_nets(PENN, split, NATURAL)] == [ORIGINAL, RETURNED]
    assert [each.cents for each in hand_nets(PENN, split, NATURAL)] == [-1000, 0]
    lost = main_net(ALL, split, NATURAL)
    assert (lost.cents, lost.why) == (-2000, "18 loses to the dealer's natural; 18 loses to the dealer's natural")


@pytest.mark.parametrize(
    ("hands", "busted_bets_lost", "why"),
    [
        (("8c Th", "8d Ts Kc"), True, [BROKE_FIRST, BROKE_FIRST]),
        (("8c Th", "8d Ts Kc"), False, [ORIGINAL, RETURNED]),
        (("8c Th", "8d Ts"), True, [ORIGINAL, RETURNED]),
    ],
)
def test_hands_already_broken_are_named_where_they_count(
    hands: tuple[str, ...], busted_bets_lost: bool, why: list[str]
) -> None:
    rules = replace(PENN, busted_bets_lost=busted_bets_lost)
    assert [each.why for each in hand_nets(rules, box(*hands), NATURAL)] == why


@pytest.mark.parametrize("extra", ["original_only", "all"])
@pytest.mark.parametrize(
    ("drawn_21", "faces", "cents"),
    [
        ("pushes", "9c 5d 7h", 0),
        ("pushes", "9c 5d 6h", -1000),
        ("loses", "9c 5d 7h", -1000),
        ("loses", "9c 5d 6h", -1000),
    ],
)
def test_only_21_pushes_against_a_natural_and_only_where_the_card_says_so(
    extra: Literal["original_only", "all"], drawn_21: Literal["loses", "pushes"], faces: str, cents: int
) -> None:
    rules = replace(PENN, drawn_21_against_natural=drawn_21, extra_wagers_against_natural=extra)
    assert main_net(rules, box(faces), NATURAL).cents == cents


def test_a_hand_of_exactly_22_broke_whatever_the_dealer_has() -> None:
    for dealer in (DealerEnd(natural=False, total=17), DealerEnd(natural=False, total=22)):
        net = main_net(PENN, box("Tc 4d 8h"), dealer)
        assert (net.cents, net.why) == (-1000, "22 broke")
    assert main_net(PENN, box("Tc 3d 8h"), DealerEnd(natural=False, total=22)).cents == 1000
    assert nets(case("Tc 9h 4d Ts 8h", "1 hit")) == {"main": -1000}


def test_a_21_of_two_cards_after_a_split_was_not_drawn() -> None:
    rules = replace(PENN, drawn_21="pushes")
    twenty = DealerEnd(natural=False, total=20)
    net = main_net(rules, box("As Kd", "Ad 9c Ah"), twenty)
    assert (net.cents, net.why) == (1000, "21 beats 20; a drawn 21 pushes against 20")


def test_insurance_at_odds_that_do_not_divide_pays_whole_cents() -> None:
    net = insurance_net(replace(PENN, insurance_pays=(3, 2)), 5, dealer_natural=True)
    assert (net.cents, type(net.cents)) == (7, int)
    assert net.why == "insurance pays 3 to 2: the dealer has a natural"


def test_queens_of_hearts_and_a_jackpot_row_say_their_names() -> None:
    assert SideNet(1, "lucky_ladies", "queen_hearts_pair").why == "Lucky Ladies: queen hearts pair"
    assert SideNet(1, "ez_bust", "dealer_broke").why == "EZ Bust: dealer broke"


def test_a_meter_that_pays_and_was_not_given_is_asked_for_by_its_key() -> None:
    script = ScriptedRound(PENN, {1: 1000}, [Card(face) for face in ("7d", "7d", "7d", "Tc")])
    standing = script.act(script.deal(), ScriptedAct(1, "stand"))
    assert not isinstance(standing, Refusal)
    with pytest.raises(ScriptError) as asked:
        account(script, script.finish(standing), {1: {"blazing7s": 500}}, StatedMeters())
    assert asked.value.key == "blazing_meter_cents"
    assert str(asked.value) == "the linked meter pays in this round: expected what it stands at"


def test_even_money_and_a_unit_of_one_cent_keep_nothing_back() -> None:
    natural = Outcome("natural", (hand("As Kd", 5),))
    twenty = DealerEnd(natural=False, total=20)
    whole = replace(PENN, options=Options(payout_unit_cents=100))
    even = main_net(whole, natural, twenty, even_money=True)
    assert (even.cents, breakage_cents(whole, natural, twenty, even)) == (5, 0)
    exact = replace(PENN, options=Options(payout_unit_cents=1))
    assert breakage_cents(exact, natural, twenty, main_net(exact, natural, twenty)) == 0


def test_a_natural_and_a_surrender_are_one_hand_with_the_net_of_the_whole_wager() -> None:
    bets = {"1": {"main": 1000}, "2": {"main": 1000}}
    found = played(case("As 9h 6c Kd 7d Td", "2 surrender", bets=bets)).account
    assert {spot: [net.cents for net in row] for spot, row in found.hands.items()} == {1: [1500], 2: [-500]}


def test_odds_that_do_not_divide_pay_whole_cents() -> None:
    cents = fixed_net_cents(SideBetTerms(pays={"coloured": (3, 2)}), "coloured", 5)
    assert (cents, type(cents)) == (7, int)
