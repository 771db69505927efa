"""Deals of which an answer says how many cards they have: whether a newcomer or a late bettor was dealt in.

As with a declared box (``test_stated_deals``), the dealer deals what lies on the table, whatever somebody has said.
"""

from __future__ import annotations

from typing import Literal

import msgspec
import pytest
from msgspec.structs import replace

from controller.core.messages.events import WagerSettled
from controller.core.messages.inputs import DeclareBox
from controller.core.messages.raised_alerts import AlertKind, AlertRaised
from firmware_protocols.readings import KeyPressed
from tests.core.rig import KEY_OF, Rig
from tests.core.test_stated_deals import FLOOR, OTHER, asked, counted_otherwise, deal, end, rules_of, say

OTHERWISE = "Are the cards of this deal other ones than counted"


def table(hole: str = "dealt", *, entry: Literal["allowed", "refused"] = "refused", traced: bool = True) -> Rig:
    """A round has been dealt to spots 1 and 2, and both bet again."""
    rig = Rig(replace(rules_of(hole), mid_shoe_entry=entry))
    rig.change_house(orders_bounded=True, orders_traced=True, two_persons=True, words_traced=traced)
    rig.talk("1 main 10 \n 2 main 10")
    deal(rig, "Ts 9d Th 9h Td" if hole == "none" else "Ts 9d Th 9h Td 7c")
    rig.talk("7c" if hole == "none" else "key hole_turned")
    end(rig)
    rig.talk("1 main 10 \n 2 main 10")
    return rig


def newcomer(answer: str, cards: str, hole: str = "dealt", *, by: str = "floor", traced: bool = True) -> Rig:
    """Spot 3 bets for the first time, is dealt to or not, and a person says so before the second card."""
    rig = table(hole, traced=traced)
    rig.talk("3 main 10")
    first, *others = cards.split()
    rig.card(first)
    if by == "floor":
        assert not say(rig, answer, "M. Okafor")
    else:
        rig.key(answer)
    deal(rig, " ".join(others))
    return rig


def drawn(rig: Rig, cards: str) -> None:
    """Players' cards, each after some thought."""
    for face in cards.split():
        rig.card(face)
        rig.pass_ms(2_000)


def corrected(rig: Rig) -> list[AlertRaised]:
    return [one for one in rig.events if isinstance(one, AlertRaised) and one.kind is AlertKind.CORRECTED_ALONE]


TWO = {"dealt": "Ts 9d 6h 9h 7d Kc", "none": "Ts 9d 6h 9h 7d"}
"""A deal to two boxes, which have 19 and 16; the dealer shows a 6."""
THREE = {"dealt": "Ts 9d Th 6h 9h 7d 8c Kc", "none": "Ts 9d Th 6h 9h 7d 8c"}
"""A deal to three, which have 19, 16 and 18."""


# --- said to have been dealt in, and was not ----------------------------------------------------------------


@pytest.mark.parametrize("by", ["floor", "key"])
@pytest.mark.parametrize("hole", ["dealt", "none"])
def test_a_newcomer_dealt_in_by_word_alone_settles_nothing_and_is_asked_about(hole: str, by: str) -> None:
    rig = newcomer("yes", TWO[hole], hole, by=by)
    drawn(rig, "2c Td")
    assert counted_otherwise(rig) == [f"{OTHERWISE}: was none dealt to spot 3?"]
    assert rig.desired.display == "No card: spot 3? yes/no"
    settled = len(rig.postings())
    end(rig)
    rig.talk("1 main 10 \n Ts")
    rig.pass_ms(4_000)
    assert len(rig.postings()) == settled == 2
    assert rig.irregularities() == ["nobody said whether the cards of its deal are those counted"]


def test_who_said_so_does_not_answer_and_another_does() -> None:
    rig = newcomer("yes", TWO["dealt"])
    drawn(rig, "2c Td")
    (refused,) = say(rig, "no", "M. Okafor")
    assert refused.reason_code == "second_person_needed"
    assert say(rig, "yes", "J. Lee", OTHER) == [refused]
    assert rig.irregularities() == ["the cards of its deal are other ones than counted"]


