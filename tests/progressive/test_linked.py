"""A linked meter at the live table: what is owed to the pool's ledger, what its answers do, who gets what."""

from __future__ import annotations

from pathlib import Path

from msgspec.structs import replace

from controller.core.messages.events import WagerAdjusted, WagerSettled, WagerUnresolved
from controller.core.messages.house import SensorBet as Latched
from controller.core.messages.inputs import (
    AdjustWager,
    ApproveOrder,
    DaemonStarted,
    PoolEntryRead,
    PoolStateRead,
    VerifyJackpot,
)
from controller.core.messages.meter_events import ContributionRefused, JackpotHit, MeterClosed, MeterReopened
from controller.core.messages.pool_events import (
    ContributionPosted,
    JackpotClaimed,
    MeterLinked,
    PoolEntryDeclined,
    PoolEntryRecorded,
    VerdictPosted,
)
from controller.core.meters.awards import AwardStatus
from controller.core.meters.meter import UNITS
from controller.core.meters.pool_postings import ClaimPosting, ContributionOutcome, WagerPosting, WinningRow
from controller.core.meters.pooled_meter import NOT_HEARD
from controller.core.meters.state import WAITING_LIMIT
from controller.core.step import step
from controller.core.table.state import restore
from controller.formats.replay import read_state, state_bytes
from controller.pool.reconciliation import reconcile
from firmware_protocols.readings import DeviceHealth, HealthState
from tests.progressive.live import (
    DIAMONDS,
    LINKED,
    MYSTERY,
    NOTHING,
    PIT_PARAMETERS,
    POOL,
    REST,
    SEVENS,
    SUITED,
    Box,
    MeterRig,
    Pit,
    linked,
    owing,
    pit_table,
    pool,
)


def clear(rig: MeterRig) -> None:
    for zone in ("main", "blazing7s"):
        rig.chips(1, zone, 0)


# --- the pool shown, and closed ---------------------------------------------------------------------------


def test_before_the_link_is_heard_the_meter_is_closed_and_the_sign_says_so(pit: Pit) -> None:
    rig = MeterRig(linked=(LINKED,))
    assert rig.events_of(MeterLinked) == [MeterLinked("pit_sevens", POOL)]
    assert MeterClosed("pit_sevens", NOT_HEARD) in rig.events_of(MeterClosed)
    assert rig.shown()["pit_sevens"] is None
    pit.publishes(rig)
    assert MeterReopened("pit_sevens", 1_000_000) in rig.events_of(MeterReopened)
    assert rig.shown()["pit_sevens"] == 1_000_000


def test_what_other_tables_add_is_shown_without_a_word(pit: Pit) -> None:
    rig = pit_table(pit)
    published = len(rig.events)
    rig.give(PoolStateRead(rig.now_ns, "pit_sevens", 1_000_321, ""))
    assert rig.shown()["pit_sevens"] == 1_000_321
    assert len(rig.events) == published
    rig.give(PoolStateRead(rig.now_ns, "nobodys", 5, ""))
    assert rig.shown()["pit_sevens"] == 1_000_321


def test_a_meter_whose_sensors_are_silent_is_closed_until_they_answer(pit: Pit) -> None:
    rig = pit_table(pit)
    rig.house = replace(
        rig.house, sensors={"blazing7s": (1, 2)}, counted={"blazing7s": Latched("sensors", (1, 2), 500)}
    )
    rig.give(DaemonStarted(rig.now_ns, "test", rig.house))
    pit.publishes(rig)
    assert rig.events_of(MeterClosed)[-1] == MeterClosed("pit_sevens", "sensors does not answer")
    assert rig.shown()["pit_sevens"] is None
    rig.give(DeviceHealth("sensors", HealthState.READY, rig.now_ns))
    assert rig.events_of(MeterReopened)[-1] == MeterReopened("pit_sevens", 1_000_000)
    rig.give(DeviceHealth("sensors", HealthState.LOST, rig.now_ns))
    assert rig.shown() == {"pit_sevens": None, "mystery": None}


def test_the_link_lost_closes_the_meter_and_play_goes_on(pit: Pit) -> None:
    rig = pit_table(pit)
    pit.is_lost(rig)
    assert rig.events_of(MeterClosed)[-1] == MeterClosed("pit_sevens", "the link is away")
    assert rig.shown()["pit_sevens"] is None
    rig.talk(NOTHING)
    assert rig.outcomes() == ["settled"]
    assert [one.seq for one in owing(rig).owed] == [1]
    assert pit.answers(rig) == 1
    assert rig.shown()["pit_sevens"] is None
    pit.publishes(rig)
    assert rig.shown()["pit_sevens"] == 1_000_085


def test_a_meter_the_table_file_no_longer_has_stays_closed_and_is_owed_all_the_same(pit: Pit) -> None:
    rig = pit_table(pit)
    rig.talk(NOTHING)
    rig.give(DaemonStarted(rig.now_ns, "test", replace(rig.house, linked=())))
    pit.publishes(rig)
    assert rig.events_of(MeterClosed)[-1] == MeterClosed("pit_sevens", "the table file no longer has it")
    assert len(owing(rig).owed) == 1


