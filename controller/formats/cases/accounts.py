"""Accounts of rounds: what was wagered and what it was due, as JSON that two parties can compare byte by byte."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

import msgspec

from controller.core.messages.events import Event, RoundClosed, WagerSettled, WagerUnresolved
from controller.core.messages.meter_events import JackpotHit
from controller.core.progressives.live_meters import MYSTERY_ROW

BETS: Final = ("main", "insurance")
"""Bets of a spot in the order of an account; others follow by name."""


class WagerAccount(msgspec.Struct, frozen=True):
    """One wager: what was staked at the lock (or on the insurance line), and its net; None while that is open."""

    spot: int
    bet: str
    wager_cents: int
    net_cents: int | None


class RoundAccount(msgspec.Struct, frozen=True):
    """One closed round."""

    round: int
    wagers: tuple[WagerAccount, ...]


class CaseAccounts(msgspec.Struct, frozen=True):
    """Closed rounds in order."""

    rounds: tuple[RoundAccount, ...]


def order(wager: WagerAccount) -> tuple[int, int, str]:
    """By spot, then main before insurance."""
    return wager.spot, BETS.index(wager.bet) if wager.bet in BETS else len(BETS), wager.bet


def account_of(events: Iterable[Event]) -> CaseAccounts:
    """The account that published events give.

    Awards of a must-hit-by meter are left out: its trigger is drawn by box and table together, so no two runs agree.
    """
    wagers: dict[int, dict[tuple[int, str], WagerAccount]] = {}
    closed: list[int] = []
    bonus: dict[tuple[int, int, str], int] = {}
    for event in events:
        match event:
            case JackpotHit(_, _, number, spot, bet, row, cents) if row == MYSTERY_ROW:
                bonus[number, spot, bet] = bonus.get((number, spot, bet), 0) + cents
            case WagerSettled(number, spot, bet, wager_cents, net_cents):
                net_cents -= bonus.get((number, spot, bet), 0)
                wagers.setdefault(number, {})[spot, bet] = WagerAccount(spot, bet, wager_cents, net_cents)
            case WagerUnresolved(number, spot, bet, wager_cents):
                open_still = WagerAccount(spot, bet, wager_cents, None)
                wagers.setdefault(number, {}).setdefault((spot, bet), open_still)
            case RoundClosed(number, _, _, outcome) if outcome != "void":
                closed.append(number)
            case _:
                pass
    return CaseAccounts(
        tuple(RoundAccount(number, tuple(sorted(wagers.get(number, {}).values(), key=order))) for number in closed)
    )


def account_bytes(account: CaseAccounts) -> bytes:
    """An account as a file: JSON, indented, one line feed at the end."""
    return msgspec.json.format(msgspec.json.encode(account), indent=1) + b"\n"


class Comparison(msgspec.Struct, frozen=True):
    """Two accounts held side by side."""

    wagers: int
    equal: int
    open: int
    different: tuple[str, ...]


def compare(truth: CaseAccounts, found: CaseAccounts) -> Comparison:
    """What ``found`` says of every wager of ``truth``, and of wagers that are not there."""
    account_wagers = {(one.round, w.spot, w.bet): w for one in found.rounds for w in one.wagers}
    wagers = equal = still_open = 0
    different: list[str] = []
    for one in truth.rounds:
        for wager in one.wagers:
            wagers += 1
            counterpart = account_wagers.pop((one.round, wager.spot, wager.bet), None)
            if counterpart == wager:
                equal += 1
            elif counterpart is None or counterpart.net_cents is None:
                still_open += 1
            else:
                different.append(f"round {one.round}: {wager} in truth, {counterpart} in the account")
    rounds = {one.round for one in truth.rounds}
    extra = [
        f"round {number}: {counterpart} is in no truth"
        for (number, _, _), counterpart in account_wagers.items()
        if number in rounds
    ]
    return Comparison(wagers, equal, still_open, (*different, *extra))
