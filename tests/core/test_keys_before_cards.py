"""Decisions that are keyed while the shoe is not heard: they are refused, and the cards come afterwards."""

from __future__ import annotations

import pytest

from controller.core.messages.alerts import KeyRefused
from controller.core.messages.events import QuestionAsked
from controller.io.files import profile_files
from firmware_protocols.cards import Card
from firmware_protocols.readings import CardDrawn, DeviceHealth, HealthState
from tests.core.human import HumanRig
from tests.core.rig import MS

LOCK = "key no_more_bets / wait 1"
DECIDED = "wait 6 / key 1 surrender / wait 2 / key 2 hit / wait 1"
"""Sixteen gives up against a ten; the box beside it draws."""

CARDS = "9d Tc Th 7s 2c 8h Kc"
"""A deal to two boxes, and the king with which twelve breaks."""

PLAYED = (
    "wait 1 / 2 main 0 / wait 3 / key hole_turned / wait 3 / 1 main 10 / wait 2 / 1 main 0 / wait 2"
    " / key round_closed / wait 6"
)


def played(*, heard: bool = True, keyed: str = DECIDED, lock: str = LOCK) -> HumanRig:
    """A table with a shoe that numbers its draws, and is not heard from before the deal until after these keys."""
    options = {"new_shoe_burns": 0, "stand_key": "always", "turn_key": "always"}
    rig = HumanRig(profile_files.load("hollywood-penn-national", options).rules, {})
    rig.change_house(garbled_devices_heard=heard, shoe_numbers_cards=True)
    rig.reads_display = False
    rig.play("1 main 20 / wait 1 / 2 main 30 / wait 3")
    since_ns = rig.now_ns
    rig.give(DeviceHealth("shoe", HealthState.LOST, rig.now_ns))
    rig.play(f"{lock} / {keyed}" if lock else keyed)
    rig.give(DeviceHealth("shoe", HealthState.READY, rig.now_ns))
    for face in CARDS.split():
        rig.give(CardDrawn(rig.now_ns, Card(face), since_ns=since_ns))
        rig.pass_until(rig.now_ns + MS)
    rig.play(PLAYED)
    return rig


def refused(rig: HumanRig) -> list[str]:
    return [one.meaning for one in rig.events if isinstance(one, KeyRefused)]


@pytest.mark.parametrize("lock", [LOCK, ""])
def test_nothing_is_settled_by_keys_that_were_refused_before_the_cards_came(lock: str) -> None:
    rig = played(lock=lock)
    assert refused(rig)[:2] == ["surrender", "hit"]
    assert "1: spot 1 main -20.00" not in rig.postings()
    assert "1: spot 2 main -15.00" not in rig.postings()


def test_it_is_asked_who_gave_up() -> None:
    asked = [one.text for one in played().events if isinstance(one, QuestionAsked)]
    assert asked


def test_by_a_journal_of_before_the_other_box_had_given_up() -> None:
    assert played(heard=False).postings() == ["1: spot 1 main -20.00", "1: spot 2 main -15.00"]


def test_a_turn_pressed_too_soon_is_no_decision() -> None:
    rig = played(keyed="wait 6 / key hole_turned / wait 2")
    assert rig.table.state.books
    assert refused(rig) == ["hole_turned"]


def test_nor_is_what_is_pressed_between_rounds_while_the_shoe_is_heard() -> None:
    options = {"new_shoe_burns": 0, "stand_key": "always", "turn_key": "always"}
    rig = HumanRig(profile_files.load("hollywood-penn-national", options).rules, {})
    rig.play("1 main 20 / wait 3 / key stand / wait 1")
    assert refused(rig) == ["stand"]
    assert not rig.table.state.keypad_lost
