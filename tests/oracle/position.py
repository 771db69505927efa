"""A position of a round: what the cards and chips on the felt are, in one reading of the evidence."""

from __future__ import annotations

from dataclasses import dataclass, replace

from tests.oracle.house import House, dealer_draws, is_natural, total


@dataclass(frozen=True, slots=True)
class Hand:
    """One hand of a box. ``cards`` are places in the shoe; ``keyed`` is the key pressed for its next step."""

    cards: tuple[int, ...]
    base: int
    extra: int = 0
    over: bool = False
    ace_split: bool = False
    fresh: bool = False
    keyed: str = ""
    taken: bool = False


@dataclass(frozen=True, slots=True)
class Box:
    """A box in play. ``main``, ``insurance`` and ``ez_bust`` are the chips lying there.

    ``offered`` and ``bust_offered`` were laid in answer to an offer; once it closes ``insured`` and ``bust_bet`` count.
    """

    spot: int
    wager: int
    main: int
    hands: tuple[Hand, ...]
    insurance: int = 0
    ez_bust: int = 0
    surrendered: bool = False
    shown: bool = False
    awaiting: bool = False
    confirmable: bool = False
    even: bool = False
    must_empty: bool = False
    next_bet: bool = False
    offered: int = 0
    bust_offered: int = 0
    insured: int = 0
    bust_bet: int = 0


@dataclass(frozen=True, slots=True)
class Position:
    """One reading up to now. ``faces`` are all cards so far, unread ones with the face taken for them."""

    boxes: tuple[Box, ...]
    faces: tuple[str, ...] = ()
    dealer: tuple[int, ...] = ()
    offers: bool = True
    turned: bool = False
    paying: bool = False
    decided: bool = False

    def ranks(self, cards: tuple[int, ...]) -> str:
        return "".join(self.faces[place][0] for place in cards)

    def dealt(self, house: House) -> bool:
        return len(self.faces) >= 2 * len(self.boxes) + (2 if house.hole_card == "dealt" else 1)

    def up(self) -> str:
        return self.faces[self.dealer[0]][0]

    def slow(self) -> bool:
        """An ace or a ten is up: naturals and surrenders are frozen."""
        return self.up() in "ATJQK"

    def natural(self, box: Box) -> bool:
        return len(box.hands) == 1 and is_natural(self.ranks(box.hands[0].cards))

    def broke(self, hand: Hand) -> bool:
        return total(self.ranks(hand.cards)) > 21

    def all_broke(self, box: Box) -> bool:
        return not box.surrendered and all(self.broke(hand) for hand in box.hands)

    def played(self, house: House) -> bool:
        return self.dealt(house) and all(hand.over for box in self.boxes for hand in box.hands)

    def live(self, box: Box) -> bool:
        """Some hand of the box must still be compared with the dealer's."""
        if box.surrendered or self.natural(box):
            return False
        return any(not self.broke(hand) for hand in box.hands)

    def in_play(self, house: House) -> tuple[int, int] | None:
        """Which hand of which box is in play."""
        if not self.dealt(house):
            return None
        for index, box in enumerate(self.boxes):
            for number, hand in enumerate(box.hands):
                if not hand.over:
                    return index, number
        return None

    def dealer_needs(self, house: House) -> bool:
        """Whether the dealer must take a card now, all boxes having played."""
        if len(self.dealer) < 2 and self.waits_for_second():
            return True
        bust_bets = any(box.bust_bet for box in self.boxes) or (
            self.offers and any(box.bust_offered for box in self.boxes)
        )
        undecided = bust_bets and not all(self.all_broke(box) for box in self.boxes)
        if not undecided and not any(map(self.live, self.boxes)):
            return False
        return dealer_draws(house, self.ranks(self.dealer))

    def waits_for_second(self) -> bool:
        """Where no hole card is dealt: somebody's money hangs on the dealer's second card."""
        frozen = self.slow() and any((self.natural(box) and not box.even) or box.surrendered for box in self.boxes)
        return frozen or any(box.insured or (self.offers and box.offered) for box in self.boxes)

    def complete(self, house: House) -> bool:
        """All boxes have played and so has the dealer."""
        return self.played(house) and not self.dealer_needs(house)

    def with_box(self, index: int, box: Box) -> Position:
        return replace(self, boxes=(*self.boxes[:index], box, *self.boxes[index + 1 :]))

    def with_hand(self, index: int, number: int, hand: Hand, *more: Hand) -> Position:
        box = self.boxes[index]
        return self.with_box(index, replace(box, hands=(*box.hands[:number], hand, *more, *box.hands[number + 1 :])))

    def offers_closed(self, house: House) -> Position:
        """The offers end: what lies there now is what counts."""
        if not self.offers:
            return self
        boxes = tuple(
            replace(box, insured=min(box.offered, house.insurance_cap(box.wager)), bust_bet=box.bust_offered)
            for box in self.boxes
        )
        return replace(self, boxes=boxes, offers=False)

    def stood(self, house: House) -> Position:
        """A stand or a call for a card: it ends all offers but insurance that lasts until the first card."""
        if house.insurance_until == "card" and self.up() == "A":
            return replace(self, decided=True)
        return self.offers_closed(house)

    def keys_forgotten(self, spared: int | None = None) -> Position:
        """Another key or a card has come: a surrender shown by chips can no longer be confirmed by key."""
        boxes = tuple(
            replace(box, confirmable=False) if box.confirmable and index != spared else box
            for index, box in enumerate(self.boxes)
        )
        return replace(self, boxes=boxes)
