"""Meters at the live table: what the wagers of a round add, what the cards award, what people do with a jackpot."""

from __future__ import annotations

from msgspec.structs import replace

from controller.core.messages.events import CardDrawn, Event, RoundClosed, WagerSettled, WagerUnresolved
from controller.core.messages.inputs import (
    ApproveOrder,
    DaemonStarted,
    PayJackpot,
    ProposeMeterChange,
    SetCard,
    VerifyJackpot,
    WithdrawOrder,
)
from controller.core.messages.meter_events import (
    ContributionMade,
    ContributionRefused,
    JackpotHit,
    JackpotPaid,
    JackpotRefused,
    MeterClosed,
    MeterOpened,
    MeterReopened,
    MeterReset,
    MysteryCommitted,
    MysteryDisputed,
    MysteryRevealed,
    ParametersChanged,
    ParametersDiffer,
    ParametersQueued,
)
from controller.core.messages.raised_alerts import AlertRaised
from controller.core.meters.awards import AwardStatus
from controller.core.meters.meter import UNITS
from controller.core.meters.state import Adjustment, Grant, JackpotRefusal, NewParameters
from controller.core.step import step
from controller.core.table.state import State, restore
from controller.formats.replay import read_state, state_bytes
from firmware_protocols.cards import Card
from tests.progressive.live import MYSTERY, SEVENS, Box, MeterRig, refusals

REST = "key stand hole_turned \n 5c \n key round_closed"
DIAMONDS = f"1 main 10 \n 1 blazing7s 5 \n 7d 7d 7d 8c \n {REST}"
NOTHING = f"1 main 10 \n 1 blazing7s 5 \n 9h 6c 8s Tc \n {REST}"
BONUS = f"1 main 10 \n 1 five_card_progressive 5 \n 9h 6c 8s Tc \n {REST}"


def clear(rig: MeterRig, *zones: str) -> None:
    for zone in ("main", *zones):
        rig.chips(1, zone, 0)


# --- rows of a side wager ---------------------------------------------------------------------------------


def test_a_wager_raises_its_meter_when_the_first_card_is_drawn_and_not_before() -> None:
    rig = MeterRig()
    assert [type(one) for one in rig.events_of(MeterOpened)] == [MeterOpened, MeterOpened]
    rig.talk("1 main 10 \n 1 blazing7s 5 \n key no_more_bets")
    assert rig.events_of(ContributionMade) == []
    rig.talk("9h")
    assert rig.events_of(ContributionMade) == [
        ContributionMade("sevens", 1, 1, "blazing7s", 500, 85 * UNITS, 15 * UNITS, 0, 1_000_085 * UNITS, 1_000_085)
    ]
    rig.talk("6c 8s Tc \n key stand hole_turned \n 5c \n key round_closed")
    assert len(rig.events_of(ContributionMade)) == 1
    assert rig.shown()["sevens"] == 1_000_085


def test_bets_locked_by_mistake_raise_nothing() -> None:
    rig = MeterRig()
    rig.talk("1 main 10 \n 1 blazing7s 5 \n key no_more_bets round_closed")
    assert rig.outcomes() == ["void"]
    assert rig.events_of(ContributionMade) == []


def test_three_diamonds_win_the_whole_meter_and_play_goes_on() -> None:
    rig = MeterRig()
    rig.talk(DIAMONDS)
    hit = rig.last(JackpotHit)
    assert isinstance(hit, JackpotHit)
    assert (hit.spot, hit.row, hit.cents, hit.rule) == (1, "three_diamonds", 1_000_085, "share")
    assert rig.events_of(MeterReset) == [
        MeterReset("sevens", (500_000 - 15) * UNITS, 15 * UNITS, 500_000 * UNITS, 500_000)
    ]
    assert "1: spot 1 blazing7s +9995.85" in rig.postings()
    assert rig.outcomes() == ["settled"]
    assert rig.desired.notice == "JACKPOT $10,000.85 SPOT 1"
    clear(rig, "blazing7s")
    rig.talk(NOTHING)
    assert rig.outcomes() == ["settled", "settled"]
    assert rig.shown()["sevens"] == 500_085
    rig.pay(1)
    assert rig.desired.notice == ""
    assert rig.last(JackpotPaid) == JackpotPaid(1, 1_000_085, "B. Bell", "A. Ames", "hand pay", "own key")


