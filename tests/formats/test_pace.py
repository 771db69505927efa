"""Pace and health: what is counted, and that nobody who plays is in it."""

from __future__ import annotations

import msgspec

from controller.core.game.wager import LockedWager
from controller.core.messages.events import (
    BettingClosed,
    CardDrawn,
    Event,
    HoleCardRevealed,
    QuestionAnswered,
    QuestionAsked,
    RoundClosed,
    TableStarted,
)
from controller.core.messages.floor_events import RoundVoided
from controller.formats.mqtt.retained_state import BetFigures
from controller.reports.pace import PHASES, Pace, figures, pace_after, per_hour

S = 1_000_000_000


def counted(*events: tuple[int, Event]) -> Pace:
    pace = Pace()
    for seconds, event in events:
        pace = pace_after(pace, event, seconds * S + S)
    return pace


def one_round(number: int, at: int) -> list[tuple[int, Event]]:
    """Locked after 20 seconds, dealt after 5 more, turned after 30, closed after 10."""
    wagers = (LockedWager(1, "main", 1000), LockedWager(1, "lucky_ladies", 100), LockedWager(4, "main", 500))
    cards: list[tuple[int, Event]] = [(at + 20 + place, CardDrawn(number, place, place, "")) for place in range(6)]
    ends: list[tuple[int, Event]] = [
        (at + 54, HoleCardRevealed(number, 5)),
        (at + 64, RoundClosed(number, (), 1, "settled")),
    ]
    return [(at + 20, BettingClosed(number, wagers)), *cards, *ends]


def test_phases_are_timed_from_the_first_close_on() -> None:
    found = figures(counted(*one_round(1, 0), *one_round(2, 64), *one_round(3, 128)))
    assert found.rounds == 3
    assert found.phase_ms == dict(zip(PHASES, (20_000, 4_000, 30_000, 10_000), strict=True))
    assert found.seconds == 172
    assert found.rounds_per_hour == round(3 * 3600 / 172)


def test_rounds_left_open_and_rounds_the_floor_voided_are_counted() -> None:
    outcomes = ("settled", "open", "open", "void", "irregular")
    closed = [(at, RoundClosed(at, (), 1, outcome)) for at, outcome in enumerate(outcomes)]
    found = figures(counted(*closed, (9, RoundVoided(5, "M. Okafor", "misdeal"))))
    assert (found.rounds, found.open_rounds, found.void_rounds) == (5, 2, 1)
    older = msgspec.json.decode(msgspec.json.encode(found))
    del older["open_rounds"], older["void_rounds"]
    assert msgspec.convert(older, type(found)).void_rounds == 0


def test_a_round_in_which_the_table_started_again_is_not_timed() -> None:
    events: list[tuple[int, Event]] = [*one_round(1, 0), *one_round(2, 64)]
    events.insert(-1, (110, TableStarted("1", "p", "h", restart=True, round_open=True)))
    found = figures(counted(*events))
    assert (found.rounds, found.starts, found.phase_ms) == (2, 1, {})


def test_questions_are_counted_and_waited_for() -> None:
    found = figures(
        counted(
            (0, QuestionAsked(1, 1, 1, "?", ("yes", "no"))),
            (7, QuestionAnswered(1, "yes", "dealer")),
            (8, QuestionAsked(2, 1, 1, "?", ("yes", "no"))),
        )
    )
    assert (found.questions, found.questions_open, found.answer_ms) == (2, 1, 7000)


def test_the_average_bet_and_the_share_of_side_wagers_are_rounded_to_the_nearest() -> None:
    bets = (
        BetFigures("insurance", 1_000, -2_000, None, 1, 1_000),
        BetFigures("lucky_ladies", 500, 500, None, 1, 500),
        BetFigures("main", 40_000, -10_000, 150, 3, 20_000),
    )
    found = figures(Pace(), bets)
    assert (found.bets, found.average_bet_cents, found.side_bet_per_mille) == (bets, 6_667, 12)
    assert (figures(Pace()).average_bet_cents, figures(Pace()).side_bet_per_mille) == (None, None)


def test_a_rate_without_time_is_nothing() -> None:
    assert per_hour(5, 0) == 0
    assert figures(Pace()).rounds_per_hour == 0
    assert per_hour(1, 3600 * S) == 1


def test_there_is_nobody_in_it() -> None:
    text = msgspec.json.encode(figures(counted(*one_round(1, 0)))).decode()
    assert not {"who", "player", "spot", "chip"} & set(text.replace('"', " ").split())
