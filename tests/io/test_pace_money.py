"""What the pace says of money, against the account that ``tableside report`` makes of the same rounds."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any, Final

import msgspec
import pytest
from click.testing import CliRunner

from controller.cli import main
from controller.core.analysis.expectation import edges_at_hand
from controller.core.messages.events import BettingClosed, RoundClosed
from controller.core.messages.inputs import AdjustWager, VoidRound
from controller.formats.mqtt.envelope import nanoseconds, own_event
from controller.formats.mqtt.retained_state import PaceFigures, PaceNow
from controller.formats.text.moments import HOUR_NS
from controller.io.files import known_edges
from controller.io.journal.reader import EventRow, JournalReader
from controller.io.mqtt.pace_publisher import PaceBoard
from controller.reports.recent_takings import RecentTakings
from tests.core.journals import journal_of
from tests.core.rig import Rig
from tests.formats.test_takings import a_rig, played

SIDE_WAGERS: Final = """
    1 main 25 \n 1 lucky_ladies 5 \n 4 main 30 \n 4 lucky_ladies 5 \n 4 twenty_one_plus_three 15
    key no_more_bets \n Th 9d 7s Ts 8d 9c
    key stand stand hole_turned
    Kd \n key round_closed
"""
RULED: Final = "the video shows a push"


class ClockAt:
    """Wall time as it is set."""

    def __init__(self, wall_ns: int) -> None:
        self.now_ns = wall_ns

    def wall_ns(self) -> int:
        return self.now_ns

    def monotonic_ns(self) -> int:
        return self.now_ns


class Evening:
    """A journal of rounds with doubles, splits, side wagers, a ruling and a void round, and its pace at a moment."""

    def __init__(self, rig: Rig, path: Path) -> None:
        self.rig = rig
        self.path = path
        with JournalReader(path) as reader:
            self.rows = list(reader.events(1))
        self.events = [own_event(row.body) for row in self.rows]

    def pace(self, wall_ns: int) -> PaceFigures:
        """What a table that starts at this moment says of the hour before."""
        rules = self.rig.house.rules
        edges = edges_at_hand(rules, known_edges.known(rules), known_edges.known_sides(rules))

        async def read(seq: int, limit: int) -> Sequence[EventRow]:
            return self.rows[seq : seq + limit]

        board = PaceBoard(read, lambda: len(self.rows), ClockAt(wall_ns), lambda _: None, edges=edges)
        return msgspec.json.decode(asyncio.run(board.look()), type=PaceNow).figures

    def report(self, *words: str) -> dict[str, Any]:
        """What the command writes of the same journal."""
        done = CliRunner().invoke(main, ["report", "--json", *words, str(self.path)])
        assert done.exit_code == 0, done.output
        found: dict[str, Any] = json.loads(done.stdout)
        return found


@pytest.fixture(scope="module")
def evening(tmp_path_factory: pytest.TempPathFactory) -> Evening:
    rig = a_rig()
    played(rig)
    rig.talk(SIDE_WAGERS)
    closed = [event.round for event in rig.events_of(RoundClosed)]
    ruled, void = closed[-3], closed[-2]
    locked = next(one for one in rig.events_of(BettingClosed) if one.round == ruled)
    rig.give(AdjustWager(1, ruled, locked.wagers[0].spot, "main", 0, "M. Okafor", RULED))
    rig.give(VoidRound(2, void, "M. Okafor", "misdeal"))
    return Evening(rig, journal_of(rig, tmp_path_factory.mktemp("evening") / "journal.sqlite"))


def test_the_pit_and_the_account_say_the_same_to_the_cent(evening: Evening) -> None:
    found, account = evening.pace(nanoseconds(evening.events[-1].time)), evening.report()
    assert account["void_rounds"] == 1
    assert RULED in {one["why"] for one in account["rulings"]}
    lines = {one["bet"]: one for one in account["bets"]}
    assert len(lines) > 2
    for one in found.bets:
        line = lines.pop(one.bet)
        assert (one.wagers, one.handle_cents, one.win_cents) == (
            line["wagers"],
            line["handle_cents"],
            line["win_cents"],
        ), one.bet
        assert one.theoretical_cents in {None, line["expected_cents"]}
    assert lines == {}
    laid = next(one for one in found.bets if one.bet == "main")
    assert laid.handle_cents > laid.wager_cents, "somebody doubled"
    assert laid.theoretical_cents is not None
    assert found.average_bet_cents == account["average_bet_cents"] == nearest(Fraction(laid.wager_cents, laid.wagers))
    aside = sum(one.handle_cents for one in found.bets if one.bet not in {"main", "insurance"})
    handle = sum(one.handle_cents for one in found.bets)
    assert found.side_bet_per_mille == account["side_bet_per_mille"] == nearest(Fraction(1_000 * aside, handle))


def nearest(number: Fraction) -> int:
    return int(number + Fraction(1, 2))


def test_a_round_counts_from_its_close_for_an_hour(evening: Evening) -> None:
    closes = [one for one in evening.events if isinstance(one.event, RoundClosed)]
    early = evening.pace(nanoseconds(closes[9].time) + HOUR_NS)
    late = evening.pace(nanoseconds(closes[9].time) + HOUR_NS + 1_000)
    begun = evening.report(f"--since={closes[9].time}")
    assert [(one.bet, one.handle_cents, one.win_cents) for one in early.bets] == sorted(
        (one["bet"], one["handle_cents"], one["win_cents"]) for one in begun["bets"]
    )
    assert sum(one.wagers for one in late.bets) < sum(one.wagers for one in early.bets)


def test_a_round_that_began_before_the_hour_counts_in_it(evening: Evening) -> None:
    closes = [one for one in evening.events if isinstance(one.event, RoundClosed)]
    dealt = next(one for one in evening.events if isinstance(one.event, BettingClosed) and one.event.round == 10)
    recent = RecentTakings()
    for one in evening.events:
        recent.take(one)
    recent.forget(nanoseconds(dealt.time) + 1)
    wanted = evening.report(f"--since={closes[9].time}")
    assert sum(one.handle_cents for one in recent.figures()) == sum(one["handle_cents"] for one in wanted["bets"])


def test_the_state_of_a_table_has_the_same_money(evening: Evening) -> None:
    done = CliRunner().invoke(main, ["status", "--json", "--hours", "24", str(evening.path)])
    pace, account = json.loads(done.stdout)["pace"], evening.report()
    assert pace["average_bet_cents"] == account["average_bet_cents"]
    assert sum(one["handle_cents"] for one in pace["bets"]) == sum(one["handle_cents"] for one in account["bets"])