@pytest.mark.parametrize("by", ["floor", "key"])
def test_whoever_says_that_the_deal_is_as_counted_is_reported(by: str) -> None:
    rig = newcomer("yes", TWO["dealt"], by=by)
    drawn(rig, "2c Td")
    rig.key("no")
    (alert,) = corrected(rig)
    assert (alert.round, alert.who) == (2, "M. Okafor" if by == "floor" else msgspec.UNSET)


@pytest.mark.parametrize("hole", ["dealt", "none"])
def test_a_newcomer_who_was_dealt_in_is_not_asked_about_again(hole: str) -> None:
    rig = newcomer("yes", THREE[hole], hole)
    drawn(rig, "2c Td")
    assert not counted_otherwise(rig)


def late(answer: str, cards: str) -> Rig:
    """Spot 5 lays its chips in the middle of the deal, and a player draws at once."""
    rig = table(entry="allowed")
    first, *others = cards.split()
    rig.talk(f"{first} \n 5 main 25 \n {' '.join(others)}")
    rig.pass_ms(4_000)
    assert asked(rig)[-1] == "Spot 5 bet late: dealt in?"
    assert not say(rig, answer, "M. Okafor")
    return rig


def test_a_late_bettor_dealt_in_by_word_alone_is_asked_about() -> None:
    rig = late("yes", f"{TWO['dealt']} 2c")
    drawn(rig, "Td")
    assert counted_otherwise(rig) == [f"{OTHERWISE}: was none dealt to spot 5?"]
    assert say(rig, "no", "M. Okafor")


def test_a_late_bettor_who_was_dealt_in_is_not() -> None:
    rig = late("yes", THREE["dealt"])
    drawn(rig, "2c Td")
    assert not counted_otherwise(rig)


# --- said not to have been dealt in, and was ----------------------------------------------------------------


@pytest.mark.parametrize("by", ["floor", "key"])
@pytest.mark.parametrize("hole", ["dealt", "none"])
def test_a_newcomer_denied_although_cards_were_dealt_settles_nothing_and_is_asked_about(hole: str, by: str) -> None:
    rig = newcomer("no", THREE[hole], hole, by=by)
    assert counted_otherwise(rig) == [f"{OTHERWISE}: were some dealt to spot 3?"]
    assert rig.desired.display == "Dealt to: spot 3? yes/no"
    drawn(rig, "2c Td")
    settled = len(rig.postings())
    end(rig)
    rig.talk("1 main 10 \n Ts")
    rig.pass_ms(4_000)
    assert len(rig.postings()) == settled == 2
    assert rig.irregularities()[0] == "nobody said whether the cards of its deal are those counted"


@pytest.mark.parametrize("by", ["floor", "key"])
def test_who_denied_it_does_not_say_that_the_deal_is_as_counted_and_whoever_does_is_reported(by: str) -> None:
    rig = newcomer("no", THREE["dealt"], by=by)
    assert bool(say(rig, "no", "M. Okafor")) == (by == "floor")
    if by == "floor":
        rig.key("no")
    (alert,) = corrected(rig)
    assert (alert.round, alert.who) == (2, "M. Okafor")


@pytest.mark.parametrize("hole", ["dealt", "none"])
def test_a_newcomer_who_was_sent_away_is_not_asked_about_again(hole: str) -> None:
    rig = newcomer("no", TWO[hole], hole)
    drawn(rig, "2c Td")
    assert not counted_otherwise(rig)


