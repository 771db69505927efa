"""The computed edge of the main wager: against every order of a small shoe, played out by the live code."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from math import perm
from typing import Any, Final, NamedTuple

import pytest
from msgspec.structs import replace

from controller.core.analysis.computed_edge import edge_against_up_card
from controller.core.analysis.dealer_hands import ENDS, POINTS, DealerHands, ShoeComposition, dealer_hands
from controller.core.analysis.scripted_round import ScriptError
from controller.core.analysis.shoe_chances import without
from controller.core.analysis.simulated_edge import round_net_cents
from controller.core.game.rules import Options, Rules
from controller.io.files import profile_files
from firmware_protocols.cards import Card

FACES: Final = {1: "Ah", **{points: f"{points}h" for points in range(2, 10)}, 10: "Th"}
HPN: Final = profile_files.load("hollywood-penn-national").rules
PITCH: Final = profile_files.load("pitch-h17").rules


def shoe(**copies: int) -> ShoeComposition:
    """``shoe(c8=9, c10=7)``: nine eights and seven tens."""
    return tuple(copies.get(f"c{points}", 0) for points in POINTS)


class Played(NamedTuple):
    """A round that some cards play out, in the order they left the shoe."""

    chance: Fraction
    net_cents: int


def every_round(rules: Rules, up: int, left: ShoeComposition, dealt: tuple[int, ...] = ()) -> Iterator[Played]:
    """Every round of one box against an up card from a shoe without it, by the cards it needs and no more."""
    cards = (*dealt[:1], up, *dealt[1:])
    try:
        chance = Fraction(1)
        whole = left
        for points in dealt:
            chance *= Fraction(whole[points - 1], sum(whole))
            whole = without(whole, points)
        yield Played(chance, round_net_cents(rules, [Card(FACES[points]) for points in cards]))
    except ScriptError:
        for points in POINTS:
            if left[points - 1] > dealt.count(points):
                yield from every_round(rules, up, left, (*dealt, points))


def played_out(rules: Rules, up: int, left: ShoeComposition) -> tuple[Fraction, Fraction]:
    """The mean net and the mean of its square."""
    rounds = list(every_round(rules, up, left))
    assert sum(one.chance for one in rounds) == 1
    return (
        sum((one.chance * one.net_cents for one in rounds), Fraction(0)),
        sum((one.chance * one.net_cents**2 for one in rounds), Fraction(0)),
    )


EIGHTS: Final = shoe(c3=8, c8=9, c10=12)
ACES: Final = shoe(c1=7, c6=9, c10=12)
NINES: Final = shoe(c2=7, c9=10, c10=10)
NATURALS: Final = shoe(c1=8, c8=10, c10=7)
DOUBLES: Final = shoe(c5=11, c6=8, c10=9)

CASES: Final[list[tuple[str, Rules, dict[str, Any], int, ShoeComposition]]] = [
    ("eights thrice", HPN, {}, 10, EIGHTS),
    ("eights four times", HPN, {"max_hands": 4}, 7, shoe(c8=9, c10=14)),
    ("eights once", HPN, {"max_hands": 2}, 3, EIGHTS),
    ("eights not at all", HPN, {"max_hands": 1}, 10, EIGHTS),
    ("the third card only", HPN, {"resplit_on": "third_card", "max_hands": 4}, 10, EIGHTS),
    ("all lost to a natural", HPN, {"extra_wagers_against_natural": "all"}, 10, NATURALS),
    ("broken hands lost", HPN, {"busted_bets_lost": True, "surrender": "none"}, 10, NATURALS),
    ("a device looks", HPN, {"hole_check": "device"}, 10, NATURALS),
    ("aces once", HPN, {}, 1, ACES),
    ("aces again", HPN, {"resplit_aces": True, "max_hands": 4}, 6, shoe(c1=9, c10=15)),
    ("aces played on", HPN, {"split_ace_cards": "any", "double_split_aces": True}, 6, shoe(c1=9, c10=15)),
    ("no double after a split", HPN, {"double_after_split": False}, 6, ACES),
    ("a natural forfeited", HPN, {"natural_against_natural": "loses", "natural_pays": (6, 5)}, 10, NATURALS),
    ("ties lose", HPN, {"tie": "loses", "split_21": "beats_drawn_21"}, 9, NINES),
    ("drawn 21", HPN, {"drawn_21": "pushes", "drawn_21_against_natural": "pushes"}, 1, DOUBLES),
    ("soft 17 is hit", HPN, {"soft_17": "hit", "surrender_against_natural": "half"}, 1, ACES),
    ("nine to eleven", PITCH, {"double_count": "hard_or_best", "max_hands": 2}, 6, NATURALS),
    ("rounded payouts", HPN, {"options": Options(payout_unit_cents=1000)}, 10, NATURALS),
    ("a natural pushes 21", HPN, {"natural_against_drawn_21": "pushes", "win_pays": (2, 1)}, 10, NATURALS),
    ("no hole card, all lost", PITCH, {"hole_card": "none", "extra_wagers_against_natural": "all"}, 10, NATURALS),
]


@pytest.mark.parametrize(
    ("rules", "changed", "up", "left"), [case[1:] for case in CASES], ids=[case[0] for case in CASES]
)
def test_every_order_of_a_small_shoe_comes_to_the_same_net(
    rules: Rules, changed: dict[str, Any], up: int, left: ShoeComposition
) -> None:
    rules = replace(rules, **changed)
    net, square = played_out(rules, up, left)
    found = edge_against_up_card(rules, up, left)
    assert sum(found.masses) == 1
    assert sum(found.nets) == net
    assert abs(sum(found.squares) - square) < square * Fraction(1, 50)


def test_a_dealer_without_hole_card_never_sees_a_natural_of_whom_all_hands_broke_against() -> None:
    rules = replace(PITCH, hole_card="none")
    net, square = played_out(rules, 10, NATURALS)
    found = edge_against_up_card(rules, 10, NATURALS)
    # That both hands of a split break is taken to hang together by the natural alone, so this is close and not exact.
    assert 0 != abs(sum(found.nets) - net) < Fraction(1, 2)
    assert abs(sum(found.squares) - square) < square * Fraction(1, 50)


@pytest.mark.parametrize("up", POINTS)
@pytest.mark.parametrize("hits_soft_17", [False, True])
def test_the_dealers_hands_are_all_there_are(up: int, hits_soft_17: bool) -> None:
    left = without(tuple(4 * (4 if points == 10 else 1) for points in POINTS), up)
    hands = dealer_hands(up, hits_soft_17)
    ways = hands.ways(left)
    assert sum(ways) == perm(51, hands.depth)
    naturals = {1: 16, 10: 4}.get(up, 0)
    assert ways[-1] * 51 == naturals * perm(51, hands.depth)
    assert (len(ways), len(DealerHands(up, hits_soft_17=hits_soft_17).levels)) == (len(ENDS), hands.depth)
