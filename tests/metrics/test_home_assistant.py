"""What Home Assistant is sent of a table, held against what it publishes of its own format, over a real broker."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator
from typing import Any, Final

import msgspec
import pytest
from jinja2 import Template

from controller.formats.mqtt.envelope import Topics, device_bytes, status_bytes
from controller.formats.mqtt.retained_alerts import AlertNow, AlertsNow
from controller.formats.mqtt.retained_meters import LinkedNow, MeterNow, MetersNow
from controller.formats.mqtt.retained_state import Info, RoundNow, hold_bytes
from controller.io.mqtt.broker import find_mosquitto, mosquitto
from controller.io.mqtt.connection import Broker, connected
from controller.metrics.announcer import AnnouncementOptions, announce, of_these
from controller.metrics.home_assistant import TableSnapshot, announcements, hear
from tests.wiring.premises import ran

HERE: Final = Topics("harbour", "bj-1")
INFO: Final = Info("0.1.0", "hollywood-penn-national", "00" * 32, {}, 2_500, 200_000)
SEVENS: Final = MeterNow("sevens", 500_085, "", 0, 0, 0, 0, 0, 0, 0, 0, 0)
POOLED: Final = LinkedNow("pit_sevens", "pit-1", None, "its link is away", 0, 0, 0, 0, 0, 0, 0, 0, 0)
METERS: Final = MetersNow(42, (SEVENS,), (), (), 0, (POOLED,))
HEARD: Final = TableSnapshot(INFO, {"shoe", "bet_spots/3"}, METERS)

# --- what Home Assistant publishes of its format ----------------------------------------------------

TOPIC: Final = re.compile(r"homeassistant/(sensor|binary_sensor)/([a-zA-Z0-9_-]+)/([a-zA-Z0-9_-]+)/config")
SHARED: Final = {
    *("name", "unique_id", "state_topic", "value_template", "availability_topic", "availability_template"),
    *("device", "origin", "device_class", "entity_category"),
}
KEYS: Final = {
    "sensor": SHARED | {"state_class", "unit_of_measurement", "options"},
    "binary_sensor": SHARED | {"json_attributes_topic", "json_attributes_template"},
}
DEVICE: Final = {"identifiers", "name", "manufacturer", "model", "sw_version"}
ORIGIN: Final = {"name", "sw_version", "support_url"}
CLASSES: Final = {"sensor": {"enum", "monetary"}, "binary_sensor": {"connectivity", "problem"}}


def announced(heard: TableSnapshot = HEARD) -> dict[str, dict[str, Any]]:
    """What is said, by topic."""
    return {one.topic: msgspec.json.decode(one.payload) for one in announcements(HERE, heard, "USD")}


@pytest.mark.parametrize("topic", sorted(announced()))
def test_each_message_is_of_the_published_format(topic: str) -> None:
    found, config = TOPIC.fullmatch(topic), announced()[topic]
    assert found is not None
    assert set(config) <= KEYS[found[1]]
    assert config["unique_id"] == f"{found[2]}_{found[3]}"
    assert (set(config["device"]), set(config["origin"]) <= ORIGIN) == (DEVICE, True)
    kind = config.get("device_class")
    assert kind is None or kind in CLASSES[found[1]]
    # An enumeration has options, and neither a unit nor a class of state; money is never a measurement.
    assert (kind == "enum") == ("options" in config)
    assert kind not in {"enum", "monetary"} or "state_class" not in config
    assert kind != "enum" or "unit_of_measurement" not in config
    assert config.get("entity_category", "diagnostic") == "diagnostic"


def test_no_two_things_have_one_identity() -> None:
    identities = [one["unique_id"] for one in announced().values()]
    assert len(set(identities)) == len(identities) == 11


@pytest.mark.parametrize(
    "name", ["') | list }}{{ states('lock.vault", "{{ 7 * 7 }}", "a b", "#", "+", "x/+/y", "a\nb", "", "ä"]
)
def test_no_name_that_a_message_brings_becomes_a_template_or_another_topic(name: str) -> None:
    """Whoever may write what one table retains has no word in what Home Assistant carries out."""
    meters = MetersNow(42, (msgspec.structs.replace(SEVENS, meter=name), SEVENS), (), (), 0, (POOLED,))
    assert announced(TableSnapshot(INFO, {"shoe", "bet_spots/3", name}, meters)) == announced()


def test_of_a_table_that_has_not_said_what_it_is_nothing_is_announced() -> None:
    assert announced(TableSnapshot(None, {"shoe"}, METERS)) == {}


def test_what_cannot_be_read_changes_nothing() -> None:
    tables: dict[Topics, TableSnapshot] = {}
    for topic, payload in (
        ("tableside/v1/harbour/bj-1/info", b"{"),
        ("tableside/v1/harbour/bj-1/state/meters", b"[]"),
        ("tableside/v1/harbour/bj-1/device/shoe/status", b""),
        ("elsewhere/v1/harbour/bj-1/info", msgspec.json.encode(INFO)),
    ):
        hear(tables, topic, payload)
    assert tables == {HERE: TableSnapshot()}


PICTURES: Final[dict[str, object]] = {
    HERE.state("round"): RoundNow(812, 60, "playing", 7, 12, ()),
    HERE.state("alerts"): AlertsNow(
        3, 1, (AlertNow(3, "mispay", "critical", "paid twice", 60, 3, "main", "2026-11-21T11:08:34.000000Z"),)
    ),
    HERE.state("meters"): METERS,
}


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("phase", "playing"),
        ("round", "60"),
        ("question", "ON"),
        ("alerts", "1"),
        ("meter_sevens", "5000.85"),
        ("meter_pit_sevens", "None"),
        ("device_shoe", "OFF"),
        ("alarms", "1"),
    ],
)
def test_its_templates_say_what_the_table_retains(name: str, shown: str) -> None:
    config = next(one for topic, one in announced().items() if f"/{name}/" in topic)
    pictures = {topic: msgspec.json.encode(picture) for topic, picture in PICTURES.items()}
    pictures |= {HERE.status: status_bytes("online", 1, 0, ("the disk fills",))}
    pictures |= {HERE.device("shoe"): device_bytes("lost", "no answer", 0)}
    value = msgspec.json.decode(pictures[config["state_topic"]])
    assert Template(config["value_template"]).render(value_json=value) == shown


@pytest.mark.parametrize(("reason", "shown"), [("record 50 could not be stepped", "ON"), ("", "OFF")])
def test_a_table_on_hold_is_a_problem_until_it_is_released(reason: str, shown: str) -> None:
    config = next(one for topic, one in announced().items() if "/hold/" in topic)
    assert config["state_topic"] == config["json_attributes_topic"] == HERE.state("hold")
    payload = hold_bytes(reason).decode()
    assert Template(config["value_template"]).render(value=payload) == shown
    attributes = msgspec.json.decode(Template(config["json_attributes_template"]).render(value=payload))
    assert attributes == ({"reason": reason} if reason else {})


@pytest.mark.parametrize(
    ("tables", "node", "ours"),
    [
        ("harbour/bj-1", "tableside_harbour_bj-1", True),
        ("harbour/bj-1", "tableside_harbour_bj-11", False),
        ("harbour/+", "tableside_harbour_bj-11", True),
        ("harbour/+", "tableside_other_bj-1", False),
        ("+/+", "tableside_other_bj-1", True),
        ("+/+", "0x00158d0001", False),
    ],
)
def test_what_is_not_of_these_tables_is_left_alone(tables: str, node: str, ours: bool) -> None:
    wish = AnnouncementOptions(tables, "homeassistant", "USD", remove=True)
    assert of_these(f"homeassistant/sensor/{node}/round/config", wish) is ours


# --- over a real broker -----------------------------------------------------------------------------


@pytest.fixture
async def broker() -> AsyncIterator[Broker]:
    """A real Mosquitto with a table's pictures, and somebody else's lamp."""
    if find_mosquitto() is None:
        pytest.skip("Mosquitto is not installed; run .ci/servers")
    async with mosquitto() as running:
        async with connected(running, "5", "") as client:
            await client.publish(HERE.info, msgspec.json.encode(INFO), qos=1, retain=True)
            await client.publish(HERE.state("meters"), msgspec.json.encode(METERS), qos=1, retain=True)
            for device in ("shoe", "bet_spots/3"):
                await client.publish(HERE.device(device), device_bytes("ready", "", 0), qos=1, retain=True)
            await client.publish(LAMP, b"{}", qos=1, retain=True)
        yield running


LAMP: Final = "homeassistant/light/0x00158d0001/light/config"


async def retained(broker: Broker) -> dict[str, bytes]:
    """What Home Assistant finds when it comes."""
    found: dict[str, bytes] = {}
    async with connected(broker, "5", "") as client:
        await client.subscribe("homeassistant/#", qos=1)
        await client.subscribe("end", qos=1)
        await client.publish("end", b"")
        async with asyncio.timeout(30):
            async for message in client.messages:
                if str(message.topic) == "end":
                    break
                assert isinstance(message.payload, bytes)
                found[str(message.topic)] = message.payload
    return found


async def test_it_is_retained_announced_anew_and_taken_back(broker: Broker) -> None:
    wish = AnnouncementOptions("harbour/bj-1", "homeassistant", "USD", remove=False)
    announced_topics = await announce(broker, wish)
    assert {topic: msgspec.json.decode(body) for topic, body in (await retained(broker)).items()} == {
        **announced(),
        LAMP: {},
    }
    assert set(announced_topics) == set(announced())
    async with connected(broker, "5", "") as client:
        await client.publish(
            HERE.state("meters"), msgspec.json.encode(MetersNow(43, (), (), (), 0)), qos=1, retain=True
        )
    again = await announce(broker, wish)
    assert {one for one in again if "meter_" in one} == {one for one in announced() if "meter_" in one}
    assert set(await retained(broker)) == {LAMP, *(one for one in announced() if "meter_" not in one)}
    await announce(broker, wish._replace(remove=True))
    assert set(await retained(broker)) == {LAMP}


async def test_the_command_says_where_it_announced_it_and_what_is_wrong(broker: Broker) -> None:
    where = ("--broker", f"{broker.host}:{broker.port}")
    status, stdout, _ = await ran("home-assistant", "harbour/bj-1", *where)
    assert (status, stdout.split()) == (0, list(announced()))
    for wrong, reason in ((("--currency", "usd"), "three letters"), (("--prefix", "a/#"), "expected a topic")):
        status, _, stderr = await ran("home-assistant", *wrong, *where)
        assert (status, reason in stderr) == (2, True)
    status, stdout, _ = await ran("home-assistant", "elsewhere/+", "--remove", *where)
    assert (status, stdout) == (0, "nothing was published about these tables\n")
