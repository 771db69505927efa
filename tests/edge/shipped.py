"""The edges that come with the program: for which rules, and the file written anew.

python -m tests.edge.shipped
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any, Final

import msgspec

from controller.core.analysis.computed_edge import BILLIONTH, MainEdge, main_edge
from controller.core.analysis.expectation import of_side_bet
from controller.core.game.rules import Rules
from controller.formats.config.known_edges import (
    KnownEdge,
    SideEdge,
    edge_hash,
    side_hash,
)
from controller.io.files import known_edges, profile_files

FILE: Final = Path(__file__).parents[2] / "controller" / "profiles" / known_edges.FILE
SIDES: Final = FILE.with_name(known_edges.SIDES)

WANTED: Final[tuple[tuple[str, dict[str, Any]], ...]] = (
    ("borgata", {}),
    ("borgata", {"decks": 6}),
    ("borgata", {"surrender": "late"}),
    ("borgata", {"decks": 6, "surrender": "late"}),
    ("classic-shoe-and-pitch", {}),
    ("classic-shoe-and-pitch", {"decks": 2}),
    ("classic-shoe-and-pitch", {"decks": 8}),
    ("hollywood-penn-national", {}),
    ("hollywood-penn-national", {"decks": 6}),
    ("hollywood-perryville", {}),
    ("hollywood-perryville", {"decks": 6}),
    ("pitch-h17", {}),
    ("pitch-h17", {"decks": 1}),
)
"""Every profile as it is, and the choices its card leaves to the table."""


def rules_of(profile: str, options: dict[str, Any]) -> Rules:
    """A profile's rules with a table's options."""
    return profile_files.load(profile, options).rules


def known_edge(profile: str, options: dict[str, Any], rules: Rules, found: MainEdge) -> KnownEdge:
    """A line of the main wagers' file."""
    return KnownEdge(profile, options, edge_hash(rules), *(int(one * BILLIONTH) for one in found.rounded()))


def side_edge(rules: Rules, bet: str, edge: Fraction | None) -> SideEdge:
    """A line of the side wagers' file."""
    return SideEdge(bet, side_hash(rules, bet), None if edge is None else round(edge * BILLIONTH))


def written(lines: Iterable[KnownEdge | SideEdge]) -> str:
    """The file: a JSON list with a line for each edge."""
    return "[\n" + ",\n".join(msgspec.json.encode(one).decode() for one in lines) + "\n]\n"


def computed() -> Iterator[KnownEdge]:
    """Every line, computed now; equal rules are computed once."""
    found: dict[str, MainEdge] = {}
    for profile, options in WANTED:
        rules = rules_of(profile, options)
        key = edge_hash(rules)
        if key not in found:
            found[key] = main_edge(rules)
        yield known_edge(profile, options, rules, found[key])


def counted() -> Iterator[SideEdge]:
    """Every line of the side wagers' file, counted now; what hangs on the same is counted once."""
    found: set[str] = set()
    for rules in (rules_of(profile, options) for profile, options in WANTED):
        for bet in rules.side_bets:
            if side_hash(rules, bet) not in found:
                found.add(side_hash(rules, bet))
                theory = of_side_bet(rules, bet)
                yield side_edge(rules, bet, None if theory is None else theory.edge)


if __name__ == "__main__":
    SIDES.write_text(written(counted()), encoding="utf-8")
    FILE.write_text(written(computed()), encoding="utf-8")
