"""A round that ends at what seems the next deal, by what somebody said of its cards: its player may still draw.

Four cards that he draws as evenly as a dealer deals then make another round. What that comes to rests on who spoke.
"""

from __future__ import annotations

import pytest

from controller.core.messages.events import QuestionAsked, WagerSettled
from controller.core.messages.inputs import AcknowledgeAlert, SetCard
from controller.core.messages.raised_alerts import AlertAcknowledged, AlertKind, AlertRaised
from controller.core.table.state import restore
from controller.formats.replay import read_state, state_bytes
from firmware_protocols.cards import Card
from firmware_protocols.readings import CardDrawn
from tests.core.rig import Rig
from tests.core.test_stated_deals import FLOOR, deal, rig_of, say

CROOK, HONEST = "M. Crook", "A. Honest"
LAST = "Are the cards of this deal other ones than counted: are they the last round's still?"


def table(*, carried: bool = True, stand_key: str = "sometimes") -> Rig:
    """A round has been dealt, played and paid, and the next bet lies there."""
    rig = rig_of("dealt", stand_key=stand_key)
    rig.change_house(proposals_bound=True, words_carried=carried)
    rig.talk("1 main 10")
    deal(rig, "Ts 6d 9h Kc")
    rig.talk("key stand hole_turned \n Th")
    rig.pass_ms(3_000)
    paid(rig)
    return rig


def paid(rig: Rig) -> None:
    """The dealer pays a winner, who bets again."""
    rig.talk("1 main 20")
    rig.pass_ms(3_000)
    rig.talk("1 main 0")
    rig.pass_ms(3_000)
    rig.talk("key round_closed")
    rig.pass_ms(6_000)
    rig.talk("1 main 10")
    rig.pass_ms(3_000)


def named(*, carried: bool = True) -> Rig:
    """Twelve against a six draws an ace, which the shoe cannot read, and a person says that it was a ten."""
    rig = table(carried=carried)
    deal(rig, "8s 6d 4h Tc")
    rig.card(None)
    rig.pass_ms(2_000)
    card = max(one.number for one in rig.stamped if isinstance(one.input, CardDrawn))
    rig.give(SetCard(rig.now_ns, card, Card("Th"), CROOK, "seen", "", FLOOR))
    rig.pass_ms(4_000)
    return rig


def missed(answer: str, by: str = CROOK) -> Rig:
    """The dealer presses *hit* for five and corrects it to *stand*; somebody says whether a card was missed."""
    rig = table(stand_key="always")
    deal(rig, "2s 6d 3h 9c")
    rig.key("hit")
    rig.pass_ms(4_000)
    rig.key("stand")
    rig.pass_ms(2_000)
    if by == "key":
        rig.key(answer)
    else:
        say(rig, answer, by)
    rig.pass_ms(4_000)
    return rig


def drawn_as_a_deal(rig: Rig, faces: str = "6h Ac Ad Kd") -> None:
    """The player draws three more cards, the dealer one; the dealer breaks, pays, and deals the next round."""
    deal(rig, faces)
    rig.key("hole_turned")
    rig.pass_ms(3_000)
    paid(rig)
    deal(rig, "Ts 6d 9h Kc")


def bases(rig: Rig, number: int = 3) -> set[str]:
    return {str(one.basis) for one in rig.events if isinstance(one, WagerSettled) and one.round == number}


def accusations(rig: Rig) -> list[AlertRaised]:
    """The alerts about money."""
    kinds = (AlertKind.MISPAY, AlertKind.WINNING_BET_TAKEN, AlertKind.LOSING_BET_LEFT)
    return [one for one in rig.events if isinstance(one, AlertRaised) and one.kind in kinds]


@pytest.mark.parametrize("afresh", [False, True])
def test_after_a_card_named_so_that_the_hand_breaks_another_round_rests_on_who_named_it(*, afresh: bool) -> None:
    rig = named()
    rig.card("6h")
    if afresh:
        rig.table = restore(rig.house, read_state(state_bytes(rig.table.state)))
    drawn_as_a_deal(rig, "Ac Ad Kd")
    assert bases(rig) == {"answer"}
    (alert,) = accusations(rig)
    assert (alert.round, alert.who) == (3, CROOK)
    for who in (CROOK, HONEST):
        rig.give(AcknowledgeAlert(rig.now_ns, alert.alert, who, "seen", FLOOR))
    assert [one.who for one in rig.events if isinstance(one, AlertAcknowledged)] == [HONEST]


def test_in_a_journal_of_before_it_rested_on_the_evidence() -> None:
    rig = named(carried=False)
    drawn_as_a_deal(rig)
    assert bases(rig) == {"evidence"}
    assert [one.who for one in accusations(rig)] != [CROOK]


@pytest.mark.parametrize("answer", ["yes", "no"])
def test_so_it_does_after_the_answer_whether_a_card_was_missed(answer: str) -> None:
    rig = missed(answer)
    drawn_as_a_deal(rig, "Ad 2c Th Kd")
    assert bases(rig) == {"answer"}
    assert {one.who for one in accusations(rig)} == {CROOK}


def test_where_the_cards_come_as_a_player_draws_another_person_says_whose_they_are() -> None:
    rig = named()
    rig.talk("6h Ac")
    rig.pass_ms(1_000)
    deal(rig, "Ad Kd")
    rig.key("hole_turned")
    assert [one.text for one in rig.events if isinstance(one, QuestionAsked)][-1] == LAST
    assert [one.reason_code for one in say(rig, "no", CROOK)] == ["second_person_needed"]


def test_a_key_that_locks_the_next_bets_bears_the_end_out() -> None:
    rig = named()
    rig.talk("key hole_turned round_closed")
    rig.pass_ms(6_000)
    rig.key("no_more_bets")
    drawn_as_a_deal(rig, "Ts 7d Jh Kc")
    assert bases(rig) == {"evidence"}
    assert not rig.table.state.people_of(3)


def test_so_do_a_turned_hole_card_and_chips_that_are_taken() -> None:
    """No key closes the round; the loser's bet is taken, and he bets again."""
    rig = named()
    rig.key("hole_turned")
    rig.pass_ms(3_000)
    rig.talk("1 main 0")
    rig.pass_ms(6_000)
    rig.talk("1 main 10")
    rig.pass_ms(3_000)
    deal(rig, "Ts 6d 9h Kc")
    rig.talk("key stand hole_turned \n Th")
    rig.pass_ms(3_000)
    assert (bases(rig, 2), bases(rig)) == ({"answer"}, {"evidence"})
    assert not rig.table.state.people_of(3)


def test_beside_who_says_that_the_round_is_over_it_rests_on_who_said_that_none_had_begun() -> None:
    rig = named()
    rig.card("6h")
    rig.pass_ms(12_000)
    assert not say(rig, "no", HONEST)
    rig.pass_ms(65_000)
    assert not say(rig, "yes", CROOK)
    rig.pass_ms(4_000)
    deal(rig, "Ac Ad Kd 2s")
    assert [one.name for one in rig.table.state.people_of(3)] == [HONEST, CROOK]


def test_nor_does_it_rest_on_what_the_dealer_says_by_key() -> None:
    rig = missed("yes", by="key")
    rig.talk("Ad 2c")
    rig.pass_ms(1_000)
    drawn_as_a_deal(rig, "Th Kd")
    assert bases(rig) == {"evidence"}
    assert LAST not in [one.text for one in rig.events if isinstance(one, QuestionAsked)]
