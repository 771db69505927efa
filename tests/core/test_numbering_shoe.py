"""A shoe that numbers its draws: silence hides no card, and what it says is missing is asked about."""

from __future__ import annotations

import msgspec
import pytest
from msgspec.structs import replace

from controller.core.game.wager import Basis
from controller.core.messages.alerts import CardsMayBeMissing
from controller.core.messages.events import WagerSettled
from controller.core.messages.inputs import DaemonStarted
from controller.core.messages.raised_alerts import AlertRaised
from controller.core.table.shoe_draws import SHOES_KNOWN
from firmware_protocols.cards import Card
from firmware_protocols.readings import (
    CardDrawn,
    ChipsSeen,
    DeviceComplained,
    DeviceHealth,
    HealthState,
    ShoeDraws,
    ShoeNumbering,
)
from tests.core.rig import Rig, penn


def numbering_rig() -> Rig:
    rig = Rig(penn(stand_key="always"))
    rig.house = msgspec.structs.replace(rig.house, shoe_numbers_cards=True)
    rig.give(DaemonStarted(rig.now_ns, "test", rig.house))
    rig.talk("1 main 10 \n Th 9c 7d")
    return rig


def test_a_shoe_that_was_away_for_a_while_raises_no_question() -> None:
    rig = numbering_rig()
    rig.give(DeviceHealth("shoe", HealthState.LOST, rig.now_ns))
    rig.give(DeviceHealth("shoe", HealthState.READY, rig.now_ns))
    assert rig.events_of(CardsMayBeMissing) == []
    rig.talk("8c \n key stand hole_turned round_closed")
    assert rig.outcomes() == ["settled"]


def test_draws_that_never_came_are_asked_about() -> None:
    rig = numbering_rig()
    rig.give(DeviceComplained("shoe", "draws_missing", "draws 4 to 5 never came", rig.now_ns))
    assert len(rig.events_of(CardsMayBeMissing)) == 1
    assert rig.table.state.round is not None
    assert rig.table.state.round.questions.doubt


def test_the_number_of_the_last_card_is_remembered_for_the_next_start() -> None:
    rig = numbering_rig()
    first, second = ShoeDraws("S0001", 0x5A01C3F7, 40), ShoeDraws("S0002", 0xC0FFEE42, -1)
    rig.give(ShoeNumbering(first, rig.now_ns))
    rig.give(CardDrawn(rig.now_ns, Card("8c"), sequence=41))
    rig.give(ShoeNumbering(second, rig.now_ns))
    rig.give(CardDrawn(rig.now_ns, Card("9c"), sequence=0))
    assert rig.table.state.shoes == (replace(first, last=41), replace(second, last=0))
    rig.give(ShoeNumbering(replace(first, last=45), rig.now_ns))
    assert rig.table.state.shoes == (replace(second, last=0), replace(first, last=45))


def test_shoes_long_away_are_forgotten_the_longest_first() -> None:
    rig = numbering_rig()
    for series in range(SHOES_KNOWN + 2):
        rig.give(ShoeNumbering(ShoeDraws("S0001", series, -1), rig.now_ns))
    assert [one.series for one in rig.table.state.shoes] == list(range(2, SHOES_KNOWN + 2))


@pytest.mark.parametrize("code", ["shoe_exchanged", "shoe_changed"])
def test_another_shoe_in_the_middle_of_a_round_is_asked_about_and_between_rounds_it_is_not(code: str) -> None:
    rig = numbering_rig()
    rig.give(DeviceComplained("shoe", code, "this is another shoe: S0002", rig.now_ns))
    assert len(rig.events_of(CardsMayBeMissing)) == 1
    idle = Rig(penn())
    idle.house = replace(idle.house, shoe_numbers_cards=True)
    idle.give(DeviceComplained("shoe", code, "this is another shoe: S0002", idle.now_ns))
    assert idle.events_of(CardsMayBeMissing) == []


def test_the_shoes_that_the_table_names_may_be_exchanged_without_an_alert() -> None:
    rig = numbering_rig()
    rig.give(DeviceHealth("shoe", HealthState.READY, rig.now_ns, "shoe S0001"))
    rig.give(DeviceComplained("shoe", "shoe_changed", "this is another shoe: shoe S0002", rig.now_ns))
    rig.give(DeviceHealth("shoe", HealthState.READY, rig.now_ns, "shoe S0002"))
    assert rig.events_of(AlertRaised) == []
    rig.give(DeviceHealth("shoe", HealthState.READY, rig.now_ns, "shoe S0003"))
    assert len(rig.events_of(AlertRaised)) == 1


def test_a_chip_may_say_its_own_value_and_the_registry_comes_first() -> None:
    rig = Rig(penn())
    rig.values["E0AA"] = 500
    rig.give(ChipsSeen(1, "main", ("E0AA", "E0BB"), 0, rig.now_ns, {"E0AA": 100, "E0BB": 2500}))
    assert rig.table.state.felt["1/main"].cents == 3000


def test_a_card_reported_late_lies_before_the_keys_that_were_pressed_meanwhile() -> None:
    rig = Rig(penn(stand_key="always"))
    rig.talk("3 main 10 \n 5 main 6 \n key no_more_bets \n 4c 5s 3c Ac Qd Jd")
    before_ns = rig.now_ns
    # Spot 3 hits 15; the shoe's report is lost, and both stands are pressed before it comes again.
    rig.talk("key stand stand")
    rig.give(CardDrawn(rig.now_ns, Card("3s"), since_ns=before_ns))
    rig.talk("key hole_turned \n 4d \n 5 main 0 \n 3 main 20 \n key round_closed")
    settled = {(one.spot, one.net_cents, one.basis) for one in rig.events_of(WagerSettled)}
    # A hit of spot 3, of spot 5, or the dealer's: what was paid shows which. When it is reported only the dealer draws.
    assert settled == {(5, -600, Basis.PAID), (3, 1000, Basis.PAID)}


def test_a_card_reported_late_that_came_before_what_looked_like_payment_is_still_of_the_round() -> None:
    rig = Rig(penn())
    # Spot 3 hits to 21. Spot 5 doubles and breaks with a ten that the shoe has to report again. Without it both have
    # stood, the seven was the dealer's, and spot 5 is being paid and taken.
    rig.talk("3 main 10 \n 5 main 6 \n 7d 7c 4c 7h 7s Qd \n 7s")
    before_ns = rig.now_ns
    rig.talk("5 main 12 \n 5 main 0")
    rig.give(CardDrawn(rig.now_ns, Card("Td"), since_ns=before_ns))
    assert rig.table.state.rounds == 1
    rig.talk("key hole_turned \n Jh \n 3 main 20 \n key round_closed")
    settled = {(one.spot, one.net_cents) for one in rig.events_of(WagerSettled)}
    assert settled == {(3, 1000), (5, -1200)}


def test_a_card_reported_late_that_no_play_has_still_begins_the_next_round() -> None:
    rig = Rig(penn())
    rig.talk("3 main 10 \n 5 main 6 \n 7d 7c 4c 7h 7s Qd \n key hole_turned \n 7s \n 5 main 0 \n 3 main 0")
    before_ns = rig.now_ns
    rig.talk("3 main 15")
    rig.give(CardDrawn(rig.now_ns, Card("Td"), since_ns=before_ns))
    assert rig.table.state.rounds == 2
