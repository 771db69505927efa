"""What each round of a journal is found by: when it was played, where, for how much, which cards and alerts it had."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from collections.abc import Set as AbstractSet
from typing import Final

import msgspec

from controller.core.messages.alerts import RoundIrregular
from controller.core.messages.events import (
    BettingClosed,
    CardDrawn,
    CardOpened,
    ChipsChanged,
    Event,
    RoundClosed,
    RoundStarted,
    TableStarted,
    WagerAdjusted,
    WagerSettled,
    WagerUnresolved,
)
from controller.core.messages.floor_events import RoundVoided
from controller.core.messages.house import GamingDay
from controller.core.messages.raised_alerts import AlertRaised
from controller.core.persons import folded, may_be_one, same_person
from controller.reports.round_narrative import JournalEvent

SUBJECTS: Final = ("question", "alert", "order", "jackpot")
"""What people answer, acknowledge or decide, by the fields that have its number."""

WHOLE_WORD: Final = re.compile(r"\w{2,}")
"""A word of a name that is more than an initial."""

Lying = tuple[tuple[int, str, int], ...]
"""Spot, zone and cents of what lies on the felt."""


class RoundEntry(msgspec.Struct):
    """A round: ``first`` and ``last`` are the seqs of its events, ``began`` and ``ended`` their times (RFC 3339).

    ``amounts`` are wagers and nets in cents, ``faces`` the cards that were opened, ``alerts`` their kinds, ``people``
    the names of those who answered, acknowledged, ordered or approved. ``outcome`` is empty while it is open.
    """

    round: int
    first: int
    began: str
    last: int = 0
    ended: str = ""
    outcome: str = ""
    irregular: bool = False
    corrected: bool = False
    unresolved: bool = False
    spots: set[int] = msgspec.field(default_factory=set)
    bets: set[str] = msgspec.field(default_factory=set)
    amounts: set[int] = msgspec.field(default_factory=set)
    faces: set[str] = msgspec.field(default_factory=set)
    alerts: set[str] = msgspec.field(default_factory=set)
    people: set[str] = msgspec.field(default_factory=set)
    lying: Lying = ()
    """What lay on the felt when it began."""


class RoundQuery(msgspec.Struct, frozen=True):
    """A search for rounds; a field that is None is not searched.

    ``at``, ``until``: the round was open at some moment between these (RFC 3339, UTC); without ``until`` at that
    moment. ``outcome``: one of ``OUTCOMES``. ``amount``: cents, as a wager or a net. ``person``: a name as people write
    it; "reyes" and "Juan Reyes" find "J. Reyes".
    """

    at: str | None = None
    until: str | None = None
    spot: int | None = None
    bet: str | None = None
    amount: int | None = None
    card: str | None = None
    alert: str | None = None
    person: str | None = None
    outcome: str | None = None


OUTCOMES: Final = ("settled", "open", "irregular", "corrected", "void", "running")
"""What a round may be looked for by how it ended. ``open``: with wagers left open; ``irregular`` and ``corrected``:
whatever became of it; ``running``: it is not closed."""


class RoundIndex:
    """Grows with the journal: each event is looked at once."""

    def __init__(self) -> None:
        self.rounds: dict[int, RoundEntry] = {}
        self.seq = 0
        self._zones: dict[tuple[int, str], int] = {}
        self._cards: dict[int, int] = {}
        """The round of each card that may still be opened."""
        self._subjects: dict[tuple[str, int], int] = {}
        """The round that a question, an alert, an order or an award is about."""
        self.people: set[str] = set()
        """Everybody who is named in any round."""
        self.day = GamingDay()
        """The house's day, as the table said it last."""
        self.last_time = ""
        """When the last event was."""

    def take(self, events: Iterable[JournalEvent]) -> None:
        """Take the events that follow those taken before."""
        for one in events:
            self.seq, self.last_time = one.seq, one.time
            self._take(one)

    def found(self, wanted: RoundQuery) -> Iterator[RoundEntry]:
        """The rounds that fit, the latest first."""
        named = wanted.person
        people = None if named is None else {one for one in self.people if is_named(one, named)}
        return (one for _, one in sorted(self.rounds.items(), reverse=True) if fits(one, wanted, people))

    def _take(self, one: JournalEvent) -> None:
        event = one.event
        match event:
            case ChipsChanged(spot, zone, _, cents):
                self._zones[spot, zone] = cents
            case TableStarted():
                self.day = event.gaming_day or GamingDay()
            case CardDrawn(int(number), card):
                self._cards[card] = number
            case CardOpened(card, face):
                drawn_in = self._cards.pop(card, 0)
                if drawn_in in self.rounds:
                    self._at(drawn_in, one).faces.add(face)
            case _:
                pass
        about = self._round_of(event)
        if about is not None:
            found = self._at(about, one)
            self._note(found, event)
            found.people.update(names := people_of(event))
            self.people.update(names)

    def _round_of(self, event: Event) -> int | None:
        """The round that an event is about: named by itself, or by what it answers, acknowledges or decides."""
        subjects = [(kind, number) for kind in SUBJECTS if isinstance(number := getattr(event, kind, None), int)]
        about = getattr(event, "round", None)
        if isinstance(about, int):
            self._subjects.update(dict.fromkeys(subjects, about))
            return about
        return next((self._subjects[one] for one in subjects if one in self._subjects), None)

    def _at(self, number: int, one: JournalEvent) -> RoundEntry:
        if number not in self.rounds:
            lying = tuple((*place, cents) for place, cents in sorted(self._zones.items()) if cents)
            self.rounds[number] = RoundEntry(number, one.seq, one.time, lying=lying)
        found = self.rounds[number]
        found.last, found.ended = one.seq, found.ended if found.outcome else one.time
        return found

    @staticmethod
    def _note(found: RoundEntry, event: Event) -> None:
        match event:
            case RoundStarted(_, _, boxes):
                found.spots.update(boxes)
            case BettingClosed(_, wagers):
                found.spots.update(one.spot for one in wagers)
                found.bets.update(one.bet for one in wagers)
                found.amounts.update(one.cents for one in wagers)
            case WagerSettled(_, spot, bet, wager, net):
                found.spots.add(spot)
                found.bets.add(bet)
                found.amounts.update((wager, net))
            case WagerUnresolved():
                found.unresolved = True
            case WagerAdjusted(_, _, _, _, _, net):
                found.corrected = True
                found.amounts.add(net)
            case RoundIrregular():
                found.irregular = True
            case RoundVoided():
                found.outcome = "void"
            case AlertRaised(_, kind):
                found.alerts.add(kind.value)
            case RoundClosed(_, _, _, outcome):
                found.outcome = found.outcome if found.outcome == "void" else outcome
            case _:
                pass


