"""Evidence of every kind the page knows: unread cards, declared boxes, dead readers, side wagers, answers."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any, Final

from tests.oracle.adversary import bent, late, thrown
from tests.oracle.generator import honest

Line = dict[str, Any]
Variation = Callable[[Random, list[Line]], list[Line]]


def evidence(seed: int) -> list[Line]:
    """The seed's evidence: a third each of honest, bent and thrown together, some of it varied."""
    rng = Random(7 * seed + 3)
    match seed % 3:
        case 0:
            lines = honest(seed, boxes=4 if seed % 7 == 0 else 3, bust_bets=True).lines
        case 1:
            lines = bent(seed)
        case _:
            lines = thrown(seed)
    for likely, variation in VARIATIONS:
        if rng.random() < likely:
            lines = variation(rng, lines)
    # Streams of their own: the rest of a seed's evidence is what it was before there were these.
    rng = Random(f"hard pieces of {seed}")
    for likely, variation in HARDER:
        if rng.random() < likely:
            lines = variation(rng, lines)
    rng = Random(f"parts of {seed}")
    if rng.random() < IN_PARTS:
        lines = laid_in_parts(rng, lines)
    rng = Random(f"side wagers of {seed}")
    return limited(rng, lines) if rng.random() < LIMITED else lines


IN_PARTS: Final = 0.25
"""How often chips that raise a main wager are laid in two movements."""

LIMITED: Final = 0.5
"""How often a house with side wagers has all of them made, mostly with a limit on what they win together."""


def of_kind(seed: int, variation: Variation) -> list[Line]:
    """A small round with one variation."""
    rng = Random(7 * seed + 3)
    return variation(rng, honest(seed, boxes=2, bust_bets=True).lines)


def places(lines: list[Line], kind: str) -> list[int]:
    """The numbers of the lines of a kind."""
    return [number for number, line in enumerate(lines) if number and kind in line]


def spots_of(lines: list[Line]) -> list[int]:
    return [*map(int, lines[0]["wagers"]), *(line["declare"]["spot"] for line in lines if "declare" in line)]


def timed(lines: list[Line], number: int) -> dict[str, Any]:
    """A time for a line put in before the line of this number."""
    before = [line["t"] for line in lines[:number] if "t" in line]
    return {"t": late(before[-1])} if before else {}


def unread(rng: Random, lines: list[Line]) -> list[Line]:
    """A card, now and then two, could not be read."""
    cards = places(lines, "card")
    chosen = rng.sample(cards, min(len(cards), 2 if rng.random() < 0.1 else 1))
    return [line | {"card": "??"} if number in chosen else line for number, line in enumerate(lines)]


def declared(rng: Random, lines: list[Line]) -> list[Line]:
    """One box plays without chips; what is laid beside its cash is seen."""
    spot = rng.choice(spots_of(lines))
    wager = lines[0]["wagers"][str(spot)]["main"]
    wagers = {name: bets for name, bets in lines[0]["wagers"].items() if int(name) != spot}
    declaration = {"declare": {"spot": spot, "main": wager}}
    declared_late = rng.random() < 0.3 and "close" in lines[-1]
    varied: list[Line] = [lines[0] | {"wagers": wagers}, *([] if declared_late else [declaration])]
    for line in lines[1:]:
        if line.get("spot") == spot and line.get("zone") == "main":
            if line["cents"] > wager:
                varied.append(line | {"cents": line["cents"] - wager})
            continue
        varied.append(line)
    return [*varied[:-1], declaration, varied[-1]] if declared_late else varied


def laid_first(rng: Random, lines: list[Line]) -> list[Line]:
    """A wager is laid before the first card instead of standing in the header."""
    spot = rng.choice(list(lines[0]["wagers"]) or [""])
    if not spot:
        return lines
    wager = lines[0]["wagers"][spot]["main"]
    bets = lines[0]["wagers"] | {spot: {"main": rng.choice((100, wager, 500))}}
    time = {"t": 0} if any("t" in line for line in lines) else {}
    return [lines[0] | {"wagers": bets}, {"spot": int(spot), "zone": "main", "cents": wager} | time, *lines[1:]]


def strict(lines: list[Line]) -> list[Line]:
    """The lines without their times: then their order is that of the file."""
    return [{name: value for name, value in line.items() if name != "t"} for line in lines]


