"""A table and its trigger box: each contribution answered once, whatever the line, the box or the table go through.

The same suite for the simulated box, for the one proper, and for one in C that was written from the page alone.
"""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from controller.formats.journal.records import Identity
from controller.reports.audit.mystery_proof import commitment
from controller.trigger_box.entries import BoxCommissioned
from devices.trigger.mystery_trigger import TriggerTable
from firmware_protocols.codec import LineEnd
from firmware_protocols.mystery_trigger.tableside import CODEC
from firmware_protocols.readings import (
    DeviceComplained,
    HealthState,
    MysteryAnswered,
    MysteryCommitted,
    MysteryRevealed,
)
from firmware_protocols.trigger_messages import ContributionAnswered, CycleCommitted, CycleRevealed
from simulators.faults.line_faults import Rates
from tests.devices.trigger_rig import MS, Journal, Make, Rig, S, assert_in_order, in_c, needs_cc, proper, simulated
from tests.trigger_box.rig import SMALL, BoxDevice

SET_BACK = "the box has counted what this journal never made: the journal was set back"

every_box = pytest.mark.parametrize("make", [simulated, proper, pytest.param(in_c, marks=needs_cc)])


@every_box
def test_a_new_box_commits_takes_the_share_and_answers(make: Make) -> None:
    rig = Rig(make)
    rig.contribute(100, 2)
    rig.run(S)
    assert [type(reading) for reading in rig.journal.read] == [MysteryCommitted, MysteryAnswered, MysteryAnswered]
    assert [answer.meter_units for answer in rig.journal.answers()] == [5_000_100, 5_000_102]
    assert rig.states() == [(HealthState.READY, "SIM-TB1, firmware 1.0")]


@every_box
@given(
    amounts=st.lists(st.integers(1, SMALL.most_units), max_size=30),
    seed=st.integers(0, 2**32),
    upsets=st.lists(st.sampled_from(["unplug", "box", "table", "noise", "wait"]), max_size=6),
    loss=st.sampled_from([0, 0, 2, 4]),
)
@settings(max_examples=20)
def test_every_contribution_is_answered_once_and_in_order(
    make: Make, amounts: list[int], seed: int, upsets: list[str], loss: int
) -> None:
    rig = Rig(make, rates=Rates(drop=loss, flip=loss, insert=loss, split=3 * loss, duplicate=loss), seed=seed)
    chance = Random(seed)
    works = True
    for amount in amounts:
        rig.contribute(amount)
        if chance.randrange(4) == 0:
            rig.run(chance.randrange(1, 300) * MS)
        if upsets and chance.randrange(6) == 0:
            match upsets.pop():
                case "unplug":
                    rig.modem.disconnect()
                    rig.run(100 * MS)
                    rig.modem.connect()
                case "box":
                    rig.box.power_cycle()
                case "table":
                    rig.restart()
                case "noise":
                    works = not works
                    rig.modem.say(rig.box.noise(works=works))
                case _:
                    rig.run(2 * S)
    rig.modem.say(rig.box.noise(works=True))
    rig.until(lambda: len(rig.journal.answers()) == len(amounts))
    rig.until(lambda: len(rig.journal.of(MysteryRevealed)) == len(rig.journal.hits()))
    assert_in_order(rig.journal, SMALL)


@every_box
def test_an_answer_lost_on_the_line_is_given_again_in_the_same_words(make: Make) -> None:
    rig = Rig(make)
    rig.run(S)
    rig.faults.rates = Rates(drop=1000)
    rig.contribute(3_000_000 - 1_000_001)
    rig.run(200 * MS)
    assert rig.journal.answers() == []
    rig.faults.rates = Rates()
    rig.until(lambda: len(rig.journal.answers()) == 1, 2 * S)
    assert_in_order(rig.journal, SMALL)


@every_box
def test_a_box_set_back_is_refused_and_takes_nothing(make: Make) -> None:
    rig = Rig(make)
    rig.run(S)
    image = rig.box.snapshot()
    rig.contribute(10_000, 10_000)
    rig.run(S)
    rig.box.restore(image)
    rig.contribute(10_000)
    rig.run(5 * S)
    assert len(rig.journal.answers()) == 2
    assert rig.states()[-1][0] is HealthState.FAULTY
    assert "set back" in rig.states()[-1][1]
    assert rig.codes() == ["rolled_back"]


