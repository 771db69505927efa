"""The oracle and the product side by side on the same lines, and the smallest lines on which they still differ."""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from random import Random
from typing import Any, Final

from controller.core.census import Census
from controller.core.dues import Due, agreed_drawn, agreed_hands, insurance_due, main_due
from controller.core.hand import place_of, points_of, seen
from controller.core.moves import CardCame, ChipsMoved, KeySpoke
from controller.core.reconstruction import Answer, Dated, Reconstruction, TooManyOrders
from controller.core.rules import Options, Rules
from firmware_protocols.cards import Card
from tests.oracle.adversary import bent, thrown
from tests.oracle.generator import honest
from tests.oracle.house import DOUBTS
from tests.oracle.lines import nanoseconds
from tests.oracle.oracle import readings

Line = dict[str, Any]
View = dict[str, Any]

RULES: Final = {
    "hollywood-penn-national": Rules(name="hollywood-penn-national", max_hands=3, surrender="late"),
    "hollywood-perryville": Rules(name="hollywood-perryville", insurance_cap="half_up_to_next_chip"),
    "borgata": Rules(name="borgata", even_money=True),
    "classic-shoe-and-pitch": Rules(name="classic-shoe-and-pitch", resplit_aces=True, double_on="any"),
    "pitch-h17": Rules(name="pitch-h17", soft_17="hit", split_by="rank", double_on="nine_to_eleven"),
}


def rules_of(header: Line) -> Rules:
    """The product's rules for a header line."""
    options = dict(header["options"])
    profile = RULES[header["profile"]]
    surrender = options.pop("surrender", profile.surrender)
    if "even_money" in options:
        options["even_money_shown"] = options.pop("even_money")
    kept = {name: getattr(profile, name) for name in profile.__struct_fields__}
    return Rules(**kept | {"surrender": surrender, "options": Options(**options)})


class Product:
    """The product's lattice, fed line by line."""

    def __init__(self, header: Line) -> None:
        self.spots = tuple(sorted(int(spot) for spot in header["wagers"]))
        wagers = [header["wagers"][str(spot)]["main"] for spot in self.spots]
        self.found = Reconstruction.begin(rules_of(header), wagers)
        self.content = {(spot, "main"): cents for spot, cents in zip(self.spots, wagers, strict=True)}
        self.faces: list[str] = []
        self.dropped: list[int] = []
        self.answers: tuple[Answer, ...] = ()
        self.closed = False

    def take(self, number: int, line: Line) -> None:
        at = line.get("t", number)
        first, last = (nanoseconds(t) for t in (at if isinstance(at, list) else (at, at)))
        match line:
            case {"card": face}:
                self.found = self.found.observe(Dated(first, last, CardCame(seen(len(self.faces), Card(face)))))
                self.faces.append(face)
            case {"zone": zone, "spot": spot, "cents": cents}:
                before = self.content.get((spot, zone), 0)
                self.content[spot, zone] = cents
                if before != cents:
                    moved = ChipsMoved(self.spots.index(spot), zone, before, cents)
                    self.moved(number, Dated(first, last, moved))
            case {"key": key}:
                named = self.spots.index(line["spot"]) if "spot" in line else None
                self.found = self.found.observe(Dated(first, last, KeySpoke(key, named)))
            case {"answer": answer}:
                said = {name: value for name, value in answer.items() if name != "spot"}
                self.answers = (*self.answers, Answer(box=self.spots.index(answer["spot"]), **said))
                self.found = self.found.again(self.answers)
            case _:
                self.closed = True

    def moved(self, number: int, dated: Dated) -> None:
        after = self.found.observe(dated)
        if after.frontier:
            self.found = after
        else:
            self.dropped.append(number)

    def view(self) -> View:
        count = len(self.spots)
        hole = points_of(seen(0, Card(self.faces[2 * count + 1]))) if len(self.faces) > 2 * count + 1 else None
        plays = Census(self.found, hole, closed=self.closed).plays()
        view: View = {"plays": plays, "dropped": self.dropped}
        if not self.closed or hole is None or not plays:
            return view
        ends = self.found.ends(hole)
        possible: dict[str, dict[str, list[int]]] = {}
        hands: dict[str, Any] = {}
        for box, spot in enumerate(self.spots):
            dues: dict[str, Due | None] = {
                "main": main_due(self.found, ends, box, hole),
                "insurance": insurance_due(self.found, ends, box, hole),
            }
            possible[str(spot)] = {bet: list(due.cents()) for bet, due in dues.items() if due is not None}
            agreed = agreed_hands(ends, box)
            hands[str(spot)] = agreed and [[self.faces[place_of(card)] for card in hand.cards] for hand in agreed]
        drawn = agreed_drawn(ends)
        dealt = [self.faces[count], self.faces[2 * count + 1]]
        dealer = None if drawn is None else dealt + [self.faces[place_of(card)] for card in drawn]
        return view | {"possible_cents": possible, "hands": hands, "dealer": dealer}


def product(lines: list[Line]) -> View:
    """What the product says of the lines."""
    taking = Product(lines[0])
    for number, line in enumerate(lines[1:], start=1):
        taking.take(number, line)
    return taking.view()


