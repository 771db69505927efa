"""A dealer who reads the keypad's display and answers what it asks with one key."""

from __future__ import annotations

import re
from typing import Final

from simulators.acts import Consult
from simulators.felt import SPOT_KEYS

YES: Final = "U"
NO: Final = "V"
DIGIT_KEYS: Final[tuple[str, ...]] = (*SPOT_KEYS, "H", "I", "J")
"""Keys of the digits 1 to 9 and 0, which stands for ten."""

QUESTIONS_LIMIT: Final = 20
"""Questions answered in one round; more would mean that answers do not help."""

CARDS: Final = re.compile(r"Spot (\d): how many cards in hand (\d)\?")
HANDS: Final = re.compile(r"Spot (\d): how many hands\?")
DOUBLED: Final = re.compile(r"Did spot (\d) double\?")
SURRENDERED: Final = re.compile(r"Did spot (\d) surrender\?")


def asks(shown: str) -> bool:
    """Whether the display asks something."""
    return shown.endswith("?")


def done(shown: str) -> bool:
    """Whether the display says that the dealer may go on."""
    return shown.endswith(("take and pay", "Call the floor"))


def answer_key(shown: str, felt: Consult) -> str | None:
    """The key that answers what is shown; None for a question about something else."""
    if found := CARDS.search(shown):
        hands = felt.cards.get(found[1], ())
        hand = int(found[2]) - 1
        return DIGIT_KEYS[hands[hand] - 1] if hand < len(hands) else None
    if found := HANDS.search(shown):
        return DIGIT_KEYS[len(felt.cards.get(found[1], ())) - 1]
    if found := DOUBLED.search(shown):
        return YES if int(found[1]) in felt.doubled else NO
    if found := SURRENDERED.search(shown):
        return YES if int(found[1]) in felt.surrendered else NO
    return None
