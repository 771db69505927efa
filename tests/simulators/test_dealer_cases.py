"""The simulated dealer's own rules and dues against the worked hands of ``hand-cases.json``, to the cent."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, assert_never

import pytest
from msgspec.structs import replace

from firmware_protocols.cards import Card, Rank
from simulators.people import bust_bets
from simulators.people.box import (
    Box,
    Choice,
    Hand,
    choices,
    dealer_draws,
    doubled,
    hand_due_cents,
    in_play,
    insurance_due_cents,
    is_natural,
    main_due_cents,
    split,
    stood,
    total,
    with_card,
)
from simulators.people.house import House, house_from

CASES = json.loads((Path(__file__).parents[1] / "cases" / "hand-cases.json").read_text(encoding="utf-8"))["cases"]

RULES: dict[str, dict[str, Any]] = {
    "hollywood-penn-national": {},
    "hollywood-perryville": {"max_hands": 4, "surrender": "none", "insurance_cap": "half_up_to_next_chip"},
    "borgata": {"max_hands": 4, "surrender": "none", "even_money": True},
    "classic-shoe-and-pitch": {"max_hands": 4, "resplit_aces": True, "double_on": "any", "surrender": "none"},
    "pitch-h17": {
        "soft_17": "hit",
        "max_hands": 4,
        "split_by": "rank",
        "double_on": "nine_to_eleven",
        "surrender": "none",
    },
}

SCORED = [case for case in CASES if not case["contested"]]


class Replay:
    """One worked hand, card by card and act by act. The EZ Bust wager makes the dealer play out, and no more."""

    def __init__(self, case: dict[str, Any]) -> None:
        units = {key: case[key] for key in ("chip_unit_cents", "payout_unit_cents") if key in case}
        self.house = house_from({"rules": RULES[case["rules"]] | case.get("options", {}) | units})
        self.shoe = [Card(face) for face in case["shoe"]][case.get("burn", 0) :]
        wagers = {int(spot): bets["main"] for spot, bets in sorted(case["bets"].items())}
        self.boxes = {s: Box(spot=s, wager_cents=c, hands=(Hand(cards=(), base_cents=c),)) for s, c in wagers.items()}
        self.dealer: tuple[Card, ...] = ()
        self.bust_cents: dict[int, int] = {}
        for _ in range(2):
            for spot in self.boxes:
                self.card_to(spot)
            self.dealer = (*self.dealer, self.shoe.pop(0))
        for act in case["actions"]:
            assert self.act(**act) == (act.get("expect") != "rejected"), act
        for spot in self.boxes:
            self.cards_that_come_by_themselves(spot)
            assert in_play(self.house, self.boxes[spot]) is None
        self.dealer_plays()

    def card_to(self, spot: int) -> None:
        self.boxes[spot] = with_card(self.house, self.boxes[spot], self.shoe.pop(0))

    def cards_that_come_by_themselves(self, spot: int) -> None:
        while (place := in_play(self.house, self.boxes[spot])) is not None:
            if not self.boxes[spot].hands[place].awaits_card:
                return
            self.card_to(spot)

    def act(self, spot: int, act: str, hand: int = 0, amount: int | None = None, **_: Any) -> bool:
        """Whether the house allows it; what it allows is done."""
        box = self.boxes[spot]
        up = self.dealer[0].rank
        match act:
            case "insurance":
                allowed = (
                    up is Rank.ACE and amount is not None and amount <= self.house.insurance_cap_cents(box.wager_cents)
                )
                if allowed and amount is not None:
                    self.boxes[spot] = replace(box, insurance_cents=amount)
                return allowed
            case "even_money":
                self.boxes[spot] = replace(box, even_money=self.house.even_money and box.natural and up is Rank.ACE)
                return self.boxes[spot].even_money
            case "ez_bust":
                allowed = up in {Rank.TWO, Rank.THREE, Rank.FOUR, Rank.FIVE, Rank.SIX}
                if allowed and amount is not None:
                    self.bust_cents[spot] = amount
                return allowed
            case _:
                return self.decide(spot, Choice(act), hand, amount)

    def decide(self, spot: int, choice: Choice, hand: int, amount: int | None) -> bool:
        self.cards_that_come_by_themselves(spot)
        box = self.boxes[spot]
        if choice not in choices(self.house, box) or in_play(self.house, box) != hand:
            return False
        match choice:
            case Choice.HIT:
                self.card_to(spot)
            case Choice.STAND:
                self.boxes[spot] = stood(self.house, box)
            case Choice.DOUBLE:
                self.boxes[spot] = doubled(self.house, box, amount or box.hands[hand].base_cents)
            case Choice.SPLIT:
                self.boxes[spot] = split(self.house, box)
            case Choice.SURRENDER:
                self.boxes[spot] = replace(box, surrendered=True)
            case unknown:
                assert_never(unknown)
        return True

    def dealer_plays(self) -> None:
        everybody_broke = all(box.broke for box in self.boxes.values())
        plays = any(box.live and not box.even_money for box in self.boxes.values())
        while (plays or (self.bust_cents and not everybody_broke)) and dealer_draws(self.house, self.dealer):
            self.dealer = (*self.dealer, self.shoe.pop(0))


@pytest.mark.parametrize("case", SCORED, ids=lambda case: f"{case['id']} {case['title']}")
def test_worked_hand(case: dict[str, Any]) -> None:
    replay = Replay(case)

    expected = case["expect"]
    assert replay.shoe == []
    assert replay.dealer == tuple(expected["dealer"])
    assert total(replay.dealer) == expected["dealer_total"]
    for name, nets in expected["net_cents"].items():
        box = replay.boxes[int(name)]
        assert main_due_cents(replay.house, box, replay.dealer) == nets["main"]
        assert insurance_due_cents(replay.house, box, replay.dealer) == nets.get("insurance", 0)
        bust_cents = replay.bust_cents.get(int(name), 0)
        assert bust_bets.net_cents(replay.boxes.values(), bust_cents, replay.dealer) == nets.get("ez_bust", 0)
    for name, hands in expected.get("hands", {}).items():
        assert [list(hand.cards) for hand in replay.boxes[int(name)].hands] == hands
    for name, nets in expected.get("hand_nets", {}).items():
        if not is_natural(replay.dealer):
            played = replay.boxes[int(name)].hands
            assert [hand_due_cents(replay.house, hand, replay.dealer) for hand in played] == nets


def test_every_rule_set_has_its_worked_hands() -> None:
    assert {case["rules"] for case in SCORED} == set(RULES)
    assert len(SCORED) >= 45


def cards(text: str) -> tuple[Card, ...]:
    return tuple(Card(face) for face in text.split())


def box(*hands: str, wager: int = 1000, extra: int = 0, surrendered: bool = False) -> Box:
    return Box(
        spot=1,
        wager_cents=wager,
        hands=tuple(Hand(cards=cards(hand), base_cents=wager, doubled_cents=extra) for hand in hands),
        surrendered=surrendered,
    )


@pytest.mark.parametrize(
    ("played", "dealer", "net_cents"),
    [
        (box("9c 7d", surrendered=True), "Ts 8h", -500),
        (box("9c 7d", surrendered=True), "Ts Ah", -1000),
        (box("6c 5d Th", extra=1000), "Ts Ah", -1000),
        (box("6c 5d Kh", extra=1000), "Ts 8h", 2000),
        (box("6c 5d 2h", extra=500), "Ts 8h", -1500),
        (box("8c 7d Kh", "8d 6c Ts"), "Kc Ah", -1000),
        (box("8c 7d Kh", "8d Tc"), "Kc 8h", -1000),
        (box("Ac Td"), "As Kh", 0),
        (box("Ac Td"), "7s 7h 7c", 1500),
        (box("Ac Td", "Ad Kc"), "7s 7h 7c", 0),
        (box("7c 7d 7h"), "As Kh", -1000),
        (box("Tc 9d"), "6s Th Kc", 1000),
    ],
)
def test_dues_that_the_worked_hands_leave_out(played: Box, dealer: str, net_cents: int) -> None:
    assert main_due_cents(House(), played, cards(dealer)) == net_cents


@pytest.mark.parametrize(
    ("hand", "soft_17", "draws"),
    [
        ("Ts 6h", "stand", True),
        ("Ts 7h", "stand", False),
        ("As 6h", "stand", False),
        ("As 6h", "hit", True),
        ("As 6h Tc", "hit", False),
        ("As 7h", "hit", False),
        ("As Ah 5c", "hit", True),
        ("Ts 6h 9c", "stand", False),
    ],
)
def test_when_the_dealer_draws(hand: str, soft_17: Any, draws: bool) -> None:
    assert dealer_draws(House(soft_17=soft_17), cards(hand)) is draws


@pytest.mark.parametrize(
    ("rules", "hands", "allowed"),
    [
        ({}, ("8c 8d",), "hit stand double split surrender"),
        ({"surrender": "none"}, ("8c 8d",), "hit stand double split"),
        ({}, ("8c 5d 2h",), "hit stand"),
        ({}, ("Kc Td",), "hit stand double split surrender"),
        ({"split_by": "rank"}, ("Kc Td",), "hit stand double surrender"),
        ({}, ("8c 8d", "8h"), "hit stand double split"),
        ({}, ("8c 8d", "8h", "8s"), "hit stand double"),
        ({"double_after_split": False}, ("8c 3d", "8h"), "hit stand"),
        ({"double_on": "nine_to_eleven"}, ("8c 3d",), "hit stand double surrender"),
        ({"double_on": "nine_to_eleven"}, ("Ac 8d",), "hit stand surrender"),
        ({}, ("Ac Kd",), ""),
        ({}, ("Ac Ad", "Ah"), ""),
        ({"resplit_aces": True}, ("Ac Ad", "Ah"), "stand split"),
        ({"resplit_aces": True, "max_hands": 2}, ("Ac Ad", "Ah 5c"), ""),
    ],
)
def test_what_a_player_may_do(rules: dict[str, Any], hands: tuple[str, ...], allowed: str) -> None:
    assert choices(house_from({"rules": rules}), box(*hands)) == tuple(Choice(name) for name in allowed.split())


@pytest.mark.parametrize(("cents", "for_less"), [(0, True), (1001, True), (-50, True), (500, False)])
def test_doubles_outside_the_rules_are_refused(cents: int, for_less: bool) -> None:
    with pytest.raises(ValueError, match="doubled"):
        doubled(House(double_for_less=for_less), box("6c 5d"), cents)


def test_a_box_that_has_played_takes_nothing_more() -> None:
    natural = box("Ac Kd")
    with pytest.raises(ValueError, match="has played"):
        with_card(House(), natural, Card.C2)
    with pytest.raises(ValueError, match="has played"):
        stood(House(), natural)
