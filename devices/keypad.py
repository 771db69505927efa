"""The dealer's keypad: keys down and up become presses, long ones distinguished where that matters."""

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
"""A key down for longer is stuck: no procedure asks to hold a key this long."""

BOUNCE_NS: Final = 400_000_000
"""A key said again sooner is the same press: contacts that bounce, or a held key that repeats (every 200 ms)."""

TAP_NS: Final = 90_000_000
"""A key down again sooner is the same press although it was let go in between: a person does not tap this quickly."""

REST_NS: Final = 40_000_000
"""A key down again so soon after it was let go was not let go: contacts bounce then too, and a finger is slower."""

BOUNCES_LIMIT: Final = 10
"""A press in which the contacts bounce so often is reported: the key is worn out, or the line repeats itself."""

REPEAT_DELAY_NS: Final = 1_200_000_000
"""A held key that repeats has said itself again by then (after 500 or 1000 ms, as the makers' manuals have it)."""

REPEAT_WAIT_NS: Final = 300_000_000
"""From one repeat to the next: after that silence a key said twice was pressed twice."""


@dataclass(slots=True)
class _Down:
    """A key that has gone down; ``again_ns``: when it was said again, perhaps as a second press.

    ``up_ns``: when it came up, if its contacts may only have bounced.
    """

    since_ns: int
    last_ns: int
    reported: bool
    stuck: bool = False
    again_ns: int = -1
    up_ns: int = -1
    bounces: int = 0

    def rested_ns(self) -> int:
        """From when on the key counts as up: a person does not press it again sooner."""
        return max(self.up_ns + REST_NS, self.since_ns + TAP_NS)


