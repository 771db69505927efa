"""The account of a shift: its time, its sums, what was ruled in it and after it, and what the cage counted."""

from __future__ import annotations

from datetime import datetime
from fractions import Fraction

import msgspec
import pytest

from controller.core.analysis.expectation import Theory
from controller.core.messages.alerts import OrderRefused
from controller.core.messages.events import RoundClosed, TableStarted, WagerSettled
from controller.core.messages.floor_events import ChipCount, Count
from controller.core.messages.inputs import AdjustWager, EnterInventory, VoidRound
from controller.core.messages.raised_alerts import AlertRaised
from controller.formats.mqtt.envelope import Published
from controller.formats.text.moments import Period
from controller.reports.revenue_rows import takings
from controller.reports.shift import Asked, Shift, shift_of
from controller.reports.shift_text import shift_text
from simulators.people.acts import RoundPlayed
from tests.core.accounts import published
from tests.core.rig import Rig
from tests.formats.test_takings import ROUNDS, a_rig, played

Night = tuple[list[Published], list[RoundPlayed]]


@pytest.fixture(scope="module")
def night() -> Night:
    rig = a_rig()
    told = played(rig)
    return published(rig.events), told


def account(told: list[Published], asked: Asked | None = None, **theories: Theory) -> Shift:
    shift = shift_of(told, lambda: theories, asked)
    assert shift is not None
    return shift


def theory(edge: Fraction, variance: int = 0) -> Theory:
    return Theory(edge, Fraction(variance), Fraction(0))


def from_to(since: str, until: str) -> Asked:
    return Asked(Period(datetime.fromisoformat(since), datetime.fromisoformat(until)))


def test_a_win_beyond_what_chance_allows_is_outside(night: Night) -> None:
    sure = account(night[0], main=theory(Fraction(1, 2)))
    assert [(line.bet, line.inside) for line in sure.bets if line.bet == "main"] == [("main", False)]
    assert "OUTSIDE" in shift_text(sure)
    wide = account(night[0], main=theory(Fraction(1, 2), variance=1000))
    assert wide.bets[0].inside is True


def test_a_bet_without_a_theory_has_no_band(night: Night) -> None:
    assert all(line.inside is None for line in account(night[0]).bets)


def test_the_course_ends_where_the_lines_stand(night: Night) -> None:
    shift = account(night[0], main=theory(Fraction(1, 100), variance=1))
    (main,) = (line for line in shift.bets if line.bet == "main")
    last = shift.course[-1]
    assert (last.win_cents, last.expected_cents) == (main.win_cents, main.expected_cents)
    assert (last.low_cents, last.high_cents) == (main.low_cents, main.high_cents)
    assert [point.round for point in shift.course] == [one.round for one in night[1]]


def test_pace_counts_playing_time_only(night: Night) -> None:
    events = night[0]
    rounds = takings(events).rounds
    late = [one if one.seq <= rounds[12].last_seq else hours_later(one) for one in events]
    quick, paused = account(events), account(late)
    assert paused.rounds == quick.rounds == ROUNDS
    assert paused.playing_seconds <= quick.playing_seconds
    assert quick.rounds_per_hour == round(3600 * ROUNDS / quick.playing_seconds)


def test_a_moment_of_two_rounds_counts_once(night: Night) -> None:
    """A round that waits for an answer closes when the next is long begun."""
    events = night[0]
    first, last = takings(events).rounds[0], takings(events).rounds[-1]
    waits = [one for one in events if isinstance(one.event, RoundClosed) and one.event.round == first.round]
    end = [msgspec.structs.replace(one, time=last.closed, seq=events[-1].seq + 1) for one in waits]
    late = [*(one for one in events if one not in waits), *end]
    assert account(late).playing_seconds == account(events).playing_seconds


def hours_later(one: Published) -> Published:
    hour = int(one.time[11:13]) + 5
    return msgspec.structs.replace(one, time=f"{one.time[:11]}{hour:02}{one.time[13:]}")


def test_an_alert_is_counted_once_under_its_kind(night: Night) -> None:
    rig = Rig(a_rig().house.rules)
    rig.talk("1 main 25\nkey no_more_bets\nTh")
    rig.chips(1, "main", 5000)
    events = published(rig.events)
    raised = [one.event.kind for one in events if isinstance(one.event, AlertRaised)]
    assert [(line.kind, line.severity, line.count) for line in account(events).alerts] == [("capping", "critical", 1)]
    assert raised == ["capping"]
    settled = [one for one in night[0] if isinstance(one.event, WagerSettled)]
    assert sum(account(night[0]).bases.values()) == len(settled)


def test_spots_and_bets_add_up_to_the_same(night: Night) -> None:
    shift = account(night[0])
    assert sum(one.handle_cents for one in shift.spots) == shift.handle_cents
    assert sum(one.win_cents for one in shift.spots) == shift.win_cents


def test_a_round_is_of_the_time_in_which_it_closed(night: Night) -> None:
    events = night[0]
    rounds = takings(events).rounds
    middle = rounds[9].closed
    before = account(events, from_to("2026-11-21T00:00Z", middle))
    after = account(events, from_to(middle, "2026-11-22T00:00Z"))
    assert (before.rounds, after.rounds) == (9, ROUNDS - 9)
    assert before.win_cents + after.win_cents == account(events).win_cents
    assert before.handle_cents + after.handle_cents == account(events).handle_cents


def test_a_time_without_events_has_no_account(night: Night) -> None:
    assert shift_of(night[0], dict, from_to("2026-11-22T00:00Z", "2026-11-23T00:00Z")) is None


