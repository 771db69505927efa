"""The felt as it was published: cards, hands and chips of the round, for a screen that joins late.

Made of published events and of nothing else, so it can show no card before its event does.
"""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from controller.core.messages.alerts import RoundIrregular, SettlementDisputed
from controller.core.messages.events import (
    BettingClosed,
    CardBurned,
    CardDealt,
    CardDrawn,
    CardOpened,
    ChipsChanged,
    Event,
    HandCompleted,
    HandDoubled,
    HandsSplit,
    HoleCardRevealed,
    InsuranceTaken,
    QuestionAnswered,
    QuestionAsked,
    QuestionWithdrawn,
    RoundClosed,
    RoundStarted,
    SpotSurrendered,
    WagerAdjusted,
    WagerSettled,
    WagerUnresolved,
)
from controller.core.messages.floor_events import CardAssigned, CardSet, RoundResumed, RoundVoided
from controller.formats.mqtt.envelope import Published

DEALER = 0


class CardNow(msgspec.Struct, frozen=True):
    """A card of the round: whose it is, and its face. ``spot`` 0 is the dealer; null, as of ``face``: unpublished.

    ``hand``: in which of the spot's hands it lies, from 0 on the left; null: the dealer's, or not published.
    """

    card: int
    spot: int | None
    face: str | None
    hand: int | None = None


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


class WagerNow(msgspec.Struct, frozen=True):
    """A wager of the round, and how far it is settled.

    ``wager_cents`` is what lay there at the lock. ``net_cents`` is the player's net; null: open. ``before_cents``: what
    it was due before it was corrected. ``possible_cents``: the nets that remained when the round ended with it open.
    ``basis`` and ``why`` are as published with the settlement, ``who`` corrected it. ``disputed``: something
    contradicted the settlement since.
    """

    spot: int
    bet: str
    wager_cents: int
    net_cents: int | None = None
    before_cents: int | None = None
    possible_cents: tuple[int, ...] = ()
    basis: str = ""
    why: str = ""
    who: str = ""
    disputed: bool = False


class DoubleNow(msgspec.Struct, frozen=True):
    """A hand that was doubled, and for how much more."""

    spot: int
    hand: int
    cents: int


class QuestionNow(msgspec.Struct, frozen=True):
    """A question that has not been answered; ``round`` and ``spot`` are null where it is not about one."""

    question: int
    round: int | None
    spot: int | None
    text: str
    choices: tuple[str, ...]


class FeltNow(msgspec.Struct, frozen=True):
    """Retained on ``state/felt``. ``round`` is the one on the felt, or the last; ``open``: whether it is not over.

    ``seq`` is the last event this picture reflects. ``cards`` are in the order they left the shoe. ``irregular`` says
    why no legal play explains the round; empty: one does. ``outcome`` and ``legal_plays`` are those of
    ``round_closed``.
    """

    seq: int
    round: int
    open: bool
    cards: tuple[CardNow, ...]
    hands: tuple[HandNow, ...]
    split_spots: tuple[int, ...]
    surrendered_spots: tuple[int, ...]
    zones: tuple[ZoneNow, ...]
    wagers: tuple[WagerNow, ...] = ()
    doubles: tuple[DoubleNow, ...] = ()
    questions: tuple[QuestionNow, ...] = ()
    irregular: str = ""
    outcome: str = ""
    legal_plays: int | None = None


