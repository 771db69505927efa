"""One table's events as rows: rounds, hands, wagers, alerts, meters, counts and rulings. Pure but for what it asks.

The rows are those of ``tableside export``, made by the same code. A round that closed long ago is folded again from its
stored events when something is ruled on it, so that nothing but open rounds and the latest closed ones is remembered.
"""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, date, datetime
from typing import Any, Final, NamedTuple

import msgspec

from controller.core.game.wager import Basis
from controller.core.messages.alerts import Alert, RoundIrregular, SettlementDisputed, WagerUncertain
from controller.core.messages.events import (
    BettingClosed,
    CardDrawn,
    CardOpened,
    Event,
    HandCompleted,
    InsuranceTaken,
    QuestionAsked,
    RoundClosed,
    TableStarted,
    WagerAdjusted,
    WagerSettled,
    WagerUnresolved,
)
from controller.core.messages.floor_events import (
    BoxDeclared,
    CardSet,
    CorrectionEntered,
    InventoryEntered,
    RoundResumed,
    RoundVoided,
)
from controller.core.messages.house import GamingDay
from controller.core.messages.meter_events import MeterAlert, MeterEvent
from controller.core.messages.raised_alerts import AlertAcknowledged, AlertRaised
from controller.formats.journal.records import Identity, RecordDamaged, openings, opens
from controller.formats.mqtt.envelope import TYPE_PREFIX, TYPE_SUFFIX, PayloadRefused, Published, event_name, own_event
from controller.formats.text.moments import HouseCalendar, NoMoment
from controller.formats.text.safe_parse import INTEGER_LIMIT, own_json
from controller.reports.revenue_rows import Faces, RoundFold, alert_row, meter_row

CLOSED_ROUNDS: Final = 8
"""Closed rounds that are remembered, for events of theirs that come soon after."""

FACES: Final = 600
"""Faces that are remembered: more cards than a shoe has."""

COMMITMENTS: Final = 1000
"""Commitments not yet opened that are remembered: burned cards wait for the end of their shoe."""

OF_A_ROUND: Final = (
    HandCompleted,
    InsuranceTaken,
    WagerUncertain,
    BoxDeclared,
    WagerSettled,
    WagerUnresolved,
    WagerAdjusted,
    SettlementDisputed,
    RoundVoided,
    RoundIrregular,
    RoundResumed,
    QuestionAsked,
    RoundClosed,
    AlertRaised,
    CardSet,
)
"""What changes a round's rows, whenever it comes."""

TIME: Final = re.compile(r"[0-9]{4}-[01][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9]\.[0-9]{6}Z")

DatabaseRow = tuple[object, ...]


class StoredEvents(NamedTuple):
    """What of a table is in the database and not in memory; asked for where a round or a card is older than that."""

    round: Callable[[int], Sequence[bytes]]
    """The events that name this round, in order."""
    card: Callable[[int], Sequence[bytes]]
    """The events that drew and opened this card, in order."""


class TableHouse(NamedTuple):
    """What the table last said of its house."""

    currency: str = ""
    day: GamingDay = GamingDay()


class DatabaseRows(msgspec.Struct):
    """What some events of one table came to, in the order of the database's columns after ``stream``."""

    events: list[DatabaseRow] = []
    rounds: list[DatabaseRow] = []
    hands: list[DatabaseRow] = []
    wagers: list[DatabaseRow] = []
    redone: list[tuple[date, int]] = []
    """Day and number of each round that is in ``rounds``: its earlier rows are no more."""
    alerts: list[DatabaseRow] = []
    seen_alerts: list[DatabaseRow] = []
    """Acknowledgements: when, who, note, and the alert's number."""
    meter_events: list[DatabaseRow] = []
    inventory: list[DatabaseRow] = []
    rulings: list[DatabaseRow] = []
    complaints: list[str] = []
    days: set[date] = set()
    cards_drawn: int = 0
    cards_opened: int = 0
    cards_wrong: int = 0
    last_time: str | None = None


