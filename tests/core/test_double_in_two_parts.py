"""A double or a split is laid in two movements, before its card; what comes after the card is no part of it."""

from __future__ import annotations

import pytest

from controller.core.messages.events import HandDoubled, HandsSplit, WagerSettled
from controller.core.messages.raised_alerts import AlertKind
from controller.io.files import profile_files
from firmware_protocols.readings import ChipsSeen, DeviceHealth, HealthState
from tests.core.alerting import kinds
from tests.core.human import HumanRig, keyless
from tests.core.quick_readers import accused, draw, table
from tests.core.rig import Rig, penn
from tests.core.test_slow_looks import next_deal

KEYED = {"stand_key": "always", "turn_key": "always"}


def doubled(*laid: str) -> Rig:
    """Fourteen is doubled for some of fifteen dollars, and breaks."""
    rig = Rig(penn(**KEYED))
    rig.talk("1 main 15 \n key no_more_bets \n 5c 2c 9h 4c \n key double \n " + " \n ".join(laid))
    rig.pass_ms(5_000)
    rig.talk("key hole_turned \n 1 main 0 \n key round_closed")
    return rig


@pytest.mark.parametrize("first", [16, 20, 29])
def test_the_rest_of_a_double_comes_before_its_card(first: int) -> None:
    rig = doubled(f"1 main {first}", "1 main 30", "9d")
    assert [one.cents for one in rig.events if isinstance(one, HandDoubled)] == [1_500]
    assert [one.net_cents for one in rig.events if isinstance(one, WagerSettled)] == [-3_000]
    assert kinds(rig) == []


def test_no_double_is_for_more_than_the_wager() -> None:
    rig = doubled("1 main 20", "1 main 35", "9d")
    assert [one.cents for one in rig.events if isinstance(one, HandDoubled)] == [500]
    assert AlertKind.CAPPING in kinds(rig)


def test_what_comes_after_its_card_is_no_part_of_a_double() -> None:
    rig = doubled("1 main 20", "9d", "1 main 30")
    assert [one.cents for one in rig.events if isinstance(one, HandDoubled)] == [500]
    assert [one.net_cents for one in rig.events if isinstance(one, WagerSettled)] == [-2_000]


def laid_in_parts(*parts: str, cards: str = "Th 5s Jc Td", key: str = "") -> HumanRig:
    """Chips come one after the other, with two seconds between them and a key before the last of them; then a card."""
    rig = HumanRig(profile_files.load("borgata", {"turn_key": "sometimes", "new_shoe_burns": 0}).rules, {})
    *first, last = (f"1 main {part} / " for part in parts)
    pressed = f"key {key} / " if key else ""
    rig.play(f"1 main 10 / wait 6 / deal {cards} / wait 4 / {'wait 2 / '.join([*first, pressed + last])} wait 1 / 8c")
    return rig


@pytest.mark.parametrize("parts", [("15", "20"), ("12", "17", "20")])
def test_a_split_is_laid_in_two_movements_too(parts: tuple[str, ...]) -> None:
    """The first of them looks like a double for less, with which tens would break; both hands win."""
    rig = laid_in_parts(*parts)
    rig.play("wait 2 / Kd / wait 3 / 9d / wait 1.5 / 1 main 40 / wait 2 / 1 main 0 / wait 3 / 1 main 10 / wait 6")
    rig.play("deal Ts 8s 8c Td / wait 8")
    assert rig.postings() == ["1: spot 1 main +20.00"]
    assert kinds(rig) == []


def test_less_than_a_wager_in_two_parts_makes_no_split() -> None:
    rig = laid_in_parts("12", "15")
    rig.play("wait 3")
    assert [one.cents for one in rig.events if isinstance(one, HandDoubled)] == [500]


def test_nor_do_the_chips_of_no_pair() -> None:
    rig = laid_in_parts("15", "20", cards="5h 5s Jc Td")
    rig.play("wait 3")
    assert [one.cents for one in rig.events if isinstance(one, HandDoubled)] == [1_000]


