"""Bytes nobody would send, fed to a decoder: noise, good messages, and good messages maltreated."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass

from firmware_protocols.codec import LineEnd
from firmware_protocols.discovery import codecs, find
from firmware_protocols.messages import Command, LineFault, Message
from tests.firmware_protocols.transcript import Fault, read

MOST_NOISE = 300
"""Bytes of noise at a time: longer than a standard frame, so that lengths that lie are believed for a while."""


@dataclass
class Outcome:
    """What a decoder did. ``raised`` names the kinds of exceptions."""

    fed: int = 0
    messages: int = 0
    faults: int = 0
    fault_bytes: int = 0
    most_held: int = 0
    limit: int = 0
    left_held: int = 0
    raised: tuple[str, ...] = ()


def decoders() -> list[tuple[str, str, LineEnd]]:
    """Every decoder there is: kind, vendor and which end."""
    return [(kind, vendor, role) for kind, vendors in codecs().items() for vendor in vendors for role in LineEnd]


def maltreated(frame: bytes, chance: random.Random) -> bytes:
    """A good message with something done to it."""
    data = bytearray(frame)
    for _ in range(chance.randrange(1, 4)):
        at = chance.randrange(len(data)) if data else 0
        match chance.randrange(6):
            case 0:
                data[at : at + 1] = bytes((chance.randrange(256),))
            case 1:
                data[at:at] = chance.randbytes(chance.randrange(1, 4))
            case 2:
                del data[at : at + chance.randrange(1, 4)]
            case 3:
                del data[at:]
            case 4:
                data[at:at] = data[: chance.randrange(20)]
            case _:
                data[at : at + 1] = bytes((data[at] ^ 1 << chance.randrange(8),)) if data else b""
    return bytes(data)


def pieces(frames: list[bytes], chance: random.Random) -> Iterator[bytes]:
    """Pieces of a stream, without end."""
    while True:
        match chance.randrange(5):
            case 0:
                yield chance.randbytes(chance.randrange(1, MOST_NOISE))
            case 1:
                yield bytes((chance.choice((0x00, 0x02, 0xFE, 0xFF, 0x5B, 0x3C)),)) * chance.randrange(1, MOST_NOISE)
            case 2:
                yield chance.choice(frames)
            case _:
                yield maltreated(chance.choice(frames), chance)


class Trial:
    """One decoder under trial; opened anew now and then, as after a lost line."""

    def __init__(self, kind: str, vendor: str, role: LineEnd, chance: random.Random) -> None:
        self._codec = find(kind, vendor)
        self._role = role
        self._chance = chance
        steps = read(kind, vendor)
        self.frames = [step.data for step in steps if step.data]
        messages = [message for step in steps if step.ours for message in step.heard if not isinstance(message, Fault)]
        self._questions = (
            [message for message in messages if isinstance(message, Command)] if role is LineEnd.HOST else []
        )
        self.wire = self._codec.open(role)
        self.outcome = Outcome(limit=self.wire.limit)

    def feed(self, piece: bytes) -> None:
        """A piece, cut anywhere; perhaps a question of our own before it, perhaps silence after it."""
        try:
            self._feed(piece)
        except Exception as error:  # noqa: BLE001 (whatever it is, it is counted)
            self.outcome.raised += (type(error).__name__,)
            self.wire = self._codec.open(self._role)

    def end(self) -> Outcome:
        """Silence, and what came of it all."""
        _count(self.wire.idle(), self.outcome)
        self.outcome.left_held = self.wire.held()
        return self.outcome

    def _feed(self, piece: bytes) -> None:
        chance, outcome = self._chance, self.outcome
        if self._questions and chance.randrange(3) == 0:
            self.wire.encode(chance.choice(self._questions))
        cut = chance.randrange(len(piece) + 1)
        for part in (piece[:cut], piece[cut:]):
            outcome.fed += len(part)
            _count(self.wire.feed(part), outcome)
            outcome.most_held = max(outcome.most_held, self.wire.held())
        if chance.randrange(20) == 0:
            _count(self.wire.idle(), outcome)
        if chance.randrange(500) == 0:
            self.wire = self._codec.open(self._role)


def fuzz(kind: str, vendor: str, role: LineEnd, total_bytes: int, chance: random.Random) -> Outcome:
    """Feed a decoder at least so many bytes."""
    trial = Trial(kind, vendor, role, chance)
    for piece in pieces(trial.frames, chance):
        trial.feed(piece)
        if trial.outcome.fed >= total_bytes:
            break
    return trial.end()


def _count(heard: tuple[Message, ...], outcome: Outcome) -> None:
    for message in heard:
        outcome.messages += 1
        if isinstance(message, LineFault):
            outcome.faults += 1
            outcome.fault_bytes = max(outcome.fault_bytes, len(message.data))
