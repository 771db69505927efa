"""Live reconstruction where no hole card is dealt, where a device checks it, and where EZ Bust lies open."""

from __future__ import annotations

from typing import Literal

import pytest
from msgspec.structs import replace

from controller.core.game.hand import seen
from controller.core.game.rules import Options, Rules
from controller.core.inference.dues import agreed_drawn, insurance_due, main_due
from controller.core.inference.lattice import Lattice
from controller.core.inference.observation import CardObserved, ChipsObserved, DatedObservation, KeyObserved
from controller.io.files import profile_files
from firmware_protocols.cards import Card

PENN = replace(profile_files.load("hollywood-penn-national").rules, options=Options(stand_key="always"))


def observed(rules: Rules, wagers: list[int], talk: str) -> Lattice:
    """A round in words: cards (``??`` unread), ``key:stand``, ``0:ez_bust:500`` for what lies in a box's zone."""
    found = Lattice.begin(rules, wagers)
    content: dict[tuple[int, str], int] = {(box, "main"): cents for box, cents in enumerate(wagers)}
    for moment, word in enumerate(talk.split()):
        item: CardObserved | ChipsObserved | KeyObserved
        match word.split(":"):
            case ["key", action]:
                item = KeyObserved(action)
            case [box, zone, cents]:
                place = int(box), zone
                item = ChipsObserved(*place, content.get(place, 0), int(cents))
                content[place] = int(cents)
            case ["??"]:
                item = CardObserved(len(found.cards) << 4)
            case _:
                item = CardObserved(seen(len(found.cards), Card(word)))
        found = found.observe(DatedObservation(moment, moment, item))
    return found


def test_without_a_hole_card_the_dealers_second_card_is_the_first_after_the_players() -> None:
    rules = replace(PENN, hole_card="none")
    found = observed(rules, [1000], "5c 9h 6d 0:main:2000 Ts 9d")
    (node,) = found.frontier
    assert node.second == seen(4, Card("9d"))
    assert agreed_drawn(found.frontier) == (seen(4, Card("9d")),)
    assert main_due(found, found.frontier, 0, None).cents() == (2000,)


def test_without_a_hole_card_a_second_card_may_make_the_dealers_natural() -> None:
    rules = replace(PENN, hole_card="none")
    found = observed(rules, [1000], "Kh As 8d 0:insurance:500 key:stand Kd")
    assert main_due(found, found.frontier, 0, None).cents() == (-1000,)
    due = insurance_due(found, found.frontier, 0, None)
    assert due is not None
    assert (due.known, due.cents()) == (True, (1000,))


def test_without_a_hole_card_the_dealer_draws_on_from_the_second() -> None:
    rules = replace(PENN, hole_card="none")
    found = observed(rules, [1000], "Kh 6s 8d key:stand Kd 5c")
    assert main_due(found, found.frontier, 0, None).cents() == (-1000,)
    assert observed(rules, [1000], "Kh 6s 8d key:stand Kd 5c 2c").frontier == {}
    waits = observed(rules, [1000], "Ah Ks Kd")
    assert main_due(waits, waits.frontier, 0, None).cents() == (0, 1500)


def test_where_a_device_checks_a_decision_says_there_is_no_natural() -> None:
    rules = replace(PENN, hole_check="device")
    found = observed(rules, [1000], "Kh As 6d 9c 0:insurance:500 key:hit")
    assert all(not node.hole & 1 << 10 for node in found.frontier)
    due = insurance_due(found, found.frontier, 0, None)
    assert due is not None
    assert (due.known, due.cents()) == (True, (-500,))
    later = replace(rules, losing_insurance_taken="after_play")
    after = observed(later, [1000], "Kh As 6d 9c 0:insurance:500 key:hit")
    due = insurance_due(after, after.frontier, 0, None)
    assert due is not None
    assert not due.known


def test_where_a_device_checks_a_surrender_is_half_at_once() -> None:
    rules = replace(PENN, hole_check="device")
    found = observed(rules, [1000], "Kh As 6d 9c key:surrender")
    assert main_due(found, found.frontier, 0, None).certain() is not None
    assert main_due(found, found.frontier, 0, None).cents() == (-500,)
    unchecked = observed(PENN, [1000], "Kh As 6d 9c key:surrender")
    assert main_due(unchecked, unchecked.frontier, 0, None).cents() == (-1000, -500)


def test_where_a_device_finds_a_natural_the_round_ends_before_play() -> None:
    rules = replace(PENN, hole_check="device")
    found = observed(rules, [1000, 500], "Kh Ah As 6d Kd Kc 0:insurance:500 key:hole_turned")
    ends = found.ends(10)
    assert main_due(found, ends, 0, 10).cents() == (-1000,)
    assert main_due(found, ends, 1, 10).cents() == (0,)
    due = insurance_due(found, ends, 0, 10)
    assert due is not None
    assert due.cents() == (1000,)
    assert observed(PENN, [1000, 500], "Kh Ah As 6d Kd Kc key:hole_turned").frontier == {}


def test_with_ez_bust_open_the_dealer_plays_out_unless_every_hand_broke() -> None:
    natural_and_bust = "Ah Kh 6s Kd 6d Tc 1:ez_bust:500 key:hit Qc"
    found = observed(PENN, [1000, 1000], natural_and_bust)
    assert found.ends(10) == {}
    drawn = observed(PENN, [1000, 1000], natural_and_bust + " 9c")
    assert len(drawn.ends(10)) == 1
    assert insurance_due(drawn, drawn.frontier, 1, 10) is None
    broke = observed(PENN, [1000], "Kh 6s 6d Tc 0:ez_bust:500 key:hit Qc")
    assert len(broke.ends(10)) == 1
    assert observed(PENN, [1000], "Kh 6s 6d Tc 0:ez_bust:500 key:hit Qc 9c").frontier == {}


def test_without_ez_bust_nobody_draws_for_a_natural() -> None:
    assert observed(PENN, [1000, 1000], "Ah Kh 6s Kd 6d Tc key:hit Qc 9c").frontier == {}


def test_ez_bust_is_paid_once_the_dealers_hand_is_complete() -> None:
    played = "Kh 6s 8d Tc 0:ez_bust:500 key:stand"
    assert observed(PENN, [1000], played + " 9c 0:ez_bust:1000").frontier
    assert observed(PENN, [1000], played + " 0:ez_bust:1000 2c").frontier == {}
    assert observed(PENN, [1000], "Kh 7s 8d Tc 0:ez_bust:500").frontier == {}


@pytest.mark.parametrize("house_pays", ["at_once", "after_play"])
def test_when_a_natural_is_paid_with_two_to_nine_up(house_pays: Literal["at_once", "after_play"]) -> None:
    rules = replace(PENN, naturals_paid=house_pays)
    paid = observed(rules, [1000, 1000], "Ah Kh 6s Kd 6d Tc 0:main:2500 key:stand")
    assert bool(paid.frontier) == (house_pays == "at_once")


def test_a_device_that_found_a_natural_ends_the_round_before_anybody_plays() -> None:
    found = observed(replace(PENN, hole_check="device"), [1000, 1000], "Kh Qc As 8d Tc Kd")
    ends = found.ends(10)
    assert [main_due(found, ends, box, 10).cents() for box in (0, 1)] == [(-1000,), (-1000,)]
    assert not found.ends(9)


def test_where_any_hand_may_be_surrendered_the_first_decision_may_too() -> None:
    rules = replace(PENN, surrender_on="any_hand")
    found = observed(rules, [1000], "Kh 6s 6d Tc key:surrender")
    assert main_due(found, found.ends(10), 0, 10).cents() == (-500,)
