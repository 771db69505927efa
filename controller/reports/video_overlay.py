"""Events as lines of text for video text inserters, which lay them over a camera's picture.

A line is printable ASCII, at most ``LINE_LIMIT`` characters, without its end; what is longer goes on in a second line
that begins with a blank. Only what MQTT says is said, in fewer words.
"""

from __future__ import annotations

import textwrap
from typing import Any, Final

import msgspec

from controller.core.messages.alerts import Alert
from controller.core.messages.events import (
    BettingClosed,
    CardDealt,
    CardOpened,
    Event,
    HandDoubled,
    HandsSplit,
    HoleCardRevealed,
    InsuranceTaken,
    QuestionAnswered,
    QuestionAsked,
    RoundClosed,
    SpotSurrendered,
    WagerAdjusted,
    WagerSettled,
    WagerUnresolved,
)
from controller.formats.mqtt.envelope import event_name
from controller.formats.text.printable import dollars, net

LINE_LIMIT: Final = 40
"""Characters a line of the common inserters holds."""

CARD_LIMIT: Final = 64
"""Cards remembered until it is known whose they are; a round has fewer."""

DEALER: Final = 0


class Overlay:
    """Turns events, in order, into lines; remembers what cards belong to whom until both face and owner are known."""

    def __init__(self) -> None:
        self._faces: dict[int, str] = {}
        self._owners: dict[int, int] = {}

    def lines(self, event: Event, time: str) -> tuple[str, ...]:
        """The lines an event gives, most give none; ``time`` is the envelope's, of which the clock is shown (UTC)."""
        text = self._alert(event) if isinstance(event, Alert) else self._text(event)
        if not text:
            return ()
        plain = "".join(sign if sign.isascii() and sign.isprintable() else "?" for sign in f"{time[11:19]} {text}")
        return tuple(textwrap.wrap(plain, LINE_LIMIT, subsequent_indent=" "))

    def _alert(self, event: Event) -> str:
        fields: dict[str, Any] = msgspec.to_builtins(event)
        places = [f"{short}{fields[key]}" for key, short in (("round", "R"), ("spot", "S")) if fields.get(key)]
        return " ".join(["ALERT", event_name(event).replace("_", " ").upper(), *places])

    def _text(self, event: Event) -> str:
        match event:
            case BettingClosed(number, wagers):
                self._faces.clear()
                self._owners.clear()
                bets = " ".join(
                    f"{wager.spot}{'' if wager.bet == 'main' else '/' + wager.bet}:{dollars(wager.cents)}"
                    for wager in wagers
                )
                return f"R{number} BETS {bets}"
            case CardOpened(card, face):
                _remember(self._faces, card, face)
                return self._card(card)
            case CardDealt(_, card, spot):
                _remember(self._owners, card, spot)
                return self._card(card)
            case InsuranceTaken(_, spot, cents):
                return f"S{spot} INSURANCE {dollars(cents)}"
            case HandsSplit(_, spot, hands):
                return f"S{spot} SPLIT {hands} HANDS"
            case HandDoubled(_, spot, hand, cents):
                return f"S{spot} HAND {hand + 1} DOUBLE {dollars(cents)}"
            case SpotSurrendered(_, spot):
                return f"S{spot} SURRENDER"
            case HoleCardRevealed():
                return "HOLE CARD TURNED"
            case _:
                return self._money(event)

    def _money(self, event: Event) -> str:
        match event:
            case WagerSettled(number, spot, bet, wager, due):
                return f"R{number} S{spot} {bet} {dollars(wager)} {net(due)}"
            case WagerUnresolved(number, spot, bet, wager):
                return f"R{number} S{spot} {bet} {dollars(wager)} OPEN"
            case WagerAdjusted():
                return f"R{event.round} S{event.spot} {event.bet} ADJUSTED {net(event.net_cents)}"
            case QuestionAsked(question, _, _, text):
                return f"QUESTION {question}: {text}"
            case QuestionAnswered(question, answer):
                return f"ANSWER {question}: {answer}"
            case RoundClosed(number, _, _, outcome):
                return f"R{number} CLOSED {outcome}"
            case _:
                return ""

    def _card(self, card: int) -> str:
        """A card once both its face and its owner are known."""
        if card not in self._faces or card not in self._owners:
            return ""
        spot = self._owners.pop(card)
        return f"{'DEALER' if spot == DEALER else f'S{spot}'} {self._faces.pop(card)}"


def _remember(memory: dict[int, Any], key: int, value: object) -> None:
    memory[key] = value
    if len(memory) > CARD_LIMIT:
        del memory[next(iter(memory))]
