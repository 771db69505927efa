"""A wager whose player changes his chips where no other lies: the cards that follow say if it is the next bet."""

from __future__ import annotations

import pytest

from controller.core.messages.events import QuestionAsked
from controller.core.messages.raised_alerts import AlertKind
from firmware_protocols.readings import DeviceHealth, HealthState
from tests.core.human import HumanRig, keyless
from tests.core.quick_readers import accused, alerts

FIRST = "1 main 10 / wait 6 / deal Th 9c Kd 8s / wait 2 / 1 main 20 / wait 1.5 / 1 main 0 / wait 1 / 1 main 10 / wait 6"
"""A round by which the dealer's rhythm is known."""

TAKEN_UP = "1 main 0 / wait 2 / 1 main 10"
PAID = "wait 3 / 1 main 20 / wait 1.5 / 1 main 0 / wait 1 / 1 main 10 / wait 6 / deal Th 9c Kd 8s / wait 10"

FACE_UP = ["borgata", "hollywood-penn-national"]
LOOKS_MS = [350, 700]


def played(profile: str, text: str, cycle_ms: int = 350, *, by_rhythm: bool = True) -> HumanRig:
    """A first round, and then these acts at a table without keys; not ``by_rhythm``: by a journal of before."""
    rig = keyless(profile, cycle_ms)
    rig.change_house(deals_by_number=by_rhythm)
    rig.play(f"{FIRST} / {text}")
    return rig


def asked_if_begun(rig: HumanRig) -> bool:
    """Whether one question has been asked, if another round has begun."""
    (asked,) = [one for one in rig.events if isinstance(one, QuestionAsked)]
    return "has another round begun?" in asked.text


def hit(quiet_s: float, card_s: float) -> str:
    """Twelve changes its chips and gets a nine; the dealer has seventeen."""
    return f"deal 2s 9c Tc 8h / wait {quiet_s} / {TAKEN_UP} / wait {card_s} / 9h / {PAID}"


@pytest.mark.parametrize("quiet_s", [1, 3, 6])
@pytest.mark.parametrize("cycle_ms", LOOKS_MS)
@pytest.mark.parametrize("profile", [*FACE_UP, "pitch-h17"])
def test_a_card_alone_is_a_hit_of_the_wager_that_was_changed(profile: str, cycle_ms: int, quiet_s: int) -> None:
    rig = played(profile, hit(quiet_s, 3), cycle_ms)
    assert rig.postings() == ["1: spot 1 main +10.00", "2: spot 1 main +10.00"]
    assert alerts(rig, *AlertKind) == []


def test_in_journals_of_before_it_began_the_next_round() -> None:
    assert "2: spot 1 main -10.00" in played("borgata", hit(3, 3), by_rhythm=False).postings()


@pytest.mark.parametrize("then_s", [(0.6, 0.6, 0.6), (0.5, 1, 0.9)], ids=["even", "uneven"])
@pytest.mark.parametrize("cycle_ms", LOOKS_MS)
@pytest.mark.parametrize("profile", ["borgata", "pitch-h17"])
def test_a_deal_s_cards_are_the_next_deal(profile: str, cycle_ms: int, then_s: tuple[float, ...]) -> None:
    """Twelve stands and loses to seventeen; the same player bets as much again."""
    cards = " / ".join(f"wait {seconds} / {face}" for seconds, face in zip(then_s, ("9d", "Kd", "8c"), strict=True))
    rig = played(profile, f"deal 2s 9c Tc 8h / wait 3 / {TAKEN_UP} / wait 3 / Th / {cards} / {PAID}", cycle_ms)
    assert rig.postings()[1:] == ["2: spot 1 main -10.00", "3: spot 1 main +10.00"]
    assert alerts(rig, *AlertKind) == []


def test_nor_are_cards_that_its_player_alone_could_have_drawn_so_evenly() -> None:
    """Five could take a four, a five and a six; nine of the dealer takes no two of them, whatever his hole card is."""
    rig = played("borgata", f"deal 2s 9c 3c 8h / wait 3 / {TAKEN_UP} / wait 3 / deal 4d 5d 6d Tc / wait 5")
    assert rig.events_of(QuestionAsked) == []
    assert "2: spot 1 main -10.00" in rig.postings()


def test_hands_face_down_give_way_although_their_reader_reports_only_then_that_chips_moved() -> None:
    rig = played("pitch-h17", f"deal 2s 9c Tc 8h / wait 3 / {TAKEN_UP} / wait 0.6 / deal Th 9d Kd 8c / {PAID}")
    assert rig.events_of(QuestionAsked) == []
    assert rig.postings() == ["1: spot 1 main +10.00", "3: spot 1 main +10.00"]


BREAKS = "deal Ks 6h 3d Td / wait 2 / 1 main 0 / wait 2.3 / 1 main 10 / wait 1.3 / Ac / wait 1.2 / 1 main 0 / wait 4"
"""Thirteen changes its chips and stands; the dealer draws an ace to sixteen."""

NEXT_DEAL = "1 main 25 / wait 3 / deal Tc 5c 7d 6c / wait 8"


