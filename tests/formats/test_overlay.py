"""Lines for video: short, plain, and no more than MQTT says."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from controller.core.game.wager import Basis, LockedWager
from controller.core.messages.alerts import BetIncreasedAfterLock
from controller.core.messages.events import (
    BettingClosed,
    CardDealt,
    CardOpened,
    Event,
    QuestionAsked,
    RoundClosed,
    WagerSettled,
)
from controller.reports.video_overlay import CARD_LIMIT, LINE_LIMIT, Overlay

TIME = "2026-11-21T20:15:04.123456Z"


def test_a_round_in_lines() -> None:
    overlay = Overlay()
    events: list[Event] = [
        BettingClosed(12, (LockedWager(1, "main", 2500), LockedWager(3, "lucky_ladies", 500))),
        CardOpened(40, "8h", ""),
        CardDealt(12, 40, 3),
        CardDealt(12, 41, 0),
        CardOpened(41, "Ks", ""),
        WagerSettled(12, 3, "main", 1000, -1000, Basis.EVIDENCE, (), "the hand broke"),
        RoundClosed(12, (), 1, "settled"),
    ]
    assert [line for event in events for line in overlay.lines(event, TIME)] == [
        "20:15:04 R12 BETS 1:$25.00",
        " 3/lucky_ladies:$5.00",
        "20:15:04 S3 8h",
        "20:15:04 DEALER Ks",
        "20:15:04 R12 S3 main $10.00 -$10.00",
        "20:15:04 R12 CLOSED settled",
    ]


def test_a_card_without_an_owner_is_not_printed_and_not_remembered_for_ever() -> None:
    overlay = Overlay()
    assert overlay.lines(CardOpened(1, "8h", ""), TIME) == ()
    for number in range(2, CARD_LIMIT + 2):
        overlay.lines(CardOpened(number, "8h", ""), TIME)
    assert overlay.lines(CardDealt(1, 1, 3), TIME) == ()
    assert overlay.lines(CardDealt(1, 2, 3), TIME) == ("20:15:04 S3 8h",)


def test_an_alert_names_what_and_where() -> None:
    assert Overlay().lines(BetIncreasedAfterLock(4, 3, "main", 0, 500), TIME) == (
        "20:15:04 ALERT BET INCREASED AFTER LOCK",
        " R4 S3",
    )


@given(text=st.text(max_size=300))
def test_every_line_is_plain_and_short(text: str) -> None:
    for line in Overlay().lines(QuestionAsked(7, 1, 3, text, ()), TIME):
        assert 0 < len(line) <= LINE_LIMIT
        assert line.isascii()
        assert line.isprintable()
