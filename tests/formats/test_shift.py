"""The account of a shift: its time, its sums, what was ruled in it and after it, and what the cage counted."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from fractions import Fraction

import msgspec
import pytest
from msgspec.structs import replace

from controller.core.analysis.expectation import Theory
from controller.core.messages.alerts import OrderRefused
from controller.core.messages.events import CardDrawn, RoundClosed, TableStarted, WagerSettled
from controller.core.messages.floor_events import ChipCount, Count, InventoryEntered
from controller.core.messages.house import GamingDay
from controller.core.messages.inputs import (
    AdjustWager,
    DaemonStarted,
    DayBegan,
    DeclareBox,
    EnterInventory,
    SetCard,
    VoidRound,
)
from controller.core.messages.raised_alerts import AlertRaised
from controller.core.people.table_inventory import Recount
from controller.core.refusal_reason import RefusalCode
from controller.formats.mqtt.envelope import Published
from controller.formats.text.moments import Period
from controller.reports.revenue_rows import WagerState, takings
from controller.reports.shift import Shift, ShiftRequest, shift_of
from controller.reports.shift_course import course
from controller.reports.shift_text import shift_text
from firmware_protocols.cards import Card
from simulators.people.acts import RoundPlayed
from tests.core.accounts import published
from tests.core.rig import Rig
from tests.formats.test_takings import ROUNDS, a_rig, played

Night = tuple[list[Published], list[RoundPlayed]]


@pytest.fixture(scope="module")
def night() -> Night:
    rig = a_rig()
    rounds = played(rig)
    return published(rig.events), rounds


def account(events: list[Published], asked: ShiftRequest | None = None, **theories: Theory) -> Shift:
    shift = shift_of(events, lambda: theories, asked)
    assert shift is not None
    return shift


def theory(edge: Fraction, variance: int = 0) -> Theory:
    return Theory(edge, Fraction(variance), Fraction(0))


def from_to(since: str, until: str) -> ShiftRequest:
    return ShiftRequest(Period(datetime.fromisoformat(since), datetime.fromisoformat(until)))


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


def test_a_round_that_closes_after_later_ones_stands_at_its_place_in_the_course(night: Night) -> None:
    found = takings(night[0])
    settled = [wager for wager in found.wagers if wager.state is WagerState.SETTLED]
    theories = {"main": theory(Fraction(1, 100), variance=1)}
    waited = (*found.rounds[1:], found.rounds[0])
    assert course(waited, settled, theories) == course(found.rounds, settled, theories)


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
    rig.leave_lying()
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


def ruled_later(cents: int) -> tuple[Shift, str]:
    """The account of two rounds before somebody rules on a wager of theirs, and its text after it."""
    rig = a_rig()
    played(rig, rounds=2)
    rig.key("insurance_closed")
    asked = from_to("2026-11-21T00:00Z", published(rig.events)[-1].time)
    row = next(row for row in takings(published(rig.events)).wagers if (row.round, row.bet) == (1, "main"))
    assert row.net_cents is not None
    given = AdjustWager(rig.now_ns, 1, row.spot, "main", row.net_cents + cents, "M. Okafor", "seen again")
    rig.give(given)
    return account(published(rig.events), asked), shift_text(account(published(rig.events), asked))


def test_a_restatement_stands_first_with_what_it_changes() -> None:
    shift, text = ruled_later(-500)
    assert text.splitlines()[3].startswith("RESTATED")
    (change,) = (line.split()[1:] for line in text.splitlines() if line.strip().startswith("change"))
    assert change == ["$0.00", "+$5.00", "0", "0", "0"]
    assert shift.restated is not None
    assert [one.win_cents for one in shift.restated.rulings] == [500]


def test_a_restatement_that_changes_nothing_says_so() -> None:
    shift, text = ruled_later(0)
    assert text.splitlines()[3] == "RESTATED    by later rulings or entries that changed no figure"
    assert "confirmed, house $0.00, M. Okafor: seen again" in text
    assert " -> " not in text
    assert shift.restated is not None


def test_hours_are_by_the_clock_of_the_house_also_where_it_is_put_back(night: Night) -> None:
    events = [
        msgspec.structs.replace(one, time=f"2026-11-01T0{5 + at % 2}{one.time[13:]}") for at, one in enumerate(night[0])
    ]
    events.sort(key=lambda one: one.time)
    shift = account(events, ShiftRequest(time_zone="America/New_York"))
    assert list(shift.rounds_by_hour) == ["2026-11-01T01:00-04:00", "2026-11-01T01:00-05:00"]
    assert "2026-11-01 01:00 EDT" in figure(shift, "by hour ")
    assert "2026-11-01 01:00 EST" in figure(shift, "by hour ")


def test_a_void_round_says_what_it_returned(night: Night) -> None:
    rig = a_rig()
    rig.talk("1 main 25 \n 2 main 10 \n key no_more_bets \n Th 7d Qs Td 9c")
    rig.give(VoidRound(rig.now_ns, 1, "M. Okafor", "misdeal"))
    shift = account(published(rig.events))
    assert (shift.void_rounds, shift.void_wagers, shift.void_cents, shift.handle_cents) == (1, 2, 3_500, 0)
    assert figure(shift, "void ") == "1 round, 2 wagers, $35.00 returned"


def test_open_and_doubted_wagers_are_named() -> None:
    rig = a_rig()
    rig.talk("1 main 25 \n 2 main 10 \n key no_more_bets \n Th 7d Qs Td 9c \n key round_closed round_closed")
    shift = account(published(rig.events))
    assert [(one.round, one.spot, one.staked_cents, one.net_cents) for one in shift.unsettled] == [
        (1, 1, 2_500, None),
        (1, 2, 1_000, None),
    ]
    assert (shift.irregular[0].outcome, shift.irregular[0].open_wagers) == ("irregular", 2)
    assert figure(shift, "irregular ").endswith("; irregular, 2 wagers open")


def test_an_account_says_when_it_was_written_by_what_and_whether_its_time_was_over(night: Night) -> None:
    asked = from_to("2026-11-21T00:00Z", "2026-11-22T00:00Z")
    over = msgspec.structs.replace(asked, written="2026-11-23T10:00:00Z", version="1.2.3")
    text = shift_text(account(night[0], over))
    assert "written 2026-11-23 10:00:00 UTC by Tableside 1.2.3; the table ran version test" in text
    assert "NOT OVER" not in text
    running = msgspec.structs.replace(over, written="2026-11-21T23:00:00Z")
    assert "NOT OVER" in shift_text(account(night[0], running))


def the_start(night: Night) -> Published:
    return next(one for one in night[0] if isinstance(one.event, TableStarted))


def in_money(started: Published, currency: str) -> Published:
    assert isinstance(started.event, TableStarted)
    return msgspec.structs.replace(started, event=msgspec.structs.replace(started.event, currency=currency))


def test_amounts_that_are_no_dollars_have_no_dollar_sign(night: Night) -> None:
    started = the_start(night)
    in_euros = in_money(started, "EUR")
    text = shift_text(account([in_euros if one is started else one for one in night[0]]))
    assert "amounts in EUR" in text
    assert "$" not in text


def test_a_ruling_on_a_round_of_another_time_is_printed_as_such_with_its_case() -> None:
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
    text = shift_text(account(published(rig.events)))
    assert "UTC 1: fill $2,000.00, slip 4711, M. Okafor: counted" in text
    shift = account(night[0])
    whole = next(line for line in shift_text(shift).splitlines() if line.startswith("all "))
    assert whole.split()[1] == str(sum(line.wagers for line in shift.bets))


def count(
    rig: Rig, kind: Count, cents: int, *chips: tuple[int, int], slip: str = "", of: tuple[str, str] = ("", "")
) -> None:
    counted = tuple(ChipCount(*one) for one in chips)
    rig.give(EnterInventory(rig.now_ns, kind, cents, counted, slip, "M. Okafor", "counted", *of))


def test_the_table_wins_what_its_inventory_has_gained() -> None:
    rig = a_rig()
    count(rig, Count.OPENER, 5_000_000)
    count(rig, Count.FILL, 200_000, (10_000, 20), slip="4711")
    count(rig, Count.CREDIT, 100_000, (2_500, 40), slip="4712")
    count(rig, Count.DROP, 600_000)
    shift = account(published(rig.events))
    assert (shift.inventory.win_cents, shift.hold) == (None, None)
    assert figure(shift, "inventory   table win ") == "not entered"
    count(rig, Count.CLOSER, 4_700_000)
    shift = account(published(rig.events))
    assert (shift.inventory.win_cents, shift.hold) == (200_000, 3333)
    assert figure(shift, "inventory   hold (table win by drop) ") == "33.33 %"
    assert figure(shift, "inventory   fills ") == "$2,000.00   slip 4711"
    assert figure(shift, "inventory   table win less win on wagers ") == "+$2,000.00"
    assert [entry.entry for entry in shift.entries] == [1, 2, 3, 4, 5]


SHIFTS = GamingDay("UTC", "00:00", {"day": "00:00", "swing": "08:00", "grave": "16:00"})
DAY_SHIFT = ShiftRequest(Period(datetime(2026, 11, 21, 0, tzinfo=UTC), datetime(2026, 11, 21, 8, tzinfo=UTC)))
SWING = ShiftRequest(Period(DAY_SHIFT.period.until, DAY_SHIFT.period.until + timedelta(hours=8)))


def a_counted_table() -> Rig:
    """A table with three shifts, whose day shift was counted but for its closer and drop; it is swing now."""
    rig = a_rig()
    rig.house = replace(rig.house, gaming_day=SHIFTS)
    rig.give(DaemonStarted(rig.now_ns, "test", rig.house))
    rig.give(DayBegan(rig.now_ns, "2026-11-21"))
    count(rig, Count.OPENER, 5_000_000)
    count(rig, Count.OPENER, 4_800_000)
    return rig


def by_shift(rig: Rig) -> list[Published]:
    """Its events: the first opener in the day shift, all that follows in the swing shift."""
    events = published(rig.events)
    second = next(one.seq for one in events if isinstance(one.event, InventoryEntered) and one.event.entry == 2)
    return [replace(one, time=one.time.replace("T00", "T09")) if one.seq >= second else one for one in events]


def test_a_count_entered_later_restates_its_shift_and_edits_none() -> None:
    rig = a_counted_table()
    before = account(by_shift(rig), DAY_SHIFT)
    count(rig, Count.CLOSER, 4_800_000, of=("2026-11-21", "day"))
    count(rig, Count.DROP, 500_000, of=("today", "day"))
    then, swing = (account(by_shift(rig), asked) for asked in (DAY_SHIFT, SWING))
    assert (then.inventory, then.entries, then.hold) == (before.inventory, before.entries, None)
    assert then.restated is not None
    assert then.restated.inventory.win_cents == 300_000
    assert then.restated.hold == 6000
    assert [entry.entry for entry in then.restated.entries] == [3, 4]
    text = shift_text(then).splitlines()
    assert text[3].startswith("RESTATED    by later rulings or entries")
    assert "            drop                             not entered -> $5,000.00" in text
    assert "            hold (table win by drop)         not entered -> 60.00 %" in text
    assert any(
        line.startswith("later") and "drop $5,000.00 (gaming day 2026-11-21, day shift)" in line for line in text
    )
    assert (swing.inventory.opener_cents, swing.inventory.closer_cents, swing.restated) == (4_800_000, None, None)
    assert [entry.elsewhere for entry in swing.entries] == [False, True, True]
    assert "drop $5,000.00 (gaming day 2026-11-21, day shift, not this account)" in shift_text(swing)


def test_a_time_in_which_nothing_happened_but_was_counted_has_an_account() -> None:
    rig = a_counted_table()
    rig.give(DayBegan(rig.now_ns, "2026-11-22"))
    count(rig, Count.DROP, 500_000, of=("2026-11-20", ""))
    day = Period(datetime(2026, 11, 20, tzinfo=UTC), datetime(2026, 11, 21, tzinfo=UTC))
    then = account(by_shift(rig), ShiftRequest(day))
    assert (then.rounds, then.inventory.drop_cents) == (0, None)
    assert then.restated is not None
    assert then.restated.inventory.drop_cents == 500_000
    assert "not entered -> $5,000.00" in shift_text(then)


def test_a_day_has_its_shifts_counts_in_the_order_of_the_shifts() -> None:
    rig = a_counted_table()
    count(rig, Count.CLOSER, 4_750_000, of=("2026-11-21", "day"))
    count(rig, Count.CLOSER, 4_900_000)
    whole = account(by_shift(rig)).inventory
    assert (whole.opener_cents, whole.closer_cents) == (5_000_000, 4_900_000)
    assert whole.recounts == (Recount(4_750_000, 4_800_000),)


def test_a_count_of_another_shift_is_taken_back_in_that_shift() -> None:
    rig = a_counted_table()
    count(rig, Count.OPENER, -5_000_000, of=("2026-11-21", "day"))
    count(rig, Count.OPENER, 5_100_000, of=("2026-11-21", "day"))
    then = account(by_shift(rig), DAY_SHIFT)
    assert then.inventory.opener_cents == 5_000_000
    assert then.restated is not None
    assert then.restated.inventory.opener_cents == 5_100_000


@pytest.mark.parametrize(
    ("of", "why", "code"),
    [
        (("2026-11-22", ""), "gaming day 2026-11-22 has not begun; today is 2026-11-21", "day_not_begun"),
        (("yesterday", "morning"), "morning: no shift of this house: day, swing, grave", "no_such_shift"),
    ],
)
def test_a_count_of_no_shift_of_the_house_is_refused(of: tuple[str, str], why: str, code: RefusalCode) -> None:
    rig = a_counted_table()
    count(rig, Count.DROP, 1_000, of=of)
    assert rig.events_of(OrderRefused)[-1] == OrderRefused("enter drop", why, "M. Okafor", code)


def test_no_day_is_known_before_the_first_has_begun() -> None:
    rig = a_rig()
    count(rig, Count.DROP, 1_000, of=("today", ""))
    refused = OrderRefused(
        "enter drop", "the gaming day is not known until the table has begun one", "M. Okafor", "day_not_begun"
    )
    assert rig.events_of(OrderRefused)[-1] == refused


def figure(shift: Shift, label: str) -> str:
    """What the text has after a label."""
    (line,) = (line for line in shift_text(shift).splitlines() if line.startswith(label))
    return line.removeprefix(label).strip()


def test_a_table_counted_three_times_has_its_first_opener_and_its_last_closer() -> None:
    rig = a_rig()
    for opener, closer in ((5_000_000, 4_900_000), (4_890_000, 5_100_000), (5_100_000, 5_050_000)):
        count(rig, Count.OPENER, opener)
        count(rig, Count.CLOSER, closer)
    count(rig, Count.DROP, 600_000)
    shift = account(published(rig.events))
    assert (shift.inventory.opener_cents, shift.inventory.closer_cents) == (5_000_000, 5_050_000)
    assert shift.inventory.win_cents == 650_000
    between = [line for line in shift_text(shift).splitlines() if "closed and opened between" in line]
    assert [line.split("between")[1].strip() for line in between] == [
        "$49,000.00, then $48,900.00: -$100.00",
        "$51,000.00, then $51,000.00: $0.00",
    ]


def test_a_table_that_is_open_again_has_no_closer_yet() -> None:
    rig = a_rig()
    for kind in (Count.OPENER, Count.CLOSER, Count.DROP, Count.OPENER):
        count(rig, kind, 100_000)
    assert account(published(rig.events)).inventory.win_cents is None


def test_an_opener_taken_back_and_entered_again_is_one_opener() -> None:
    rig = a_rig()
    for kind, cents in (
        (Count.OPENER, 90_000),
        (Count.CLOSER, 70_000),
        (Count.OPENER, -90_000),
        (Count.OPENER, 80_000),
    ):
        count(rig, kind, cents)
    inventory = account(published(rig.events)).inventory
    assert (inventory.opener_cents, inventory.closer_cents, inventory.recounts) == (80_000, 70_000, ())


def test_a_fill_without_a_slip_is_said_to_have_none() -> None:
    rig = a_rig()
    count(rig, Count.FILL, 200_000, slip="4711")
    count(rig, Count.FILL, 50_000, slip="4712")
    count(rig, Count.FILL, 5_000)
    count(rig, Count.FILL, -50_000, slip="4712")
    assert (
        figure(account(published(rig.events)), "inventory   fills ") == "$2,050.00   slip 4711; $50.00 without a slip"
    )


def test_an_entry_is_taken_back_by_its_opposite() -> None:
    rig = a_rig()
    count(rig, Count.FILL, 200_000)
    count(rig, Count.FILL, -200_000)
    count(rig, Count.FILL, 20_000)
    assert account(published(rig.events)).inventory.fill_cents == 20_000


def test_the_account_says_in_which_money(night: Night) -> None:
    assert account(night[0]).currency == ""
    started = the_start(night)
    in_dollars = in_money(started, "USD")
    events = [in_dollars if one is started else one for one in night[0]]
    assert account(events).currency == "USD"


def test_a_slip_is_entered_once_and_again_only_after_it_was_taken_back() -> None:
    rig = a_rig()
    count(rig, Count.FILL, 200_000, slip="4711")
    count(rig, Count.FILL, 200_000, slip="4711")
    (refused,) = rig.events_of(OrderRefused)
    assert refused == OrderRefused(
        "enter fill", "slip 4711 is entered already, with 2000.00", "M. Okafor", "already_done"
    )
    count(rig, Count.CREDIT, 50_000, slip="4711")
    count(rig, Count.FILL, -200_000, slip="4711")
    count(rig, Count.FILL, 20_000, slip="4711")
    shift = account(published(rig.events))
    assert (shift.inventory.fill_cents, shift.inventory.credit_cents, len(shift.entries)) == (20_000, 50_000, 4)


def test_what_people_said_of_cards_and_boxes_is_in_the_account() -> None:
    rig = a_rig()
    rig.give(DeclareBox(rig.now_ns, 5, 1000, "M. Okafor", "plays cash"))
    rig.give(DeclareBox(rig.now_ns, 5, 0, "M. Okafor", "went away"))
    rig.talk("1 main 10 \n 9h Ts")
    (first, *_) = [event.card for event in rig.events if isinstance(event, CardDrawn)]
    rig.give(SetCard(rig.now_ns, first, Card("8h"), "J. Lee", "seen on the felt"))
    rig.give(SetCard(rig.now_ns, first, None, "J. Lee", "burned"))
    shift = account(published(rig.events))
    assert [(one.round, one.text, one.who, one.why) for one in shift.corrections] == [
        (None, "next round spot 5: box of 10.00 declared", "M. Okafor", "plays cash"),
        (None, "next round spot 5: no box after all", "M. Okafor", "went away"),
        (1, f"round 1 card {first}: 9h -> 8h", "J. Lee", "seen on the felt"),
        (1, f"round 1 card {first}: 8h -> no card of the round", "J. Lee", "burned"),
    ]
    assert f"round 1 card {first}: 9h -> 8h, J. Lee: seen on the felt\n" in shift_text(shift)
