"""A deal taken for more cards of the round before, up to the first that it could not take: that one began no deal."""

from __future__ import annotations

import pytest

from controller.core.messages.events import QuestionAsked
from tests.core.human import HumanRig, keyless
from tests.core.quick_readers import accused

LOST = "4 main 10 / 5 main 30 / wait 6 / deal 9h 8h Kh 9s Jd Td / wait 6 / 4 main 0 / 5 main 0 / wait 6"
PUSHED = "4 main 10 / 5 main 30 / wait 6 / deal Qc Js Kd Kd Js 3d / wait 4 / 7s"
NEXT = "deal 3d 4c 2h 8c 2c 5h / wait 3 / 4 main 20 / wait 2 / 5c / wait 2 / Jc / wait 2 / Jh"
"""Both break: the first with a double."""
TAKEN = (
    "wait 3 / 5 main 0 / wait 1 / 4 main 0 / wait 5 / 4 main 15 / 5 main 25 / wait 6 / deal Th 9c 8c 9d Ts Jc / wait 9"
)


def played(profile: str, pause_s: float, between: str = "wait 0", *, doubted: bool = True) -> HumanRig:
    """Two pushes let lie, the next deal so many seconds later; not ``doubted``: by a journal of before."""
    rig = keyless(profile, 350)
    rig.change_house(doubles_awaited=doubted)
    rig.play(f"{LOST} / {LOST} / {PUSHED} / {between} / wait {pause_s} / {NEXT} / {TAKEN}")
    return rig


@pytest.mark.parametrize("pause_s", [3.2, 3.4])
@pytest.mark.parametrize("profile", ["borgata", "hollywood-penn-national", "classic-shoe-and-pitch"])
def test_nothing_is_settled_by_it(profile: str, pause_s: float) -> None:
    rig = played(profile, pause_s)
    assert [one for one in rig.postings() if one.startswith("4: ")] == []
    asked = [one.text for one in rig.events_of(QuestionAsked) if one.round == 4]
    assert asked == ["Are the cards of this deal other ones than counted: one was burned, or drawn before it?"]
    assert accused(rig) == []


def test_in_journals_of_before_both_won() -> None:
    rig = played("borgata", 3.2, doubted=False)
    assert "4: spot 4 main +10.00" in rig.postings()
    assert accused(rig) != []


def test_where_it_comes_as_late_as_a_deal_it_is_one() -> None:
    rig = played("borgata", 4)
    assert [one for one in rig.postings() if one.startswith("4: ")] == [
        "4: spot 5 main -30.00",
        "4: spot 4 main -20.00",
    ]


def test_where_a_key_has_closed_the_round_nothing_is_asked() -> None:
    rig = played("borgata", 3.1, "key round_closed")
    assert [one.text for one in rig.events_of(QuestionAsked) if one.round == 4] == []
    assert [one for one in rig.postings() if one.startswith("4: ")] == [
        "4: spot 5 main -30.00",
        "4: spot 4 main -20.00",
    ]
