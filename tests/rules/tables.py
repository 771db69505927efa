"""The tables of side wagers' cases in ``tests/cases/side_bets``: one wager, one table."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

import msgspec

from controller.core.game.rules import SideBetTerms
from controller.core.game.side_bet import LOST, View, find, names
from firmware_protocols.cards import Card

FOLDER: Final = Path(__file__).parents[1] / "cases" / "side_bets"
UNDECIDED: Final = "?"
NOTHING: Final = "-"
METER: Final = "meter"


class Case(NamedTuple):
    """One line of a table."""

    bet: str
    line: int
    terms: SideBetTerms
    view: View
    stake_cents: int
    row: str | None
    net: str

    def __str__(self) -> str:
        return f"{self.bet}:{self.line}"


def tables() -> dict[str, tuple[Case, ...]]:
    """Every table by the name of its wager."""
    return {file.stem: tuple(cases(file)) for file in sorted(FOLDER.glob("*.txt"))}


def cases(file: Path) -> Iterator[Case]:
    """The cases of one table."""
    assert file.stem in names(), f"{file.name}: no such side bet: write controller/core/game/side_bets/{file.stem}.py"
    usual = find(file.stem).usual
    terms = usual
    for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), start=1):
        if line.startswith("terms "):
            terms = msgspec.convert(
                {**msgspec.to_builtins(usual), **json.loads(line.removeprefix("terms "))}, SideBetTerms
            )
        elif line and not line.startswith("#"):
            own, dealer, stake, row, net = (part.strip() for part in line.split("|"))
            named = {UNDECIDED: None, NOTHING: LOST}.get(row, row)
            yield Case(file.stem, number, terms, view_of(own, dealer), int(stake), named, net)


def view_of(own: str, dealer: str) -> View:
    """What lies open: ``6c Td 9h done``."""
    first, second = (Card(face) for face in own.split())
    words = dealer.split()
    shown = tuple(Card(word) for word in words if len(word) == 2)
    complete = "done" in words
    all_broke = True if "broke" in words else False if complete else None
    return View(first, second, shown[0], shown if len(shown) > 1 else (), complete, all_broke)
