"""A wager that its player lifts as *no more bets* is pressed, and lays back or takes home."""

from __future__ import annotations

import pytest

from controller.core.messages.events import BettingClosed
from controller.core.messages.raised_alerts import AlertKind
from tests.core.quick_readers import QuickReaders, accused, alerts, deal, draw, table

KEYED = {"stand_key": "always", "turn_key": "always"}


def lifted(*, before_ms: int, after_ms: int, back: str) -> QuickReaders:
    """A wager leaves its place so long before the key and comes back so long after it: "own", "other" or "none"."""
    rig = table("1 main 100 \n 2 main 100", **KEYED)
    own = rig.lying[1, "main"]
    rig.lay(1, "main", ())
    rig.pass_ms(before_ms)
    rig.talk("key no_more_bets")
    rig.pass_ms(after_ms)
    if back == "own":
        rig.lay(1, "main", own)
    elif back == "other":
        rig.exchange(1, "main", 20_000)
    rig.pass_ms(3_000)
    return rig


@pytest.mark.parametrize("before_ms", [50, 400, 900])
@pytest.mark.parametrize("after_ms", [50, 400, 900])
def test_laid_back_in_its_own_chips_it_is_a_bet(before_ms: int, after_ms: int) -> None:
    rig = lifted(before_ms=before_ms, after_ms=after_ms, back="own")
    deal(rig, "Th 9h Ts 9d Kd 7c")
    rig.talk("key stand stand hole_turned \n 2 main 200 \n 1 main 200 \n 1 main 0 \n 2 main 0 \n key round_closed")
    assert rig.postings() == ["1: spot 1 main +100.00", "1: spot 2 main +100.00"]
    assert alerts(rig, AlertKind.PAST_POSTING, AlertKind.ROUND_IRREGULAR) == []


@pytest.mark.parametrize("before_ms", [50, 1_000])
def test_taken_home_it_never_was_one(before_ms: int) -> None:
    rig = lifted(before_ms=before_ms, after_ms=50, back="none")
    deal(rig, "9h Ts 9d 7c")
    rig.talk("key stand hole_turned \n 2 main 200 \n 2 main 0 \n key round_closed")
    assert rig.postings() == ["1: spot 2 main +100.00"]
    assert alerts(rig, *AlertKind) == []


def test_another_wager_laid_after_the_key_is_late() -> None:
    rig = lifted(before_ms=500, after_ms=500, back="other")
    rig.pass_ms(5_000)
    assert alerts(rig, AlertKind.PAST_POSTING)


def test_where_a_card_locks_the_bets_a_wager_lifted_before_it_is_none() -> None:
    rig = table("1 main 100 \n 2 main 100")
    rig.lay(1, "main", ())
    rig.pass_ms(100)
    deal(rig, "9h Ts 9d 7c")
    closed = [one for one in rig.events if isinstance(one, BettingClosed)]
    assert [[wager.spot for wager in one.wagers] for one in closed] == [[2]]


def test_whose_wager_is_away_as_the_deal_begins_is_not_dealt_to() -> None:
    """However soon the first card follows, nothing waits for a wager to be laid back once it has come."""
    rig = table("3 main 20 \n 5 main 20", **KEYED)
    rig.lay(5, "main", ())
    rig.key("no_more_bets")
    draw(rig, "Th", "9c", "Kd", "8s", gap_ms=200)
    rig.talk("key stand hole_turned \n 3 main 40 \n 3 main 0 \n key round_closed")
    rig.pass_ms(5_000)
    assert rig.postings() == ["1: spot 3 main +20.00"]
    assert accused(rig) == []
