"""Spots that are in play by somebody's word, in the rounds after the one of which it was said.

Where who sat out may be refused until the shuffle, a player may lay chips and wait. Once a person has said that such a
spot is dealt to, the table would take it for a box as long as chips lie there, and shift every card after it.
"""

from __future__ import annotations

from typing import Literal

import pytest
from msgspec.structs import replace

from controller.core.messages.events import QuestionAsked, WagerSettled
from controller.core.messages.inputs import AcknowledgeAlert, ApproveOrder, DeclareBox, ShoeChanged, VoidRound
from controller.core.messages.raised_alerts import AlertAcknowledged, AlertKind, AlertRaised
from controller.core.table.state import restore
from controller.formats.replay import read_state, state_bytes
from firmware_protocols.readings import KeyPressed
from tests.core.rig import KEY_OF, Rig
from tests.core.test_entries_confirmed import OTHERWISE, THREE, TWO, drawn
from tests.core.test_stated_deals import FLOOR, OTHER, counted_otherwise, deal, end, rules_of, say

CROOK, HONEST = "M. Crook", "A. Honest"
NO_BOX = f"{OTHERWISE}: was none dealt to spot 3?"
ENTRY = "Spot 3 came in mid shoe: dealt in?"
HOLES = pytest.mark.parametrize("hole", ["dealt", "none"])


def table(
    hole: str = "dealt",
    *,
    entry: Literal["allowed", "refused"] = "refused",
    two_persons: bool = True,
    carried: bool = True,
    burns: int = 0,
) -> Rig:
    """A shoe is announced by key, and a round is dealt to spots 1 and 2; both bet again."""
    rules = replace(rules_of(hole), mid_shoe_entry=entry)
    rig = Rig(replace(rules, options=replace(rules.options, new_shoe_burns=burns)))
    rig.change_house(orders_bounded=True, orders_traced=True, two_persons=two_persons, words_carried=carried)
    rig.talk("key burn \n 2c \n 1 main 10 \n 2 main 10")
    played(rig, TWO[hole])
    return rig


def finish(rig: Rig) -> None:
    """Play goes on, the round ends, and both players bet again."""
    if rig.house.rules.has_hole_card():
        drawn(rig, "2c 3c")
        rig.talk("key hole_turned \n Td")
    else:
        drawn(rig, "2c 3c Td 5c")
    end(rig)
    rig.talk("1 main 10 \n 2 main 10")


def enters(rig: Rig, answer: str = "yes", by: str = CROOK) -> None:
    """Spot 3 lays chips, the bets are locked, and a person says whether it is dealt in."""
    rig.talk("3 main 10 \n key no_more_bets")
    give_answer(rig, answer, by)


def give_answer(rig: Rig, answer: str = "yes", by: str = CROOK) -> None:
    """The last question is answered, by key or from elsewhere."""
    if by == "key":
        rig.key(answer)
    elif by:
        assert not say(rig, answer, by)


def played(rig: Rig, cards: str) -> None:
    """A round from its deal to its end."""
    deal(rig, cards)
    finish(rig)


def deal_asked(rig: Rig, cards: str, answer: str, by: str) -> None:
    """The first card of a deal locks the bets, and a person says whether spot 3 is dealt in."""
    first, *others = cards.split()
    rig.card(first)
    number = rig.table.state.rounds
    assert asked(rig, number) == [ENTRY]
    give_answer(rig, answer, by)
    deal(rig, " ".join(others))


def bases(rig: Rig) -> list[tuple[int, str]]:
    """The rounds in which main wagers were settled, each with its basis, in order."""
    settled = (one for one in rig.events if isinstance(one, WagerSettled))
    return list(dict.fromkeys((one.round, str(one.basis)) for one in settled))


def asked(rig: Rig, number: int) -> list[str]:
    """What was asked about a round."""
    return [one.text for one in rig.events if isinstance(one, QuestionAsked) and one.round == number]


def acknowledged(rig: Rig, who: str, number: int) -> bool:
    """Whether a person may acknowledge some alert about what a round came to."""
    raised = [one for one in rig.events if isinstance(one, AlertRaised) and one.round == number]
    found = [one.alert for one in raised if one.kind is not AlertKind.MID_SHOE_ENTRY]
    assert found
    for one in found:
        rig.give(AcknowledgeAlert(rig.now_ns, one, who, "seen", FLOOR))
    return any(isinstance(one, AlertAcknowledged) and one.who == who for one in rig.events)


