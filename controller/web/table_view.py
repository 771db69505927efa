"""What one table has published, as a browser receives it: sections that change one by one, and the latest events.

Everything that comes off the broker is decoded as what it claims to be and encoded again: what is no picture of this
version of the format never reaches a page.
"""

from __future__ import annotations

from collections import deque
from typing import Any, Final, NamedTuple

import msgspec

from controller.core.messages.events import CardDrawn, QuestionAsked, ShoeBegun, TableStarted
from controller.formats.journal.stream import StreamNow
from controller.formats.mqtt.envelope import (
    EVENT_LIMIT_BYTES,
    STATUS_LIMIT_BYTES,
    DeviceStatus,
    PayloadRefused,
    Published,
    Status,
    event_name,
    read_event,
)
from controller.formats.mqtt.retained_layout import FeltNow
from controller.formats.mqtt.retained_state import STATES, Info
from controller.formats.text.safe_parse import json_as, reads_outside
from controller.web.device_faults import FaultBook
from controller.web.table_needs import NeedBook

LOG_LIMIT: Final = 60
"""Events that are kept for a page: what a person reads back over."""

DEVICES_LIMIT: Final = 64
"""Devices of one table that are shown; it has a dozen."""

QUIET: Final = frozenset({"contribution_made", "contribution_posted", "pool_entry_recorded"})
"""Events that come with every wager on a meter and tell a person nothing: they are left out of the log."""


class EventEntry(msgspec.Struct, frozen=True):
    """An event as a page tells it: ``name`` is its kind, ``data`` its fields."""

    seq: int
    time: str
    name: str
    data: dict[str, Any]


class QuestionWait(msgspec.Struct, frozen=True):
    """Since when a question waits (RFC 3339, UTC); ``exact``: it was heard as it was asked, else it waits longer."""

    since: str
    exact: bool


class Shoe(msgspec.Struct, frozen=True):
    """The shoe that is dealt from: its number, its decks, and how many cards have left it."""

    shoe: int
    decks: int
    drawn: int


class KnownSection(NamedTuple):
    """A section: the table's version at which it last changed, its value, and that as JSON."""

    version: int
    value: object
    raw: msgspec.Raw


class TableView:
    """One table. Each section has a version, which grows when it changes."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.heard_ms = 0
        """When the table was last heard: milliseconds since 1970."""
        self.version = 0
        self.sections: dict[str, KnownSection] = {}
        self.log: deque[EventEntry] = deque(maxlen=LOG_LIMIT)
        self._devices: dict[str, DeviceStatus] = {}
        self._asked: dict[int, QuestionWait] = {}
        self._epoch = 0
        self._seq = 0
        self._shoe: Shoe | None = None
        self._needs = NeedBook()
        self._faults = FaultBook()

    def take(self, words: tuple[str, ...], payload: bytes, now_ms: int, now_text: str) -> bool:
        """A message of the table: ``words`` are its topic's below the table. Whether a page shows anything new.

        ``now_ms`` and ``now_text`` are the same moment: milliseconds since 1970, and RFC 3339.
        """
        before = self.version
        match words:
            case ("event", _):
                self._take_event(payload)
            case ("state", "hold") if not payload:
                self._put("hold", None)
                self._needs.take(None, now_text)
            case ("state", state) if state in STATES:
                self._take_state(state, payload, now_text)
            case ("status",):
                self._take_status(payload, now_text)
            case ("info",):
                self._put_if_read("info", payload, Info, STATUS_LIMIT_BYTES)
            case ("device", *device, "status"):
                self._take_device("/".join(device), payload)
            case _:
                return False
        self._put("needs", self._needs.now())
        self.heard_ms = now_ms
        return self.version != before

    def _take_event(self, payload: bytes) -> None:
        try:
            one = read_event(payload)
        except PayloadRefused:
            return
        if (one.identity.epoch, one.seq) <= (self._epoch, self._seq):
            return
        self._epoch, self._seq = one.identity.epoch, one.seq
        self._put("epoch", self._epoch)
        self._follow(one)
        if event_name(one.event) not in QUIET:
            data: dict[str, Any] = msgspec.to_builtins(one.event)
            name = data.pop("type")
            self.version += 1
            self.log.append(EventEntry(one.seq, one.time, name, data))

    def _follow(self, one: Published) -> None:
        self._needs.follow(one)
        if self._faults.follow(one):
            self._put("faults", self._faults.now())
        match one.event:
            case QuestionAsked(question):
                self._asked[question] = QuestionWait(one.time, exact=True)
            case TableStarted(currency=currency) if currency:
                self._put("currency", currency)
            case ShoeBegun(shoe, decks):
                self._shoe = Shoe(shoe, decks, 0)
                self._put("shoe", self._shoe)
            case CardDrawn() if self._shoe is not None:
                self._shoe = msgspec.structs.replace(self._shoe, drawn=self._shoe.drawn + 1)
                self._put("shoe", self._shoe)
            case _:
                pass

    def _take_state(self, state: str, payload: bytes, now_text: str) -> None:
        found = self._put_if_read(state, payload, STATES[state], EVENT_LIMIT_BYTES)
        if found is not None:
            self._needs.take(found, now_text)
        if isinstance(found, StreamNow):
            self._put("epoch", max(found.epoch, self._epoch))
        if isinstance(found, FeltNow):
            waiting = sorted(one.question for one in found.questions)
            self._asked = {one: self._asked.get(one, QuestionWait(now_text, exact=False)) for one in waiting}
            self._put("asked", self._asked)

    def _take_status(self, payload: bytes, now_text: str) -> None:
        found = self._put_if_read("status", payload, Status, STATUS_LIMIT_BYTES)
        if found is not None:
            self._needs.take(found, now_text)

    def _take_device(self, device: str, payload: bytes) -> None:
        found = read_as(payload, DeviceStatus, STATUS_LIMIT_BYTES)
        if found is not None and (device in self._devices or len(self._devices) < DEVICES_LIMIT):
            self._devices[device] = found
            self._put("devices", dict(sorted(self._devices.items())))

    def _put_if_read(self, section: str, payload: bytes, kind: type[msgspec.Struct], limit: int) -> object:
        found = read_as(payload, kind, limit)
        if found is not None:
            self._put(section, found)
        return found

    def _put(self, section: str, value: object) -> None:
        raw = msgspec.Raw(msgspec.json.encode(value))
        known = self.sections.get(section)
        if known is None or bytes(known.raw) != bytes(raw):
            self.version += 1
            self.sections[section] = KnownSection(self.version, value, raw)


@reads_outside(None)
def read_as(payload: bytes, kind: type[Any], limit_bytes: int) -> Any:  # noqa: ANN401 - of that kind
    """A payload as a value of this kind; None for anything else."""
    return json_as(payload, kind, limit_bytes=limit_bytes)
