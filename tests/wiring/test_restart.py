"""The daemon is killed as a power cut would, and its table goes on: nothing lost, nothing published in two ways."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec
import pytest

from controller.core.messages.alerts import CardsMayBeMissing, RoundIrregular
from controller.core.messages.events import (
    CardDrawn,
    ChipsChanged,
    QuestionAnswered,
    QuestionAsked,
    RoundClosed,
    TableStarted,
)
from controller.io.journal.reader import JournalReader
from controller.io.mqtt.broker import find_mosquitto, mosquitto, start_mosquitto
from controller.io.mqtt.connection import Broker, connected
from simulators.people.acts import Act, Draw, Lay, Press
from tests.wiring.premises import PATIENCE_S, TOPICS, Premises, after, json_of, open_house, ran, scripted

SEED = 37
"""Two boxes; in round 2 one doubles, and both are paid."""

DEAL = 6
"""Cards of a deal to two boxes."""


def dealt(acts: Sequence[Act]) -> int:
    return after(acts, DEAL, lambda act: isinstance(act, Draw))


def doubled(acts: Sequence[Act]) -> int:
    return dealt(acts) + after(acts[dealt(acts) :], 1, lambda act: isinstance(act, Lay))


def first_paid(acts: Sequence[Act]) -> int:
    turned = after(acts, 1, lambda act: act == Press("S"))
    return turned + after(acts[turned:], 1, lambda act: isinstance(act, Lay))


def cards(acts: Sequence[Act]) -> int:
    return sum(isinstance(act, Draw) for act in acts)


async def heard(house: Premises, acts: Sequence[Act]) -> None:
    """Wait until what was just done has been published: the cards, and the last chips."""
    await house.ear.event(CardDrawn, cards(acts))
    laid = next((act for act in reversed(acts) if isinstance(act, Lay)), None)
    if laid is not None:
        cents = house.rack.value_cents(laid.chips)
        await house.ear.event(ChipsChanged, spot=laid.spot, zone=laid.zone, after_cents=cents)


async def ask(house: Premises, verb: str, body: object) -> dict[str, object]:
    """Ask the table for something over MQTT; its reply."""
    before = len(house.ear.messages)
    topic = TOPICS.reply(verb)
    async with connected(house.broker, "5", "") as client:
        await client.publish(TOPICS.command(verb), msgspec.json.encode(body))
        await house.ear.until(lambda: any(one.topic == topic for one in house.ear.messages[before:]))
    reply: dict[str, object] = json_of(house.ear.last(topic))
    return reply


async def assert_sound(house: Premises) -> None:
    """After everything: the journal was published byte for byte, is whole, and replays with the key and without."""
    await house.until_published()
    await house.stop()
    await house.assert_published_once()
    journal = str(house.journal)
    runs = [("verify", journal), ("replay", journal), ("replay", journal, "--key", str(house.key))]
    for status, output, errors in await asyncio.gather(*(ran(*arguments) for arguments in runs)):
        assert (status, errors) == (0, ""), output


async def test_killed_between_two_rounds(house: Premises) -> None:
    for acts in scripted(house.rack, SEED, 3):
        await house.perform(acts)
        await house.ear.event(RoundClosed, round=house.truth[-1].round)
        await house.kill()
        await house.start()
    assert house.ear.outcomes() == ["settled"] * 3
    house.assert_settled(1, 2, 3)
    started = house.ear.events(TableStarted)
    assert [(one.restart, one.round_open) for one in started] == [(False, False)] + 3 * [(True, False)]
    assert house.ear.events(QuestionAsked) == []
    assert [one.round for one in house.ear.events(CardsMayBeMissing)] == [None, None, None]
    await assert_sound(house)


@pytest.mark.parametrize("place", [dealt, doubled, first_paid])
async def test_killed_in_a_round_that_goes_on_as_nothing_was_missed(
    house: Premises, place: Callable[[Sequence[Act]], int]
) -> None:
    first, second, third = scripted(house.rack, SEED, 3)
    cut = place(second)
    await house.perform(first)
    await house.perform(second[:cut])
    await heard(house, [*first, *second[:cut]])
    await house.kill()
    await house.start()
    missing = await house.ear.event(CardsMayBeMissing, round=2)
    assert missing.reason == "the daemon was not running"
    asked = await house.ear.event(QuestionAsked, round=2)
    assert asked.choices == ("no", "yes")
    assert house.ear.events(TableStarted)[1].round_open
    await house.talk("no")
    assert (await house.ear.event(QuestionAnswered, question=asked.question)).who == "dealer"
    await house.perform([*second[cut:], *third])
    await house.ear.event(RoundClosed, round=3)
    assert house.ear.outcomes() == ["settled"] * 3
    house.assert_settled(1, 2, 3)
    await assert_sound(house)


async def test_the_floor_answers_over_mqtt_and_the_round_is_its_own(house: Premises) -> None:
    """Cards drawn meanwhile: what waits on a line that nobody holds open is thrown away when it is opened."""
    first, second, third = scripted(house.rack, SEED, 3)
    cut = dealt(second)
    await house.perform([*first, *second[:cut]])
    await heard(house, [*first, *second[:cut]])
    await house.kill()
    missed = next(act for act in second[cut:] if isinstance(act, Draw))
    house.bench.draw(missed.card)
    await house.start()
    asked = await house.ear.event(QuestionAsked, round=2)
    refused = await ask(house, "answer", {"question": asked.question, "answer": "yes", "who": " ", "transaction": "a"})
    assert (refused["status"], refused["transaction"]) == ("refused", "a")
    answer = {"question": asked.question, "answer": "yes", "who": "floor", "transaction": 1}
    replied = await ask(house, "answer", answer)
    assert replied == {"status": "accepted", "text": "", "transaction": 1, "reason_code": None}
    assert (await house.ear.event(QuestionAnswered)).who == "floor"
    assert (await house.ear.event(RoundIrregular)).round == 2
    rest = [act for act in second[cut:] if act is not missed]
    await house.perform([*rest, *third])
    await house.ear.event(RoundClosed, round=3)
    assert house.ear.outcomes() == ["settled", "irregular", "settled"]
    house.assert_settled(1, 3)
    assert len(house.ear.events(CardDrawn)) == cards([*first, *second, *third]) - 1
    await assert_sound(house)


async def test_killed_again_before_anybody_answered(house: Premises) -> None:
    first, second = scripted(house.rack, SEED, 2)
    cut = dealt(second)
    await house.perform([*first, *second[:cut]])
    await heard(house, [*first, *second[:cut]])
    for _ in range(2):
        await house.kill()
        await house.start()
    asked = await house.ear.event(QuestionAsked)
    assert house.ear.events(QuestionAsked) == [asked]
    await house.talk("no")
    await house.perform(second[cut:])
    await house.ear.event(RoundClosed, round=2)
    house.assert_settled(1, 2)
    await assert_sound(house)


async def test_killed_while_readings_stream_in(house: Premises) -> None:
    """Wherever it was, what was published stays so; the floor says that cards were missed; the next round settles."""
    first, second = scripted(house.rack, SEED, 2)
    playing = asyncio.create_task(house.perform(first))
    await house.ear.event(CardDrawn, 3)
    await house.kill()
    playing.cancel()
    await asyncio.gather(playing, return_exceptions=True)
    for place in house.bench.places:
        house.bench.lay(*place, ())
    await house.start()
    await house.ear.event(QuestionAsked, round=1)
    await house.talk("yes\nround_closed")
    await house.ear.event(RoundClosed, round=1, outcome="irregular")
    await house.perform(second)
    await house.ear.event(RoundClosed, round=2, outcome="settled")
    house.assert_settled(2)
    await assert_sound(house)


async def journaled(house: Premises, kind: bytes) -> None:
    """Wait until the journal's last events hold one of this type, looking each time the readers have."""
    async with asyncio.timeout(PATIENCE_S):
        found = False
        while not found:
            await house.bench.looked(1)
            with JournalReader(house.journal) as reader:
                found = any(kind in row.body for row in reader.events(max(1, reader.head().seq - 3)))


