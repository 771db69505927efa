"""The shoe that answers: whatever is unplugged, and when, each card arrives once and in order."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from devices.shoes.dialogue import CHECK_NS
from devices.shoes.shoe import ShoeSession
from firmware_protocols.cards import DECK
from firmware_protocols.readings import HealthState, ShoeDraws
from firmware_protocols.shoe import reference
from simulators.devices.reference_shoe import DRAWS_KEPT, SERIES
from tests.devices.crossing import MS, NEW_SERIES, Crossing, S, Table, assert_nothing_lost, shoe, started

READY, LOST = HealthState.READY, HealthState.LOST
OFTEN = ["draw", "draw", "carry", "carry", "carry", "commit", "wait", "plug", "plug"]
RARELY = ["unplug", "crash", "power", "damage", "commit_crash"]
HAPPENINGS = [*OFTEN, *RARELY]


def happen(crossing: Crossing, what: str, chance: random.Random) -> None:
    match what:
        case "draw":
            crossing.draw()
        case "carry":
            crossing.carry(chance.choice((1, 1, 2, 5, 9, 40)))
        case "commit":
            crossing.commit(chance.randrange(4))
        case "wait":
            crossing.wait(chance.choice((1, 20, 60, 300, 500, 1500)) * MS)
        case "plug":
            crossing.plug()
        case "unplug":
            crossing.unplug()
        case "crash":
            crossing.crash()
        case "power":
            crossing.power_cycle()
        case "damage":
            crossing.damage(chance)
        case "commit_crash":
            crossing.commit(1 + chance.randrange(3), crash_before_acknowledging=True)
        case _:
            raise AssertionError(what)


@given(
    happenings=st.lists(st.sampled_from(HAPPENINGS), max_size=120),
    chance=st.randoms(use_true_random=False),
    first_number=st.integers(0, 255),
    frees_late=st.booleans(),
)
@settings(max_examples=150, derandomize=True)
def test_every_card_arrives_exactly_once_and_in_order(
    happenings: list[str], chance: random.Random, first_number: int, *, frees_late: bool
) -> None:
    crossing = Crossing(first_number, frees_late=frees_late)
    for what in happenings:
        happen(crossing, what, chance)
    assert_nothing_lost(crossing)


@pytest.mark.parametrize("seed", range(40))
def test_a_long_night_of_pulled_plugs_loses_no_card(seed: int) -> None:
    chance = random.Random(seed)
    crossing = Crossing(first_number=chance.randrange(256), frees_late=bool(seed % 2))
    while crossing.lines_lost < 25 or len(crossing.drawn) < 80:
        happen(crossing, chance.choice(HAPPENINGS), chance)
        if chance.randrange(100) == 0:
            crossing.run(lambda: False, 2 * S)
    assert_nothing_lost(crossing)


@pytest.mark.parametrize("cut", range(200))
def test_unplugged_after_each_single_byte(cut: int) -> None:
    """From the first question to the last acknowledgement, the plug is pulled after ``cut`` bytes have travelled."""
    crossing = Crossing()
    for face in DECK[:3]:
        crossing.draw(face)
    crossing.plug()
    for _ in range(cut):
        crossing.carry(1)
        crossing.commit(1)
        crossing.commit(1)
    crossing.draw(DECK[3])
    crossing.unplug()
    crossing.draw(DECK[4])
    assert_nothing_lost(crossing)
    assert crossing.arrived() == list(DECK[:5])


# --- draws ------------------------------------------------------------------------------------------


def test_the_shoe_may_forget_a_draw_only_after_the_commit() -> None:
    crossing = started(Crossing())
    crossing.draw()
    for _ in range(20):
        crossing.carry(4096)
        crossing.wait(50 * MS)
    assert len(crossing.uncommitted) == 1
    assert crossing.shoe.waiting == 1
    crossing.commit(1)
    crossing.carry(4096)
    assert crossing.shoe.waiting == 0


def test_an_acknowledgement_lost_is_given_again_at_the_next_heartbeat() -> None:
    crossing = started(Crossing())
    crossing.draw()
    crossing.carry(4096)
    crossing.commit(1)
    crossing.to_shoe.clear()
    assert crossing.run(lambda: crossing.shoe.waiting == 0, CHECK_NS + 100 * MS)
    assert len(crossing.journal) == 1


def test_an_acknowledgement_of_a_draw_nobody_was_sent_means_nothing() -> None:
    crossing = started(Crossing())
    crossing.draw()
    crossing.session.acknowledge(0)
    crossing.session.acknowledge(77)
    crossing.collect()
    crossing.carry(4096)
    crossing.session.acknowledge(77)
    crossing.collect()
    crossing.carry(4096)
    assert crossing.shoe.waiting == 1
    crossing.commit(1)
    crossing.carry(4096)
    assert crossing.shoe.waiting == 0


def test_one_draw_lost_on_the_line_is_sent_again_before_the_next_is_sent() -> None:
    crossing = started(Crossing())
    crossing.draw()
    crossing.to_host.clear()
    crossing.draw()
    crossing.draw()
    assert crossing.run(lambda: len(crossing.journal) == 3, 200 * MS)
    assert crossing.arrived() == crossing.drawn


def test_two_draws_lost_one_after_the_other_are_both_sent_again_at_once() -> None:
    crossing = started(Crossing())
    for _ in range(2):
        crossing.draw()
        crossing.to_host.clear()
        crossing.draw()
        assert crossing.run(lambda: len(crossing.journal) == len(crossing.drawn), 100 * MS)


def test_the_last_draw_lost_on_the_line_is_missed_at_the_next_heartbeat() -> None:
    crossing = started(Crossing())
    crossing.draw()
    crossing.to_host.clear()
    assert crossing.run(lambda: len(crossing.journal) == 1, CHECK_NS + 100 * MS)


def test_a_shoe_that_was_not_asked_to_send_is_asked_again_before_the_next_card() -> None:
    crossing = Crossing()
    crossing.plug()
    assert crossing.run(lambda: crossing.states()[-1:] == [READY])
    assert crossing.to_shoe
    crossing.to_shoe.clear()
    crossing.run(lambda: False, S)
    crossing.draw()
    assert crossing.run(lambda: len(crossing.journal) == 1, 50 * MS)
    assert crossing.complaints() == []


def test_a_daemon_that_never_had_a_draw_takes_all_the_shoe_keeps() -> None:
    crossing = Crossing(first_number=250)
    for _ in range(12):
        crossing.draw()
    crossing.calm_down()
    assert [card.sequence for card in crossing.journal] == [*range(250, 262)]
    assert crossing.complaints() == ["draws_kept"]


def test_a_shoe_whose_memory_is_gone_is_complained_of_and_goes_on() -> None:
    crossing = started(Crossing())
    for _ in range(9):
        crossing.draw()
    crossing.run(lambda: False, S)
    crossing.shoe.lose_memory(NEW_SERIES)
    crossing.draw()
    assert len(crossing.drawn) == 9
    crossing.run(lambda: False, 2 * S)
    crossing.draw()
    crossing.calm_down()
    assert crossing.complaints() == ["draws_missing"]
    assert [card.sequence for card in crossing.journal] == [*range(9), 0]


def test_how_many_draws_are_missing_is_said() -> None:
    table = Table(shoe(first_number=14), ShoeSession(reference.CODEC, known=(ShoeDraws("S0001", SERIES, 9),)))
    table.start()
    assert table.complaints()[-1] == ("draws_missing", "after draw 9 the shoe goes on with 14: 4 draws are missing")


def test_a_draw_stored_late_does_not_acknowledge_one_of_its_number_in_a_new_memory() -> None:
    crossing = started(Crossing())
    for _ in range(4):
        crossing.draw()
    crossing.carry(4096)
    late = crossing.uncommitted
    crossing.shoe.lose_memory(NEW_SERIES)
    for count in range(60):
        crossing.carry(4096)
        crossing.wait(50 * MS)
        crossing.queue = [one for one in crossing.queue if not crossing.commit_numbering(one)]
        if count >= 55:
            crossing.draw()
    crossing.carry(4096)
    assert [card.sequence for card in crossing.uncommitted] == [0, 1, 2, 3, 0, 1, 2, 3, 4]
    assert crossing.uncommitted[:4] == late
    crossing.commit(4)
    crossing.carry(4096)
    assert crossing.shoe.waiting == 5
    crossing.commit(5)
    crossing.carry(4096)
    assert crossing.shoe.waiting == 0


def test_a_draw_stored_before_a_crash_is_acknowledged_after_it() -> None:
    crossing = started(Crossing())
    crossing.draw()
    crossing.carry(4096)
    crossing.commit(1, crash_before_acknowledging=True)
    assert crossing.run(lambda: crossing.shoe.waiting == 0, S)
    assert len(crossing.journal) == 1


def test_a_shoe_without_power_for_a_moment_is_complained_of_and_asked_who_it_is() -> None:
    crossing = started(Crossing())
    crossing.draw()
    crossing.run(lambda: False, S)
    crossing.power_cycle()
    crossing.draw()
    crossing.calm_down()
    assert crossing.complaints() == ["shoe_restarted"]
    assert crossing.states() == [READY, LOST, READY]
    assert crossing.arrived() == crossing.drawn


def test_a_new_shoe_that_just_got_its_power_is_not_complained_of() -> None:
    assert started(Crossing()).complaints() == []


def test_a_full_shoe_locks_itself_until_it_is_relieved() -> None:
    crossing = Crossing(first_number=200)
    for _ in range(DRAWS_KEPT + 5):
        crossing.draw()
    assert len(crossing.drawn) == DRAWS_KEPT
    crossing.calm_down()
    crossing.draw()
    crossing.run(lambda: False, S)
    assert len(crossing.drawn) == DRAWS_KEPT + 1
    assert crossing.arrived() == crossing.drawn
    assert crossing.complaints() == ["draws_kept"]


def test_a_shoe_that_stays_locked_though_nobody_asked_for_it_is_complained_of_once() -> None:
    crossing = Crossing()
    for _ in range(DRAWS_KEPT):
        crossing.draw()
    crossing.plug()
    for _ in range(200):
        crossing.carry(4096)
        crossing.queue = [one for one in crossing.queue if not crossing.commit_numbering(one)]
        crossing.wait(20 * MS)
    assert crossing.complaints() == ["draws_kept", "shoe_locked"]
