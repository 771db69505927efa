"""The journal's head in a trigger box's keeping: shown first, renewed, never set back, and no box need know of it.

The same suite for the simulated box, for the one proper, and for one in C that was written from the page alone.
"""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from devices.trigger.head_store import HeadKeeping
from devices.trigger.mystery_trigger import TriggerTable
from firmware_protocols.codec import LineEnd
from firmware_protocols.mystery_trigger.tableside import CODEC
from firmware_protocols.readings import HealthState
from firmware_protocols.trigger_messages import HeadKept, KeepHead, TriggerCondition
from simulators.devices.mystery_trigger import Bounds, TriggerBoxSimulator
from simulators.faults.line_faults import Rates
from tests.devices.trigger_rig import Box, Make, Rig, S, assert_in_order, in_c, needs_cc, proper, simulated
from tests.trigger_box.rig import SMALL

every_box = pytest.mark.parametrize("make", [simulated, proper, pytest.param(in_c, marks=needs_cc)])

NONE = HeadKept(0, 0, bytes(32), bytes(64))


def head(size: int, epoch: int = 7) -> KeepHead:
    return KeepHead(epoch, size, bytes([size % 256]) * 32, bytes([size % 251]) * 64)


def kept(size: int, epoch: int = 7) -> HeadKept:
    one = head(size, epoch)
    return HeadKept(one.epoch, one.size, one.root, one.signature)


def an_earlier_box(bounds: Bounds, *, seed: int, noise: bool) -> Box:
    return TriggerBoxSimulator(CODEC, Random(seed), bounds, noise=noise, keeps_heads=False)


def keeping_head(make: Make, size: int) -> Rig:
    """A table whose box keeps a head of so many records."""
    rig = Rig(make)
    rig.run(S)
    rig.session.keep_head(head(size), rig.now_ns)
    rig.run(S)
    return rig


def listening(rig: Rig) -> list[HeadKept]:
    """What the box shows from now on."""
    shown: list[HeadKept] = []
    rig.session.head_shown = shown.append
    return shown


@every_box
def test_a_box_shows_what_it_keeps_before_it_keeps_another(make: Make) -> None:
    rig = Rig(make)
    shown = listening(rig)
    rig.session.keep_head(head(5), 0)
    rig.run(S)
    assert shown == [NONE]
    for size in (5, 300):
        rig.session.keep_head(head(size), rig.now_ns)
        rig.run(S)
    assert shown == [NONE, kept(5), kept(300)]
    rig.restart()
    shown = listening(rig)
    rig.session.keep_head(head(301), rig.now_ns)
    rig.run(S)
    assert shown == [kept(300)]


@every_box
def test_an_earlier_head_never_takes_the_place_of_a_later_one(make: Make) -> None:
    rig = keeping_head(make, 300)
    wire = CODEC.open(LineEnd.HOST)
    replies = [
        wire.feed(rig.box.receive(wire.encode(one))) for one in (head(299), head(900, epoch=6), head(1, epoch=8))
    ]
    assert replies == [(kept(300),), (kept(300),), (kept(1, epoch=8),)]


@every_box
def test_a_box_shows_it_after_its_power_was_gone(make: Make) -> None:
    rig = keeping_head(make, 300)
    rig.box.power_cycle()
    shown = listening(rig)
    rig.run(2 * S)
    assert shown == [kept(300)]


@every_box
@given(seed=st.integers(0, 2**32), loss=st.sampled_from([0, 1, 2]), sizes=st.lists(st.integers(1, 2**40), max_size=8))
@settings(max_examples=10)
def test_on_a_bad_line_the_latest_is_kept_all_the_same(make: Make, seed: int, loss: int, sizes: list[int]) -> None:
    rig = Rig(make, rates=Rates(drop=loss, flip=loss), seed=seed)
    shown = listening(rig)
    latest = max(sizes, default=0)
    for place, size in enumerate(sizes):
        rig.contribute(1 + place)
        rig.session.keep_head(head(size), rig.now_ns)
        rig.run(S)
    # A box that has not said its head to four questions is asked once a minute.
    while not shown or shown[-1] != kept(latest or 1):
        rig.session.keep_head(head(latest or 1), rig.now_ns)
        rig.run(S)
        assert rig.now_ns < 1800 * S
    assert_in_order(rig.journal, SMALL)


@every_box
def test_a_box_of_another_table_or_one_set_back_takes_none_and_shows_its_own(make: Make) -> None:
    rig = keeping_head(make, 300)
    rig.restart(TriggerTable("harbour", "bj-1", 9))
    shown = listening(rig)
    rig.run(S)
    rig.session.keep_head(head(900, epoch=9), rig.now_ns)
    rig.run(3 * S)
    assert shown == [kept(300)]


@every_box
def test_a_box_without_a_greeting_says_no_head(make: Make) -> None:
    box, wire = make(SMALL, seed=1, noise=True), CODEC.open(LineEnd.HOST)
    answers = wire.feed(box.receive(wire.encode(head(5))))
    assert [type(one).__name__ for one in answers] == ["TriggerStatus"]


def test_an_earlier_box_goes_on_working_and_is_sent_no_head() -> None:
    rig = Rig(an_earlier_box)
    shown = listening(rig)
    for number in range(1, 21):
        rig.contribute(number)
        rig.session.keep_head(head(number), rig.now_ns)
        rig.run(S)
    assert rig.session.keeps_no_head
    assert shown == []
    assert rig.states() == [(HealthState.READY, "SIM-TB1, firmware 1.0")]
    assert len(rig.journal.answers()) == 20


def test_a_box_that_does_not_answer_is_asked_four_times_and_then_once_a_minute() -> None:
    keeping = HeadKeeping()
    asked_ns = [now_ns for now_ns in range(0, 130 * S, S // 10) if keeping.due(TriggerCondition.OPEN, now_ns)]
    assert asked_ns == [0, S // 2, S, 3 * S // 2, 61 * S + S // 2, 121 * S + S // 2]
