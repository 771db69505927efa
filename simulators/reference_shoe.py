"""A reference shoe that does not exist: it keeps its draws until they are acknowledged, power or no power."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from typing import Final

from firmware_protocols.cards import Card
from firmware_protocols.codec import Codec, Role
from firmware_protocols.messages import (
    AcknowledgeDraw,
    CardRead,
    CheckShoe,
    IdentifyShoe,
    LockShoe,
    Message,
    SendDraws,
    ShoeAlarm,
    ShoeIdentified,
    ShoeStatus,
)

DRAWS_KEPT: Final = 120
"""Draws it has room for; then it locks itself."""

SEQUENCE_NUMBERS: Final = 256
"""Draw numbers before they begin again."""

SIMULATED: Final = ShoeIdentified(0, "Tableside", "Sim-1", "S0001", "1.0")
"""Who a simulated shoe says it is, unless told otherwise."""


class ShoeHeld(ValueError):  # noqa: N818 - named for what happened
    """No card leaves a shoe that is locked."""


@dataclass(slots=True)
class _Memory:
    """What survives without power."""

    draws: deque[CardRead] = field(default_factory=deque)
    next_number: int = 0
    locked: bool = False
    begun_anew: bool = False


class ReferenceShoeSimulator:
    """Each method gives the bytes the shoe sends at once. ``first_number`` is that of its first draw (0 to 255)."""

    def __init__(self, codec: Codec, identity: ShoeIdentified = SIMULATED, *, first_number: int = 0) -> None:
        self._codec = codec
        self._identity = identity
        self._memory = _Memory(next_number=first_number % SEQUENCE_NUMBERS)
        self._lid_open = self._burning = False
        self.jammed = False
        """Its lock does not move: told to, it says at once how it is."""
        self.power_cycle()

    def power_cycle(self) -> None:
        """Without power for a moment: all is forgotten but draws, number and lock."""
        self._wire = self._codec.open(Role.DEVICE)
        self._awake = False

    def lose_memory(self, next_number: int) -> None:
        """Its memory was damaged and is begun anew, with any number; until it has been told to send, it is locked."""
        self._memory = _Memory(next_number=next_number % SEQUENCE_NUMBERS, begun_anew=True)
        self.power_cycle()

    # --- at the shoe ----------------------------------------------------------------------------------

    @property
    def waiting(self) -> int:
        """Draws kept because nobody has acknowledged them."""
        return len(self._memory.draws)

    @property
    def locked(self) -> bool:
        """Whether it holds its cards back: it was told to, has no room left, or cannot know its numbers."""
        return self._memory.locked or self._memory.begun_anew or self.waiting >= DRAWS_KEPT

    def draw(self, card: Card, *, burn: bool = False) -> bytes:
        """A card leaves the shoe.

        Raises:
            ShoeHeld: (a ``ValueError``) it is locked.
        """
        return self._record(card, burn=burn or self._burning)

    def misread(self) -> bytes:
        """A card leaves the shoe and cannot be read.

        Raises:
            ShoeHeld: (a ``ValueError``) it is locked.
        """
        return self._record(None, burn=self._burning)

    def alarm(self, code: str, text: str) -> bytes:
        """The shoe complains.

        Raises:
            ValueError: the protocol has no such code.
        """
        return self._wire.encode(ShoeAlarm(code=code, text=text))

    def lid(self, *, is_open: bool) -> bytes:
        """Somebody opens or closes the lid."""
        self._lid_open = is_open
        return self._unasked_status()

    def burn_mode(self, *, on: bool) -> bytes:
        """Somebody turns the key of the burn mode."""
        self._burning = on
        return self._unasked_status()

    # --- the line -------------------------------------------------------------------------------------

    def receive(self, data: bytes) -> bytes:
        """Commands; the answers to those that came whole."""
        return self._obey(self._wire.feed(data))

    def idle(self) -> bytes:
        """The line has been silent: a command begun is given up."""
        return self._obey(self._wire.idle())

    def _obey(self, messages: tuple[Message, ...]) -> bytes:
        return b"".join(self._answer(message) for message in messages)

    def _answer(self, message: Message) -> bytes:
        match message:
            case IdentifyShoe(token):
                return self._wire.encode(_with_token(self._identity, token))
            case CheckShoe(token):
                return self._wire.encode(self._status(token))
            case SendDraws():
                was_locked = self.locked
                self._awake = True
                self._memory.begun_anew = False
                return b"".join(map(self._wire.encode, self._memory.draws)) + self._lock_told(was_locked=was_locked)
            case AcknowledgeDraw(sequence):
                was_locked = self.locked
                self._forget(sequence)
                return self._lock_told(was_locked=was_locked)
            case LockShoe() if self.jammed:
                return self._unasked_status()
            case LockShoe(locked):
                was_locked = self.locked
                self._memory.locked = locked
                return self._lock_told(was_locked=was_locked)
            case _:
                return b""

    def _lock_told(self, *, was_locked: bool) -> bytes:
        return b"" if self.locked is was_locked else self._unasked_status()

    def _record(self, face: Card | None, *, burn: bool) -> bytes:
        if self.locked:
            raise ShoeHeld(f"the shoe is locked, {self.waiting} draws are kept")
        memory = self._memory
        draw = CardRead(face, burn, memory.next_number)
        memory.draws.append(draw)
        memory.next_number = (memory.next_number + 1) % SEQUENCE_NUMBERS
        if not self._awake:
            return b""
        return self._wire.encode(draw) + self._lock_told(was_locked=False)

    def _forget(self, sequence: int) -> None:
        draws = self._memory.draws
        if any(draw.sequence == sequence for draw in draws):
            while draws.popleft().sequence != sequence:
                pass

    def _status(self, token: int) -> ShoeStatus:
        oldest = (self._memory.next_number - self.waiting) % SEQUENCE_NUMBERS
        return ShoeStatus(token, oldest, self.waiting, self._awake, self.locked, self._lid_open, self._burning)

    def _unasked_status(self) -> bytes:
        return self._wire.encode(self._status(0))


def _with_token(identity: ShoeIdentified, token: int) -> ShoeIdentified:
    return ShoeIdentified(token, identity.vendor, identity.model, identity.serial, identity.firmware)
