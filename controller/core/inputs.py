"""What is stepped: readings of devices and words of people, stamped on the impure floor."""

from __future__ import annotations

from controller.core.rules import House
from firmware_protocols.readings import Reading
from firmware_protocols.values import Value


class Started(Value, frozen=True):
    """The daemon started. The first of an epoch finds no table; every later one is a restart.

    It brings the ``house`` that holds until the next start, so that a journal can be replayed with nothing beside it.
    ``version`` is the code's.
    """

    at_ns: int
    version: str
    house: House


class Answered(Value, frozen=True):
    """A person answered question ``question``; ``who`` as the operator channel knows them."""

    at_ns: int
    question: int
    answer: str
    who: str


Input = Reading | Started | Answered
"""Everything that may be stepped."""


class Stamped(Value, frozen=True):
    """An input with what it was given when it came in.

    ``number`` counts inputs of the epoch from 1 without a gap. ``at_ns`` is monotonic, ``wall_ns`` since 1970 UTC, for
    people. ``nonce`` is 32 random bytes. For a card, ``commitment`` is the HMAC-SHA-256 of its face under ``nonce``, in
    hex, and ``closed`` says that face and nonce are withheld (replay without the key): the face then reads as None.
    """

    number: int
    at_ns: int
    wall_ns: int
    nonce: bytes
    input: Input
    commitment: str = ""
    closed: bool = False
