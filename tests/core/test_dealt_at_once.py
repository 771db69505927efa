"""A dealer who deals again at once, so that a card overtakes a reader, or who draws as many cards as a deal has."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from controller.core.messages.events import QuestionAsked, RoundStarted
from controller.core.table.state import Table
from controller.io.files import profile_files
from firmware_protocols.cards import Card
from firmware_protocols.readings import CardDrawn, ChipsSeen
from tests.core.human import HumanRig
from tests.core.quick_readers import accused, draw
from tests.core.quick_readers import table as quick_table
from tests.core.rig import MS, Rig

BARE = {"turn_key": "sometimes", "new_shoe_burns": 0}
WON = "1 main 10 / wait 6 / deal Th Kd 9c 7d / wait 3 / 1 main 20 / wait 2 / 1 main 10 / wait 6 / "
LOST = "deal Jh 6c 7s 3c / wait 3.2 / 3c / wait 0.5 / 7s / wait 1.2 / "
"""Seventeen stands, and the dealer draws to nineteen; to a hit of the three he would have drawn to sixteen."""
AGAIN = "deal Jd 9c 3s Kh / wait 2.5 / Tc / wait 1 / 1 main 0 / wait 4 / 1 main 26 / wait 6 / deal Ts 8s 8c Td / wait 9"

ASKED = "Cards came that may be the next deal's: has another round begun?"


def asked(rig: Rig) -> list[str]:
    """The questions, without the wagers that the next round would have."""
    texts = (one.text for one in rig.events if isinstance(one, QuestionAsked))
    return [text.partition(" Its wagers would be ")[0] for text in texts]


def bare(profile: str = "borgata", cycle_ms: int = 350, *, heeded: bool = True, **options: str) -> HumanRig:
    """A table at which nobody presses a key or answers."""
    rig = HumanRig(profile_files.load(profile, {**BARE, **options}).rules, {}, cycle_ms=cycle_ms)
    rig.change_house(exchanges_in_play=heeded, slips_reckoned=heeded)
    rig.reads_display = False
    return rig


def dealt(lost: str, profile: str = "borgata", cycle_ms: int = 700, *, heeded: bool = True, **options: str) -> HumanRig:
    """Three wins, a loss that is settled like this, and another deal."""
    rig = bare(profile, cycle_ms, heeded=heeded, **options)
    rig.play(f"{WON}{WON}{WON} wait 3 / {LOST} {lost} / {AGAIN}")
    return rig


@pytest.mark.parametrize("profile", ["borgata", "hollywood-perryville"])
@pytest.mark.parametrize(
    ("lost", "cycle_ms"),
    [
        ("1 main 0 / wait 1.5 / 1 main 10 / wait 0.7", 700),
        ("1 main 0 / wait 1 / 1 main 10 / wait 1.2", 1_200),
    ],
)
def test_its_first_card_is_no_card_of_the_dealers(profile: str, lost: str, cycle_ms: int) -> None:
    """With it he would have broken: the lost wager is taken, and other chips lie there, before anybody has reported it.

    A look may show them in place of the wager, or have shown before that it was gone.
    """
    rig = dealt(lost, profile, cycle_ms)
    assert ASKED in asked(rig)
    assert [one for one in rig.postings() if one.startswith("4: ")] == []
    assert accused(rig) == []


def test_it_is_not_asked_without_a_card() -> None:
    assert asked(dealt("1 main 0 / wait 1 / 1 main 10 / wait 6", cycle_ms=1_200)) == []


@pytest.mark.parametrize("cards", ["2c 3d", "2c 3d 4c 5d 6c", "Kd 9c"])
@pytest.mark.parametrize("cents", [1_000, 2_000])
def test_nor_where_no_play_was_over_before_it(cents: int, cards: str) -> None:
    """Seven against a five: other chips lie there, or a double does, and their reader reports it after the cards."""
    rig = quick_table("1 main 10", "borgata")
    draw(rig, "4h", "5s", "3c", "Td")
    rig.pass_ms(4_000)
    rig.late = True
    looks_ns = (rig.now_ns - 200 * MS, rig.now_ns)
    draw(rig, *cards.split(), gap_ms=1_500)
    kept = rig.lying[1, "main"] if cents == 2_000 else ()
    rig.values["CAFE"] = 1_000
    rig.give(ChipsSeen(1, "main", (*kept, "CAFE"), *looks_ns))
    rig.late = False
    rig.pass_ms(9_000)
    assert ASKED not in asked(rig)


def test_in_journals_of_before_a_card_between_two_looks_was_the_open_rounds() -> None:
    rig = dealt("1 main 0 / wait 1 / 1 main 10 / wait 1.2", cycle_ms=1_200, heeded=False)
    assert "4: spot 1 main +10.00" in rig.postings()


def test_nor_where_a_key_must_turn_the_hole_card() -> None:
    assert ASKED not in asked(dealt("1 main 0 / wait 1.5 / 1 main 10 / wait 0.7", turn_key="always"))


def test_nor_by_what_lies_face_down() -> None:
    assert ASKED not in asked(dealt("1 main 0 / wait 1.5 / 1 main 10 / wait 0.7", "pitch-h17"))


@pytest.mark.parametrize(("by_number", "questions"), [(True, []), (False, [ASKED])])
def test_a_whole_deal_is_asked_about_only_in_journals_of_before(questions: list[str], *, by_number: bool) -> None:
    """Two players lose as much."""
    rig = bare(cycle_ms=1_200)
    rig.change_house(deals_by_number=by_number)
    for _ in range(3):
        rig.play("1 main 10 / 2 main 10 / wait 6 / deal Th 8h Kd 9c Jh 7d / wait 3 / 1 main 20 / 2 main 20 / wait 2")
        rig.play("1 main 10 / 2 main 10 / wait 3")
    rig.play("wait 4")
    rig.play("deal Jh Jd 6c 7s 7c 3c / wait 3.2 / 3c / wait 0.5 / 7s / wait 1.2")
    rig.play(
        "1 main 0 / wait 0.5 / 2 main 0 / wait 1.5 / 1 main 10 / 2 main 10 / wait 0.7 / deal Jd 9c 3s Kh 2c 2d / wait 6"
    )
    assert asked(rig) == questions
    assert [one for one in rig.postings() if one.startswith("4: ")] == []


@pytest.mark.parametrize("last", ["9s", "2d", "Kc"])
def test_as_many_even_cards_as_a_deal_has_may_be_drawn_by_the_dealer(last: str) -> None:
    """After long thought seventeen stands, and the dealer draws four cards. The last would be a deal's hole card."""
    rig = bare()
    rig.play(f"{WON}{WON}{WON} wait 3 / deal Jh Td 7s 2c / wait 7 / deal Ad Ah 2d {last} / wait 1")
    rig.play("1 main 20 / wait 1.5 / 1 main 0 / wait 5 / 1 main 26 / wait 6 / deal Ts 8s 8c Td / wait 9")
    assert asked(rig) == [ASKED]
    assert [one for one in rig.postings() if not one.startswith(("1: ", "2: ", "3: "))] == []
    assert accused(rig) == []


