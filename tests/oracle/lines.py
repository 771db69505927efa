"""The lines of a round as pieces of evidence, each with the moments it may belong to."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Final

from tests.oracle.house import House, house_of
from tests.oracle.position import Box, Hand, Position

EVER: Final = 10**18
"""Later than any evidence, in nanoseconds."""

FELT: Final = ("main", "insurance", "ez_bust")
"""The zones that say something of the play."""


@dataclass(frozen=True)
class Piece:
    """A card, a change of chips or a key. ``lane`` keeps pieces in the order of the file among themselves."""

    line: int
    first: int
    last: int
    kind: str
    what: str = ""
    spot: int | None = None
    before: int = 0
    after: int = 0
    lane: str = ""


@dataclass
class Round:
    """Everything the lines say."""

    house: House
    wagers: dict[int, dict[str, int]]
    pieces: list[Piece]
    answers: list[dict[str, Any]]
    dead: list[tuple[int, int, int]]
    """Spot, from, to."""
    close: bool = False

    def boxes(self) -> tuple[Box, ...]:
        """The boxes in play with their chips before the first card."""
        found = []
        for spot in sorted(self.wagers):
            if wager := self.wagers[spot].get("main", 0):
                chips = 0 if self.wagers[spot].get("declared") else wager
                found.append(Box(spot, wager, chips, (Hand((), wager),)))
        return tuple(found)

    def side_wagers(self, spot: int) -> dict[str, int]:
        """What was wagered at a spot before the deal besides its main wager."""
        return {bet: cents for bet, cents in self.wagers[spot].items() if cents and bet not in (*FELT, "declared")}

    def start(self) -> Position:
        return Position(self.boxes())


def read(
    lines: list[dict[str, Any]], doubts: frozenset[str] = frozenset(), *, later: list[dict[str, Any]] | None = None
) -> Round:
    """Raises ``ValueError`` or ``KeyError`` on lines that are not of the format.

    A box that somebody declares was in play from the first card on, be it said ``later``.
    """
    header = lines[0]
    wagers = {int(spot): dict(bets) for spot, bets in header["wagers"].items()}
    found = Round(replace(house_of(header), doubts=doubts), wagers, [], [], [])
    content: dict[tuple[int, str], int] = {}
    for line in [*lines, *(later or ())]:
        if "declare" in line:
            found.wagers[line["declare"]["spot"]] = {"main": line["declare"]["main"], "declared": 1}
    for number, line in enumerate(lines[1:], start=1):
        at = line.get("t", number + 1)
        first, last = (nanoseconds(t) for t in (at if isinstance(at, list) else (at, at)))
        match line:
            case {"card": face}:
                found.pieces.append(Piece(number, first, last, "card", face, lane="card"))
            case {"spot": spot, "zone": zone, "cents": cents}:
                chip_line(found, content, Piece(number, first, last, "chips", zone, spot, 0, cents, f"{spot} {zone}"))
            case {"key": key}:
                found.pieces.append(Piece(number, first, last, "key", key, line.get("spot"), lane=f"key {number}"))
            case {"answer": answer}:
                found.answers.append(answer)
            case {"declare": _}:
                pass
            case {"health": device, "from": start, "to": end}:
                if device.startswith("reader "):
                    found.dead.append((int(device.split()[1]), nanoseconds(start), nanoseconds(end)))
            case {"close": True}:
                found.close = True
            case _:
                raise ValueError(f"line {number}: {line}")
    slacken(found)
    return found


def nanoseconds(seconds: float) -> int:
    return round(seconds * 1_000_000_000)


def chip_line(found: Round, content: dict[tuple[int, str], int], piece: Piece) -> None:
    """Before the first card chips are wagers; after it they are evidence of a change."""
    assert piece.spot is not None
    address = piece.spot, piece.what
    if not any(other.kind == "card" for other in found.pieces):
        found.wagers.setdefault(piece.spot, {})[piece.what] = piece.after
        return
    before = content.get(address, found.wagers.get(piece.spot, {}).get(piece.what, 0) if piece.what == "main" else 0)
    if found.wagers.get(piece.spot, {}).get("declared") and address not in content:
        before = 0
    content[address] = piece.after
    watched = all(spot != piece.spot for spot, _, _ in found.dead)
    if piece.what in FELT and (before != piece.after or not watched):
        found.pieces.append(replace(piece, before=before))


def slacken(found: Round) -> None:
    """With key slack a press may belong one card earlier or later; presses keep their order.

    Between which cards it came is shown by the order of arrival.
    """
    if not found.house.key_slack:
        return
    cards = [piece for piece in found.pieces if piece.kind == "card"]
    for index, piece in enumerate(found.pieces):
        if piece.kind == "key":
            earlier = [card.first for card in cards if card.line < piece.line][-2:]
            later = [card.first for card in cards if card.line > piece.line][:2]
            first = earlier[0] + 1 if len(earlier) == 2 else 0
            last = later[1] - 1 if len(later) == 2 else EVER
            found.pieces[index] = replace(piece, first=min(first, piece.first), last=max(first, last), lane="key")


def dropped_changes(lines: list[dict[str, Any]], dropped: tuple[int, ...]) -> list[list[Any]]:
    """Spot, zone and the content before and after of the changes of chips in these lines."""
    content: dict[tuple[int, str], int] = {}
    dealt = False
    found: list[list[Any]] = []
    for spot, bets in lines[0]["wagers"].items():
        content.update({(int(spot), zone): cents for zone, cents in bets.items()})
    for number, line in enumerate(lines):
        dealt = dealt or "card" in line
        if "zone" in line:
            address = line["spot"], line["zone"]
            if dealt and number in dropped:
                found.append([*address, content.get(address, 0), line["cents"]])
            content[address] = line["cents"]
    return found
