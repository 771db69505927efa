"""Who is not at the table says that no card was missed: no card turns the hole card on that word."""

from __future__ import annotations

import pytest

from controller.core.messages.events import CardOpened, HoleCardRevealed, QuestionAsked
from controller.core.messages.inputs import AnswerQuestion
from firmware_protocols.readings import DeviceHealth, HealthState
from tests.core.human import HumanRig, keyless
from tests.core.rig import coded
from tests.core.test_another_round_denied import denied
from tests.core.test_lingering import asked

SOFT = "1 main 10 / wait 6 / deal Ah Tc 8d {hole} / wait 6"
"""An ace and an eight against a ten; the shoe's cable is pulled, and a five comes of which nobody hears."""


def missed(by: str, hole: str = "3c", *, heeded: bool = True) -> HumanRig:
    """It is said that no card was missed; not ``heeded``: by a journal of before."""
    rig = keyless("borgata", 350)
    rig.change_house(denials_open_nothing=heeded)
    rig.play(SOFT.format(hole=hole))
    for state in (HealthState.LOST, HealthState.READY):
        rig.give(DeviceHealth("shoe", state, rig.now_ns))
        rig.play("wait 3")
    assert asked(rig) == ["Were cards drawn while the table was not listening?"]
    if by == "key":
        rig.key("no")
    else:
        rig.give(AnswerQuestion(rig.now_ns, rig.events_of(QuestionAsked)[-1].question, "no", "M. Okafor"))
    return rig


def drawn_on(rig: HumanRig) -> HumanRig:
    """With the two the table counts 21, and takes for the dealer's the four that comes to a hand of 16."""
    rig.play("wait 2 / 2c / wait 5 / 4h / wait 9")
    return rig


def test_a_players_card_that_looks_like_the_dealers_does_not_turn_the_hole_card_then() -> None:
    rig = drawn_on(missed("afar"))
    assert not rig.events_of(HoleCardRevealed)
    assert len(rig.events_of(CardOpened)) == 5


def test_no_byte_depends_on_the_hole_card_then() -> None:
    rigs = [drawn_on(missed("afar", hole)) for hole in ("3c", "Kd", "As")]
    assert len({(coded(rig.events), coded(rig.desired)) for rig in rigs}) == 1


def test_nor_does_a_pause_turn_it() -> None:
    rig = missed("afar")
    rig.play("wait 2 / 2c / wait 20")
    assert not rig.events_of(HoleCardRevealed)


def test_its_key_does() -> None:
    rig = missed("afar")
    rig.play("wait 2 / 2c / wait 5")
    rig.key("hole_turned")
    rig.play("wait 2")
    assert rig.events_of(HoleCardRevealed)


@pytest.mark.parametrize(("by", "heeded"), [("key", True), ("afar", False)])
def test_on_the_dealers_word_and_in_a_journal_of_before_it_was_turned(by: str, *, heeded: bool) -> None:
    assert drawn_on(missed(by, heeded=heeded)).events_of(HoleCardRevealed)


def test_the_next_deal_ends_the_round_all_the_same() -> None:
    rig = missed("afar", "9s")
    rig.play("wait 2 / 2c / wait 6 / 1 main 20 / wait 3 / 1 main 10 / wait 8 / deal Th 9c 9d 8s / wait 10")
    assert rig.outcomes() == ["settled"]


def test_that_no_other_round_has_begun_is_no_such_word() -> None:
    round_now = denied().table.state.round
    assert round_now is not None
    assert round_now.questions.goes_on_by_word
    assert not round_now.questions.denied_afar


def test_what_was_said_from_elsewhere_once_is_not_unsaid_by_a_key() -> None:
    rig = missed("afar")
    for state in (HealthState.LOST, HealthState.READY):
        rig.give(DeviceHealth("shoe", state, rig.now_ns))
        rig.play("wait 3")
    rig.key("no")
    assert not drawn_on(rig).events_of(HoleCardRevealed)
