"""What somebody who only listens can say about a table: each event in a line, and every reason not to trust it.

The watcher holds what is published against itself: seqs without a gap and without a repeat that differs, one epoch, and
every face against the commitment published when its card was drawn.
"""

from __future__ import annotations

import hashlib
from typing import Any, Final, NamedTuple

import msgspec

from controller.core.messages.events import BettingClosed, CardDrawn, CardOpened, Event
from controller.formats.journal.records import Identity, RecordDamaged, openings, opens
from controller.formats.mqtt.envelope import PayloadRefused, event_name, read_event
from controller.formats.text.safe_parse import DataRefused, json_of, reads_outside

TOPIC_LIMIT: Final = 200
"""Characters of a topic, and of a payload, that are shown of a message."""

PAYLOAD_LIMIT: Final = 500

CLEARED: Final = {"state/hold": "is empty: the table is not on hold"}
"""What an empty payload of a topic means."""

CARD_LIMIT: Final = 10_000
"""Commitments remembered until they are opened: many shoes."""

SEQ_LIMIT: Final = 100_000
"""Events whose content is remembered, to tell a repeat from a forgery: a day of a busy table."""


class Findings(NamedTuple):
    """The findings in a message: lines for people, and complaints, worst of all when they are about money or cards."""

    lines: tuple[str, ...] = ()
    complaints: tuple[str, ...] = ()


class Watcher:
    """Follows one table or several; feed it every message in the order it comes."""

    def __init__(self) -> None:
        self._tables: dict[tuple[str, str], _Table] = {}

    def see(self, topic: str, payload: bytes) -> Findings:
        """Take a message. Never raises on what a topic or a payload holds."""
        parts, shown = topic.split("/"), _clipped(topic, TOPIC_LIMIT)
        if len(parts) < 5 or parts[:2] != ["tableside", "v1"]:
            return Findings(complaints=(f"{shown}: not a topic of a table",))
        site, table, kind = parts[2:5]
        if kind == "alert":
            return Findings()
        if kind != "event":
            rest = "/".join(parts[4:])
            said = _plain(payload) if payload else CLEARED.get(rest, "is empty: nothing is retained there")
            return Findings(lines=(f"{site}/{table} {_clipped(rest, TOPIC_LIMIT)} {said}",))
        try:
            published = read_event(payload)
        except PayloadRefused as error:
            return Findings(complaints=(f"{shown}: {error}",))
        identity = published.identity
        if (identity.site, identity.table) != (site, table) or event_name(published.event) != parts[-1]:
            return Findings(complaints=(f"{shown}: carries {event_name(published.event)} of {identity.text()}",))
        followed = self._tables.setdefault((site, table), _Table(identity))
        complaints, is_new = followed.follow(identity, published.seq, payload, published.event)
        line = f"{published.time[11:23]} {site}/{table} {published.seq:>6} {event_line(published.event)}"
        return Findings(
            lines=(line,) if is_new else (), complaints=tuple(f"{site}/{table}: {one}" for one in complaints)
        )


class _Table:
    """What is remembered of one table."""

    def __init__(self, identity: Identity) -> None:
        self._identity = identity
        self._last = 0
        self._contents: dict[int, bytes] = {}
        self._commitments: dict[int, str] = {}

    def follow(self, identity: Identity, seq: int, payload: bytes, event: Event) -> tuple[list[str], bool]:
        """Complaints about an event, and whether it had not been seen before."""
        complaints: list[str] = []
        if identity != self._identity:
            complaints.append(f"epoch {identity.epoch} follows epoch {self._identity.epoch}: a journal was begun anew")
            self.__init__(identity)  # type: ignore[misc]
        digest = hashlib.sha256(payload).digest()
        known = self._contents.get(seq)
        if known is not None or (self._last and seq <= self._last):
            if known is not None and known != digest:
                complaints.append(f"event {seq} came twice with different contents")
            return complaints, False
        if self._last and seq > self._last + 1:
            complaints.append(f"events {self._last + 1} to {seq - 1} are missing")
        self._last = seq
        _remember(self._contents, seq, digest, SEQ_LIMIT)
        complaints += self._check_card(event)
        return complaints, True

    def _check_card(self, event: Event) -> list[str]:
        if isinstance(event, CardDrawn):
            _remember(self._commitments, event.card, event.commitment, CARD_LIMIT)
        if not isinstance(event, CardOpened) or event.card not in self._commitments:
            return []
        try:
            face, nonce = openings((event,))[event.card]
        except RecordDamaged as error:
            return [str(error)]
        if opens(self._commitments[event.card], face, nonce, self._identity, event.card):
            return []
        return [f"card {event.card} was opened as {event.face}, which is not what was committed when it was drawn"]


def event_line(event: Event) -> str:
    """An event in a line for people: its name and its fields."""
    fields: dict[str, Any] = msgspec.to_builtins(event)
    name = fields.pop("type")
    # The start names the rules; said again at every lock they are for machines.
    hidden = {"nonce", "commitment", *(("profile_hash",) if isinstance(event, BettingClosed) else ())}
    return " ".join([name, *(f"{key}={_short(value)}" for key, value in fields.items() if key not in hidden)])


@reads_outside(DataRefused)
def read_message(payload: bytes) -> object:
    """The JSON of a message.

    Raises:
        DataRefused: it is none.
    """
    return json_of(payload)


def lines_of(topic: str, payload: bytes, seen: Findings, *, as_json: bool) -> tuple[str, ...]:
    """What is shown of a message: its lines for people, or one JSON object of those that are new.

    The object has ``topic`` and ``message``, the payload; that is text where it is no JSON.
    """
    if not as_json or not seen.lines:
        return seen.lines
    try:
        body = read_message(payload)
    except DataRefused:
        body = payload.decode(errors="replace")
    return (msgspec.json.encode({"topic": topic, "message": body}).decode(),)


def _short(value: object) -> str:
    if isinstance(value, list | tuple):
        return "[" + ",".join(_short(one) for one in value) + "]"
    if isinstance(value, dict):
        return "/".join(_short(one) for one in value.values())
    if value is None or isinstance(value, bool):
        # As in the message, not as in Python.
        return msgspec.json.encode(value).decode()
    return repr(value) if isinstance(value, str) and (" " in value or not value) else str(value)


def _plain(payload: bytes) -> str:
    return _clipped(payload.decode(errors="replace").replace("\n", " "), PAYLOAD_LIMIT)


def _clipped(text: str, limit: int) -> str:
    return text if len(text) <= limit else f"{text[:limit]}… ({len(text)} characters)"


def _remember(memory: dict[int, Any], key: int, value: object, limit: int) -> None:
    memory[key] = value
    if len(memory) > limit:
        del memory[next(iter(memory))]
