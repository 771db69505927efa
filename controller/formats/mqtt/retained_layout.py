"""The felt as it was told: cards, hands and chips of the round, for a screen that joins late.

Made of published events and of nothing else, so it can show no card before its event does.
"""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from controller.core.messages.events import (
    BettingClosed,
    CardBurned,
    CardDealt,
    CardDrawn,
    CardOpened,
    ChipsChanged,
    Event,
    HandCompleted,
    HandsSplit,
    HoleCardRevealed,
    RoundClosed,
    RoundStarted,
    SpotSurrendered,
)
from controller.core.messages.floor_events import CardSet
from controller.formats.mqtt.envelope import Published

DEALER = 0


class CardNow(msgspec.Struct, frozen=True):
    """A card of the round: whose it is, and its face. ``spot`` 0 is the dealer; null, as of ``face``: not told yet."""

    card: int
    spot: int | None
    face: str | None


class HandNow(msgspec.Struct, frozen=True):
    """A hand that is over: its cards by number, its best total, its whole stake."""

    spot: int
    hand: int
    cards: tuple[int, ...]
    total: int
    stake_cents: int


class ZoneNow(msgspec.Struct, frozen=True):
    """What lies at a zone."""

    spot: int
    zone: str
    cents: int


class FeltNow(msgspec.Struct, frozen=True):
    """Retained on ``state/felt``. ``round`` is the one on the felt, or the last; ``open``: whether it is not over.

    ``seq`` is the last event this picture reflects. ``cards`` are in the order they left the shoe.
    """

    seq: int
    round: int
    open: bool
    cards: tuple[CardNow, ...]
    hands: tuple[HandNow, ...]
    split_spots: tuple[int, ...]
    surrendered_spots: tuple[int, ...]
    zones: tuple[ZoneNow, ...]


class FeltPicture:
    """Follows the events of a table, in order."""

    def __init__(self) -> None:
        self._seq = 0
        self._round = 0
        self._open = False
        self._cards: dict[int, CardNow] = {}
        self._hands: dict[tuple[int, int], HandNow] = {}
        self._split: set[int] = set()
        self._surrendered: set[int] = set()
        self._zones: dict[tuple[int, str], int] = {}

    def follow(self, told: Iterable[Published]) -> None:
        """Take events that were published before."""
        for one in told:
            self.take(one.seq, one.event)

    def take(self, seq: int, event: Event) -> None:
        """Take one more event."""
        self._seq = seq
        match event:
            case CardDrawn(int(number), card) if number > self._round:
                self._begin(number)
                self._cards[card] = CardNow(card, None, None)
            case CardDrawn(int(), card):
                self._cards[card] = CardNow(card, None, None)
            case RoundStarted(number) | BettingClosed(number) if number > self._round:
                self._begin(number)
            case CardDealt(_, card, spot):
                self._card(card, spot=spot)
            case HoleCardRevealed(_, card):
                self._card(card, spot=DEALER)
            case CardOpened(card, face):
                self._card(card, face=face)
            case CardSet(_, card, _, after):
                self._card(card, face=after) if after else self._cards.pop(card, None)
            case CardBurned(card):
                self._cards.pop(card, None)
            case HandCompleted(_, spot, hand, cards, total, stake):
                self._hands[spot, hand] = HandNow(spot, hand, cards, total, stake)
            case HandsSplit(_, spot):
                self._split.add(spot)
            case SpotSurrendered(_, spot):
                self._surrendered.add(spot)
            case ChipsChanged(spot, zone, _, cents):
                self._zones[spot, zone] = cents
            case RoundClosed(number) if number == self._round:
                self._open = False
            case _:
                pass

    def lay(self, spot: int, zone: str, cents: int) -> None:
        """What lies at a zone, where no event that is followed tells it."""
        self._zones[spot, zone] = cents

    def now(self) -> FeltNow:
        """The picture."""
        return FeltNow(
            seq=self._seq,
            round=self._round,
            open=self._open,
            cards=tuple(self._cards[card] for card in sorted(self._cards)),
            hands=tuple(self._hands[place] for place in sorted(self._hands)),
            split_spots=tuple(sorted(self._split)),
            surrendered_spots=tuple(sorted(self._surrendered)),
            zones=tuple(ZoneNow(*place, cents) for place, cents in sorted(self._zones.items()) if cents),
        )

    def _begin(self, number: int) -> None:
        self._round, self._open = number, True
        self._cards, self._hands = {}, {}
        self._split, self._surrendered = set(), set()

    def _card(self, card: int, spot: int | None = None, face: str | None = None) -> None:
        known = self._cards.get(card)
        if known is not None:
            whose = known.spot if spot is None else spot
            self._cards[card] = CardNow(card, whose, known.face if face is None else face)
