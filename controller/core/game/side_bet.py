"""What a side wager is: one module in ``side_bets/`` with a ``BET``, found by looking.

A bet only names the row its cards make; what a row is worth is said by the ``SideBetTerms`` of the profile and counted
here, once for all bets. A row is named as soon as the cards that lie open decide it, and never before.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import IntEnum
from functools import lru_cache
from typing import Final, Literal, NamedTuple, cast

import msgspec
from msgspec.structs import replace

import controller.core.game.side_bets
from controller.core.game.rules import Rules, SideBetTerms
from firmware_protocols.cards import Card

LOST: Final = ""
"""The row of a wager that wins nothing."""

PUSH: Final = "push"
"""The row of a wager that is returned."""


class Stage(IntEnum):
    """The earliest moment at which a wager can be decided."""

    DEAL = 0
    """When the first cards lie there."""
    TURN = 1
    """When the dealer's second card is turned."""
    END = 2
    """When the dealer's hand is complete, or every hand broke."""


class View(NamedTuple):
    """What lies open for one box's wager."""

    first: Card
    second: Card
    up: Card
    dealer: tuple[Card, ...] = ()
    """All the dealer's cards; empty until the second one is turned, the up card alone where none was needed."""
    complete: bool = False
    """Whether the dealer's hand is final."""
    all_broke: bool | None = None
    """Whether every hand of every box broke; None while that may still change."""


@dataclass(frozen=True)
class SideBet:
    """One side wager.

    ``row(terms, view)`` names the row the cards make: ``LOST``, ``PUSH``, one of ``rows``, or None while the cards that
    lie open do not decide it. ``choices`` are the readings of the card it knows, by key, the usual one first.
    """

    name: str
    title: str
    placed: Literal["before_deal", "after_deal"]
    decided: Stage
    rows: tuple[str, ...]
    usual: SideBetTerms
    source: str
    """The card or regulation that ``usual`` comes from."""
    row: Callable[[SideBetTerms, View], str | None]
    choices: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def chosen(self, terms: SideBetTerms, key: str) -> str:
        """The reading in force."""
        return chosen(self.choices, terms, key)


def chosen(choices: Mapping[str, tuple[str, ...]], terms: SideBetTerms, key: str) -> str:
    """The reading in force of ``key``: the profile's, or the usual one."""
    return terms.choices.get(key, choices[key][0])


@lru_cache(maxsize=1)
def names() -> tuple[str, ...]:
    """The side wagers there are, in alphabetical order."""
    found = pkgutil.iter_modules(controller.core.game.side_bets.__path__)
    return tuple(sorted(module.name for module in found if not module.name.startswith("_")))


@lru_cache(maxsize=64)
def find(name: str) -> SideBet:
    """The side wager of this name.

    Raises:
        KeyError: there is none.
    """
    if name not in names():
        raise KeyError(name)
    return cast("SideBet", importlib.import_module(f"controller.core.game.side_bets.{name}").BET)


def terms_of(rules: Rules, name: str) -> SideBetTerms:
    """What a side wager pays under these rules: the profile's terms, or the usual ones."""
    known = rules.side_bet_terms.get(name)
    return find(name).usual if known is None else known


def meter_winners(rules: Rules, name: str) -> str:
    """What two winners of the whole meter in one round do, ``share`` or ``in_turn`` (A23); sharing is the usual one."""
    bet = find(name)
    return bet.chosen(terms_of(rules, name), "two_meter_winners") if "two_meter_winners" in bet.choices else "share"


class SideNet(msgspec.Struct, frozen=True, cache_hash=True):
    """What a side wager comes to: the net in cents, the row that decided it, whether the aggregate limit lowered it."""

    cents: int
    bet: str
    row: str
    limited: bool = False

    def lowered(self, cents: int) -> SideNet:
        """The net once the aggregate limit has been applied."""
        return replace(self, cents=cents, limited=cents < self.cents)

    @property
    def why(self) -> str:
        """The sentence for people."""
        if self.row in {LOST, PUSH}:
            return f"{find(self.bet).title}: {'push' if self.row == PUSH else 'loses'}"
        limited = ", held to the aggregate limit of the round" if self.limited else ""
        return f"{find(self.bet).title}: {self.row.replace('_', ' ')}{limited}"


def fixed_net_cents(terms: SideBetTerms, row: str, stake_cents: int) -> int | None:
    """The net of a row that no meter pays: odds "to one", or an award "for one"; None for a row of the meter."""
    if row == LOST:
        return -stake_cents
    if row == PUSH:
        return 0
    if row in terms.pays:
        ahead, to = terms.pays[row]
        return stake_cents * ahead // to
    if row in terms.awards_cents:
        return terms.awards_cents[row] - stake_cents
    return None if row in terms.meter_shares else -stake_cents