def test_nor_the_rest_of_what_a_key_says_is_a_double() -> None:
    rig = laid_in_parts("15", "20", cards="5h 5s 5c Td", key="double")
    rig.play("wait 3")
    assert [one.cents for one in rig.events if isinstance(one, HandDoubled)] == [1_000]


def test_the_key_of_a_split_follows_its_chips() -> None:
    rig = laid_in_parts("15", "20", cards="5h 5s 5c Td")
    assert not [one for one in rig.events if isinstance(one, HandDoubled | HandsSplit)]
    rig = HumanRig(profile_files.load("borgata", {"turn_key": "sometimes", "new_shoe_burns": 0}).rules, {})
    rig.play("1 main 10 / wait 6 / deal 5h 5s 5c Td / wait 4 / 1 main 15 / wait 2 / 1 main 20 / wait 1.8 / key split")
    rig.play("wait 1 / 8c / wait 3")
    assert [one.spot for one in rig.events if isinstance(one, HandsSplit)] == [1]


def test_the_rest_of_a_split_goes_unseen() -> None:
    """Half of its wager is seen, the reader is lost, and back once both hands are paid."""
    rig = table("1 main 10", "borgata")
    draw(rig, "Th", "5s", "Jc", "Td")
    rig.pass_ms(4_000)
    rig.talk("1 main 15")
    rig.pass_ms(2_000)
    rig.late = True
    since_ns = rig.now_ns
    rig.give(DeviceHealth("bet_spots/1", HealthState.LOST, rig.now_ns))
    rig.pass_ms(1_500)
    draw(rig, "8c")
    draw(rig, "Kd", "9d", gap_ms=2_000)
    rig.pass_ms(1_500)
    rig.give(DeviceHealth("bet_spots/1", HealthState.READY, rig.now_ns))
    rig.pass_ms(300)
    rig.give(ChipsSeen(1, "main", tuple(sorted(rig.changed(1, "main", 4_000))), since_ns, rig.now_ns))
    rig.late = False
    rig.pass_ms(5_000)
    next_deal(rig)
    assert [one.net_cents for one in rig.events if isinstance(one, WagerSettled)] == [2_000]


FACE_DOWN = (
    "3 main 20 / wait 5 / deal Ac 4s Ah Td / wait 5 / 3 main 30 / wait {pause} / 3 main {laid} / wait 1.5 / Qd"
    " / wait 1.6 / 9s / wait 5 / 9c / wait 4 / 3 main {paid} / wait 2 / 3 main 0 / wait 6 / 2 main 10 / wait 4"
    " / deal Th 9c 9d 8s / wait 6"
)
"""Aces, which may be split and not doubled; the dealer breaks."""


@pytest.mark.parametrize("cycle_ms", [350, 700, 1_000])
@pytest.mark.parametrize("pause", [1, 1.5, 3])
def test_where_hands_lie_face_down_nobody_is_accused_of_the_first(pause: float, cycle_ms: int) -> None:
    rig = keyless("pitch-h17", cycle_ms)
    rig.play(FACE_DOWN.format(pause=pause, laid=40, paid=80))
    assert rig.postings_of(1) == {"spot 3 main +40.00"}
    assert accused(rig) == []


def test_where_the_rest_does_not_come_it_is_what_it_looks_like() -> None:
    rig = keyless("pitch-h17", 350)
    rig.play(FACE_DOWN.format(pause=1.5, laid=30, paid=60))
    assert accused(rig) == [AlertKind.CAPPING]


def test_in_journals_of_before_the_first_was_capping() -> None:
    rig = keyless("pitch-h17", 350)
    rig.change_house(parts_reckoned=False)
    rig.play(FACE_DOWN.format(pause=1.5, laid=40, paid=80))
    assert rig.postings_of(1) == {"spot 3 main +40.00"}
    assert accused(rig) == [AlertKind.CAPPING]
