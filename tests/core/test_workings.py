"""What is kept from step to step decides nothing: a table that is given none of it says the same."""

from __future__ import annotations

import pytest

from controller.core.certainty.hole_turn import turn_if_shown
from controller.core.game.wager import LockedWager
from controller.core.messages.inputs import StampedInput
from controller.core.step import step
from controller.core.table.state import State, StepResult, Table
from controller.core.table.transaction import Transaction
from controller.core.table.workings import PublishedFacts, Timeline
from firmware_protocols.readings import ChipsConfirmed
from tests.core import nights
from tests.core.full_nights import FullNight
from tests.core.quick_readers import QuickReaders, draw, table
from tests.core.rig import Rig, penn

SEEDS = range(24)


def forgetful(table: Table, stamped: StampedInput) -> StepResult:
    """The step of a table out of a checkpoint, but for its lattice."""
    return step(Table(table.house, table.state, table.lattice), stamped)


def same_again(rig: Rig) -> int:
    """Step a night once with what is kept and once without; how many events it has."""
    kept = bare = Table(rig.house, State())
    events = 0
    for stamped in rig.stamped:
        with_it, without = step(kept, stamped), forgetful(bare, stamped)
        assert (with_it.events, with_it.desired) == (without.events, without.desired), stamped.number
        assert with_it.table.state == without.table.state
        kept, bare, events = with_it.table, without.table, events + len(with_it.events)
    return events


@pytest.mark.parametrize("seed", SEEDS)
def test_a_night_at_a_full_table_is_the_same_without(seed: int) -> None:
    assert same_again(nights.ruled_night(seed, lambda each: FullNight(each, rounds=2)))


@pytest.mark.parametrize("seed", range(6))
def test_a_night_of_corrections_is_the_same_without(seed: int) -> None:
    assert same_again(nights.corrected(seed))


def test_the_times_of_evidence_grow_and_begin_anew() -> None:
    rig = Rig(penn())
    rig.talk("1 main 25\nkey no_more_bets\nTh 7d Qs Td\nkey stand")
    round_now = rig.table.state.round
    assert round_now is not None
    whole, fewer = round_now.evidence.observations, round_now.evidence.observations[:-1]
    assert Timeline().of(fewer).of(whole) == Timeline().of(whole)
    assert Timeline().of(whole).of(fewer) == Timeline().of(fewer)
    assert Timeline().of(whole).latest_ns == max(dated.last_ns for dated in whole)


def test_the_published_facts_grow_and_begin_anew_with_a_correction() -> None:
    rig = Rig(penn())
    rig.talk("1 main 25\nkey no_more_bets\nTh 7d Qs Td\nkey stand")
    round_now = rig.table.state.round
    assert round_now is not None
    facts = round_now.evidence.published
    assert PublishedFacts().of(facts[:2], 0).of(facts, 0) == PublishedFacts().of(facts, 0)
    corrected = PublishedFacts().of(facts, 0).of(facts, 3)
    assert corrected.every == frozenset(facts)
    assert corrected.cards < PublishedFacts().of(facts, 0).cards


def standing_unsaid() -> QuickReaders:
    """Nobody has pressed a key since a player drew, and perhaps stopped."""
    rig = table("1 main 25")
    draw(rig, "8h", "7d", "3s", "Td")
    rig.pass_ms(2_000)
    draw(rig, "2c")
    rig.pass_ms(12_000)
    return rig


def test_the_plays_by_the_last_card_are_kept_while_nothing_happens_and_found_anew_when_something_does() -> None:
    """Nobody presses a key, so that at each look it is asked whether the hole card is turned."""
    rig = standing_unsaid()
    known = rig.table.workings.by_last_card.lattice
    assert known is not None
    rig.give(ChipsConfirmed(rig.watched(), rig.now_ns))
    assert rig.table.workings.by_last_card.lattice is known
    draw(rig, "4c")
    rig.pass_ms(20_000)
    now = rig.table.workings.by_last_card.lattice
    assert now is not None
    assert len(now.cards) == len(known.cards) + 1
    assert same_again(rig)


def test_other_outages_or_other_bets_leave_other_plays_by_the_last_card() -> None:
    """Whatever changes them, and though no evidence has come."""
    rig = standing_unsaid()
    transaction = Transaction(rig.table, rig.stamped[-1])
    known = transaction.by_last_card.lattice
    assert known is not None
    turn_if_shown(transaction, transaction.lattice())
    assert transaction.by_last_card.lattice is known
    transaction.change_evidence(outages=(transaction.round().main_zone_outage(0, rig.now_ns, rig.now_ns + 1),))
    turn_if_shown(transaction, transaction.lattice())
    unseen = transaction.by_last_card.lattice
    assert unseen is not None
    assert (unseen.outages, known.outages) == (transaction.round().evidence.outages, ())
    transaction.change_bets(wagers=(LockedWager(1, "main", 5_000),))
    turn_if_shown(transaction, transaction.lattice())
    raised = transaction.by_last_card.lattice
    assert raised is not None
    assert (raised.wagers, unseen.wagers) == ((5_000,), (2_500,))
