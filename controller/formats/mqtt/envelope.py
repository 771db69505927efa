"""What goes out over MQTT: events in CloudEvents 1.0 envelopes (structured JSON), status and info, and the topics.

The bytes made here are journaled and published unchanged, so a replay is compared with them byte by byte.
Envelope: https://github.com/cloudevents/spec/blob/v1.0.2/cloudevents/spec.md. Extensions ``epoch`` and ``seq`` are
integers; together with site and table they name an event once and for all.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime
from functools import cache, lru_cache
from typing import Final, Generic, TypeVar, get_args

import msgspec

from controller.core.messages.alerts import Alert
from controller.core.messages.events import Event
from controller.formats.journal.records import Identity
from controller.formats.text.safe_parse import DataRefused, json_as, json_of, own_json, reads_outside
from firmware_protocols.values import Value, tag_of

CONTENT_TYPE: Final = "application/json"
SPEC_VERSION: Final = "1.0"
TYPE_PREFIX: Final = "tableside."
TYPE_SUFFIX: Final = ".v1"
NANOSECONDS: Final = 1_000_000_000

EVENT_LIMIT_BYTES: Final = 1024 * 1024
"""Many times the largest event."""

STATUS_LIMIT_BYTES: Final = 64 * 1024
STATUS_LIMIT_VALUES: Final = 1_000
"""Whoever may write to the topic may write much, and a table reads it beside its cards."""

VERB: Final = re.compile(r"[a-z-]{1,32}")
"""What may be asked for is named so; any other topic is no request, and is not answered."""


class PayloadRefused(ValueError):  # noqa: N818 - named for what happened
    """A payload is not what this version of the format says."""


class Envelope(msgspec.Struct, frozen=True):
    """An event's envelope. ``time`` is for people: RFC 3339, UTC, microseconds."""

    specversion: str
    id: str
    source: str
    type: str
    time: str
    datacontenttype: str
    epoch: int
    seq: int
    data: msgspec.Raw
    """The event's fields as a JSON object, its name left out."""
    subject: str | msgspec.UnsetType = msgspec.UNSET


E = TypeVar("E")


class _EnvelopeAround(Envelope, Generic[E], frozen=True):
    """The same, read together with its event."""

    data: E  # type: ignore[assignment]


class Status(Value, frozen=True, tag=False):
    """Retained on ``status``: whether the table's daemon runs. ``session`` counts its starts; a lower one is stale.

    ``alarms``: what somebody should see to, a line each.
    """

    state: str
    session: int
    since: str
    alarms: tuple[str, ...] = ()


class DeviceStatus(Value, frozen=True, tag=False):
    """Retained on ``device/{name}/status``."""

    state: str
    detail: str
    since: str


class Published(msgspec.Struct, frozen=True):
    """An event as it came off the wire or out of the journal."""

    identity: Identity
    seq: int
    time: str
    event: Event


CLOUDEVENTS: Final = "application/cloudevents+json"
"""What an event's envelope is called where a message names its type (CloudEvents' MQTT binding 1.0.2, 3.2)."""


