"""A dealer falters in the next deal: its cards may be hits of a hand that stood unsaid, and people are asked."""

from __future__ import annotations

import pytest

from controller.core.messages.events import QuestionAsked
from controller.io.files import profile_files
from tests.core.human import HumanRig
from tests.core.rig import MS

ASKED = "Cards came that may be the next deal's: has another round begun?"


@pytest.mark.parametrize("at", [1, 2, 3])
def test_a_dealer_who_falters_among_the_cards_of_the_next_deal_makes_no_hit_of_it(at: int) -> None:
    """Eighteen pushed and lies there; nobody presses a key."""
    rig = HumanRig(profile_files.load("borgata", {"turn_key": "sometimes", "new_shoe_burns": 0}).rules, {})
    cards = ["2c", "Tc", "9h", "9s"]
    rig.play(f"1 main 10 / wait 6 / deal Th 8s 8c Td / wait 9 / deal {' '.join(cards[:at])} / wait 1.05")
    rig.play(
        f"deal {' '.join(cards[at:])} / wait 9 / 1 main 20 / wait 1 / 1 main 10 / wait 7 / deal Ts 9c 9d 9s / wait 7"
    )
    assert [event.text for event in rig.events_of(QuestionAsked)][:1] == [
        f"{ASKED} Its wagers would be what lies there: spot 1 main 10.00"
    ]
    assert not [posting for posting in rig.postings() if posting.startswith("1: ")]


@pytest.mark.parametrize("timed", [True, False])
def test_a_longer_pause_is_none_of_a_deal(*, timed: bool) -> None:
    """Whether the clock has reported it or not: one card is a hit, and what follows it are others."""
    rig = HumanRig(profile_files.load("borgata", {"turn_key": "sometimes", "new_shoe_burns": 0}).rules, {})
    rig.play("1 main 10 / wait 6 / deal 2h 8s 3c Td / wait 9 / 2c")
    if timed:
        rig.play("wait 3")
    else:
        rig.now_ns += 3_000 * MS
    rig.play("deal 2d 2s 3s / wait 9")
    assert rig.events_of(QuestionAsked) == []


def test_a_players_quick_first_hit_makes_no_hits_of_the_deal_before_it() -> None:
    """Twenty pushed and lies there; the hit follows the next deal sooner than a pause that ends one."""
    rig = HumanRig(profile_files.load("borgata", {"turn_key": "sometimes", "new_shoe_burns": 0}).rules, {})
    rig.play("3 main 50 / 6 main 10 / wait 4")
    for _ in range(3):
        rig.play("deal Ts Kd 9h 9c Qs 9d / wait 7 / 6 main 20 / 3 main 100 / wait 2 / 6 main 10 / 3 main 50 / wait 7")
    rig.play("deal Js Ah Qh Qd 6c Qh / wait 5 / 4s / wait 5 / 6 main 20 / wait 7")
    rig.play("deal 6c 3d 7h Th 8h 5d / wait 0.5 / Jh / wait 1.3 / 3 main 0 / wait 5 / 9s / wait 3 / 6d / wait 20")
    assert rig.events_of(QuestionAsked) == []
    assert not [posting for posting in rig.postings() if posting.startswith("4: ")]
    assert rig.outcomes()[-1] == "open"


@pytest.mark.parametrize("pause", [0.55, 0.7])
def test_nor_does_the_hit_of_the_only_box(pause: float) -> None:
    """Eighteen pushed and lies there; the next deal is to one box, and its player taps the table at once."""
    rig = HumanRig(profile_files.load("borgata", {"turn_key": "sometimes", "new_shoe_burns": 0}).rules, {})
    rig.play("1 main 10 / wait 6 / deal Th 8s 8c Td / wait 9 / deal 2c Tc 3h 9s")
    rig.play(f"wait {pause} / 4d / wait 1.5 / Ks / wait 8 / 1 main 0 / wait 2 / 1 main 10 / wait 7")
    rig.play("deal Ts 9c 9d 9s / wait 7")
    assert rig.events_of(QuestionAsked) == []
    assert rig.postings() == ["2: spot 1 main +0.00"]