# --- borne out in its own round -----------------------------------------------------------------------------


@pytest.mark.parametrize("afresh", [False, True])
@HOLES
def test_a_spot_let_in_by_word_is_in_play_by_that_word_in_the_next_round_too(hole: str, *, afresh: bool) -> None:
    """A player who draws as quickly as the dealer deals bears it out once."""
    rig = table(hole)
    enters(rig)
    played(rig, THREE[hole])
    if afresh:
        rig.table = restore(rig.house, read_state(state_bytes(rig.table.state)))
    deal(rig, TWO[hole])
    drawn(rig, "2c Td")
    assert asked(rig, 3) == [NO_BOX]
    (refused,) = say(rig, "no", CROOK)
    assert refused.reason_code == "second_person_needed"
    end(rig)
    rig.talk("1 main 10 \n Ts")
    rig.pass_ms(4_000)
    assert (3, "evidence") not in bases(rig)
    assert rig.irregularities() == ["nobody said whether the cards of its deal are those counted"]
    assert not acknowledged(rig, CROOK, 3)


@HOLES
def test_in_a_journal_of_before_it_was_settled_on_the_evidence(hole: str) -> None:
    rig = table(hole, carried=False)
    enters(rig)
    played(rig, TWO[hole])
    played(rig, TWO[hole])
    assert asked(rig, 3) == []
    assert (3, "evidence") in bases(rig)
    assert (rig.table.state.let_in, rig.table.state.unproven) == ((), ())


def test_what_is_settled_with_such_a_spot_rests_on_the_answer_as_long_as_it_plays() -> None:
    rig = table()
    enters(rig)
    for _ in range(3):
        played(rig, THREE["dealt"])
    assert bases(rig) == [(1, "evidence"), (2, "answer"), (3, "answer"), (4, "answer")]
    assert not counted_otherwise(rig)
    assert [[one.name for one in rig.table.state.people_of(number)] for number in (3, 4)] == [[CROOK]] * 2


def test_a_round_in_which_it_sits_out_rests_on_nothing_said_and_then_it_is_asked_about_again() -> None:
    rig = table()
    enters(rig)
    played(rig, THREE["dealt"])
    rig.talk("3 main 0")
    played(rig, TWO["dealt"])
    enters(rig, by=HONEST)
    assert asked(rig, 4) == [ENTRY]
    played(rig, THREE["dealt"])
    assert bases(rig)[2:] == [(3, "evidence"), (4, "answer")]
    assert not rig.table.state.people_of(3)
    assert [one.name for one in rig.table.state.people_of(4)] == [HONEST]


def test_the_dealer_who_says_so_by_key_is_believed_once_the_deal_bears_it_out() -> None:
    rig = table()
    enters(rig, by="key")
    played(rig, THREE["dealt"])
    played(rig, THREE["dealt"])
    assert bases(rig) == [(1, "evidence"), (2, "answer"), (3, "evidence")]


@pytest.mark.parametrize("two_persons", [True, False])
def test_so_is_another_person_who_says_that_the_deal_is_as_counted(*, two_persons: bool) -> None:
    rig = table(two_persons=two_persons)
    enters(rig)
    deal(rig, " ".join(THREE["dealt"].split()[:6]))
    deal(rig, "8c Kc")
    assert asked(rig, 2) == [ENTRY, NO_BOX]
    assert not say(rig, "no", HONEST, OTHER)
    finish(rig)
    played(rig, THREE["dealt"])
    assert bases(rig)[2:] == [(3, "evidence" if two_persons else "answer")]


@pytest.mark.parametrize("more", ["", "key no_more_bets undo"])
def test_a_shoe_that_the_dealer_announces_makes_every_spot_known(more: str) -> None:
    rig = table()
    enters(rig)
    played(rig, THREE["dealt"])
    rig.talk(f"key burn \n 2c \n {more}")
    for _ in range(2):
        played(rig, THREE["dealt"])
    assert [basis for _, basis in bases(rig)[2:]] == ["evidence", "evidence"]
    assert not rig.table.state.let_in


def test_one_that_he_announces_by_a_slip_and_takes_back_does_not() -> None:
    rig = table()
    enters(rig)
    played(rig, THREE["dealt"])
    rig.talk("key burn no_more_bets undo undo")
    played(rig, THREE["dealt"])
    assert bases(rig)[2:] == [(4, "answer")]