class FeltPicture:
    """Follows the events of a table, in order, from the first or from where ``start`` is."""

    def __init__(self, start: FeltNow | None = None) -> None:
        self._seq = 0 if start is None else start.seq
        self._round = 0 if start is None else start.round
        self._open = start is not None and start.open
        self._cards = {} if start is None else {one.card: one for one in start.cards}
        self._hands = {} if start is None else {(one.spot, one.hand): one for one in start.hands}
        self._split = set(() if start is None else start.split_spots)
        self._surrendered = set(() if start is None else start.surrendered_spots)
        self._zones = {} if start is None else {(one.spot, one.zone): one.cents for one in start.zones}
        self._wagers = {} if start is None else {(one.spot, one.bet): one for one in start.wagers}
        self._doubles = {} if start is None else {(one.spot, one.hand): one for one in start.doubles}
        self._questions = {} if start is None else {one.question: one for one in start.questions}
        self._irregular = "" if start is None else start.irregular
        self._outcome = "" if start is None else start.outcome
        self._legal_plays = None if start is None else start.legal_plays

    def follow(self, events: Iterable[Published]) -> None:
        """Take events that were published before."""
        for one in events:
            self.take(one.seq, one.event)

    def take(self, seq: int, event: Event) -> None:
        """Take one more event."""
        self._seq = seq
        self._take_round(event)
        self._take_cards(event)
        self._take_plays(event)
        self._take_money(event)
        self._take_people(event)

    def _take_round(self, event: Event) -> None:
        match event:
            case CardDrawn(int(number)) | RoundStarted(number) | BettingClosed(number) if number > self._round:
                self._begin(number)
            case RoundIrregular(number, reason) if number == self._round:
                self._irregular = reason
            case RoundResumed(number) if number == self._round:
                self._irregular = ""
            case RoundClosed(number, _, plays, outcome) if number == self._round:
                self._open, self._outcome, self._legal_plays = False, outcome, plays
            case _:
                pass

    def _take_cards(self, event: Event) -> None:
        match event:
            case CardDrawn(int(), card):
                self._cards[card] = CardNow(card, None, None)
            case CardDealt(_, card, spot, hand):
                self._card(card, spot=spot, hand=hand)
            case CardAssigned(_, card, spot):
                self._card(card, spot=spot)
            case HoleCardRevealed(_, card):
                self._card(card, spot=DEALER)
            case CardOpened(card, face):
                self._card(card, face=face)
            case CardSet(_, card, _, after):
                self._card(card, face=after) if after else self._cards.pop(card, None)
            case CardBurned(card):
                self._cards.pop(card, None)
            case _:
                pass

    def _take_plays(self, event: Event) -> None:
        match event:
            case HandCompleted(number, spot, hand, cards, total, stake) if number == self._round:
                self._hands[spot, hand] = HandNow(spot, hand, cards, total, stake)
                for card in cards:
                    self._card(card, spot=spot, hand=hand)
            case HandsSplit(number, spot, hands) if number == self._round:
                self._split.add(spot)
                self._part(spot, hands)
            case HandDoubled(number, spot, hand, cents) if number == self._round:
                self._doubles[spot, hand] = DoubleNow(spot, hand, cents)
            case SpotSurrendered(number, spot) if number == self._round:
                self._surrendered.add(spot)
            case _:
                pass

    def _take_money(self, event: Event) -> None:
        match event:
            case ChipsChanged(spot, zone, _, cents):
                self._zones[spot, zone] = cents
            case BettingClosed(number, wagers) if number == self._round:
                for one in wagers:
                    self._wagers[one.spot, one.bet] = WagerNow(one.spot, one.bet, one.cents)
            case InsuranceTaken(number, spot, cents) if number == self._round:
                self._wagers[spot, "insurance"] = WagerNow(spot, "insurance", cents)
            case WagerSettled(number, spot, bet, wager, net, basis, _, why) if number == self._round:
                self._wagers[spot, bet] = WagerNow(spot, bet, wager, net, basis=basis, why=why)
            case WagerUnresolved(number, spot, bet, wager, possible) if number == self._round:
                self._wagers[spot, bet] = WagerNow(spot, bet, wager, possible_cents=possible)
            case WagerAdjusted(number, spot, bet, wager, before, net, who, why, basis) if number == self._round:
                corrected = WagerNow(spot, bet, wager, net, before, basis=basis, why=why, who=who)
                self._wagers[spot, bet] = corrected
            case SettlementDisputed(number, spot, bet) if number == self._round and (spot, bet) in self._wagers:
                self._wagers[spot, bet] = msgspec.structs.replace(self._wagers[spot, bet], disputed=True)
            case _:
                pass

    def _take_people(self, event: Event) -> None:
        match event:
            case QuestionAsked(question, number, spot, text, choices):
                self._questions[question] = QuestionNow(question, number, spot, text, choices)
            case QuestionAnswered(question) | QuestionWithdrawn(question):
                self._questions.pop(question, None)
            case RoundVoided(number) if number == self._round:
                self._outcome = "void"
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
            wagers=tuple(self._wagers[place] for place in sorted(self._wagers)),
            doubles=tuple(self._doubles[place] for place in sorted(self._doubles)),
            questions=tuple(self._questions[number] for number in sorted(self._questions)),
            irregular=self._irregular,
            outcome=self._outcome,
            legal_plays=self._legal_plays,
        )

    def _begin(self, number: int) -> None:
        self._round, self._open = number, True
        self._cards, self._hands = {}, {}
        self._split, self._surrendered = set(), set()
        self._wagers, self._doubles = {}, {}
        self._irregular, self._outcome, self._legal_plays = "", "", None

    def _card(self, card: int, spot: int | None = None, face: str | None = None, hand: int | None = None) -> None:
        known = self._cards.get(card)
        if known is not None:
            self._cards[card] = CardNow(
                card,
                known.spot if spot is None else spot,
                known.face if face is None else face,
                known.hand if hand is None else hand,
            )

    def _part(self, spot: int, hands: int) -> None:
        """Move the hands to the right of the one that is split, and its second card.

        Which one is split is not published: hands are played from the left, so it is the first that is not over. A hand
        that is over says itself where its cards lie.
        """
        parted = next((hand for hand in range(hands) if (spot, hand) not in self._hands), 0)
        mine = [one for one in self._cards.values() if one.spot == spot]
        pair = [one for one in mine if (one.hand or 0) == parted]
        for one in mine:
            if one.hand is not None and one.hand > parted:
                self._cards[one.card] = msgspec.structs.replace(one, hand=one.hand + 1)
        for place, one in enumerate(pair):
            self._cards[one.card] = msgspec.structs.replace(one, hand=parted + min(place, 1))
