"""The main wager's edge for commands: as it comes with the program, else computed while a person waits."""

from __future__ import annotations

from typing import Final

from controller.commands.terminal import say
from controller.core.analysis.computed_edge import MainEdge, main_edge
from controller.core.game.rules import Rules
from controller.io.files.known_edges import known

COMPUTING: Final = "tableside: no edge comes with the program for these rules; computing it, about ten seconds"


def edge_of(rules: Rules) -> MainEdge:
    """The main wager under these rules, to a billionth of the wager."""
    found = known(rules)
    if found is None:
        say(COMPUTING, err=True)
        found = main_edge(rules).rounded()
    return found
