"""Bytes nobody would send, fed to a decoder: noise, good messages, and good messages maltreated."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass

from firmware_protocols.codec import Codec, Role, Wire
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


def decoders() -> list[tuple[str, str, Role]]:
    """Every decoder there is: kind, vendor and which end."""
    return [(kind, vendor, role) for kind, vendors in codecs().items() for vendor in vendors for role in Role]


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


def fuzz(kind: str, vendor: str, role: Role, total_bytes: int, chance: random.Random) -> Outcome:
    """Feed a decoder at least so many bytes, cut anyhow, with silences and (at the host's end) questions between."""
    codec = find(kind, vendor)
    wire = codec.open(role)
    steps = read(kind, vendor)
    frames = [step.data for step in steps if step.data]
    said = [message for step in steps if step.ours for message in step.heard if not isinstance(message, Fault)]
    questions = [message for message in said if isinstance(message, Command)] if role is Role.HOST else []
    outcome = Outcome(limit=wire.limit)
    for piece in pieces(frames, chance):
        if outcome.fed >= total_bytes:
            break
        try:
            wire = _fed(wire, codec, role, piece, questions, outcome, chance)
        except Exception as error:  # noqa: BLE001 (whatever it is, it is counted)
            outcome.raised += (type(error).__name__,)
            wire = codec.open(role)
    _count(wire.idle(), outcome)
    outcome.left_held = wire.held()
    return outcome


def _fed(
    wire: Wire,
    codec: Codec,
    role: Role,
    piece: bytes,
    questions: list[Message],
    outcome: Outcome,
    chance: random.Random,
) -> Wire:
    if questions and chance.randrange(3) == 0:
        wire.encode(chance.choice(questions))
    cut = chance.randrange(len(piece) + 1)
    for part in (piece[:cut], piece[cut:]):
        outcome.fed += len(part)
        _count(wire.feed(part), outcome)
        outcome.most_held = max(outcome.most_held, wire.held())
    if chance.randrange(20) == 0:
        _count(wire.idle(), outcome)
    return codec.open(role) if chance.randrange(500) == 0 else wire


def _count(heard: tuple[Message, ...], outcome: Outcome) -> None:
    for message in heard:
        outcome.messages += 1
        if isinstance(message, LineFault):
            outcome.faults += 1
            outcome.fault_bytes = max(outcome.fault_bytes, len(message.data))
