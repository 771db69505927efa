"""What is shown of a message: lines for people, or one JSON object for a program."""

from __future__ import annotations

import json

from controller.core.messages.events import RoundClosed
from controller.formats.journal.records import Identity
from controller.formats.mqtt.envelope import Topics, event_bytes
from controller.reports.audit.stream_audit import Watcher, lines_of

TOPICS = Topics("harbour", "bj-1")
EVENT = RoundClosed(round=1, dealer=(), legal_plays=1, outcome="settled")


def test_a_program_is_given_each_message_once_with_its_topic() -> None:
    watcher = Watcher()
    body = event_bytes(EVENT, Identity("harbour", "bj-1", 1), 1, 0)
    topic = TOPICS.event(EVENT)
    (line,) = lines_of(topic, body, watcher.see(topic, body), as_json=True)
    assert json.loads(line) == {"topic": topic, "message": json.loads(body)}
    assert lines_of(topic, body, watcher.see(topic, body), as_json=True) == ()


def test_what_is_no_json_is_text() -> None:
    for payload, message in ((b"up", "up"), (b"\xff\n", "\ufffd\n"), (b'{"a": 1}\n', {"a": 1})):
        seen = Watcher().see(TOPICS.status, payload)
        (line,) = lines_of(TOPICS.status, payload, seen, as_json=True)
        assert json.loads(line) == {"topic": TOPICS.status, "message": message}
        assert "\n" not in line


def test_an_empty_payload_is_reported_in_words() -> None:
    for topic, line in (
        (TOPICS.state("hold"), "harbour/bj-1 state/hold is empty: the table is not on hold"),
        (TOPICS.state("advice"), "harbour/bj-1 state/advice is empty: nothing is retained there"),
    ):
        assert Watcher().see(topic, b"").lines == (line,)


def test_the_longest_topic_and_message_are_shown_in_part() -> None:
    long = "x" * 60_000
    for topic in (long, f"{TOPICS.root}/state/{long}", f"{TOPICS.root}/event/{long}"):
        seen = Watcher().see(topic, b'{"who": "' + long.encode() + b'"}')
        (line,) = seen.lines + seen.complaints
        assert len(line) < 1500, line[:300]