def test_three_suited_win_a_tenth_and_the_row_is_evaluated_from_the_highest_spot() -> None:
    rig = MeterRig()
    rig.talk("1 main 10 \n 1 blazing7s 5 \n 2 main 10 \n 2 blazing7s 5 \n 7h 7h 7h 7h 7h Tc")
    hits = [(one.spot, one.cents) for one in rig.events_of(JackpotHit)]
    assert hits == [(2, 100_017), (1, 90_015)]
    assert rig.meter("sevens").current_units == (1_000_170 - 190_032) * UNITS
    assert [one for one in rig.postings() if "blazing" in one] == [
        "1: spot 1 blazing7s +895.15",
        "1: spot 2 blazing7s +995.17",
    ]


def test_two_whole_meters_in_one_round_are_shared() -> None:
    rig = MeterRig()
    rig.talk("1 main 10 \n 1 blazing7s 5 \n 2 main 10 \n 2 blazing7s 5 \n 7d 7d 7d 7d 7d Tc")
    hits = [(one.spot, one.cents) for one in rig.events_of(JackpotHit)]
    assert hits == [(2, 500_085), (1, 500_085)]
    assert len(rig.events_of(MeterReset)) == 1


def test_a_card_that_was_misread_takes_the_award_out_of_the_account_and_people_put_it_back() -> None:
    rig = MeterRig()
    rig.talk("1 main 10 \n 1 blazing7s 5 \n 7d 7d 7d 8c")
    first = rig.events_of(CardDrawn)[0]
    assert isinstance(first, CardDrawn)
    rig.give(SetCard(rig.now_ns, first.card, Card("6d"), "floor", "misread"))
    rig.talk("key stand hole_turned \n 5c \n key round_closed")
    assert (1, 1, "blazing7s", 999_585, 500) in rig.adjustments()
    assert [one.standing for one in rig.jackpots()] == [AwardStatus.PENDING]
    rig.order("sevens", JackpotRefusal(1))
    assert rig.jackpots()[0].standing is AwardStatus.REFUSED
    assert rig.meter("sevens").current_units == 1_000_085 * UNITS
    assert len(rig.adjustments()) == 1


def test_a_refused_jackpot_is_put_back_and_its_wager_adjusted() -> None:
    rig = MeterRig()
    rig.talk(DIAMONDS)
    rig.order("sevens", JackpotRefusal(1))
    refused = rig.last(JackpotRefused)
    assert isinstance(refused, JackpotRefused)
    assert (refused.house_units, refused.reserve_units) == ((500_000 - 15) * UNITS, 15 * UNITS)
    assert refused.shown_cents == 1_000_085
    assert (refused.who, refused.second) == ("A. Ames", "B. Bell")
    assert rig.adjustments() == [(1, 1, "blazing7s", 999_585, -500)]
    assert rig.desired.notice == ""


def test_a_row_the_table_could_not_judge_is_granted_by_two_people() -> None:
    rig = MeterRig()
    rig.talk("1 main 10 \n 1 blazing7s 5")
    rig.card("7d")
    rig.card(None)
    rig.talk("7d 8c \n key round_closed round_closed")
    assert rig.outcomes() == ["irregular"]
    rig.order("sevens", Grant(1, 1, "blazing7s", "three_diamonds"))
    assert "1: spot 1 blazing7s +9995.85" in rig.postings()
    rig.order("sevens", Grant(1, 1, "blazing7s", "three_diamonds"))
    assert refusals(rig)[0] == "the wager has won from a meter already"