@pytest.mark.skipif(find_mosquitto() is None, reason="Mosquitto is not installed")
@pytest.mark.parametrize("daemon_too", [False, True])
async def test_the_broker_is_killed_in_the_middle_of_a_round(tmp_path: Path, *, daemon_too: bool) -> None:
    """The rest of the round is published when the broker is back, also by a daemon that was killed meanwhile."""
    program = find_mosquitto()
    assert program is not None
    settings = tmp_path / "broker"
    settings.mkdir()
    for directory in (tmp_path, settings):
        directory.chmod(0o755)
    process, port = await start_mosquitto(program, settings, {}, None)
    async with open_house(tmp_path, Broker(host="127.0.0.1", port=port)) as house:
        first, second = scripted(house.rack, SEED, 2)
        cut = dealt(second)
        await house.perform([*first, *second[:cut]])
        await heard(house, [*first, *second[:cut]])
        await house.until_published()
        process.kill()
        await process.wait()
        published = len(house.ear.published)
        await house.perform(second[cut:])
        await journaled(house, b'"tableside.round_closed.v1"')
        assert len(house.ear.published) == published
        assert house.process is not None
        # Killed or held still, so that the new broker has a listener before the daemon is back.
        if daemon_too:
            await house.kill()
        else:
            os.kill(house.process.pid, signal.SIGSTOP)
        async with mosquitto(port=port) as again, house.ear.listening(again):
            if daemon_too:
                await house.start()
            else:
                os.kill(house.process.pid, signal.SIGCONT)
            await house.ear.event(RoundClosed, round=2)
            house.assert_settled(1, 2)
            await house.ear.until(lambda: (json_of(house.ear.last(TOPICS.status)) or {}).get("state") == "online")
            await assert_sound(house)


async def test_one_journal_has_one_daemon(house: Premises) -> None:
    status, output, errors = await ran("run", str(house.table_file))
    assert (status, output) == (2, "")
    assert len(errors.splitlines()) == 1
    assert "in use by another process" in errors


async def test_another_tables_journal_is_refused(house: Premises) -> None:
    await house.stop()
    text = house.table_file.read_text(encoding="utf-8")
    house.table_file.write_text(text.replace('"bj-1"', '"bj-2"'), encoding="utf-8")
    with JournalReader(house.journal) as reader:
        head = reader.head()
    status, output, errors = await ran("run", str(house.table_file))
    assert (status, output) == (2, "")
    assert len(errors.splitlines()) == 1
    assert "this is the journal of harbour/bj-1, not of harbour/bj-2" in errors
    with JournalReader(house.journal) as reader:
        assert reader.head() == head
