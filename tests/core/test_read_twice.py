"""A card that a shoe without numbers reports twice within a moment: who sees the felt says whether it was one."""

from __future__ import annotations

import pytest

from controller.core.messages.events import Event, QuestionAsked, QuestionWithdrawn, WagerSettled
from controller.core.messages.inputs import SetCard
from controller.io.files import profile_files
from firmware_protocols.cards import Card
from firmware_protocols.readings import CardDrawn
from tests.core.human import HumanRig
from tests.core.rig import MS

DEALT = "1 main 20 / wait 3 / key no_more_bets / wait 1 / deal Th Kc 7s 9d"
FIRST = (
    DEALT,
    "wait 4 / key stand / wait 1 / key hole_turned / wait 3 / 1 main 0 / wait 2 / key round_closed / wait 5",
)
"""Seventeen loses to nineteen: the dealer's rhythm is known."""

HITS = ("1 main 20 / wait 3 / key no_more_bets / wait 1 / deal 7h Kc 2s 9d", "wait 4 / key hit / wait 0.6")
"""Nine draws."""

ENDS = "wait 3 / key stand / wait 1 / key hole_turned / wait 3 / 1 main 0 / wait 2 / key round_closed / wait 6"

TWICE = "Two cards came at once: was one of them read twice?"


def played(apart_ms: int = 30, *, heard: bool = True, numbers: bool = False, deal_ms: int = 400) -> HumanRig:
    """A table at which the five that nine draws is reported twice."""
    options = {"new_shoe_burns": 0, "stand_key": "always", "turn_key": "always"}
    rig = HumanRig(profile_files.load("hollywood-penn-national", options).rules, {})
    rig.change_house(garbled_devices_heard=heard, shoe_numbers_cards=numbers)
    rig.reads_display = False
    for deal, rest in (FIRST, HITS):
        *bets, cards = deal.split(" / deal ")
        rig.play(bets[0])
        for face in cards.split():
            rig.give(CardDrawn(rig.now_ns, Card(face)))
            rig.pass_until(rig.now_ns + deal_ms * MS)
        rig.play(rest)
    for _ in range(2):
        rig.give(CardDrawn(rig.now_ns, Card("5h")))
        rig.pass_until(rig.now_ns + apart_ms * MS)
    return rig


def asked(rig: HumanRig) -> list[str]:
    return [one.text for one in rig.events if isinstance(one, QuestionAsked)]


def test_two_cards_that_come_at_once_are_asked_about() -> None:
    rig = played()
    assert asked(rig) == [TWICE]
    assert rig.desired.display == "Card read twice? yes/no"


def test_if_one_was_read_twice_the_floor_rules() -> None:
    rig = played()
    rig.play(f"wait 1 / key yes / {ENDS}")
    assert rig.postings_of(2) == set()
    assert rig.irregularities() == ["a card was read twice"]


def test_if_both_were_dealt_both_count() -> None:
    rig = played()
    rig.play(f"wait 1 / key no / {ENDS}")
    assert rig.postings_of(2) == {"spot 1 main +0.00"}
    assert [str(one.basis) for one in rig.events if isinstance(one, WagerSettled) and one.round == 2] == ["answer"]


def test_if_nobody_says_which_nothing_is_settled() -> None:
    rig = played()
    rig.play(f"{ENDS} / {DEALT}")
    assert rig.postings_of(2) == set()
    assert rig.irregularities() == ["nobody said whether a card was read twice"]


def test_once_the_floor_strikes_one_of_them_the_question_is_withdrawn() -> None:
    rig = played()
    second = max(one.number for one in rig.stamped if isinstance(one.input, CardDrawn))
    rig.give(SetCard(rig.now_ns, second, None, "floor", "read twice"))
    rig.play(ENDS)
    assert len([one for one in rig.events if isinstance(one, QuestionWithdrawn)]) == 1
    assert rig.irregularities() == []


@pytest.mark.parametrize(
    ("facts", "why"),
    [
        ({"apart_ms": 300}, "a dealer may draw so quickly"),
        ({"numbers": True}, "a shoe that numbers its draws says none twice"),
        ({"heard": False}, "the journal is of before"),
        ({"deal_ms": 60}, "no hand deals so quickly"),
    ],
)
def test_else_they_are_two_cards(facts: dict[str, object], why: str) -> None:
    rig = played(**facts)  # type: ignore[arg-type]
    rig.play(ENDS)
    assert asked(rig) == [], why


def test_the_faces_do_not_decide_it() -> None:
    """In the deal, where one of the two may be the hole card, which lies closed."""
    heard: list[list[Event]] = []
    for hole in ("2s", "Kc"):
        rig = played()
        rig.play(f"wait 1 / key no / {ENDS} / 1 main 20 / wait 3 / key no_more_bets / wait 1 / deal 7h Kc")
        for face in ("2s", hole):
            rig.give(CardDrawn(rig.now_ns, Card(face)))
            rig.pass_until(rig.now_ns + 20 * MS)
        rig.play("wait 2")
        heard.append(rig.events)
    assert heard[0] == heard[1]
    assert asked(rig) == [TWICE, TWICE]
