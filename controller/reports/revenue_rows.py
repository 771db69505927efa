"""What a table took, row by row, out of what it published: rounds, hands, wagers, alerts, and sums by bet and hour.

Everything comes from events alone, so an integrator who keeps the stream can make the same rows. Money is whole cents
and seen from the house: ``handle_cents`` is what was staked, ``win_cents`` what the house kept of it. Times are UTC.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from enum import StrEnum
from typing import Any, Final, NamedTuple, assert_never

import msgspec
from msgspec.structs import replace

from controller.core.game.hand import total
from controller.core.messages.alerts import Alert, RoundIrregular, SettlementDisputed, WagerUncertain
from controller.core.messages.events import (
    BettingClosed,
    CardOpened,
    Event,
    HandCompleted,
    InsuranceTaken,
    QuestionAsked,
    RoundClosed,
    WagerAdjusted,
    WagerSettled,
    WagerUnresolved,
)
from controller.core.messages.floor_events import BoxDeclared, CardSet, RoundResumed, RoundVoided
from controller.core.messages.meter_events import MeterAlert, MeterEvent
from controller.core.messages.raised_alerts import AlertRaised
from controller.formats.mqtt.envelope import Published, event_name
from firmware_protocols.cards import POINTS, Card

MAIN: Final = "main"
UNSETTLED: Final = "nothing has settled it yet"
HOUR: Final = len("2026-11-21T20")


class ExportRow(msgspec.Struct, frozen=True):
    """A row of an export."""


class WagerState(StrEnum):
    """How a wager stands."""

    SETTLED = "settled"
    OPEN = "open"
    """Nothing settled it yet."""
    VOID = "void"
    """It went back with its round."""


class RoundRow(ExportRow, frozen=True):
    """A round, for video and for accounting. ``first_seq`` to ``last_seq`` are its events.

    ``handle_cents`` is what was staked on wagers settled, ``open_cents`` on those open. A round still running has no
    ``closed``, and its ``outcome`` is ``open``. ``alerts`` counts those raised about it,
    ``adjusted`` what the floor or a correction changed after it was settled, ``doubted`` the wagers in doubt.
    """

    round: int
    started: str
    closed: str
    first_seq: int
    last_seq: int
    outcome: str
    dealer: str
    spots: int
    hands: int
    questions: int
    alerts: int
    handle_cents: int
    win_cents: int
    open_wagers: int
    open_cents: int
    settled_wagers: int
    void_wagers: int
    adjusted: int
    doubted: int
    void_cents: int = 0
    """What went back in a voided round."""


class HandRow(ExportRow, frozen=True):
    """A hand that every legal play agrees on: its faces, as the floor last named them, best total and whole stake.

    A round that no legal play explains has none, whatever was published of its hands before.
    """

    round: int
    spot: int
    hand: int
    cards: str
    total: int
    stake_cents: int


class WagerRow(ExportRow, frozen=True):
    """A wager, locked or made later. ``net_cents``: the player's net, None while it is open, 0 in a voided round.

    ``wager_cents`` is what lay at the lock, ``handle_cents`` that with what was added by doubles and splits, 0 in a
    voided round. ``basis`` is ``floor`` where the floor ruled on this wager, ``open`` while nothing settled it. Of the
    net, ``jackpot_cents`` are the awards of meters. ``doubted``: something contradicts the settlement since.
    ``void_cents`` is what was staked and went back in a voided round.
    """

    round: int
    time: str
    seq: int
    spot: int
    bet: str
    wager_cents: int
    handle_cents: int
    net_cents: int | None
    basis: str
    why: str
    state: WagerState = WagerState.OPEN
    jackpot_cents: int = 0
    adjusted: int = 0
    doubted: bool = False
    void_cents: int = 0

    @property
    def win_cents(self) -> int:
        """What the house kept; 0 while the wager is open."""
        return -(self.net_cents or 0)


class AlertRow(ExportRow, frozen=True):
    """An event published under ``alert/``. ``data`` is the event's, as JSON.

    ``alert_raised`` is what waits for a person; other kinds are the facts such an alert may rest on.
    """

    time: str
    seq: int
    kind: str
    round: int | None
    spot: int | None
    data: str


class MeterRow(ExportRow, frozen=True):
    """What a meter did or was ordered to do. ``units``: where it stood, in 1/10,000 cent, as far as the event says.

    ``data`` is the event's, as JSON.
    """

    time: str
    seq: int
    kind: str
    meter: str
    round: int | None
    spot: int | None
    units: int | None
    data: str


class VideoRow(ExportRow, frozen=True):
    """Where to look on the video: a closed round's first and last moment, and its events."""

    round: int
    started: str
    closed: str
    first_seq: int
    last_seq: int
    outcome: str


