"""What was settled before its round turned out otherwise: named, listed, and put right by people."""

from __future__ import annotations

from controller.core.game.wager import Basis
from controller.core.messages.alerts import RoundIrregular, SettlementDisputed
from controller.core.messages.events import WagerAdjusted, WagerSettled
from controller.core.messages.floor_events import RoundResumed
from controller.core.messages.inputs import AdjustWager, SetCard
from controller.core.messages.raised_alerts import AlertKind, AlertRaised
from firmware_protocols.readings import ChipsSeen
from tests.core.rig import MS, Rig, penn

FLOOR = "floor: M. Okafor"
BROKE = "1 main 10 \n 2 main 10 \n Th 9c 6d 8s 9d Tc \n key hit \n Kc"
"""Spot 1 breaks and is settled so; spot 2 has 18 against 16."""


def rig_with(talk: str, stand_key: str = "always") -> Rig:
    rig = Rig(penn(stand_key=stand_key))
    rig.talk(talk)
    return rig


def doubted(rig: Rig) -> list[SettlementDisputed]:
    return [one for one in rig.events if isinstance(one, SettlementDisputed)]


def doubts(rig: Rig) -> list[str]:
    return [f"{one.spot} {one.bet} {one.wager_cents} {one.net_cents}: {one.reason}" for one in doubted(rig)]


def adjust(rig: Rig, cents: int) -> None:
    rig.give(AdjustWager(rig.now_ns, 1, 1, "main", cents, FLOOR, "looked at"))


def adjusted(rig: Rig) -> list[tuple[int, int]]:
    return [(one.before_cents, one.net_cents) for one in rig.events if isinstance(one, WagerAdjusted)]


def closed_early() -> Rig:
    """The dealer stood on sixteen."""
    return rig_with(f"{BROKE} \n key stand hole_turned round_closed round_closed")


def test_what_was_settled_before_the_round_became_irregular_is_named_with_what_it_was_settled_as() -> None:
    rig = closed_early()
    assert rig.postings() == ["1: spot 1 main -10.00"]
    assert doubts(rig) == ["1 main 1000 -1000: the round was closed before it could end"]


def test_the_doubts_follow_the_irregularity_they_come_from() -> None:
    kinds = [type(event) for event in closed_early().events]
    assert kinds.index(SettlementDisputed) == kinds.index(RoundIrregular) + 1


def test_one_alert_lists_all_of_them() -> None:
    rig = closed_early()
    (alert,) = [one for one in rig.events if isinstance(one, AlertRaised) and one.kind is AlertKind.SETTLEMENT_DISPUTED]
    assert alert.round == 1
    assert alert.text.endswith("spot 1 main -10.00")
    assert alert.alert in {one.alert for one in rig.table.state.alerts.listed}


def test_a_round_in_which_nothing_was_settled_leaves_no_doubt() -> None:
    rig = rig_with("1 main 10 \n Th 6c 9d Tc \n key stand hole_turned round_closed round_closed")
    assert rig.outcomes() == ["irregular"]
    assert doubts(rig) == []
    assert AlertKind.SETTLEMENT_DISPUTED not in {one.kind for one in rig.table.state.alerts.listed}


def test_the_floor_confirms_a_doubted_settlement_by_the_same_amount_or_corrects_it() -> None:
    rig = closed_early()
    adjust(rig, -1000)
    adjust(rig, 0)
    assert adjusted(rig) == [(-1000, -1000), (-1000, 0)]


def test_what_the_floor_has_ruled_is_in_no_doubt() -> None:
    rig = rig_with(BROKE)
    adjust(rig, 0)
    rig.talk("key stand hole_turned round_closed round_closed")
    assert rig.outcomes() == ["irregular"]
    assert doubts(rig) == []


def test_a_correction_that_cures_the_round_confirms_what_was_right() -> None:
    rig = rig_with("1 main 10 \n 2 main 10 \n Th 9c 6d 8s 9d Tc \n key hit \n Kc \n key stand hole_turned \n 5c Th")
    reason = "the dealer's cards do not fit the dealer's rule"
    assert doubts(rig) == [f"{spot} main 1000 -1000: {reason}" for spot in (1, 2)]
    stray = rig.table.state.round
    assert stray is not None
    rig.give(SetCard(rig.now_ns, stray.cards.drawn[-1].number, None, FLOOR, "drawn back"))
    rig.pass_ms(100)
    assert len(rig.events_of(RoundResumed)) == 1
    assert adjusted(rig) == [(-1000, -1000), (-1000, -1000)]
    assert rig.postings() == ["1: spot 1 main -10.00", "1: spot 2 main -10.00"]


