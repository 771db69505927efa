"""docs/reference/events.md and the event reference against the formats: every event and field, every example."""

from __future__ import annotations

import random
import re
from typing import Any, Final, get_args

import msgspec
import pytest
from msgspec.structs import replace

from controller.core.messages.alerts import Alert
from controller.core.messages.events import CardDrawn, CardOpened
from controller.core.messages.inputs import DayBegan
from controller.core.table.state import Table
from controller.formats.journal.records import opens
from controller.formats.mqtt.envelope import (
    DeviceStatus,
    Envelope,
    Published,
    Status,
    Topics,
    event_name,
    event_types,
    read_event,
)
from controller.formats.mqtt.retained_state import STATES, Info
from controller.formats.orders.requests import VERBS, AnswerRequest, Reply, read_command
from controller.io.files import profile_files
from controller.reports.audit.stream_audit import event_line
from firmware_protocols.cards import Card
from firmware_protocols.values import tag_of
from simulators.people.dealer import play
from simulators.people.house import house_from
from simulators.people.rack import Rack
from tests.core.rig import Rig
from tests.docs.pages import blocks, page, sections

PAGE: Final = page("events.md")
REFERENCE: Final = page("event-reference.md")
PENN: Final = "hollywood-penn-national"
SECTIONS: Final = sections(PAGE)
DESCRIBED: Final = sections(REFERENCE)
NAMES: Final = {tag_of(kind): kind for kind in event_types()}
ALERTS: Final = {tag_of(kind) for kind in get_args(Alert)}
EXAMPLES: Final = [read_event(block.text.encode()) for block in blocks(REFERENCE) if block.kind == "json"]
PICTURES: Final[dict[str, type[msgspec.Struct]]] = {
    **STATES,
    "status": Status,
    "info": Info,
    "device": DeviceStatus,
    "command": AnswerRequest,
    "reply": Reply,
}


def fields(kind: type[Any]) -> list[str]:
    return [field.encode_name for field in msgspec.structs.fields(kind)]


def example(kind: type[Any], **wanted: object) -> Published:
    return next(
        one
        for one in EXAMPLES
        if isinstance(one.event, kind) and all(getattr(one.event, name) == value for name, value in wanted.items())
    )


@pytest.mark.parametrize("name", NAMES)
def test_every_event_has_its_fields_in_order(name: str) -> None:
    assert name in DESCRIBED, f"docs/reference/event-reference.md has no section {name}"
    assert DESCRIBED[name].names() == fields(NAMES[name])


