"""What an independent table hears over MQTT: each event once, in order, and whose round the program's rounds are.

The names on the wire stand here and nowhere else in this folder.
"""

from __future__ import annotations

import json
from collections import Counter
from typing import Any, Final, NamedTuple

OPENED = "card_opened"
CARD, LOCKED, SETTLED, ADJUSTED = "card_drawn", "betting_closed", "wager_settled", "wager_adjusted"
OPEN, UNCERTAIN, DOUBTED = "wager_unresolved", "wager_uncertain", "settlement_disputed"
CLOSED, WAITS, IRREGULAR, ALERT = "round_closed", "round_pending", "round_irregular", "alert_raised"
UNREAD, NOT_CLOSED, UNWATCHED = "card_unreadable", "close_refused", "spot_reader_lost"
ASKED, ANSWERED, WITHDRAWN = "question_asked", "question_answered", "question_withdrawn"

ACCUSING: Final = frozenset(
    {"past_posting", "capping", "pinching", "bet_touched", "mispay", "losing_bet_left", "winning_bet_taken"}
)
"""Alerts that say that a player or the dealer did wrong."""


NO_FACE: Final = "??"
UNLIKELY, FAR = 100, 1 << 30
"""What it costs to take a card for lost that was heard, or for another than it is; more than anything."""


class Event(NamedTuple):
    """One event: its place in the stream, its name and its fields."""

    seq: int
    name: str
    data: dict[str, Any]


class Token(NamedTuple):
    """What the shoe reported of a card: whose it is (0: no round's), what it truly was, if the shoe seemed heard."""

    round: int
    face: str
    heard: bool = True


class Heard:
    """Everything published of one table. ``tokens`` is filled by the table: each card its shoe reported."""

    def __init__(self) -> None:
        self._events: dict[int, Event] = {}
        self.tokens: list[Token] = []
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

    def places(self) -> dict[int, int]:
        """Which of the cards that the shoe reported each of the program's is; what was sent to nobody is left out.

        The fewest are left out, of those that were reported while the shoe was not heard, and the faces agree that were
        opened.
        """
        opened = {event.data["card"]: event.data["face"] for event in self.events(OPENED)}
        cards = sorted({event.data["card"] for event in self.events(CARD)})
        most = max(0, len(self.tokens) - len(cards))
        costs: list[list[int]] = [[0] + [FAR] * most]
        from_drops: list[list[int]] = []
        for at, card in enumerate(cards):
            reached = costs[-1]
            from_drop = [0] * (most + 1)
            for dropped in range(1, most + 1):
                drop = reached[dropped - 1] + (1 if not self.tokens[at + dropped - 1].heard else UNLIKELY)
                if drop < reached[dropped]:
                    reached[dropped], from_drop[dropped] = drop, 1
            from_drops.append(from_drop)
            face = opened.get(card, NO_FACE)
            tokens = self.tokens[at : at + most + 1]
            costs.append(
                [
                    cost + UNLIKELY * (NO_FACE not in {face, token.face} and face != token.face)
                    for cost, token in zip(reached, tokens, strict=False)
                ]
            )
        found: dict[int, int] = {}
        dropped = min(range(len(costs[-1])), key=costs[-1].__getitem__)
        for at in reversed(range(min(len(cards), len(self.tokens)))):
            found[cards[at]] = at + dropped
            while from_drops[at][dropped]:
                dropped -= 1
        return found

    def rounds(self) -> dict[int, int]:
        """Our round for each of the program's: the one that most of its cards are of; 0: of none."""
        round_of = {event.data["card"]: event.data["round"] for event in self.events(CARD)}
        votes: dict[int, Counter[int]] = {}
        for card, at in self.places().items():
            votes.setdefault(round_of[card], Counter())[self.tokens[at].round] += 1
        return {number: count.most_common(1)[0][0] for number, count in votes.items() if number}

    def in_doubt(self) -> set[int]:
        """Our rounds of which the program's last round has cards, while it asks something about that round."""
        round_of = {event.data["card"]: event.data["round"] for event in self.events(CARD)}
        last = max(filter(None, round_of.values()), default=0)
        said = {event.data["question"] for event in self.events(ANSWERED, WITHDRAWN)}
        asked = {event.data["round"] for event in self.events(ASKED) if event.data["question"] not in said}
        if last not in asked:
            return set()
        return {self.tokens[at].round for card, at in self.places().items() if round_of[card] == last}

    def given_way(self) -> dict[int, list[int]]:
        """Of each of our rounds the program's that have cards of it and were left to people."""
        irregular = {event.data["round"] for event in self.events(IRREGULAR)}
        round_of = {event.data["card"]: event.data["round"] for event in self.events(CARD)}
        found: dict[int, list[int]] = {}
        for card, at in self.places().items():
            number, ours = round_of[card], self.tokens[at].round
            if number in irregular and number not in found.setdefault(ours, []):
                found[ours].append(number)
        return found

    def unheard(self) -> set[int]:
        """Our rounds of which the shoe reported a card and nobody listened."""
        return {self.tokens[at].round for at in set(range(len(self.tokens))) - set(self.places().values())}