# --- contributions ----------------------------------------------------------------------------------------


def test_a_wager_is_owed_when_it_is_collected_and_counted_when_the_ledger_has_it(pit: Pit) -> None:
    rig = pit_table(pit)
    rig.talk("1 main 10 \n 1 blazing7s 5 \n key no_more_bets")
    assert rig.events_of(ContributionPosted) == []
    rig.talk(f"9h 6c 8s Tc \n {REST}")
    assert rig.events_of(ContributionPosted) == [ContributionPosted("pit_sevens", 1, 1, 1, "blazing7s", 500)]
    assert [(one.seq, one.deed) for one in owing(rig).owed] == [(1, WagerPosting(500, 1, 1, "blazing7s"))]
    assert pit.answers(rig) == 1
    assert rig.events_of(PoolEntryRecorded) == [
        PoolEntryRecorded("pit_sevens", 1, 1, 85 * UNITS, 15 * UNITS, 1_000_085)
    ]
    assert (linked(rig).wagers, linked(rig).contributed_units, linked(rig).reserved_units) == (1, 850_000, 150_000)
    assert rig.shown()["pit_sevens"] == 1_000_085


def test_an_answer_that_comes_twice_or_too_early_counts_once(pit: Pit) -> None:
    rig = pit_table(pit)
    rig.talk(NOTHING)
    early = PoolEntryRead(rig.now_ns, "pit_sevens", 2, 2, 1_000_170, ContributionOutcome(850_000, 150_000))
    rig.give(early)
    assert rig.events_of(PoolEntryRecorded) == []
    pit.answers(rig)
    rig.give(replace(early, seq=1))
    assert len(rig.events_of(PoolEntryRecorded)) == 1
    rig.give(replace(early, meter="nobodys"))
    assert len(rig.events_of(PoolEntryRecorded)) == 1


def test_a_wager_the_ledger_declines_is_said_aloud(tmp_path: Path) -> None:
    pit = pool(tmp_path / "strict.sqlite", replace(PIT_PARAMETERS, unreasonable_cents=50))
    rig = pit_table(pit)
    rig.talk(NOTHING)
    pit.answers(rig)
    (event,) = rig.events_of(PoolEntryDeclined)
    assert isinstance(event, PoolEntryDeclined)
    assert (event.number, event.round, event.spot, event.bet) == (1, 1, 1, "blazing7s")
    assert "one wager adds 500000 at most" in event.reason
    assert linked(rig).wagers == 0


def test_more_than_a_day_of_wagers_are_refused_aloud_and_a_claim_is_not(pit: Pit) -> None:
    rig = pit_table(pit)
    rig.talk(NOTHING)
    (first,) = linked(rig).owed
    full = replace(linked(rig), posted=WAITING_LIMIT, owed=(first,) * WAITING_LIMIT)
    state = rig.table.state
    rig.table = replace(rig.table, state=replace(state, progressives=state.progressives.with_linked(full)))
    clear(rig)
    rig.talk(DIAMONDS)
    assert [one.reason for one in rig.events_of(ContributionRefused)] == [f"{WAITING_LIMIT} postings wait for the link"]
    assert isinstance(owing(rig).owed[-1].deed, ClaimPosting)


# --- awards -----------------------------------------------------------------------------------------------


def test_a_hit_is_claimed_and_the_wager_settled_once_the_ledger_has_answered(pit: Pit) -> None:
    rig = pit_table(pit)
    rig.talk("1 main 10 \n 1 blazing7s 5 \n 7d 7d 7d 8c")
    winner = WinningRow(1, "blazing7s", "three_diamonds", (1, 1))
    assert rig.events_of(JackpotClaimed) == [JackpotClaimed("pit_sevens", 2, 1, (winner,), "share")]
    assert [one for one in rig.postings() if "blazing" in one] == []
    assert pit.answers(rig) == 2
    hit = rig.last(JackpotHit)
    assert hit == JackpotHit(
        1, "pit_sevens", 1, 1, "blazing7s", "three_diamonds", 1_000_085, 1_000_085, "share", 2, 500_000 * UNITS, 500_000
    )
    assert rig.postings()[-1] == "1: spot 1 blazing7s +9995.85"
    assert rig.desired.notice == "JACKPOT $10,000.85 SPOT 1"
    assert rig.shown()["pit_sevens"] == 500_000
    rig.talk(REST)
    assert rig.outcomes() == ["settled"]
    assert len(rig.events_of(JackpotClaimed)) == 1


def test_of_two_tables_the_one_the_ledger_had_first_wins_and_the_other_finds_the_reset_value(pit: Pit) -> None:
    one, other = pit_table(pit), pit_table(pit)
    for rig in (one, other):
        rig.talk(DIAMONDS)
    pit.answers(other, "harbour/bj-2")
    pit.answers(one)
    hits = [rig.jackpots()[0].cents for rig in (other, one)]
    assert hits == [1_000_085, 500_085]
    assert [rig.jackpots()[0].ledger_number for rig in (other, one)] == [1, 2]
    assert reconcile(pit.ledger).mistakes == ()


