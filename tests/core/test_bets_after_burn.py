"""A card came without *no more bets*: while it is asked whether it began a round, players may still bet and go home."""

from __future__ import annotations

import pytest

from controller.core.messages.raised_alerts import AlertKind
from tests.core.alerting import kinds, raised
from tests.core.rig import Rig, penn

KEYED = {"stand_key": "always", "no_more_bets": "always", "turn_key": "always"}
BEFORE = "1 main 10 \n key no_more_bets \n 9h Ts 8d 9c \n key stand hole_turned \n 1 main 0 \n key round_closed"
ACCUSED = {AlertKind.CAPPING, AlertKind.PINCHING, AlertKind.PAST_POSTING}


def burned(*, bounded: bool = True, cards: str = "5d") -> Rig:
    """Two have bet, and a card comes that nobody announced as a burn."""
    rig = Rig(penn(**KEYED))
    rig.change_house(payments_bounded=bounded)
    rig.talk(f"{BEFORE} \n 1 main 10 \n 4 main 20")
    rig.pass_ms(3_000)
    rig.talk(cards)
    rig.pass_ms(2_000)
    return rig


@pytest.mark.parametrize("change", ["1 main 15", "1 main 0", "6 main 10"], ids=["raises", "goes home", "joins"])
@pytest.mark.parametrize("answer", ["", "key no"])
def test_who_bets_on_while_the_card_may_have_been_a_burn_is_not_accused(change: str, answer: str) -> None:
    rig = burned()
    rig.talk(change)
    rig.leave_lying()
    rig.talk(answer)
    rig.talk("key no_more_bets")
    assert ACCUSED.isdisjoint(alert.kind for alert in raised(rig))
    (alert,) = [one for one in raised(rig) if one.kind is AlertKind.CHIPS_UNEXPLAINED]
    assert alert.text.endswith("while it is asked whether a new round has begun")


def test_once_a_person_says_that_it_began_a_round_the_bets_are_locked() -> None:
    rig = burned()
    rig.key("yes")
    rig.talk("1 main 15")
    rig.leave_lying()
    assert kinds(rig) == ["capping"]


def test_what_moves_after_a_whole_deal_is_judged_by_the_answer() -> None:
    rig = burned(cards="5d Th 9c 7s 8d 9h")
    rig.talk("4 main 95")
    rig.leave_lying()
    assert kinds(rig) == []
    rig.key("yes")
    rig.leave_lying()
    assert kinds(rig) == ["capping"]


def test_in_a_journal_of_before_it_was_capping() -> None:
    rig = burned(bounded=False)
    rig.talk("1 main 15")
    rig.leave_lying()
    assert kinds(rig) == ["capping"]