def test_a_doubt_is_published_once() -> None:
    rig = closed_early()
    rig.talk("1 main 10 \n 2 main 10 \n Th 9c 6d 8s 9d Tc")
    assert len(doubts(rig)) == 1


def test_what_a_reader_reports_late_names_the_settlement_it_contradicts() -> None:
    rig = rig_with("1 main 10 \n 5h 9c 6d Tc")
    before_ns = rig.now_ns
    rig.values["E004CAFE"] = 2000
    rig.talk("Kc \n key hole_turned")
    rig.give(ChipsSeen(1, "main", ("E004CAFE",), before_ns - 2 * MS, before_ns - MS))
    rig.pass_ms(100)
    rig.talk("key round_closed")
    settled = [one for one in rig.events if isinstance(one, WagerSettled)]
    assert [(one.net_cents, one.basis) for one in settled] == [(1000, Basis.EVIDENCE)]
    assert doubts(rig) == ["1 main 1000 1000: what its readers told later leaves no legal play that comes to it"]


def doubled_after_three_cards() -> Rig:
    """As if the shoe had reported a card twice: only payment explains chips that come after it, for 10 against 17."""
    rig = rig_with("1 main 10 \n 5h 9c 3d 8s 2c", "sometimes")
    rig.values["E004CAFE"] = 1000
    rig.lay(1, "main", (*rig.lying[1, "main"], "E004CAFE"))
    return rig


def alerts(rig: Rig) -> list[tuple[int | None, AlertKind]]:
    return [(one.round, one.kind) for one in rig.events if isinstance(one, AlertRaised)]


def test_a_round_that_a_card_ended_before_it_was_paid_as_is_due_is_doubted_with_the_round_so_begun() -> None:
    rig = doubled_after_three_cards()
    rig.talk("Kc")
    assert rig.postings() == ["1: spot 1 main -10.00"]
    # What came may be the next bet; that the wager was not taken is wrong either way.
    assert alerts(rig) == [(1, AlertKind.LOSING_BET_LEFT)]
    assert doubts(rig) == []
    rig.talk("key stand")
    (doubt,) = doubted(rig)
    assert (doubt.round, doubt.spot, doubt.net_cents) == (1, 1, -1000)
    assert doubt.reason == (
        "a card ended it before it was paid as it is due, and the round so begun is irregular: "
        "no legal play explains the evidence"
    )
    assert alerts(rig)[1:] == [(2, AlertKind.ROUND_IRREGULAR), (1, AlertKind.SETTLEMENT_DISPUTED)]


def test_it_is_doubted_too_if_the_round_so_begun_was_irregular_before_the_readers_had_reported_its_bets() -> None:
    rig = doubled_after_three_cards()
    rig.late = True
    rig.talk("Kc \n key 5 stand")
    rig.late = False
    rig.pass_ms(100)
    assert [(one.round, one.net_cents) for one in doubted(rig)] == [(1, -1000)]
    assert (1, AlertKind.SETTLEMENT_DISPUTED) in alerts(rig)


def test_a_round_that_a_key_ended_is_not_doubted_for_the_next_one() -> None:
    rig = doubled_after_three_cards()
    rig.talk("key round_closed \n Kc \n key stand")
    assert (1, AlertKind.MISPAY) in alerts(rig)
    assert doubted(rig) == []


def test_a_round_that_was_paid_as_is_due_is_not_doubted_for_the_next_one() -> None:
    rig = rig_with("1 main 10 \n 5h 9c 3d 8s 2c \n 1 main 0 \n 1 main 10 \n Kc \n key stand", "sometimes")
    assert rig.postings() == ["1: spot 1 main -10.00"]
    assert [kind for _, kind in alerts(rig)] == [AlertKind.ROUND_IRREGULAR]
    assert doubted(rig) == []