@pytest.mark.parametrize("cards", ["Kd 9h 8d Ts", "As 2d 9h Kc"])
def test_cards_that_he_would_not_draw_are_a_deal(cards: str) -> None:
    """Seventeen pushed and lies there: with any hole card he would have stood or broken before the last of them."""
    rig = bare()
    rig.play(f"{WON}{WON}{WON} wait 3 / deal Jh Td 7s 7c / wait 7 / deal {cards} / wait 3")
    assert asked(rig) == []
    assert [one.round for one in rig.events if isinstance(one, RoundStarted)] == [1, 2, 3, 4, 5]


def test_where_it_has_been_asked_the_next_deal_is_one_whatever_could_be_drawn() -> None:
    """A player with twelve could have taken all of these cards."""
    rig = bare()
    rig.play(
        f"{WON}{WON}{WON} wait 3 / deal Jh Td 2s 7c / wait 7 / deal Ad Ah Ac As / wait 9 / deal 2d 2h Ac 9d / wait 9"
    )
    assert asked(rig) == [ASKED]
    assert [one.round for one in rig.events if isinstance(one, RoundStarted)] == [1, 2, 3, 4, 5]


@pytest.mark.parametrize("cards", ["Ad Ah 2d 9s", "Kd Kh Ks Kc"])
def test_no_face_decides_it_where_hands_lie_face_down(cards: str) -> None:
    rig = bare("pitch-h17")
    rig.play(f"{WON}{WON}{WON} wait 3 / deal Jh Td 7s 2c / wait 7 / deal {cards} / wait 2")
    assert asked(rig) == [ASKED]


@pytest.mark.parametrize("cards", ["?? Ah 2d 9s", "Ad ?? 2d 9s"])
def test_a_card_that_was_not_read_may_be_one_that_he_drew(cards: str) -> None:
    rig = bare()
    rig.play(f"{WON}{WON}{WON} wait 3 / deal Jh Td 7s 2c / wait 7")
    for face in cards.split():
        rig.give(CardDrawn(rig.now_ns, None if face == "??" else Card(face)))
        rig.play("wait 0.4")
    rig.play("wait 2")
    assert asked(rig) == [ASKED]


@pytest.mark.parametrize(
    "then",
    [
        f"{LOST} 1 main 0 / wait 1.5 / 1 main 10 / wait 0.7 / deal Jd 9c 3s Kh / wait 3",
        "deal Jh Td 7s 2c / wait 7 / deal Ad Ah 2d 9s / wait 2",
    ],
)
def test_journals_of_before_are_read_as_they_were(then: str) -> None:
    rig = bare(cycle_ms=700)
    rig.table = Table(replace(rig.house, moves_reconsidered=False, doubles_awaited=False), rig.table.state)
    rig.play(f"{WON}{WON}{WON} wait 3 / {then}")
    assert asked(rig) == []
