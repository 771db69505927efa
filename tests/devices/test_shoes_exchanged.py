"""Shoes that answer, exchanged and on their bad days: no card is lost without a word, and none is reported twice."""

from __future__ import annotations

import pytest

from devices.shoes.shoe import ShoeSession
from firmware_protocols.cards import DECK
from firmware_protocols.readings import DeviceHealth, HealthState
from firmware_protocols.shoe import reference
from simulators.devices.reference_shoe import DRAWS_KEPT, RECORD_BYTES, ReferenceShoeSimulator
from tests.devices.crossing import (
    MS,
    NEW_SERIES,
    Crossing,
    S,
    Table,
    assert_nothing_lost,
    identity,
    shoe,
    started,
)

READY, FAULTY = HealthState.READY, HealthState.FAULTY


# --- two shoes, new memories and restarts --------------------------------------------------------------


@pytest.mark.parametrize("drawn_away", [*range(1, 13), 40, DRAWS_KEPT])
def test_two_shoes_exchanged_around_a_restart_lose_no_card(drawn_away: int) -> None:
    """The second shoe goes on with numbers that the first has used, while nobody listens."""
    crossing = started(Crossing(first_number=100))
    for _ in range(10):
        crossing.draw()
    crossing.run(lambda: False, S)
    crossing.exchange(ReferenceShoeSimulator(reference.CODEC, identity("S0002"), first_number=105))
    crossing.calm_down()
    crossing.crash()
    crossing.unplug()
    for _ in range(drawn_away):
        crossing.draw()
    crossing.calm_down()
    assert crossing.arrived() == crossing.drawn
    assert len(crossing.drawn) == 10 + drawn_away
    assert crossing.complaints() == ["shoe_exchanged"]


@pytest.mark.parametrize("ms", [0, 1, 2, 5, 10, 50, 100, 400, 600, 6000])
@pytest.mark.parametrize("drawn_away", [1, 5, 9, 10, 11])
def test_a_memory_begun_anew_and_a_restart_lose_no_card_without_a_word(ms: int, drawn_away: int) -> None:
    crossing = started(Crossing())
    for _ in range(10):
        crossing.draw()
    crossing.run(lambda: False, S)
    crossing.shoe.lose_memory(NEW_SERIES)
    crossing.run(lambda: not crossing.shoe.locked)
    assert crossing.shoe.series in [series for _, series in crossing.shoes]
    crossing.run(lambda: False, ms * MS)
    crossing.crash()
    crossing.unplug()
    for _ in range(drawn_away):
        crossing.draw()
    crossing.calm_down()
    assert crossing.arrived() == crossing.drawn
    assert len(crossing.drawn) == 10 + drawn_away
    assert "draws_missing" in crossing.complaints()


@pytest.mark.parametrize("restarts", [False, True])
def test_a_shoe_that_forgot_what_was_acknowledged_reports_no_card_twice(*, restarts: bool) -> None:
    crossing = started(Crossing(frees_late=True))
    late = crossing.shoe
    for _ in range(10):
        crossing.draw()
    crossing.run(lambda: False, S)
    crossing.exchange(ReferenceShoeSimulator(reference.CODEC, identity("S0002")))
    crossing.calm_down()
    for _ in range(12):
        crossing.draw()
    crossing.run(lambda: False, S)
    if restarts:
        crossing.crash()
    crossing.exchange(late)
    assert late.waiting == 10
    crossing.calm_down()
    crossing.draw()
    crossing.calm_down()
    assert crossing.arrived() == crossing.drawn
    assert crossing.shoe.waiting == 0
    assert crossing.complaints() == ["shoe_exchanged", "shoe_exchanged"]


