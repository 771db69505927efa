"""What people do with a pool's awards at a table, and what the pool's ledger is sent of it."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from controller.core.messages.events import WagerSettled
from controller.core.messages.inputs import AdjustWager, PayJackpot, PoolEntryRead, ProposeMeterChange, SetCard
from controller.core.messages.meter_events import JackpotHit, JackpotPaid, JackpotRefused
from controller.core.messages.pool_events import JackpotClaimed, PoolEntryDeclined
from controller.core.meters.awards import AwardStatus, Jackpot
from controller.core.meters.meter import UNITS
from controller.core.meters.pool_postings import DeclinedOutcome, VerdictOutcome, VerdictPosting
from controller.core.meters.state import Adjustment, Grant, JackpotRefusal, NewParameters
from controller.pool.reconciliation import reconcile
from firmware_protocols.cards import Card
from tests.progressive.live import (
    DIAMONDS,
    LINKED,
    NOTHING,
    PIT_PARAMETERS,
    POOL,
    SEVENS,
    MeterRig,
    Pit,
    linked,
    owing,
    pit_table,
    refusals,
)


def hit(pit: Pit) -> MeterRig:
    rig = pit_table(pit)
    rig.talk(DIAMONDS)
    pit.answers(rig)
    return rig


def test_an_award_is_verified_and_paid_at_the_table_and_the_ledger_is_sent_it(pit: Pit) -> None:
    rig = hit(pit)
    pit.is_lost(rig)
    rig.give(PayJackpot(rig.now_ns, 1, "B. Bell", "hand pay"))
    assert refusals(rig) == ["jackpot 1 is pending; what is paid must be verified first"]
    rig.pay(1)
    assert rig.last(JackpotPaid) == JackpotPaid(1, 1_000_085, "B. Bell", "A. Ames", "hand pay", "own key")
    assert [one.deed for one in owing(rig).owed] == [
        VerdictPosting(1, "verified", "A. Ames"),
        VerdictPosting(1, "paid", "B. Bell"),
    ]
    assert pit.answers(rig) == 2
    found = reconcile(pit.ledger)
    assert (found.total.paid, found.total.reserved, found.mistakes) == (1_000_085 * UNITS, 0, ())


def test_a_refused_award_is_in_the_pool_again_and_out_of_the_wager(pit: Pit) -> None:
    rig = hit(pit)
    rig.order("pit_sevens", JackpotRefusal(1))
    assert rig.jackpots()[0].standing is AwardStatus.REFUSED
    assert rig.events_of(JackpotRefused) == []
    pit.answers(rig)
    (event,) = rig.events_of(JackpotRefused)
    assert isinstance(event, JackpotRefused)
    assert (event.cents, event.meter, event.shown_cents) == (1_000_085, "pit_sevens", 1_000_085)
    assert (event.house_units, event.reserve_units) == ((500_000 - 15) * UNITS, 15 * UNITS)
    assert (event.who, event.second, event.why) == ("A. Ames", "B. Bell", "as counted")
    assert rig.adjustments() == [(1, 1, "blazing7s", 999_585, -500)]
    assert linked(rig).returned_cents == 1_000_085
    assert rig.shown()["pit_sevens"] == 1_000_085
    assert reconcile(pit.ledger).mistakes == ()


def test_a_refusal_answered_after_the_award_is_forgotten_changes_nothing(pit: Pit) -> None:
    rig = hit(pit)
    rig.order("pit_sevens", JackpotRefusal(1))
    state = rig.table.state
    rig.table = replace(rig.table, state=replace(state, progressives=replace(state.progressives, jackpots=())))
    pit.answers(rig)
    assert rig.events_of(JackpotRefused) == []


def test_the_ledger_may_decline_a_judgement(pit: Pit) -> None:
    rig = hit(pit)
    rig.pay(1)
    rig.give(PoolEntryRead(rig.now_ns, "pit_sevens", 3, 3, 500_000, DeclinedOutcome("this table has no jackpot 1")))
    declined = rig.last(PoolEntryDeclined)
    assert declined == PoolEntryDeclined("pit_sevens", 3, 3, None, None, None, "this table has no jackpot 1")
    stood = VerdictOutcome(
        Jackpot(1, POOL, 1, 1, "blazing7s", "three_diamonds", 1_000_085, 1, AwardStatus.PAID, "B. Bell")
    )
    rig.give(PoolEntryRead(rig.now_ns, "pit_sevens", 4, 4, 500_000, stood))
    assert owing(rig).owed == ()


def test_a_card_nobody_could_read_is_granted_by_two_people(pit: Pit) -> None:
    rig = pit_table(pit)
    rig.talk("1 main 10 \n 1 blazing7s 5")
    rig.card("7h")
    rig.card(None)
    rig.talk("7h 8c \n key stand hole_turned \n 5c \n key round_closed round_closed")
    assert rig.events_of(JackpotClaimed) == []
    grant = Grant(1, 1, "blazing7s", "three_suited")
    rig.order("pit_sevens", grant)
    rig.give(ProposeMeterChange(rig.now_ns, "pit_sevens", grant, "A. Ames", "again"))
    assert refusals(rig) == ["the wager's claim waits for the link"]
    pit.answers(rig)
    hit = rig.last(JackpotHit)
    assert isinstance(hit, JackpotHit)
    assert (hit.cents, hit.rule) == (100_008, "granted by A. Ames and B. Bell")
    settled = rig.events_of(WagerSettled)[-1]
    assert isinstance(settled, WagerSettled)
    assert (settled.net_cents, settled.basis) == (100_008 - 500, "floor")
    rig.give(ProposeMeterChange(rig.now_ns, "pit_sevens", grant, "A. Ames", "again"))
    assert refusals(rig)[-1] == "the wager has won from a meter already"


@pytest.mark.parametrize(
    ("move", "message"),
    [
        (Adjustment("meter", 5, "funding"), "the pool is moved at the link, by two people"),
        (NewParameters(PIT_PARAMETERS), "the pool is moved at the link, by two people"),
        (JackpotRefusal(9), "there is no such jackpot"),
        (Grant(1, 1, "blazing7s", "one_seven"), "meter pit_sevens pays"),
        (Grant(1, 2, "blazing7s", "three_suited"), "there is no wager"),
        (Grant(1, 1, "five_card_progressive", "three_suited"), "does not feed meter pit_sevens"),
    ],
)
def test_what_cannot_be_ordered_of_a_pool_at_a_table(pit: Pit, move: object, message: str) -> None:
    rig = pit_table(pit)
    rig.talk(NOTHING)
    rig.give(ProposeMeterChange(rig.now_ns, "pit_sevens", move, "A. Ames", ""))  # type: ignore[arg-type]
    assert message in refusals(rig)[-1]


def test_a_jackpot_of_another_meter_is_not_refused_through_the_pool(pit: Pit) -> None:
    rig = MeterRig(SEVENS, linked=(replace(LINKED, fed_by=("royal_match",)),))
    rig.talk(DIAMONDS)
    rig.give(ProposeMeterChange(rig.now_ns, "pit_sevens", JackpotRefusal(1), "A. Ames", ""))
    assert "there is no such jackpot" in refusals(rig)[-1]
    rig.give(ProposeMeterChange(rig.now_ns, "nobodys", JackpotRefusal(1), "A. Ames", ""))
    assert refusals(rig)[-1] == "there is no meter nobodys; there are: sevens, pit_sevens"


def test_a_corrected_card_does_not_claim_twice(pit: Pit) -> None:
    rig = pit_table(pit)
    rig.talk("1 main 10 \n 1 blazing7s 5 \n 7d 7d 7d 8c")
    pit.answers(rig)
    assert rig.table.state.round is not None
    card = rig.table.state.round.cards.drawn[0].number
    for face in ("9d", "7d"):
        rig.give(SetCard(rig.now_ns, card, Card(face), "M. Okafor", "misread"))
    assert len(rig.events_of(JackpotClaimed)) == 1


def test_a_refused_award_leaves_what_the_floor_ruled(pit: Pit) -> None:
    rig = hit(pit)
    rig.give(AdjustWager(rig.now_ns, 1, 1, "blazing7s", 250_000, "floor", "ruled"))
    rig.order("pit_sevens", JackpotRefusal(1))
    pit.answers(rig)
    assert len(rig.events_of(JackpotRefused)) == 1
    assert [net for *_, net in rig.adjustments()] == [250_000]
