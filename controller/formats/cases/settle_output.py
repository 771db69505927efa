"""A settled hand case as JSON: nets, hands, what was refused, and why; and what of it was expected otherwise."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import msgspec

from controller.core.analysis.scripted_account import ScriptedAccount, account, faces, refused_side_bet
from controller.core.analysis.scripted_round import DECISIONS, ScriptedEnding, ScriptedRound, ScriptError
from controller.core.game.hand import best
from controller.core.game.procedures import RULINGS, Situation, refused_wager
from controller.core.game.refusals import Refusal
from controller.core.game.rules import Rules
from controller.core.game.settlement import Net
from controller.core.game.side_bet import SideNet
from controller.formats.cases.settle_input import BET_NAMES, CaseError, HandCase
from controller.formats.text.printable import many

COMPARED = ("net_cents", "dealer", "dealer_total", "breakage_cents")
"""What is compared whole; of hands and their nets only the spots expected are."""

METERS = ("blazing_meter_after_cents", "mhb_meter_after_cents")


class CaseSettlement(NamedTuple):
    """The settlement of a case."""

    scripted: ScriptedRound
    ended: ScriptedEnding
    account: ScriptedAccount
    refused: dict[int, Refusal]
    """Refused acts by their place among the case's acts."""
    moot: tuple[int, ...]
    """Acts that came after a device had found the dealer's natural."""
    returned: dict[int, dict[str, Refusal]]
    """Side wagers returned before the deal, by spot and bet."""


def settle(case: HandCase) -> CaseSettlement:
    """Play a case by its rules and settle it.

    Raises:
        CaseError: the acts and the shoe do not make a round.
    """
    returned, mains, sides = sorted_bets(case)
    try:
        scripted = ScriptedRound(case.rules, mains, case.shoe)
        standing = scripted.deal()
        refused: dict[int, Refusal] = {}
        moot: list[int] = []
        for place, act in enumerate(case.acts):
            if act.act in DECISIONS and act.spot in mains and scripted.natural_found(standing):
                moot.append(place)
                continue
            after = scripted.act(standing, act)
            if isinstance(after, Refusal):
                refused[place] = after
            else:
                standing = after
        ended = scripted.finish(standing)
        left = len(case.shoe) - ended.used
        if left and not ended.stopped:
            raise CaseError("shoe", f"expected to be used up exactly, {many(left, 'card')} left")
        found = account(scripted, ended, sides, case.meters)
    except ScriptError as error:
        raise CaseError(error.key, str(error)) from error
    return CaseSettlement(scripted, ended, found, refused, tuple(moot), returned)


def sorted_bets(
    case: HandCase,
) -> tuple[dict[int, dict[str, Refusal]], dict[int, int], dict[int, dict[str, int]]]:
    """The case's bets as returned ones, main wagers and side wagers that stand."""
    returned: dict[int, dict[str, Refusal]] = {}
    mains: dict[int, int] = {}
    sides: dict[int, dict[str, int]] = {}
    late = case.entered if case.rules.mid_shoe_entry == "refused" else frozenset[int]()
    refusal: Refusal | None
    for spot, bets in case.bets.items():
        for name, cents in bets.items():
            if spot in late:
                refusal = refused_wager(case.rules, cents, sat_out=True, in_mid_shoe=True)
            elif name == "main":
                mains[spot], refusal = cents, None
            elif "main" not in bets:
                refusal = Refusal("side_bets", "a side wager needs a main wager on its spot")
            else:
                bet = BET_NAMES.get(name, name)
                refusal = refused_side_bet(case.rules, bet, cents)
                if refusal is None:
                    sides.setdefault(spot, {})[bet] = cents
            if refusal is not None:
                returned.setdefault(spot, {})[name] = refusal
    if not mains:
        raise CaseError("bets", "no main wager stands")
    return returned, mains, sides


def names_in_case(case: HandCase, spot: int) -> dict[str, str]:
    """What the case calls each bet of a spot, by the name of the bet's file."""
    return {BET_NAMES.get(name, name): name for name in case.bets.get(spot, {})}


