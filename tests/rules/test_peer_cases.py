"""Facts out of other people's test suites, where they speak of a rule some profile can have.

Read from the neighbouring shared folder and skipped without it. A disputed case is skipped by its own reason; what no
rule here can have (other wagers, bets behind, strategy) is skipped by kind.
"""

from __future__ import annotations

import json
from decimal import Decimal
from pathlib import Path
from typing import Any, Final

import pytest

from controller.core.game.hand import (
    FACE_RANKS,
    Outcome,
    PlayedHand,
    best,
    holes_that_draw,
    is_natural,
    points_of,
    total,
)
from controller.core.game.play import Play
from controller.core.game.position import Deal, Hand
from controller.core.game.rules import Rules, SideBetTerms
from controller.core.game.settlement import NATURAL, DealerEnd, insurance_net, main_net
from controller.core.game.side_bet import View, find, fixed_net_cents
from firmware_protocols.cards import Card, Rank

FILE: Final = Path(__file__).parents[3] / "shared" / "peer-cases.json"
PEERS: Final[dict[str, Any]] = json.loads(FILE.read_text(encoding="utf-8")) if FILE.exists() else {"cases": []}

NAMES: Final = {"perfect_pairs": "perfect_pairs", "21+3": "twenty_one_plus_three"}
ROWS: Final = {"colored": "coloured"}
OTHER_KINDS: Final = {
    "back_bet": "bets behind a box are part of its zone's content",
    "basic_strategy": "advice is not settled",
}

pytestmark = pytest.mark.shared


def reason(case: dict[str, Any]) -> str:
    """Why a case is not for us; empty: it is."""
    if "disputed" in case:
        return f"disputed: {case['disputed']}"
    if case["kind"] in OTHER_KINDS:
        return OTHER_KINDS[case["kind"]]
    if case["kind"] == "side_bet" and case["input"]["bet"] not in NAMES:
        return f"no such side wager here: {case['input']['bet']} by {case['input'].get('paytable')}"
    if case["kind"] == "legality" and case["input"].get("insurance_pending"):
        return "insurance is an offer here: a decision closes it"
    if case.get("rules", {}).get("double_totals") == [10, 11]:
        return "no card doubles on 10 and 11 only"
    if case["kind"] == "payout_arithmetic" and case["input"].get("outcome") == "blackjack" and rounds_up(case):
        return "the peer rounds a natural's half unit up; here it is exact or rounded down (A30)"
    if "insurance_requested" in case["input"]:
        return "insurance above the cap is refused here, not cut"
    return ""


def rounds_up(case: dict[str, Any]) -> bool:
    """Whether a natural is paid more than its exact odds."""
    ahead, to = (int(part) for part in case["input"]["blackjack_pays"].split(":"))
    stake = Decimal(case["input"]["stake"])
    return (Decimal(case["expect"]["returned"]) - stake) * to > stake * ahead


def card(face: str) -> int:
    """A peer's card; one without a suit gets one."""
    return FACE_RANKS[Card(face[0] + (face[1].lower() if len(face) > 1 else "c"))]


def cards(faces: list[str]) -> tuple[int, ...]:
    return tuple(card(face) for face in faces)


def faces(peers: list[str]) -> list[Card]:
    return [Card(face[0] + face[1].lower()) for face in peers]


def rules_of(case: dict[str, Any]) -> Rules:
    given = case.get("rules", {})
    ahead, to = given.get("blackjack_pays", case["input"].get("blackjack_pays", "3:2")).split(":")
    return Rules(
        name="a peer's table",
        soft_17="hit" if given.get("dealer_hits_soft_17") else "stand",
        surrender="late" if given.get("late_surrender") else "none",
        split_by=given.get("split_by", "value"),
        double_on="nine_to_eleven" if "double_totals" in given else "any_but_21",
        natural_pays=(int(ahead), int(to)),
        extra_wagers_against_natural="all",
    )


def side_bet(case: dict[str, Any]) -> None:
    given = case["input"]
    table = PEERS["paytables"][given["paytable"]]
    bet = find(NAMES[given["bet"]])
    terms = SideBetTerms(pays={ROWS.get(row, row): (pays, 1) for row, pays in table.items()})
    first, second = faces(given["player"])
    (up,) = faces([given.get("dealer_up", "2C")])
    row = bet.row(terms, View(first, second, up))
    assert row is not None
    assert row == ROWS.get(case["expect"]["class"], case["expect"]["class"]).replace("none", "")
    net = fixed_net_cents(terms, row, 100 * given["stake"])
    assert net is not None
    returned = 0 if net < 0 else net + 100 * given["stake"]
    assert returned == 100 * case["expect"]["returned"]


def hand_total(case: dict[str, Any]) -> None:
    held, expect = cards(case["input"]["cards"]), case["expect"]
    hard = sum(points_of(one) for one in held)
    points, soft = total(tuple(points_of(one) for one in held))
    natural = len(held) == 2 and is_natural(*held) and not case["input"].get("from_split")
    found = {
        "hard": hard,
        "soft": points,
        "best": points,
        "bust": points > 21,
        "is_soft": soft,
        "soft_17": soft and points == 17,
        "blackjack": natural,
        "resolved": points >= 21,
    }
    assert best(held) == points
    assert set(expect) <= set(found)
    assert {key: found[key] for key in expect} == expect


