"""The last hour's pace, read out of a journal that may be much longer."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import msgspec

from controller.core.game.wager import LockedWager
from controller.core.messages.events import BettingClosed, CardDrawn, Event, HoleCardRevealed, RoundClosed
from controller.formats.journal.records import Identity
from controller.formats.mqtt.envelope import nanoseconds
from controller.formats.mqtt.retained_state import PaceNow
from controller.formats.replay import payloads
from controller.formats.text.moments import HOUR_NS
from controller.io.journal.reader import EventRow
from controller.io.mqtt.pace_publisher import EVERY_SECONDS, PaceBoard
from tests.io.virtual_time import LoopClock, passes, run_virtual

HERE = Identity("harbour", "bj-1", 1)
S = 1_000_000_000


class Journal:
    """Rounds of a minute each, as a table published them."""

    def __init__(self) -> None:
        self.rows: list[EventRow] = []
        self.reads = 0

    def commit(self, wall_ns: int, *events: Event) -> None:
        seq = len(self.rows)
        self.rows += [EventRow(seq + at, 1, one) for at, one in enumerate(payloads(events, HERE, seq, wall_ns), 1)]

    def play(self, number: int, wall_ns: int) -> None:
        self.commit(wall_ns, BettingClosed(number, (LockedWager(1, "main", 1000),)))
        for place in range(4):
            self.commit(wall_ns + (place + 1) * S, CardDrawn(number, 4 * number + place, place, f"{number}-{place}"))
        self.commit(wall_ns + 10 * S, HoleCardRevealed(number, 4 * number))
        self.commit(wall_ns + 30 * S, RoundClosed(number, (), 1, "settled"))

    async def read(self, seq: int, limit: int) -> Sequence[EventRow]:
        self.reads += 1
        return self.rows[seq : seq + limit]


def test_only_the_last_hour_counts_and_a_year_is_not_read_for_it() -> None:
    journal = Journal()
    published: list[PaceNow] = []

    async def watch() -> None:
        clock = LoopClock(asyncio.get_running_loop())
        first_ns = clock.wall_ns() - 5 * HOUR_NS
        for number in range(300):
            journal.play(number + 1, first_ns + number * 60 * S)
        board = PaceBoard(
            journal.read,
            lambda: len(journal.rows),
            clock,
            lambda one: published.append(msgspec.json.decode(one, type=PaceNow)),
        )
        running = asyncio.create_task(board.run())
        await passes(1)
        journal.play(301, clock.wall_ns())
        await passes(EVERY_SECONDS)
        await passes(HOUR_NS / S)
        running.cancel()

    run_virtual(watch())
    assert (published[0].seq, published[0].figures.rounds, published[0].figures.rounds_per_hour) == (2100, 60, 61)
    assert published[0].figures.phase_ms["playing"] == 7000
    assert (published[1].seq, published[1].figures.rounds) == (2107, 60)
    assert published[-1].figures.rounds == 0
    assert nanoseconds(published[1].time) - nanoseconds(published[0].time) == EVERY_SECONDS * S
    assert len(published) == 62
    # Twelve halvings, the rows of an hour at once, and once a minute what is new.
    assert journal.reads < 12 + 2 + 2 * 62