def may_go_deaf(lines: list[Line]) -> bool:
    """Every amount of a double that nobody saw is a play: the wagers must be of large chips, for there to be few."""
    odd = any(bets["main"] % 500 for bets in lines[0]["wagers"].values())
    return not odd and len(places(lines, "card")) >= 3 and "close" in lines[-1]


def deaf(rng: Random, lines: list[Line]) -> list[Line]:
    """A reader died and did not come back: what it would have reported is missing, and the last line but one says so.

    The smallest chip is large, and every line has a second of its own.
    """
    if not may_go_deaf(lines):
        return lines
    lines = strict(lines)
    spot, first = rng.choice(spots_of(lines)), rng.choice(places(lines, "card")[2:])
    header = lines[0] | {"options": lines[0]["options"] | {"chip_unit_cents": 500}}
    heard = [
        line | {"t": number + 1}
        for number, line in enumerate(lines[1:-1], start=1)
        if not (line.get("spot") == spot and "zone" in line and number >= first)
    ]
    return [header, *heard, {"health": f"reader {spot}", "from": first + 1, "to": 10**6}, lines[-1]]


def deaf_for_a_while(rng: Random, lines: list[Line]) -> list[Line]:
    """A reader died and came back: what changed meanwhile is reported by its first inventory, with the whole interval.

    That may come some time after its return. The silence itself is reported before that, or at the end. The smallest
    chip is large, and every line has a second of its own.
    """
    if not may_go_deaf(lines):
        return lines
    lines = strict(lines)
    spot, first = rng.choice(spots_of(lines)), rng.choice(places(lines, "card")[2:])
    last = rng.randint(first, len(lines) - 2)
    seen = last + 1.5
    back = rng.choice((seen, rng.randint(first, last) + 0.8))
    header = lines[0] | {"options": lines[0]["options"] | {"chip_unit_cents": 500}}
    content: dict[str, int] = {**header["wagers"].get(str(spot), {})}
    silence: Line = {"health": f"reader {spot}", "from": first + 0.5, "to": back}
    known = rng.random() < 0.5
    heard: list[Line] = []
    missed: dict[str, int] = {}
    for number, line in enumerate(lines[1:-1], start=1):
        own = line.get("spot") == spot and "zone" in line
        if own and first <= number <= last:
            missed[line["zone"]] = line["cents"]
        else:
            heard.append(line | {"t": number + 1})
            if own:
                content[line["zone"]] = line["cents"]
        if number == last:
            heard += [silence] if known else []
            for zone, cents in missed.items():
                if cents != content.get(zone, 0):
                    heard.append({"spot": spot, "zone": zone, "cents": cents, "t": [first + 0.5, seen]})
    return [header, *heard, *([] if known else [silence]), lines[-1]]


def side_wagers(rng: Random, lines: list[Line]) -> list[Line]:
    """Side wagers decided by the first cards, where the profile has them."""
    if not lines[0]["profile"].startswith("hollywood"):
        return lines
    wagers = {
        spot: bets | {name: 500 for name in ("lucky_ladies", "twenty_one_plus_three") if rng.random() < 0.5}
        for spot, bets in lines[0]["wagers"].items()
    }
    return [lines[0] | {"wagers": wagers}, *lines[1:]]


SIDE_STAKES: Final = {
    "lucky_ladies": (500, 500, 100, 505, 2500),
    "twenty_one_plus_three": (500, 500, 100, 333, 2500),
    "blazing7s": (500,),
    "five_card_progressive": (100, 2500),
}


def limited(rng: Random, lines: list[Line]) -> list[Line]:
    """Every side wager the profile has is made often, and what they win in a round is mostly limited."""
    if not lines[0]["profile"].startswith("hollywood"):
        return lines
    stakes = SIDE_STAKES if lines[0]["profile"] == "hollywood-penn-national" else dict([*SIDE_STAKES.items()][:2])
    wagers = {
        spot: bets | {bet: rng.choice(cents) for bet, cents in stakes.items() if rng.random() < 0.6}
        for spot, bets in lines[0]["wagers"].items()
    }
    options = lines[0]["options"]
    if rng.random() < 0.85:
        cents = rng.choice((1, 99, 500, 501, 1000, 1500, 2000, 2500, 3333, 5000, 7000, 12_000, 100_000, 600_000))
        options = options | {"aggregate_limit_cents": cents}
    return [lines[0] | {"options": options, "wagers": wagers}, *lines[1:]]


