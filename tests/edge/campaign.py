"""Every edge that comes with the program, computed anew and held against the analyser in C.

python -m tests.edge.campaign [--deals N] [--seed S]
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from fractions import Fraction
from pathlib import Path
from typing import Final, NamedTuple

from controller.core.analysis.computed_edge import BILLIONTH
from controller.core.game.rules import Rules
from controller.formats.config.known_edges import KnownEdge
from controller.io.files.known_edges import shipped
from tests.edge.shipped import computed, rules_of

SOURCE: Final = Path(__file__).with_name("analyser.c")

WITHIN: Final = Fraction(2, 100_000)
"""Of the wager: 0.002 points."""

ERRORS: Final = 4
"""Standard errors of the dealt part beyond which an edge is not the analyser's."""


class Analysed(NamedTuple):
    """What the analyser came to, and the standard error of what it dealt."""

    edge: Fraction
    error: Fraction


def compiled(folder: Path) -> Path:
    """The analyser, compiled into a folder."""
    program = folder / "analyser"
    subprocess.run(["cc", "-O2", "-Wall", "-Wextra", "-o", program, SOURCE, "-lm"], check=True)
    return program


def analysed(program: Path, rules: Rules, deals: int, seed: int) -> Analysed:
    """The edge of rules the analyser knows, each kind of split box dealt so many times."""
    flags = (
        rules.decks,
        int(rules.soft_17 == "hit"),
        int(rules.surrender == "late"),
        int(rules.double_on == "nine_to_eleven"),
        rules.max_hands,
        int(rules.resplit_aces),
    )
    words = [str(one) for one in (*flags, deals, seed)]
    done = subprocess.run([program, *words], check=True, capture_output=True, text=True)
    return Analysed(*(Fraction(one) for one in done.stdout.split()))


def agrees(line: KnownEdge, found: Analysed) -> bool:
    """Whether an edge is within 0.002 points of the analyser's, and within what its deals leave open."""
    off = abs(Fraction(line.edge, BILLIONTH) - found.edge)
    return off < WITHIN and off < ERRORS * found.error


def main() -> int:
    """Compare every line; 1 if one does not agree."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--deals", type=int, default=8_000_000)
    parser.add_argument("--seed", type=int, default=1)
    wanted = parser.parse_args()
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        program = compiled(Path(folder))
        for line in computed():
            found = analysed(program, rules_of(line.profile, line.options), wanted.deals, wanted.seed)
            fit = agrees(line, found) and shipped()[line.hash].edge == line.edge
            wrong += not fit
            edge = f"{line.edge / BILLIONTH:.9f} analyser {float(found.edge):.9f} +-{float(found.error):.9f}"
            print(f"{line.profile} {line.options}: {edge} {'ok' if fit else 'DIFFERS'}", flush=True)
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
