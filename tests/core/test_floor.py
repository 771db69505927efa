"""The floor's corrections: what was before stays readable, and nothing published is taken back."""

from __future__ import annotations

import msgspec
import pytest

from controller.core.game.rules import Rules
from controller.core.game.wager import Basis, LockedWager
from controller.core.messages.alerts import CardUnreadable, OrderRefused, RoundIrregular
from controller.core.messages.events import (
    BettingClosed,
    CardDealt,
    CardDrawn,
    CardOpened,
    HoleCardRevealed,
    RoundClosed,
    WagerAdjusted,
    WagerSettled,
)
from controller.core.messages.floor_events import BoxDeclared, CardAssigned, CardSet, RoundResumed, RoundVoided
from controller.core.messages.inputs import AdjustWager, AssignCard, DeclareBox, SetCard, VoidRound
from controller.core.table.state import State, restore
from firmware_protocols.cards import Card
from tests.core.rig import Rig, penn
from tests.core.summaries import summary

KEYED = penn(stand_key="always")
FLOOR = "floor: M. Okafor"


def rig_with(talk: str, rules: Rules = KEYED) -> Rig:
    rig = Rig(rules)
    rig.talk(talk)
    return rig


def card_number(rig: Rig, place: int) -> int:
    """The number of the reading that brought the open round's card at a place."""
    drawn = [event for event in rig.events if isinstance(event, CardDrawn) and event.position == place]
    return drawn[-1].card


def set_card(rig: Rig, place: int, face: str | None, why: str = "seen on the felt") -> None:
    wanted = None if face is None else Card(face)
    rig.give(SetCard(rig.now_ns, card_number(rig, place), wanted, FLOOR, why))
    rig.pass_ms(100)


def assign(rig: Rig, place: int, spot: int) -> None:
    rig.give(AssignCard(rig.now_ns, card_number(rig, place), spot, FLOOR, "seen on the felt"))
    rig.pass_ms(100)


def adjust(rig: Rig, spot: int, cents: int, bet: str = "main", number: int = 1) -> None:
    rig.give(AdjustWager(rig.now_ns, number, spot, bet, cents, FLOOR, "ruled"))
    rig.pass_ms(100)


def void(rig: Rig, number: int = 1) -> None:
    rig.give(VoidRound(rig.now_ns, number, FLOOR, "misdeal"))
    rig.pass_ms(100)


def declare(rig: Rig, spot: int, cents: int) -> None:
    rig.give(DeclareBox(rig.now_ns, spot, cents, FLOOR, "plays cash"))
    rig.pass_ms(100)


def refusals(rig: Rig) -> list[str]:
    return [event.reason for event in rig.events_of(OrderRefused)]


# --- an unread card ---------------------------------------------------------------------------------


def test_a_card_in_sight_that_is_unread_waits_for_the_floor() -> None:
    rig = rig_with("1 main 10 \n Th 9c")
    rig.card(None)
    assert len(rig.events_of(CardUnreadable)) == 1
    assert rig.events_of(RoundIrregular) == []
    assert rig.desired.display == "Card not read: call the floor"
    rig.talk("8s \n key stand")
    assert rig.events_of(HoleCardRevealed) == []
    set_card(rig, 2, "6d")
    assert rig.events_of(CardSet) == [CardSet(1, card_number(rig, 2), "??", "6d", FLOOR, "seen on the felt")]
    rig.talk("key hole_turned round_closed")
    assert summary(rig).settled == ["1 main -10.00"]
    assert rig.outcomes() == ["settled"]
    (settled,) = rig.events_of(WagerSettled)
    assert isinstance(settled, WagerSettled)
    assert settled.basis is Basis.ANSWER


def test_a_commitment_opens_with_what_the_shoe_read_whatever_the_floor_says() -> None:
    rig = rig_with("1 main 10 \n Th 9c")
    rig.card(None)
    set_card(rig, 2, "6d")
    number = card_number(rig, 2)
    assert [e.face for e in rig.events_of(CardOpened) if e.card == number] == ["??"]


def test_an_unread_card_that_nobody_names_leaves_the_round_to_the_floor() -> None:
    rig = rig_with("1 main 10 \n Th 9c")
    rig.card(None)
    rig.talk("8s \n key stand hole_turned round_closed")
    assert rig.outcomes() == []
    rig.talk("key round_closed \n 1 main 20 \n Th 9c 6d 8s \n key stand hole_turned round_closed")
    assert rig.irregularities() == ["a card could not be read"]
    assert rig.outcomes() == ["irregular", "settled"]
    assert rig.postings() == ["2: spot 1 main -20.00"]


