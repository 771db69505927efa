"""What the table concludes from players' chips and draws, and a person from elsewhere says, opens no closed hole card.

A round that a player feigns while the real one goes on has a hole card, too, and a turn: one of the cards he draws.
"""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from controller.core.messages.alerts import CloseRefused
from controller.core.messages.events import (
    CardOpened,
    HoleCardRevealed,
    KeyUndone,
    QuestionAsked,
    RoundClosed,
    ShoeBegun,
)
from controller.core.messages.inputs import ShoeChanged, VoidRound
from controller.core.table.shoe import ShoeAccount
from firmware_protocols.cards import DECK
from firmware_protocols.readings import CardDrawn, KeyPressed
from tests.core.rig import KEY_OF, Rig
from tests.core.test_stated_deals import FLOOR, announce, deal, rig_of, say

HOLE = "9c"


def last_card(rig: Rig) -> int:
    return [one.number for one in rig.stamped if isinstance(one.input, CardDrawn)][-1]


def opened(rig: Rig) -> set[int]:
    return {event.card for event in rig.events_of(CardOpened)}


def honest_round(rig: Rig, keys: str) -> None:
    """Nineteen against sixteen that breaks, with the keys of its end that are pressed."""
    rig.talk("1 main 0 \n 2 main 0 \n 1 main 10")
    rig.pass_ms(6_000)
    deal(rig, "Ts 6d 9h Kc")
    rig.talk(f"key stand {keys} \n Th")
    rig.pass_ms(3_000)
    rig.talk("1 main 20")
    rig.pass_ms(3_000)
    rig.talk("1 main 0")


def keyed_round(rig: Rig) -> None:
    """A round of which a key says that the hole card is turned, and another that it is over."""
    honest_round(rig, "hole_turned")
    rig.key("round_closed")
    rig.pass_ms(6_000)


def feigned(*, heeded: bool = True, slip: str = "") -> tuple[Rig, int]:
    """Two boxes whose players change their chips and draw as fast as the dealer deals, twice, and then think.

    The number of the hole card that the dealer has never turned. ``slip``: the keys that he presses meanwhile.
    """
    rig = rig_of("dealt")
    rig.change_house(turns_keyed=heeded)
    keyed_round(rig)
    rig.talk("1 main 10 \n 2 main 10")
    rig.pass_ms(3_000)
    deal(rig, f"2s Ac 6d 2h 2d {HOLE}")
    hole = last_card(rig)
    for cents in (35, 10):
        rig.talk(f"1 main {cents} \n 2 main {cents}")
        rig.pass_ms(8_000)
    rig.pass_ms(4_000)
    deal(rig, "Ad Ah As Th 4c 7c")
    rig.pass_ms(4_000)
    rig.late = True
    rig.talk(f"6c \n {slip}")
    rig.late = False
    rig.pass_ms(80_000)
    assert len(rig.events_of(HoleCardRevealed)) == 2, "the feigned round is turned"
    return rig, hole


def close_unconfirmed(rig: Rig) -> int:
    """A round that is closed before the readers have confirmed what lies there; the number of the key."""
    rig.talk("1 main 10")
    rig.pass_ms(6_000)
    deal(rig, "Ts 6d 9h Kc")
    rig.late = True
    rig.talk("key stand \n Th \n key round_closed")
    return rig.number


def over(rig: Rig) -> None:
    """The floor says from elsewhere that the round is over."""
    assert rig.events_of(QuestionAsked)[-1].text == "Is round 3 over?"
    assert say(rig, "yes", "M. Okafor") == []
    assert rig.events_of(RoundClosed)[-1].round == 3


def begin_shoe(rig: Rig, key: str) -> None:
    """Somebody says that the shoe is new, and its first card is burned."""
    announce(rig, key)
    for _ in range(rig.table.state.burns):
        rig.card("2d")
        rig.pass_ms(4_000)


def draw(rig: Rig, cards: int) -> None:
    """So many cards of no round."""
    for place in range(cards):
        rig.card(str(DECK[place % len(DECK)]))


@pytest.mark.parametrize("heeded", [True, False])
def test_a_turn_that_a_player_feigned_lets_nobody_open_the_real_hole_card_by_a_new_shoe(*, heeded: bool) -> None:
    rig, hole = feigned(heeded=heeded)
    over(rig)
    announce(rig, "order")
    assert rig.events_of(ShoeBegun)
    assert (hole in opened(rig)) is not heeded


@pytest.mark.parametrize("key", ["order", "key"])
def test_nor_does_saying_it_again_shorten_that_or_another_turn_that_was_concluded(key: str) -> None:
    rig, hole = feigned()
    over(rig)
    begin_shoe(rig, key)
    honest_round(rig, "")
    rig.pass_ms(30_000)
    assert len(rig.events_of(HoleCardRevealed)) == 3
    rig.talk("1 main 10")
    rig.pass_ms(6_000)
    deal(rig, "Ts 6d 9h Kc")
    rig.give(VoidRound(rig.now_ns, rig.table.state.rounds, "M. Okafor", "misdeal", FLOOR))
    announce(rig, key)
    rig.give(ShoeChanged(rig.now_ns, 100, "M. Okafor", FLOOR))
    assert hole not in opened(rig)
    assert hole in {card.number for card in rig.table.state.last_shoe.closed}


def test_it_is_opened_once_as_many_cards_have_come_as_its_shoe_was_loaded_with() -> None:
    rig, hole = feigned()
    place = [one.number for one in rig.stamped if isinstance(one.input, CardDrawn)].index(hole) + 1
    over(rig)
    announce(rig, "order")
    draw(rig, place + ShoeAccount(decks=rig.house.rules.decks).loaded() - rig.table.state.cards_drawn - 1)
    assert hole not in opened(rig)
    rig.card("2c")
    assert hole in opened(rig)