class KeypadSession(DeviceOutbox):
    """Turns keys going down and up into presses.

    Most keys are reported when they go down. Only keys in ``holdable`` wait: for their release, or for ``held_ns`` to
    pass, so their presses come up to ``held_ns`` late and are still dated when the key went down. A key that is down
    again sooner than anybody presses it twice was never let go.

    A keypad that reports no releases (it lost power on an open line and forgot its settings, or is of such a make) says
    the same of a key pressed twice and, if it repeats, of one held. Its rhythm tells them apart: a held key goes on.
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
        self._releases = KeyUp in codec.vocabulary
        self._repeats = False

    def connected(self, now_ns: int) -> None:
        """The line is open (again): set the keypad up."""
        self._listener.open()
        self._down.clear()
        self._unsent = b""
        self._releases, self._repeats = KeyUp in self._vocabulary, False
        self._set_up()
        self._set_state(HealthState.READY, now_ns)

    def disconnected(self, now_ns: int) -> None:
        """The line is gone. A key still waiting to be known as short or long is reported, not guessed."""
        self._take(self._listener.close(), self._listener.heard_ns)
        for key, down in tuple(self._down.items()):
            if down.up_ns >= 0:
                self._released(key, down)
        for key, down in self._down.items():
            if not down.reported or down.again_ns >= 0:
                self._complain("cut_off", f"key {key} was down when the line went", now_ns)
        self._down.clear()
        self._unsent = b""
        self._set_state(HealthState.LOST, now_ns)

    def receive(self, data: bytes, now_ns: int) -> None:
        """Bytes came; keys are dated ``now_ns``."""
        self._watch_keys(now_ns)
        self._take(self._listener.hear(data, now_ns), now_ns)

    def next_deadline(self) -> int | None:
        """When a key down becomes held or stuck, or counts as up, or a message begun is given up."""
        deadlines = [at_ns for down in self._down.values() if (at_ns := self._due_ns(down)) is not None]
        idle_ns = self._listener.deadline()
        if idle_ns is not None:
            deadlines.append(idle_ns)
        return min(deadlines, default=None)

    def _due_ns(self, down: _Down) -> int | None:
        """When the next thing follows from a key being down; None: nothing does."""
        if down.up_ns >= 0:
            return down.rested_ns()
        if down.again_ns >= 0:
            return down.again_ns + REPEAT_WAIT_NS
        if not self._releases:
            return down.last_ns + REPEAT_DELAY_NS
        if not down.reported:
            return down.since_ns + self._held_ns
        return None if down.stuck else down.since_ns + self._stuck_ns

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
        if down is None:
            self._pressed(key, at_ns)
            return
        if down.up_ns >= 0:
            # Its contacts bounced; by the time it counts as up it would not be known as down.
            down.last_ns, down.up_ns = at_ns, -1
            down.bounces += 1
            if down.bounces == BOUNCES_LIMIT:
                self._complain("bouncing_key", f"key {key} has bounced {BOUNCES_LIMIT} times in one press", at_ns)
            return
        silent_ns = at_ns - down.last_ns
        if down.again_ns < 0 and silent_ns >= REPEAT_DELAY_NS:
            self._pressed_again(key, down, at_ns)
        elif down.again_ns < 0 and silent_ns >= BOUNCE_NS and not self._repeats:
            down.again_ns = at_ns
        else:
            if down.again_ns >= 0:
                # Said a third time it has the rhythm of a held key.
                self._repeats = True
                self._miss_releases(f"key {key} repeats", at_ns)
            down.last_ns, down.again_ns = at_ns, -1

    def _pressed(self, key: str, at_ns: int) -> None:
        reported = key not in self._holdable
        self._down[key] = _Down(since_ns=at_ns, last_ns=at_ns, reported=reported)
        if reported:
            self._readings.append(KeyPressed(at_ns=at_ns, key=key))

    def _pressed_again(self, key: str, down: _Down, at_ns: int) -> None:
        """The key came up in between, and nothing said so."""
        self._released(key, down)
        if not down.stuck:
            self._miss_releases(f"key {key} was pressed twice", at_ns)
        self._pressed(key, at_ns)

    def _miss_releases(self, seen: str, at_ns: int) -> None:
        if self._releases:
            self._releases = False
            text = f"{seen} and its release was not told: a held key may be taken for a short press"
            self._complain("no_releases", text, at_ns)
            # A keypad that lost power on an open line forgets its settings.
            self._set_up()

    def _key_up(self, key: str, at_ns: int) -> None:
        self._releases, self._repeats = True, False
        down = self._down.get(key)
        if down is not None and down.again_ns >= 0:
            # Who tells releases repeats no key: the release before was lost.
            self._released(key, down)
            self._pressed(key, down.again_ns)
        down = self._down.get(key)
        if down is not None:
            down.last_ns = down.up_ns = at_ns

    def _released(self, key: str, down: _Down) -> None:
        """A key is up since it was last heard of: of one that waited it is known now whether it was held."""
        del self._down[key]
        if not down.reported:
            held = down.last_ns - down.since_ns >= self._held_ns
            self._readings.append(KeyPressed(at_ns=down.since_ns, key=key, held=held))

    def _watch_keys(self, now_ns: int) -> None:
        for key, down in tuple(self._down.items()):
            if down.up_ns >= 0:
                if now_ns >= down.rested_ns():
                    self._released(key, down)
            elif 0 <= down.again_ns <= now_ns - REPEAT_WAIT_NS:
                self._pressed_again(key, down, down.again_ns)
            elif not self._releases and now_ns - down.last_ns >= REPEAT_DELAY_NS:
                self._released(key, down)
            else:
                self._watch_length(key, down, now_ns)

    def _watch_length(self, key: str, down: _Down, now_ns: int) -> None:
        """Tell a key that has become held or stuck."""
        length_ns = (now_ns if self._releases else down.last_ns) - down.since_ns
        if not down.reported and length_ns >= self._held_ns:
            down.reported = True
            self._readings.append(KeyPressed(at_ns=down.since_ns, key=key, held=True))
        if not down.stuck and length_ns >= self._stuck_ns:
            down.stuck = True
            self._complain("stuck_key", f"key {key} has been down for {self._stuck_ns // 1_000_000} ms", now_ns)
            # A keypad that lost power on an open line forgets its settings and no longer reports releases.
            self._set_up()
