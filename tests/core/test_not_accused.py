"""Chips that left or came where the house's own hardware, or its dealer's habit, is why nothing explains it."""

from __future__ import annotations

import pytest

from controller.core.game.rules import Options, Rules
from controller.core.messages.alerts import BetDecreasedAfterLock
from controller.core.messages.events import QuestionAsked
from controller.core.messages.inputs import AnswerQuestion, DaemonStarted
from controller.core.messages.raised_alerts import AlertKind, AlertRaised, Severity
from firmware_protocols.readings import DeviceHealth, HealthState
from tests.core.rig import Rig, penn
from tests.core.test_face_down import pitch


def table(talk: str, **options: object) -> Rig:
    rig = Rig(penn(**options))
    rig.talk(talk)
    return rig


def kinds(rig: Rig) -> list[AlertKind]:
    return [event.kind for event in rig.events if isinstance(event, AlertRaised)]


# --- insurance that may have been settled ---------------------------------------------------------

INSURED = "1 main 20 \n key no_more_bets \n Th As 9s 7d \n 1 insurance 10"


@pytest.mark.parametrize("keys", ["", "key insurance_closed"])
def test_insurance_taken_once_everybody_may_have_played_is_not_pinched(keys: str) -> None:
    # Who need not press anything may have stood, and the dealer turned his hole card.
    rig = table(f"{INSURED} \n {keys} \n 1 insurance 0")
    assert kinds(rig) == []


def test_where_every_stand_has_its_key_it_is_pinched_until_then_and_not_after() -> None:
    assert kinds(table(f"{INSURED} \n key insurance_closed \n 1 insurance 0", stand_key="always")) == [
        AlertKind.PINCHING
    ]
    assert kinds(table(f"{INSURED} \n key insurance_closed stand \n 1 insurance 0", stand_key="always")) == []


def test_insurance_of_the_round_before_picked_up_in_the_next_deal_is_nobodys_offence() -> None:
    rig = table(f"{INSURED} \n key stand hole_turned \n 1 main 40 \n key round_closed", stand_key="always")
    rig.talk("1 main 20 \n key no_more_bets \n Th As \n 1 insurance 0 \n 9s 7d")
    # That the dealer had left it there is another matter.
    assert kinds(rig) == [AlertKind.LOSING_BET_LEFT]


def test_chips_on_insurance_after_the_offer_are_past_posting_and_their_return_belongs_to_it() -> None:
    rig = table(
        "1 main 20 \n key no_more_bets \n Th As 9s 7d \n key insurance_closed \n 1 insurance 10", stand_key="always"
    )
    rig.leave_lying()
    rig.talk("1 insurance 0")
    assert kinds(rig) == [AlertKind.PAST_POSTING, AlertKind.BET_TOUCHED]


# --- rounds of which not everything was heard -----------------------------------------------------

DEALT = "1 main 10 \n 2 main 10 \n key no_more_bets \n Th 9h 9c 6d 8s 8d \n key stand"
"""Spot 1 has stood, spot 2 has seventeen against a nine."""


def unheard(rig: Rig) -> list[tuple[AlertKind, Severity]]:
    return [(event.kind, event.severity) for event in rig.events if isinstance(event, AlertRaised)]


def test_a_player_paid_around_a_power_cut_is_not_accused_of_capping() -> None:
    # The cut swallowed a card of the deal, and the person who was asked said that none was missed.
    rig = table("1 main 10 \n 2 main 10 \n key no_more_bets \n Th 9h 9c 6d 8s", stand_key="always")
    rig.give(DaemonStarted(rig.now_ns, "test", rig.house))
    rig.give(AnswerQuestion(rig.now_ns, 1, "no", "dealer"))
    rig.talk("1 main 20 \n 1 main 0")
    assert unheard(rig) == [(AlertKind.CHIPS_UNEXPLAINED, Severity.WARNING)] * 2


def test_nor_around_a_shoe_that_was_not_connected() -> None:
    rig = table(DEALT, stand_key="always")
    for state in (HealthState.LOST, HealthState.READY):
        rig.give(DeviceHealth("shoe", state, rig.now_ns))
    rig.give(AnswerQuestion(rig.now_ns, 1, "no", "dealer"))
    rig.talk("1 main 20")
    assert kinds(rig) == [AlertKind.CHIPS_UNEXPLAINED]


def away_and_back(rig: Rig) -> None:
    """The shoe was not connected for a while, and who was asked says that no card was drawn meanwhile."""
    for state in (HealthState.LOST, HealthState.READY):
        rig.give(DeviceHealth("shoe", state, rig.now_ns))
    rig.answer("no")


GUARDED = penn(turn_key="always", stand_key="always")


