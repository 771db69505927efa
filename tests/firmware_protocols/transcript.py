"""Transcripts: what passes on a vendor's line and what it means, in a form people can read.

A line of a transcript is one of

    > BYTES     the table PC sends what we ourselves would send; the device end hears it
    < BYTES     the device sends what our device end would send; the table PC hears it
    >? BYTES    the device end hears bytes we would not send (other spellings, damage)
    <? BYTES    the table PC hears bytes our device end would not send
    --          both ends hear that the line is silent

followed by indented lines, one for each message heard: the message as JSON, or ``!`` and words from a fault's reason.
BYTES are pairs of hex digits or a text in double quotes.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import msgspec

from firmware_protocols.codec import Codec, LineEnd, Wire
from firmware_protocols.messages import LineFault, Message

FOLDER = Path(__file__).parent.parent / "transcripts"


@dataclass(frozen=True)
class Fault:
    """A ``LineFault`` whose reason contains ``words``."""

    words: str

    def matches(self, message: Message) -> bool:
        return isinstance(message, LineFault) and self.words in message.reason


@dataclass(frozen=True)
class Step:
    line_number: int
    mark: str
    data: bytes
    heard: tuple[Message | Fault, ...]

    @property
    def ours(self) -> bool:
        """Whether these are the bytes we would send."""
        return self.mark in ("<", ">")

    @property
    def hearer(self) -> LineEnd:
        return LineEnd.DEVICE if self.mark.startswith(">") else LineEnd.HOST

    def is_as_expected(self, messages: tuple[Message, ...]) -> bool:
        return len(messages) == len(self.heard) and all(
            expected.matches(message) if isinstance(expected, Fault) else expected == message
            for expected, message in zip(self.heard, messages, strict=True)
        )


def _bytes(text: str) -> bytes:
    if text.startswith('"'):
        found = ast.literal_eval("b" + text)
        assert isinstance(found, bytes)
        return found
    return bytes.fromhex(text)


def _heard(text: str) -> Message | Fault:
    if text.startswith("!"):
        return Fault(text[1:].strip())
    message: Message = msgspec.json.decode(text, type=Message)
    return message


def parse(text: str) -> tuple[Step, ...]:
    steps: list[Step] = []
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip() or line.startswith("#"):
            continue
        if line[0].isspace():
            last = steps.pop()
            steps.append(Step(last.line_number, last.mark, last.data, (*last.heard, _heard(line.strip()))))
            continue
        found = re.fullmatch(r"(--|[<>]\??)\s*(.*?)", line.rstrip())
        assert found, f"line {number} is no transcript: {line}"
        steps.append(Step(number, found[1], _bytes(found[2]), ()))
    return tuple(steps)


def read(kind: str, vendor: str) -> tuple[Step, ...]:
    return parse((FOLDER / f"{kind}-{vendor}.txt").read_text(encoding="ascii"))


class Ends:
    """Both ends of a codec, and who says what to whom."""

    def __init__(self, codec: Codec) -> None:
        self.wires: dict[LineEnd, Wire] = {role: codec.open(role) for role in LineEnd}

    def say(self, step: Step) -> bytes:
        """The bytes of a step of our own, from the end that says it (which remembers a question it asks)."""
        (message,) = step.heard
        assert not isinstance(message, Fault)
        return self.wires[LineEnd.HOST if step.hearer is LineEnd.DEVICE else LineEnd.DEVICE].encode(message)

    def silence(self) -> tuple[Message, ...]:
        return self.wires[LineEnd.HOST].idle() + self.wires[LineEnd.DEVICE].idle()


def play(codec: Codec, steps: tuple[Step, ...], pieces: Iterator[int] | None) -> Iterator[tuple[Step, list[Message]]]:
    """Every step with what was heard, the bytes cut into ``pieces`` (None: each step whole)."""
    ends = Ends(codec)
    for step in steps:
        if step.mark == "--":
            yield step, list(ends.silence())
            continue
        if step.ours:
            assert ends.say(step) == step.data, f"line {step.line_number}: not the bytes we send"
        rest, heard = step.data, list[Message]()
        while rest:
            length = len(rest) if pieces is None else next(pieces)
            heard += ends.wires[step.hearer].feed(rest[:length])
            rest = rest[length:]
        yield step, heard
