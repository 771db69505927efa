"""A dealer's keypad that does not exist: keys, and a display that remembers what it shows."""

from __future__ import annotations

from typing import Final

from firmware_protocols.codec import Codec, LineEnd
from firmware_protocols.messages import KeyDown, KeyUp, Message, ReportKeyUps, SendKeysAtOnce, ShowText, ShowTextAt
from simulators.chance import Chance, happens

COLUMNS: Final = 20
ROWS: Final = 4
"""The largest display of the family."""


class KeypadSimulator:
    """As delivered it reports keys going down and not their release, until ordered to.

    A text that passes the end of a row goes on in the next; what passes the last row is not shown.

    ``bounces_per_mille``: of its edges, by ``chance``, those at which worn contacts bounce and say the key twice.
    """

    def __init__(self, codec: Codec, *, chance: Chance | None = None, bounces_per_mille: int = 0) -> None:
        self._codec = codec
        self._chance = chance
        self._bounces_per_mille = bounces_per_mille
        self.power_cycle()

    def power_cycle(self) -> None:
        """Forget every setting, as hardware does."""
        self._wire = self._codec.open(LineEnd.DEVICE)
        self._reports_ups = False
        self._cells = ""

    @property
    def is_set_up(self) -> bool:
        """Whether it has been ordered to report releases."""
        return self._reports_ups

    @property
    def shown(self) -> str:
        """What the display shows, row after row."""
        return self._cells.rstrip()

    @property
    def rows(self) -> tuple[str, ...]:
        """What stands in each row of the display."""
        return tuple(self._cells[row * COLUMNS :][:COLUMNS].rstrip() for row in range(ROWS))

    def press(self, key: str) -> tuple[bytes, bytes]:
        """The bytes of a key going down, and of its release (empty where releases are not reported).

        How long the key is held is how long the caller waits between the two.
        """
        down = self._wire.encode(KeyDown(key))
        up = self._wire.encode(KeyUp(key)) if self._reports_ups else b""
        return down + (up + down if self._bounces() else b""), up + (down + up if self._bounces() else b"")

    def _bounces(self) -> bool:
        """Whether the contacts bounce at an edge; a keypad that reports no releases says no key of its own accord."""
        return self._reports_ups and self._chance is not None and happens(self._chance, self._bounces_per_mille)

    def receive(self, data: bytes) -> bytes:
        """Settings and texts; there is no answer to them."""
        self._obey(self._wire.feed(data))
        return b""

    def idle(self) -> bytes:
        """The line has been silent: a text begun is complete."""
        self._obey(self._wire.idle())
        return b""

    def _obey(self, messages: tuple[Message, ...]) -> None:
        for message in messages:
            match message:
                case ReportKeyUps():
                    self._reports_ups = True
                case ShowText(text=text):
                    self._cells = ""
                    self._write(0, text)
                case ShowTextAt(column=column, row=row, text=text) if column <= COLUMNS and row <= ROWS:
                    self._write((row - 1) * COLUMNS + column - 1, text)
                case SendKeysAtOnce():
                    # It does so as delivered, and nothing here ever polls it.
                    pass
                case _:
                    pass

    def _write(self, at: int, text: str) -> None:
        before, after = self._cells[:at].ljust(at), self._cells[at + len(text) :]
        self._cells = (before + text + after)[: COLUMNS * ROWS]
