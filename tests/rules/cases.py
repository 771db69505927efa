"""Hand cases settled in the tests: the worked hands, and small cases written by hand."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

from controller.commands.settle import profile_of, rules_of, settle_one
from controller.formats.cases.settle_input import read_case
from controller.formats.cases.settle_output import CaseSettlement, settle

FILE: Final = Path(__file__).parents[1] / "cases" / "hand-cases.json"
WORKED: Final[dict[str, Any]] = json.loads(FILE.read_text(encoding="utf-8"))


def case(
    shoe: str, acts: str = "", rules: str = "hollywood-penn-national", bets: dict[str, Any] | None = None, **more: Any
) -> dict[str, Any]:
    """A case in few words: ``case("9h 6c 9d Ts Kd", "1 stand, 2 double 500")``; a hand as in ``stand:1``."""
    laid = {"1": {"main": 1000}} if bets is None else bets
    actions = []
    for words in filter(None, (part.split() for part in acts.split(","))):
        spot, act, *amount = words
        name, _, hand = act.partition(":")
        one: dict[str, Any] = {"spot": int(spot), "act": name}
        if hand:
            one["hand"] = int(hand)
        if amount:
            one["amount"] = int(amount[0])
        actions.append(one)
    return {"rules": rules, "bets": laid, "shoe": shoe.split(), "actions": actions, **more}


def settled(round_case: dict[str, Any]) -> dict[str, Any]:
    """The account of a case, as ``tableside settle`` writes it."""
    return settle_one(round_case)


def played(round_case: dict[str, Any]) -> CaseSettlement:
    """A case settled, as values."""
    return settle(read_case(round_case, rules_of))


def nets(round_case: dict[str, Any]) -> Any:
    """Net cents: of the one spot, or by spot."""
    found = settled(round_case)["net_cents"]
    return next(iter(found.values())) if len(found) == 1 else found


def main_cents(round_case: dict[str, Any]) -> int:
    """Net cents of the main wager of the one spot."""
    cents = nets(round_case)["main"]
    assert isinstance(cents, int)
    return cents


__all__ = ["WORKED", "case", "main_cents", "nets", "played", "profile_of", "settled"]