def test_nor_is_a_player_whose_bets_were_dealt_to_unheard_while_the_round_before_waited() -> None:
    """The shoe is away as that round is closed and the next bets are locked; a person says that cards were drawn."""
    rig = table(
        "1 main 20 \n key no_more_bets \n Th 7d 9s Td \n key stand hole_turned \n 1 main 40", stand_key="always"
    )
    rig.late = True
    rig.give(DeviceHealth("shoe", HealthState.LOST, rig.now_ns))
    rig.talk("key round_closed \n 1 main 20 \n key no_more_bets")
    rig.pass_ms(3_000)
    rig.give(DeviceHealth("shoe", HealthState.READY, rig.now_ns))
    rig.give(AnswerQuestion(rig.now_ns, 1, "yes", "dealer"))
    rig.late = False
    rig.pass_ms(100)
    rig.talk("1 main 0")
    assert AlertKind.PINCHING not in kinds(rig)
    assert rig.events_of(BetDecreasedAfterLock) != []


def test_nor_is_one_of_whose_deal_only_the_last_card_is_heard() -> None:
    """The shoe was away as the round before was closed and the next bets were dealt to, which no key had locked."""
    rig = table(
        "1 main 20 \n key no_more_bets \n Th 7d 9s Td \n key stand hole_turned \n 1 main 40 \n 1 main 0",
        stand_key="always",
    )
    rig.late = True
    rig.give(DeviceHealth("shoe", HealthState.LOST, rig.now_ns))
    rig.talk("key round_closed \n 1 main 20")
    rig.pass_ms(3_000)
    rig.give(DeviceHealth("shoe", HealthState.READY, rig.now_ns))
    rig.give(AnswerQuestion(rig.now_ns, 1, "yes", "dealer"))
    rig.late = False
    rig.pass_ms(100)
    rig.talk("Ks")
    rig.pass_ms(2_000)
    rig.talk("1 main 40 \n 1 main 0")
    rig.pass_ms(2_000)
    assert {AlertKind.CAPPING, AlertKind.PINCHING}.isdisjoint(kinds(rig))
    assert [event.round for event in rig.events if isinstance(event, QuestionAsked)] == [1, 2]


@pytest.mark.parametrize("rules", [GUARDED, pitch()], ids=["hole card guarded", "face down"])
def test_what_is_reported_only_as_the_round_ends_accuses_nobody_of_what_nobody_heard(rules: Rules) -> None:
    # A hand broke with a card that nobody heard, and was taken. What that looks like hangs on hidden cards, so it is
    # reported at the close, when no round is open any more.
    rig = Rig(rules)
    rig.talk("1 main 10 \n 2 main 10 \n key no_more_bets \n Th 9h 9c 6d 8s 5s")
    away_and_back(rig)
    rig.talk("1 main 4")
    assert kinds(rig) == []
    rig.talk("key round_closed round_closed")
    assert rig.table.state.round is None
    assert kinds(rig) == [AlertKind.CHIPS_UNEXPLAINED, AlertKind.ROUND_IRREGULAR]


def test_nor_as_it_gives_way_to_the_next_one_of_which_all_is_heard() -> None:
    rig = Rig(pitch())
    rig.talk("1 main 10 \n 2 main 10 \n key no_more_bets \n Th 9h 9c 6d 8s 5s")
    away_and_back(rig)
    rig.talk("1 main 5 \n key round_closed \n 1 main 25 \n key no_more_bets")
    rig.talk("Th 9h 9c 6d 8s 5s \n key stand stand hole_turned")
    assert {event.kind for event in rig.events_of(AlertRaised) if event.round == 1} <= {
        AlertKind.CHIPS_UNEXPLAINED,
        AlertKind.ROUND_IRREGULAR,
        AlertKind.ROUND_UNENDED,
    }


def test_nor_is_the_dealer_where_a_card_of_his_may_not_have_been_heard() -> None:
    rig = table("1 main 10 \n key no_more_bets \n Th 9h 9c 6d \n key stand hole_turned", stand_key="always")
    away_and_back(rig)
    rig.talk("key round_closed round_closed")
    assert kinds(rig) == [AlertKind.ROUND_IRREGULAR]
    heard = table("1 main 10 \n key no_more_bets \n Th 9h 9c 6d \n key stand hole_turned", stand_key="always")
    heard.talk("key round_closed round_closed")
    assert kinds(heard) == [AlertKind.DEALER_AGAINST_RULE]


def test_in_a_round_of_which_all_was_heard_he_is() -> None:
    rig = table(f"{DEALT} \n 1 main 20", stand_key="always")
    rig.leave_lying()
    assert kinds(rig) == [AlertKind.CAPPING]
    assert Options().stand_key == "sometimes"


def test_a_main_wager_lowered_in_an_irregular_round_is_alerted_and_nobody_is_accused() -> None:
    # A hit was keyed and its card never read: no legal play is left, and now chips go.
    rig = table(
        "1 main 75 \n 2 main 10 \n key no_more_bets \n Th 9h 9c 6d 8s 8d \n key hit stand yes stand", stand_key="always"
    )
    assert AlertKind.ROUND_IRREGULAR in kinds(rig)
    before = kinds(rig)
    rig.talk("1 main 50")
    assert kinds(rig) == [*before, AlertKind.CHIPS_UNEXPLAINED]
    rig.talk("1 main 0")
    assert kinds(rig) == [*before, AlertKind.CHIPS_UNEXPLAINED]
