"""The meters added up again from published events, and the command that shows it."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace

from controller.commands.meters import meter_lines
from controller.core.messages.events import Event
from controller.core.messages.meter_events import ContributionMade
from controller.core.messages.pool_events import ContributionPosted, PoolEntryRecorded
from controller.core.meters.meter import UNITS
from controller.core.meters.state import Adjustment, JackpotRefusal, NewParameters
from controller.formats.mqtt.retained_meters import meters_now
from controller.reports.audit.meter_audit import MeterBook, meter_book
from tests.progressive.live import DIAMONDS as PIT_DIAMONDS
from tests.progressive.live import NOTHING as PIT_NOTHING
from tests.progressive.live import SEVENS, Box, MeterRig, Pit, linked, pit_table, pool
from tests.progressive.test_live_meters import BONUS, DIAMONDS, NOTHING, clear


def evening() -> MeterRig:
    """Two jackpots of the sevens, one of them refused, one of the mystery, a correction and other parameters."""
    rig = MeterRig()
    box = Box(rig, [25_060, 90_000])
    box.up()
    for talk in (NOTHING, DIAMONDS, BONUS, BONUS, NOTHING):
        rig.talk(talk)
        box.answer()
        clear(rig, "blazing7s", "five_card_progressive")
    rig.order("sevens", NewParameters(replace(SEVENS.parameters, rate=(1, 7), hidden_rate=(1, 13))))
    rig.order("sevens", Adjustment("meter", -7, "equipment_correction"))
    rig.order("sevens", Adjustment("reserve", 11, "equipment_correction"))
    for talk in (DIAMONDS, NOTHING, NOTHING):
        rig.talk(talk)
        clear(rig, "blazing7s")
    rig.order("sevens", JackpotRefusal(rig.jackpots()[-1].number))
    rig.pay(1)
    return rig


def book_of(events: list[Event]) -> MeterBook:
    return meter_book(events)


def test_every_unit_is_accounted_for_from_the_events_alone() -> None:
    rig = evening()
    book = book_of(rig.events)
    assert book.reconciled(), [one.wrong for one in book.meters.values()]
    for name, line in book.meters.items():
        meter = rig.meter(name)
        assert line.meter_units == line.put_in_units() == meter.current_units
        assert line.reserve_units == meter.reserve_units
        assert (line.contributed_units, line.reserved_units) == (meter.main.units, meter.hidden.units)
        assert (line.hits, line.resets, line.wagers) == (meter.hits, meter.resets, meter.wagers)
        assert line.won_units - line.returned_units == meter.won_units - meter.returned_units
    assert [one.standing for one in book.awards.values()] == ["paid", "pending", "refused"]
    assert book.orders == {}


def test_the_picture_says_what_the_book_says() -> None:
    rig = evening()
    picture, book = meters_now(rig.table.state.progressives, 9), book_of(rig.events)
    assert [(one.meter, one.meter_units, one.reserve_units) for one in picture.meters] == [
        (one.meter, one.meter_units, one.reserve_units) for one in book.meters.values()
    ]
    assert [(one.jackpot, one.standing) for one in picture.jackpots] == [
        (one.jackpot, one.standing) for one in book.awards.values()
    ]


@pytest.mark.parametrize("damage", ["one left out", "one altered", "one twice"])
def test_contributions_that_do_not_add_up_are_reported(damage: str) -> None:
    events = evening().events
    place = next(place for place, event in enumerate(events) if isinstance(event, ContributionMade))
    event = events[place]
    assert isinstance(event, ContributionMade)
    match damage:
        case "one left out":
            events = events[:place] + events[place + 1 :]
        case "one altered":
            events = [*events[:place], replace(event, units=event.units - UNITS), *events[place + 1 :]]
        case _:
            events = [*events[: place + 1], event, *events[place + 1 :]]
    book = book_of(events)
    assert not book.reconciled()
    assert book.meters["sevens"].wrong


# --- linked meters ----------------------------------------------------------------------------------------


def pits_evening(pit: Pit) -> MeterRig:
    """A hit that is paid, one that is refused, and wagers that still wait for the link."""
    rig = pit_table(pit)
    for talk in (PIT_NOTHING, PIT_DIAMONDS):
        rig.talk(talk)
        clear(rig, "blazing7s")
    pit.answers(rig)
    rig.pay(1)
    rig.talk(PIT_DIAMONDS)
    clear(rig, "blazing7s")
    pit.answers(rig)
    rig.order("pit_sevens", JackpotRefusal(2))
    pit.answers(rig)
    pit.is_lost(rig)
    rig.talk(PIT_NOTHING)
    return rig


def test_what_a_table_put_into_a_pool_and_won_of_it_is_counted_from_the_events_alone(tmp_path: Path) -> None:
    rig = pits_evening(pool(tmp_path / "ledger.sqlite"))
    known, book = linked(rig), book_of(rig.events)
    line = book.linked["pit_sevens"]
    assert book.reconciled(), line.wrong
    assert (line.posted, list(line.owed)) == (known.posted, [one.seq for one in known.owed])
    assert (line.wagers, line.wagered_cents) == (known.wagers, 500 * known.wagers) == (3, 1500)
    assert (line.contributed_units, line.reserved_units) == (known.contributed_units, known.reserved_units)
    assert (line.hits, line.won_cents, line.returned_cents) == (2, known.won_cents, known.returned_cents)
    assert (line.closed, known.closed) == ("the link is away", "the link is away")
    assert [one.standing for one in book.awards.values()] == ["paid", "refused"]
    picture = meters_now(rig.table.state.progressives, 9).linked[0]
    assert (picture.shown_cents, picture.closed) == (None, "the link is away")
    assert (picture.posted, picture.waiting, picture.entry) == (line.posted, len(line.owed), line.entry)
    lines = meter_lines(book)
    assert "pit_sevens  pool pit-1  closed: the link is away" in lines
    assert (
        f"  postings     {line.posted}, {line.posted - 1} entered, the last as {line.entry}, 1 wait for the link"
        in lines
    )


@pytest.mark.parametrize("kind", [ContributionPosted, PoolEntryRecorded])
@pytest.mark.parametrize("damage", ["left out", "twice"])
def test_a_posting_or_an_answer_that_is_not_there_once_is_reported(
    tmp_path: Path, kind: type[Event], damage: str
) -> None:
    events = pits_evening(pool(tmp_path / "ledger.sqlite")).events
    place = next(place for place, event in enumerate(events) if isinstance(event, kind))
    kept = [] if damage == "left out" else [events[place], events[place]]
    book = book_of([*events[:place], *kept, *events[place + 1 :]])
    assert not book.reconciled()
    assert any("WRONG" in line for line in meter_lines(book))


def test_an_answer_out_of_the_ledgers_order_is_reported(tmp_path: Path) -> None:
    events = pits_evening(pool(tmp_path / "ledger.sqlite")).events
    altered = [
        replace(one, entry=1) if isinstance(one, PoolEntryRecorded) and one.number == 2 else one for one in events
    ]
    assert book_of(altered).linked["pit_sevens"].wrong == ["posting 2 is entry 1 of the ledger, the one before 1"]