def payout_arithmetic(case: dict[str, Any]) -> None:
    given, rules = case["input"], rules_of(case)
    # Some peers count in hundred-millionths: the arithmetic is the same in any unit.
    stake_cents, returned_cents = (int(Decimal(text) * 10**8) for text in (given["stake"], case["expect"]["returned"]))
    if "pays_to_one" in given:
        net = fixed_net_cents(SideBetTerms(pays={"row": (given["pays_to_one"], 1)}), "row", stake_cents)
        assert net is not None
        assert (stake_cents + net if given["pays_to_one"] else 0) == returned_cents
        return
    own = {"blackjack": ("natural", "AK"), "win": ("played", "T9"), "push": ("played", "T8"), "loss": ("played", "T7")}
    how, held = own[given["outcome"]]
    outcome = Outcome(how, (PlayedHand(cards(list(held)), stake_cents, 0),))
    assert main_net(rules, outcome, DealerEnd(natural=False, total=18)).cents + stake_cents == returned_cents


def dealers_end(dealer: dict[str, Any]) -> DealerEnd:
    if dealer.get("bust"):
        return DealerEnd(natural=False, total=22)
    if "cards" not in dealer:
        return DealerEnd(natural=False, total=dealer["total"])
    held = cards(dealer["cards"])
    if len(held) == 2 and is_natural(*held):
        return NATURAL
    return DealerEnd(natural=False, total=min(best(held), 22))


def made_of(points: int) -> list[str]:
    """Cards of a hand given only by its total."""
    if points > 20:
        return ["T", "T", "T"] if points > 21 else ["T", "9", "2"]
    return ["T", "T" if points == 20 else str(points - 10)]


def settlement(case: dict[str, Any]) -> None:
    given, rules = case["input"], rules_of(case)
    end = dealers_end(given["dealer"])
    split_hands = len(given["hands"]) > 1
    back: list[int] = []
    for hand in given["hands"]:
        held = cards(hand.get("cards") or made_of(hand["total"]))
        natural = len(held) == 2 and is_natural(*held) and not (split_hands or hand.get("from_split"))
        how = "surrendered" if hand.get("surrendered") else "natural" if natural else "played"
        outcome = Outcome(how, (PlayedHand(held, 100 * hand["stake"], 0),))
        back.append(main_net(rules, outcome, end).cents + 100 * hand["stake"])
    expect = case["expect"]
    assert back == [100 * cents for cents in expect["returned"]]
    if "insurance" in given:
        insured = 100 * given["insurance"]
        assert (
            insurance_net(rules, insured, dealer_natural=end.natural).cents + insured
            == 100 * expect["insurance_returned"]
        )


def insurance(case: dict[str, Any]) -> None:
    given = case["input"]
    natural = given["dealer_blackjack"] if "dealer_blackjack" in given else is_natural(*cards(given["dealer"]))
    insured = 100 * given["insurance"]
    net = insurance_net(rules_of(case), insured, dealer_natural=natural).cents
    assert net + insured == 100 * case["expect"]["insurance_returned"]


def dealer_action(case: dict[str, Any]) -> None:
    up, hole, *drawn = (points_of(one) for one in cards(case["input"]["dealer"]))
    must = holes_that_draw(up, tuple(drawn), rules_of(case).soft_17 == "hit")
    assert bool(must >> hole & 1) == case["expect"]["hits"]


def legality(case: dict[str, Any]) -> None:
    given, rules = case["input"], rules_of(case)
    held = cards(given["cards"])
    up = card(given.get("dealer_up", "6C"))
    play = Play(rules, Deal((1000,), (held[:2],), up))
    node, _ = play.dealt(play.begin())
    hand = Hand(held, 1000)
    if given.get("from_split"):
        ace = FACE_RANKS[Card(f"{Rank.ACE}c")]
        play = Play(rules, Deal((1000,), ((ace, ace),), up))
        node, _ = play.dealt(play.begin())
        node = play.split(node)
    untouched = len(held) == 2 and not given.get("stood")
    allowed = {
        "insurance": play.insurance_offered(),
        "surrender": rules.surrender == "late" and untouched,
        "double": play.may_double(node, hand),
        "split": play.may_split(node, hand),
        "hit": play.may_hit(node, hand),
    }
    assert allowed[given["action"]] == case["expect"]["allowed"]


JUDGES: Final = {
    "side_bet": side_bet,
    "hand_total": hand_total,
    "payout_arithmetic": payout_arithmetic,
    "settlement": settlement,
    "insurance": insurance,
    "dealer_action": dealer_action,
    "legality": legality,
}


@pytest.mark.skipif(not PEERS["cases"], reason="without the shared folder there are no peer cases")
@pytest.mark.parametrize("case", PEERS["cases"], ids=lambda case: case["id"])
def test_peer_case(case: dict[str, Any]) -> None:
    skipped = reason(case)
    if skipped:
        pytest.skip(skipped)
    JUDGES[case["kind"]](case)
