"""A new shoe announced in the middle of one: cards that lay open count no more, and nobody comes in mid shoe."""

from __future__ import annotations

import msgspec
import pytest
from msgspec.structs import replace

from controller.core.messages.inputs import AcknowledgeAlert, ShoeChanged
from controller.core.messages.raised_alerts import AlertAcknowledged, AlertKind, AlertRaised
from controller.core.persons import Authentication
from controller.core.table.state import Table, restore
from controller.formats.replay import read_state, state_bytes
from tests.core.rig import Rig, penn

FLOOR = Authentication("key", ("floor",))
ROUND = "1 main 10 \n 9h Ts 8d 9c \n key stand hole_turned \n 1 main 0 \n key round_closed"
DECK = 52


def table(*, traced: bool = True) -> Rig:
    """A table whose shoe of a single deck has dealt a burn and two rounds: nine cards."""
    rig = Rig(replace(penn(stand_key="always", new_shoe_burns=1), decks=1))
    rig.change_house(orders_bounded=True, words_traced=traced)
    rig.talk(f"key burn \n 2c \n {ROUND} \n {ROUND}")
    return rig


def drawn(rig: Rig, cards: int) -> None:
    """The account of the shoe in use has so many cards."""
    shoe = replace(rig.table.state.shoe, drawn=cards)
    rig.table = Table(rig.house, replace(rig.table.state, shoe=shoe), rig.table.lattice)


def announce(rig: Rig, who: str = "M. Okafor", left: int = -1) -> None:
    rig.give(ShoeChanged(rig.now_ns, left, who, FLOOR))


def early(rig: Rig) -> list[AlertRaised]:
    return [one for one in rig.events if isinstance(one, AlertRaised) and one.kind is AlertKind.SHOE_ENDED_EARLY]


@pytest.mark.parametrize("afresh", [False, True])
def test_who_announced_it_is_named_once_a_round_is_dealt_from_it(*, afresh: bool) -> None:
    rig = table()
    announce(rig)
    if afresh:
        rig.table = restore(rig.house, read_state(state_bytes(rig.table.state)))
    rig.talk("2c")
    assert not early(rig)
    rig.talk(f"{ROUND} \n {ROUND}")
    (alert,) = early(rig)
    assert alert.text == (
        "M. Okafor announced a new shoe once 9 of the 52 cards of shoe 1 were drawn; "
        "what lay open before counts no more"
    )
    assert (alert.round, alert.who) == (3, "M. Okafor")
    for who in ("M. Okafor", "J. Lee"):
        rig.give(AcknowledgeAlert(rig.now_ns, alert.alert, who, "seen", FLOOR))
    assert [one.who for one in rig.events_of(AlertAcknowledged)] == ["J. Lee"]


def test_by_the_key_it_is_the_dealer_and_nobody_is_named() -> None:
    rig = table()
    rig.talk(f"key burn \n 2c \n {ROUND}")
    (alert,) = early(rig)
    assert alert.text.startswith("dealer announced a new shoe")
    assert alert.who is msgspec.UNSET


def test_a_count_that_fits_does_not_hide_it() -> None:
    """Who knows how many were drawn knows what to say."""
    rig = table()
    announce(rig, left=DECK - 9)
    rig.talk(f"2c \n {ROUND}")
    assert len(early(rig)) == 1


@pytest.mark.parametrize(("cards", "is_early"), [(25, True), (26, False)])
def test_a_shoe_of_which_half_was_dealt_is_over(cards: int, *, is_early: bool) -> None:
    rig = table()
    drawn(rig, cards)
    announce(rig)
    rig.talk(f"2c \n {ROUND}")
    assert bool(early(rig)) == is_early


@pytest.mark.parametrize(("cards", "is_early"), [(12, True), (13, False)])
def test_or_a_quarter_where_its_cut_card_has_come(cards: int, *, is_early: bool) -> None:
    rig = table()
    drawn(rig, cards)
    rig.key("cut_card")
    announce(rig)
    rig.talk(f"2c \n {ROUND}")
    assert bool(early(rig)) == is_early


def test_a_key_that_is_taken_back_ends_no_shoe() -> None:
    rig = table()
    rig.talk(f"key burn undo \n {ROUND}")
    assert not early(rig)
    announce(rig)
    rig.talk(f"2c \n {ROUND}")
    assert len(early(rig)) == 1


def test_a_shoe_from_which_no_round_was_dealt_ends_as_the_one_before_it() -> None:
    """A lock that is undone lets another be announced in its place."""
    rig = table()
    announce(rig)
    rig.talk("1 main 10 \n key no_more_bets undo")
    announce(rig, "J. Lee")
    rig.talk("1 main 10 \n key no_more_bets undo")
    announce(rig)
    assert [one.name for one in rig.table.state.announcers] == ["M. Okafor", "J. Lee"]
    rig.talk(f"2c 3c 4c \n {ROUND}")
    (alert,) = early(rig)
    assert "once 9 of the 52 cards of shoe 1 were drawn" in alert.text
    assert alert.who == "M. Okafor, J. Lee"


def test_who_announced_the_shoe_before_a_dealt_one_is_not_named() -> None:
    rig = table()
    announce(rig)
    rig.talk(f"2c \n {ROUND}")
    announce(rig, "J. Lee")
    rig.talk(f"2c \n {ROUND}")
    assert [one.who for one in early(rig)] == ["M. Okafor", "J. Lee"]


def test_a_tables_first_shoe_ends_none_that_is_known() -> None:
    rig = Rig(penn(stand_key="always", new_shoe_burns=1))
    rig.talk(f"{ROUND} \n key burn \n 2c \n {ROUND}")
    assert not early(rig)


def test_in_a_journal_of_before_it_was_no_alert() -> None:
    rig = table(traced=False)
    announce(rig)
    rig.talk(f"2c \n {ROUND}")
    assert not early(rig)
