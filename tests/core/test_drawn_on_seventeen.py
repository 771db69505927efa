"""The dealer stands on 17 to 21 and draws a card by accident (S.D. Admin. R. 20:18:15:28): its total does not change.

What the floor types depends on how far payment has come, as the page for the floor says of P04.
"""

from __future__ import annotations

import pytest

from controller.core.messages.alerts import CardOutsideRound, RoundIrregular
from controller.core.messages.events import CardDrawn, RoundStarted
from controller.core.messages.floor_events import CardSet, RoundResumed
from controller.core.messages.inputs import SetCard, VoidRound
from controller.core.messages.raised_alerts import AlertKind, AlertRaised
from tests.core.rig import Rig, penn

PLAYED = "1 main 25\n2 main 25\nkey no_more_bets\nTh Th 7d Qs Qs Td\nkey stand stand hole_turned"
WON = ["1: spot 1 main +25.00", "1: spot 2 main +25.00"]
PAID = "2 main 50\n1 main 50\n1 main 0\n2 main 0"
NEXT = "1 main 25\nkey no_more_bets\nTh 7d Qs Td\nkey stand hole_turned\n1 main 50\n1 main 0\nkey round_closed"


def drawn_in_error(*, after: str = "", no_more_bets: str = "sometimes") -> Rig:
    """A dealer who stands on 17 draws a five; ``after``: how chips had moved by then."""
    rig = Rig(penn(stand_key="always", no_more_bets=no_more_bets))
    rig.talk(f"{PLAYED}\n{after}\n5c")
    return rig


def strike(rig: Rig) -> None:
    """The floor says that the last card was none of the round."""
    rig.give(SetCard(rig.now_ns, rig.events_of(CardDrawn)[-1].card, None, "M. Okafor", "drawn in error"))


def goes_on(rig: Rig, number: int) -> None:
    """The next deal is round ``number``, and is settled."""
    rig.talk(NEXT)
    assert rig.postings()[-1] == f"{number}: spot 1 main +25.00"
    assert rig.outcomes()[-1] == "settled"
    assert rig.table.state.round is None


@pytest.mark.parametrize(("after", "no_more_bets"), [("", "sometimes"), ("", "always"), ("2 main 50", "always")])
def test_before_payment_or_where_the_key_tells_of_a_deal_the_card_is_struck(after: str, no_more_bets: str) -> None:
    rig = drawn_in_error(after=after, no_more_bets=no_more_bets)
    assert [one.round for one in rig.events_of(RoundIrregular)] == [1]
    strike(rig)
    assert [one.round for one in rig.events_of(RoundResumed)] == [1]
    rig.talk(f"{PAID}\nkey round_closed")
    assert (rig.postings(), rig.outcomes()) == (WON, ["settled"])
    goes_on(rig, 2)


def test_once_payment_has_begun_the_card_begins_a_round_which_is_voided() -> None:
    rig = drawn_in_error(after="2 main 50")
    assert (rig.postings(), rig.outcomes()) == (WON, ["settled"])
    assert [one.round for one in rig.events_of(RoundStarted)] == [1, 2]
    # The box that was still to be paid.
    assert [(one.kind, one.spot) for one in rig.events_of(AlertRaised)] == [(AlertKind.MISPAY, 1)]
    rig.give(VoidRound(rig.now_ns, 2, "M. Okafor", "drawn in error"))
    rig.talk("1 main 50\n1 main 0\n2 main 0")
    assert rig.outcomes() == ["settled", "void"]
    assert rig.postings() == [*WON, "2: spot 1 main +0.00", "2: spot 2 main +0.00"]
    goes_on(rig, 3)


def test_of_a_round_that_the_card_has_begun_striking_it_leaves_the_wagers_locked() -> None:
    """So the floor voids it: what is paid and picked up meanwhile would be taken for chips of that round."""
    rig = drawn_in_error(after="2 main 50")
    strike(rig)
    assert rig.table.state.round is not None
    assert rig.table.state.round.number == 2
    rig.talk("2 main 0")
    assert AlertKind.PINCHING in [one.kind for one in rig.events_of(AlertRaised)]


def test_where_nothing_lies_any_more_the_card_is_of_no_round_and_the_floor_types_nothing() -> None:
    rig = drawn_in_error(after=PAID)
    assert (rig.postings(), rig.outcomes()) == (WON, ["settled"])
    assert len(rig.events_of(CardOutsideRound)) == 1
    assert [one.kind for one in rig.events_of(AlertRaised)] == [AlertKind.CARD_OUT_OF_TURN]
    strike(rig)
    assert rig.events_of(CardSet) == []
    goes_on(rig, 2)