def test_an_unreasonable_wager_is_a_fault_and_raises_nothing() -> None:
    small = replace(SEVENS, parameters=replace(SEVENS.parameters, unreasonable_cents=50))
    rig = MeterRig(small)
    rig.talk(NOTHING)
    assert rig.events_of(ContributionMade) == []
    assert rig.events_of(ContributionRefused) == [
        ContributionRefused(
            "sevens",
            1,
            1,
            "blazing7s",
            500,
            "it would add 1000000 units; no more than 500000 are reasonable",
            "meter_rules",
        )
    ]


# --- people -----------------------------------------------------------------------------------------------


def test_what_moves_a_meter_takes_two_people() -> None:
    rig = MeterRig()
    rig.give(
        ProposeMeterChange(rig.now_ns, "sevens", Adjustment("meter", -5, "equipment_correction"), "A. Ames", "counted")
    )
    assert rig.meter("sevens").current_units == 1_000_000 * UNITS
    rig.give(ApproveOrder(rig.now_ns, 1, "a.  ames"))
    assert refusals(rig) == ["A. Ames proposed it; another person must approve"]
    rig.give(ApproveOrder(rig.now_ns, 1, "B. Bell"))
    assert rig.meter("sevens").current_units == 1_000_000 * UNITS - 5
    rig.give(ApproveOrder(rig.now_ns, 1, "B. Bell"))
    assert refusals(rig)[1:] == ["no such order waits"]


def test_a_reason_that_is_not_on_the_list_is_refused_at_once() -> None:
    rig = MeterRig()
    rig.give(ProposeMeterChange(rig.now_ns, "sevens", Adjustment("meter", -5, "funding"), "A. Ames", "counted"))
    rig.give(ProposeMeterChange(rig.now_ns, "eights", Adjustment("meter", 5, "funding"), "A. Ames", "counted"))
    assert [text.partition(" for ")[0] for text in refusals(rig)] == [
        "a meter goes down",
        "there is no meter eights; there are: sevens, mystery",
    ]
    assert rig.table.state.progressives.orders == ()


def test_an_order_may_be_withdrawn() -> None:
    rig = MeterRig()
    rig.give(ProposeMeterChange(rig.now_ns, "sevens", Adjustment("meter", 5, "funding"), "A. Ames", "counted"))
    rig.give(WithdrawOrder(rig.now_ns, 1, "A. Ames", "counted again"))
    rig.give(ApproveOrder(rig.now_ns, 1, "B. Bell"))
    assert refusals(rig) == ["no such order waits"]


def test_parameters_change_between_jackpots_only() -> None:
    rig = MeterRig()
    rig.talk(NOTHING)
    wanted = replace(SEVENS.parameters, reset_cents=700_000)
    rig.order("sevens", NewParameters(wanted))
    assert rig.events_of(ParametersQueued)
    assert rig.events_of(ParametersChanged) == []
    clear(rig, "blazing7s")
    rig.talk(DIAMONDS)
    assert rig.events_of(ParametersChanged) == [ParametersChanged("sevens", SEVENS.parameters, wanted)]
    assert rig.shown()["sevens"] == 700_000


def test_a_table_file_that_orders_other_parameters_is_not_obeyed_but_said() -> None:
    rig = MeterRig()
    other = replace(SEVENS, parameters=replace(SEVENS.parameters, reset_cents=1))
    house = replace(rig.house, meters=(other,))
    rig.give(DaemonStarted(rig.now_ns, "test", house))
    assert rig.events_of(ParametersDiffer) == [ParametersDiffer("sevens", other.parameters, SEVENS.parameters)]
    assert rig.meter("sevens").parameters == SEVENS.parameters
    closed = rig.events_of(MeterClosed)
    assert closed[-1] == MeterClosed("mystery", "the table file no longer has it")