def account_json(case: HandCase, settled: CaseSettlement, sources: Mapping[str, str]) -> dict[str, Any]:
    """The account of a case; ``sources`` says for the ``why`` where each rule comes from."""
    scripted, ended, found = settled.scripted, settled.ended, settled.account
    nets: dict[str, dict[str, int]] = {}
    why: dict[str, dict[str, str]] = {}
    for spot, row in found.nets.items():
        called = names_in_case(case, spot)
        nets[str(spot)] = {called.get(bet, bet): net.cents for bet, net in row.items()}
        why[str(spot)] = {called.get(bet, bet): sentence(case.rules, bet, net, sources) for bet, net in row.items()}
        for bet in row.keys() - {"insurance"}:
            # What was not laid before the deal is the wager that is made after it.
            cents = case.bets[spot].get(called.get(bet, bet), ended.offered[scripted.box_of[spot]])
            why[str(spot)][called.get(bet, bet)] += outside_limits(case.rules, bet, cents)
    for spot, refusals in settled.returned.items():
        for bet, refusal in refusals.items():
            why.setdefault(str(spot), {})[bet] = f"returned: {refusal.sentence} [{refusal.rule}]"
    meters: dict[str, int] = {}
    if found.meters.linked is not None:
        meters["blazing_meter_after_cents"] = found.meters.linked.meter_cents
    if found.meters.mystery is not None:
        meters["mhb_meter_after_cents"] = found.meters.mystery.meter_cents
    return {
        "net_cents": nets,
        "hand_nets": {str(spot): [net.cents for net in hands] for spot, hands in found.hands.items()},
        "hands": {
            str(spot): [[str(face) for face in faces(scripted, hand.cards)] for hand in ended.outcomes[box].hands]
            for box, spot in enumerate(scripted.spots)
        },
        "dealer": [str(face) for face in faces(scripted, ended.dealer)],
        "dealer_total": best(ended.dealer),
        "rejected": [
            {"index": place, "rule": refusal.rule, "sentence": refusal.sentence}
            for place, refusal in settled.refused.items()
        ],
        "moot": list(settled.moot),
        "rejected_bets": {str(spot): list(refusals) for spot, refusals in settled.returned.items()},
        "meters": meters,
        "breakage_cents": found.breakage_cents,
        "why": why,
    }


def sentence(rules: Rules, bet: str, net: Net | SideNet, sources: Mapping[str, str]) -> str:
    """What decided a wager, in one sentence that names the rule and where it comes from."""
    rule = net.rule if isinstance(net, Net) else bet
    source = sources.get(rule, "")
    if isinstance(net, SideNet) and net.limited:
        source = f"{source}; aggregate_limit_cents: {sources.get('aggregate_limit_cents', '')}"
    kept = ""
    if isinstance(net, Net) and rule in {"natural_pays", "surrender"} and rules.options.payout_unit_cents > 1:
        kept = f", rounded down to {rules.options.payout_unit_cents} cents"
    return f"{net.why}{kept} [{rule}{': ' if source else ''}{source}]"


def outside_limits(rules: Rules, bet: str, cents: int) -> str:
    """What is added of a wager outside the table's limits, once it was accepted."""
    if refused_wager(rules, cents, sat_out=False, in_mid_shoe=False, main=bet == "main") is None:
        return ""
    ruling = RULINGS[Situation.WAGER_ABOVE_MAXIMUM_ACCEPTED]
    return f"; {ruling.sentence} [{ruling.source}]"


def differences(case: Mapping[str, Any], found: Mapping[str, Any]) -> list[str]:
    """What a case expects otherwise, one line each."""
    expect = case.get("expect")
    if not isinstance(expect, Mapping):
        return []
    lines = [
        _difference(key, expect[key], found[key]) for key in COMPARED if key in expect and expect[key] != found[key]
    ]
    for key in ("hand_nets", "hands"):
        by_spot = expect.get(key, {})
        if not isinstance(by_spot, Mapping):
            lines.append(_difference(key, by_spot, found[key]))
            continue
        for spot, wanted in by_spot.items():
            if found[key].get(spot) != wanted:
                lines.append(_difference(f"{key}.{spot}", wanted, found[key].get(spot)))
    if "rejected_bets" in expect and not same_bets(expect["rejected_bets"], found["rejected_bets"]):
        lines.append(_difference("rejected_bets", expect["rejected_bets"], found["rejected_bets"]))
    for key in METERS:
        if key in expect and expect[key] != found["meters"].get(key):
            lines.append(_difference(key, expect[key], found["meters"].get(key)))
    wanted = [place for place, act in enumerate(case["actions"]) if act.get("expect") == "rejected"]
    refused = [row["index"] for row in found["rejected"]]
    if [place for place in wanted if place not in found["moot"]] != refused:
        lines.append(_difference("rejected", wanted, refused))
    return lines


def _difference(key: str, wanted: object, found: object) -> str:
    """One line, with both values as a case writes them."""
    return f"{key}: expected {_json(wanted)}, found {_json(found)}"


def _json(value: object) -> str:
    return msgspec.json.encode(value, order="sorted").decode()


def same_bets(wanted: object, found: Mapping[str, Any]) -> bool:
    """Whether the bets that were returned are those expected: by spot where the case says of which."""
    if isinstance(wanted, Mapping):
        rows = {str(spot): named(row) for spot, row in wanted.items() if named(row)}
        return rows == {spot: named(row) for spot, row in found.items()}
    return named(wanted) == named(found)


def named(bets: object) -> list[str]:
    """The names of returned bets, whether written by spot or in a row."""
    if isinstance(bets, Mapping):
        return sorted(name for row in bets.values() for name in named(row))
    if isinstance(bets, list):
        return sorted(str(bet["bet"]) if isinstance(bet, Mapping) else str(bet) for bet in bets)
    return [str(bets)]