def test_beside_a_box_let_in_for_this_deal_no_burn_is_asked_about() -> None:
    """As beside one that was declared."""
    rig = table()
    rig.give(KeyPressed(rig.now_ns, KEY_OF["burn"], held=True))
    rig.talk("4c")
    enters(rig)
    deal(rig, TWO["dealt"])
    drawn(rig, "2c 3c")
    assert asked(rig, 2) == [ENTRY, NO_BOX]


def test_another_person_speaks_of_the_boxes_of_that_deal_alone() -> None:
    rig = table()
    rig.talk("3 main 10 \n 4 main 10 \n key no_more_bets")
    give_answer(rig)
    give_answer(rig)
    played(rig, "Ts 9d Th Tc 6h 9h 7d 8c 8d Kc")
    rig.talk("4 main 0")
    deal(rig, " ".join(THREE["dealt"].split()[:6]))
    deal(rig, "8c Kc")
    assert not say(rig, "no", HONEST, OTHER)
    finish(rig)
    assert [one.spot for one in rig.table.state.let_in] == [4]


def test_where_anybody_may_come_in_mid_shoe_chips_say_that_a_spot_is_in_play() -> None:
    rig = table(entry="allowed")
    rig.give(DeclareBox(rig.now_ns, 3, 1_000, CROOK, "plays cash", FLOOR))
    played(rig, THREE["dealt"])
    rig.talk("3 main 10")
    played(rig, THREE["dealt"])
    assert bases(rig)[2:] == [(3, "evidence")]


@pytest.mark.parametrize("borne_out", [True, False])
def test_nor_does_a_round_that_two_declare_void_make_it_known(*, borne_out: bool) -> None:
    """It sat that round out, so that the round before it is the last that counts."""
    rig = table()
    enters(rig)
    played(rig, THREE["dealt"] if borne_out else TWO["dealt"])
    rig.talk("3 main 0 \n 4 main 10")
    played(rig, TWO["dealt"])
    rig.talk("" if borne_out else "key yes round_closed")
    rig.give(VoidRound(rig.now_ns, 3, HONEST, "misdealt", FLOOR))
    rig.give(ApproveOrder(rig.now_ns, 1, "J. Lee", OTHER))
    rig.talk("4 main 0 \n 3 main 10")
    deal(rig, TWO["dealt"])
    drawn(rig, "2c 3c")
    assert asked(rig, 4) == [NO_BOX if borne_out else ENTRY]


def test_a_newcomer_who_is_denied_and_then_comes_in_by_key_rests_on_nobody_elses_word() -> None:
    rig = table()
    enters(rig, "no")
    deal(rig, TWO["dealt"])
    assert not rig.table.state.let_in
    finish(rig)
    deal_asked(rig, THREE["dealt"], "yes", "key")
    finish(rig)
    played(rig, THREE["dealt"])
    assert bases(rig)[1:] == [(2, "answer"), (3, "answer"), (4, "evidence")]


# --- not borne out ------------------------------------------------------------------------------------------


def unproven(by: str) -> Rig:
    """Spot 3 was let in by word, and dealt nothing; or it was not said whether it was."""
    rig = table()
    enters(rig, by=by)
    played(rig, TWO["dealt"])
    return rig


@pytest.mark.parametrize("by", [CROOK, "key", ""])
def test_a_spot_of_which_its_deal_bears_nothing_out_is_asked_about_again(by: str) -> None:
    rig = unproven(by)
    deal_asked(rig, TWO["dealt"], "no", "key")
    finish(rig)
    assert bases(rig) == [(1, "evidence"), (3, "answer")]
    assert not rig.table.state.unproven
    entry = [one.text for one in rig.events if isinstance(one, AlertRaised) and one.kind is AlertKind.MID_SHOE_ENTRY]
    assert entry == [
        "spot 3 main: 10.00 at a spot that did not bet the last round of this shoe",
        "spot 3 main: 10.00 at a spot that bet the last round, of which nothing showed that it was dealt to",
    ]