def test_a_round_that_ends_before_the_answer_leaves_the_wager_open_and_settles_it_then(pit: Pit) -> None:
    rig = pit_table(pit)
    pit.is_lost(rig)
    rig.talk(SUITED)
    assert rig.events_of(WagerUnresolved) == [WagerUnresolved(1, 1, "blazing7s", 500, ())]
    assert rig.outcomes() == ["open"]
    clear(rig)
    rig.talk(NOTHING)
    pit.answers(rig)
    late = rig.events_of(WagerSettled)[-1]
    assert isinstance(late, WagerSettled)
    assert (late.round, late.spot, late.bet, late.net_cents) == (1, 1, "blazing7s", 100_008 - 500)
    assert late.why == "Blazing 7's: three suited, as the pool's ledger has it"
    assert linked(rig).won_cents == 100_008


def test_an_answer_for_a_round_that_waits_settles_the_wager_once(pit: Pit) -> None:
    rig = MeterRig(linked=(LINKED,), stand_key="sometimes")
    rig.talk("1 main 10 \n 1 blazing7s 5 \n 2 main 10 \n 7h 5c 7h 7h 6d Tc \n 4c \n key hole_turned round_closed")
    (waits,) = rig.table.state.waiting
    assert waits.questions.asked is not None
    pit.answers(rig)
    settled = [one for one in rig.postings() if "blazing" in one]
    assert settled == ["1: spot 1 blazing7s +995.08"]
    rig.answer(waits.questions.asked.question.choices()[0])
    assert rig.table.state.waiting == ()
    assert [one for one in rig.postings() if "blazing" in one] == settled


def test_a_round_that_was_voided_or_ruled_on_is_not_settled_by_the_ledger(pit: Pit) -> None:
    rig = pit_table(pit)
    rig.talk(DIAMONDS)
    rig.give(AdjustWager(rig.now_ns, 1, 1, "blazing7s", 0, "M. Okafor", "misdeal"))
    before = rig.events_of(WagerSettled, WagerAdjusted)
    pit.answers(rig)
    assert rig.events_of(WagerSettled, WagerAdjusted) == before
    assert [one.standing for one in rig.jackpots()] == [AwardStatus.PENDING]


def test_a_row_of_a_pool_and_of_the_mystery_is_settled_with_both(pit: Pit) -> None:
    both = replace(MYSTERY, fed_by=("blazing7s",))
    rig = MeterRig(both, linked=(LINKED,))
    box = Box(rig, [25_000])
    box.up()
    rig.talk(SUITED)
    assert box.answer() == 1
    pit.answers(rig)
    assert rig.postings()[-1] == f"1: spot 1 blazing7s +{(100_008 + 25_050 - 500) / 100:.2f}"
    clear(rig)
    rig.talk(SUITED)
    pit.answers(rig)
    assert not any(one.startswith("2: spot 1 blazing7s") for one in rig.postings())
    box.triggers = [90_000]
    assert box.answer() == 1
    assert rig.postings()[-1].startswith("2: spot 1 blazing7s +")


def test_a_meter_of_the_tables_own_is_not_claimed_from_a_pool(pit: Pit) -> None:
    rig = MeterRig(SEVENS)
    rig.talk(DIAMONDS)
    assert rig.events_of(JackpotClaimed, ContributionPosted) == []
    rig.pay(1)
    assert rig.events_of(VerdictPosted) == []


# --- the journal ------------------------------------------------------------------------------------------


def test_a_checkpoint_holds_what_is_owed_and_a_replay_gives_the_same(pit: Pit) -> None:
    rig = pit_table(pit)
    rig.talk(DIAMONDS)
    kept = read_state(state_bytes(rig.table.state))
    assert kept.progressives.linked == rig.table.state.progressives.linked
    again = restore(rig.house, kept)
    entry = PoolEntryRead(rig.now_ns, "pit_sevens", 1, 1, 1_000_085, ContributionOutcome(850_000, 150_000))
    stamped = rig.give(entry).events
    assert step(again, rig.stamped[-1]).events == stamped


def test_restarted_it_is_closed_until_the_link_is_heard_and_owes_what_it_owed(pit: Pit) -> None:
    rig = pit_table(pit)
    rig.talk(DIAMONDS)
    pit.answers(rig)
    clear(rig)
    rig.talk(NOTHING)
    owed = owing(rig).owed
    rig.give(DaemonStarted(rig.now_ns, "test", rig.house))
    assert rig.events_of(MeterClosed)[-1] == MeterClosed("pit_sevens", NOT_HEARD)
    assert owing(rig).owed == owed
    assert len(rig.events_of(MeterLinked)) == 1
    rig.give(ApproveOrder(rig.now_ns, 99, "B. Bell"))
    rig.give(VerifyJackpot(rig.now_ns, 1, "A. Ames", ""))
    assert len(owing(rig).owed) == len(owed) + 1
