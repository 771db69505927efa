"""What must hold of a table whose lines have failed: of what was published, its journal, and a consumer's file."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from controller.core.messages.alerts import DeviceAlarm, LineErrors
from controller.core.messages.events import DeviceStatusChanged
from controller.daemon.replay import replay
from controller.formats.mqtt.envelope import Published
from controller.io.files.key_file import read_key
from controller.io.journal.reader import JournalReader
from controller.io.journal.verification import verify
from firmware_protocols.readings import HealthState
from tests.io.virtual_time import passes
from tests.wiring.premises import Premises


def trouble(published: Published) -> str:
    """The device that an event reports trouble of; empty where it reports none."""
    match published.event:
        case DeviceStatusChanged(device, state) if state != HealthState.READY:
            return device
        case DeviceAlarm(device) | LineErrors(device):
            return device
        case _:
            return ""


def kind_of(published: Published) -> str:
    """What was published, in a word or two."""
    event = published.event
    return f"{event.device} {event.code}" if isinstance(event, DeviceAlarm) else type(event).__name__


def judged(house: Premises, kept: Path) -> Iterator[str]:
    """What is wrong with the journal, or with what the consumer has of it, once nothing runs any more."""
    yield from judged_journal(house)
    with JournalReader(house.journal) as reader:
        wanted = b"".join(row.body + b"\n" for row in reader.events())
    if wanted != kept.read_bytes():
        yield "the consumer's file is not what the journal has"


def judged_journal(house: Premises) -> Iterator[str]:
    """What is wrong with the journal."""
    report = verify(house.journal)
    if report.damage is not None:
        yield f"damaged: {report.damage}"
    found = replay(house.journal, read_key(house.key))
    if found.difference is not None:
        yield f"stepped again: record {found.difference.number}: {found.difference.text[:200]}"


async def caught_up(house: Premises, kept: Path) -> None:
    """Wait until the consumer has everything; the judge says what it lacks."""
    with JournalReader(house.journal) as reader:
        wanted = sum(len(row.body) + 1 for row in reader.events())
    for _ in range(300):
        if kept_bytes(kept) >= wanted:
            return
        await passes(0.1)


def kept_bytes(kept: Path) -> int:
    """How much the consumer has."""
    return kept.stat().st_size if kept.exists() else 0
