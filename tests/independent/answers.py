"""What people of an independent table answer to what the program asks: what they saw, nothing else."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from tests.independent.dues import Box
from tests.independent.rounds import Round

HANDS_CARDS: Final = re.compile(r"Spot (\d): how many cards in hand (\d+)\?")
HANDS: Final = re.compile(r"Spot (\d): how many hands\?")
DOUBLED: Final = re.compile(r"Did spot (\d) double\?")
SURRENDERED: Final = re.compile(r"Did spot (\d) surrender\?")
LINES: Final = re.compile(r"How many cards lie at spots? ([\d,]+)\?")
IN_MID_SHOE: Final = re.compile(r"Spot \d came in mid shoe: dealt in\?")
MARK: Final = re.compile(r"\*|s|\(\d+\)|\d")


def answer(text: str, choices: Sequence[str], asked: Round, latest: Round, *, missed: bool = False) -> str | None:
    """The true answer about the round ``asked``; ``latest`` is the one on the felt. None: they cannot tell.

    ``missed`` says whether cards were drawn that the shoe did not report.
    """
    if text.startswith(("Were cards drawn", "A card was missed", "Card missed")):
        return "yes" if missed else "no"
    if text.startswith("Are the cards of this deal other ones"):
        # Here a card is burned where its key says so, and dealt where none does.
        return None if missed else "no"
    if text.startswith("A card came before the bets were locked"):
        return "yes"
    if text.startswith("Another round") or "another round" in text.lower():
        return "yes" if asked.number < latest.number else "no"
    if "over?" in text:
        return "yes" if asked.over else "no"
    if IN_MID_SHOE.fullmatch(text):
        return "yes"
    if found := HANDS_CARDS.fullmatch(text):
        hands = asked.boxes[int(found[1])].hands
        place = int(found[2]) - 1
        return str(len(hands[place].cards)) if place < len(hands) else None
    if found := HANDS.fullmatch(text):
        return str(len(asked.boxes[int(found[1])].hands))
    if found := DOUBLED.fullmatch(text):
        return _yes_or_no(any(hand.added for hand in asked.boxes[int(found[1])].hands))
    if found := SURRENDERED.fullmatch(text):
        return _yes_or_no(asked.boxes[int(found[1])].surrendered)
    if found := LINES.fullmatch(text):
        boxes = [asked.boxes[int(spot)] for spot in found[1].split(",")]
        return next((line for line in choices if _is_true(line, boxes)), None)
    return None


def _yes_or_no(truth: bool) -> str:
    return "yes" if truth else "no"


def _is_true(line: str, boxes: Sequence[Box]) -> bool:
    marks = MARK.findall(line)
    return len(marks) == len(boxes) and all(map(_fits, marks, boxes))


def _fits(mark: str, box: Box) -> bool:
    if mark == "*":
        return True
    if mark == "s" or box.surrendered:
        return mark == "s" and box.surrendered
    counts = [len(hand.cards) for hand in box.hands]
    return [int(digit) for digit in mark.strip("()")] == counts