def people_of(event: Event) -> set[str]:
    """Who did what an event says."""
    if isinstance(event, AlertRaised):
        # Whom an alert is about has not raised it.
        return set()
    names = (getattr(event, name, None) for name in ("who", "second"))
    return {name for name in names if isinstance(name, str) and name}


def is_named(name: str, wanted: str) -> bool:
    """Whether somebody of this name is who is looked for: one whole word of the two is the same, initials aside."""
    if same_person(name, wanted):
        return True
    one, other = (set(WHOLE_WORD.findall(folded(text))) for text in (name, wanted))
    return may_be_one(name, wanted) and not one.isdisjoint(other)


def fits(one: RoundEntry, wanted: RoundQuery, people: AbstractSet[str] | None) -> bool:
    """Whether a round is what is looked for; ``people``: the names that the one looked for may go by."""
    return (
        (wanted.at is None or (one.began <= (wanted.until or wanted.at) and wanted.at <= (one.ended or wanted.at)))
        and (wanted.spot is None or wanted.spot in one.spots)
        and (wanted.bet is None or wanted.bet in one.bets)
        and (wanted.amount is None or wanted.amount in one.amounts)
        and (wanted.card is None or wanted.card in one.faces)
        and (wanted.alert is None or wanted.alert in one.alerts)
        and (people is None or not people.isdisjoint(one.people))
        and (wanted.outcome is None or ended_as(one, wanted.outcome))
    )


def ended_as(one: RoundEntry, outcome: str) -> bool:
    """Whether a round ended as one of ``OUTCOMES`` says."""
    match outcome:
        case "open":
            return one.unresolved
        case "irregular":
            return one.irregular
        case "corrected":
            return one.corrected
        case "running":
            return not one.outcome
        case _:
            return one.outcome == outcome
