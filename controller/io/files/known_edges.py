"""The edges that come with the program."""

from __future__ import annotations

from functools import cache
from importlib import resources
from typing import Final

from controller.core.analysis.computed_edge import MainEdge
from controller.core.game.rules import Rules
from controller.formats.config import known_edges
from controller.formats.config.known_edges import KnownEdge, edge_hash

FILE: Final = "main_edges.json"


@cache
def shipped() -> dict[str, KnownEdge]:
    """Every edge that comes with the program, by the hash of the rules it hangs on."""
    return known_edges.read(resources.files("controller.profiles").joinpath(FILE).read_text(encoding="utf-8"))


def known(rules: Rules) -> MainEdge | None:
    """The edge of these rules if it comes with the program."""
    line = shipped().get(edge_hash(rules))
    return None if line is None else line.main_edge()
