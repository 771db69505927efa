"""Requests that are what they should be but for one number: amounts, counts and places that nobody can mean."""

from __future__ import annotations

import json
import random
import re
from typing import Final

from controller.formats.orders.requests import VERBS

NUMBERS: Final = ("0", "-1", "1", "10000000000000", "9223372036854775807", "1" + "0" * 23, "9" * 4300)
"""From what may be meant to what no arithmetic of ours could write down."""

FAR: Final = (0, 1, 2, 1000, 10**6, 2**62)
"""Numbers of events."""

DIGITS: Final = re.compile(r"(?<=: )-?[0-9]+")


def order(verb: str, chance: random.Random) -> bytes:
    """An order as its example has it, with one of its numbers another."""
    text = VERBS[verb][1]
    places = list(DIGITS.finditer(text))
    if not places:
        return text.encode()
    place = chance.choice(places)
    return (text[: place.start()] + chance.choice(NUMBERS) + text[place.end() :]).encode()


def replay(consumer: str, epoch: int, chance: random.Random) -> bytes:
    """Events asked for again, by anybody in a consumer's name."""
    first = chance.choice(FAR)
    wanted = {"consumer": consumer, "epoch": epoch, "first_seq": first, "last_seq": chance.choice((None, first + 5))}
    return json.dumps(wanted).encode()


def acknowledgement(epoch: int, chance: random.Random) -> bytes:
    """Of events that nobody can have."""
    return json.dumps({"epoch": epoch, "last_seq": chance.choice(FAR), "head_hash": "00" * 32}).encode()
