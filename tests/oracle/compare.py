"""The oracle and the product side by side on the same lines, and the smallest lines on which they still differ."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from typing import Any, Final

import msgspec

from controller.commands.reconstruct import recounts
from controller.core.inference.case import RoundCase
from controller.formats.cases.reconstruct_input import read_lines
from tests.oracle.house import DOUBTS
from tests.oracle.lines import dropped_changes
from tests.oracle.oracle import Answer, each, readings
from tests.oracle.search import TooWide
from tests.oracle.varied import evidence

Line = dict[str, Any]
View = dict[str, Any]

WHOLE: Final = ("plays", "hands", "stakes", "dealer", "due_cents", "possible_cents")
"""What is compared of a closed round, besides the changes that were dropped."""

SO_FAR: Final = ("plays", "hands", "stakes", "dealer", "due_cents")
"""What is compared of an open one."""


def recounted(lines: list[Line]) -> Iterator[tuple[RoundCase, Line]]:
    """``tableside reconstruct`` on the lines, after each."""
    yield from zip(recounts(read_lines(map(json.dumps, lines))), lines, strict=True)


def product(lines: list[Line]) -> View:
    """What the product says of the lines."""
    *_, (recount, _) = recounted(lines)
    return seen(msgspec.to_builtins(recount.account()), lines)


def seen(answer: View, lines: list[Line]) -> View:
    """The part of the product's answer that is compared."""
    if answer["irregularity"] and "too many" in answer["irregularity"]:
        raise TooMuch
    kept = WHOLE if "close" in lines[-1] else SO_FAR
    if not answer["plays"]:
        return {"plays": 0}
    view = {name: plain(answer[name]) for name in kept}
    dropped = [[a["spot"], a["zone"], a["before_cents"], a["after_cents"]] for a in answer["alerts"]]
    return view | {"dropped": dropped}


class TooMuch(Exception):  # noqa: N818 - a limit, raised instead of an answer
    """The product finds too much left open."""


def plain(value: Any) -> Any:
    """As JSON has it: tuples are lists."""
    return json.loads(json.dumps(value))


def oracle(lines: list[Line]) -> View:
    """What the oracle says of them."""
    return shown(readings(lines, doubts=DOUBTS), lines)


def shown(answer: Answer, lines: list[Line]) -> View:
    """The part of the oracle's answer that is compared."""
    kept = WHOLE if "close" in lines[-1] else SO_FAR
    if not answer.plays:
        return {"plays": 0}
    view = {name: plain(getattr(answer, name)) for name in kept}
    return view | {"dropped": dropped_changes(lines, answer.dropped)}


def differ(lines: list[Line]) -> bool:
    """Whether the two differ on evidence with a card; not where the product finds too much left open."""
    if not any("card" in line for line in lines):
        return False
    try:
        one, other = product(lines), oracle(lines)
    except TooMuch:
        return False
    unshown = lines[0]["options"].get("surrender_shown") == "sometimes" or any("answer" in line for line in lines)
    if "close" not in lines[-1] and unshown:
        # A surrender that nothing shows is counted by the product once its box's turn has come, not before.
        return bool(one["plays"]) != bool(other["plays"])
    return one != other


def differ_after(lines: list[Line]) -> int:
    """The number of the first line after which the two say different things to the outside; 0: none."""
    ours = [
        seen(msgspec.to_builtins(recount.account(outside=True)), [*lines[:1], line])
        for recount, line in recounted(lines)
    ]
    theirs = each(lines, DOUBTS)
    for number, (one, other) in enumerate(zip(ours[1:], theirs, strict=True), start=1):
        so_far = lines[: number + 1]
        if any("card" in line for line in so_far) and one != shown(other, so_far):
            return number
    return 0


def smaller(lines: list[Line]) -> Iterator[list[Line]]:
    """Slightly simpler evidence: a line less, a box less, an option less, an interval made a moment."""
    for number in range(len(lines) - 1, 0, -1):
        yield lines[:number] + lines[number + 1 :]
    header = lines[0]
    for option in header["options"]:
        if option == "chip_unit_cents" and any("health" in line for line in lines):
            # Where a reader was lost every amount of chips is a play: the oracle would not end.
            continue
        yield [header | {"options": {k: v for k, v in header["options"].items() if k != option}}, *lines[1:]]
    for spot, bets in header["wagers"].items():
        for side in (bet for bet in bets if bet != "main"):
            fewer = {bet: cents for bet, cents in bets.items() if bet != side}
            yield [header | {"wagers": header["wagers"] | {spot: fewer}}, *lines[1:]]
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


def holds(still: Callable[[list[Line]], bool], lines: list[Line]) -> bool:
    """Whether it is still so; not where the oracle cannot decide."""
    try:
        return still(lines)
    except TooWide:
        return False


def shrunk(lines: list[Line], still: Callable[[list[Line]], bool] = differ) -> list[Line]:
    """The smallest lines reached by simplifying while the two still differ."""
    while True:
        for fewer in smaller(lines):
            if holds(still, fewer):
                lines = fewer
                break
        else:
            return lines


def difference_lines(lines: list[Line]) -> str:
    """A difference as JSON lines with both answers."""
    views = {"oracle": oracle(lines), "product": product(lines)}
    return "\n".join(json.dumps(line) for line in [*lines, views])


def main(first: int, count: int, option: str = "") -> None:
    """Print every difference among the seeds, shrunk, and how many there were; only of rounds with this option."""
    found = rounds = wide = 0
    for seed in range(first, first + count):
        lines = evidence(seed)
        if option and option not in lines[0]["options"]:
            continue
        rounds += 1
        try:
            if not differ(lines):
                continue
        except TooWide:
            wide += 1
            continue
        found += 1
        sys.stdout.write(f"# seed {seed}\n{difference_lines(shrunk(lines))}\n")
        sys.stdout.flush()
    sys.stdout.write(f"{rounds} rounds from seed {first}: {found} read differently, {wide} too wide for the oracle\n")


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), *sys.argv[3:])