@every_box
def test_a_box_set_back_while_the_table_was_down_is_refused_too(make: Make) -> None:
    rig = Rig(make)
    rig.run(S)
    image = rig.box.snapshot()
    rig.contribute(10_000)
    rig.run(S)
    rig.box.restore(image)
    rig.restart()
    rig.run(S)
    assert rig.codes() == ["rolled_back"]


@every_box
def test_the_box_of_another_epoch_is_refused(make: Make) -> None:
    rig = Rig(make)
    rig.run(S)
    rig.journal = Journal()
    rig.restart(TriggerTable("harbour", "bj-1", 8))
    rig.run(S)
    assert rig.codes() == ["other_table"]
    assert rig.journal.read == []


def rig_and_its_journal_of_before(make: Make) -> tuple[Rig, Journal]:
    """Three contributions are made, and the journal as it was after the first of them."""
    rig = Rig(make)
    rig.contribute(10_000)
    rig.run(S)
    older = rig.journal.copy()
    rig.contribute(20_000, 30_000)
    rig.run(S)
    return rig, older


@every_box
def test_a_journal_set_back_gets_no_answer_to_what_it_has_forgotten(make: Make) -> None:
    """Else whoever saw which contribution won lays the same wagers again, and knows which of them wins."""
    rig, older = rig_and_its_journal_of_before(make)
    rig.readings.clear()
    rig.journal = older
    rig.restart()
    rig.contribute(20_000)
    rig.run(5 * S)
    assert len(rig.journal.answers()) == 1
    assert rig.states() == [(HealthState.FAULTY, SET_BACK)]
    assert rig.codes() == ["journal_set_back"]


@every_box
def test_nor_does_one_that_has_made_as_many_again_while_the_box_was_away(make: Make) -> None:
    rig, older = rig_and_its_journal_of_before(make)
    rig.modem.disconnect()
    rig.journal = older
    rig.restart()
    rig.modem.disconnect()
    rig.contribute(20_000, 30_000, 40_000, 50_000)
    rig.run(S)
    rig.modem.connect()
    rig.run(5 * S)
    assert len(rig.journal.answers()) == 1
    assert rig.states()[-1] == (HealthState.FAULTY, SET_BACK)


@every_box
def test_nor_is_a_second_share_of_its_cycle_chosen(make: Make) -> None:
    """The box has one already: of another, what it reveals at the hit would be held against it."""
    rig = Rig(make)
    rig.run(S)
    rig.readings.clear()
    rig.journal = Journal()
    rig.restart()
    rig.contribute(10_000)
    rig.run(5 * S)
    assert rig.journal.read == []
    assert rig.states() == [(HealthState.FAULTY, SET_BACK)]


@every_box
def test_a_journal_put_back_whole_goes_on(make: Make) -> None:
    rig = Rig(make)
    rig.contribute(10_000)
    rig.run(S)
    older = rig.journal.copy()
    rig.contribute(20_000)
    rig.run(S)
    whole, rig.journal = rig.journal, older
    rig.restart()
    rig.run(S)
    rig.journal = whole
    rig.restart()
    rig.contribute(30_000)
    rig.until(lambda: len(rig.journal.answers()) == 3)
    assert_in_order(rig.journal, SMALL)


@every_box
def test_without_noise_the_mystery_is_closed_and_contributions_wait(make: Make) -> None:
    rig = Rig(make, noise=False)
    rig.contribute(10_000, 20_000)
    rig.run(3 * S)
    assert rig.journal.read == []
    assert rig.states() == [(HealthState.FAULTY, "no noise source: the next number cannot be drawn")]
    assert rig.codes() == ["no_randomness"]
    rig.modem.say(rig.box.noise(works=True))
    rig.run(S)
    assert [answer.meter_units for answer in rig.journal.answers()] == [5_010_000, 5_030_000]
    assert rig.states()[-1][0] is HealthState.READY


@every_box
def test_a_hit_without_noise_is_reported_and_the_next_cycle_waits(make: Make) -> None:
    rig = Rig(make)
    rig.run(S)
    rig.modem.say(rig.box.noise(works=False))
    rig.contribute(2_000_000, 2_000_000, 2_000_000, 2_000_000)
    rig.run(3 * S)
    assert len(rig.journal.hits()) == len(rig.journal.of(MysteryRevealed)) == 1
    assert len(rig.journal.of(MysteryCommitted)) == 1
    assert rig.codes() == ["no_randomness"]
    rig.modem.say(rig.box.noise(works=True))
    rig.until(lambda: len(rig.journal.answers()) == 4)
    assert_in_order(rig.journal, SMALL)


