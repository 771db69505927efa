"""Hands and boxes as somebody who only watches would note them."""

from __future__ import annotations

from dataclasses import dataclass, field

from firmware_protocols.cards import Card
from simulators.people.house import House

POINTS = {rank: points for points, rank in enumerate("A23456789", start=1)} | dict.fromkeys("TJQK", 10)


def points(cards: list[Card]) -> int:
    low = sum(POINTS[card.value[0]] for card in cards)
    return low + 10 if low < 12 and any(card.value[0] == "A" for card in cards) else low


def soft(cards: list[Card]) -> bool:
    return points(cards) != sum(POINTS[card.value[0]] for card in cards)


def values_of(registry_csv: str) -> dict[str, int]:
    header, *lines = registry_csv.splitlines()
    assert header == "id,value_cents"
    return {chip: int(cents) for chip, cents in (line.split(",") for line in lines)}


@dataclass(eq=False)
class SeenHand:
    cards: list[Card]
    base: int
    extra: int = 0
    stood: bool = False
    taken: bool = False

    @property
    def stake(self) -> int:
        return self.base + self.extra

    @property
    def waits(self) -> bool:
        return len(self.cards) < 2 or (self.extra > 0 and len(self.cards) == 2)


@dataclass(eq=False)
class SeenBox:
    wager: int
    hands: list[SeenHand]
    surrendered: bool = False
    even_money: bool = False
    insurance: int = 0
    insurance_settled: bool = False
    reached: list[int] = field(default_factory=list)

    @property
    def natural(self) -> bool:
        return len(self.hands) == 1 and len(self.hands[0].cards) == 2 and points(self.hands[0].cards) == 21

    @property
    def all_broke(self) -> bool:
        return all(points(hand.cards) > 21 for hand in self.hands)

    @property
    def live(self) -> bool:
        return not (self.natural or self.surrendered or self.all_broke)

    @property
    def stake(self) -> int:
        return sum(hand.stake for hand in self.hands)

    @property
    def lying(self) -> int:
        """The stakes that were not taken before the turn."""
        return sum(hand.stake for hand in self.hands if not hand.taken)


def is_split_ace(box: SeenBox, hand: SeenHand) -> bool:
    """An ace of a pair that was split."""
    return len(box.hands) > 1 and hand.cards[0].value[0] == "A"


def splittable(house: House, box: SeenBox, hand: SeenHand) -> bool:
    """A pair by the house's measure, below the limit of hands."""
    if len(hand.cards) != 2 or len(box.hands) == house.max_hands:
        return False
    a, b = (card.value[0] for card in hand.cards)
    if a == "A" and len(box.hands) > 1 and not house.resplit_aces:
        return False
    return a == b or (house.split_by == "value" and POINTS[a] == POINTS[b])
