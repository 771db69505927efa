"""The dealer's keypad: keys down and up become presses, long ones told apart where that matters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from devices.outbox import DeviceOutbox
from devices.receiver import Listener, disturbed, stray
from firmware_protocols.codec import Codec
from firmware_protocols.messages import (
    Command,
    KeyDown,
    KeyUp,
    LineFault,
    Message,
    ReportKeyUps,
    SendKeysAtOnce,
    ShowText,
)
from firmware_protocols.readings import HealthState, KeyPressed

HELD_NS: Final = 1_000_000_000
"""A key down for this long was held on purpose; a plain press takes a tenth of it."""

STUCK_NS: Final = 5_000_000_000
"""A key down for longer is stuck: nobody holds a key so long, and nothing on the table asks for it."""


@dataclass(slots=True)
class _Down:
    since_ns: int
    last_ns: int
    told: bool
    stuck: bool = False


class KeypadSession(DeviceOutbox):
    """Turns keys going down and up into presses.

    Most keys are told when they go down. Only keys in ``holdable`` wait: for their release, or for ``held_ns`` to
    pass, so their presses come up to ``held_ns`` late and are still dated when the key went down.
    """

    def __init__(
        self,
        codec: Codec,
        name: str = "keypad",
        *,
        held_ns: int = HELD_NS,
        stuck_ns: int = STUCK_NS,
        holdable: frozenset[str] = frozenset({"X"}),
    ) -> None:
        if not 0 < held_ns < stuck_ns:
            raise ValueError(f"a key is held before it is stuck: held_ns {held_ns}, stuck_ns {stuck_ns}")
        super().__init__(name)
        self._held_ns = held_ns
        self._stuck_ns = stuck_ns
        self._holdable = holdable
        self._listener = Listener(codec)
        self._vocabulary = codec.vocabulary
        self._shown = ""
        self._settings = tuple(
            command for command in (SendKeysAtOnce(), ReportKeyUps()) if type(command) in codec.vocabulary
        )
        self._down: dict[str, _Down] = {}

    def connected(self, now_ns: int) -> None:
        """The line is open (again): set the keypad up."""
        self._listener.open()
        self._down.clear()
        self._unsent = b""
        self._set_up()
        self._set_state(HealthState.READY, now_ns)

    def disconnected(self, now_ns: int) -> None:
        """The line is gone. A key still waiting to be told short from long is reported, not guessed."""
        self._take(self._listener.close(), self._listener.heard_ns)
        for key, down in self._down.items():
            if not down.told:
                self._complain("cut_off", f"key {key} was down when the line went", now_ns)
        self._down.clear()
        self._unsent = b""
        self._set_state(HealthState.LOST, now_ns)

    def receive(self, data: bytes, now_ns: int) -> None:
        """Bytes came; keys are dated ``now_ns``."""
        self._watch_keys(now_ns)
        self._take(self._listener.hear(data, now_ns), now_ns)

    def next_deadline(self) -> int | None:
        """When a key down becomes held or stuck, or a message begun is given up."""
        deadlines = [
            down.since_ns + (self._stuck_ns if down.told else self._held_ns)
            for down in self._down.values()
            if not down.stuck
        ]
        idle_ns = self._listener.deadline()
        if idle_ns is not None:
            deadlines.append(idle_ns)
        return min(deadlines, default=None)

    def handle_deadline(self, now_ns: int) -> None:
        """Tell keys that have become held or stuck."""
        self._take(self._listener.expire(now_ns), self._listener.heard_ns)
        self._watch_keys(now_ns)

    def show(self, text: str) -> None:
        """Show ``text`` (printable ASCII, at most 80 characters) on the keypad's display, now and after each return."""
        if text != self._shown:
            self._shown = text
            if self._listener.is_open and ShowText in self._vocabulary:
                self._unsent += self._listener.encode(ShowText(text))

    def _set_up(self) -> None:
        commands: list[Command] = list(self._settings)
        if self._shown and ShowText in self._vocabulary:
            commands.append(ShowText(self._shown))
        self._unsent = b"".join(self._listener.encode(command) for command in commands)

    def _take(self, messages: tuple[Message, ...], at_ns: int) -> None:
        for message in messages:
            match message:
                case KeyDown(key=key):
                    self._key_down(key, at_ns)
                case KeyUp(key=key):
                    self._key_up(key, at_ns)
                case LineFault():
                    self._readings.append(disturbed(self.name, message, at_ns))
                case _:
                    self._readings.append(stray(self.name, message, at_ns))

    def _key_down(self, key: str, at_ns: int) -> None:
        down = self._down.get(key)
        # A keypad left in its repeating mode says "down" again and again; a release lost on the line must not
        # swallow the next press for ever. Silence longer than stuck_ns tells the second from the first.
        if down is not None and at_ns - down.last_ns < self._stuck_ns:
            down.last_ns = at_ns
            return
        told = key not in self._holdable
        self._down[key] = _Down(since_ns=at_ns, last_ns=at_ns, told=told)
        if told:
            self._readings.append(KeyPressed(at_ns=at_ns, key=key))

    def _key_up(self, key: str, at_ns: int) -> None:
        down = self._down.pop(key, None)
        if down is not None and not down.told:
            held = at_ns - down.since_ns >= self._held_ns
            self._readings.append(KeyPressed(at_ns=down.since_ns, key=key, held=held))

    def _watch_keys(self, now_ns: int) -> None:
        for key, down in self._down.items():
            since_ns = now_ns - down.since_ns
            if not down.told and since_ns >= self._held_ns:
                down.told = True
                self._readings.append(KeyPressed(at_ns=down.since_ns, key=key, held=True))
            if not down.stuck and since_ns >= self._stuck_ns:
                down.stuck = True
                self._complain("stuck_key", f"key {key} has been down for {self._stuck_ns // 1_000_000} ms", now_ns)
                # A keypad that lost power on an open line forgets its settings and no longer reports releases.
                self._set_up()
