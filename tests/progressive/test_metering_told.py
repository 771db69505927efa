"""Every field of what a table publishes of its meters, and which of several meters a wager moves."""

from __future__ import annotations

from msgspec.structs import replace

from controller.core.messages.meter_events import (
    ContributionMade,
    ContributionRefused,
    JackpotHit,
    MeterClosed,
    MeterOpened,
    MeterReopened,
    MeterReset,
    MysteryCommitted,
)
from controller.core.meters.meter import UNITS
from controller.core.meters.state import WAITING_LIMIT, JackpotRefusal
from controller.core.progressives.live_meters import awarded
from controller.core.table.state import Table
from controller.core.table.transaction import Transaction
from firmware_protocols.trigger_messages import Contribute, OpenCycle
from tests.core.rig import Rig
from tests.progressive.live import MYSTERY, SEVENS, Box, MeterRig
from tests.progressive.test_rows_in_doubt import LADIES, ladies_rules

DIAMONDS = "1 main 10 \n 1 blazing7s 5 \n 7d 7d 7d 8c"
SUITED = "1 main 10 \n 1 blazing7s 5 \n 7h 7h 7h Tc"
REST = "key stand hole_turned round_closed"


def test_meters_are_published_as_they_open_and_close() -> None:
    rig = MeterRig()
    assert rig.events_of(MeterOpened, MeterClosed, MeterReopened) == [
        MeterOpened("sevens", SEVENS.parameters, 1_000_000 * UNITS, 1_000_000),
        MeterOpened("mystery", MYSTERY.parameters, 25_000 * UNITS, 25_000),
        MeterClosed("mystery", "the trigger box does not answer"),
    ]
    box = Box(rig, [90_000])
    box.cycle = 1
    box.up()
    assert rig.last(MeterClosed) == MeterClosed("mystery", "the trigger box has not drawn its next number yet")
    box.cycle = 0
    box.commit()
    assert rig.events_of(MeterReopened) == [MeterReopened("mystery", 25_000)]


def test_an_award_is_published_whole() -> None:
    rig = MeterRig()
    rig.talk(DIAMONDS)
    row = (1, 1, "blazing7s", "three_diamonds")
    assert rig.events_of(JackpotHit) == [
        JackpotHit(1, "sevens", *row, 1_000_085, 1_000_085, "share", 0, 500_000 * UNITS, 500_000)
    ]


def test_of_several_meters_a_row_is_paid_by_the_one_of_its_kind() -> None:
    rig = MeterRig(
        replace(MYSTERY, fed_by=("blazing7s",)), replace(SEVENS, name="other", fed_by=("lucky_ladies",)), SEVENS
    )
    rig.talk(DIAMONDS)
    assert [(one.meter, one.cents) for one in rig.events_of(JackpotHit)] == [("sevens", 1_000_085)]


def test_where_no_meter_must_be_hit_the_trigger_box_says_nothing() -> None:
    rig = MeterRig(SEVENS)
    Box(rig, [90_000]).up()
    assert rig.events_of(MysteryCommitted) == []


def test_a_whole_meter_that_two_shared_starts_again_once_before_the_part_of_a_third() -> None:
    rules = ladies_rules(
        **{
            "lucky_ladies.pays": {"queen_hearts_pair_and_dealer_natural": [1000, 1], "any_20": [4, 1]},
            "lucky_ladies.meter_shares": {"queen_hearts_pair": [1, 1], "matched_20": [1, 10]},
        }
    )
    rig = Rig(rules, meters=(LADIES,))
    for spot in (1, 2, 3):
        rig.talk(f"{spot} main 10 \n {spot} lucky_ladies 5")
    rig.talk("Kc Qh Qh 9d Kc Qh Qh 8c")
    hits = [(one.spot, one.cents) for one in rig.events_of(JackpotHit)]
    assert hits == [(3, 500_127), (2, 500_127), (1, 50_000)]
    order = [type(one).__name__ for one in rig.events if isinstance(one, JackpotHit | MeterReset)]
    assert order == ["JackpotHit", "JackpotHit", "MeterReset", "JackpotHit"]


