"""A player at two boxes lays the chips of both doubles at once, before the first hand has its card."""

from __future__ import annotations

import pytest

from controller.core.messages.events import HandDoubled
from controller.core.messages.raised_alerts import AlertKind
from tests.core.quick_readers import QuickReaders, accused, alerts, deal, table

KEYED = {"stand_key": "always", "turn_key": "always"}


def dealt(cards: str) -> QuickReaders:
    rig = table("1 main 100 \n 2 main 100 \n key no_more_bets", **KEYED)
    deal(rig, cards)
    return rig


def play(rig: QuickReaders, *acts: str, gap_ms: int = 1_500) -> None:
    for act in acts:
        rig.talk(act)
        rig.pass_ms(gap_ms)


@pytest.mark.parametrize("gap_ms", [100, 700, 1_400])
def test_both_doubles_that_are_laid_at_once_count(gap_ms: int) -> None:
    rig = dealt("6h 6s Ts 5d 5c 7c")
    rig.talk("1 main 200")
    rig.pass_ms(gap_ms)
    rig.talk("2 main 200")
    rig.pass_ms(500)
    play(rig, "key double", "9s", "key double", "8s")
    play(rig, "key hole_turned", "1 main 400", "2 main 400", "1 main 0", "2 main 0", "key round_closed")
    assert [one.spot for one in rig.events if isinstance(one, HandDoubled)] == [1, 2]
    assert rig.postings() == ["1: spot 1 main +200.00", "1: spot 2 main +200.00"]
    assert accused(rig) == []


def test_the_second_double_may_wait_while_the_first_hand_draws() -> None:
    rig = dealt("3h 6s Ts 5d 5c 7c")
    rig.talk("2 main 200")
    play(rig, "key hit", "2s", "key hit", "9d", "key stand", "8s", gap_ms=3_000)
    play(rig, "key hole_turned", "1 main 200", "2 main 400", "1 main 0", "2 main 0", "key round_closed")
    assert rig.postings() == ["1: spot 1 main +100.00", "1: spot 2 main +200.00"]
    assert accused(rig) == []


@pytest.mark.parametrize("key", ["hit", "stand"])
def test_chips_laid_before_a_turn_in_which_the_hand_is_not_doubled_are_an_offence(key: str) -> None:
    rig = dealt("Th 6s Ts 9d 5c 7c")
    rig.talk("2 main 200")
    play(rig, "key stand", f"key {key}", gap_ms=6_000)
    assert accused(rig) == [AlertKind.CAPPING]


def test_what_is_taken_back_before_its_turn_accuses_nobody() -> None:
    rig = dealt("Th 6s Ts 9d 5c 7c")
    own = rig.lying[2, "main"]
    rig.talk("2 main 200")
    rig.pass_ms(2_000)
    rig.lay(2, "main", own)
    play(rig, "key stand", "key stand", "key hole_turned", "1 main 200", "2 main 0", "1 main 0", "key round_closed")
    assert rig.postings() == ["1: spot 1 main +100.00", "1: spot 2 main -100.00"]
    assert (accused(rig), alerts(rig, AlertKind.ROUND_IRREGULAR)) == ([], [])