def test_a_jackpot_is_paid_once_verified_and_by_another_person() -> None:
    rig = MeterRig()
    rig.talk(DIAMONDS)
    rig.give(PayJackpot(rig.now_ns, 1, "B. Bell", "too soon"))
    rig.give(VerifyJackpot(rig.now_ns, 1, "A. Ames", "cards seen"))
    rig.give(PayJackpot(rig.now_ns, 1, "A. Ames", "alone"))
    rig.give(PayJackpot(rig.now_ns, 2, "A. Ames", "another"))
    assert refusals(rig) == [
        "jackpot 1 is pending; what is paid must be verified first",
        "A. Ames verified jackpot 1; another person must say that it is paid",
        "there is no such jackpot, or it is no longer kept",
    ]


# --- must hit by ------------------------------------------------------------------------------------------


def test_until_the_box_has_committed_itself_the_meter_is_closed() -> None:
    rig = MeterRig()
    assert rig.shown() == {"sevens": 1_000_000, "mystery": None}
    box = Box(rig, [90_000])
    box.up()
    assert rig.shown()["mystery"] == 25_000
    committed = rig.last(MysteryCommitted)
    assert isinstance(committed, MysteryCommitted)
    assert committed.share == rig.stamped[-1].nonce.hex()
    assert rig.desired.trigger.share is not None
    assert rig.desired.trigger.share.share.hex() == committed.share
    assert isinstance(rig.last(MeterReopened), MeterReopened)
    box.down()
    assert rig.shown()["mystery"] is None


def test_a_contribution_is_sent_to_the_box_and_its_wager_settled_with_the_answer() -> None:
    rig = MeterRig()
    box = Box(rig, [90_000])
    box.up()
    rig.talk("1 main 10 \n 1 five_card_progressive 5 \n 9h 6c 8s Tc")
    assert [one.amount_units for one in rig.desired.trigger.contributions] == [50 * UNITS]
    assert not [one for one in rig.postings() if "five_card" in one]
    assert box.answer() == 1
    assert rig.desired.trigger.number == 1
    assert "1: spot 1 five_card_progressive -5.00" in rig.postings()
    rig.talk(REST)
    assert rig.outcomes() == ["settled"]


def test_the_contribution_that_crosses_wins_and_the_rest_counts_for_the_next() -> None:
    rig = MeterRig()
    box = Box(rig, [25_060, 90_000])
    box.up()
    rig.talk(
        "\n".join(f"{spot} main 10 \n {spot} five_card_progressive 5" for spot in (1, 2, 3)) + "\n 9h 9h 9h 6c 8s 8s 8s"
    )
    assert box.answer() == 3
    hit = rig.last(JackpotHit)
    assert isinstance(hit, JackpotHit)
    assert (hit.spot, hit.cents, hit.number, hit.meter_units) == (2, 25_100, 2, 25_050 * UNITS)
    assert rig.meter("mystery").current_units == box.units == 25_050 * UNITS
    assert rig.last(MysteryRevealed) == MysteryRevealed("mystery", 1, 2, 25_060, "ab" * 32)
    rig.talk("Tc \n key stand stand stand hole_turned \n 5c \n key round_closed")
    assert [one for one in rig.postings() if "five" in one] == [
        "1: spot 1 five_card_progressive -5.00",
        "1: spot 2 five_card_progressive +246.00",
        "1: spot 3 five_card_progressive -5.00",
    ]
    assert rig.events_of(MysteryDisputed) == []


def test_nobody_is_accused_who_takes_the_chip_of_a_wager_that_the_mystery_meter_pays() -> None:
    """A dealer takes it with the losing wagers; the bonus is paid away from the table."""
    rig = MeterRig()
    box = Box(rig, [25_040, 90_000])
    box.up()
    rig.talk("1 main 10 \n 1 five_card_progressive 5 \n 9h 6c 8s Tc")
    box.answer()
    assert "1: spot 1 five_card_progressive +245.50" in rig.postings()
    rig.chips(1, "five_card_progressive", 0)
    rig.talk(REST)
    clear(rig)
    rig.talk("1 main 20 \n key no_more_bets")
    assert [one.kind for one in rig.events_of(AlertRaised)] == []


