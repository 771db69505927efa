"""How a table is, folded out of its published events, and how it has run over the last hours."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

import msgspec
from msgspec.structs import replace

from controller.core.messages.alerts import PlayBlocked, PlayUnblocked, RoundIrregular
from controller.core.messages.events import (
    BettingClosed,
    CardBurned,
    CardDrawn,
    CardOpened,
    DeviceStatusChanged,
    Event,
    HandCompleted,
    QuestionAnswered,
    QuestionAsked,
    QuestionWithdrawn,
    RoundClosed,
    ShoeBegun,
    TableStarted,
    WagerSettled,
)
from controller.core.messages.floor_events import RoundResumed, RoundVoided
from controller.core.messages.raised_alerts import Severity
from controller.core.table.shoe import ShoeAccount
from controller.formats.mqtt.envelope import Published, nanoseconds, utc_text
from controller.formats.mqtt.retained_alerts import listed_alerts
from controller.formats.mqtt.retained_state import PaceFigures
from controller.formats.text.moments import HOUR_NS
from controller.reports import recent_takings
from controller.reports.pace import Pace, figures, main_boxes, pace_after
from controller.reports.recent_takings import RecentTakings
from firmware_protocols.readings import HealthState

UNREAD: Final = "??"

PLAYED: Final = "being played"
"""The phase of a table whose round has not closed."""


NOT_RUNNING: Final = "is not running: this is how the table stood at the last event"
"""Said of the daemon."""


class TableStatus(msgspec.Struct, frozen=True):
    """A table at the last event of its journal. ``shoe`` 0: none has been announced; then nothing is known of it."""

    pace: PaceFigures
    site: str = ""
    table: str = ""
    epoch: int = 0
    version: str = ""
    profile: str = ""
    seq: int = 0
    time: str = ""
    round: int = 0
    phase: str = "bets open"
    closed: tuple[str, ...] = ()
    """Why no round may begin."""
    irregular: str = ""
    """Why the round is irregular, if it is: the floor rules on it."""
    questions: tuple[str, ...] = ()
    alerts_waiting: int = 0
    critical: int = 0
    devices: dict[str, str] = {}
    unpaired: tuple[str, ...] = ()
    """Devices whose line ought to be paired and is not."""
    shoe: int = 0
    decks: int = 0
    drawn: int = 0
    burned: int = 0
    running_count: int = 0
    remaining: dict[str, int] = {}
    running: bool | None = None
    """Whether a daemon has the journal, so that this is how the table is and not how it stood; None: not known."""

    @property
    def is_played(self) -> bool:
        """Whether a round is being played; else bets are open."""
        return self.phase == PLAYED

    def waits(self) -> bool:
        """Whether something waits for a person."""
        lost = any(state != HealthState.READY for state in self.devices.values())
        return bool(self.questions or self.alerts_waiting or self.closed or lost)


class _Fold(msgspec.Struct):
    """What the events reported so far."""

    last: Published | None = None
    started: TableStarted | None = None
    round: int = 0
    phase: str = "bets open"
    closed: dict[str, str] = {}
    irregular: dict[int, str] = {}
    """Why, by round."""
    questions: dict[int, str] = {}
    devices: dict[str, str] = {}
    shoe: ShoeAccount = ShoeAccount()

    def take(self, event: Event) -> None:
        """One more event."""
        match event:
            case TableStarted():
                self.started, self.devices = event, {}
            case BettingClosed(number):
                self.round, self.phase = number, PLAYED
            case RoundClosed(number) if number == self.round:
                self.phase = "bets open"
            case RoundIrregular(number, reason):
                self.irregular[number] = reason
            case RoundResumed(number) | RoundVoided(number):
                self.irregular.pop(number, None)
            case PlayBlocked(cause, reason):
                self.closed[cause] = reason
            case PlayUnblocked(cause):
                self.closed.pop(cause, None)
            case QuestionAsked(question, _, _, text):
                self.questions[question] = text
            case QuestionAnswered(question) | QuestionWithdrawn(question):
                self.questions.pop(question, None)
            case DeviceStatusChanged(device, state):
                self.devices[device] = state
            case _:
                self.shoe = shoe_after(self.shoe, event)


def shoe_after(account: ShoeAccount, event: Event) -> ShoeAccount:
    """The shoe as a listener can know it."""
    match event:
        case ShoeBegun(shoe, decks):
            return ShoeAccount(shoe, decks)
        case CardDrawn():
            return replace(account, drawn=account.drawn + 1)
        case CardBurned():
            return replace(account, burned=account.burned + 1)
        case CardOpened(_, face) if face != UNREAD:
            return account.counted(face, 1)
        case _:
            return account


SELDOM: Final = frozenset(
    [
        "alert_raised",
        "alert_acknowledged",
        "play_blocked",
        "play_unblocked",
        "question_asked",
        "question_answered",
        "question_withdrawn",
        "table_started",
        "device_status_changed",
    ]
)
"""What may still wait for somebody, or describes the table, however long ago it was."""

DEALT: Final = frozenset(["shoe_begun", "card_drawn", "card_burned", "card_opened"])
"""What tells of a shoe since it was begun."""

PACED: Final = frozenset(
    [
        "betting_closed",
        "hole_card_revealed",
        "round_closed",
        "round_irregular",
        "round_voided",
        "device_alarm",
        "line_errors",
    ]
)
"""What the pace of the last hours is made of, beside what is ``SELDOM`` and the cards of ``deal_ends``."""

ROUND: Final = frozenset(["betting_closed", "round_closed", "round_irregular", "round_resumed", "round_voided"])
"""What tells whether a round is being played, and whether it is irregular."""


TAKEN_ALONE: Final = frozenset([HandCompleted, WagerSettled])
"""Most events of the hours, and of them nothing but what the rounds took is made."""


def needed(since: int, shoe: int, round_begun: int, *, with_bets: bool) -> tuple[tuple[frozenset[str], int], ...]:
    """The kinds of events that ``standing`` needs of all, each with the seq from which on it needs them.

    The hours it looks back begin with event ``since``, the last shoe with ``shoe``, the last round with
    ``round_begun``. Beside these it needs the event at which the hours begin and the last one, whatever they are.
    """
    of_hours = PACED | recent_takings.KINDS if with_bets else PACED
    return (SELDOM, 1), (of_hours, since), (DEALT, shoe), (ROUND, round_begun)


class DealEnd(NamedTuple):
    """Where in the journal the card is with which a deal ends, each box's second: its position, and seqs around it."""

    position: int
    after: int
    before: int