class Topics(msgspec.Struct, frozen=True):
    """The topics of one table, all below ``tableside/v1/{site}/{table}``."""

    site: str
    table: str

    @property
    def root(self) -> str:
        """What all topics of the table begin with."""
        return f"tableside/v1/{self.site}/{self.table}"

    @property
    def status(self) -> str:
        """Retained ``Status``, and the last will."""
        return f"{self.root}/status"

    @property
    def info(self) -> str:
        """Retained: versions, profile, devices."""
        return f"{self.root}/info"

    @property
    def commands(self) -> str:
        """The filter for everything people may ask for."""
        return f"{self.root}/cmd/#"

    def event(self, event: Event) -> str:
        """Where an event goes."""
        return f"{self.root}/event/{event_name(event)}"

    def alert(self, event: Alert) -> str:
        """Where an alert goes besides its own event's topic."""
        return f"{self.root}/alert/{event_name(event)}"

    def state(self, name: str) -> str:
        """Retained: the latest of something, with the seq it reflects."""
        return f"{self.root}/state/{name}"

    def command(self, verb: str) -> str:
        """Where ``verb`` is asked for."""
        return f"{self.root}/cmd/{verb}"

    def reply(self, verb: str) -> str:
        """Where ``verb`` is answered."""
        return f"{self.root}/reply/{verb}"

    @property
    def acks(self) -> str:
        """The filter for what consumers acknowledge."""
        return f"{self.root}/ack/+"

    @property
    def stream(self) -> str:
        """Retained ``StreamNow``: how far the journal, the broker and the consumers are."""
        return self.state("stream")

    def replay(self, consumer: str) -> str:
        """Where events go again for a consumer that asked for them."""
        return f"{self.root}/reply/replay/{consumer}"

    def device(self, name: str) -> str:
        """Retained ``DeviceStatus``."""
        return f"{self.root}/device/{name}/status"

    def verb(self, topic: str) -> str | None:
        """The verb of a command topic, None for any other topic."""
        head = f"{self.root}/cmd/"
        verb = topic.removeprefix(head)
        return verb if topic.startswith(head) and VERB.fullmatch(verb) else None


def event_types() -> tuple[type[Event], ...]:
    """Every class of the closed union of events."""
    return get_args(Event)


def event_name(event: Event) -> str:
    """``card_drawn`` for a ``CardDrawn``."""
    return tag_of(type(event))


def type_of(name: str) -> str:
    """The ``type`` of an envelope around the event of this name, such as ``tableside.card_drawn.v1``."""
    return f"{TYPE_PREFIX}{name}{TYPE_SUFFIX}"


def event_bytes(event: Event, identity: Identity, seq: int, wall_ns: int) -> bytes:
    """The payload of an event: the same bytes in the journal and on the wire.

    ``seq`` counts the epoch's events from 1; ``wall_ns`` is the stamp of the record it belongs to.
    """
    around, lead = _around(identity, type(event))
    # The name stands in the envelope's type, and not in its data.
    fields = msgspec.json.encode(event)[lead:].removeprefix(b",")
    return around % (seq, utc_text(wall_ns).encode(), seq, fields, _subject(event))


@lru_cache(maxsize=512)
def _around(identity: Identity, kind: type[Event]) -> tuple[bytes, int]:
    """What lies around the fields of every event of a kind, and how many bytes of its JSON stand before these.

    It has places for the seq, the time, the seq again, the fields with the brace behind them, and the subject.
    """
    name = tag_of(kind)
    own = f'"id":"{identity.text()}/%d","source":"/{identity.site}/{identity.table}","type":"{type_of(name)}"'
    rest = f'"datacontenttype":"{CONTENT_TYPE}","epoch":{identity.epoch},"seq":%d,"data":{{%b%b}}'
    around = f'{{"specversion":"{SPEC_VERSION}",{own},"time":"%b",{rest}'
    return around.encode(), len(f'{{"type":"{name}"')


def envelope_head(identity: Identity) -> bytes:
    """What stands before the kind in every event of an epoch, but for the digits of its seq."""
    own = f'"id":"{identity.text()}/","source":"/{identity.site}/{identity.table}"'
    return f'{{"specversion":"{SPEC_VERSION}",{own},"type":"{TYPE_PREFIX}'.encode()


@reads_outside(PayloadRefused)
def read_event(payload: bytes) -> Published:
    """What ``event_bytes`` was given, as somebody says.

    Raises:
        PayloadRefused: not such a payload, or a type this version does not know.
    """
    try:
        json_of(payload, limit_bytes=EVENT_LIMIT_BYTES)
    except DataRefused as error:
        raise PayloadRefused(f"not an event: {error}") from error
    return own_event(payload)


def own_event(payload: bytes) -> Published:
    """What ``event_bytes`` was given, out of a journal, or where ``json_of`` has taken it.

    Raises:
        PayloadRefused: not such a payload, or a type this version does not know.
    """
    try:
        name = _name_in(payload)
        envelope: _EnvelopeAround[Event] = own_json(payload, _envelope_around(name))
        identity, text = _identity(envelope.source, envelope.epoch)
    except ValueError as error:
        raise PayloadRefused(f"not an event: {error}") from error
    if envelope.id != f"{text}/{envelope.seq}" or envelope.type != type_of(name):
        raise PayloadRefused(f"not an event: id {envelope.id} and type {envelope.type} do not fit the rest")
    return Published(identity=identity, seq=envelope.seq, time=envelope.time, event=envelope.data)


