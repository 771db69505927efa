"""A round ends when nothing can follow, whoever presses what; and every zone is looked at once it may be over."""

from __future__ import annotations

import pytest

from controller.core.game.rules import Rules
from controller.core.messages.alerts import (
    BetDecreasedAfterLock,
    BetIncreasedAfterLock,
    ChipsUnexplained,
    RoundIrregular,
    SettlementDisputed,
)
from controller.core.messages.events import BettingClosed
from controller.io.files import profile_files
from tests.core.rig import Rig

ALARMS = (RoundIrregular, BetIncreasedAfterLock, BetDecreasedAfterLock, ChipsUnexplained, SettlementDisputed)


def house(profile: str, **options: object) -> Rules:
    return profile_files.load(profile, options).rules


def rig_with(talk: str, profile: str = "hollywood-penn-national", **options: object) -> Rig:
    rig = Rig(house(profile, **options))
    rig.talk(talk)
    return rig


BROKE = "1 main 10 \n Th 9c 6d 8s \n Kh \n 1 main 0"
"""Sixteen against a nine, hit by a king and taken."""


@pytest.mark.parametrize("key", ["", "key no_more_bets \n"])
def test_all_hands_broke_and_were_taken_so_the_next_card_or_lock_ends_the_round(key: str) -> None:
    rig = rig_with(f"{BROKE} \n 1 main 15 \n {key} Th 6c 9d Td \n 8c")
    assert rig.events_of(*ALARMS) == []
    assert [event.round for event in rig.events_of(BettingClosed)] == [1, 2]
    assert rig.postings()[0] == "1: spot 1 main -10.00"
    assert rig.outcomes() == ["settled"]


def test_bets_laid_anew_after_all_broke_are_no_past_posting() -> None:
    rig = rig_with(f"{BROKE} \n 1 main 15 \n 4 main 10 \n 4 lucky_ladies 5")
    assert rig.events_of(*ALARMS) == []


def test_a_broken_hand_that_nobody_took_does_not_let_a_card_begin_a_round() -> None:
    rig = rig_with("1 main 10 \n Th 9c 6d 8s \n Kh \n 4c")
    assert len(rig.events_of(BettingClosed)) == 1
    assert len(rig.events_of(RoundIrregular)) == 1


def test_a_card_that_finds_no_wager_is_one_too_many_of_the_round() -> None:
    rig = rig_with(f"{BROKE} \n 4c")
    assert len(rig.events_of(RoundIrregular)) == 1


def test_hands_face_down_that_all_broke_end_the_round_without_any_key() -> None:
    rig = rig_with("1 main 10 \n Th 9c 6d 8s \n Kh \n 1 main 0 \n 1 main 15 \n Th", "pitch-h17")
    assert rig.postings() == ["1: spot 1 main -10.00"]
    assert rig.outcomes() == ["settled"]


def test_an_irregular_round_ends_with_the_card_after_all_its_chips_are_gone() -> None:
    rig = rig_with("1 main 10 \n 2 main 10 \n Th 9c 6d 8s 9d 7c \n Kh 4c 5d 6h 7d 8d")
    assert len(rig.events_of(RoundIrregular)) == 1
    rig.talk("2 main 0 \n 3c")
    assert rig.outcomes() == []
    rig.talk("1 main 0 \n 1 main 20 \n Th 9c 8d 8s")
    assert rig.outcomes() == ["irregular"]
    assert len(rig.events_of(BettingClosed)) == 2


def test_a_bet_made_after_the_deal_still_lies_so_the_dealers_card_is_of_its_round() -> None:
    """Whoever surrendered got other chips back for the half: the dealer turns fifteen and draws for the EZ Bust."""
    rig = rig_with("1 main 10 \n 7s 5h Ah Qs \n 1 ez_bust 5 \n 1 main 5", turn_key="sometimes")
    rig.pass_ms(5_000)
    rig.talk("2d")
    assert rig.outcomes() == []
    rig.talk("1 ez_bust 0 \n 1 main 0 \n 1 main 20")
    rig.pass_ms(5_000)
    rig.talk("Th")
    assert rig.events_of(*ALARMS) == []
    assert [event.round for event in rig.events_of(BettingClosed)] == [1, 2]


def test_every_zone_is_looked_at_wherever_bets_may_be_made() -> None:
    rig = rig_with("1 main 10 \n key no_more_bets", stand_key="always")
    seen = [rig.desired.watched]
    for talk in ("Th 9c 6d 8s", "Kh", "1 main 0", "1 main 10"):
        rig.talk(talk)
        seen.append(rig.desired.watched)
    played = ("main", "insurance", "ez_bust")
    assert seen == [(), played, (), (), ()]


def test_where_anybody_may_have_stopped_every_zone_is_looked_at() -> None:
    assert rig_with("1 main 10 \n Th 9c 6d 8s").desired.watched == ()