@pytest.mark.parametrize("cycle_ms", LOOKS_MS)
@pytest.mark.parametrize("profile", ["classic-shoe-and-pitch", "pitch-h17"])
def test_a_wager_laid_back_though_no_play_explains_that_it_went_lies_there_still(profile: str, cycle_ms: int) -> None:
    rig = played(profile, f"{BREAKS} / {NEXT_DEAL}", cycle_ms)
    assert rig.postings() == ["1: spot 1 main +10.00", "2: spot 1 main -10.00"]
    assert accused(rig) == []


def test_in_journals_of_before_the_card_began_a_round_and_the_player_was_accused() -> None:
    rig = keyless("pitch-h17", 350)
    rig.change_house(changes_outlast_questions=False, movements_joined=False)
    rig.play(f"{FIRST} / {BREAKS} / {NEXT_DEAL}")
    assert rig.postings() == ["1: spot 1 main +10.00"]
    assert AlertKind.PINCHING in accused(rig)


DRAWN = f"deal 2s 2c Tc 3h / wait 6 / {TAKEN_UP} / wait 3 / 9h / wait 0.5 / 2d / wait 0.5 / 3d / wait 0.5 / 8c / wait 9"
"""Twelve, whose chips are changed, gets a nine, and five of the dealer draws as evenly as he deals."""


def test_as_many_cards_as_a_deal_has_are_asked_about_where_the_dealer_may_have_drawn_them() -> None:
    """Where a wager that is given up loses half of it, what lies there may be the next bet as well."""
    rig = played("hollywood-penn-national", DRAWN)
    assert asked_if_begun(rig)
    assert rig.postings() == ["1: spot 1 main +10.00"]


BUST_BET = "deal Jc 5d 2h 7c / wait 1 / 1 ez_bust 1 / wait 2"
"""Twelve stands, and his wager that the dealer breaks has him draw."""

BROKEN = "wait 3 / 1 main 20 / 1 ez_bust 2 / wait 1.5 / 1 main 0 / 1 ez_bust 0 / wait 12"


@pytest.mark.parametrize("cycle_ms", LOOKS_MS)
@pytest.mark.parametrize(("by_rhythm", "postings"), [(True, []), (False, ["2: spot 1 main -5.00"])])
def test_where_the_dealer_draws_for_a_wager_a_changed_one_may_lie_there_still(
    cycle_ms: int, postings: list[str], *, by_rhythm: bool
) -> None:
    """Given up it would lose half of it, and what lies there would be the next bet; it won."""
    text = f"{BUST_BET} / {TAKEN_UP} / wait 1.5 / Js / {BROKEN}"
    rig = played("hollywood-penn-national", text, cycle_ms, by_rhythm=by_rhythm)
    assert [one for one in rig.postings() if one.startswith("2: spot 1 main")] == postings
    assert alerts(rig, *AlertKind) == []


def test_where_the_shoe_is_lost_meanwhile_a_person_says_whose_card_it_was() -> None:
    rig = played("hollywood-penn-national", f"deal 2s 9c Tc 8h / wait 3 / {TAKEN_UP} / wait 3 / 9h")
    assert rig.events_of(QuestionAsked) == []
    rig.give(DeviceHealth("shoe", HealthState.LOST, rig.now_ns))
    rig.play("wait 3")
    assert asked_if_begun(rig)
    assert rig.postings() == ["1: spot 1 main +10.00"]


BOTH_UP = "1 main 0 / 2 main 0 / wait 2 / 1 main 10 / 2 main 10"
BOTH_PAID = "1 main 20 / 2 main 20 / wait 1.5 / 1 main 0 / 2 main 0 / wait 1 / 1 main 10 / 2 main 10 / wait 6"
FIRST_OF_TWO = f"1 main 10 / 2 main 10 / wait 6 / deal Th 9s 9c Kd Ts 8s / wait 2 / {BOTH_PAID}"
TWELVE_AND_NINETEEN, TWENTY_AND_TWELVE = "deal 2s Ts 9c Tc 9d 8h", "deal Ts 2s 9c Tc Tc 8h"


@pytest.mark.parametrize("followed", [True, False])
@pytest.mark.parametrize("dealt", [TWELVE_AND_NINETEEN, TWENTY_AND_TWELVE])
@pytest.mark.parametrize("profile", FACE_UP)
def test_two_players_change_theirs_at_once_and_one_draws(profile: str, dealt: str, *, followed: bool) -> None:
    """Who drew is asked; before, the second was taken for surrendered, and the first for who had not drawn."""
    rig = keyless(profile)
    rig.change_house(wagers_followed=followed, slips_reckoned=followed)
    rig.play(f"{FIRST_OF_TWO} / {dealt} / wait 3 / {BOTH_UP} / wait 3 / 9h / wait 3 / {BOTH_PAID} / {dealt} / wait 5")
    second = [one for one in rig.postings() if one.startswith("2:")]
    if followed:
        assert second == []
        assert alerts(rig, *AlertKind) == []
        assert [one.text for one in rig.events_of(QuestionAsked)] == ["Spot 1: how many cards in hand 1?"]
    elif profile == "borgata":
        assert alerts(rig, *AlertKind) == [AlertKind.ROUND_IRREGULAR]
    else:
        assert "2: spot 2 main -5.00" in second
