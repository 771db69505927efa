"""No hole card, in any form, in any message, log line or screen before it is turned.

One round is played 52 times by a daemon with a broker, a journal and a log, each time with another face in the hole and
everything else the same: clock, chance and readings. Whatever leaves the process is kept by the reading after which it
left, and must be the same bytes all 52 times, the hole card's commitment excepted.
"""

from __future__ import annotations

import asyncio
import base64
import io
import json
import logging
from pathlib import Path
from typing import Any

import pytest
import structlog

from controller.formats.journal.records import commit
from controller.io.mqtt.broker import find_mosquitto, mosquitto
from controller.io.system.log import configure_log
from firmware_protocols.cards import DECK, Card
from tests.wiring.premises import TOPICS, Ear
from tests.wiring.strings import HOLE_PLACE, IDENTITY, Messages, Played, play

BLOT = b"*" * 64


async def play_all(places: dict[Card, Path], log: io.StringIO) -> list[Played]:
    ear = Ear()
    async with mosquitto() as broker, ear.listening(broker):
        return [await play(place, broker, ear, log, face) for face, place in places.items()]


@pytest.fixture(scope="module")
def playings(tmp_path_factory: pytest.TempPathFactory) -> list[Played]:
    """All 52, logged at the most talkative level; the logging is put back as it was."""
    if find_mosquitto() is None:
        pytest.skip("Mosquitto is not installed")
    root = logging.getLogger()
    handlers, level, before = root.handlers[:], root.level, structlog.get_config()
    lines = io.StringIO()
    configure_log("json", level="debug", stream=lines)
    try:
        return asyncio.run(play_all({face: tmp_path_factory.mktemp(face.value) for face in DECK}, lines))
    finally:
        structlog.configure(**before)
        root.handlers, root.level = handlers, level


def blotted(one: Played) -> list[Messages]:
    """The messages, with the hole card's commitment blotted out in the one event that publishes it."""
    commitment = one.hole_drawn()["commitment"].encode()
    found: list[Messages] = []
    count = 0
    for messages in one.messages:
        count += sum(body.count(commitment) for bodies in messages.values() for body in bodies)
        found.append({topic: [body.replace(commitment, BLOT) for body in messages[topic]] for topic in messages})
    assert count == 1
    return found


def all_bytes(one: Played) -> bytes:
    """Every byte that anybody outside could have seen before the turn, the journal's files included."""
    messages = b"\n".join(body for each in one.messages for bodies in each.values() for body in bodies)
    return b"\n".join((messages, repr(one.screens).encode(), "\n".join(one.log).encode(), one.files))


def test_every_face_was_played_and_turned(playings: list[Played]) -> None:
    assert [one.hole_opened()["face"] for one in playings] == [face.value for face in DECK]
    for one in playings:
        assert one.hole_drawn()["position"] == HOLE_PLACE
        assert f"{TOPICS.root}/event/hole_card_revealed" in one.turned
        assert not any(f"{TOPICS.root}/event/hole_card_revealed" in each for each in one.messages)


def test_messages_are_the_same_bytes_but_for_one_commitment(playings: list[Played]) -> None:
    first = blotted(playings[0])
    names = {topic.rsplit("/", 1)[1] for messages in first for topic in messages}
    assert {
        "betting_closed",
        "card_dealt",
        "card_drawn",
        "card_opened",
        "hand_completed",
        "wager_settled",
        "round",
    } <= names
    for one in playings[1:]:
        assert blotted(one) == first


def test_screens_and_log_lines_are_the_same(playings: list[Played]) -> None:
    assert playings[0].screens
    assert playings[0].log
    for one in playings[1:]:
        assert (one.screens, one.log) == (playings[0].screens, playings[0].log)


def test_the_commitment_is_kept_by_what_only_the_turn_reveals(playings: list[Played]) -> None:
    assert len({one.hole_drawn()["commitment"] for one in playings}) == len(DECK)
    for one in playings:
        nonce = bytes.fromhex(one.hole_opened()["nonce"])
        assert commit(one.face, nonce, IDENTITY, one.hole) == one.hole_drawn()["commitment"]
        seen = all_bytes(one)
        for form in (nonce, nonce.hex().encode(), base64.b64encode(nonce), base64.urlsafe_b64encode(nonce)):
            assert form not in seen


def public_keys(one: Played) -> list[bytes]:
    """Everything an outsider might try as a commitment's key: nothing, names, and all random bytes published yet."""
    opened = [body for each in one.messages for body in each.get(f"{TOPICS.root}/event/card_opened", ())]
    nonces = [bytes.fromhex(json.loads(body)["data"]["nonce"]) for body in opened]
    kept = [base64.b64decode(json.loads(body)["nonce"]) for body in one.records.values()]
    assert nonces
    return [b"", bytes(32), IDENTITY.text().encode(), str(one.hole).encode(), *nonces, *kept]


def test_nobody_finds_the_face_by_trying_what_is_known(playings: list[Played]) -> None:
    for one in playings:
        tried = {commit(face, key, IDENTITY, one.hole) for face in DECK for key in public_keys(one)}
        assert one.hole_drawn()["commitment"] not in tried


def clear(body: bytes) -> dict[str, Any]:
    """A card's record without what is sealed and committed."""
    fields: dict[str, Any] = json.loads(body)
    assert fields["input"]["face"] is None
    assert fields["nonce"] == ""
    del fields["sealed"], fields["commitment"]
    return fields


def test_the_journal_holds_no_clear_face(playings: list[Played]) -> None:
    first = playings[0]
    for one in playings[1:]:
        mine, theirs = dict(one.records), dict(first.records)
        hole, other = mine.pop(one.hole), theirs.pop(first.hole)
        assert mine == theirs
        assert clear(hole) == clear(other)
        assert hole != other
        assert len(hole) == len(other)


def test_nor_does_the_size_of_a_checkpoint_reveal_one(playings: list[Played]) -> None:
    assert len({len(one.checkpoint) for one in playings}) == 1
    assert len({one.checkpoint for one in playings}) == len(DECK)
    assert not any(b"cards" in one.checkpoint for one in playings)
