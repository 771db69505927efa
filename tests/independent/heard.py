"""What an independent table hears over MQTT: each event once, in order, and whose round the program's rounds are.

The names on the wire stand here and nowhere else in this folder.
"""

from __future__ import annotations

import json
from collections import Counter
from datetime import datetime
from typing import Any, Final, NamedTuple

CARD, LOCKED, SETTLED, ADJUSTED = "card_drawn", "bets_locked", "wager_settled", "wager_adjusted"
OPEN, UNCERTAIN, DOUBTED = "wager_open", "wager_uncertain", "settlement_doubted"
CLOSED, WAITS, IRREGULAR, ALERT = "round_closed", "round_waits", "round_irregular", "alert_raised"
UNREAD, NOT_CLOSED = "unread_card", "close_refused"
ASKED, ANSWERED, WITHDRAWN = "question_asked", "question_answered", "question_withdrawn"

ACCUSING: Final = frozenset(
    {"past_posting", "capping", "pinching", "bet_touched", "mispay", "losing_bet_left", "winning_bet_taken"}
)
"""Alerts that say that a player or the dealer did wrong."""


UNHEARD_S: Final = 1.0
"""What was told so long before a card was taken, and another since, is not that card."""


class Event(NamedTuple):
    """One event: its place in the stream, its name and its fields."""

    seq: int
    name: str
    data: dict[str, Any]
    time: float
    """When the program took what it tells of, in seconds since 1970."""


class Heard:
    """Everything told of one table. ``dealt`` is filled by the table: the round of each card its shoe told of."""

    def __init__(self) -> None:
        self._events: dict[int, Event] = {}
        self.dealt: list[int] = []
        self.said: list[float] = []
        """When, in seconds since 1970, the shoe told of each card."""
        self.statuses: dict[str, dict[str, Any]] = {}
        """Of each device and of the table what it said last."""

    def take(self, topic: str, payload: bytes) -> Event | None:
        """A message; the event in it, if it is a new one."""
        kind, _, name = topic.split("/", 4)[4].partition("/")
        if kind == "status" or name.endswith("status"):
            self.statuses[topic.split("/", 4)[4]] = json.loads(payload or b"{}")
        if kind != "event":
            return None
        body = json.loads(payload)
        if body["seq"] in self._events:
            return None
        event = Event(body["seq"], name, body["data"], datetime.fromisoformat(body["time"]).timestamp())
        self._events[event.seq] = event
        return event

    @property
    def complete(self) -> bool:
        """Whether no event is missing between the first and the last."""
        return sorted(self._events) == list(range(1, len(self._events) + 1))

    def events(self, *names: str) -> list[Event]:
        """Events of these names, in order; without names all of them."""
        return [event for _, event in sorted(self._events.items()) if not names or event.name in names]

    def places(self) -> dict[int, int]:
        """Which of the cards that the shoe told of each of the program's is; what was told to nobody is left out."""
        taken = {event.data["card"]: event.time for event in reversed(self.events(CARD))}
        found: dict[int, int] = {}
        at = 0
        for card, time in sorted(taken.items()):
            while at + 1 < len(self.said) and self.said[at] < time - UNHEARD_S and self.said[at + 1] <= time:
                at += 1
            if at < len(self.said):
                found[card] = at
            at += 1
        return found

    def rounds(self) -> dict[int, int]:
        """Our round for each of the program's: the one that most of its cards are of; 0: of none."""
        told = {event.data["card"]: event.data["round"] for event in self.events(CARD)}
        votes: dict[int, Counter[int]] = {}
        for card, at in self.places().items():
            votes.setdefault(told[card], Counter())[self.dealt[at]] += 1
        return {number: count.most_common(1)[0][0] for number, count in votes.items() if number}

    def unheard(self) -> set[int]:
        """Our rounds of which the shoe told of a card and nobody listened."""
        return {self.dealt[at] for at in set(range(len(self.said))) - set(self.places().values())}
