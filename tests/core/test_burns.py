"""A new shoe's burns: awaited from its announcement on, counted on its account, and no cards of a round."""

from __future__ import annotations

from random import Random

import pytest
from msgspec.structs import replace

from controller.core.messages.alerts import OrderRefused
from controller.core.messages.events import CardBurned, ShoeBegun, ShoeEnded
from controller.core.messages.inputs import ShoeChanged
from controller.core.table.state import restore
from controller.formats.replay import read_state, state_bytes
from firmware_protocols.cards import Card
from firmware_protocols.readings import CardDrawn, KeyPressed
from simulators.people.dealer import play
from simulators.people.house import House
from simulators.people.rack import Rack
from tests.core.houses import chips_of, rules_of
from tests.core.rig import KEY_OF, Rig, coded, penn, settled
from tests.core.test_restore import replayed
from tests.core.test_truth import true_account

ROUND = "1 main 25 \n key no_more_bets \n Th 7d Qs Td \n key stand hole_turned round_closed"
WON = ["1: spot 1 main +25.00"]


def table(burns: int) -> Rig:
    return Rig(penn(stand_key="always", new_shoe_burns=burns))


def new_shoe(rig: Rig, left: int = -1) -> None:
    rig.give(ShoeChanged(rig.now_ns, left, "M. Okafor"))


def tap(rig: Rig) -> None:
    rig.key("burn")


def burned(rig: Rig) -> int:
    """The cards burned by event; the account says the same."""
    count = len(rig.events_of(CardBurned))
    assert rig.table.state.shoe.burned == count
    return count


@pytest.mark.parametrize("announce", [tap, new_shoe])
def test_the_house_burns_so_many_of_a_new_shoe(announce: object) -> None:
    rig = table(3)
    assert callable(announce)
    announce(rig)
    shown = [rig.desired.display]
    for face in ("2c", "3c", "4c"):
        rig.card(face)
        shown.append(rig.desired.display)
    assert shown == ["Burn 3 cards", "Burn 2 cards", "Burn 1 card", "Bets open"]
    rig.talk(ROUND)
    assert (burned(rig), rig.postings()) == (3, WON)
    assert rig.table.state.shoe.drawn == 7


def test_a_dealer_may_press_for_each_burn_as_well() -> None:
    rig = table(2)
    for face in ("2c", "3c"):
        tap(rig)
        rig.card(face)
    rig.talk(ROUND)
    assert (burned(rig), rig.postings()) == (2, WON)
    again = table(2)
    tap(again)
    tap(again)
    assert again.desired.display == "Burn 2 cards"


def test_a_press_beyond_them_burns_one_more() -> None:
    rig = table(1)
    tap(rig)
    tap(rig)
    assert rig.desired.display == "Burn 2 cards"
    rig.talk("2c 3c")
    tap(rig)
    rig.talk("4c \n" + ROUND)
    assert (burned(rig), rig.postings()) == (3, WON)


def test_where_no_card_of_a_new_shoe_is_burned_only_the_key_burns_one() -> None:
    rig = table(0)
    new_shoe(rig)
    assert rig.desired.display == "Bets open"
    rig.talk(ROUND)
    assert (burned(rig), rig.postings()) == (0, WON)
    tap(rig)
    assert rig.desired.display == "Burn 1 card"


def test_a_new_dealer_burns_one_card_and_begins_no_shoe() -> None:
    rig = table(3)
    rig.give(KeyPressed(rig.now_ns, KEY_OF["burn"], held=True))
    assert rig.desired.display == "Burn 1 card"
    assert rig.events_of(ShoeBegun) == []


def test_burns_of_a_second_shoe_are_awaited_anew() -> None:
    rig = table(2)
    tap(rig)
    rig.talk("2c 3c \n" + ROUND)
    tap(rig)
    assert rig.desired.display == "Burn 2 cards"
    assert [event.burned for event in rig.events_of(ShoeEnded)] == [2]
    assert rig.table.state.shoe.burned == 0


def test_a_shoe_announced_twice_awaits_its_burns_once() -> None:
    rig = table(2)
    new_shoe(rig)
    tap(rig)
    new_shoe(rig)
    assert rig.desired.display == "Burn 2 cards"
    assert len(rig.events_of(ShoeBegun)) == 1
    assert len(rig.events_of(OrderRefused)) == 1


def test_what_was_left_may_be_published_once_the_bets_of_the_new_shoe_are_locked() -> None:
    rig = table(1)
    tap(rig)
    rig.talk("2c \n" + ROUND)
    tap(rig)
    rig.talk("3c \n 1 main 25 \n key no_more_bets")
    new_shoe(rig, left=411)
    assert [event.shoe for event in rig.events_of(ShoeBegun)] == [1, 2]
    assert rig.events_of(OrderRefused) == []


def test_in_a_journal_of_before_a_shoe_announced_after_the_lock_is_what_the_locked_round_is_dealt_from() -> None:
    rig = table(1)
    rig.change_house(floor_claims_checked=False)
    rig.talk("1 main 25 \n key no_more_bets")
    new_shoe(rig)
    assert rig.table.state.shoe_round == 1
    rig.talk("2c Th 7d Qs Td \n key stand hole_turned round_closed")
    assert (burned(rig), rig.postings()) == (1, WON)


def test_cards_of_the_shoes_own_burn_mode_are_those_awaited() -> None:
    rig = table(2)
    tap(rig)
    for face in ("2c", "3c"):
        rig.give(CardDrawn(rig.now_ns, Card(face), burn=True))
    assert rig.desired.display == "Bets open"
    rig.talk(ROUND)
    assert (burned(rig), rig.postings()) == (2, WON)


def test_undo_takes_back_an_announcement_and_the_shoe_before_goes_on() -> None:
    rig = table(2)
    tap(rig)
    rig.talk("2c 3c \n" + ROUND)
    before = rig.table.state
    tap(rig)
    tap(rig)
    tap(rig)
    assert rig.table.state.burns == 3
    rig.key("undo")
    assert rig.table.state.burns == 2
    rig.talk("key undo undo")
    after = rig.table.state
    assert (after.burns, after.shoe_round) == (0, before.shoe_round)
    # Its end was published and stays so; under the next number the account goes on.
    assert after.shoe == replace(before.shoe, shoe=2)
    assert (after.shoe.drawn, len(after.shoe.closed)) == (6, 2)


def test_simulated_people_who_burn_three_are_settled_as_they_played() -> None:
    rack = Rack()
    rig = Rig(rules_of("hollywood-penn-national", stand_key="always", new_shoe_burns=3), chips_of(rack))
    played = rig.perform(play(House(new_shoe_burns=3), Random(4), rack, rounds=40, stand_key="always", decks=2))
    assert len(rig.events_of(ShoeBegun)) > 2
    assert len(rig.events_of(CardBurned)) == 3 * len(rig.events_of(ShoeBegun))
    assert settled(rig.events) == true_account(played)


def test_burns_are_awaited_over_a_restart_and_replay() -> None:
    rig = table(3)
    tap(rig)
    rig.card("2c")
    rig.table = restore(rig.house, read_state(state_bytes(rig.table.state)))
    rig.talk("3c 4c \n" + ROUND)
    assert (burned(rig), rig.postings()) == (3, WON)
    again = [event for stepped in replayed(rig.house, rig.stamped) for event in stepped.events]
    assert [coded(event) for event in again] == [coded(event) for event in rig.events]