def deal_ends(events: Iterable[Published]) -> Iterator[DealEnd]:
    """Where the deals of these events' rounds end; ``before`` of the last round is 0.

    Of all cards of the hours ``standing`` needs only the first that is found at each, beside what ``needed`` names.
    """
    ends = [DealEnd(2 * main_boxes(one.event), one.seq, 0) for one in events if isinstance(one.event, BettingClosed)]
    for end, following in itertools.pairwise(ends):
        yield end._replace(before=following.after)
    yield from ends[-1:]


def standing(events: Iterable[Published], hours: int, *, with_bets: bool) -> TableStatus:
    """The table after its last event, with the figures of the last ``hours`` before it.

    ``with_bets``: also what their rounds took, bet by bet, which takes several times as many events as all the rest.
    """
    events = tuple(events)
    fold = _Fold(last=events[-1] if events else None)
    others = [one for one in events if type(one.event) not in TAKEN_ALONE]
    waiting = [one.event.severity for one in listed_alerts(others) if not one.acknowledged]
    for one in others:
        fold.take(one.event)
    # Times of one form are in order as texts are.
    since = utc_text(nanoseconds(events[-1].time) - hours * HOUR_NS) if events else ""
    recent = [one for one in events if one.time >= since]
    pace, taken = Pace(), RecentTakings()
    for place, one in enumerate(recent, start=1):
        if with_bets:
            taken.take(one)
        if type(one.event) not in TAKEN_ALONE or place in {1, len(recent)}:
            pace = pace_after(pace, one.event, nanoseconds(one.time))
    now = TableStatus(figures(pace, taken.figures()))
    if fold.last is None or fold.started is None:
        return now
    shoe = fold.shoe
    return replace(
        now,
        site=fold.last.identity.site,
        table=fold.last.identity.table,
        epoch=fold.last.identity.epoch,
        version=fold.started.version,
        profile=fold.started.profile,
        seq=fold.last.seq,
        time=fold.last.time,
        round=fold.round,
        phase=fold.phase,
        closed=tuple(fold.closed.values()),
        irregular=fold.irregular.get(fold.round, ""),
        questions=tuple(fold.questions.values()),
        alerts_waiting=len(waiting),
        critical=sum(severity is Severity.CRITICAL for severity in waiting),
        devices=dict(sorted(fold.devices.items())),
        unpaired=fold.started.unpaired,
        shoe=shoe.shoe,
        decks=shoe.decks,
        drawn=shoe.drawn if shoe.shoe else 0,
        burned=shoe.burned if shoe.shoe else 0,
        running_count=shoe.running_count() if shoe.shoe else 0,
        remaining=shoe.remaining() if shoe.shoe else {},
    )
