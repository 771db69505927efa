"""From a stream of bytes to messages: one bounded buffer that every codec shares, and the scanners that cut it up.

A scanner looks at the start of what is held and gives a verdict; the wire carries it out. Two rules make a wire robust:

- When the first byte begins no message, only that byte is set aside and the next is tried. So a damaged frame costs
  itself and never the good one behind it, even if its length byte lied.
- A verdict depends on the first bytes alone, never on how many more came with them. So it does not matter how a
  stream is cut into calls.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, assert_never

from msgspec import Struct

from firmware_protocols.codec import Line, LineEnd, Wire
from firmware_protocols.messages import LineFault, Message
from firmware_protocols.values import Value, tag_of

FAULT_BYTES: Final = 64
"""The most bytes kept of what could not be read: enough for a person to recognise it, too few to fill a journal."""

Held = bytes | bytearray
"""The bytes a scanner looks at, at least one."""


class Take(Struct, frozen=True):
    """The first ``length`` bytes are one whole message."""

    length: int


@dataclass(frozen=True, slots=True)
class Skip:
    """The first byte begins no message, and why."""

    reason: str


@dataclass(frozen=True, slots=True)
class Wait:
    """So far so good: more bytes are needed."""


@dataclass(frozen=True, slots=True)
class Pass:
    """The first byte is padding between messages and means nothing."""


ScanResult = Take | Skip | Wait | Pass
Scan = Callable[[Held, bool], ScanResult]
"""What the held bytes begin with. The flag says that the line fell silent, so no more will come."""

WAIT: Final = Wait()
PASS: Final = Pass()


def fault(reason: str, data: Held) -> LineFault:
    """A ``LineFault`` with as many bytes of ``data`` as may be kept."""
    return LineFault(reason, bytes(data[:FAULT_BYTES]))


def named(message: Value) -> str:
    """The name of a message's kind, as in JSON: ``take_inventory``."""
    return tag_of(type(message))


def no_words(codec: str, role: LineEnd, message: Message) -> ValueError:
    """The error for a message that this end of this protocol cannot say."""
    return ValueError(f"{codec} has no words for {message!r} from the {role.value} end")


class FramedWire:
    """A ``firmware_protocols.codec.Wire`` made of a scanner, a reader of whole messages and a writer.

    ``read`` is given whole messages only and must not raise; it may find several in one frame. ``write``
    raises ``ValueError`` on what it cannot say.
    ``frame_limit`` is the longest message in bytes: what would be longer is none.
    """

    def __init__(
        self,
        scan: Scan,
        read: Callable[[bytes], Message | tuple[Message, ...]],
        write: Callable[[Message], bytes],
        *,
        frame_limit: int,
    ) -> None:
        self._scan = scan
        self._read = read
        self._write = write
        self._frame_limit = frame_limit
        self._held = bytearray()
        self._noise = bytearray()
        self._noise_reason = ""

    @property
    def limit(self) -> int:
        """A message of the longest kind and what was set aside before it."""
        return self._frame_limit + FAULT_BYTES

    def held(self) -> int:
        """Bytes of a message begun, and bytes set aside but not yet reported."""
        return len(self._held) + len(self._noise)

    def feed(self, data: bytes) -> tuple[Message, ...]:
        """See ``Wire.feed``. Bytes set aside are reported with the next message, at silence, or when they are 64."""
        found: list[Message] = []
        taken = 0
        while taken < len(data):
            room = self._frame_limit - len(self._held)
            self._held += data[taken : taken + room]
            taken += room
            self._work_off(found, silent=False)
        return tuple(found)

    def idle(self) -> tuple[Message, ...]:
        """See ``Wire.idle``. Afterwards nothing is held."""
        found: list[Message] = []
        self._work_off(found, silent=True)
        self._report_noise(found)
        return tuple(found)

    def encode(self, message: Message) -> bytes:
        """See ``Wire.encode``."""
        return self._write(message)

    def _work_off(self, found: list[Message], *, silent: bool) -> None:
        while self._held:
            verdict = self._scan(self._held, silent)
            match verdict:
                case Take(length):
                    frame = bytes(self._held[:length])
                    del self._held[:length]
                    self._report_noise(found)
                    read = self._read(frame)
                    found += read if isinstance(read, tuple) else (read,)
                case Skip(reason):
                    self._set_aside(reason, found)
                case Pass():
                    # Padding inside noise belongs to it, so that the fault shows the bytes as they came.
                    if self._noise:
                        self._set_aside("", found)
                    else:
                        del self._held[:1]
                case Wait():
                    if not silent and len(self._held) < self._frame_limit:
                        return
                    self._set_aside("the message was not finished", found)
                case _:
                    assert_never(verdict)

    def _set_aside(self, reason: str, found: list[Message]) -> None:
        if not self._noise:
            self._noise_reason = reason
        self._noise += self._held[:1]
        del self._held[:1]
        if len(self._noise) == FAULT_BYTES:
            self._report_noise(found)

    def _report_noise(self, found: list[Message]) -> None:
        if self._noise:
            found.append(LineFault(self._noise_reason, bytes(self._noise)))
            self._noise.clear()


@dataclass(frozen=True, slots=True)
class FramedCodec:
    """A ``firmware_protocols.codec.Codec`` whose ends ``ends`` makes."""

    name: str
    line: Line
    idle_ns: int
    vocabulary: tuple[type[Message], ...]
    ends: Callable[[LineEnd], Wire]

    def open(self, role: LineEnd) -> Wire:
        """A fresh end of a line."""
        return self.ends(role)


@dataclass(frozen=True, slots=True)
class MeasuredFrames:
    """Scanner for frames that tell their own length near the start and end with a check.

    ``measure`` gives the length of the whole frame in bytes, or waits for more of its header, or says why no frame
    begins here. The more of the header it judges, the sooner a false start is given up.
    """

    measure: Callable[[Held], int | Wait | Skip]
    intact: Callable[[Held], bool]

    def __call__(self, held: Held, _silent: bool) -> ScanResult:  # noqa: FBT001 (the shape of ``Scan``)
        """See ``Scan``."""
        length = self.measure(held)
        if not isinstance(length, int):
            return length
        if len(held) < length:
            return WAIT
        return Take(length) if self.intact(held[:length]) else Skip("the checksum does not agree")


@dataclass(frozen=True, slots=True)
class TextTokens:
    """Scanner for text tokens that show where they begin and end.

    ``whole`` matches a token, ``begun`` exactly the texts that may still grow into one; ``padding`` may stand between.
    """

    whole: re.Pattern[bytes]
    begun: re.Pattern[bytes]
    padding: bytes

    def __call__(self, held: Held, _silent: bool) -> ScanResult:  # noqa: FBT001 (the shape of ``Scan``)
        """See ``Scan``."""
        if held[0] in self.padding:
            return PASS
        token = self.whole.match(held)
        if token is not None:
            return Take(token.end())
        return WAIT if self.begun.fullmatch(held) else Skip("no token begins here")
