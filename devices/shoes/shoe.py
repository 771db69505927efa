"""The card shoe: one that only speaks, or one that answers, keeps its draws and sends them again."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from typing import Final

from devices.receiver import Listener, disturbed, stray
from devices.shoes.dialogue import Dialogue
from devices.shoes.expected_shoe import ANY_SHOE, ExpectedShoe
from firmware_protocols.codec import Codec
from firmware_protocols.messages import (
    AcknowledgeDraw,
    CardRead,
    LineFault,
    Message,
    ShoeAlarm,
    ShoeIdentified,
    ShoeStatus,
)
from firmware_protocols.readings import CardDrawn, DeviceComplained, DeviceHealth, HealthState, Reading, ShoeDraws

REMEMBERED_DRAWS: Final = 16
"""Draws kept to recognise repeats: more than a shoe says twice in a row, far fewer than its numbers (256)."""


class ShoeSession:
    """Turns what a shoe says into dated cards.

    A shoe that only speaks is ready while its line is open; nothing more can be known. Its repeats are recognised by
    its own number of the draw; one without numbers is believed each time.

    A shoe that takes acknowledgements is asked who it is and refused (``faulty``) unless it is as ``expected``; it is
    ready once it has said which draws it keeps and the journal knows whose they are: ``ShoeNumbering`` is reported, and
    answered by ``entered``. Each draw after those of ``known`` (what the journal has of shoes, the one in use last) is
    reported once, in order, whatever is unplugged, exchanged or restarted; the shoe keeps it until ``acknowledge``.
    What can never come is complained of as ``draws_missing``. ``looking``: nothing is stored, and the shoe stays as it
    is.
    """

    def __init__(
        self,
        codec: Codec,
        name: str = "shoe",
        *,
        expected: ExpectedShoe = ANY_SHOE,
        known: Sequence[ShoeDraws] = (),
        looking: bool = False,
    ) -> None:
        self._name = name
        self._listener = Listener(codec)
        answers = AcknowledgeDraw in codec.vocabulary
        self._dialogue = Dialogue(name, expected, known, looking=looking) if answers else None
        self._state: HealthState | None = None
        self._draws: deque[CardRead] = deque(maxlen=REMEMBERED_DRAWS)
        # Shared with the dialogue, so that faults and cards stay in the order they came.
        self._readings: list[Reading] = self._dialogue.readings if self._dialogue else []

    def connected(self, now_ns: int) -> None:
        """The line is open (again). Draws are remembered: a shoe with numbers sends again what was cut off."""
        self._listener.open()
        if self._dialogue is not None:
            self._dialogue.opened(now_ns)
        else:
            self._set_state(HealthState.READY, now_ns)

    def disconnected(self, now_ns: int) -> None:
        """The line is gone; a message cut off by it is reported, for it may have been a card."""
        self._take(self._listener.close(), self._listener.heard_ns)
        if self._dialogue is not None:
            self._dialogue.closed(now_ns)
        else:
            self._set_state(HealthState.LOST, now_ns)

    def receive(self, data: bytes, now_ns: int) -> None:
        """Bytes came; cards are dated ``now_ns``."""
        self._take(self._listener.hear(data, now_ns), now_ns)

    def next_deadline(self) -> int | None:
        """The end of the silence after which a message begun is given up, or of the patience with the shoe."""
        deadlines = (self._listener.deadline(), self._dialogue.due_ns() if self._dialogue else None)
        return min((deadline for deadline in deadlines if deadline is not None), default=None)

    def handle_deadline(self, now_ns: int) -> None:
        """Give up a message begun; a card found in its bytes is dated when they came. Ask the shoe how it is."""
        self._take(self._listener.expire(now_ns), self._listener.heard_ns)
        if self._dialogue is not None:
            self._dialogue.expire(now_ns)

    def bytes_to_send(self) -> bytes:
        """Take what is to be sent; empty when there is nothing, as always for a shoe that only speaks."""
        if self._dialogue is None:
            return b""
        said = b"".join(self._listener.encode(command) for command in self._dialogue.said)
        self._dialogue.said.clear()
        return said

    def readings(self) -> tuple[Reading, ...]:
        """Take what was learnt since the last call, in order."""
        taken = tuple(self._readings)
        self._readings.clear()
        return taken

    def acknowledge(self, sequence: int) -> None:
        """The ``CardDrawn`` of that number is stored for good, and those reported before it: the shoe may forget them.

        To be called only after the commit. It means nothing to a shoe that takes no acknowledgements.
        """
        if self._dialogue is not None:
            self._dialogue.acknowledge(sequence)

    def entered(self, shoe: ShoeDraws, now_ns: int) -> None:
        """The ``ShoeNumbering`` of ``shoe`` is stored for good: its draws may come."""
        if self._dialogue is not None:
            self._dialogue.entered(shoe, now_ns)

    def lock(self, *, locked: bool) -> None:
        """Wish the shoe locked or not, now and after each return. It means nothing to one that only speaks."""
        if self._dialogue is not None:
            self._dialogue.lock(locked=locked)

    def _take(self, messages: tuple[Message, ...], at_ns: int) -> None:
        for message in messages:
            match message:
                case CardRead():
                    self._drawn(message, at_ns)
                case ShoeIdentified() if self._dialogue is not None:
                    self._dialogue.identified(message, at_ns)
                case ShoeStatus() if self._dialogue is not None:
                    self._dialogue.checked(message, at_ns)
                case ShoeAlarm(code=code, text=text):
                    self._readings.append(DeviceComplained(device=self._name, code=code, text=text, at_ns=at_ns))
                case LineFault():
                    self._readings.append(disturbed(self._name, message, at_ns))
                case _:
                    self._readings.append(stray(self._name, message, at_ns))

    def _drawn(self, card: CardRead, at_ns: int) -> None:
        if self._dialogue is not None:
            if card.sequence is None:
                self._readings.append(stray(self._name, card, at_ns))
            else:
                self._dialogue.drawn(card, card.sequence, at_ns)
            return
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
