"""Every worked hand dealt as evidence: the live table comes to the same cents as the settled hand, EZ Bust included."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

import pytest
from msgspec.structs import replace

from controller.formats.cases.settle_input import BET_NAMES, HandCase, read_case
from controller.formats.cases.settle_output import settle
from controller.io.files import profile_files
from tests.core.rig import Rig, settled

CASES = [
    case
    for name in ("hand-cases.json", "own-hand-cases.json")
    for case in json.loads((Path(__file__).parents[1] / "cases" / name).read_text(encoding="utf-8"))["cases"]
]

METERED: Final = {"blazing_meter_cents", "mhb"}
"""Cases with these keys name a meter; what it pays has its own tests at a table that counts it."""


class Dealer:
    """Deals one hand of a case at a rig, with a key for each decision; refused acts are left out."""

    def __init__(self, case: dict[str, Any]) -> None:
        self.case: HandCase = read_case(case, lambda name: profile_files.load(name).rules)
        self.settled = settle(self.case)
        rules = self.case.rules
        rules = replace(rules, options=replace(rules.options, stand_key="always"))
        self.rig = Rig(rules)
        self.rules = rules
        self.shoe = [str(card) for card in self.case.shoe]
        self.mains = {spot: laid["main"] for spot, laid in self.case.bets.items() if "main" in laid}
        self.lying = dict(self.mains)

    def card(self) -> None:
        self.rig.card(self.shoe.pop(0))

    def deal(self) -> None:
        for spot, laid in self.case.bets.items():
            for bet, cents in laid.items():
                self.rig.chips(spot, BET_NAMES.get(bet, bet), cents)
        for card in self.case.burned:
            self.rig.key("burn")
            self.rig.card(str(card))
        self.rig.key("no_more_bets")
        for _ in range(2 * len(self.mains) + 1 + (self.rules.hole_card == "dealt")):
            self.card()

    def owed(self) -> None:
        """Give the cards that come by themselves."""
        while self.shoe:
            found = self.rig.table.lattice
            assert found is not None
            now = {hand.now.name for node in found.frontier if (hand := found.game.hand_in_play(node)) is not None}
            if now != {"OWED"}:
                return
            self.card()

    def act(self, spot: int, what: str, cents: int | None) -> None:
        self.owed()
        match what:
            case "insurance" | "ez_bust":
                self.rig.chips(spot, what, cents or 0)
            case "even_money":
                self.rig.talk(f"key {spot} even_money")
            case "hit":
                self.rig.key("hit")
                self.card()
            case "double" | "split":
                self.lying[spot] += cents or self.mains[spot]
                self.rig.chips(spot, "main", self.lying[spot])
                self.rig.key(what)
            case "surrender":
                if self.rules.surrender_on == "first_decision":
                    self.rig.chips(spot, "main", self.mains[spot] // 2)
                self.rig.talk(f"key {spot} surrender")
            case _:
                self.rig.key("stand")
        self.owed()

    def play(self) -> dict[tuple[int, str], int]:
        self.deal()
        for place, act in enumerate(self.case.acts):
            if place not in self.settled.refused and place not in self.settled.moot:
                self.act(act.spot, act.act, act.cents)
        self.owed()
        if self.rules.hole_card == "dealt":
            self.rig.key("hole_turned")
        used = self.settled.ended.used - (len(self.case.shoe) - len(self.shoe))
        for _ in range(used):
            self.card()
        self.rig.key("round_closed")
        self.rig.pass_ms(100)
        return {(spot, bet): due for (_, spot, bet), (_, due) in settled(self.rig.events).items()}


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case['id']} {case['title']}")
def test_the_live_table_comes_to_what_the_settled_case_does(case: dict[str, Any]) -> None:
    dealer = Dealer(case)
    found = dealer.play()
    wanted = {(spot, bet): net.cents for spot, row in dealer.settled.account.nets.items() for bet, net in row.items()}
    if METERED & case.keys():
        wanted = {wager: cents for wager, cents in wanted.items() if wager[1] in {"main", "insurance"}}
        found = {wager: cents for wager, cents in found.items() if wager in wanted}
    assert found == wanted
