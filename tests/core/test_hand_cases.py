"""The worked hands, dealt as evidence: chips and keys as a dealer would give them, the nets to the cent.

Accepted EZ Bust, which makes the dealer play on, is left to its own tests. Refused acts are given as evidence too: the
lattice has no legal reading of them and nothing changes.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from controller.core.game.position import Node
from controller.core.game.rules import Options
from controller.core.game.wager import LockedWager
from controller.core.messages.alerts import ChipsUnexplained, InsuranceTooLarge, RoundIrregular, SideBetRefused
from controller.core.messages.events import BettingClosed, CardOpened, HandCompleted, RoundClosed
from controller.formats.cases.settle_input import BET_NAMES
from controller.io.files import profile_files
from tests.core.houses import RULES
from tests.core.rig import Rig, settled

CASES = json.loads((Path(__file__).parents[1] / "cases" / "hand-cases.json").read_text(encoding="utf-8"))["cases"]


def accepted_side_act(case: dict[str, Any]) -> bool:
    return any(act["act"] == "ez_bust" and act.get("expect") != "rejected" for act in case["actions"])


EXPLAINED_OTHERWISE = {"HC062": "the chips may double the pair", "HC072": "everybody has played: the chips may pay"}
"""Refused splits whose chips have another legal reading."""

METERED = {"blazing_meter_cents", "mhb"}
"""In cases with these keys a meter may pay, and this table has none: there only main wagers and insurance count."""

PLAYED = [case for case in CASES if not accepted_side_act(case)]


class Dealer:
    """Deals one worked hand at a rig."""

    def __init__(self, case: dict[str, Any]) -> None:
        options = {key: case[key] for key in ("chip_unit_cents", "payout_unit_cents") if key in case}
        table = Options(stand_key="always", **options)
        rules = profile_files.load(case["rules"]).rules
        rules = replace(
            rules, options=table, decks=case.get("decks", 8), player_cards="face_up", **case.get("options", {})
        )
        self.rig = Rig(rules)
        self.case = case
        self.shoe = list(case["shoe"])
        self.main = {int(spot): bets["main"] for spot, bets in sorted(case["bets"].items())}
        self.wagers = dict(self.main)

    def deal(self) -> None:
        for spot, bets in sorted(self.case["bets"].items()):
            for bet, cents in bets.items():
                self.rig.chips(int(spot), BET_NAMES.get(bet, bet), cents)
        for _ in range(self.case.get("burn", 0)):
            self.rig.key("burn")
            self.rig.card(self.shoe.pop(0))
        self.rig.key("no_more_bets")
        for _ in range(2 * len(self.main) + 2):
            self.rig.card(self.shoe.pop(0))

    def nodes(self) -> list[Node]:
        found = self.rig.table.lattice
        assert found is not None
        return list(found.frontier)

    def owed(self) -> None:
        """Give the cards that come by themselves."""
        while self.shoe:
            found = self.rig.table.lattice
            assert found is not None
            (node,) = found.frontier
            hand = found.game.hand_in_play(node)
            if hand is None or hand.now.name != "OWED":
                return
            self.rig.card(self.shoe.pop(0))

    def act(self, act: dict[str, Any]) -> None:
        if act.get("expect") == "rejected":
            self.refuse(act)
            return
        spot, what = act["spot"], act["act"]
        if what == "insurance":
            self.rig.chips(spot, "insurance", act["amount"])
            return
        if what == "even_money":
            self.rig.talk(f"key {spot} even_money")
            return
        self.owed()
        self.give(what, spot, act.get("amount"))
        self.owed()

    def give(self, what: str, spot: int, amount: int | None) -> None:
        wager = self.wagers[spot]
        match what:
            case "hit":
                self.rig.key("hit")
                self.rig.card(self.shoe.pop(0))
            case "double" | "split":
                self.main[spot] += amount or wager
                self.rig.chips(spot, "main", self.main[spot])
                self.rig.key(what)
            case "surrender":
                self.rig.chips(spot, "main", wager // 2)
                self.rig.talk(f"key {spot} surrender")
            case _:
                assert what == "stand"
                self.rig.key("stand")

    def refuse(self, act: dict[str, Any]) -> None:
        """What must be refused has no legal reading; then it is as if it had not been asked for."""
        self.owed()
        rig = self.rig
        kept = rig.table, rig.number, rig.now_ns, list(rig.stamped), rig.desired, list(rig.events)
        spot, what = act["spot"], act["act"]
        if what in {"insurance", "ez_bust"}:
            rig.chips(spot, what, act["amount"])
            if what == "insurance":
                # Until then it may be corrected.
                rig.key("insurance_closed")
            assert rig.events_of(InsuranceTooLarge if what == "insurance" else SideBetRefused)
        else:
            rig.talk(f"key {spot} {what}")
            assert rig.events_of(RoundIrregular)
        rig.table, rig.number, rig.now_ns, rig.stamped, rig.desired, rig.events = kept
        if what in {"double", "split"} and self.case["id"] not in EXPLAINED_OTHERWISE:
            nodes = self.nodes()
            rig.chips(spot, "main", self.main[spot] + self.wagers[spot])
            assert len(rig.events_of(ChipsUnexplained)) == 1
            assert self.nodes() == nodes
            rig.chips(spot, "main", self.main[spot])
            rig.events = [event for event in rig.events if not isinstance(event, ChipsUnexplained)]

    def finish(self) -> None:
        self.rig.key("hole_turned")
        while self.shoe:
            self.rig.card(self.shoe.pop(0))
        self.rig.key("round_closed")
        self.rig.pass_ms(100)


def played(case: dict[str, Any]) -> Dealer:
    dealer = Dealer(case)
    dealer.deal()
    for act in case["actions"]:
        dealer.act(act)
    dealer.owed()
    dealer.finish()
    return dealer


@pytest.mark.parametrize("case", PLAYED, ids=lambda case: f"{case['id']} {case['title']}")
def test_worked_hand(case: dict[str, Any]) -> None:
    dealer = played(case)
    expect = case["expect"]
    wanted = {
        (1, int(spot), BET_NAMES.get(bet, bet)): cents
        for spot, nets in expect["net_cents"].items()
        for bet, cents in nets.items()
    }
    found = {wager: due for wager, (_, due) in settled(dealer.rig.events).items()}
    if not METERED & case.keys():
        assert dealer.rig.outcomes() == ["settled"]
        assert found == wanted
    for wager, net_cents in wanted.items():
        if wager[2] in {"main", "insurance"}:
            assert found[wager] == net_cents
    face = {e.card: e.face for e in dealer.rig.events_of(CardOpened)}
    (closed,) = dealer.rig.events_of(RoundClosed)
    assert isinstance(closed, RoundClosed)
    assert [face[card] for card in closed.dealer] == expect["dealer"]
    assert closed.legal_plays == 1
    for spot, hands in expect.get("hands", {}).items():
        completed = [e for e in dealer.rig.events_of(HandCompleted) if e.spot == int(spot)]
        assert [[face[card] for card in e.cards] for e in sorted(completed, key=lambda e: e.hand)] == hands


def test_every_rule_set_has_its_worked_hands_and_refusals() -> None:
    assert {case["rules"] for case in PLAYED} == set(RULES)
    assert len(PLAYED) >= 40
    assert sum(act.get("expect") == "rejected" for case in PLAYED for act in case["actions"]) >= 10


def test_side_wagers_are_locked_with_the_main_ones() -> None:
    case = next(case for case in PLAYED if case["id"] == "HC091")
    (locked,) = played(case).rig.events_of(BettingClosed)
    assert isinstance(locked, BettingClosed)
    assert LockedWager(1, "lucky_ladies", 500) in locked.wagers