def test_so_it_is_until_a_deal_bears_it_out() -> None:
    rig = unproven(CROOK)
    deal_asked(rig, TWO["dealt"], "yes", CROOK)
    finish(rig)
    deal_asked(rig, THREE["dealt"], "yes", "key")
    finish(rig)
    played(rig, THREE["dealt"])
    assert NO_BOX in asked(rig, 3)
    assert [ENTRY in asked(rig, number) for number in (3, 4, 5)] == [True, True, False]
    assert bases(rig)[1:] == [(4, "answer"), (5, "evidence")]


def test_a_shoe_that_the_dealer_announces_makes_it_known_too() -> None:
    rig = unproven(CROOK)
    rig.talk("key yes round_closed burn \n 2c")
    for _ in range(2):
        played(rig, THREE["dealt"])
    assert bases(rig)[1:] == [(3, "evidence"), (4, "evidence")]
    assert not rig.table.state.unproven


def test_a_spot_that_sits_out_is_asked_about_when_it_comes_back() -> None:
    rig = unproven(CROOK)
    rig.talk("3 main 0")
    played(rig, TWO["dealt"])
    enters(rig, by="key")
    assert asked(rig, 4) == [ENTRY]
    assert not rig.table.state.unproven


def test_a_deal_that_breaks_off_bears_nothing_out() -> None:
    rig = table()
    enters(rig, by="key")
    rig.talk("Ts 9d")
    rig.pass_ms(8_000)
    rig.key("no_more_bets")
    rig.pass_ms(4_000)
    assert asked(rig, 3) == [ENTRY]


def test_nor_does_one_of_which_another_says_that_it_has_other_cards() -> None:
    """All its cards come slowly, and a player draws at once: it may have stopped for a burn."""
    rig = table()
    for _ in range(2):
        played(rig, TWO["dealt"])
    enters(rig)
    for face in THREE["dealt"].split():
        rig.pass_ms(3_000)
        rig.card(face)
    rig.card("2c")
    assert asked(rig, 4)[-1].endswith("one was burned, or drawn before it?")
    assert not say(rig, "yes", HONEST, OTHER)
    finish(rig)
    rig.talk("Ts")
    assert asked(rig, 5) == [ENTRY]


def test_nor_does_a_lock_without_a_card_take_anything_away() -> None:
    rig = table()
    enters(rig)
    played(rig, THREE["dealt"])
    rig.talk("key no_more_bets round_closed")
    assert rig.outcomes()[-1] == "void"
    assert [one.spot for one in rig.table.state.let_in] == [3]
    assert not rig.table.state.unproven


# --- a box declared -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("again", [False, True])
def test_a_box_that_was_declared_and_dealt_to_is_in_play_by_that_word_afterwards(*, again: bool) -> None:
    rig = table()
    for _ in range(1 + again):
        rig.give(DeclareBox(rig.now_ns, 3, 1_000, CROOK, "plays cash", FLOOR))
        played(rig, THREE["dealt"])
    rig.talk("3 main 10")
    deal(rig, TWO["dealt"])
    drawn(rig, "2c Td")
    assert asked(rig, 3 + again) == [NO_BOX]
    assert [one.name for one in rig.table.state.people_of(3 + again)] == [CROOK]


def test_a_box_declared_twice_is_one_box() -> None:
    rig = table()
    for cards in (THREE, TWO):
        rig.give(DeclareBox(rig.now_ns, 3, 1_000, CROOK, "plays cash", FLOOR))
        deal(rig, cards["dealt"])
        if cards is THREE:
            finish(rig)
    drawn(rig, "2c 3c")
    assert asked(rig, 3) == [NO_BOX]
    assert rig.table.state.round is not None
    assert rig.table.state.round.boxes_on_word() == (3,)


def test_who_declared_it_is_not_named_once_the_dealer_has_let_it_in() -> None:
    rig = table()
    rig.give(DeclareBox(rig.now_ns, 3, 1_000, CROOK, "plays cash", FLOOR))
    played(rig, THREE["dealt"])
    played(rig, TWO["dealt"])
    enters(rig, by="key")
    played(rig, THREE["dealt"])
    played(rig, THREE["dealt"])
    assert bases(rig)[1:] == [(2, "answer"), (3, "evidence"), (4, "answer"), (5, "evidence")]


def test_one_that_was_dealt_nothing_is_asked_about() -> None:
    rig = table()
    rig.give(DeclareBox(rig.now_ns, 3, 1_000, CROOK, "plays cash", FLOOR))
    played(rig, TWO["dealt"])
    rig.talk("3 main 10")
    deal_asked(rig, TWO["dealt"], "no", "key")


