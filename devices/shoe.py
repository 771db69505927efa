"""The card shoe: it speaks when a card leaves it and is never asked anything."""

from __future__ import annotations

from collections import deque
from typing import Final

from devices.listening import Listener, disturbed, stray
from firmware_protocols.codec import Codec
from firmware_protocols.messages import CardRead, LineFault, Message, ShoeAlarm
from firmware_protocols.readings import CardDrawn, DeviceComplained, DeviceHealth, HealthState, Reading

REMEMBERED_DRAWS: Final = 16
"""Draws kept to recognise repeats: more than a shoe holds back unacknowledged, far fewer than its numbers (256)."""


class ShoeSession:
    """Turns what a shoe says into dated cards.

    A shoe that sends on its own and has no keep-alive is ready while its line is open; nothing more can be known.
    Repeats are recognised by the shoe's own number of the draw; a shoe without numbers is believed each time.
    """

    def __init__(self, codec: Codec, name: str = "shoe") -> None:
        self._name = name
        self._listener = Listener(codec)
        self._state: HealthState | None = None
        self._draws: deque[CardRead] = deque(maxlen=REMEMBERED_DRAWS)
        self._readings: list[Reading] = []

    def connected(self, now_ns: int) -> None:
        """The line is open (again). Draws are remembered: a shoe with numbers sends again what was cut off."""
        self._listener.open()
        self._set_state(HealthState.READY, now_ns)

    def disconnected(self, now_ns: int) -> None:
        """The line is gone; a message cut off by it is reported, for it may have been a card."""
        self._take(self._listener.close(), self._listener.heard_ns)
        self._set_state(HealthState.LOST, now_ns)

    def receive(self, data: bytes, now_ns: int) -> None:
        """Bytes came; cards are dated ``now_ns``."""
        self._take(self._listener.hear(data, now_ns), now_ns)

    def next_deadline(self) -> int | None:
        """The end of the silence after which a message begun is given up."""
        return self._listener.deadline()

    def handle_deadline(self, now_ns: int) -> None:
        """Give up a message begun; a card found in its bytes is dated when they came."""
        self._take(self._listener.expire(now_ns), self._listener.heard_ns)

    def bytes_to_send(self) -> bytes:
        """Nothing is ever sent to a shoe."""
        return b""

    def readings(self) -> tuple[Reading, ...]:
        """Take what was learnt since the last call, in order."""
        taken = tuple(self._readings)
        self._readings.clear()
        return taken

    def _take(self, messages: tuple[Message, ...], at_ns: int) -> None:
        for message in messages:
            match message:
                case CardRead():
                    self._drawn(message, at_ns)
                case ShoeAlarm(code=code, text=text):
                    self._readings.append(DeviceComplained(device=self._name, code=code, text=text, at_ns=at_ns))
                case LineFault():
                    self._readings.append(disturbed(self._name, message, at_ns))
                case _:
                    self._readings.append(stray(self._name, message, at_ns))

    def _drawn(self, card: CardRead, at_ns: int) -> None:
        if card.sequence is not None:
            if card in self._draws:
                return
            if any(draw.sequence == card.sequence for draw in self._draws):
                text = f"two different cards under number {card.sequence}"
                self._readings.append(DeviceComplained(device=self._name, code="sequence", text=text, at_ns=at_ns))
            self._draws.append(card)
        self._readings.append(CardDrawn(at_ns=at_ns, face=card.face, burn=card.burn, sequence=card.sequence))

    def _set_state(self, state: HealthState, now_ns: int) -> None:
        if state is not self._state:
            self._state = state
            self._readings.append(DeviceHealth(device=self._name, state=state, at_ns=now_ns))
