"""A key answers a question that a person can have read: one pressed as it appears was meant for what stood before."""

from __future__ import annotations

from controller.core.messages.alerts import KeyRefused
from controller.core.messages.events import QuestionAnswered, QuestionAsked
from controller.core.messages.inputs import DaemonStarted
from firmware_protocols.readings import KeyPressed, LineDisturbed
from tests.core.rig import KEY_OF, MS, Rig, penn
from tests.core.test_waiting_rounds import NEXT, WHO_GOT_THE_NINE

APPEARED = "the question has only just appeared: read it, and press again"


def pressed(rig: Rig, meaning: str, after_ms: int) -> None:
    """A key so long after the step before."""
    rig.now_ns += after_ms * MS
    rig.give(KeyPressed(rig.now_ns, KEY_OF[meaning]))


def asked() -> Rig:
    """A table that asks, as the hole card is turned, how many cards lie at a spot: 2 or 3."""
    rig = Rig(penn())
    rig.talk(WHO_GOT_THE_NINE.replace("key hole_turned round_closed", ""))
    rig.give(KeyPressed(rig.now_ns, KEY_OF["hole_turned"]))
    assert rig.events_of(QuestionAsked)
    return rig


def test_a_digit_pressed_as_the_question_appears_names_a_spot() -> None:
    rig = asked()
    pressed(rig, "3", 499)
    assert rig.events_of(QuestionAnswered) == []
    assert rig.table.state.spot_named == 3
    assert rig.desired.display.startswith("Spot")


def test_a_digit_pressed_once_it_was_read_answers_it() -> None:
    rig = asked()
    pressed(rig, "3", 500)
    assert [(event.answer, event.who) for event in rig.events if isinstance(event, QuestionAnswered)] == [
        ("3", "dealer")
    ]


def test_a_question_that_takes_the_place_of_another_is_read_first() -> None:
    """The floor answers the latest round that waits; the dealer's key, meant for it, finds the round before on show."""
    rig = Rig(penn())
    rig.talk(WHO_GOT_THE_NINE + WHO_GOT_THE_NINE)
    rig.pass_ms(1_000)
    rig.answer("2")
    pressed(rig, "3", 100)
    assert [one.number for one in rig.table.state.waiting] == [1]
    pressed(rig, "3", 500)
    assert rig.table.state.waiting == ()


def disturbed() -> Rig:
    rig = Rig(penn())
    rig.talk("1 main 10 \n Th 9c Kd")
    rig.give(LineDisturbed("shoe", "no frame", b"\xff", rig.now_ns))
    return rig


def test_yes_or_no_pressed_as_the_question_appears_is_refused() -> None:
    rig = disturbed()
    pressed(rig, "no", 300)
    assert [event.reason for event in rig.events if isinstance(event, KeyRefused)] == [APPEARED]
    pressed(rig, "no", 300)
    assert [event.answer for event in rig.events if isinstance(event, QuestionAnswered)] == ["no"]


def test_after_a_restart_the_display_is_read_anew() -> None:
    rig = Rig(penn())
    rig.talk(WHO_GOT_THE_NINE + NEXT)
    rig.talk("key stand hole_turned round_closed")
    rig.pass_ms(5_000)
    assert rig.table.state.question_displayed
    rig.give(DaemonStarted(rig.now_ns, "test", rig.house))
    pressed(rig, "3", 100)
    assert rig.events_of(QuestionAnswered) == []