def test_what_is_ruled_later_restates_an_account_and_does_not_change_it() -> None:
    rig = a_rig()
    first, second = played(rig, rounds=2)
    rig.key("insurance_closed")
    asked = from_to("2026-11-21T00:00Z", published(rig.events)[-1].time)
    before = account(published(rig.events), asked)
    spot = next(wager.spot for wager in first.wagers if wager.bet == "main")
    due = next(wager.net_cents for wager in first.wagers if (wager.spot, wager.bet) == (spot, "main"))
    rig.give(AdjustWager(rig.now_ns, first.round, spot, "main", due + 500, "M. Okafor", "paid by courtesy"))
    rig.give(VoidRound(rig.now_ns, first.round, "J. Weber", "a foul deal"))
    after = account(published(rig.events), asked)
    assert (after.handle_cents, after.win_cents, after.rulings) == (before.handle_cents, before.win_cents, ())
    assert after.restated is not None
    adjusted, void = after.restated.rulings
    assert (adjusted.before_cents, adjusted.net_cents, adjusted.who) == (due, due + 500, "M. Okafor")
    assert (void.spot, void.who, void.why) == (0, "J. Weber", "a foul deal")
    assert after.restated.win_cents == before.win_cents + sum(one.net_cents or 0 for one in first.wagers)
    assert "RESTATED" in shift_text(after)
    assert second.round != first.round


def test_a_ruling_on_a_round_of_another_time_is_told_as_such_with_its_case() -> None:
    rig = a_rig()
    played(rig, rounds=2)
    closed = takings(published(rig.events)).rounds[0].closed
    due = next(row.net_cents for row in takings(published(rig.events)).wagers if (row.round, row.bet) == (1, "main"))
    spot = next(row.spot for row in takings(published(rig.events)).wagers if (row.round, row.bet) == (1, "main"))
    given = AdjustWager(rig.now_ns, 1, spot, "main", 500, "M. Okafor", "paid by courtesy", case="2026-117")
    rig.give(given)
    events = published(rig.events)
    began = f"{closed[:17]}{int(closed[17:19]) + 1:02}{closed[19:]}"
    (later,) = account(events, from_to(began, "2026-11-22T00:00Z")).rulings
    assert (later.before_cents, later.net_cents, later.case, later.elsewhere) == (due, 500, "2026-117", True)
    assert "(case 2026-117) (round of another time), M. Okafor: paid" in shift_text(
        account(events, from_to(began, "2026-11-22T00:00Z"))
    )
    (own,) = account(events).rulings
    assert not own.elsewhere


def test_the_text_has_what_an_auditor_signs_for(night: Night) -> None:
    rig = a_rig()
    count(rig, Count.FILL, 200_000, (10_000, 20), slip="4711")
    said = shift_text(account(published(rig.events)))
    assert "UTC 1: fill $2,000.00, slip 4711, M. Okafor: counted" in said
    shift = account(night[0])
    whole = next(line for line in shift_text(shift).splitlines() if line.startswith("all "))
    assert whole.split()[1] == str(sum(line.wagers for line in shift.bets))


def count(rig: Rig, kind: Count, cents: int, *chips: tuple[int, int], slip: str = "") -> None:
    rig.give(
        EnterInventory(rig.now_ns, kind, cents, tuple(ChipCount(*one) for one in chips), slip, "M. Okafor", "counted")
    )


def test_the_table_wins_what_its_inventory_has_gained() -> None:
    rig = a_rig()
    count(rig, Count.OPENER, 5_000_000)
    count(rig, Count.FILL, 200_000, (10_000, 20), slip="4711")
    count(rig, Count.CREDIT, 100_000, (2_500, 40), slip="4712")
    count(rig, Count.DROP, 600_000)
    shift = account(published(rig.events))
    assert (shift.inventory.win_cents, shift.hold) == (None, None)
    assert "table win not entered" in shift_text(shift)
    count(rig, Count.CLOSER, 4_700_000)
    shift = account(published(rig.events))
    assert (shift.inventory.win_cents, shift.hold) == (200_000, 3333)
    assert "hold        33.33 % (table win by drop)" in shift_text(shift)
    assert [entry.entry for entry in shift.entries] == [1, 2, 3, 4, 5]


def test_an_entry_is_taken_back_by_its_opposite() -> None:
    rig = a_rig()
    count(rig, Count.FILL, 200_000)
    count(rig, Count.FILL, -200_000)
    count(rig, Count.FILL, 20_000)
    assert account(published(rig.events)).inventory.fill_cents == 20_000


def test_the_account_says_in_which_money(night: Night) -> None:
    assert account(night[0]).currency == ""
    started = next(one for one in night[0] if isinstance(one.event, TableStarted))
    in_dollars = msgspec.structs.replace(started, event=msgspec.structs.replace(started.event, currency="USD"))
    events = [in_dollars if one is started else one for one in night[0]]
    assert account(events).currency == "USD"


def test_a_slip_is_entered_once_and_again_only_after_it_was_taken_back() -> None:
    rig = a_rig()
    count(rig, Count.FILL, 200_000, slip="4711")
    count(rig, Count.FILL, 200_000, slip="4711")
    (refused,) = rig.told(OrderRefused)
    assert refused == OrderRefused("enter fill", "slip 4711 is entered already, with 2000.00", "M. Okafor")
    count(rig, Count.CREDIT, 50_000, slip="4711")
    count(rig, Count.FILL, -200_000, slip="4711")
    count(rig, Count.FILL, 20_000, slip="4711")
    shift = account(published(rig.events))
    assert (shift.inventory.fill_cents, shift.inventory.credit_cents, len(shift.entries)) == (20_000, 50_000, 4)
