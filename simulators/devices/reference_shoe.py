"""A reference shoe that does not exist: it keeps its draws until they are acknowledged, power or no power.

It does what shoes do on bad days too: its power goes while a card passes, its memory fails in part or as a whole, it
frees what was acknowledged so late that it comes back, and it says what is no card.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from typing import Final

from msgspec.structs import replace

from firmware_protocols.cards import Card
from firmware_protocols.codec import Codec, LineEnd
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
    ShowDraws,
)

RECORD_BYTES: Final = 8
"""Bytes of a draw's record, as in the layout that docs/reference/reference-shoe.md gives."""

DRAWS_KEPT: Final = 120
"""Draws it has room for; then it locks itself."""

SERIES: Final = 0x5A01C3F7
"""The series of a simulated shoe's memory, unless another is given."""

SIMULATED: Final = ShoeIdentified(0, "Tableside", "Sim-1", "S0001", "2.0")
"""Who a simulated shoe says it is, unless another is given; the series is its memory's."""


class ShoeHeld(ValueError):  # noqa: N818 - named for what happened
    """No card leaves a shoe that is locked."""


@dataclass(slots=True)
class _Memory:
    """What survives without power."""

    series: int
    next_number: int = 0
    draws: deque[CardRead] = field(default_factory=lambda: deque(maxlen=DRAWS_KEPT))
    locked: bool = False
    is_new: bool = False
    freed: int = -1
    """The last draw whose record is marked as acknowledged."""


class ReferenceShoeSimulator:
    """Each method gives the bytes the shoe sends at once.

    ``first_number`` is that of its next draw, as of a shoe long in use. One that ``frees_late`` marks nothing in its
    memory as acknowledged, so that all it still has comes back with the power.
    """

    def __init__(
        self,
        codec: Codec,
        identity: ShoeIdentified = SIMULATED,
        *,
        first_number: int = 0,
        series: int = SERIES,
        frees_late: bool = False,
    ) -> None:
        self._codec = codec
        self._identity = identity
        self._memory = _Memory(series, first_number)
        self._frees_late = frees_late
        self._lid_open = self._burning = False
        self.jammed = False
        """Its lock does not move: ordered to, it says at once how it is."""
        self.power_cycle()

    def power_cycle(self) -> None:
        """Without power for a moment: all is forgotten but series, draws, number and lock."""
        self._wire = self._codec.open(LineEnd.DEVICE)
        self._awake = self._shown = False
        self._acknowledged = self._memory.freed

    def lose_memory(self, series: int) -> None:
        """Its memory failed and is begun anew under another ``series``; it is locked until ordered to send."""
        self._memory = _Memory(series, is_new=True)
        self.power_cycle()

    def lose_record(self, sequence: int) -> None:
        """The record of one draw fails: what is known of it is that there was one.

        Raises:
            KeyError: that draw is not kept.
        """
        draws = self._memory.draws
        place = {draw.sequence: place for place, draw in enumerate(draws)}[sequence]
        draws[place] = CardRead(None, sequence=sequence, series=self._memory.series)

    def brown_out(self, card: Card, *, bytes_written: int) -> None:
        """Its power goes while the record of a card that leaves it is written, of which ``bytes_written`` stand.

        Before the first byte nothing shows that a card has left; then a card has, whose face is lost; a record is whole
        with its last byte (``RECORD_BYTES``).

        Raises:
            ShoeHeld: (a ``ValueError``) it is locked.
        """
        if bytes_written:
            self._record(card if bytes_written >= RECORD_BYTES else None, burn=self._burning)
        self.power_cycle()

    # --- at the shoe ----------------------------------------------------------------------------------

    @property
    def waiting(self) -> int:
        """Draws kept because nobody has acknowledged them."""
        return len(self._kept())

    @property
    def series(self) -> int:
        """The random number of its memory."""
        return self._memory.series

    @property
    def locked(self) -> bool:
        """Whether it holds its cards back: it was ordered to, has no room left, or cannot know its numbers."""
        return self._memory.locked or self._memory.is_new or self.waiting >= DRAWS_KEPT

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

    def draw_unknown(self, byte: int) -> bytes:
        """A card leaves the shoe, which says ``byte`` of it: one that stands for no card.

        Raises:
            ShoeHeld: (a ``ValueError``) it is locked.
        """
        return self._record(None, burn=self._burning, unknown=byte)

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
                return self._wire.encode(replace(self._identity, token=token, series=self._memory.series))
            case CheckShoe(token):
                return self._wire.encode(self._status(token))
            case SendDraws(series) if series == self._memory.series:
                was_locked = self.locked
                self._awake = True
                self._memory.is_new = False
                return self._all_draws() + self._lock_report(was_locked=was_locked)
            case ShowDraws(series) if series == self._memory.series:
                self._shown = True
                return self._all_draws()
            case AcknowledgeDraw(series, sequence) if series == self._memory.series:
                was_locked = self.locked
                self._forget(sequence)
                return self._lock_report(was_locked=was_locked)
            case LockShoe() if self.jammed:
                return self._unasked_status()
            case LockShoe(locked):
                was_locked = self.locked
                self._memory.locked = locked
                return self._lock_report(was_locked=was_locked)
            case _:
                return b""

    def _kept(self) -> list[CardRead]:
        return [draw for draw in self._memory.draws if (draw.sequence or 0) > self._acknowledged]

    def _all_draws(self) -> bytes:
        return b"".join(map(self._wire.encode, self._kept()))

    def _lock_report(self, *, was_locked: bool) -> bytes:
        return b"" if self.locked is was_locked else self._unasked_status()

    def _record(self, face: Card | None, *, burn: bool, unknown: int = 0) -> bytes:
        if self.locked:
            raise ShoeHeld(f"the shoe is locked, {self.waiting} draws are kept")
        memory = self._memory
        draw = CardRead(face, burn, memory.next_number, memory.series, unknown)
        memory.draws.append(draw)
        memory.next_number += 1
        if not self._awake and not self._shown:
            return b""
        return self._wire.encode(draw) + self._lock_report(was_locked=False)

    def _forget(self, sequence: int) -> None:
        if any(draw.sequence == sequence for draw in self._kept()):
            self._acknowledged = sequence
            if not self._frees_late:
                self._memory.freed = sequence

    def _status(self, token: int) -> ShoeStatus:
        memory, flags = self._memory, (self._awake, self.locked, self._lid_open, self._burning)
        return ShoeStatus(token, memory.series, memory.next_number - self.waiting, self.waiting, *flags)

    def _unasked_status(self) -> bytes:
        return self._wire.encode(self._status(0))
