"""A dealer who reads the keypad's display and answers what it asks with one key."""

from __future__ import annotations

import re
from typing import Final

from simulators.people.acts import AnswerEntry, AnswerQuestions
from simulators.people.simulated_table import SPOT_KEYS

YES: Final = "U"
NO: Final = "V"
DIGIT_KEYS: Final[tuple[str, ...]] = (*SPOT_KEYS, "H", "I", "J")
"""Keys of the digits 1 to 9 and 0, which stands for ten."""

QUESTIONS_LIMIT: Final = 20
"""Questions answered in one round; more would mean that answers do not help."""

CARDS: Final = re.compile(r"Spot (\d): how many cards in hand (\d)\?")
HANDS: Final = re.compile(r"Spot (\d): how many hands\?")
DOUBLED: Final = re.compile(r"Did spot (\d) double\?")
COLUMNS: Final = 20
"""A row of the display: the question stands in the first, the numbered lines in the others."""

COMPARED: Final = re.compile(r"(?:Cards at|R\d+) ([\d,]+)\?(?= +\d:)")
LINE: Final = re.compile(r"(\d):(\S+)")
BOX: Final = re.compile(r"\(\d+\)|.")
SURRENDERED: Final = re.compile(r"Did spot (\d) surrender\?")


LET_IN: Final = re.compile(r"Spot (\d) came in mid shoe: dealt in\?")


def entry_key(shown: str, act: AnswerEntry) -> str | None:
    """The key that says whether a newcomer was dealt in, once the display asks; None before."""
    found = LET_IN.search(shown)
    if found is None or int(found[1]) != act.spot:
        return None
    return YES if act.dealt_in else NO


def asks(shown: str) -> bool:
    """Whether the display asks something."""
    return shown.endswith("?") or COMPARED.match(shown) is not None


def done(shown: str) -> bool:
    """Whether the display says that the dealer may go on."""
    return shown.endswith(("take and pay", "Call the floor"))


def answer_key(shown: str, felt: AnswerQuestions) -> str | None:
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
    if found := COMPARED.match(shown):
        rows = (shown[at : at + COLUMNS] for at in range(COLUMNS, len(shown), COLUMNS))
        for line in (line for row in rows for line in LINE.finditer(row)):
            if all(lies(felt, *box) for box in zip(found[1].split(","), BOX.findall(line[2]), strict=True)):
                return DIGIT_KEYS[int(line[1]) - 1]
    return None


def lies(felt: AnswerQuestions, spot: str, mark: str) -> bool:
    """Whether a spot looks as the mark of a line says: ``3`` cards, ``(23)`` in two hands, ``s`` surrendered."""
    if mark == "*":
        return True
    if mark == "s" or int(spot) in felt.surrendered:
        return mark == "s" and int(spot) in felt.surrendered
    return mark.strip("()") == "".join(map(str, felt.cards.get(spot, ())))
