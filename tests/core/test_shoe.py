"""The shoe account: what has left the shoe, what it cannot hold, and that nobody at the table learns of it."""

from __future__ import annotations

import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from controller.core.messages.alerts import OrderRefused
from controller.core.messages.events import CardDrawn, CardOpened, ShoeBegun, ShoeEnded
from controller.core.messages.inputs import ShoeChanged
from controller.core.step import step
from controller.core.table.shoe import ShoeAccount
from controller.core.table.state import restore
from controller.formats.mqtt.retained_alerts import alerts_bytes
from controller.formats.mqtt.retained_state import round_bytes
from controller.formats.replay import read_state, state_bytes
from firmware_protocols import readings
from firmware_protocols.cards import DECK, Card
from tests.core.alerting import kinds, raised
from tests.core.rig import Rig, penn


def of_decks(decks: int) -> Rig:
    return Rig(replace(penn(stand_key="always"), decks=decks))


def one_round(rig: Rig) -> None:
    """Seven cards: twenty against seventeen."""
    rig.talk("1 main 25\nkey no_more_bets\nTh 7d Qs Td\nkey stand hole_turned\n1 main 50\n1 main 0\nkey round_closed")


def begin(rig: Rig, burn: str = "2c") -> None:
    rig.key("burn")
    rig.card(burn)


def ended(rig: Rig) -> ShoeEnded:
    (event,) = [event for event in rig.events if isinstance(event, ShoeEnded)]
    return event


def test_the_burn_key_between_rounds_begins_a_shoe_and_within_one_does_not() -> None:
    rig = of_decks(6)
    begin(rig)
    rig.talk("1 main 25\nkey no_more_bets\nTh 7d\nkey burn\n3c Qs Td")
    assert [event for event in rig.events if isinstance(event, ShoeBegun)] == [ShoeBegun(1, 6, "dealer")]
    account = rig.table.state.shoe
    assert (account.drawn, account.burned) == (6, 2)


def test_a_shoe_ends_with_its_account_and_its_burns_stay_closed_as_somebody_said_so() -> None:
    rig = of_decks(6)
    begin(rig, "2c")
    one_round(rig)
    rig.key("burn")
    assert "2c" not in [event.face for event in rig.events if isinstance(event, CardOpened)]
    account = ended(rig)
    assert (account.shoe, account.decks, account.drawn, account.burned, account.unread, account.left) == (
        1,
        6,
        5,
        1,
        0,
        None,
    )
    assert account.penetration_per_mille == 5 * 1000 // 312
    assert account.running_count == -3


def test_a_burn_is_opened_once_as_many_cards_have_come_as_its_shoe_was_loaded_with() -> None:
    rig = of_decks(1)
    begin(rig, "2c")
    burned = next(event for event in rig.events if isinstance(event, CardDrawn))
    one_round(rig)
    rig.key("burn")
    for face in DECK[:48]:
        assert burned.card not in [event.card for event in rig.events if isinstance(event, CardOpened)]
        rig.card(str(face))
    opened = [event for event in rig.events if isinstance(event, CardOpened)][-1]
    assert (opened.card, opened.face) == (burned.card, "2c")
    assert opened.nonce == hashlib.sha256(str(burned.card).encode()).hexdigest()
    assert rig.table.state.last_shoe.opened["2c"] == 1


def test_a_burn_that_the_shoe_cannot_have_held_is_found_once_it_is_opened() -> None:
    rig = of_decks(1)
    begin(rig, "Th")
    one_round(rig)
    rig.key("burn")
    for face in DECK[:48]:
        rig.card(str(face))
    assert next(one.text for one in raised(rig) if one.kind == "impossible_card").endswith(
        "is Th number 2 of a shoe that holds 1"
    )


def test_the_cut_card_is_put_down_where_it_came() -> None:
    rig = of_decks(6)
    begin(rig)
    one_round(rig)
    rig.key("cut_card")
    one_round(rig)
    rig.key("burn")
    assert ended(rig).cut_card == 5