_OWN_HEAD: Final = re.compile(rb'\{"specversion":"[^"\\]*","id":"[^"\\]*","source":"[^"\\]*","type":"([^"\\]*)"')
"""What an event begins with as this program writes it."""


def _name_in(payload: bytes) -> str:
    """The name of the event in an envelope.

    Raises:
        ValueError: this is no envelope.
    """
    # Whoever passes an event on may order its keys otherwise: only then is the envelope read for this alone.
    found = _OWN_HEAD.match(payload)
    kind = own_json(payload, Envelope).type if found is None else found[1].decode()
    return str(kind).removeprefix(TYPE_PREFIX).removesuffix(TYPE_SUFFIX)


@lru_cache(maxsize=256)
def _envelope_around(name: str) -> type[_EnvelopeAround[Event]]:
    """The envelope around an event of this name.

    Raises:
        ValueError: there is no such event.
    """
    kind = next((one for one in event_types() if tag_of(one) == name), None)
    if kind is None:
        raise ValueError(f"Invalid value {name!r} - at `$.type`")
    return _EnvelopeAround[kind]  # type: ignore[valid-type]


@lru_cache(maxsize=16)
def _identity(source: str, epoch: int) -> tuple[Identity, str]:
    """Whose an event is by its source and epoch, and that as text.

    Raises:
        ValueError: the source names no table.
    """
    site, table = source.strip("/").split("/")
    identity = Identity(site=site, table=table, epoch=epoch)
    return identity, identity.text()


def status_bytes(state: str, session: int, wall_ns: int, alarms: tuple[str, ...] = ()) -> bytes:
    """The payload of ``status``; ``state`` is ``online`` or ``offline``."""
    return msgspec.json.encode(Status(state, session, utc_text(wall_ns), alarms))


@reads_outside(None)
def read_status(payload: bytes) -> Status | None:
    """The payload of ``status``; None for anything else."""
    status: Status = json_as(payload, Status, limit_bytes=STATUS_LIMIT_BYTES, limit_values=STATUS_LIMIT_VALUES)
    return status


def device_bytes(state: str, detail: str, wall_ns: int) -> bytes:
    """The payload of ``device/{name}/status``."""
    return msgspec.json.encode(DeviceStatus(state=state, detail=detail, since=utc_text(wall_ns)))


@lru_cache(maxsize=16)
def utc_text(wall_ns: int) -> str:
    """RFC 3339 in UTC with microseconds: ``2026-11-21T09:56:47.000000Z``."""
    seconds, rest = divmod(wall_ns, NANOSECONDS)
    return f"{_second_text(seconds)}.{rest // 1000:06d}Z"


def nanoseconds(time: str) -> int:
    """A published time (RFC 3339, UTC, microseconds) in nanoseconds since 1970."""
    since = datetime.fromisoformat(time) - _BEGINNING
    return ((since.days * 86_400 + since.seconds) * 1_000_000 + since.microseconds) * 1_000


_BEGINNING: Final = datetime(1970, 1, 1, tzinfo=UTC)


@lru_cache(maxsize=16)
def _second_text(seconds: int) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%S")


PLACES: Final = ("device", "round", "spot", "hand")
"""What an event may be about, in the order of its subject."""


def _subject(event: Event) -> bytes:
    """What an event is about, as it stands in its envelope; empty: nothing is said of it."""
    about = [(place, getattr(event, place)) for place in _places_of(type(event))]
    places = [f"{place}/{where}" for place, where in about if where is not None]
    return b',"subject":' + msgspec.json.encode("/".join(places)) if places else b""


@cache
def _places_of(kind: type[Event]) -> tuple[str, ...]:
    return tuple(place for place in PLACES if place in kind.__struct_fields__)