def test_without_the_box_contributions_wait_and_are_applied_in_order_later() -> None:
    rig = MeterRig()
    box = Box(rig, [25_060, 90_000])
    box.up()
    box.down()
    for _ in range(2):
        rig.talk(BONUS)
        clear(rig, "five_card_progressive")
    assert rig.outcomes() == ["open", "open"]
    waits = [(one.round, one.bet) for one in rig.events_of(WagerUnresolved)]
    assert waits == [(1, "five_card_progressive"), (2, "five_card_progressive")]
    box.up()
    assert box.answer() == 2
    assert [one for one in rig.postings() if "five" in one] == [
        "1: spot 1 five_card_progressive -5.00",
        "2: spot 1 five_card_progressive +246.00",
    ]
    assert [one.round for one in rig.jackpots()] == [2]


def test_box_and_table_that_disagree_close_the_meter_and_pay_nothing() -> None:
    rig = MeterRig()
    box = Box(rig, [25_010, 90_000])
    box.up()
    rig.talk("1 main 10 \n 1 five_card_progressive 5 \n 9h 6c 8s Tc")
    box.answer(error_units=1)
    assert len(rig.events_of(MysteryDisputed)) == 1
    assert rig.events_of(JackpotHit) == []
    assert rig.shown()["mystery"] is None
    rig.talk(REST)
    rig.order("mystery", Grant(1, 1, "five_card_progressive", "must_hit_by_mystery"))
    assert rig.adjustments() == [(1, 1, "five_card_progressive", -500, 24_550)]
    assert rig.shown()["mystery"] == 25_000
    box.units = rig.meter("mystery").current_units
    clear(rig, "five_card_progressive")
    rig.talk("1 main 10 \n 1 five_card_progressive 5 \n 9h 6c 8s Tc")
    box.answer()
    assert len(rig.events_of(MysteryDisputed)) == 1


def test_an_answer_said_again_counts_once() -> None:
    rig = MeterRig()
    box = Box(rig, [90_000])
    box.up()
    rig.talk("1 main 10 \n 1 five_card_progressive 5 \n 9h 6c 8s Tc")
    box.answer()
    before = rig.meter("mystery")
    rig.give(rig.stamped[-1].input)
    assert rig.meter("mystery") == before
    assert rig.events_of(MysteryDisputed) == []


def test_reset_value_and_ceiling_of_the_mystery_are_the_boxes() -> None:
    rig = MeterRig()
    wanted = replace(MYSTERY.parameters, reset_cents=30_000)
    rig.give(ProposeMeterChange(rig.now_ns, "mystery", NewParameters(wanted), "A. Ames", "more"))
    assert refusals(rig) == ["reset value and limit of a must-hit-by meter are those the trigger box draws between"]
    rig.order("mystery", NewParameters(replace(MYSTERY.parameters, rate=(1, 5))))
    assert rig.meter("mystery").parameters.rate == (1, 5)


# --- replay -----------------------------------------------------------------------------------------------


def test_a_checkpoint_at_any_moment_gives_the_same_events_again() -> None:
    rig = MeterRig()
    box = Box(rig, [25_060, 90_000])
    box.up()
    rig.talk("1 main 10 \n 1 blazing7s 5 \n 1 five_card_progressive 5 \n 7d 7d 7d 8c")
    box.answer()
    rig.talk(REST)
    clear(rig, "blazing7s", "five_card_progressive")
    rig.pay(1)
    rig.talk(BONUS)
    box.answer()
    table = restore(rig.house, State())
    events: list[Event] = []
    for stamped in rig.stamped:
        stepped = step(table, stamped)
        events += stepped.events
        table = restore(rig.house, read_state(state_bytes(stepped.table.state)))
    assert events == rig.events
    assert {RoundClosed, WagerSettled, JackpotHit} <= {type(one) for one in events}