@pytest.mark.parametrize(
    ("then", "is_asked"),
    [
        pytest.param("2c Td", True, id="two cards at once"),
        pytest.param("2c - Td", False, id="a pause after the first"),
        pytest.param("- 2c Td", False, id="a pause before both"),
        pytest.param("key hit \n 2c Td", False, id="a key before them"),
        pytest.param("2c \n key stand \n Td", False, id="a key between them"),
        pytest.param("2c", False, id="one card"),
    ],
)
def test_a_player_who_draws_once_at_once_is_no_box_more(then: str, *, is_asked: bool) -> None:
    rig = table()
    rig.talk("3 main 10 \n Ts")
    say(rig, "no", "M. Okafor")
    rig.talk(" \n ".join(TWO["dealt"].split()[1:]))
    for words in then.split(" - ") if not then.startswith("- ") else ["", then[2:]]:
        rig.talk(words)
        rig.pass_ms(1_000 if words != then else 0)
    rig.pass_ms(4_000)
    assert bool(counted_otherwise(rig)) == is_asked


def test_chips_handed_back_before_the_deal_say_so_themselves() -> None:
    rig = table()
    rig.talk("3 main 10 \n key no_more_bets")
    say(rig, "no", "M. Okafor")
    rig.talk(f"3 main 0 \n {TWO['dealt']} 2c Td")
    rig.pass_ms(4_000)
    assert not counted_otherwise(rig)


@pytest.mark.parametrize("done", [False, True])
def test_chips_that_lie_there_in_the_deal_do_not_unless_a_key_says_that_it_is_done(*, done: bool) -> None:
    rig = table()
    rig.talk("3 main 10 \n key no_more_bets")
    say(rig, "no", "M. Okafor")
    rig.talk(TWO["dealt"] + "\n key no_more_bets" * done + "\n 2c Td")
    rig.pass_ms(4_000)
    assert bool(counted_otherwise(rig)) != done


def test_a_late_bettor_denied_is_asked_about_where_two_cards_followed_at_once() -> None:
    rig = late("no", THREE["dealt"])
    assert counted_otherwise(rig) == [f"{OTHERWISE}: were some dealt to spot 5?"]


def test_without_a_hole_card_the_first_of_them_is_enough() -> None:
    """Nothing is closed until a turn: with it the table would settle a hand that breaks."""
    rig = newcomer("no", "Ts 9d Th 6h 9h 7d", "none")
    assert counted_otherwise(rig) == [f"{OTHERWISE}: were some dealt to spot 3?"]


def test_a_deal_that_stops_among_its_cards_is_no_sign_of_a_box_more() -> None:
    rig = newcomer("no", "Ts 9d 6h 9h", "none")
    rig.talk("7d")
    rig.pass_ms(4_000)
    assert not counted_otherwise(rig)


def test_where_nobody_was_denied_quick_cards_are_players() -> None:
    rig = newcomer("yes", THREE["dealt"] + " 2c Td")
    assert not counted_otherwise(rig)


@pytest.mark.parametrize(
    ("answer", "asks"), [("yes", "was none dealt to spot 3 or 4"), ("no", "were some dealt to spot 3 or 4")]
)
def test_two_newcomers_are_asked_about_together(answer: str, asks: str) -> None:
    rig = table()
    rig.talk("3 main 10 \n 4 main 10 \n Ts")
    say(rig, answer, "M. Okafor")
    say(rig, answer, "M. Okafor")
    deal(rig, "9d 6h 9h 7d Kc" if answer == "yes" else "9d 6h 9h 7d Kc 2c Td")
    drawn(rig, "2c Td 3c 4c")
    assert counted_otherwise(rig) == [f"{OTHERWISE}: {asks}?"]


def test_a_box_that_two_have_taken_back_is_nobodys_word() -> None:
    rig = newcomer("yes", TWO["dealt"])
    assert rig.table.state.round is not None
    assert rig.table.state.round.boxes_on_word() == (3,)
    boxes = replace(rig.table.state.round, bets=replace(rig.table.state.round.bets, spots=(1, 2)))
    assert (boxes.boxes_on_word(), boxes.is_counted_by_word()) == ((), False)


def test_once_two_have_declared_the_box_in_play_it_is_denied_no_more() -> None:
    rig = newcomer("no", THREE["dealt"])
    assert rig.table.state.round is not None
    assert rig.table.state.round.boxes_denied() == (3,)
    boxes = replace(rig.table.state.round, bets=replace(rig.table.state.round.bets, spots=(1, 2, 3)))
    assert (boxes.boxes_denied(), boxes.is_counted_by_word()) == ((), False)


