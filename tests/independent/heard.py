"""What an independent table hears over MQTT: each event once, in order, and whose round the program's rounds are.

The names on the wire stand here and nowhere else in this folder.
"""

from __future__ import annotations

import json
from collections import Counter
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


class Event(NamedTuple):
    """One event: its place in the stream, its name and its fields."""

    seq: int
    name: str
    data: dict[str, Any]


class Heard:
    """Everything told of one table. ``dealt`` is filled by the table: the round of each card its shoe told of."""

    def __init__(self) -> None:
        self._events: dict[int, Event] = {}
        self.dealt: list[int] = []
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
        event = Event(body["seq"], name, body["data"])
        self._events[event.seq] = event
        return event

    @property
    def complete(self) -> bool:
        """Whether no event is missing between the first and the last."""
        return sorted(self._events) == list(range(1, len(self._events) + 1))

    def events(self, *names: str) -> list[Event]:
        """Events of these names, in order; without names all of them."""
        return [event for _, event in sorted(self._events.items()) if not names or event.name in names]

    def cards(self) -> list[int]:
        """The program's numbers of the cards, in the order in which they left the shoe."""
        return sorted({event.data["card"] for event in self.events(CARD)})

    def rounds(self) -> dict[int, int]:
        """Our round for each of the program's: the one that most of its cards are of; 0: of none."""
        told: dict[int, int] = {}
        for event in self.events(CARD):
            told[event.data["card"]] = event.data["round"]
        votes: dict[int, Counter[int]] = {}
        for (_, number), ours in zip(sorted(told.items()), self.dealt, strict=False):
            votes.setdefault(number, Counter())[ours] += 1
        return {number: count.most_common(1)[0][0] for number, count in votes.items() if number}