@every_box
@pytest.mark.parametrize(
    ("amount_units", "words"), [(SMALL.most_units + 1, "larger than any"), (10**12, "larger than any")]
)
def test_a_contribution_nobody_could_make_closes_the_mystery(make: Make, amount_units: int, words: str) -> None:
    rig = Rig(make)
    rig.contribute(amount_units)
    rig.run(S)
    assert rig.journal.answers() == []
    complaint = next(one for one in rig.readings if isinstance(one, DeviceComplained))
    assert words in complaint.text
    assert rig.states()[-1][0] is HealthState.FAULTY


@every_box
def test_another_box_than_expected_is_refused(make: Make) -> None:
    rig = Rig(make)
    rig.readings.clear()
    rig.restart(serial="TB0001")
    rig.contribute(10_000)
    rig.run(S)
    assert rig.states() == [(HealthState.FAULTY, "expected box TB0001; this is SIM-TB1, firmware 1.0")]
    assert rig.journal.read == []


@every_box
def test_a_silent_box_is_lost_within_two_seconds_and_found_again(make: Make) -> None:
    rig = Rig(make)
    rig.run(S)
    rig.faults.rates = Rates(drop=1000)
    rig.run(2 * S)
    assert rig.states()[-1] == (HealthState.LOST, "no answer")
    rig.faults.rates = Rates()
    rig.run(S)
    assert rig.states()[-1][0] is HealthState.READY


@every_box
def test_nothing_outside_the_wish_is_reported(make: Make) -> None:
    """Answers nobody waits for, in any order, change nothing at the table."""
    rig = Rig(make)
    rig.contribute(10_000)
    rig.run(S)
    read = list(rig.journal.read)
    wire = CODEC.open(LineEnd.DEVICE)
    for message in (
        ContributionAnswered(2, 1, 6_000_000, hit=False, award_cents=0),
        ContributionAnswered(1, 1, 6_000_000, hit=True, award_cents=600),
        CycleRevealed(1, 9, 700, bytes(32)),
        CycleCommitted(3, bytes(32), 5_000_000, 500, 1_000),
        CycleCommitted(2, bytes(32), 5_000_000, 500, 1_000),
    ):
        rig.modem.say(wire.encode(message))
    rig.run(S)
    assert rig.journal.read == read


def test_a_box_that_took_over_goes_on_where_the_table_stands_and_says_what_is_lost() -> None:
    rig = Rig(proper)
    rig.contribute(10_000, 10_000)
    rig.run(S)
    successor = BoxDevice(seed=9)
    begun = BoxCommissioned("harbour", "bj-1", 7, 1, 2, 20_000, "ann", "ben", wall_ns=0)
    successor.restore((begun, *successor.memory.entries[1:]))
    rig.box = successor
    rig.restart()
    rig.contribute(30_000)
    rig.until(lambda: len(rig.journal.answers()) == 3)
    assert rig.codes() == ["cycle_unknown"]
    first, second = rig.journal.of(MysteryCommitted)
    assert isinstance(second, MysteryCommitted)
    assert (second.cycle, second.start_units) == (2, 5_020_000)
    assert rig.journal.answers()[-1].meter_units == 5_050_000
    assert first != second
    rig.contribute(*[2_000_000] * 4)
    rig.until(lambda: len(rig.journal.of(MysteryRevealed)) > 0)
    rig.restart()
    rig.until(lambda: len(rig.journal.answers()) == 7)


def test_a_box_taken_out_of_service_reveals_its_number_and_takes_nothing_more() -> None:
    rig = Rig(proper)
    rig.contribute(10_000)
    rig.run(S)
    assert isinstance(rig.box, BoxDevice)
    rig.box.memory.entries += rig.box.box.end("ann", "ben", 0)
    opened = rig.box.memory.opened(1)
    committed = rig.journal.of(MysteryCommitted)[0]
    assert opened is not None
    assert isinstance(committed, MysteryCommitted)
    here = Identity("harbour", "bj-1", 7)
    assert commitment(opened.key, here, 1, opened.drawn_cents).hex() == committed.commitment
    rig.box.power_cycle()
    rig.contribute(10_000)
    rig.run(3 * S)
    assert len(rig.journal.answers()) == 1
    assert rig.codes() == ["ended"]