def test_so_does_the_next_round_begun_without_it() -> None:
    rig = rig_with("1 main 10 \n Th 9c")
    rig.card(None)
    rig.talk("8s \n key stand no_more_bets")
    assert rig.outcomes() == ["irregular"]


def test_an_unread_hole_card_is_asked_for_once_it_lies_face_up() -> None:
    rig = rig_with("1 main 10 \n Th 9c 6d")
    rig.card(None)
    set_card(rig, 3, "8s")
    assert refusals(rig) == ["the hole card is named once it lies face up"]
    assert rig.desired.display == "Round 1"
    rig.talk("key stand hole_turned")
    assert rig.desired.display == "Card not read: call the floor"
    set_card(rig, 3, "8s")
    rig.talk("key round_closed")
    assert summary(rig).settled == ["1 main -10.00"]


def test_an_unread_hole_card_that_nobody_names_leaves_the_round_to_the_floor() -> None:
    rig = rig_with("1 main 10 \n Th 9c 6d")
    rig.card(None)
    rig.talk("key stand hole_turned round_closed round_closed")
    assert rig.irregularities() == ["a card could not be read"]
    assert rig.outcomes() == ["irregular"]


# --- set card ---------------------------------------------------------------------------------------


def test_a_card_read_twice_is_struck_and_the_round_goes_on() -> None:
    rig = rig_with("1 main 10 \n Th 9c 6d 8s \n key stand hole_turned \n 5c")
    assert rig.irregularities() != []
    set_card(rig, 4, None, "the shoe read the last card twice")
    assert rig.events_of(RoundResumed) == [RoundResumed(1)]
    assert rig.events_of(CardSet) == [
        CardSet(1, card_number(rig, 4), "5c", None, FLOOR, "the shoe read the last card twice")
    ]
    rig.talk("key round_closed")
    assert summary(rig).settled == ["1 main -10.00"]
    assert rig.outcomes() == ["settled"]


def test_a_card_drawn_back_in_the_deal_moves_the_hole_card() -> None:
    rig = rig_with("1 main 10 \n Th 9c 9c 6d")
    set_card(rig, 2, None)
    rig.talk("8s \n key stand hole_turned round_closed")
    assert [rig.events_of(HoleCardRevealed), summary(rig).settled] == [
        [HoleCardRevealed(1, card_number(rig, 3))],
        ["1 main -10.00"],
    ]


def test_a_misread_card_corrected_adjusts_what_was_settled() -> None:
    rig = rig_with("1 main 10 \n 2 main 10 \n Th 9h 9c Td 9s 8s \n key stand stand hole_turned")
    assert summary(rig).settled == ["1 main +10.00", "2 main +10.00"]
    set_card(rig, 0, "6h")
    assert rig.events_of(WagerAdjusted) == [
        WagerAdjusted(1, 1, "main", 1000, 1000, -1000, FLOOR, "seen on the felt", Basis.ANSWER)
    ]
    assert len(rig.events_of(WagerSettled)) == 2
    rig.talk("key round_closed")
    assert rig.outcomes() == ["settled"]


@pytest.mark.parametrize(
    ("place", "face", "reason"),
    [
        (0, "Th", "the card is Th already"),
        (3, "Th", "the hole card is named once it lies face up"),
    ],
)
def test_a_card_that_cannot_be_set(place: int, face: str, reason: str) -> None:
    rig = rig_with("1 main 10 \n Th 9c 6d 8s")
    set_card(rig, place, face)
    assert refusals(rig) == [reason]
    assert rig.events_of(CardSet) == []


@pytest.mark.parametrize("advised", [True, False])
def test_a_card_of_no_open_round_cannot_be_set(advised: bool) -> None:
    rig = rig_with("1 main 10 \n Th 9c 6d 8s \n key stand hole_turned round_closed")
    rig.change_house(refusals_advise=advised)
    set_card(rig, 0, "6h")
    assign(rig, 0, 1)
    said = f"no open or waiting round has card {card_number(rig, 0)}"
    advice = f"{said}: of a round that is over, adjust the wagers or void it"
    assert refusals(rig) == [advice if advised else "no open round has this card"] * 2


def test_what_an_unopened_card_was_is_not_published() -> None:
    rig = rig_with("1 main 10 \n Th 9c 6d 8s")
    set_card(rig, 3, None)
    assert [event.before for event in rig.events_of(CardSet)] == [None]


# --- assign card ------------------------------------------------------------------------------------