def answered(rng: Random, lines: list[Line]) -> list[Line]:
    """Somebody has answered at the end, rightly or wrongly."""
    spot = rng.choice(spots_of(lines))
    answer: Line = rng.choice(
        (
            {"hand": rng.choice((0, 0, 1)), "cards": rng.randint(2, 4)},
            {"doubled": rng.random() < 0.5},
            {"hands": rng.randint(1, 2)},
            {"surrendered": rng.random() < 0.5},
        )
    )
    at = len(lines) - 1
    if "close" not in lines[-1]:
        return lines
    return [*lines[:at], {"answer": {"spot": spot} | answer} | timed(lines, at), *lines[at:]]


def surrender_offered(_: Random, lines: list[Line]) -> list[Line]:
    """The sign is up at Borgata."""
    if lines[0]["profile"] != "borgata":
        return lines
    return [lines[0] | {"options": lines[0]["options"] | {"surrender": "late"}}, *lines[1:]]


def laid_in_parts(rng: Random, lines: list[Line]) -> list[Line]:
    """Chips that come to a main wager come in two movements, here and there, and now and then with a part too many."""
    lying = {int(spot): bets.get("main", 0) for spot, bets in lines[0]["wagers"].items()}
    varied: list[Line] = []
    for line in lines:
        if line.get("zone") == "main" and "health" not in line:
            before, after = lying.get(line["spot"], 0), line["cents"]
            lying[line["spot"]] = after
            if 0 < before < after - 1 and rng.random() < 0.7:
                varied.append(line | {"cents": rng.choice(((before + after) // 2, before + 1, after + 500))})
        varied.append(line)
    return varied


VARIATIONS: Final[tuple[tuple[float, Variation], ...]] = (
    (0.1, side_wagers),
    (0.1, declared),
    (0.05, laid_first),
    (0.1, surrender_offered),
    (0.2, answered),
    (0.06, unread),
    (0.3, deaf),
    (0.3, deaf_for_a_while),
)
"""How often evidence is varied, and how."""


def sprinkled(rng: Random, lines: list[Line], likely: float, piece: Callable[[], Line]) -> list[Line]:
    """Pieces put in anywhere after the first card, each just after the line before it."""
    varied: list[Line] = []
    for line in lines:
        varied.append(line)
        if "card" in line or (places(varied, "card") and "close" not in line and "health" not in line):
            while rng.random() < likely:
                varied.append(piece() | timed(varied, len(varied)))
    return varied


def surrender_unshown(rng: Random, lines: list[Line]) -> list[Line]:
    """A house whose surrenders need not be shown; its key is pressed and main wagers change at any moment."""
    offered = {"surrender": "late"} if lines[0]["profile"] == "borgata" else {}
    spots, wagers = spots_of(lines), lines[0]["wagers"]

    def piece() -> Line:
        spot = rng.choice(spots)
        if rng.random() < 0.5:
            return {"key": "surrender"} | ({"spot": spot} if rng.random() < 0.6 else {})
        wager = wagers.get(str(spot), {}).get("main", 1000)
        return {"spot": spot, "zone": "main", "cents": rng.choice((0, wager // 2, wager // 2, wager, 3 * wager))}

    header = lines[0] | {"options": lines[0]["options"] | {"surrender_shown": "sometimes"} | offered}
    return sprinkled(rng, [header, *lines[1:]], 0.15, piece)


def zones_touched(rng: Random, lines: list[Line]) -> list[Line]:
    """What is offered after the deal is laid and taken away at any moment, also where it is not offered."""
    zones = ("insurance", "ez_bust") if lines[0]["profile"] == "hollywood-penn-national" else ("insurance",)
    spots = spots_of(lines)

    def piece() -> Line:
        if rng.random() < 0.2:
            return {"key": "hole_turned"}
        return {"spot": rng.choice(spots), "zone": rng.choice(zones), "cents": rng.choice((0, 0, 500, 1000))}

    return sprinkled(rng, lines, 0.12, piece)


def lost_again(rng: Random, lines: list[Line]) -> list[Line]:
    """Readers are lost once or twice more, often one that was lost before."""
    for _ in range(rng.choice((1, 1, 2))):
        lines = (deaf_for_a_while if rng.random() < 0.75 else deaf)(rng, lines)
    return lines


HARDER: Final[tuple[tuple[float, Variation], ...]] = (
    (0.12, surrender_unshown),
    (0.12, zones_touched),
    (0.2, lost_again),
)
"""Pieces that honest people seldom leave behind, and how often there are some."""
