"""A table's events held against its pool's ledger, posting by posting."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from controller.core.messages.events import Event
from controller.core.messages.meter_events import JackpotHit
from controller.core.messages.pool_events import ContributionPosted, JackpotClaimed, PoolEntryRecorded, VerdictPosted
from controller.formats.journal.records import Identity
from controller.pool.comparison import compare
from tests.progressive.live import DIAMONDS, NOTHING, MeterRig, Pit, pit_table, pool

IDENTITY = Identity("harbour", "bj-1", 1)


def evening(pit: Pit) -> MeterRig:
    """A hit that is verified, and a wager the table has not been answered for."""
    rig = pit_table(pit)
    rig.talk(DIAMONDS)
    pit.answers(rig)
    rig.pay(1)
    pit.answers(rig)
    for zone in ("main", "blazing7s"):
        rig.chips(1, zone, 0)
    rig.talk(NOTHING)
    return rig


def test_a_table_and_its_ledger_agree_and_what_is_still_owed_is_no_difference(tmp_path: Path) -> None:
    pit = pool(tmp_path / "ledger.sqlite")
    rig = evening(pit)
    assert compare(pit.ledger, IDENTITY, rig.events) == (5, 4, ())


ALTERED: dict[str, tuple[type[Event], dict[str, Any], str]] = {
    "a wager": (ContributionPosted, {"wager_cents": 100}, "posting 1 is something else in the ledger"),
    "a claim": (JackpotClaimed, {"winners": ()}, "posting 2 is something else in the ledger"),
    "a verdict": (VerdictPosted, {"verdict": "refused"}, "posting 3 is something else in the ledger"),
    "an answer": (PoolEntryRecorded, {"units": 1}, "posting 1 was answered (1, 1000085, 1, 150000), the ledger has"),
    "an answer nobody gave": (
        PoolEntryRecorded,
        {"number": 9},
        "posting 9 was answered, and the ledger does not have it",
    ),
    "an award": (JackpotHit, {"cents": 5}, "posting 2 won 5 cents at the table, not in the ledger"),
    "a claim for another posting": (JackpotClaimed, {"number": 1}, "posting 1 is something else in the ledger"),
}


@pytest.mark.parametrize("what", ALTERED)
def test_what_a_table_says_otherwise_than_its_ledger_is_named(tmp_path: Path, what: str) -> None:
    kind, fields, message = ALTERED[what]
    pit = pool(tmp_path / "ledger.sqlite")
    events = evening(pit).events
    place = next(place for place, event in enumerate(events) if isinstance(event, kind))
    events[place] = replace(events[place], **fields)
    assert any(message in line for line in compare(pit.ledger, IDENTITY, events).mistakes)


def test_a_journal_that_lost_its_end_is_named(tmp_path: Path) -> None:
    pit = pool(tmp_path / "ledger.sqlite")
    events = evening(pit).events
    place = next(place for place, event in enumerate(events) if isinstance(event, JackpotClaimed))
    found = compare(pit.ledger, IDENTITY, events[:place])
    assert found.mistakes == ("harbour/bj-1: the ledger has posting 4, its journal ends with 1",)
