"""Corrections in every order: what holds afterwards is what would hold had the table known it from the start."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from controller.core.game.rules import Rules
from controller.core.messages.alerts import KeyRefused, OrderRefused, RoundIrregular, SettlementDisputed
from controller.core.messages.events import (
    BettingClosed,
    CardDrawn,
    QuestionAnswered,
    QuestionAsked,
    QuestionWithdrawn,
    WagerAdjusted,
    WagerSettled,
    WagerUnresolved,
)
from controller.core.messages.floor_events import CardAssigned
from controller.core.messages.inputs import AdjustWager, AssignCard, DaemonStarted, DeclareBox, SetCard, VoidRound
from controller.core.messages.raised_alerts import AlertKind, AlertRaised
from controller.core.meters.state import Grant, JackpotRefusal
from controller.core.table.state import Table, restore
from controller.formats.replay import read_state, state_bytes
from controller.io.files import profile_files
from firmware_protocols.cards import Card
from tests.core.rig import Rig, penn
from tests.core.test_waiting_rounds import WHO_GOT_THE_NINE
from tests.progressive.live import REST, SEVENS, Box, MeterRig, refusals

FLOOR = "floor: M. Okafor"
KEYED = penn(stand_key="always")


def card(rig: Rig, number: int, place: int) -> int:
    """The reading that brought a card of a round."""
    drawn = (event for event in rig.events if isinstance(event, CardDrawn))
    return next(one.card for one in drawn if (one.round, one.position) == (number, place))


def set_card(rig: Rig, place: int, face: str | None, number: int = 1) -> None:
    named = None if face is None else Card(face)
    rig.give(SetCard(rig.now_ns, card(rig, number, place), named, FLOOR, "seen on the felt"))
    rig.pass_ms(100)


def adjust(rig: Rig, spot: int, bet: str, cents: int, number: int = 1) -> None:
    rig.give(AdjustWager(rig.now_ns, number, spot, bet, cents, FLOOR, "ruled"))
    rig.pass_ms(100)


def void(rig: Rig, number: int = 1) -> None:
    rig.give(VoidRound(rig.now_ns, number, FLOOR, "misdeal"))
    rig.pass_ms(100)


def dues(rig: Rig, number: int = 1) -> dict[tuple[int, str], int | None]:
    """What each wager of a round comes to as the books have it."""
    book = next(book for book in rig.table.state.books if book.round == number)
    return {(row.spot, row.bet): row.net_cents for row in book.rows}


def settlements(rig: Rig, spot: int, bet: str, number: int = 1) -> int:
    """How often a wager was settled."""
    settled = (event for event in rig.events if isinstance(event, WagerSettled))
    return sum((one.round, one.spot, one.bet) == (number, spot, bet) for one in settled)


def full(name: str = "hollywood-penn-national", **options: object) -> Rules:
    return profile_files.load(name, {"stand_key": "always", **options}).rules


# --- the same round corrected again and again ------------------------------------------------------


@pytest.mark.parametrize(
    ("faces", "due"),
    [(["7d"], 0), (["7d", "9d"], 1000), (["7d", "6d"], -1000), (["7d", "9d", "7d", "9d"], 1000)],
)
def test_a_card_named_again_and_again_settles_as_its_last_name_says(faces: list[str], due: int) -> None:
    rig = Rig(KEYED)
    rig.talk("1 main 10 \n Th 9c 9d 8s \n key stand hole_turned")
    assert dues(rig) == {(1, "main"): 1000}
    for face in faces:
        set_card(rig, 2, face)
    rig.talk("key round_closed")
    assert (dues(rig), rig.outcomes()) == ({(1, "main"): due}, ["settled"])


def test_a_wager_adjusted_by_a_correction_is_doubted_like_any_other() -> None:
    rig = Rig(KEYED)
    rig.talk("1 main 10 \n Th 9c 9d 8s \n key stand hole_turned")
    set_card(rig, 2, "7d")
    rig.talk("key double")
    assert [(e.spot, e.net_cents) for e in rig.events_of(SettlementDisputed)] == [(1, 0)]


def test_a_card_that_comes_after_keys_are_taken_back_counts() -> None:
    rig = Rig(KEYED)
    rig.talk("1 main 10 \n 5h 9c 3d 9s \n key stand hole_turned double undo undo undo")
    rig.talk("Th \n key stand hole_turned round_closed")
    assert (dues(rig), rig.outcomes()) == ({(1, "main"): 0}, ["settled"])


def test_what_the_floor_ruled_on_a_wager_outlasts_every_correction() -> None:
    rig = Rig(KEYED)
    rig.talk("1 main 10 \n Th 9c 9d 8s \n key stand hole_turned")
    adjust(rig, 1, "main", 500)
    set_card(rig, 2, "7d")
    set_card(rig, 2, "6d")
    assert dues(rig) == {(1, "main"): 500}


# --- answers that come late ------------------------------------------------------------------------

BONUS = f"1 main 10 \n 1 five_card_progressive 5 \n 9h 6c 8s Tc \n {REST}"
FIVE = (1, "five_card_progressive")


def waiting_for_the_box(trigger_cents: int = 90_000) -> tuple[MeterRig, Box]:
    rig = MeterRig()
    box = Box(rig, [trigger_cents, 99_000])
    box.up()
    rig.talk(BONUS)
    assert dues(rig)[FIVE] is None
    return rig, box


@pytest.mark.parametrize("trigger_cents", [90_000, 25_010])
def test_a_late_answer_of_the_trigger_box_leaves_a_void_round_void(trigger_cents: int) -> None:
    rig, box = waiting_for_the_box(trigger_cents)
    void(rig)
    assert box.answer() == 1
    assert (settlements(rig, *FIVE), dues(rig)[FIVE]) == (1, 0)


@pytest.mark.parametrize("trigger_cents", [90_000, 25_010])
def test_a_late_answer_of_the_trigger_box_leaves_a_ruling_as_it_is(trigger_cents: int) -> None:
    rig, box = waiting_for_the_box(trigger_cents)
    adjust(rig, 1, "five_card_progressive", 0)
    box.answer()
    assert (settlements(rig, *FIVE), dues(rig)[FIVE]) == (1, 0)


def test_a_round_voided_before_the_box_answers_is_not_settled_by_it() -> None:
    rig = MeterRig()
    box = Box(rig, [90_000])
    box.up()
    rig.talk("1 main 10 \n 1 five_card_progressive 5 \n 9h 6c 8s Tc \n key stand hole_turned \n 5c")
    void(rig)
    box.answer()
    assert (settlements(rig, *FIVE), dues(rig)[FIVE]) == (1, 0)


def test_a_late_answer_settles_nothing_of_an_irregular_round() -> None:
    rig = MeterRig()
    box = Box(rig, [90_000])
    box.up()
    rig.talk(
        "1 main 10 \n 1 five_card_progressive 5 \n 9h 6c 8s Tc \n key stand hole_turned \n 5c 9d \n key round_closed"
    )
    assert rig.outcomes() == ["irregular"]
    box.answer()
    assert (settlements(rig, *FIVE), dues(rig)[FIVE]) == (0, None)


def test_a_late_answer_leaves_what_two_people_granted() -> None:
    rig, box = waiting_for_the_box(25_010)
    rig.order("mystery", Grant(1, 1, "five_card_progressive", "must_hit_by_mystery"))
    assert dues(rig)[FIVE] == 24_550
    box.answer()
    assert (settlements(rig, *FIVE), dues(rig)[FIVE], rig.adjustments()) == (1, 24_550, [])


def test_an_answer_while_a_card_is_struck_settles_once() -> None:
    rig = MeterRig()
    box = Box(rig, [90_000])
    box.up()
    rig.talk("1 main 10 \n 1 five_card_progressive 5 \n 9h 6c 8s Tc \n key stand hole_turned \n 5c")
    set_card(rig, 0, "9d")
    set_card(rig, 4, None)
    box.answer()
    rig.talk("5c \n key round_closed")
    assert (rig.outcomes(), settlements(rig, *FIVE), dues(rig)[FIVE]) == (["settled"], 1, -500)


def test_a_late_answer_settles_what_the_cards_decided() -> None:
    rig, box = waiting_for_the_box()
    box.answer()
    assert (settlements(rig, *FIVE), dues(rig)[FIVE]) == (1, -500)


# --- questions -------------------------------------------------------------------------------------


def test_a_key_answers_the_question_that_the_display_shows() -> None:
    rig = Rig(penn())
    rig.talk(WHO_GOT_THE_NINE)
    rig.talk(WHO_GOT_THE_NINE)
    set_card(rig, 0, "5d")
    last = rig.events_of(QuestionAsked)[-1]
    assert (last.round, rig.desired.display[:8]) == (1, "Round 2.")
    rig.talk("key 3")
    (answered,) = (event for event in rig.events_of(QuestionAnswered))
    assert answered.question == 2
    assert sorted(rig.postings()) == ["2: spot 1 main +10.00", "2: spot 2 main -10.00"]


def test_a_round_handed_to_the_floor_asks_nobody_any_more() -> None:
    rig = Rig(penn())
    rig.talk(WHO_GOT_THE_NINE)
    set_card(rig, 5, "5s")
    assert rig.outcomes() == ["irregular"]
    assert len(rig.events_of(QuestionWithdrawn)) == len(rig.events_of(QuestionAsked))
    rig.talk("key 3")
    assert rig.events_of(QuestionAnswered) == []


# --- rounds that are over --------------------------------------------------------------------------


def test_a_correction_that_ruins_a_waiting_round_is_published_and_doubts_what_was_settled() -> None:
    rig = Rig(penn())
    rig.talk("1 main 10 \n 2 main 10 \n 3 main 10 \n 5h 5c Ah Tc 6d 5s Kd 7s \n 9c \n key hole_turned round_closed")
    assert rig.postings() == ["1: spot 3 main +15.00"]
    set_card(rig, 7, "5s")
    assert len(rig.events_of(RoundIrregular)) == 1
    assert [(e.spot, e.net_cents) for e in rig.events_of(SettlementDisputed)] == [(3, 1500)]
    assert {e.spot for e in rig.events_of(WagerUnresolved) if e.possible_cents == ()} == {
        1,
        2,
    }


def test_a_waiting_round_is_settled_by_the_rules_it_was_played_by() -> None:
    rig = Rig(penn())
    rig.talk(WHO_GOT_THE_NINE)
    generous = replace(rig.house, rules=replace(penn(), win_pays=(2, 1)), profile_hash="1" * 64)
    state = read_state(state_bytes(rig.table.state))
    rig.table = restore(rig.house, state)
    rig.give(DaemonStarted(rig.now_ns, "test", generous))
    rig.table = Table(rig.table.house, read_state(state_bytes(rig.table.state)), rig.table.lattice)
    rig.answer("3")
    assert sorted(rig.postings()) == ["1: spot 1 main +10.00", "1: spot 2 main -10.00"]
    assert rig.table.state.former_rules == {}
    rig.talk("1 main 0 \n 2 main 0 \n 3 main 20 \n Th 9c Kd 8s \n key no no stand hole_turned round_closed")
    assert "2: spot 3 main +40.00" in rig.postings()


def test_after_a_restart_a_card_of_a_waiting_round_is_judged_by_all_its_evidence() -> None:
    rig = Rig(penn())
    rig.talk(WHO_GOT_THE_NINE)
    rig.give(DaemonStarted(rig.now_ns, "test", rig.house))
    rig.give(AssignCard(rig.now_ns, card(rig, 1, 6), 0, FLOOR, "seen on the felt"))
    assert rig.events_of(CardAssigned) == []
    assert "no legal play gives this card to the dealer" in refusals_of(rig)
    assert rig.outcomes() == []


def refusals_of(rig: Rig) -> list[str]:
    return [one.reason for one in rig.events_of(OrderRefused)]


def test_a_round_that_ends_before_its_readers_confirm_is_on_the_books() -> None:
    rig = Rig(KEYED)
    rig.talk("1 main 10")
    rig.late = True
    rig.talk("Th 9c 9d 8s")
    void(rig)
    assert [type(event) for event in rig.events_of(BettingClosed)] == [BettingClosed]
    assert dues(rig) == {(1, "main"): 0}
    assert rig.outcomes() == ["void"]


def test_a_round_that_is_irregular_before_its_readers_confirm_is_ruled_on_like_any_other() -> None:
    rig = Rig(KEYED)
    rig.talk("1 main 10")
    rig.late = True
    rig.talk("Th 9c 9d 8s \n key double double stand hole_turned round_closed")
    rig.late = False
    rig.talk("key round_closed")
    assert (rig.outcomes(), dues(rig)) == (["irregular"], {(1, "main"): None})
    adjust(rig, 1, "main", 500)
    assert (refusals_of(rig), dues(rig)) == ([], {(1, "main"): 500})


def test_a_round_voided_while_a_newcomer_is_asked_about_is_on_the_books() -> None:
    rig = Rig(full("pitch-h17"))
    rig.talk("1 main 10 \n Th 9c 9d 8s \n key stand hole_turned round_closed")
    rig.talk("4 main 20 \n key no_more_bets")
    assert len(rig.events_of(QuestionAsked)) == 1
    void(rig, 2)
    assert dues(rig, 2) == {(1, "main"): 0, (4, "main"): 0}
    assert rig.outcomes() == ["settled", "void"]


def test_the_wagers_of_an_irregular_round_are_published_as_open() -> None:
    rig = Rig(full())
    rig.talk("1 main 10 \n 1 lucky_ladies 5 \n 2 main 20 \n Th 9h 9c 6d 5s 8s")
    rig.talk("key stand stand hole_turned \n 5c \n key round_closed")
    assert rig.outcomes() == ["irregular"]
    opened = [(e.spot, e.bet, e.possible_cents) for e in rig.events_of(WagerUnresolved)]
    unsettled = {place for place, due in dues(rig).items() if due is None}
    assert {(spot, bet) for spot, bet, _ in opened} == unsettled
    assert all(possible == () for _, _, possible in opened)


# --- wagers made after the deal --------------------------------------------------------------------


def test_insurance_ruled_by_the_floor_stays_ruled_when_the_offer_closes() -> None:
    rig = Rig(KEYED)
    rig.talk("1 main 10 \n Th Ac 9d 8s \n 1 insurance 5")
    adjust(rig, 1, "insurance", 0)
    rig.talk("key stand hole_turned")
    set_card(rig, 0, "Td")
    rig.talk("key round_closed")
    assert (settlements(rig, 1, "insurance"), dues(rig)[1, "insurance"]) == (1, 0)


@pytest.mark.parametrize(("ruled", "due"), [("void", 0), ("adjusted", 1000)])
def test_insurance_ruled_while_it_is_offered_is_settled_once_however_it_goes_on(ruled: str, due: int) -> None:
    rig = Rig(KEYED)
    rig.talk("1 main 10 \n Th Ac 9d 8s \n 1 insurance 5")
    adjust(rig, 1, "insurance", 0)
    rig.talk("key stand hole_turned")
    if ruled == "void":
        void(rig)
    else:
        adjust(rig, 1, "insurance", 1000)
    assert (settlements(rig, 1, "insurance"), dues(rig)[1, "insurance"]) == (1, due)


def test_insurance_goes_back_once_the_up_card_was_no_ace() -> None:
    rig = Rig(KEYED)
    rig.talk("1 main 10 \n Th Ac 9d 8s \n 1 insurance 5 \n key stand hole_turned")
    assert dues(rig)[1, "insurance"] == -500
    set_card(rig, 1, "9c")
    rig.talk("key round_closed")
    assert (dues(rig), rig.outcomes()) == ({(1, "main"): 1000, (1, "insurance"): 0}, ["settled"])


@pytest.mark.parametrize("when", ["open", "closed"])
def test_insurance_that_nobody_saw_is_not_ruled_where_the_up_card_is_no_ace(when: str) -> None:
    rig = Rig(KEYED)
    rig.talk("1 main 10 \n Th Qc 9d 8s")
    if when == "closed":
        rig.talk("key stand hole_turned round_closed")
    adjust(rig, 1, "insurance", 1000)
    refused = [(event.reason_code, event.reason) for event in rig.events_of(OrderRefused)]
    text = "the up card of round 1 is no ace: there was no insurance; name the bet that is meant"
    assert refused == [("no_such_wager", text)]
    assert settlements(rig, 1, "insurance") == 0


@pytest.mark.parametrize(("cards", "knows"), [("Th Ac 9d 8s", True), ("Th Qc 9d 8s", False)])
def test_insurance_that_nobody_saw_is_ruled_with_an_ace_up_and_in_journals_of_before(cards: str, knows: bool) -> None:
    rig = Rig(KEYED)
    rig.change_house(insurance_needs_ace=knows)
    rig.talk(f"1 main 10 \n {cards} \n key stand hole_turned round_closed")
    adjust(rig, 1, "insurance", 1000)
    assert (rig.events_of(OrderRefused), settlements(rig, 1, "insurance")) == ([], 1)


@pytest.mark.parametrize("named", [True, False])
def test_a_surrender_that_a_declared_box_leaves_unexplained_accuses_nobody_of_pinching(named: bool) -> None:
    rig = Rig(profile_files.load("hollywood-penn-national", {"stand_key": "sometimes", "turn_key": "sometimes"}).rules)
    rig.change_house(causes_named=named)
    rig.talk("1 main 10 \n 2 main 10 \n key no_more_bets \n Td 6s 9c 6c 7d 8h")
    rig.pass_ms(4_000)
    rig.talk("1 main 5")
    rig.pass_ms(2_000)
    assert rig.events_of(AlertRaised) == []
    rig.give(DeclareBox(rig.now_ns, 4, 1_000, "M. Okafor", "seen"))
    moved = [(one.kind, one.text) for one in rig.events_of(AlertRaised) if one.spot == 1]
    said = "spot 1 main: 10.00 became 5.00"
    since = (AlertKind.CHIPS_UNEXPLAINED, f"{said}, which no play explains since the order of M. Okafor")
    assert moved == [since if named else (AlertKind.PINCHING, f"{said} after the lock")]


def test_ez_bust_goes_back_once_it_was_not_offered() -> None:
    rig = Rig(full())
    rig.talk("1 main 10 \n Th 6c 9d Ts \n 1 ez_bust 5 \n key stand hole_turned \n Kc")
    assert dues(rig)[1, "ez_bust"] is not None
    set_card(rig, 1, "9c")
    set_card(rig, 4, None)
    rig.talk("key round_closed")
    assert (dues(rig)[1, "ez_bust"], rig.outcomes()) == (0, ["settled"])


def test_ez_bust_laid_while_the_up_card_was_misread_counts_once_it_is_named() -> None:
    rig = Rig(full())
    rig.talk("1 main 10 \n Th 9c 9d Ts \n 1 ez_bust 5")
    set_card(rig, 1, "6c")
    rig.talk("key stand hole_turned \n Kc \n key round_closed")
    assert rig.outcomes() == ["settled"]
    assert dues(rig)[1, "ez_bust"] == 500


def test_a_side_wager_stands_once_its_box_is_declared() -> None:
    rig = Rig(full())
    rig.talk("1 main 10 \n 2 lucky_ladies 5 \n Th 5h 9c 9d 5s")
    rig.give(DeclareBox(rig.now_ns, 2, 1000, FLOOR, "plays cash"))
    rig.talk("8s \n key stand stand hole_turned round_closed")
    assert dues(rig)[2, "lucky_ladies"] is not None


def test_a_box_declared_for_the_next_round_is_not_forgotten_with_a_card_that_began_none() -> None:
    rig = Rig(penn(stand_key="always", no_more_bets="always"))
    rig.give(DeclareBox(rig.now_ns, 2, 1000, FLOOR, "plays cash"))
    rig.talk("1 main 10 \n 3c \n key no")
    rig.talk("key no_more_bets \n Th 5h 9c 9d 5s 8s")
    locked = rig.events_of(BettingClosed)[-1]
    assert isinstance(locked, BettingClosed)
    assert [wager.spot for wager in locked.wagers] == [1, 2]
    assert rig.events_of(KeyRefused) == []


def test_a_box_declared_for_the_next_round_outlasts_a_round_closed_without_cards() -> None:
    rig = Rig(KEYED)
    rig.give(DeclareBox(rig.now_ns, 2, 1000, FLOOR, "plays cash"))
    rig.talk("1 main 10 \n key no_more_bets round_closed no_more_bets")
    assert rig.table.state.round is not None
    assert rig.table.state.round.bets.spots == (1, 2)


# --- jackpots --------------------------------------------------------------------------------------

SUITED = f"1 main 10 \n 1 blazing7s 5 \n 7h 7h 7h 8c \n {REST}"


def test_a_refused_jackpot_is_taken_only_from_a_due_that_holds_it() -> None:
    rig = MeterRig(SEVENS)
    rig.talk("1 main 10 \n 1 blazing7s 5 \n 7h 7h 7h 8c")
    set_card(rig, 0, "7d")
    fixed = dues(rig)[1, "blazing7s"]
    assert fixed is not None
    rig.order("sevens", JackpotRefusal(1))
    assert dues(rig)[1, "blazing7s"] == fixed


def test_a_refused_jackpot_leaves_what_the_floor_ruled() -> None:
    rig = MeterRig(SEVENS)
    rig.talk(SUITED)
    adjust(rig, 1, "blazing7s", 250_000)
    rig.order("sevens", JackpotRefusal(1))
    assert dues(rig)[1, "blazing7s"] == 250_000


def test_a_jackpot_refused_by_two_people_leaves_the_wager_open_to_corrections() -> None:
    rig = MeterRig(SEVENS)
    rig.talk("1 main 10 \n 1 blazing7s 5 \n 7h 7h 7h 8c")
    rig.order("sevens", JackpotRefusal(1))
    assert dues(rig)[1, "blazing7s"] == -500
    set_card(rig, 0, "7d")
    assert (dues(rig)[1, "blazing7s"] or 0) > 0


def test_nothing_is_granted_while_the_cards_have_still_to_decide() -> None:
    rig = MeterRig(SEVENS)
    rig.talk("1 main 10 \n 1 blazing7s 5 \n 7h 7h")
    rig.order("sevens", Grant(1, 1, "blazing7s", "three_diamonds"))
    assert refusals(rig)[0].startswith("its round is being played")
    rig.talk(f"7h 8c \n {REST}")
    assert (dues(rig)[1, "blazing7s"] or 0) > 0


def test_the_jackpot_of_a_void_round_is_refused_not_paid() -> None:
    rig = MeterRig(SEVENS)
    rig.talk(SUITED)
    void(rig)
    rig.pay(1)
    assert refusals(rig) == ["round 1 is void and its wagers go back: two people must refuse the jackpot instead"]
    rig.order("sevens", JackpotRefusal(1))
    assert dues(rig)[1, "blazing7s"] == 0
    assert [e.net_cents for e in rig.events_of(WagerAdjusted) if e.bet == "blazing7s"] == [0]
