"""What Home Assistant is sent so that it finds a table: one retained message for each thing it can show.

It reads the table's own retained pictures from then on; nothing of ours runs for it. The format is that of MQTT
discovery: ``homeassistant/COMPONENT/NODE/OBJECT/config``. Pure: pictures in, messages out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple

import msgspec

from controller.formats.mqtt.envelope import DeviceStatus, Topics
from controller.formats.mqtt.retained_meters import MetersNow
from controller.formats.mqtt.retained_state import Info
from controller.metrics.board import NAMES_LIMIT, TABLES_LIMIT, read_picture

PREFIX: Final = "homeassistant"
"""Where Home Assistant listens, unless it is configured otherwise."""

NODE: Final = "tableside_"
"""How the node of every table begins: what begins otherwise is not ours."""

PHASES: Final = ("bets_open", "dealing", "playing", "closing", "irregular", "closed")

METER: Final = re.compile(r"[a-z0-9_-]{1,64}")
DEVICE: Final = re.compile(r"[a-z0-9_-]{1,64}(/[a-z0-9_-]{1,64})?")
"""How meters and devices are named. Names come over the broker and become part of a topic and of a template, which
Home Assistant carries out: of what is spelled otherwise nothing is said."""

SHOWN: Final = (
    "{{% set one = (value_json.{group} | selectattr('meter', 'eq', '{meter}') | first) %}}"
    "{{{{ none if one.shown_cents is none else '%d.%02d' | format(one.shown_cents // 100, one.shown_cents % 100) }}}}"
)
"""What a meter's sign shows, in whole digits; none while it is not known."""


class TableSnapshot(msgspec.Struct):
    """The retained state of one table, as far as Home Assistant shows it; None: not received yet."""

    info: Info | None = None
    devices: set[str] = msgspec.field(default_factory=set)
    meters: MetersNow | None = None


class Announcement(NamedTuple):
    """A retained message to Home Assistant; an empty payload takes back what was said there before."""

    topic: str
    payload: bytes


class Entity(NamedTuple):
    """One thing that Home Assistant shows: a sensor or a binary sensor on a topic of the table."""

    component: str
    name: str
    label: str
    topic: str
    template: str
    more: Mapping[str, Any] = {}


def hear(tables: dict[Topics, TableSnapshot], topic: str, payload: bytes) -> None:
    """Take a retained message of a table; what cannot be read changes nothing."""
    root, version, site, name, *words = [*topic.split("/"), "", "", ""]
    table = Topics(site, name)
    if (root, version) != ("tableside", "v1") or (table not in tables and len(tables) >= TABLES_LIMIT):
        return
    heard = tables.setdefault(table, TableSnapshot())
    match [word for word in words if word]:
        case ["info"]:
            heard.info = read_picture(payload, Info) or heard.info
        case ["state", "meters"]:
            heard.meters = read_picture(payload, MetersNow) or heard.meters
        case ["device", *device, "status"] if read_picture(payload, DeviceStatus) and len(heard.devices) < NAMES_LIMIT:
            heard.devices.add("/".join(device))
        case _:
            pass


def announcements(table: Topics, heard: TableSnapshot, currency: str, prefix: str = PREFIX) -> Iterator[Announcement]:
    """What is said of one table; none where its daemon has not said what it is. ``currency``: ISO 4217, of meters."""
    if heard.info is None:
        return
    node = f"{NODE}{table.site}_{table.table}"
    device = {
        "identifiers": [node],
        "name": f"{table.site}/{table.table}",
        "manufacturer": "Tableside",
        "model": heard.info.profile,
        "sw_version": heard.info.version,
    }
    for one in (*of_table(table), *of_devices(table, heard), *of_meters(table, heard, currency)):
        config = {
            "name": one.label,
            "unique_id": f"{node}_{one.name}",
            "state_topic": one.topic,
            "value_template": one.template,
            "availability_topic": table.status,
            "availability_template": "{{ value_json.state }}",
            "device": device,
            "origin": {"name": "Tableside", "sw_version": heard.info.version},
            **one.more,
        }
        yield Announcement(f"{prefix}/{one.component}/{node}/{one.name}/config", msgspec.json.encode(config))


def of_table(table: Topics) -> Iterator[Entity]:
    """How the table plays, and what waits for a person."""
    phases = {"device_class": "enum", "options": list(PHASES)}
    measured, diagnostic = {"state_class": "measurement"}, {"entity_category": "diagnostic"}
    counted = "{{ value_json.unacknowledged | count }}"
    asks = "{{ 'ON' if value_json.question else 'OFF' }}"
    pace = "{{ value_json.figures.rounds_per_hour }}"
    alarms = "{{ value_json.alarms | count }}"
    yield Entity("sensor", "phase", "Phase", table.state("round"), "{{ value_json.phase }}", phases)
    yield Entity("sensor", "round", "Round", table.state("round"), "{{ value_json.round }}")
    yield Entity("binary_sensor", "question", "Question", table.state("round"), asks)
    held, on_hold = "{{ 'ON' if value else 'OFF' }}", table.state("hold")
    # A table that is released retains nothing any more, which is no JSON.
    why = {"json_attributes_topic": on_hold, "json_attributes_template": "{{ value or '{}' }}"}
    yield Entity("binary_sensor", "hold", "Hold", on_hold, held, {"device_class": "problem", **why})
    yield Entity("sensor", "alerts", "Alerts", table.state("alerts"), counted, measured)
    hour = {**measured, "unit_of_measurement": "rounds/h"}
    yield Entity("sensor", "pace", "Pace", table.state("pace"), pace, hour)
    yield Entity("sensor", "alarms", "Alarms", table.status, alarms, {**measured, **diagnostic})


def of_devices(table: Topics, heard: TableSnapshot) -> Iterator[Entity]:
    """Each device: connected or not."""
    kind = {"device_class": "connectivity", "entity_category": "diagnostic"}
    for device in filter(DEVICE.fullmatch, sorted(heard.devices)):
        ready = "{{ 'ON' if value_json.state == 'ready' else 'OFF' }}"
        name = f"device_{device.replace('/', '_')}"
        yield Entity("binary_sensor", name, device, table.device(device), ready, kind)


def of_meters(table: Topics, heard: TableSnapshot, currency: str) -> Iterator[Entity]:
    """Each meter: what its sign shows."""
    found = heard.meters
    grouped = (("meters", found.meters), ("linked", found.linked)) if found is not None else ()
    for group, meters in grouped:
        for name in filter(METER.fullmatch, sorted(one.meter for one in meters)):
            more = {"device_class": "monetary", "unit_of_measurement": currency}
            template = SHOWN.format(group=group, meter=name)
            yield Entity("sensor", f"meter_{name}", name.replace("_", " "), table.state("meters"), template, more)


def stale(known: set[str], said: set[str]) -> Iterator[Announcement]:
    """What takes back each of the known topics that is not said any more."""
    return (Announcement(topic, b"") for topic in sorted(known - said))