def test_a_card_assigned_leaves_only_the_plays_that_give_it_so() -> None:
    rig = rig_with("1 main 10 \n 2 main 20 \n 6h 5h 9c 6d 6c 8s \n 9d", penn())
    assert card_number(rig, 6) not in [e.card for e in rig.events_of(CardDealt)]
    assign(rig, 6, 2)
    assert rig.events_of(CardAssigned) == [CardAssigned(1, card_number(rig, 6), 2, FLOOR, "seen on the felt")]
    rig.talk("Ts \n key round_closed")
    assert summary(rig).open == []
    assert summary(rig).settled == ["1 main -10.00", "2 main +20.00"] or rig.outcomes() == ["settled"]


def test_a_card_no_play_gives_that_way_is_refused_and_nothing_changes() -> None:
    rig = rig_with("1 main 10 \n 2 main 20 \n 6h 5h 9c 6d 6c 8s \n key stand \n 9d")
    before = rig.table.state.round
    assign(rig, 6, 1)
    assign(rig, 6, 5)
    assert refusals(rig) == ["no legal play gives this card to spot 1", "spot 5 has no wager in this round"]
    assert rig.events_of(CardAssigned) == []
    assert before is not None
    assert rig.table.state.round == before


def test_a_name_that_is_no_cards_is_refused_like_any_other_ruling() -> None:
    rig = rig_with("1 main 10 \n Th 9c")
    before = rig.table.state.round
    rig.give(SetCard(rig.now_ns, 4, None, "M. Okafor", "seen", misnamed="1h"))
    assert rig.events_of(OrderRefused) == [
        OrderRefused("set card 4", "face: expected a face such as 8h, or none, got '1h'", "M. Okafor", "invalid_value")
    ]
    assert rig.table.state.round == before


# --- declare box ------------------------------------------------------------------------------------


def test_a_box_declared_before_the_cards_joins_the_lock() -> None:
    rig = rig_with("1 main 10")
    declare(rig, 3, 2500)
    rig.talk("Th 9h 9c 6d Ts 8s \n key stand stand hole_turned round_closed")
    assert rig.events_of(BoxDeclared) == [BoxDeclared(None, 3, 2500, FLOOR, "plays cash")]
    wagers = (LockedWager(1, "main", 1000), LockedWager(3, "main", 2500))
    assert rig.events_of(BettingClosed) == [BettingClosed(1, wagers, rig.house.profile_hash)]
    assert summary(rig).settled == ["1 main -10.00", "3 main +25.00"]


def test_declared_boxes_alone_make_a_round() -> None:
    rig = Rig(KEYED)
    declare(rig, 3, 2500)
    rig.talk("Th 9c 6d 8s \n key stand hole_turned round_closed")
    assert summary(rig).settled == ["3 main -25.00"]


def test_a_declaration_is_taken_back_with_zero() -> None:
    rig = rig_with("1 main 10")
    declare(rig, 3, 2500)
    declare(rig, 3, 0)
    declare(rig, 3, 0)
    rig.talk("Th 9c 6d 8s \n key stand hole_turned round_closed")
    assert refusals(rig) == ["no box was declared at spot 3"]
    assert summary(rig).settled == ["1 main -10.00"]


def test_a_box_declared_in_the_round_shifts_the_deal() -> None:
    rig = rig_with("1 main 10 \n Th 9h 9c 6d Ts")
    declare(rig, 3, 2500)
    rig.talk("8s \n key stand stand hole_turned round_closed")
    assert rig.events_of(BoxDeclared) == [BoxDeclared(1, 3, 2500, FLOOR, "plays cash")]
    assert [event.card for event in rig.events_of(HoleCardRevealed)] == [
        card_number(rig, 3),
        card_number(rig, 5),
    ]
    assert rig.postings() == ["1: spot 1 main -10.00", "1: spot 3 main +25.00"]


NO_BOX = "no box was declared at spot 2, so none is taken back; to declare one, give the amount of its wager"


@pytest.mark.parametrize("advised", [True, False])
def test_boxes_that_cannot_be_declared(advised: bool) -> None:
    rig = rig_with("1 main 10")
    rig.change_house(refusals_advise=advised)
    declare(rig, 1, 500)
    declare(rig, 9, 500)
    rig.talk("Th 9c 6d")
    declare(rig, 1, 500)
    declare(rig, 2, 0)
    declare(rig, 2, -500)
    assert refusals(rig) == [
        "chips lie at spot 1: they are its wager",
        "the layout has spots 1 to 7",
        "spot 1 is in play already",
        NO_BOX if advised else "a box in play needs a wager above zero",
        "a box in play needs a wager above zero",
    ]


# --- adjust and void --------------------------------------------------------------------------------


