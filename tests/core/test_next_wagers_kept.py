"""A push after which nothing moves, and the next deal: in a pitch game no face may say whether it is one.

Nobody answers whether another round has begun. Its wagers are locked in none, so the reason of the round names them.
"""

from __future__ import annotations

import pytest

from controller.core.messages.alerts import RoundIrregular
from controller.core.messages.events import WagerUnresolved
from controller.core.messages.raised_alerts import AlertKind
from tests.core.human import HumanRig, keyless
from tests.core.quick_readers import alerts

PUSHED = "1 main 10 / wait 3 / deal Ts Tc Td Ks / wait 12 / deal 2s 5h 5d 6d / wait 2 / 4h / wait 2 / 6d / wait 4 / Qd"
NEXT = "wait 2 / 1 main 0 / wait 6 / 1 main 10 / wait 3 / deal Th 9c 9d 8s / wait 6"
UNSAID = "nobody said whether another round had begun"


def played(profile: str, *, kept: bool = True) -> HumanRig:
    """Twenty pushes against twenty, and the wager is left for the next round, which it loses to twenty-one."""
    rig = keyless(profile)
    rig.change_house(next_wagers_kept=kept)
    rig.play(f"{PUSHED} / {NEXT}")
    return rig


def reasons(rig: HumanRig) -> list[str]:
    return [one.reason for one in rig.events if isinstance(one, RoundIrregular)]


def test_in_a_pitch_game_its_reason_names_the_wagers_of_the_other_round() -> None:
    rig = played("pitch-h17")
    assert reasons(rig) == [f"{UNSAID}; its wagers, locked in no round, would be spot 1 main 10.00"]
    assert alerts(rig, AlertKind.ROUND_IRREGULAR) == [AlertKind.ROUND_IRREGULAR]
    assert [(one.round, one.spot) for one in rig.events_of(WagerUnresolved)] == [(1, 1)]
    assert rig.postings() == []


def test_in_journals_of_before_the_question_alone_named_them() -> None:
    assert reasons(played("pitch-h17", kept=False)) == [UNSAID]


@pytest.mark.parametrize("profile", ["borgata", "classic-shoe-and-pitch", "hollywood-perryville"])
def test_where_the_faces_lie_open_the_two_rounds_come_apart(profile: str) -> None:
    rig = played(profile)
    assert reasons(rig) == []
    assert [(one.round, one.spot) for one in rig.events_of(WagerUnresolved)] == [(1, 1)]
    assert rig.postings() == ["2: spot 1 main -10.00"]


TAKEN_UP_LATE = (
    "1 main 30 / 4 main 10 / wait 4 / Jd / wait 0.7 / Jd / wait 0.6 / 7s / wait 0.6 / Qh / wait 0.7 / 7s"
    " / wait 0.6 / Jh"
    " / wait 7.6 / 1 main 60 / wait 1.3 / 1 main 30 / wait 2.4 / Jh / wait 0.6 / Jc / wait 0.7 / Qd / wait 0.5 / 7c"
    " / wait 0.7 / 9h / wait 0.7 / 9h / wait 7.7 / 1 main 0 / wait 0.9 / 4 main 0 / wait 0.5 / 1 main 30 / wait 2.6"
    " / 4 main 10 / wait 3 / 5s / wait 0.5 / 3c / wait 0.7 / 5s / wait 0.7 / Jd / wait 0.6 / 7c"
    " / wait 0.5 / 6c / wait 6"
)
"""The dealer deals as soon as a winner has taken up his payment, before his reader has seen it gone for long enough."""


def test_a_payment_that_was_taken_up_before_the_deal_is_no_wager_of_it() -> None:
    rig = keyless("classic-shoe-and-pitch", 350)
    rig.play(TAKEN_UP_LATE)
    assert f"{UNSAID}; its wagers, locked in no round, would be spot 1 main 30.00, spot 4 main 10.00" in reasons(rig)


def test_in_journals_of_before_it_was_one() -> None:
    rig = keyless("classic-shoe-and-pitch", 350)
    rig.change_house(next_wagers_followed=False)
    rig.play(TAKEN_UP_LATE)
    assert f"{UNSAID}; its wagers, locked in no round, would be spot 1 main 60.00, spot 4 main 10.00" in reasons(rig)


DEALT_LATER = (
    "2 main 10 / wait 5 / Th / wait 0.5 / 9c / wait 0.5 / Kd / wait 0.5 / 8s / wait 4 / 2 main 20 / wait 1.5 / 2 main 0"
    " / wait 2 / 2 main 20 / wait 5 / 5h / wait 0.5 / 6d / wait 0.5 / 9s / wait 0.5 / 4c / wait 5 / 7c / wait 2.2"
    " / 2 main 0 / wait 3.5 / 2 main 20 / wait 2.1 / 3c / wait 2.4 / 3c / wait 0.5 / 8d / wait 0.5 / Jd / wait 3 / 7h"
    " / wait 2.3 / 4 main 50 / wait 1.2 / Kc / wait 2.4 / 2 main 40 / wait 5.3 / 4c / wait 0.6 / As / wait 2.3 / Kc"
    " / wait 0.5 / 3c / wait 0.5 / Jc / wait 0.6 / Th / wait 4.1 / Jd / wait 1.9 / 4d / wait 3.1 / 4 main 125"
    " / wait 0.6 / 2 main 90 / wait 0.4 / 4 main 0 / wait 1.9 / 2 main 80 / wait 1.3 / 2 main 40 / wait 1.8 / 2 main 20"
    " / wait 0.1 / 4 main 20 / wait 1.6 / 4 main = 20 / wait 1.9 / 8s / wait 0.5 / 9c / wait 0.4 / 8c / wait 0.5"
    " / Tc / wait 0.4 / 6d / wait 0.5 / 6c / wait 9"
)
"""A player changes his chips, and it is asked whether a round has begun; the next deal comes seven cards later."""


@pytest.mark.parametrize(("are_followed", "later"), [(True, ["spot 2 main 40.00, spot 4 main 50.00"]), (False, [])])
def test_the_wagers_of_a_later_deal_are_named_too(later: list[str], *, are_followed: bool) -> None:
    rig = keyless("hollywood-penn-national", 350)
    rig.change_house(next_wagers_followed=are_followed)
    rig.play(DEALT_LATER)
    asked = [reason for reason in reasons(rig) if reason.startswith(UNSAID)]
    assert len(asked) == 1
    assert asked[0].split("would be ")[1].split("; or, if it began later, ") == ["spot 2 main 20.00", *later]