def test_no_section_describes_an_event_that_is_not() -> None:
    assert {heading for heading in DESCRIBED if "_" in heading} <= set(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_every_event_has_a_real_example(name: str) -> None:
    found = [one for one in EXAMPLES if event_name(one.event) == name]
    assert found, f"docs/reference/event-reference.md has no example of {name}"
    own = [read_event(text.encode()) for text in DESCRIBED[name].blocks("json")]
    assert all(event_name(one.event) == name for one in own)


def test_the_examples_are_of_one_table_and_no_number_is_two_events() -> None:
    assert {(one.identity.site, one.identity.table) for one in EXAMPLES} == {("harbour", "bj-1")}
    numbers = [(one.identity.epoch, one.seq) for one in EXAMPLES]
    assert len(numbers) == len(set(numbers))


def test_alerts_are_the_events_under_alerts() -> None:
    after = REFERENCE[REFERENCE.index("\n## Alerts\n") :]
    assert set(re.findall(r"^### `(\w+)`$", after, re.MULTILINE)) == ALERTS


def test_the_event_under_the_envelope_is_an_example() -> None:
    (shown,) = SECTIONS["The envelope"].blocks("json")
    assert read_event(shown.encode()) in EXAMPLES


def test_the_envelope_has_every_attribute() -> None:
    assert sorted(SECTIONS["The envelope"].names()) == sorted(fields(Envelope))


def test_every_topic_is_named() -> None:
    topics = Topics("SITE", "TABLE")
    drawn = example(CardDrawn).event
    named = [
        topics.status,
        topics.info,
        *(topics.state(name) for name in STATES),
        topics.device("DEVICE"),
    ]
    named += [topics.command("VERB"), topics.reply("VERB"), f"{topics.root}/ack/CONSUMER"]
    named += [topics.replay("CONSUMER")]
    named += [topics.event(drawn).replace("card_drawn", "NAME"), f"{topics.root}/alert/NAME"]
    assert f"`{topics.root}`" in PAGE
    assert sorted(SECTIONS["Topics"].names()) == sorted(topic.removeprefix(f"{topics.root}/") for topic in named)


@pytest.mark.parametrize("kind", PICTURES)
def test_every_other_payload_has_an_example_of_its_shape(kind: str) -> None:
    (text,) = [block.text for block in blocks(PAGE) if block.kind == f"json {kind}"]
    # What has no value is left out where a value would mean something.
    unset = {one.encode_name for one in msgspec.structs.fields(PICTURES[kind]) if one.default is msgspec.UNSET}
    assert set(msgspec.json.decode(text)) == set(fields(PICTURES[kind])) - unset
    msgspec.json.decode(text, type=PICTURES[kind])


@pytest.mark.parametrize("kind", PICTURES)
def test_every_other_payload_has_its_fields_described(kind: str) -> None:
    after = PAGE[PAGE.index(f"```json {kind}\n") :]
    table = after[after.index("\n| field | meaning |") :].strip()
    described = re.findall(r"^\| `(\w+)` \|", table[: table.index("\n\n")], re.MULTILINE)
    assert described == fields(PICTURES[kind])


def test_the_command_shown_is_taken() -> None:
    (text,) = [block.text for block in blocks(PAGE) if block.kind == "json command"]
    assert read_command("answer", text.encode()) == AnswerRequest(1, "no", "floor: M. Okafor", 17)


@pytest.mark.parametrize("verb", sorted(set(VERBS) - {"answer"}))
def test_every_other_verb_is_shown_and_taken(verb: str) -> None:
    (text,) = [block.text for block in blocks(PAGE) if block.kind == f"json {verb}"]
    assert type(read_command(verb, text.encode())) is VERBS[verb][0]


def test_the_page_opens_a_commitment_as_anybody_would() -> None:
    (code,) = [block.text for block in blocks(PAGE) if block.kind == "python"]
    found: dict[str, Any] = {}
    exec(code, found)
    opened = example(CardOpened)
    assert isinstance(opened.event, CardOpened)
    drawn = example(CardDrawn, card=opened.event.card)
    assert isinstance(drawn.event, CardDrawn)
    face, nonce = Card(opened.event.face), bytes.fromhex(opened.event.nonce)
    assert found["commitment"] == drawn.event.commitment
    assert f"\n    {drawn.event.commitment}\n" in PAGE
    assert opens(drawn.event.commitment, face, nonce, opened.identity, opened.event.card)
    assert f"drawn as event {drawn.seq} and opened as event {opened.seq}" in PAGE


def test_the_round_shown_is_one_that_people_played() -> None:
    (shown,) = SECTIONS["One round, event by event"].blocks("text round")
    rack = Rack()
    chips = {line.split(",")[0]: int(line.split(",")[1]) for line in rack.registry_csv().splitlines()[1:]}
    rig = Rig(profile_files.load(PENN, {"stand_key": "always", "turn_key": "always"}).rules, chips)
    house = replace(rig.house, denominations=tuple(sorted({*chips.values()}, reverse=True)))
    rig.table = Table(house, rig.table.state)
    # A running table publishes at its start which day it is.
    rig.give(DayBegan(rig.now_ns, "2026-11-21"))
    rig.perform(play(house_from(profile_files.raw(PENN)), random.Random(164), rack, (1, 1), rounds=1))
    lines = [f"{seq:>2} {event_line(event)}" for seq, event in enumerate(rig.events, 1)]
    assert lines[5:] == shown.splitlines()
