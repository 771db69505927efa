"""What people do at a table, as values: a dealer's script is a stream of these, whoever carries them out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from firmware_protocols.cards import Card
from firmware_protocols.values import Value


class Draw(Value, frozen=True, tag="draw"):
    """Draw the shoe's next card, ``card``. ``burn``: with the shoe in its burn mode."""

    card: Card
    burn: bool = False


class Lay(Value, frozen=True, tag="lay"):
    """The chips in one zone of one spot become ``chips`` (ids; empty: the zone is cleared)."""

    spot: int
    zone: str
    chips: tuple[str, ...]


class Press(Value, frozen=True, tag="press"):
    """Press a key of the dealer's keypad, ``A`` to ``Y``; ``held`` for longer than a second."""

    key: str
    held: bool = False


class Pause(Value, frozen=True, tag="pause"):
    """Nothing is done for ``milliseconds`` of table time."""

    milliseconds: int


class AnswerQuestions(Value, frozen=True, tag="consult"):
    """Look at the keypad's display before paying and answer what it asks, from what lies on the felt.

    ``cards`` are the numbers of cards in each hand, by spot; ``doubled`` and ``surrendered`` name spots.
    """

    cards: dict[str, tuple[int, ...]]
    doubled: tuple[int, ...]
    surrendered: tuple[int, ...]


class AnswerEntry(Value, frozen=True, tag="let_in"):
    """Wait until the keypad's display asks whether the newcomer at ``spot`` was dealt in, and answer."""

    spot: int
    dealt_in: bool


class Wager(Value, frozen=True, tag="wager"):
    """One wager of a round as it truly was: what was staked at the lock (or on the insurance line) and its true net."""

    spot: int
    bet: str
    wager_cents: int
    net_cents: int


class RoundPlayed(Value, frozen=True, tag="round_played"):
    """A round is over. ``wagers`` by spot, then ``main`` before ``insurance``; ``hands`` per spot left to right."""

    round: int
    wagers: tuple[Wager, ...]
    hands: dict[str, tuple[tuple[Card, ...], ...]]
    dealer: tuple[Card, ...]
    surrendered: tuple[int, ...]


Act = Draw | Lay | Press | Pause | AnswerQuestions | AnswerEntry | RoundPlayed
"""One thing a person does, or the end of a round."""


def by_round(acts: Iterable[Act]) -> Iterator[list[Act]]:
    """The acts of each round that is played to its end, which is the last of them."""
    own: list[Act] = []
    for act in acts:
        own.append(act)
        if isinstance(act, RoundPlayed):
            yield own
            own = []