# --- a shoe announced by order ------------------------------------------------------------------------------


def test_who_announces_one_lets_in_whom_the_dealer_alone_has_let_in_in_vain() -> None:
    rig = unproven("key")
    rig.talk("key yes round_closed")
    rig.give(ShoeChanged(rig.now_ns, -1, CROOK, FLOOR))
    deal(rig, TWO["dealt"])
    drawn(rig, "2c 3c")
    assert asked(rig, 3) == [NO_BOX]
    assert say(rig, "no", CROOK)


def ordered(hole: str = "dealt", *, burns: int = 0, carried: bool = True, more: str = "") -> Rig:
    """A player waits at spot 3 for the shuffle, and one person announces a shoe in the middle of another."""
    rig = table(hole, burns=burns, carried=carried)
    rig.give(ShoeChanged(rig.now_ns, -1, CROOK, FLOOR))
    rig.talk(f"{'3c' if burns else ''} \n 3 main 10 \n {more}")
    return rig


@pytest.mark.parametrize("more", ["", "key no_more_bets", "key no_more_bets undo no_more_bets"])
@HOLES
def test_a_newcomer_to_such_a_shoe_is_in_play_by_who_announced_it(hole: str, more: str) -> None:
    rig = ordered(hole, more=more)
    number = rig.table.state.rounds + (rig.table.state.round is None)
    rig.pass_ms(4_000)
    deal(rig, TWO[hole])
    drawn(rig, "2c Td")
    assert asked(rig, number) == [NO_BOX]
    assert say(rig, "no", CROOK)
    finish(rig)
    assert (number, "evidence") not in bases(rig)
    assert not acknowledged(rig, CROOK, number)
    deal_asked(rig, TWO[hole], "no", "key")


def test_in_a_journal_of_before_it_was_settled_on_the_evidence_where_the_house_burns_nothing() -> None:
    rig = ordered(carried=False)
    played(rig, TWO["dealt"])
    assert asked(rig, 2) == []
    assert bases(rig) == [(1, "evidence"), (2, "evidence")]


def test_of_a_burn_awaited_and_a_newcomer_both_are_asked_about() -> None:
    rig = ordered(burns=1)
    deal(rig, TWO["dealt"])
    drawn(rig, "2c Td")
    assert asked(rig, 2) == [f"{NO_BOX[:-1]}, or was the card before it dealt, not burned?"]
    assert rig.desired.display == "Cards miscounted? yes/no"


def test_who_bet_the_last_round_of_the_shoe_before_is_known() -> None:
    rig = ordered()
    rig.talk("3 main 0")
    for _ in range(2):
        played(rig, TWO["dealt"])
    assert bases(rig) == [(1, "evidence"), (2, "evidence"), (3, "evidence")]


def test_who_came_in_then_is_in_play_by_that_word_in_the_rounds_after_it() -> None:
    rig = ordered()
    for _ in range(3):
        played(rig, THREE["dealt"])
    assert bases(rig) == [(1, "evidence"), (2, "answer"), (3, "answer"), (4, "answer")]


@pytest.mark.parametrize("borne_out", [True, False])
def test_a_second_order_makes_no_spot_known_that_the_first_let_in(*, borne_out: bool) -> None:
    rig = ordered()
    played(rig, THREE["dealt"] if borne_out else TWO["dealt"])
    rig.talk("" if borne_out else "key yes round_closed")
    rig.give(ShoeChanged(rig.now_ns, -1, HONEST, FLOOR))
    deal(rig, TWO["dealt"])
    drawn(rig, "2c Td")
    assert asked(rig, 3) == [NO_BOX]
    assert say(rig, "no", CROOK if borne_out else HONEST)


def test_of_the_first_round_that_the_table_sees_nothing_is_known_before() -> None:
    rig = Rig(replace(rules_of("dealt"), mid_shoe_entry="refused"))
    rig.change_house(orders_bounded=True, two_persons=True)
    rig.give(ShoeChanged(rig.now_ns, -1, HONEST, FLOOR))
    rig.talk("2c \n 1 main 10 \n 2 main 10")
    played(rig, TWO["dealt"])
    played(rig, TWO["dealt"])
    assert [number for number, basis in bases(rig) if basis == "evidence"] == [2]