def test_shoes_that_the_table_names_are_exchanged_without_a_complaint_of_another() -> None:
    crossing = Crossing(serials=("S0001", "S0002"))
    crossing.calm_down()
    crossing.exchange(ReferenceShoeSimulator(reference.CODEC, identity("S0002")))
    crossing.calm_down()
    crossing.draw()
    crossing.calm_down()
    assert crossing.complaints() == ["shoe_changed"]
    assert crossing.arrived() == crossing.drawn
    crossing.exchange(ReferenceShoeSimulator(reference.CODEC, identity("S0003")))
    crossing.calm_down()
    assert crossing.states()[-1] is FAULTY


def test_the_journal_knows_the_shoe_before_it_is_asked_to_send() -> None:
    crossing = Crossing()
    crossing.draw()
    crossing.plug()
    for _ in range(300):
        crossing.carry(4096)
        crossing.wait(20 * MS)
    assert crossing.uncommitted == []
    assert crossing.states() == []
    crossing.commit(1)
    crossing.carry(4096)
    crossing.carry(4096)
    assert len(crossing.uncommitted) == 1
    assert crossing.states() == [READY]


def test_a_shoe_that_gives_a_number_twice_is_refused() -> None:
    crossing = started(Crossing(first_number=50))
    crossing.draw()
    crossing.run(lambda: False, S)
    crossing.exchange(ReferenceShoeSimulator(reference.CODEC, first_number=50))
    crossing.calm_down()
    assert crossing.states()[-1] is FAULTY
    assert crossing.complaints() == []
    (health,) = [one for one in crossing.readings if isinstance(one, DeviceHealth) and one.state is FAULTY]
    assert health.detail == (
        "its next draw would be number 50, but 50 was taken before: its memory is wrong, take another shoe"
    )


# --- what a shoe may say and keep ----------------------------------------------------------------------


def test_a_card_that_is_none_is_taken_as_unread_and_the_next_ones_arrive() -> None:
    crossing = started(Crossing())
    crossing.say(crossing.shoe.draw_unknown(0x1B))
    crossing.drawn.append(None)
    crossing.draw()
    assert_nothing_lost(crossing)
    assert crossing.complaints() == ["invalid_card"]


def test_one_record_that_failed_costs_the_face_of_its_card_alone() -> None:
    crossing = Crossing()
    for _ in range(5):
        crossing.draw()
    crossing.shoe.lose_record(2)
    crossing.drawn[2] = None
    assert_nothing_lost(crossing)


@pytest.mark.parametrize("written", range(RECORD_BYTES + 1))
def test_a_brown_out_in_a_draw_costs_at_most_the_face_or_is_reported(written: int) -> None:
    crossing = started(Crossing())
    crossing.draw(DECK[0])
    crossing.run(lambda: False, S)
    crossing.shoe.brown_out(DECK[1], bytes_written=written)
    crossing.draw(DECK[2])
    crossing.calm_down()
    second = [] if written == 0 else [DECK[1] if written == RECORD_BYTES else None]
    assert crossing.arrived() == [DECK[0], *second, DECK[2]]
    assert crossing.complaints() == ["shoe_restarted"]


def test_who_only_looks_sees_the_draws_and_leaves_the_shoe_as_it_was() -> None:
    crossing = started(Crossing())
    crossing.unplug()
    crossing.power_cycle()
    crossing.draw()
    looking = Table(crossing.shoe, ShoeSession(reference.CODEC, looking=True))
    looking.start()
    looking.draw(DECK[7])
    looking.run(S)
    crossing.drawn.append(DECK[7])
    assert [card.face for card in looking.cards()] == crossing.drawn
    assert looking.complaints() == []
    looking.modem.disconnect()
    assert_nothing_lost(crossing)
    assert crossing.complaints() == ["shoe_restarted"]


def test_who_only_looks_does_not_unlock_a_new_memory() -> None:
    looking = Table(shoe(), ShoeSession(reference.CODEC, looking=True))
    looking.shoe.lose_memory(NEW_SERIES)
    looking.start()
    looking.run(S)
    assert looking.shoe.locked
