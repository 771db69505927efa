"""A wager that its player lifts as *no more bets* is pressed, and lays back or takes home."""

from __future__ import annotations

from collections import Counter

import pytest

from controller.core.messages.alerts import CardOutsideRound
from controller.core.messages.events import BettingClosed, RoundClosed
from controller.core.messages.events import CardDrawn as CardOfRound
from controller.core.messages.raised_alerts import AlertKind
from firmware_protocols.cards import Card
from firmware_protocols.readings import CardDrawn, ChipsSeen
from tests.core.quick_readers import QuickReaders, accused, alerts, deal, draw, table
from tests.core.rig import MS

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


def slid_through(*, reported: bool) -> QuickReaders:
    """A wager is slid through box 2 to box 1 as the key is pressed; its readers report it after the first card."""
    rig = table("2 main 100", **KEYED)
    stack, laid_ns = rig.lying[2, "main"], rig.now_ns
    rig.pass_ms(1_000)
    rig.late = True
    rig.key("no_more_bets")
    rig.give(CardDrawn(rig.now_ns, Card("Th")))
    rig.give(ChipsSeen(2, "main", (), laid_ns, rig.now_ns))
    if reported:
        rig.give(ChipsSeen(1, "main", stack, laid_ns, laid_ns + 700 * MS))
    draw(rig, "9h")
    rig.late = False
    return rig


def test_a_wager_slid_through_a_neighbours_zone_is_dealt_to_from_the_first_card() -> None:
    rig = slid_through(reported=True)
    deal(rig, "Kd 7c")
    rig.talk("key stand hole_turned \n Ts \n 1 main 200 \n 1 main 0 \n key round_closed")
    assert rig.postings() == ["1: spot 1 main +100.00"]
    assert alerts(rig, *AlertKind) == []


def test_one_that_lies_nowhere_once_every_reader_has_looked_was_no_bet() -> None:
    rig = slid_through(reported=False)
    assert rig.events_of(RoundClosed) == []
    rig.pass_ms(1_500)
    assert rig.outcomes() == ["void"]
    assert len(rig.events_of(CardOutsideRound)) == 2


def test_a_bet_reported_only_while_it_is_dealt_to_waits_for_no_second_movement() -> None:
    """Nobody keyed that the player stood; his wagers were taken, and the next one lay there before the next deal."""
    rig = table("1 main 10")
    deal(rig, "Th 9c Kd 8s")
    rig.talk("1 main 20 \n 1 main 0 \n 1 main 10")
    rig.pass_ms(6_000)
    deal(rig, "7d 6d 9d As")
    rig.talk("1 ez_bust 25 \n 1 ez_bust 0 \n 1 main 0")
    rig.pass_ms(6_000)
    laid_ns, rig.values["E0040100000000FF"] = rig.now_ns, 500
    draw(rig, "6c")
    rig.give(ChipsSeen(1, "main", ("E0040100000000FF",), laid_ns - 2_400 * MS, laid_ns))
    rig.late = True
    draw(rig, "6h", "3d", "7s", gap_ms=500)
    rig.pass_ms(4_000)
    rig.late = False
    rig.pass_ms(2_000)
    assert Counter(one.round for one in rig.events if isinstance(one, CardOfRound)) == {1: 4, 2: 4, 3: 4}