def test_of_a_box_declared_and_another_denied_both_are_asked_about() -> None:
    rig = table()
    rig.talk("3 main 10")
    rig.give(DeclareBox(rig.now_ns, 4, 1_000, "J. Lee", "plays cash", FLOOR))
    rig.card("Ts")
    say(rig, "no", "M. Okafor")
    deal(rig, "9d Th 6h 9h 7d")
    deal(rig, "8c Kc 2c")
    assert counted_otherwise(rig) == [f"{OTHERWISE}: was none dealt to spot 4, or were some dealt to spot 3?"]
    assert rig.desired.display == "Cards miscounted? yes/no"


def test_so_is_a_burn_announced_before() -> None:
    """A new dealer burns a card, and a newcomer is denied."""
    rig = table()
    rig.give(KeyPressed(rig.now_ns, KEY_OF["burn"], held=True))
    rig.talk("4c \n 3 main 10 \n Ts")
    say(rig, "no", "M. Okafor")
    deal(rig, "9d 6h 9h 7d Kc 2c Td")
    assert counted_otherwise(rig) == [
        f"{OTHERWISE}: were some dealt to spot 3, or was the card before it dealt, not burned?"
    ]


def test_beside_a_box_said_to_be_dealt_to_no_burn_is_asked_about() -> None:
    rig = table(entry="allowed")
    rig.give(DeclareBox(rig.now_ns, 4, 1_000, "J. Lee", "plays cash", FLOOR))
    rig.give(KeyPressed(rig.now_ns, KEY_OF["burn"], held=True))
    rig.talk("4c")
    deal(rig, TWO["dealt"])
    drawn(rig, "2c Td")
    assert counted_otherwise(rig) == [f"{OTHERWISE}: was none dealt to spot 4?"]


# --- what follows -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("answer", "cards"), [("yes", "Ts 9d 6h 9h 7d Kc"), ("no", "Ts 9d Th 6h 9h 7d 8c Kc")])
def test_in_a_journal_of_before_it_was_settled_as_counted(answer: str, cards: str) -> None:
    rig = newcomer(answer, cards, traced=False)
    drawn(rig, "2c Td")
    assert not counted_otherwise(rig)


def test_chips_that_move_in_such_a_deal_accuse_nobody() -> None:
    rig = newcomer("yes", TWO["dealt"])
    drawn(rig, "2c")
    rig.chips(1, "main", 100)
    rig.leave_lying()
    kinds = {one.kind for one in rig.events if isinstance(one, AlertRaised)}
    assert AlertKind.CHIPS_UNEXPLAINED in kinds
    assert {AlertKind.PINCHING, AlertKind.CAPPING, AlertKind.BET_TOUCHED}.isdisjoint(kinds)


def test_a_chip_that_comes_and_goes_at_an_empty_spot_while_it_is_asked_about_a_newcomer_is_stepped() -> None:
    """The dealer plays on before answering, so that by the plays without the newcomer a hand may be over."""
    rig = table()
    rig.change_house(moves_gathered=True)
    rig.talk("3 main 10")
    deal(rig, TWO["dealt"])
    rig.talk("key stand \n 5 main 5")
    rig.leave_lying()
    rig.talk("5 main 0")
    rig.leave_lying()
    raised = [(one.kind, one.spot) for one in rig.events if isinstance(one, AlertRaised) and one.round == 2]
    assert raised[1:] == [(AlertKind.PAST_POSTING, 5), (AlertKind.PINCHING, 5)]


def test_what_another_has_confirmed_is_settled_on_their_answers() -> None:
    rig = newcomer("no", THREE["dealt"])
    assert not say(rig, "no", "J. Lee", OTHER)
    rig.talk("key hole_turned")
    end(rig)
    assert {str(one.basis) for one in rig.events if isinstance(one, WagerSettled) and one.round == 2} <= {
        "answer",
        "paid",
    }