def test_the_ninth_card_of_a_kind_is_impossible_in_a_shoe_that_holds_one() -> None:
    rig = of_decks(1)
    begin(rig)
    one_round(rig)
    assert kinds(rig) == []
    rig.talk("1 main 25\nkey no_more_bets\nTh")
    (alert,) = raised(rig)
    assert alert.kind == "impossible_card"
    assert alert.text.endswith("is Th number 2 of a shoe that holds 1")
    rig.talk("Qs")
    assert kinds(rig) == ["impossible_card"]


def test_a_hole_card_that_cannot_be_is_not_published_before_it_lies_open() -> None:
    rig = of_decks(1)
    begin(rig)
    one_round(rig)
    rig.talk("1 main 25\nkey no_more_bets\n2h 7c Kd Th")
    assert kinds(rig) == []
    rig.talk("key stand hole_turned")
    assert kinds(rig) == ["impossible_card"]


def test_nothing_is_held_against_a_shoe_nobody_announced() -> None:
    rig = of_decks(1)
    one_round(rig)
    one_round(rig)
    assert kinds(rig) == []


@pytest.mark.parametrize(("left", "found"), [(47, []), (46, ["cards_missing"]), (48, ["cards_extra"])])
def test_what_was_drawn_and_what_is_left_are_held_against_the_decks(left: int, found: list[str]) -> None:
    for by_key_first in (False, True):
        rig = of_decks(1)
        begin(rig)
        one_round(rig)
        if by_key_first:
            begin(rig)
        rig.give(ShoeChanged(rig.now_ns, left, "M. Okafor"))
        assert kinds(rig) == found
        assert rig.table.state.shoe.shoe == 2


def test_a_new_shoe_is_refused_in_the_middle_of_a_round_and_said_twice() -> None:
    rig = of_decks(1)
    rig.talk("1 main 25\nkey no_more_bets\n2h")
    rig.give(ShoeChanged(rig.now_ns, -1, "M. Okafor"))
    assert isinstance(rig.events[-1], OrderRefused)
    other = of_decks(1)
    other.give(ShoeChanged(other.now_ns, -1, "M. Okafor"))
    assert isinstance(other.events[-1], ShoeBegun)
    other.give(ShoeChanged(other.now_ns, -1, "M. Okafor"))
    assert isinstance(other.events[-1], OrderRefused)


def test_more_cards_than_were_loaded_are_too_many_once() -> None:
    rig = of_decks(1)
    begin(rig)
    for card in [*DECK, *DECK[:5]]:
        rig.key("burn")
        rig.card(str(card))
    assert kinds(rig) == ["cards_extra"]


def test_the_account_outlives_a_restart() -> None:
    rig = of_decks(6)
    begin(rig)
    one_round(rig)
    again = restore(rig.house, read_state(state_bytes(rig.table.state)))
    assert again.state.shoe == rig.table.state.shoe
    assert again.state.shoe.drawn == 5


@given(st.lists(st.sampled_from(DECK), max_size=60))
def test_what_lay_open_and_what_remains_are_the_decks(cards: list[Card]) -> None:
    account = ShoeAccount(1, 8)
    for card in cards:
        account = account.counted(str(card), 1)
    assert sum(account.remaining().values()) + len(cards) == 416
    assert -len(cards) <= account.running_count() <= len(cards)


def test_a_whole_deck_counts_to_nothing() -> None:
    assert ShoeAccount(1, 1, opened={str(card): 1 for card in DECK}).running_count() == 0


def test_no_display_and_no_retained_picture_depends_on_what_remains() -> None:
    rig = of_decks(6)
    begin(rig)
    one_round(rig)
    other = rig.table.state.shoe.counted("Ah", 20)
    table = replace(rig.table, state=replace(rig.table.state, shoe=other))
    assert round_bytes(table.house, table.state) == round_bytes(rig.house, rig.table.state)
    assert alerts_bytes(table.state) == alerts_bytes(rig.table.state)
    assert rig.give(readings.KeyPressed(rig.now_ns, "P")).desired == step(table, rig.stamped[-1]).desired
