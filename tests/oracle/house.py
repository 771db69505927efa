"""What differs between the five rule cards, and the table options, as the evidence page and the rulings name them."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from itertools import combinations
from typing import Any, Final


@dataclass(frozen=True)
class House:
    """One profile with its options. Money in cents."""

    max_hands: int = 4
    resplit_aces: bool = False
    split_by: str = "value"
    double_on: str = "any"
    hits_soft_17: bool = False
    surrender: str = "none"
    even_money_offered: bool = False
    ez_bust: bool = False
    insurance_to_next_chip: bool = False
    insurance_until: str = "decision"
    surrender_turn: str = "any"
    stand_key: str = "sometimes"
    surrender_shown: str = "always"
    busts_taken: str = "sometimes"
    even_money: str = "key"
    key_slack: int = 0
    hole_card: str = "dealt"
    chip_unit_cents: int = 1
    payout_unit_cents: int = 1
    aggregate_limit_cents: int = 0
    doubts: frozenset[str] = frozenset()

    def insurance_cap(self, wager: int) -> int:
        unit = self.chip_unit_cents
        if self.insurance_to_next_chip and wager % (2 * unit):
            return (wager // (2 * unit) + 1) * unit
        return wager // 2

    def halves(self, wager: int) -> set[int]:
        """What may be left of a wager whose half was taken, rounded either way."""
        unit = self.payout_unit_cents
        down = wager // 2 // unit * unit
        return {wager // 2, wager - wager // 2, down, wager - down}

    def may_double(self, ranks: str) -> bool:
        return self.double_on == "any" or 9 <= total(ranks) <= 11

    def pairs(self, ranks: str) -> bool:
        one, other = ranks[0], ranks[1]
        return one == other or (self.split_by == "value" and points(one) == points(other))


CARDS: Final = {
    "hollywood-penn-national": House(max_hands=3, surrender="late", ez_bust=True, insurance_until="card"),
    "hollywood-perryville": House(insurance_to_next_chip=True, insurance_until="card"),
    "borgata": House(even_money_offered=True, surrender_turn="own"),
    "classic-shoe-and-pitch": House(resplit_aces=True),
    "pitch-h17": House(hits_soft_17=True, split_by="rank", double_on="9-11"),
}

DOUBTS: Final = frozenset({"chips are the surrender", "unseen insurance goes by hand"})
"""Readings of the page other than its plain words, which the oracle can take on to be compared with one who does.

``unseen insurance goes by hand``: what may have been insured at a dead reader is no reading; the floor rules on it. Nor
is an unseen EZ Bust wager; what the aggregate limit leaves of other wins where it may have won is not known then.
``chips are the surrender``: one shown by chips alone happens when they move, not at a moment before.
"""

IGNORED: Final = {"hole_check", "reads", "mid_shoe_entry", "turn_key"}


def house_of(header: dict[str, Any]) -> House:
    """The house of a header line. Raises ``ValueError`` on an option nobody knows."""
    known = {field.name for field in fields(House)} - {"doubts"}
    options = {name: value for name, value in header.get("options", {}).items() if name not in IGNORED}
    if unknown := set(options) - known:
        raise ValueError(f"unknown options {sorted(unknown)}")
    return replace(CARDS[header["profile"]], **options)


def points(rank: str) -> int:
    """An ace is one."""
    return {"A": 1, "T": 10, "J": 10, "Q": 10, "K": 10}.get(rank) or int(rank)


def total(ranks: str) -> int:
    """The best total: the highest not above 21, else the lowest."""
    low = sum(map(points, ranks))
    return low + 10 if "A" in ranks and low <= 11 else low


def is_soft(ranks: str) -> bool:
    return total(ranks) != sum(map(points, ranks))


def is_natural(ranks: str) -> bool:
    return len(ranks) == 2 and total(ranks) == 21


def dealer_draws(house: House, ranks: str) -> bool:
    count = total(ranks)
    return count < 17 or (count == 17 and house.hits_soft_17 and is_soft(ranks))


def lucky_ladies(first: str, second: str, *, dealer_natural: bool) -> int:
    """Units won by the two cards, or minus one."""
    if total(first[0] + second[0]) != 20:
        return -1
    if first == second == "Qh":
        return 1000 if dealer_natural else 200
    if first == second:
        return 25
    return 10 if first[1] == second[1] else 4


def three_cards(faces: tuple[str, str, str]) -> int:
    """Units won by two cards and the up card at 21+3, or minus one."""
    ranks = sorted("A23456789TJQK".index(face[0]) for face in faces)
    straight = ranks in ([0, 11, 12], [ranks[0], ranks[0] + 1, ranks[0] + 2])
    flush = len({face[1] for face in faces}) == 1
    if straight and flush:
        return 30
    if len(set(ranks)) == 1:
        return 20
    if straight:
        return 10
    return 5 if flush else -1


def some_of(amounts: tuple[tuple[int, int], ...], whole: int) -> list[tuple[int, ...]]:
    """Every choice of numbered amounts that adds up to ``whole``."""
    found = []
    for size in range(1, len(amounts) + 1):
        for chosen in combinations(amounts, size):
            if sum(amount for _, amount in chosen) == whole:
                found.append(tuple(number for number, _ in chosen))
    return found
