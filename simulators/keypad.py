"""A dealer's keypad that does not exist: keys, and a display that remembers what it shows."""

from __future__ import annotations

from firmware_protocols.codec import Codec, Role
from firmware_protocols.messages import KeyDown, KeyUp, Message, ReportKeyUps, SendKeysAtOnce, ShowText


class KeypadSimulator:
    """As delivered it reports keys going down and not their release, until told to."""

    def __init__(self, codec: Codec) -> None:
        self._codec = codec
        self.power_cycle()

    def power_cycle(self) -> None:
        """Forget every setting, as hardware does."""
        self._wire = self._codec.open(Role.DEVICE)
        self._reports_ups = False
        self._shown = ""

    @property
    def is_set_up(self) -> bool:
        """Whether it has been told to report releases."""
        return self._reports_ups

    @property
    def shown(self) -> str:
        """What the display shows."""
        return self._shown

    def press(self, key: str) -> tuple[bytes, bytes]:
        """The bytes of a key going down, and of its release (empty where releases are not reported).

        How long the key is held is how long the caller waits between the two.
        """
        up = self._wire.encode(KeyUp(key)) if self._reports_ups else b""
        return self._wire.encode(KeyDown(key)), up

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
                    self._shown = text
                case SendKeysAtOnce():
                    # It does so as delivered, and nothing here ever polls it.
                    pass
                case _:
                    pass
