"""A unit of bet sensors: where progressive wagers lie, and where they lay when betting ended.

The table says for which round the unit is to be locked and which lamps are to be lit; the unit is asked until it says
itself that it is so. What it latched is believed only then. A unit that was locked and says it is not has lost power:
what it latched is gone, and the table learns so before it learns what a new lock latched.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from devices.backoff import PollBackoff
from devices.outbox import DeviceOutbox
from devices.receiver import Listener, disturbed, stray
from firmware_protocols.codec import Codec
from firmware_protocols.framing import named
from firmware_protocols.messages import Command, LineFault, Message
from firmware_protocols.readings import HealthState, WagersSensed
from firmware_protocols.sensor_messages import (
    SENSORS_LIMIT,
    LockSensors,
    ReadSensorOutputs,
    ReadSensors,
    SensorOutputs,
    SensorsLocked,
    SensorsRead,
    SensorsRefused,
    SensorsSet,
    SetSensors,
)

_MS: Final = 1_000_000

ANSWER_NS: Final = 200 * _MS
"""Patience with an answer: at 19200 baud question and answer take 11 ms, a USB adapter adds up to 16 on each way."""

GAP_NS: Final = 5 * _MS
"""Silence before a question: more than the 3.5 characters (2 ms at 19200 baud) that begin a frame."""

POLL_NS: Final = 50 * _MS
"""Between two looks at the sensors: a wager laid or taken is dated to a tenth of a second."""

OUTPUTS_NS: Final = 1_000 * _MS
"""Between two looks at lock and lamps: a unit that lost power is found out within a second."""

AGREEING: Final = 2
"""Looks that must agree before they are reported: a hand over a sensor covers it, and one check sum in 65,536 lies."""

AGAIN_NS: Final = 500 * _MS
"""Between two tries with a unit that was given up: it is alone on its line, so that asking costs nothing."""

IGNORED_LIMIT: Final = 3
"""Commands in a row that the unit answers but does not carry out before it is faulty."""

_Look = tuple[tuple[int, ...], tuple[int, ...], int]
"""Live, latched, and the lock by which."""


class BetSensorsSession(DeviceOutbox):
    """One unit. ``spots`` are the spots of its sensors in order; ``bet`` is the side bet whose wagers lie on them.

    Raises:
        ValueError: no spots, more than sensors, one twice, or an address the protocol has no words for.
    """

    def __init__(
        self, codec: Codec, bet: str, spots: Sequence[int], name: str = "bet_sensors", *, address: int = 1
    ) -> None:
        if not 0 < len(spots) <= SENSORS_LIMIT or len(set(spots)) != len(spots):
            raise ValueError(f"a unit has 1 to {SENSORS_LIMIT} sensors at different spots, not {list(spots)}")
        super().__init__(name)
        self.bet = bet
        """The side bet it senses."""
        self._spots = tuple(spots)
        self._address = address
        self._listener = Listener(codec)
        self._refuse_unspeakable()
        self._want_lock = 0
        self._held_for: int | None = None
        self._first_lock: int | None = None
        self._want_lamps: tuple[int, ...] = ()
        self._outputs: SensorOutputs | None = None
        self._was_locked = False
        self._commands_ignored = 0
        self._sent: Command | None = None
        self._asked: Command | None = None
        self._asked_ns = 0
        self._opening = False
        self._answer_by_ns = 0
        self._send_at_ns = 0
        self._look_at_ns = 0
        self._outputs_at_ns = 0
        self._seen: list[tuple[int, _Look]] = []
        self._last_reported: _Look | None = None
        self._agreed_ns = 0
        self._backoff = PollBackoff()

    def _refuse_unspeakable(self) -> None:
        self._listener.open()
        self._listener.encode(ReadSensors(self._address))
        self._listener.close()

    def apply(self, lock: int, lamps: Iterable[int] = ()) -> None:
        """Lock the unit under this number (0: open it) and light the lamps at these spots; now and after a loss.

        Under another number it is opened in between, which clears it. Spots without a sensor are passed over. A unit
        that is locked when this program first hears of it is taken to be locked under the first number ever asked for:
        what a table that starts again remembers. Under any later one it may hold what lay there long before.
        """
        if self._first_lock is None:
            self._first_lock = lock
        wanted = frozenset(lamps)
        self._want_lock = lock
        self._want_lamps = tuple(number for number, spot in enumerate(self._spots, start=1) if spot in wanted)

    # --- the session's five verbs -------------------------------------------------------------------

    def connected(self, now_ns: int) -> None:
        """The line is open (again): what the unit holds has to be asked."""
        self._listener.open()
        self._forget()
        self._backoff.answered()
        self._send_at_ns = self._look_at_ns = self._outputs_at_ns = self._agreed_ns = now_ns
        self._work(now_ns)

    def disconnected(self, now_ns: int) -> None:
        """The line is gone; it is not known what the sensors see."""
        self._take(self._listener.close(), self._listener.heard_ns)
        self._forget()
        self._set_state(HealthState.LOST, now_ns)

    def receive(self, data: bytes, now_ns: int) -> None:
        """Bytes came."""
        if not self._listener.is_open or not data:
            return
        self._take(self._listener.hear(data, now_ns), now_ns)
        if self._asked is None:
            self._send_at_ns = max(self._send_at_ns, now_ns + GAP_NS)

    def next_deadline(self) -> int | None:
        """When the next thing may be said or asked, an answer is missing, or a message begun is given up."""
        if not self._listener.is_open:
            return None
        if self._asked is not None:
            mine_ns = self._answer_by_ns
        else:
            mine_ns = max(self._send_at_ns, self._backoff.due_ns)
            if self._to_do(mine_ns) is None:
                mine_ns = max(mine_ns, min(self._look_at_ns, self._outputs_at_ns))
        idle_ns = self._listener.deadline()
        return mine_ns if idle_ns is None else min(mine_ns, idle_ns)

    def handle_deadline(self, now_ns: int) -> None:
        """Give up what has been waited for long enough; say or ask the next thing."""
        self._take(self._listener.expire(now_ns), self._listener.heard_ns)
        if self._asked is not None and now_ns >= self._answer_by_ns:
            self._asked = None
            # What was not answered may have been heard all the same.
            self._outputs = None
            self._seen.clear()
            if self._backoff.missed(now_ns):
                self._backoff.due_ns = now_ns + AGAIN_NS
                self._set_state(HealthState.FAULTY, now_ns, "it does not answer")
        self._work(now_ns)

    # --- saying and asking ----------------------------------------------------------------------------

    def _forget(self) -> None:
        self._asked = self._outputs = self._sent = None
        self._unsent = b""
        self._commands_ignored = 0
        self._seen.clear()

    def _work(self, now_ns: int) -> None:
        """Say or ask one thing, if its time has come."""
        if not self._listener.is_open or self._asked is not None:
            return
        if now_ns < max(self._send_at_ns, self._backoff.due_ns):
            return
        said = self._to_do(now_ns)
        if said is not None:
            self._asked, self._asked_ns, self._answer_by_ns = said, now_ns, now_ns + ANSWER_NS
            if isinstance(said, LockSensors):
                # Its answer may be lost, and it be done all the same.
                self._opening = not said.locked
                self._held_for = self._want_lock if said.locked else self._held_for
            self._unsent += self._listener.encode(said)

    def _to_do(self, now_ns: int) -> Command | None:
        """What comes first: what it is set to, what it should be set to, what it sees."""
        if self._outputs is None or now_ns >= self._outputs_at_ns:
            return ReadSensorOutputs(self._address)
        if self._outputs.locked and self._held_for != self._want_lock:
            return LockSensors(self._address, locked=False)
        if self._outputs.locked != bool(self._want_lock):
            return LockSensors(self._address, bool(self._want_lock))
        if self._outputs.lamps != self._want_lamps:
            lamps = tuple(number in self._want_lamps for number in range(1, SENSORS_LIMIT + 1))
            return SetSensors(self._address, self._outputs.locked, lamps)
        return ReadSensors(self._address) if now_ns >= self._look_at_ns else None

    def _take(self, messages: Iterable[Message], at_ns: int) -> None:
        for message in messages:
            match message, self._asked:
                case SensorsRefused(address, command, code), asked if (
                    asked is not None and address == self._address and command == named(asked)
                ):
                    self._refused(command, code, at_ns)
                case SensorOutputs(address=address), ReadSensorOutputs() if address == self._address:
                    self._answered(at_ns)
                    self._set_to(message, at_ns)
                case SensorsRead(address, live, tuple() as latched), ReadSensors() if address == self._address:
                    began_ns = self._asked_ns
                    self._answered(at_ns)
                    self._look_at_ns = began_ns + POLL_NS
                    self._look(live, latched, began_ns, at_ns)
                case SensorsLocked(address, locked), LockSensors(locked=wanted) as asked if (
                    address == self._address and locked == wanted
                ):
                    self._obeyed(asked, at_ns)
                case SensorsSet(address, lamps), SetSensors() as asked if (
                    address == self._address and lamps == SENSORS_LIMIT
                ):
                    self._obeyed(asked, at_ns)
                case LineFault(), _:
                    self._readings.append(disturbed(self.name, message, at_ns))
                case _:
                    self._readings.append(stray(self.name, message, at_ns))

    def _answered(self, at_ns: int) -> None:
        self._asked = None
        self._backoff.answered()
        self._send_at_ns = at_ns + GAP_NS

    def _obeyed(self, asked: Command, at_ns: int) -> None:
        # A two-wire line that throws back what is said looks the same, so lock and lamps are read before they count.
        self._answered(at_ns)
        self._outputs, self._sent = None, asked
        self._seen.clear()

    def _refused(self, command: str, code: int, at_ns: int) -> None:
        self._answered(at_ns)
        self._outputs = None
        self._seen.clear()
        self._backoff.due_ns = at_ns + AGAIN_NS
        self._set_state(HealthState.FAULTY, at_ns, f"it refuses {command} with code {code}")

    # --- what it is set to ------------------------------------------------------------------------------

    def _set_to(self, outputs: SensorOutputs, at_ns: int) -> None:
        self._outputs, self._outputs_at_ns = outputs, at_ns + OUTPUTS_NS
        sent, self._sent = self._sent, None
        if sent is not None:
            locked = sent.locked if isinstance(sent, LockSensors | SetSensors) else outputs.locked
            lit = outputs.lamps if not isinstance(sent, SetSensors) else _lit(sent.lamps)
            heeded = outputs.locked == locked and outputs.lamps == lit
            self._commands_ignored = 0 if heeded else self._commands_ignored + 1
        if self._was_locked and not outputs.locked and not self._opening:
            self._complain("lock_lost", "it was locked and is open: what it latched is gone", at_ns)
        if outputs.locked != self._was_locked:
            self._seen.clear()
        self._opening = False
        if not outputs.locked:
            self._held_for = 0
        elif self._held_for is None:
            self._held_for = self._first_lock or 0
        self._was_locked = outputs.locked
        if self._commands_ignored >= IGNORED_LIMIT:
            self._set_state(HealthState.FAULTY, at_ns, "it answers commands and does not carry them out")
            self._backoff.due_ns = at_ns + AGAIN_NS

    # --- what it sees -----------------------------------------------------------------------------------

    def _look(self, live: tuple[int, ...], latched: tuple[int, ...], began_ns: int, at_ns: int) -> None:
        if self._outputs is None:
            return
        lock = (self._held_for or 0) if self._outputs.locked else 0
        look: _Look = (self._at(live), self._at(latched) if lock else (), lock)
        if self._seen and self._seen[-1][1] != look:
            self._seen.clear()
        self._seen.append((began_ns, look))
        if len(self._seen) < AGREEING:
            return
        after_ns, self._agreed_ns = self._agreed_ns, self._seen[0][0]
        self._seen = self._seen[-AGREEING:]
        if not self._commands_ignored:
            self._set_state(HealthState.READY, at_ns)
        if look != self._last_reported:
            self._last_reported = look
            self._readings.append(WagersSensed(self.name, self.bet, *look, after_ns=after_ns, by_ns=at_ns))

    def _at(self, sensors: tuple[int, ...]) -> tuple[int, ...]:
        """The spots of sensors; a sensor where no spot is counts for nothing."""
        return tuple(sorted(self._spots[number - 1] for number in sensors if number <= len(self._spots)))


def _lit(lamps: tuple[bool, ...]) -> tuple[int, ...]:
    return tuple(number for number, lit in enumerate(lamps, start=1) if lit)