def test_what_a_round_was_awarded_is_its_own_and_nothing_once_refused() -> None:
    rig = MeterRig()
    rig.talk(f"{SUITED} \n {REST}")
    for zone in ("main", "blazing7s"):
        rig.chips(1, zone, 0)
    rig.talk("2 main 10 \n 2 blazing7s 5 \n 7h 7h 7h Tc")
    transaction = Transaction(rig.table, rig.stamped[-1])
    assert list(awarded(transaction, "blazing7s")) == [(2, 90_016)]
    assert list(awarded(transaction, "lucky_ladies")) == []
    rig.order("sevens", JackpotRefusal(2))
    assert list(awarded(Transaction(rig.table, rig.stamped[-1]), "blazing7s")) == [(2, 0)]


def test_the_trigger_box_is_sent_what_the_journal_has() -> None:
    rig = MeterRig()
    box = Box(rig, [25_020, 90_000])
    box.up()
    wish = rig.desired.trigger
    committed = rig.last(MysteryCommitted)
    assert isinstance(committed, MysteryCommitted)
    assert (wish.cycle, wish.revealed, wish.number, wish.contributions) == (1, 0, 0, ())
    assert wish.share == OpenCycle(1, bytes.fromhex(committed.share))
    rig.talk("1 main 10 \n 1 five_card_progressive 5 \n 9h 6c 8s Tc")
    assert rig.desired.trigger.contributions == (Contribute(1, 50 * UNITS),)
    box.answer()
    wish = rig.desired.trigger
    assert (wish.cycle, wish.revealed, wish.number) == (2, 1, 1)
    assert wish.share is not None
    assert wish.share.cycle == 2


def test_a_box_that_disagrees_is_sent_no_more_contributions() -> None:
    rig = MeterRig()
    box = Box(rig, [90_000])
    box.up()
    rig.talk("1 main 10 \n 1 five_card_progressive 5 \n 9h 6c 8s Tc")
    box.answer(error_units=1)
    rig.talk(REST)
    for zone in ("main", "five_card_progressive"):
        rig.chips(1, zone, 0)
    rig.talk("1 main 10 \n 1 five_card_progressive 5 \n 9h 6c 8s Tc")
    assert rig.desired.trigger.contributions == ()
    assert len(rig.table.state.progressives.waiting) == 1


def with_waiting(rig: MeterRig, count: int) -> None:
    """The rig after its first contribution was copied until so many wait."""
    known = rig.table.state.progressives
    (first,) = known.waiting
    waiting = tuple(replace(first, number=number) for number in range(1, count + 1))
    state = replace(rig.table.state, progressives=replace(known, waiting=waiting, numbered=count))
    rig.table = Table(rig.house, state, rig.table.lattice)


def test_as_many_contributions_as_may_wait_and_no_more() -> None:
    for waiting, made in ((WAITING_LIMIT - 1, 2), (WAITING_LIMIT, 1)):
        rig = MeterRig()
        rig.talk(f"1 main 10 \n 1 five_card_progressive 5 \n 9h 6c 8s Tc \n {REST}")
        with_waiting(rig, waiting)
        for zone in ("main", "five_card_progressive"):
            rig.chips(1, zone, 0)
        rig.talk("2 main 10 \n 2 five_card_progressive 5 \n 9h")
        assert len(rig.events_of(ContributionMade)) == made
        refused = ContributionRefused(
            "mystery",
            2,
            2,
            "five_card_progressive",
            500,
            f"{WAITING_LIMIT} contributions wait for the trigger box",
            "too_many_waiting",
        )
        assert rig.events_of(ContributionRefused) == ([] if made == 2 else [refused])
        assert len(rig.table.state.progressives.waiting) == WAITING_LIMIT