class SumRow(ExportRow, frozen=True):
    """Settled wagers of one bet within one hour. ``win_per_handle`` is in 1/100 %, rounded half up."""

    hour: str
    bet: str
    wagers: int
    handle_cents: int
    win_cents: int
    win_per_handle: int


class Takings(msgspec.Struct, frozen=True):
    """All rows, in the order of their events."""

    rounds: tuple[RoundRow, ...]
    hands: tuple[HandRow, ...]
    wagers: tuple[WagerRow, ...]
    alerts: tuple[AlertRow, ...]
    meters: tuple[MeterRow, ...] = ()
    running: tuple[RoundRow, ...] = ()
    """Rounds not closed yet; their hands and wagers are in no other rows."""

    def video(self) -> tuple[VideoRow, ...]:
        """The rounds, as video looks them up."""
        names = VideoRow.__struct_fields__
        return tuple(VideoRow(*(getattr(row, name) for name in names)) for row in self.rounds)

    def sums(self) -> tuple[SumRow, ...]:
        """By hour of the settlement, then by bet."""
        found: dict[tuple[str, str], list[WagerRow]] = {}
        for wager in self.wagers:
            if wager.state is WagerState.SETTLED:
                found.setdefault((f"{wager.time[:HOUR]}:00:00Z", wager.bet), []).append(wager)
        return tuple(_sum(hour, bet, found[hour, bet]) for hour, bet in sorted(found))


def takings(events: Iterable[Published]) -> Takings:
    """The rows of one epoch's events, in order of seq."""
    desk = _Desk()
    for one in events:
        desk.take(one)
    rounds = tuple(desk.rounds[number].row() for number in desk.closed)
    hands = tuple(hand for number in desk.closed for hand in desk.rounds[number].hand_rows())
    wagers = tuple(wager for number in desk.closed for wager in desk.rounds[number].wager_rows())
    running = tuple(one.row() for one in desk.rounds.values() if one.closed is None)
    return Takings(rounds, hands, wagers, tuple(desk.alerts), tuple(desk.meters), running)


def win_per_handle(win_cents: int, handle_cents: int) -> int:
    """Win by handle in 1/100 %, rounded half up; 0 without handle."""
    return (20_000 * win_cents + handle_cents) // (2 * handle_cents) if handle_cents else 0


def _sum(hour: str, bet: str, wagers: list[WagerRow]) -> SumRow:
    handle = sum(wager.handle_cents for wager in wagers)
    win = sum(wager.win_cents for wager in wagers)
    return SumRow(hour, bet, len(wagers), handle, win, win_per_handle(win, handle))


class Faces(NamedTuple):
    """Cards by number: as the shoe read them, and as the floor named them, which hands and totals follow."""

    opened: dict[int, str]
    named: dict[int, str]

    def of(self, card: int) -> str:
        """A card's face; ``??``: it was not read."""
        return self.named.get(card, self.opened.get(card, "??"))


