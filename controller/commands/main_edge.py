"""The main wager's edge for commands: as it comes with the program, else computed while a person waits."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from controller.commands.terminal import say

if TYPE_CHECKING:
    from controller.core.analysis.computed_edge import MainEdge
    from controller.core.game.rules import Rules

COMPUTING: Final = "tableside: no edge comes with the program for these rules; computing it, about ten seconds"


def edge_of(rules: Rules) -> MainEdge:
    """The main wager under these rules, to a billionth of the wager."""
    from controller.core.analysis.computed_edge import main_edge
    from controller.io.files.known_edges import known

    found = known(rules)
    if found is None:
        say(COMPUTING, err=True)
        found = main_edge(rules).rounded()
    return found
