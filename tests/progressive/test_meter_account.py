"""The meters added up again from published events, and the command that shows it."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from controller.core.events import Event
from controller.core.meter import UNITS
from controller.core.meter_events import ContributionMade
from controller.core.progressives import Adjustment, NewParameters, Refusal
from controller.formats.meter_account import MeterBook, meter_book
from controller.formats.meters_now import meters_now
from tests.progressive.live import SEVENS, Box, MeterRig
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
    rig.order("sevens", Refusal(rig.jackpots()[-1].number))
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
def test_contributions_that_do_not_add_up_are_told(damage: str) -> None:
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
