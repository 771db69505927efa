"""Edges that were computed before: a file of main wagers' and one of side wagers', each known by the rules it hangs on.

A line holds for every table whose rules agree in all that has an effect on the main wager, whatever its profile is
called. When a rule, or the strategy, is changed, the hash is another and no line is found: the edge is then computed.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import Any, Final

import msgspec

from controller.core.analysis.computed_edge import BILLIONTH, MainEdge
from controller.core.game import basic_strategy
from controller.core.game.rules import Rules
from controller.core.game.side_bet import terms_of
from controller.formats.config.profiles import RULE_KEYS
from controller.formats.text.safe_parse import json_as, reads_outside
from firmware_protocols.values import Value

WITHOUT_EFFECT: Final = frozenset(
    {
        *("boxes", "player_cards", "handling", "signals", "point_count", "mid_shoe_entry", "naturals_paid"),
        "settled_before_play",
        *("insurance", "insurance_cap", "insurance_until", "insurance_pays", "losing_insurance_taken", "even_money"),
        *("surrender_turn", "surrender_on", "double_for_less"),
        *("side_wagers", "aggregate_limit_cents", "mystery_fed_by", "mystery_reset_cents", "mystery_ceiling_cents"),
    }
)
"""Rules that change nothing for one box that plays the basic strategy and takes no insurance; so do all other options
than the unit of payouts."""


class KnownEdge(Value, frozen=True, tag=False, forbid_unknown_fields=True):
    """A computed edge, in billionths of the wager, and the profile and table options it was computed for."""

    profile: str
    options: dict[str, Any]
    hash: str
    edge: int
    variance: int
    covariance: int

    def main_edge(self) -> MainEdge:
        """The numbers as fractions."""
        return MainEdge(*(Fraction(one, BILLIONTH) for one in (self.edge, self.variance, self.covariance)))


class SideEdge(Value, frozen=True, tag=False, forbid_unknown_fields=True):
    """A side wager's counted edge, in billionths of the wager; null: a meter pays a row, or nothing can be counted."""

    bet: str
    hash: str
    edge: int | None

    def fraction(self) -> Fraction | None:
        """The edge as a fraction."""
        return None if self.edge is None else Fraction(self.edge, BILLIONTH)


class NoEdges(ValueError):  # noqa: N818 - named for what is missing
    """Text that is no file of edges."""


def edge_hash(rules: Rules) -> str:
    """SHA-256, in hex, of the rules the main wager's edge hangs on and of the strategy's tables."""
    matters: dict[str, Any] = {key: getattr(rules, key) for key in sorted(RULE_KEYS - WITHOUT_EFFECT)}
    matters["payout_unit_cents"] = rules.options.payout_unit_cents
    return hashlib.sha256(msgspec.json.encode([matters, strategy()], order="deterministic")).hexdigest()


def side_hash(rules: Rules, bet: str) -> str:
    """SHA-256, in hex, of what a side wager's edge hangs on: its terms, the decks, and how the dealer draws."""
    matters = [bet, terms_of(rules, bet), rules.decks, rules.soft_17]
    return hashlib.sha256(msgspec.json.encode(matters, order="deterministic")).hexdigest()


def strategy() -> dict[str, Any]:
    """The tables of the basic strategy as plain data."""
    soft_17 = (basic_strategy.HARD_DOUBLES, basic_strategy.SOFT_DOUBLES, basic_strategy.SURRENDERS)
    tables: list[Mapping[int, Iterable[int]]] = [
        basic_strategy.HARD_STANDS,
        {18: basic_strategy.SOFT_18_STANDS},
        *(table for by_rule in soft_17 for _, table in sorted(by_rule.items())),
        *(table for _, table in sorted(basic_strategy.SPLITS.items())),
    ]
    return {str(number): [[row, sorted(ups)] for row, ups in sorted(one.items())] for number, one in enumerate(tables)}


@reads_outside(NoEdges)
def read(text: str) -> dict[str, KnownEdge]:
    """The lines of a file by their hashes.

    Raises:
        NoEdges: it is no such file.
    """
    lines: list[KnownEdge] = json_as(text, list[KnownEdge])
    return {one.hash: one for one in lines}


@reads_outside(NoEdges)
def read_sides(text: str) -> dict[str, SideEdge]:
    """The lines of a side wagers' file by their hashes.

    Raises:
        NoEdges: it is no such file.
    """
    lines: list[SideEdge] = json_as(text, list[SideEdge])
    return {one.hash: one for one in lines}