class RoundFold:
    """A round while its events come in: made by its ``BettingClosed``, ``take`` each event that names it, in order."""

    def __init__(self, locked: BettingClosed, published: Published, faces: Faces) -> None:
        self.number = locked.round
        self.spots = len({wager.spot for wager in locked.wagers if wager.bet == MAIN})
        self.started, self.first_seq = published.time, published.seq
        self.faces = faces
        self.closed: RoundClosed | None = None
        self.ended, self.last_seq = "", published.seq
        self.hands: dict[tuple[int, int], HandCompleted] = {}
        self.wagers: dict[tuple[int, str], WagerRow] = {}
        self.questions = self.alerts = 0
        self.void = self.unexplained = False
        for wager in locked.wagers:
            self._made(published, wager.spot, wager.bet, wager.cents)

    def take(self, published: Published) -> None:
        """An event of this round."""
        event = published.event
        match event:
            case HandCompleted():
                self.hands[event.spot, event.hand] = event
            case InsuranceTaken(_, spot, cents):
                self._made(published, spot, "insurance", cents)
            case WagerUncertain(_, spot, bet, possible):
                self._made(published, spot, bet, max(possible))
            case BoxDeclared(_, spot, 0):
                self.wagers = {place: wager for place, wager in self.wagers.items() if place[0] != spot}
            case BoxDeclared(_, spot, cents, beside=beside):
                self._made(published, spot, MAIN, cents)
                for wager in beside:
                    self._made(published, wager.spot, wager.bet, wager.cents)
            case WagerSettled() | WagerUnresolved() | WagerAdjusted() | SettlementDisputed():
                self._wager(published, event)
            case RoundVoided():
                self.void = True
            case RoundIrregular() | RoundResumed():
                self.unexplained = isinstance(event, RoundIrregular)
            case QuestionAsked():
                self.questions += 1
            case RoundClosed():
                self.closed, self.ended = event, published.time
                self.void = self.void or event.outcome == WagerState.VOID
            case _:
                self.alerts += isinstance(event, AlertRaised)
        if self.closed in {None, event}:
            self.last_seq = published.seq

    def _made(self, published: Published, spot: int, bet: str, cents: int) -> None:
        """A wager that nothing has settled yet; what is known of its settlement stays."""
        row = WagerRow(
            self.number, published.time, published.seq, spot, bet, cents, cents, None, WagerState.OPEN, UNSETTLED
        )
        known = self.wagers.get((spot, bet), row)
        self.wagers[spot, bet] = replace(known, wager_cents=cents, handle_cents=cents)

    def _wager(
        self, published: Published, event: WagerSettled | WagerUnresolved | WagerAdjusted | SettlementDisputed
    ) -> None:
        self._made(published, event.spot, event.bet, event.wager_cents)
        row = self.wagers[event.spot, event.bet]
        match event:
            case SettlementDisputed():
                self.wagers[event.spot, event.bet] = replace(row, doubted=True)
                return
            case WagerUnresolved():
                why = "more than one due is possible" if event.possible_cents else "no legal play explains the round"
                row = replace(
                    row, net_cents=None, basis=WagerState.OPEN, why=why, state=WagerState.OPEN, jackpot_cents=0
                )
            case WagerSettled() | WagerAdjusted():
                changed = row.adjusted + isinstance(event, WagerAdjusted)
                due, basis = event.net_cents, str(event.basis)
                row = replace(
                    row, net_cents=due, basis=basis, why=event.why, state=WagerState.SETTLED, adjusted=changed
                )
                row = replace(row, jackpot_cents=event.jackpot_cents)
            case _:
                assert_never(event)
        self.wagers[event.spot, event.bet] = replace(row, time=published.time, seq=published.seq, doubted=False)

    def row(self) -> RoundRow:
        """The round's row."""
        wagers = list(self.wager_rows())
        states = [wager.state for wager in wagers]
        outcome = WagerState.OPEN if self.closed is None else self.closed.outcome
        return RoundRow(
            round=self.number,
            started=self.started,
            closed=self.ended,
            first_seq=self.first_seq,
            last_seq=self.last_seq,
            outcome=WagerState.VOID if self.void else outcome,
            dealer="" if self.closed is None else self._cards(self.closed.dealer),
            spots=self.spots,
            hands=len(list(self.hand_rows())),
            questions=self.questions,
            alerts=self.alerts,
            handle_cents=sum(wager.handle_cents for wager in wagers if wager.state is WagerState.SETTLED),
            win_cents=sum(wager.win_cents for wager in wagers),
            open_wagers=states.count(WagerState.OPEN),
            open_cents=sum(wager.handle_cents for wager in wagers if wager.state is WagerState.OPEN),
            settled_wagers=states.count(WagerState.SETTLED),
            void_wagers=states.count(WagerState.VOID),
            adjusted=sum(wager.adjusted for wager in wagers),
            doubted=sum(wager.doubted for wager in wagers),
            void_cents=sum(wager.void_cents for wager in wagers),
        )

    def hand_rows(self) -> Iterator[HandRow]:
        """Its hands by spot, left to right."""
        for place in () if self.unexplained else sorted(self.hands):
            hand = self.hands[place]
            cards = self._cards(hand.cards)
            yield HandRow(self.number, hand.spot, hand.hand, cards, self._total(hand), hand.stake_cents)

    def _total(self, hand: HandCompleted) -> int:
        """The total of a hand's faces; a hand whose card the floor named later need not be completed a second time."""
        faces = [self.faces.of(card) for card in hand.cards]
        if "??" in faces or self.faces.named.keys().isdisjoint(hand.cards):
            return hand.total
        return total(tuple(POINTS[Card(face).rank] for face in faces))[0]

    def wager_rows(self) -> Iterator[WagerRow]:
        """Its wagers by spot, main first; what the hands staked is the handle of the main wager."""
        for spot, bet in sorted(self.wagers, key=lambda place: (place[0], place[1] != MAIN, place[1])):
            row = self.wagers[spot, bet]
            staked = sum(hand.stake_cents for hand in self.hands.values() if hand.spot == spot) if bet == MAIN else 0
            staked = staked or row.wager_cents
            if self.void:
                nothing = replace(row, net_cents=0, handle_cents=0, jackpot_cents=0, doubted=False)
                yield replace(nothing, state=WagerState.VOID, void_cents=staked)
            else:
                yield replace(row, handle_cents=staked)

    def _cards(self, cards: Iterable[int]) -> str:
        return " ".join(self.faces.of(card) for card in cards)


