"""Counts of a shoe that is over: each is published, two that differ are an alert, and none ends its account."""

from __future__ import annotations

import pytest

from controller.core.messages.alerts import OrderRefused
from controller.core.messages.events import ShoeCounted
from controller.core.messages.inputs import AcknowledgeAlert, ShoeChanged
from controller.core.messages.raised_alerts import AlertKind, AlertRaised
from controller.core.persons import Authentication
from controller.core.table.state import restore
from controller.formats.replay import read_state, state_bytes
from tests.core.rig import Rig, penn

FLOOR = Authentication("key", ("floor",))
WATCH = Authentication("socket", ("surveillance",), 1002)

ROUND = "1 main 10 \n 9h Ts 8d 9c \n key stand hole_turned round_closed"
DRAWN = 5
LEFT = 8 * 52 - DRAWN


def table(*, checked: bool = True) -> Rig:
    """A table whose shoe of eight decks has dealt a burn and a round."""
    rig = Rig(penn(stand_key="always"))
    rig.change_house(orders_bounded=True, shoe_claims_checked=checked)
    rig.talk("key burn \n 2c \n" + ROUND)
    return rig


def count(rig: Rig, left: int, who: str = "M. Okafor", vouched: Authentication = FLOOR) -> None:
    rig.give(ShoeChanged(rig.now_ns, left, who, vouched))


def counts(rig: Rig) -> list[tuple[int, str, str]]:
    return [(one.left, one.who, one.vouched) for one in rig.events_of(ShoeCounted)]


def alerts(rig: Rig) -> list[AlertRaised]:
    return [event for event in rig.events if isinstance(event, AlertRaised)]


def kinds(rig: Rig) -> list[AlertKind]:
    return [alert.kind for alert in alerts(rig)]


@pytest.mark.parametrize("announced_by_key", [False, True])
def test_a_count_that_fits_is_published_with_who_counted_and_how_they_were_known(announced_by_key: bool) -> None:
    rig = table()
    if announced_by_key:
        rig.key("burn")
    count(rig, LEFT)
    assert rig.events_of(ShoeCounted) == [ShoeCounted(1, 8 * 52, DRAWN, LEFT, "M. Okafor", "own key")]
    assert alerts(rig) == []


def test_a_new_shoe_that_nobody_counted_is_no_count() -> None:
    rig = table()
    count(rig, -1)
    assert counts(rig) == []


@pytest.mark.parametrize("announced_by_key", [False, True])
def test_a_second_count_that_differs_is_recorded_weighed_and_an_alert_that_names_both(announced_by_key: bool) -> None:
    rig = table()
    if announced_by_key:
        rig.key("burn")
    count(rig, LEFT)
    count(rig, LEFT - 4, "P. Honest", WATCH)
    assert counts(rig) == [
        (LEFT, "M. Okafor", "own key"),
        (LEFT - 4, "P. Honest", "socket of surveillance, user 1002"),
    ]
    assert kinds(rig) == [AlertKind.CARDS_MISSING, AlertKind.SHOE_COUNTS_DIFFER]
    assert alerts(rig)[-1].text == f"shoe 1: M. Okafor counted {LEFT} cards left, P. Honest {LEFT - 4}"
    assert rig.events_of(OrderRefused) == []


def test_the_same_count_again_is_recorded_and_is_no_alert() -> None:
    rig = table()
    for who in ("M. Okafor", "P. Honest", "J. Lee"):
        count(rig, LEFT - 4, who)
    assert [one[:2] for one in counts(rig)] == [
        (LEFT - 4, "M. Okafor"),
        (LEFT - 4, "P. Honest"),
        (LEFT - 4, "J. Lee"),
    ]
    assert kinds(rig) == [AlertKind.CARDS_MISSING]


def test_nobody_acknowledges_the_alert_about_their_own_count() -> None:
    rig = table()
    count(rig, LEFT - 1)
    count(rig, LEFT, "P. Honest", WATCH)
    for alert in alerts(rig):
        rig.give(AcknowledgeAlert(rig.now_ns, alert.alert, "M. Okafor", "seen", FLOOR))
    assert len(rig.events_of(OrderRefused)) == len(rig.table.state.alerts.listed) == 2
    for alert in alerts(rig):
        rig.give(AcknowledgeAlert(rig.now_ns, alert.alert, "J. Lee", "seen", FLOOR))
    assert not rig.table.state.alerts.listed


def test_counts_are_held_against_one_another_over_a_restart() -> None:
    rig = table()
    rig.key("burn")
    count(rig, LEFT)
    rig.table = restore(rig.house, read_state(state_bytes(rig.table.state)))
    count(rig, LEFT + 2, "P. Honest")
    assert kinds(rig) == [AlertKind.CARDS_EXTRA, AlertKind.SHOE_COUNTS_DIFFER]


def test_a_shoe_that_was_announced_without_an_account_before_it_takes_no_count() -> None:
    rig = Rig(penn(stand_key="always"))
    rig.change_house(shoe_claims_checked=True)
    rig.key("burn")
    count(rig, 7)
    count(rig, 7)
    assert counts(rig) == []
    assert len(rig.events_of(OrderRefused)) == 2


@pytest.mark.parametrize("claimed", [(), (LEFT,), (LEFT, LEFT - 4)])
def test_a_burn_key_taken_back_resumes_the_account_whatever_counts_came_between(claimed: tuple[int, ...]) -> None:
    rig = table()
    before = rig.table.state.shoe
    rig.key("burn")
    for left in claimed:
        count(rig, left)
    rig.key("undo")
    after = rig.table.state.shoe
    assert (after.shoe, after.drawn, after.counts) == (2, DRAWN, ())
    assert after.opened.items() >= before.opened.items()
    assert rig.table.state.burns == 0
    raised_before = len(alerts(rig))
    count(rig, LEFT)
    assert rig.events_of(ShoeCounted)[-1] == ShoeCounted(2, 8 * 52, DRAWN, LEFT, "M. Okafor", "own key")
    assert len(alerts(rig)) == raised_before


def test_a_foreign_card_is_still_impossible_after_a_count_that_was_taken_back() -> None:
    rig = table()
    aces = "1 main 10 \n Ah Ts Ah 9c \n Ah \n key stand hole_turned round_closed \n 1 main 0"
    rig.talk(aces)
    rig.talk(aces)
    rig.key("burn")
    count(rig, rig.table.state.last_shoe.loaded() - rig.table.state.last_shoe.drawn)
    rig.key("undo")
    rig.talk(aces)
    assert AlertKind.IMPOSSIBLE_CARD in kinds(rig)


def test_a_journal_of_before_says_of_counts_what_it_said() -> None:
    rig = table(checked=False)
    rig.key("burn")
    count(rig, LEFT)
    count(rig, LEFT - 4, "P. Honest")
    assert (counts(rig), alerts(rig)) == ([], [])
    assert len(rig.events_of(OrderRefused)) == 1
