"""Whether the accounts made of a table's events are whole: every wager once, and the same in every account."""

from __future__ import annotations

from collections import Counter

from controller.core.messages.events import BettingClosed, Event, InsuranceTaken
from controller.core.messages.floor_events import BoxDeclared
from controller.formats.journal.records import Identity
from controller.formats.mqtt.envelope import Published
from controller.reports.recent_takings import RecentTakings
from controller.reports.revenue_rows import Takings, WagerRow, WagerState, takings
from controller.reports.round_narrative import rounds
from controller.reports.shift import shift_of
from tests.core.rig import Rig

HERE = Identity("harbour", "bj-1", 7)


def published(events: list[Event]) -> list[Published]:
    """The events as they were published, a second apart."""
    return [
        Published(HERE, seq, f"2026-11-21T{seq // 3600:02}:{seq // 60 % 60:02}:{seq % 60:02}.000000Z", event)
        for seq, event in enumerate(events, start=1)
    ]


def hold_whole(rig: Rig) -> None:
    """Rows of wagers, rounds, hours and the shift, and the table's own books, say the same of every wager."""
    events = published(rig.events)
    found = takings(events)
    closed = {row.round for row in found.rounds}
    made = wagers_made(rig, closed)
    assert {(row.round, row.spot, row.bet) for row in found.wagers} >= made
    as_the_table_has_it(rig, found)
    for line in rounds(found):
        rows = [row for row in found.wagers if row.round == line.round]
        if line.round in closed:
            states = Counter(row.state for row in rows)
            assert (line.settled, line.open, line.void) == tuple(states[one] for one in WagerState), line
            assert line.staked_cents == sum(row.handle_cents for row in rows), line
            assert line.net_cents == sum(row.net_cents or 0 for row in rows), line
            assert line.settled + line.open + line.void == len(rows), line
    settled = [row for row in found.wagers if row.state is WagerState.SETTLED]
    shift = shift_of(events, dict)
    assert shift is not None
    for sums in (shift.bets, found.sums()):
        assert sum(one.wagers for one in sums) == len(settled)
        assert sum(one.handle_cents for one in sums) == sum(row.handle_cents for row in settled)
        assert sum(one.win_cents for one in sums) == sum(row.win_cents for row in settled)
    recent = RecentTakings()
    for one in events:
        recent.take(one)
    assert {one.bet: (one.wagers, one.handle_cents, one.win_cents) for one in recent.figures()} == {
        line.bet: (line.wagers, line.handle_cents, line.win_cents) for line in shift.bets
    }
    assert shift.open_wagers == sum(row.state is WagerState.OPEN for row in found.wagers)


def wagers_made(rig: Rig, closed: set[int]) -> set[tuple[int, int, str]]:
    """Every wager locked or made later in a round that is closed."""
    made: set[tuple[int, int, str]] = set()
    for event in rig.events:
        match event:
            case BettingClosed(number, wagers):
                made |= {(number, one.spot, one.bet) for one in wagers}
            case InsuranceTaken(number, spot):
                made.add((number, spot, "insurance"))
            case BoxDeclared(int(number), spot, beside=beside):
                made |= {(number, spot, "main"), *((number, one.spot, one.bet) for one in beside)}
            case _:
                pass
    return {place for place in made if place[0] in closed}


def as_the_table_has_it(rig: Rig, found: Takings) -> None:
    """The table's books, of the last rounds, and the rows made of its events are the same."""
    rows = {(row.round, row.spot, row.bet): row for row in found.wagers}
    closed = {row.round for row in found.rounds}
    for book in rig.table.state.books:
        if book.round not in closed:
            continue
        own = {place: row for place, row in rows.items() if place[0] == book.round}
        assert set(own) == {(book.round, row.spot, row.bet) for row in book.rows}
        for row in book.rows:
            same(
                own[book.round, row.spot, row.bet], row.net_cents, row.wager_cents, void=book.void, doubted=row.doubted
            )


def same(row: WagerRow, net_cents: int | None, wager_cents: int, *, void: bool, doubted: bool) -> None:
    """A row and what the table has of that wager."""
    standing = WagerState.VOID if void else WagerState.OPEN if net_cents is None else WagerState.SETTLED
    assert (row.state, row.wager_cents) == (standing, wager_cents), row
    assert row.net_cents == (0 if void else net_cents), row
    assert row.doubted == (doubted and not void), row
    assert row.state is not WagerState.OPEN or row.why != "nothing has settled it yet", row
