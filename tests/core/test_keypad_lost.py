"""While the keypad is lost a key that was not heard may have been pressed."""

from __future__ import annotations

from controller.core.messages.alerts import RoundIrregular
from controller.core.messages.events import BettingClosed, QuestionAsked
from controller.core.messages.inputs import DaemonStarted
from firmware_protocols.readings import DeviceHealth, HealthState
from tests.core.rig import Rig, whole_house_with

DEAL = "1 main 10 \n key no_more_bets \n Th 6c 4d 9d"
"""Fourteen against a six with nine in the hole."""


def keypad(rig: Rig, state: HealthState) -> None:
    rig.give(DeviceHealth("keypad", state, rig.now_ns))
    rig.pass_ms(100)


def away(rig: Rig, talk: str = "") -> Rig:
    keypad(rig, HealthState.LOST)
    rig.talk(talk)
    keypad(rig, HealthState.READY)
    return rig


def test_a_stand_pressed_while_the_keypad_was_away_leaves_the_round_regular() -> None:
    rig = away(whole_house_with(DEAL))
    rig.talk("key hole_turned \n Kc \n key round_closed")
    assert rig.events_of(RoundIrregular) == []
    assert rig.postings() == ["1: spot 1 main +10.00"]


def test_a_keypad_that_was_not_away_would_have_been_heard() -> None:
    rig = whole_house_with(DEAL)
    rig.talk("key hole_turned \n Kc")
    assert len(rig.events_of(RoundIrregular)) == 1


def test_what_the_missing_key_would_have_said_is_asked() -> None:
    rig = away(whole_house_with(DEAL), "Kc")
    assert rig.events_of(RoundIrregular) == []


def test_the_next_round_has_its_keys_again() -> None:
    rig = away(whole_house_with(DEAL))
    rig.talk(f"key hole_turned \n Kc \n 1 main 20 \n 1 main 0 \n key round_closed \n {DEAL} \n key hole_turned \n Kc")
    assert len(rig.events_of(RoundIrregular)) == 1


def test_a_keypad_lost_between_two_rounds_may_have_locked_the_bets() -> None:
    rig = whole_house_with("1 main 10", no_more_bets="always")
    away(rig)
    rig.talk("Th 6c 4d 9d")
    assert rig.events_of(QuestionAsked) == []
    assert len(rig.events_of(BettingClosed)) == 1


def test_while_the_daemon_was_down_no_key_was_heard_either() -> None:
    rig = whole_house_with(DEAL)
    rig.give(DaemonStarted(rig.now_ns, "test", rig.house))
    rig.pass_ms(100)
    rig.answer("no")
    rig.talk("key hole_turned \n Kc \n key round_closed")
    assert rig.events_of(RoundIrregular) == []
    assert rig.postings() == ["1: spot 1 main +10.00"]
