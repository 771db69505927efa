"""A losing wager is taken and its player bets again at once; the next deal follows while chips may still move."""

from __future__ import annotations

import pytest

from controller.core.messages.events import QuestionAsked, RoundStarted, WagerSettled
from controller.core.messages.raised_alerts import AlertKind
from tests.core.quick_readers import QuickReaders, accused, alerts, draw, table


def dealt_twice(profile: str, *, next_bet: int, again_ms: int, deal_ms: int, heeded: bool = True) -> QuickReaders:
    """A double loses, is taken, and other chips are laid; they are dealt to, doubled and paid.

    ``again_ms``: after how long they are laid; below 0: one look shows them in place of the wager.
    """
    rig = table("3 main 25", profile)
    rig.change_house(parts_reckoned=heeded)
    draw(rig, "3s", "Kd", "5s", "8h", gap_ms=700)
    rig.pass_ms(4_000)
    draw(rig, "6s")
    rig.pass_ms(2_000)
    draw(rig, "Qc")
    rig.pass_ms(1_000)
    rig.talk("3 main 0")
    rig.pass_ms(1_300)
    rig.talk("3 main 25")
    rig.pass_ms(3_000)
    draw(rig, "5c", "2c", "5s", "3c", gap_ms=700)
    rig.pass_ms(2_000)
    rig.talk("3 main 50")
    rig.pass_ms(500)
    draw(rig, "2d", "2h", "Qc", gap_ms=700)
    rig.pass_ms(900)
    if again_ms >= 0:
        rig.talk("3 main 0")
        rig.pass_ms(again_ms)
    rig.exchange(3, "main", 100 * next_bet)
    rig.pass_ms(deal_ms)
    draw(rig, "4s", "4d", "6c", "4c", gap_ms=700)
    rig.pass_ms(3_000)
    rig.talk(f"3 main {2 * next_bet}")
    rig.pass_ms(600)
    draw(rig, "Kd", "Ad", gap_ms=900)
    rig.pass_ms(1_200)
    rig.talk(f"3 main {4 * next_bet}")
    rig.pass_ms(2_700)
    rig.talk(f"3 main {next_bet}")
    rig.pass_ms(30_000)
    return rig


@pytest.mark.parametrize(
    ("profile", "next_bet"),
    [
        ("hollywood-perryville", 25),
        ("hollywood-perryville", 100),
        ("pitch-h17", 25),
    ],
)
@pytest.mark.parametrize("deal_ms", [400, 1_500])
def test_the_round_before_is_lost_and_the_next_is_another(profile: str, next_bet: int, deal_ms: int) -> None:
    rig = dealt_twice(profile, next_bet=next_bet, again_ms=500, deal_ms=deal_ms)
    settled = {one.round: one.net_cents for one in rig.events if isinstance(one, WagerSettled)}
    assert settled[2] == -5_000
    assert [one.round for one in rig.events if isinstance(one, RoundStarted)] == [1, 2, 3]
    assert accused(rig) == []


@pytest.mark.parametrize("next_bet", [50, 100])
@pytest.mark.parametrize("deal_ms", [400, 1_500])
def test_where_hands_lie_face_down_what_comes_of_the_wager_may_stay_open(next_bet: int, deal_ms: int) -> None:
    rig = dealt_twice("pitch-h17", next_bet=next_bet, again_ms=500, deal_ms=deal_ms)
    settled = {one.round: one.net_cents for one in rig.events if isinstance(one, WagerSettled)}
    assert settled.get(2, -5_000) == -5_000
    assert accused(rig) == []


@pytest.mark.parametrize("deal_ms", [400, 1_500])
def test_where_as_much_is_laid_and_a_split_could_take_the_cards_it_is_asked_whose_they_are(deal_ms: int) -> None:
    """Of fives that were split one hand could take the first card, and the dealer the others."""
    rig = dealt_twice("hollywood-perryville", next_bet=50, again_ms=500, deal_ms=deal_ms)
    assert len(rig.events_of(QuestionAsked)) == 1
    assert [one.round for one in rig.events if isinstance(one, WagerSettled)] == [1]
    assert accused(rig) == []


@pytest.mark.parametrize(("next_bet", "again_ms"), [(25, -1), (50, -1), (50, 50)])
@pytest.mark.parametrize("deal_ms", [400, 1_500])
def test_where_it_looks_like_the_wager_exchanged_the_next_round_is_another_still(
    next_bet: int, again_ms: int, deal_ms: int
) -> None:
    """What came of the wager may be open, for it may lie there; the cards show a deal."""
    rig = dealt_twice("hollywood-perryville", next_bet=next_bet, again_ms=again_ms, deal_ms=deal_ms)
    settled = {one.round: one.net_cents for one in rig.events if isinstance(one, WagerSettled)}
    assert settled.get(2, -5_000) == -5_000
    assert settled[3] == 200 * next_bet
    assert accused(rig) == []


@pytest.mark.parametrize("deal_ms", [400, 1_500])
def test_where_hands_lie_face_down_a_lesser_bet_is_no_wager_lowered(deal_ms: int) -> None:
    """Of fives that were split it may be the other hand's: what came of them is open, and an alert says so."""
    rig = dealt_twice("pitch-h17", next_bet=25, again_ms=-1, deal_ms=deal_ms)
    assert [one.round for one in rig.events if isinstance(one, RoundStarted)] == [1, 2, 3]
    assert [one.round for one in rig.events if isinstance(one, WagerSettled)] == [1]
    assert alerts(rig, *AlertKind) == [AlertKind.ROUND_UNENDED]


def test_in_journals_of_before_its_cards_joined_the_round_before() -> None:
    rig = dealt_twice("pitch-h17", next_bet=25, again_ms=-1, deal_ms=400, heeded=False)
    assert [one.round for one in rig.events if isinstance(one, RoundStarted)] == [1, 2]