@pytest.mark.parametrize("keys", ["hole_turned", "round_closed"])
def test_or_once_a_key_has_turned_a_later_one(keys: str) -> None:
    """Also where the turn was concluded and the key of the round's end followed."""
    rig, hole = feigned()
    over(rig)
    begin_shoe(rig, "key")
    honest_round(rig, "" if keys == "round_closed" else keys)
    if keys == "round_closed":
        rig.pass_ms(30_000)
        assert hole not in opened(rig)
        rig.key("round_closed")
        rig.pass_ms(6_000)
    assert hole in opened(rig)


def test_what_a_key_has_turned_stays_so_whatever_is_concluded_later() -> None:
    rig = rig_of("dealt")
    rig.card("Th")
    card = last_card(rig)
    rig.pass_ms(6_000)
    honest_round(rig, "hole_turned")
    rig.key("round_closed")
    pressed = rig.number
    rig.pass_ms(6_000)
    assert rig.table.state.keyed_turn < pressed, "the first key of the round counts"
    honest_round(rig, "")
    rig.pass_ms(80_000)
    assert len(rig.events_of(HoleCardRevealed)) == 2
    announce(rig, "order")
    assert card in opened(rig)


def test_a_key_counts_from_when_it_was_pressed() -> None:
    rig = rig_of("dealt")
    keyed_round(rig)
    pressed = close_unconfirmed(rig)
    rig.late = False
    rig.pass_ms(6_000)
    assert len(rig.events_of(RoundClosed)) == 2
    assert rig.table.state.keyed_turn == pressed < rig.number


def test_a_close_that_was_taken_back_is_no_key_that_turned_it() -> None:
    rig, hole = feigned(slip="key round_closed \n key undo")
    assert len(rig.events_of(KeyUndone)) == 1
    over(rig)
    announce(rig, "order")
    assert rig.events_of(ShoeBegun)
    assert hole not in opened(rig)


def test_nor_is_one_that_was_refused_before_somebody_said_from_elsewhere_that_the_round_is_over() -> None:
    rig = rig_of("dealt", stand_key="always")
    honest_round(rig, "hole_turned")
    rig.key("round_closed")
    keyed = rig.table.state.keyed_turn
    rig.pass_ms(6_000)
    rig.talk("1 main 10")
    rig.pass_ms(6_000)
    deal(rig, "Ts 6d 9h Kc")
    rig.talk("key round_closed")
    assert rig.events_of(CloseRefused)
    rig.talk("key stand \n 2h")
    rig.pass_ms(30_000)
    assert len(rig.events_of(HoleCardRevealed)) == 2
    rig.talk("5h")
    rig.pass_ms(80_000)
    assert rig.events_of(QuestionAsked)[-1].text == "Is round 2 over?"
    assert say(rig, "yes", "M. Okafor") == []
    assert len(rig.events_of(RoundClosed)) == 2
    assert rig.table.state.keyed_turn == keyed


@pytest.mark.parametrize("heeded", [True, False])
def test_the_last_card_of_an_earlier_shoe_counts_for_no_later_one(*, heeded: bool) -> None:
    rig = rig_of("dealt")
    rig.change_house(turns_keyed=heeded)
    keyed_round(rig)
    rig.give(KeyPressed(rig.now_ns, KEY_OF["burn"], held=True))
    rig.card("9c")
    burned = last_card(rig)
    rig.pass_ms(4_000)
    begin_shoe(rig, "key")
    keyed_round(rig)
    begin_shoe(rig, "key")
    assert HOLE in {str(card.face) for card in rig.table.state.last_shoe.closed}
    before = rig.table.state.last_shoe.opened.get(HOLE, 0)
    draw(rig, ShoeAccount(decks=rig.house.rules.decks).loaded())
    assert burned in opened(rig)
    assert rig.table.state.last_shoe.opened.get(HOLE, 0) - before == (0 if heeded else 1)


@pytest.mark.parametrize("heeded", [True, False])
def test_what_waited_is_opened_where_the_next_shoe_has_fewer_decks(*, heeded: bool) -> None:
    rig = rig_of("dealt")
    rig.change_house(turns_keyed=heeded)
    begin_shoe(rig, "key")
    burned = last_card(rig)
    keyed_round(rig)
    begin_shoe(rig, "key")
    draw(rig, 52)
    keyed_round(rig)
    assert burned not in opened(rig)
    rig.change_house(rules=replace(rig.house.rules, decks=1))
    announce(rig, "order")
    assert rig.events_of(ShoeBegun)[-1].decks == 1
    assert (burned in opened(rig)) is heeded


@pytest.mark.parametrize("shoes", [1, 2])
def test_it_counts_for_the_shoe_that_it_was_drawn_from_and_for_no_later_one(shoes: int) -> None:
    rig, hole = feigned()
    over(rig)
    for _ in range(shoes):
        begin_shoe(rig, "key")
        honest_round(rig, "")
        rig.pass_ms(30_000)
        if rig.table.state.shoe.shoe < shoes:
            rig.talk("1 main 10")
            rig.pass_ms(6_000)
    before = rig.table.state.last_shoe.opened.get(HOLE, 0)
    rig.key("round_closed")
    rig.pass_ms(6_000)
    assert hole in opened(rig)
    assert rig.table.state.last_shoe.opened.get(HOLE, 0) - before == (1 if shoes == 1 else 0)


def test_where_no_hole_card_is_dealt_a_card_of_no_round_waits_for_no_key() -> None:
    rig = rig_of("none")
    rig.card("Th")
    card = last_card(rig)
    rig.pass_ms(6_000)
    announce(rig, "order")
    assert card in opened(rig)