def test_the_floor_rules_an_open_wager() -> None:
    rig = rig_with("1 main 10 \n Th 9c 6d 8s")
    adjust(rig, 1, 0)
    rig.talk("key stand hole_turned round_closed")
    (settled,) = rig.events_of(WagerSettled)
    assert isinstance(settled, WagerSettled)
    assert (settled.net_cents, settled.basis, settled.why) == (0, Basis.FLOOR, f"{FLOOR}: ruled")
    assert rig.outcomes() == ["settled"]


def test_the_floor_rules_a_closed_round_with_before_and_after() -> None:
    rig = rig_with("1 main 10 \n Th 9c 6d 8s \n key stand hole_turned round_closed")
    adjust(rig, 1, 0)
    adjust(rig, 1, -500)
    assert rig.events_of(WagerAdjusted) == [
        WagerAdjusted(1, 1, "main", 1000, -1000, 0, FLOOR, "ruled", Basis.FLOOR),
        WagerAdjusted(1, 1, "main", 1000, 0, -500, FLOOR, "ruled", Basis.FLOOR),
    ]


def test_the_floor_rules_an_irregular_round() -> None:
    rig = rig_with("1 main 10 \n Th 9c 6d \n key round_closed round_closed")
    adjust(rig, 1, 0)
    assert rig.outcomes() == ["irregular"]
    assert rig.postings() == ["1: spot 1 main +0.00"]


def test_rulings_that_cannot_be() -> None:
    rig = rig_with("1 main 10 \n Th 9c 6d 8s \n key stand hole_turned round_closed")
    adjust(rig, 2, 0)
    adjust(rig, 1, 0, number=7)
    adjust(rig, 1, -1000)
    adjust(rig, 1, -1000)
    void(rig, 8)
    void(rig)
    void(rig)
    adjust(rig, 1, 0)
    no_book = "no such round: it was never dealt, or its bets were not locked"
    assert refusals(rig) == [
        "there is no wager 'main' at spot 2 in round 1",
        no_book,
        "the floor has ruled so already",
        no_book,
        "the round is void already",
        "the round is void",
    ]


def test_an_open_round_voided_returns_every_wager_and_opens_its_cards() -> None:
    rig = rig_with("1 main 10 \n 2 main 20 \n Th 9h 9c 6d Ts 8s")
    void(rig)
    assert rig.events_of(RoundVoided) == [RoundVoided(1, FLOOR, "misdeal")]
    assert rig.postings() == ["1: spot 1 main +0.00", "1: spot 2 main +0.00"]
    assert rig.events_of(RoundClosed) == [RoundClosed(1, (), 0, "void")]
    assert len(rig.events_of(CardOpened)) == 6
    rig.talk("Th 9h 9c 6d Ts 8s \n key stand stand hole_turned round_closed")
    assert rig.postings()[2:] == ["2: spot 1 main -10.00", "2: spot 2 main +20.00"]


def test_a_settled_round_voided_is_adjusted_to_nothing() -> None:
    rig = rig_with("1 main 10 \n Th 9c 6d 8s \n key stand hole_turned round_closed")
    void(rig)
    assert rig.events_of(WagerAdjusted) == [
        WagerAdjusted(1, 1, "main", 1000, -1000, 0, FLOOR, "the round is void: misdeal", Basis.FLOOR)
    ]
    assert rig.outcomes() == ["settled"]


def test_the_books_keep_twenty_rounds() -> None:
    rig = Rig(KEYED)
    for _ in range(21):
        rig.talk("1 main 10 \n Th 9c 6d 8s \n key stand hole_turned round_closed")
    adjust(rig, 1, 0, number=1)
    adjust(rig, 1, 0, number=2)
    assert len(refusals(rig)) == 1
    assert len(rig.events_of(WagerAdjusted)) == 1


# --- restarts ---------------------------------------------------------------------------------------


def test_corrections_live_through_a_checkpoint() -> None:
    talk = "1 main 10 \n Th 9c"
    straight, restored = rig_with(talk), rig_with(talk)
    for rig in (straight, restored):
        rig.card(None)
        rig.talk("8s \n key stand")
        if rig is restored:
            state = msgspec.json.decode(msgspec.json.encode(rig.table.state), type=State)
            rig.table = restore(rig.house, state)
        set_card(rig, 2, "6d")
        if rig is restored:
            state = msgspec.json.decode(msgspec.json.encode(rig.table.state), type=State)
            rig.table = restore(rig.house, state)
        rig.talk("key hole_turned round_closed")
        adjust(rig, 1, 0)
    assert restored.events == straight.events
