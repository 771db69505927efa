"""Evidence nobody's round gave: honest lines bent, or lines thrown together. Often no legal reading is left."""

from __future__ import annotations

from random import Random
from typing import Any, Final

from tests.oracle.generator import honest
from tests.oracle.sitting import DECKS

Line = dict[str, Any]
KEYS: Final = ("hit", "stand", "double", "split", "surrender", "even_money", "insurance_closed", "hole_turned")

BUST_BETS: Final = 0.2
"""How often chips that are moved lie in the zone of EZ Bust, where the house has it."""


def bent(seed: int, *, boxes: int = 3) -> list[Line]:
    """An honest round with one to three lines changed, lost, added or dated otherwise."""
    rng = Random(-seed - 1)
    lines = honest(seed, boxes=boxes).lines
    for _ in range(rng.randint(1, 3)):
        lines = rng.choice((lost, added, chips_changed, card_changed, widened, swapped, opened))(rng, lines)
    return lines


def thrown(seed: int) -> list[Line]:
    """One or two boxes dealt, then anything in any order."""
    rng = Random(seed)
    template = honest(seed, boxes=2).lines
    header, ranks = template[0], rng.choice(DECKS)
    spots = [int(spot) for spot in header["wagers"]]
    cards: list[Line] = [a_card(rng, ranks) for _ in range(2 * len(spots) + 2)]
    rest: list[Line] = []
    for _ in range(rng.randint(1, 7)):
        rest.append(rng.choice((a_card(rng, ranks), a_change(rng, header), a_change(rng, header), a_key(rng, spots))))
    lines = [header, *cards, *rest]
    if rng.random() < 0.6:
        lines = dated(rng, lines)
    return [*lines, {"close": True}] if rng.random() < 0.8 else lines


def dated(rng: Random, lines: list[Line]) -> list[Line]:
    """Give every line a second of its own; chips an interval round it."""
    timed: list[Line] = [lines[0]]
    for number, line in enumerate(lines[1:], start=1):
        if "zone" in line:
            timed.append(line | {"t": [number - rng.randint(0, 2) + 0.5, number + 0.5]})
        else:
            timed.append(line | {"t": number})
    return timed


def a_card(rng: Random, ranks: str) -> Line:
    return {"card": rng.choice(ranks) + rng.choice("cdhs")}


def a_key(rng: Random, spots: list[int]) -> Line:
    key = rng.choice(KEYS)
    return {"key": key, "spot": rng.choice(spots)} if rng.random() < 0.5 or key == "even_money" else {"key": key}


def a_change(rng: Random, header: Line) -> Line:
    spot = rng.choice(list(header["wagers"]))
    wager = header["wagers"][spot]["main"]
    if rng.random() < 0.2:
        return {"spot": int(spot), "zone": "insurance", "cents": rng.choice((0, wager // 4, wager // 2, wager))}
    if header["profile"] == "hollywood-penn-national" and rng.random() < BUST_BETS:
        return {"spot": int(spot), "zone": "ez_bust", "cents": rng.choice((0, 500, 500, 1000))}
    cents = rng.choice((0, wager // 2, wager, wager + wager // 2, 2 * wager, 3 * wager, wager * 5 // 2))
    return {"spot": int(spot), "zone": "main", "cents": cents}


def where(rng: Random, lines: list[Line], kind: str = "") -> int:
    """The number of some line after the header (of a kind, if there is one); 0 if there is none."""
    numbers = [n for n, line in enumerate(lines) if n and (not kind or kind in line) and "close" not in line]
    return rng.choice(numbers) if numbers else 0


def lost(rng: Random, lines: list[Line]) -> list[Line]:
    number = where(rng, lines)
    return lines[:number] + lines[number + 1 :] if number else lines


def added(rng: Random, lines: list[Line]) -> list[Line]:
    header = lines[0]
    number = where(rng, lines)
    new = rng.choice((a_change(rng, header), a_key(rng, [int(spot) for spot in header["wagers"]])))
    if number and "t" in lines[number]:
        new = new | {"t": late(lines[number]["t"])}
    return [*lines[: number + 1], new, *lines[number + 1 :]] if number else lines


def late(t: float | list[float]) -> float:
    return t[-1] if isinstance(t, list) else t


def chips_changed(rng: Random, lines: list[Line]) -> list[Line]:
    number = where(rng, lines, "zone")
    if not number:
        return lines
    cents = lines[number]["cents"]
    new = lines[number] | {"cents": rng.choice((0, cents // 2, cents * 2, cents + 500))}
    return [*lines[:number], new, *lines[number + 1 :]]


def card_changed(rng: Random, lines: list[Line]) -> list[Line]:
    number = where(rng, lines, "card")
    if not number:
        return lines
    new = lines[number] | a_card(rng, "A23456789TJQK")
    return [*lines[:number], new, *lines[number + 1 :]]


def widened(rng: Random, lines: list[Line]) -> list[Line]:
    number = where(rng, lines, "zone")
    if not number or "t" not in lines[number]:
        return lines
    t = lines[number]["t"]
    first, last = t if isinstance(t, list) else (t, t)
    new = lines[number] | {"t": [max(0, round(first - rng.random() * 3, 3)), last]}
    return [*lines[:number], new, *lines[number + 1 :]]


def swapped(rng: Random, lines: list[Line]) -> list[Line]:
    number = where(rng, lines)
    if not number or number + 1 >= len(lines) or "t" in lines[number] or "close" in lines[number + 1]:
        return lines
    return [*lines[:number], lines[number + 1], lines[number], *lines[number + 2 :]]


def opened(rng: Random, lines: list[Line]) -> list[Line]:
    """The round is not over, or only its beginning is known."""
    if rng.random() < 0.5:
        return [line for line in lines if "close" not in line]
    number = where(rng, lines)
    return lines[: number + 1] if number else lines
