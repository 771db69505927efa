"""A card that the shoe could not read is what a person says that it is, and later cards may show that it was not.

What they then show is about that word: who gave it does not see to the alert, and it silences no other of the shoe.
"""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from controller.core.messages.events import CardDrawn
from controller.core.messages.inputs import AcknowledgeAlert, ApproveOrder, SetCard, ShoeChanged
from controller.core.messages.raised_alerts import AlertKind, AlertRaised
from controller.core.persons import Authentication
from controller.core.table.state import restore
from controller.formats.replay import read_state, state_bytes
from firmware_protocols.cards import Card
from tests.core.rig import Rig, penn

FLOOR = Authentication("key", ("floor",))
WATCH = Authentication("socket", ("surveillance",), 1002)
CROOK, HONEST = "M. Crook", "A. Honest"
KING_AGAIN = "1 main 10 \n key no_more_bets \n Ks 7h 8d Kd \n key stand hole_turned \n 1 main 0 \n key round_closed"


def name(rig: Rig, card: int, face: str | None, who: str = CROOK) -> None:
    seen = None if face is None else Card(face)
    rig.give(SetCard(rig.now_ns, card, seen, who, "seen", vouched=FLOOR))


def named(face: str = "Ks", *, carried: bool = True) -> tuple[Rig, int]:
    """A shoe of one deck, of whose first round the player's hit was not read and is said to be ``face``; that card."""
    rig = Rig(replace(penn(stand_key="always", new_shoe_burns=1), decks=1))
    rig.change_house(orders_bounded=True, orders_traced=True, two_persons=True, words_carried=carried)
    rig.talk("key burn \n 2c \n 1 main 10 \n key no_more_bets \n 5h 9h 6s 8s")
    rig.card(None)
    card = max(one.card for one in rig.events if isinstance(one, CardDrawn))
    name(rig, card, face)
    return rig, card


def ended(face: str = "Ks", *, carried: bool = True) -> Rig:
    """The same, with the round over."""
    rig, _ = named(face, carried=carried)
    close(rig)
    return rig


def close(rig: Rig) -> None:
    rig.talk("key hole_turned \n 1 main 0 \n key round_closed")


def impossible(rig: Rig) -> list[AlertRaised]:
    return [one for one in rig.events if isinstance(one, AlertRaised) and one.kind is AlertKind.IMPOSSIBLE_CARD]


def still_listed(rig: Rig, who: str) -> bool:
    """Whether the last of these alerts is on the list once a person has tried to acknowledge it."""
    number = impossible(rig)[-1].alert
    rig.give(AcknowledgeAlert(rig.now_ns, number, who, "misread", FLOOR))
    return rig.table.state.alerts.find(number) is not None


@pytest.mark.parametrize("afresh", [False, True])
def test_who_named_a_card_does_not_see_to_the_alert_that_the_true_one_raises(*, afresh: bool) -> None:
    rig = ended()
    if afresh:
        rig.table = restore(rig.house, read_state(state_bytes(rig.table.state)))
    rig.talk(KING_AGAIN)
    (alert,) = impossible(rig)
    assert (alert.round, alert.who) == (2, CROOK)
    assert alert.text.endswith("is Ks number 2 of a shoe that holds 1")
    assert still_listed(rig, CROOK)
    assert not still_listed(rig, HONEST)


def test_in_a_journal_of_before_who_named_it_did() -> None:
    rig = ended(carried=False)
    rig.talk(f"{KING_AGAIN} \n {KING_AGAIN}")
    assert len(impossible(rig)) == 1
    assert not still_listed(rig, CROOK)
    assert not rig.table.state.shoe.named


def test_what_the_shoe_shows_by_itself_is_said_once_all_the_same() -> None:
    rig = ended()
    rig.talk(f"{KING_AGAIN} \n {KING_AGAIN} \n {KING_AGAIN}")
    by_word, by_itself = impossible(rig)
    assert (by_word.round, by_word.who) == (2, CROOK)
    assert not isinstance(by_itself.who, str)
    assert by_itself.round == 3
    assert not still_listed(rig, CROOK)


@pytest.mark.parametrize("shown", [False, True])
def test_nor_does_it_silence_that_more_cards_were_counted_than_there_are(*, shown: bool) -> None:
    """The count of the shoe, once a new one is announced, is another person's."""
    rig = ended()
    rig.talk(KING_AGAIN if shown else "")
    rig.key("burn")
    drawn = rig.table.state.last_shoe.drawn
    rig.give(ShoeChanged(rig.now_ns, 52 - drawn + 6, HONEST, WATCH))
    assert AlertKind.CARDS_EXTRA in [one.kind for one in rig.events if isinstance(one, AlertRaised)]


def test_a_card_of_another_face_is_about_no_word() -> None:
    rig = ended("Kc")
    rig.talk(f"{KING_AGAIN} \n {KING_AGAIN}")
    (alert,) = impossible(rig)
    assert not isinstance(alert.who, str)


def test_whoever_names_what_the_shoe_has_shown_is_reported_at_once() -> None:
    """Also where it was said before that this shoe holds what it cannot hold."""
    for shown in (1, 2):
        rig = Rig(replace(penn(stand_key="always", new_shoe_burns=1), decks=1))
        rig.change_house(orders_bounded=True, two_persons=True)
        rig.talk("key burn \n 2c")
        for _ in range(shown):
            rig.talk(KING_AGAIN)
        rig.talk("1 main 10 \n key no_more_bets \n 5h 9h 6s 8s")
        rig.card(None)
        name(rig, max(one.card for one in rig.events if isinstance(one, CardDrawn)), "Ks")
        assert impossible(rig)[-1].who == CROOK
        assert still_listed(rig, CROOK)


def test_once_two_have_named_it_otherwise_the_alert_is_about_them() -> None:
    rig, card = named()
    name(rig, card, "Kd", HONEST)
    rig.give(ApproveOrder(rig.now_ns, 1, "J. Lee", WATCH))
    assert [(one.face, [person.name for person in one.people]) for one in rig.table.state.shoe.named] == [
        ("Kd", [HONEST, "J. Lee"])
    ]
    close(rig)
    rig.talk(KING_AGAIN)
    assert [one.who for one in impossible(rig)] == [f"{HONEST}, J. Lee"]


def test_a_card_that_was_struck_is_named_no_more() -> None:
    rig, card = named()
    name(rig, card, None, HONEST)
    rig.give(ApproveOrder(rig.now_ns, 1, "J. Lee", WATCH))
    assert not rig.table.state.shoe.named


def test_of_two_that_were_named_the_same_all_are_named() -> None:
    rig, _ = named()
    rig.card(None)
    name(rig, max(one.card for one in rig.events if isinstance(one, CardDrawn)), "Ks", HONEST)
    assert [one.who for one in impossible(rig)] == [f"{CROOK}, {HONEST}"]