def oracle(lines: list[Line], doubts: frozenset[str] = DOUBTS) -> View:
    """What the oracle says of them, as far as the product's lattice answers it."""
    answer = readings(lines, doubts=doubts)
    view: View = {"plays": answer.plays, "dropped": list(answer.dropped)}
    if "close" not in lines[-1] or not answer.plays:
        return view
    hands = {spot: hands for spot, hands in answer.hands.items() if answer.stakes[spot] is not None}
    return view | {"possible_cents": answer.possible_cents, "hands": hands, "dealer": answer.dealer}


def differ(lines: list[Line], doubts: frozenset[str] = DOUBTS) -> bool:
    """Whether the two differ on evidence that starts with a card; not where the product finds too much left open.

    Of a round that is not closed only its legality and what was dropped are compared; a hand's cards only where its
    stake is agreed on too.
    """
    if any("zone" in line for line in lines[1:2]):
        return False
    try:
        one, other = product(lines), oracle(lines, doubts)
    except TooManyOrders:
        return False
    if "close" not in lines[-1]:
        return (one["plays"] > 0, one["dropped"]) != (other["plays"] > 0, other["dropped"])
    if "hands" in one and "hands" in other:
        one["hands"] = {spot: hands for spot, hands in one["hands"].items() if spot in other["hands"]}
    return one != other


def without(lines: list[Line], name: str, value: str) -> list[Line]:
    return [line for line in lines if line.get(name) != value]


KNOWN: Final[dict[str, tuple[str, str]]] = {}
"""Differences of a known kind vanish with these lines."""


def kind_of(lines: list[Line]) -> str | None:
    """The known kind of a difference; an empty word for an unknown one; None where the two agree."""
    if not differ(lines):
        return None
    for kind, (name, value) in KNOWN.items():
        fewer = without(lines, name, value)
        if len(fewer) < len(lines) and not differ(fewer):
            return kind
    return ""


def smaller(lines: list[Line]) -> Iterator[list[Line]]:
    """Slightly simpler evidence: a line less, a box less, an option less, an interval made a moment."""
    for number in range(len(lines) - 1, 0, -1):
        yield lines[:number] + lines[number + 1 :]
    header = lines[0]
    for option in header["options"]:
        yield [header | {"options": {k: v for k, v in header["options"].items() if k != option}}, *lines[1:]]
    yield from (without_box(lines, spot) for spot in header["wagers"] if len(header["wagers"]) > 1)
    if any("t" in line for line in lines[1:]):
        yield [{k: v for k, v in line.items() if k != "t"} for line in lines]
    for number, line in enumerate(lines):
        if isinstance(line.get("t"), list):
            for t in line["t"]:
                yield [*lines[:number], line | {"t": t}, *lines[number + 1 :]]


def without_box(lines: list[Line], spot: str) -> list[Line]:
    """The box's first two cards and its chips and keys are gone (its later cards are somebody else's)."""
    header = lines[0]
    spots = sorted(header["wagers"], key=int)
    places = {spots.index(spot), spots.index(spot) + len(spots) + 1}
    kept: list[Line] = [header | {"wagers": {s: w for s, w in header["wagers"].items() if s != spot}}]
    place = 0
    for line in lines[1:]:
        gone = line.get("spot") == int(spot) or line.get("answer", {}).get("spot") == int(spot)
        if "card" in line:
            gone, place = place in places, place + 1
        if not gone:
            kept.append(line)
    return kept


def shrunk(lines: list[Line], still: Callable[[list[Line]], bool] = differ) -> list[Line]:
    """The smallest lines reached by simplifying while the two still differ."""
    while True:
        for fewer in smaller(lines):
            if still(fewer):
                lines = fewer
                break
        else:
            return lines


def told(lines: list[Line]) -> str:
    """A difference as JSON lines with both answers."""
    views = {"oracle": oracle(lines), "product": product(lines)}
    return "\n".join(json.dumps(line) for line in [*lines, views])


def evidence(seed: int) -> list[Line]:
    """The seed's evidence: a third each of honest, bent and thrown together."""
    match seed % 3:
        case 0:
            return with_answer(seed, honest(seed, boxes=4 if seed % 7 == 0 else 3).lines)
        case 1:
            return bent(seed)
        case _:
            return thrown(seed)


def with_answer(seed: int, lines: list[Line]) -> list[Line]:
    """Now and then somebody has answered, rightly or wrongly."""
    rng = Random(seed)
    if rng.random() < 0.8:
        return lines
    spot = int(rng.choice(list(lines[0]["wagers"])))
    said: Line = rng.choice(
        (
            {"hand": 0, "cards": rng.randint(2, 4)},
            {"doubled": rng.random() < 0.5},
            {"hands": rng.randint(1, 2)},
            {"surrendered": rng.random() < 0.5},
        )
    )
    at = {"t": rng.choice([line["t"] for line in lines[1:] if "card" in line])} if "t" in lines[1] else {}
    return [*lines[:-1], {"answer": {"spot": spot} | said} | at, lines[-1]]


def main(first: int, count: int) -> None:
    """Print every difference of an unknown kind among the seeds, shrunk, and how many there were of each kind."""
    kinds: Counter[str] = Counter()
    for seed in range(first, first + count):
        lines = evidence(seed)
        kind = kind_of(lines)
        kinds[str(kind)] += 1
        if kind == "":
            sys.stdout.write(f"# seed {seed}\n{told(shrunk(lines, lambda fewer: kind_of(fewer) == ''))}\n")
    sys.stdout.write(f"{dict(kinds)}\n")


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