class StreamFold:
    """Folds the events of one epoch of one table, in order of seq from the one after those stored."""

    def __init__(self, identity: Identity, house: TableHouse, open_rounds: Iterable[int], stored: StoredEvents) -> None:
        self._identity = identity
        self.house = house
        self._stored = stored
        self._faces = Faces({}, {})
        self._commitments: dict[int, str] = {}
        self._open: dict[int, RoundFold] = {}
        self._closed: OrderedDict[int, RoundFold] = OrderedDict()
        self._changed: set[int] = set()
        self._today: tuple[str, str, date] | None = None
        self._rows = DatabaseRows()
        for number in open_rounds:
            found = self._again(number)
            if found is not None:
                self._open[number] = found

    @property
    def open_rounds(self) -> tuple[int, ...]:
        """Rounds that have begun and not closed."""
        return tuple(sorted(self._open))

    def fold(self, bodies: Iterable[bytes]) -> DatabaseRows:
        """The rows of these events."""
        self._rows, self._changed = DatabaseRows(), set()
        for body in bodies:
            self._take(body)
        for number in sorted(self._changed):
            one = self._open.get(number) or self._closed.get(number)
            if one is not None and one.closed is not None:
                self._tell(one)
        self._trim()
        return self._rows

    def keep(self, bodies: Iterable[bytes]) -> DatabaseRows:
        """These events and no rows made of them: of events that contradict one another nothing more may come."""
        self._rows = DatabaseRows()
        for body in bodies:
            self._keep(body)
        return self._rows

    def _keep(self, body: bytes) -> tuple[Published | None, str | None]:
        """An event's own row; the event and its time, where this version knows it and it is of a time."""
        try:
            published = own_event(body)
        except PayloadRefused:
            # A later version's; it is kept, and means nothing here yet.
            head: _Head = own_json(body, _Head)
            name = head.type.removeprefix(TYPE_PREFIX).removesuffix(TYPE_SUFFIX)
            self._store(head.seq, self._time(head.seq, str(head.time)), name, None, body)
            return None, None
        time = self._time(published.seq, published.time)
        if isinstance(published.event, TableStarted):
            self._open_house(published.event)
        self._store(published.seq, time, event_name(published.event), published.event, body)
        self._rows.last_time = time or self._rows.last_time
        return published, time

    def _take(self, body: bytes) -> None:
        published, time = self._keep(body)
        if published is None or time is None:
            return
        self._see(published)
        self._note_card(published.event)
        self._see_round(published)

    def _store(self, seq: int, time: str | None, name: str, event: Event | None, body: bytes) -> None:
        data: dict[str, Any] = {}
        if event is not None:
            data["round"], data["spot"] = getattr(event, "round", None), getattr(event, "spot", None)
        if isinstance(event, CardDrawn | CardOpened):
            data["card"] = event.card
        # Whole numbers from outside are bounded where they are read.
        places = map(data.get, ("round", "spot", "card"))
        day = self._day(time)
        self._rows.days.add(day)
        self._rows.events.append((day, seq, time, _plain(name), *places, body))

    def _time(self, seq: int, time: str) -> str | None:
        if TIME.fullmatch(time):
            try:
                datetime.fromisoformat(time)
            except ValueError:
                pass
            else:
                return time
        self._rows.complaints.append(f"event {seq} is of no time: {time[:40]!r}")
        return None

    def _day(self, time: str | None) -> date:
        """The gaming day of a moment; what has no moment is of the day on which the epoch began."""
        if time is None:
            return datetime.fromtimestamp(max(0, min(self._identity.epoch, 2**32)), UTC).date()
        if self._today is not None and self._today[0] <= time < self._today[1]:
            return self._today[2]
        moment = datetime.fromisoformat(time)
        try:
            calendar = HouseCalendar(self.house.day, moment)
            day = calendar.gaming_day(moment)
            period = calendar.whole(day)
        except (NoMoment, OverflowError, ValueError):
            return moment.date()
        since, until = (one.strftime("%Y-%m-%dT%H:%M:%S.%fZ") for one in period)
        self._today = (since, until, day)
        return day

    def _open_house(self, event: TableStarted) -> None:
        day = event.gaming_day or GamingDay()
        self.house = TableHouse(_plain(event.currency), GamingDay(_plain(day.time_zone), _plain(day.begins)))
        self._today = None

    def _see(self, published: Published) -> None:
        event, day = published.event, self._day(published.time)
        if isinstance(event, Alert):
            row = alert_row(published, event)
            raised: DatabaseRow = (None, None, None, None)
            if isinstance(event, AlertRaised):
                raised = (event.alert, str(event.kind), str(event.severity), event.text)
            self._add(self._rows.alerts, (row.seq, day, row.time, row.kind, row.round, row.spot, row.data, *raised))
        if isinstance(event, MeterEvent | MeterAlert):
            one = meter_row(published, event)
            self._add(
                self._rows.meter_events,
                (one.seq, day, one.time, one.kind, one.meter, one.round, one.spot, one.units, one.data),
            )
        head = (published.seq, day, published.time)
        match event:
            case AlertAcknowledged(number, _, who, note):
                self._add(self._rows.seen_alerts, (published.time, who, note, number))
            case InventoryEntered(entry, kind, cents, _, slip, who, why, of_day):
                counted_day = _date(of_day) or day
                self._rows.days.add(counted_day)
                head = (published.seq, counted_day, published.time)
                self._add(self._rows.inventory, (*head, entry, str(kind), cents, slip, who, why))
            case CorrectionEntered(case, number, spot, bet, before, net, who, why):
                self._rule(head, event, (number, spot, bet, before, net, who, why, case))
            case RoundVoided(number, who, why):
                self._rule(head, event, (number, None, None, None, None, who, why, ""))
            case WagerAdjusted(number, spot, bet, _, before, net, who, why):
                self._rule(head, event, (number, spot, bet, before, net, who, why, ""))
            case WagerSettled(number, spot, bet, _, net, Basis.FLOOR, _, why):
                who, _, reason = why.partition(": ")
                self._rule(head, event, (number, spot, bet, None, net, who, reason, ""))
            case _:
                pass

    def _rule(self, head: DatabaseRow, event: Event, row: DatabaseRow) -> None:
        self._add(self._rows.rulings, (*head, event_name(event), *row))

    def _note_card(self, event: Event) -> None:
        match event:
            case CardDrawn():
                self._rows.cards_drawn += 1
                self._commitments[event.card] = event.commitment
            case CardOpened():
                self._rows.cards_opened += 1
                self._faces.opened[event.card] = event.face
                wrong = self._wrong(event)
                if wrong:
                    self._rows.cards_wrong += 1
                    self._rows.complaints.append(wrong)
            case CardSet() if event.after:
                self._faces.named[event.card] = event.after
            case _:
                pass

    def _wrong(self, event: CardOpened) -> str:
        """Why an opening is not that of a card drawn; empty: it is."""
        commitment = self._commitments.pop(event.card, None)
        if commitment is None:
            drawn = [one.event for one in map(own_event, self._stored.card(event.card))]
            commitment = next((one.commitment for one in drawn if isinstance(one, CardDrawn)), None)
        if commitment is None:
            return f"card {event.card} was opened, and never drawn"
        try:
            face, nonce = openings((event,))[event.card]
            if opens(commitment, face, nonce, self._identity, event.card):
                return ""
        except (RecordDamaged, TypeError) as error:
            # Text that is no hexadecimal cannot be compared.
            return f"card {event.card}: {error}"
        return f"card {event.card} was opened as {event.face}, which is not what was committed when it was drawn"

    def _see_round(self, published: Published) -> None:
        event = published.event
        if isinstance(event, BettingClosed):
            self._closed.pop(event.round, None)
            self._open[event.round] = RoundFold(event, published, self._faces)
        number = getattr(event, "round", None)
        if number is None:
            return
        one = self._open.get(number) or self._closed.get(number)
        if one is None and isinstance(event, OF_A_ROUND):
            one = self._again(number)
            if one is not None:
                self._closed[number] = one
        if one is None:
            return
        one.take(published)
        if isinstance(event, OF_A_ROUND):
            self._changed.add(number)
        if isinstance(event, RoundClosed) and number in self._open:
            self._closed[number] = self._open.pop(number)

    def _again(self, number: int) -> RoundFold | None:
        """A round from what is stored of it; None: no betting ever closed for it."""
        found: RoundFold | None = None
        cards: set[int] = set()
        for published in map(own_event, self._stored.round(number)):
            event = published.event
            if isinstance(event, BettingClosed):
                found = RoundFold(event, published, self._faces)
            if isinstance(event, CardSet) and event.after:
                self._faces.named[event.card] = event.after
            if isinstance(event, HandCompleted):
                cards.update(event.cards)
            if isinstance(event, RoundClosed):
                cards.update(event.dealer)
            if isinstance(event, CardDrawn):
                cards.add(event.card)
            if found is not None:
                found.take(published)
        for card in cards - self._faces.opened.keys() if found is not None else ():
            for opened in map(own_event, self._stored.card(card)):
                if isinstance(opened.event, CardOpened):
                    self._faces.opened[card] = opened.event.face
        return found

    def _tell(self, one: RoundFold) -> None:
        row = one.row()
        day = self._day(row.closed)
        made: tuple[list[DatabaseRow], list[DatabaseRow], list[DatabaseRow]] = [], [], []
        self._add(made[0], (day, *msgspec.structs.astuple(row)))
        for hand in one.hand_rows():
            self._add(made[1], (day, *msgspec.structs.astuple(hand)))
        for wager in one.wager_rows():
            self._add(made[2], (day, *msgspec.structs.astuple(wager)))
        if not made[0]:
            return
        self._rows.days.add(day)
        self._rows.redone.append((day, one.number))
        for into, rows in zip((self._rows.rounds, self._rows.hands, self._rows.wagers), made, strict=True):
            into.extend(rows)

    def _add(self, rows: list[DatabaseRow], row: DatabaseRow) -> None:
        """One more row, unless the database has no room for a number in it."""
        if any(isinstance(cell, int) and abs(cell) >= INTEGER_LIMIT for cell in row):
            self._rows.complaints.append("a number that nothing can come to: its event is kept, and no row made of it")
            return
        rows.append(tuple(_plain(cell) if isinstance(cell, str) else cell for cell in row))

    def _trim(self) -> None:
        while len(self._closed) > CLOSED_ROUNDS:
            self._closed.popitem(last=False)
        for kept, most in ((self._faces.opened, FACES), (self._faces.named, FACES), (self._commitments, COMMITMENTS)):
            while len(kept) > most:
                kept.pop(next(iter(kept)))


class _Head(msgspec.Struct):
    """What every event says of itself, of whatever version it is."""

    seq: int
    type: str = ""
    time: Any = ""


def _plain(text: str) -> str:
    """Text as a database holds it: it has no zero bytes."""
    return text.replace("\0", "�")


def _date(text: str) -> date | None:
    """A gaming day that an event names; None where it names none."""
    try:
        return date.fromisoformat(text)
    except ValueError:
        return None
