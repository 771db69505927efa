"""The edges that come with the program."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from importlib import resources
from typing import Final

from controller.core.analysis.computed_edge import MainEdge
from controller.core.game.rules import Rules
from controller.formats.config import known_edges
from controller.formats.config.known_edges import KnownEdge, SideEdge, edge_hash, side_hash

FILE: Final = "main_edges.json"
SIDES: Final = "side_edges.json"


@cache
def shipped() -> dict[str, KnownEdge]:
    """Every edge that comes with the program, by the hash of the rules it hangs on."""
    return known_edges.read(resources.files("controller.profiles").joinpath(FILE).read_text(encoding="utf-8"))


def known(rules: Rules) -> MainEdge | None:
    """The edge of these rules if it comes with the program."""
    line = shipped().get(edge_hash(rules))
    return None if line is None else line.main_edge()


@cache
def shipped_sides() -> dict[str, SideEdge]:
    """Every side wager's edge that comes with the program, by the hash of what it hangs on."""
    text = resources.files("controller.profiles").joinpath(SIDES).read_text(encoding="utf-8")
    return known_edges.read_sides(text)


def known_sides(rules: Rules) -> dict[str, Fraction]:
    """The edges of the side wagers of these rules that come with the program."""
    lines = {bet: shipped_sides().get(side_hash(rules, bet)) for bet in rules.side_bets}
    edges = {bet: line.fraction() for bet, line in lines.items() if line is not None}
    return {bet: edge for bet, edge in edges.items() if edge is not None}