class _Desk:
    """Where events are sorted into their rounds."""

    def __init__(self) -> None:
        self.rounds: dict[int, RoundFold] = {}
        self.closed: list[int] = []
        self.alerts: list[AlertRow] = []
        self.meters: list[MeterRow] = []
        self._faces = Faces({}, {})

    def take(self, published: Published) -> None:
        event = published.event
        if isinstance(event, Alert):
            self.alerts.append(alert_row(published, event))
        if isinstance(event, MeterEvent | MeterAlert):
            self.meters.append(meter_row(published, event))
        if isinstance(event, CardOpened):
            self._faces.opened[event.card] = event.face
        if isinstance(event, CardSet) and event.after:
            self._faces.named[event.card] = event.after
        if isinstance(event, BettingClosed):
            self.rounds[event.round] = RoundFold(event, published, self._faces)
        number = getattr(event, "round", 0)
        if number not in self.rounds:
            return
        self.rounds[number].take(published)
        if isinstance(event, RoundClosed) and number not in self.closed:
            self.closed.append(number)


def meter_row(published: Published, event: Event) -> MeterRow:
    """The row of an event about a meter."""
    data = _data(event)
    places = (data.get("meter", ""), data.get("round"), data.get("spot"), data.get("meter_units"))
    return MeterRow(published.time, published.seq, event_name(event), *places, msgspec.json.encode(data).decode())


def _data(event: Event) -> dict[str, Any]:
    data: dict[str, Any] = msgspec.to_builtins(event)
    del data["type"]
    return data


def alert_row(published: Published, event: Event) -> AlertRow:
    """The row of an event published under ``alert/``."""
    data = _data(event)
    text = msgspec.json.encode(data).decode()
    return AlertRow(published.time, published.seq, event_name(event), data.get("round"), data.get("spot"), text)
