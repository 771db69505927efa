"""The hardware random number generator: a stream of noise that is used only as long as it passes its health tests.

After every opening the first 1,024 bytes are tested and thrown away. A failed test halts the generator for good: what
was kept is forgotten, and no byte comes out until somebody has looked and the program is started anew.
"""

from __future__ import annotations

from typing import Final

from devices.outbox import Outbox
from devices.receiver import Listener, disturbed, stray
from devices.trigger import CLAIMED_BITS
from devices.trigger.noise_health import STARTUP_SAMPLES, NoiseHealth
from firmware_protocols.codec import Codec
from firmware_protocols.messages import LineFault, Message, NoiseTaken
from firmware_protocols.readings import DeviceComplained, DeviceHealth, HealthState

KEPT_BYTES: Final = 4096
"""Bytes kept for use, the newest: many draws, and no more than a tenth of a second of a fast source."""

SILENCE_NS: Final = 1_000_000_000
"""A generator sends all the time; silent for so long it is lost."""


class RngSession(Outbox):
    """Health and bytes of one generator. ``take`` gives bytes only while it is ready."""

    def __init__(self, codec: Codec, name: str = "rng", *, claimed_bits: float = CLAIMED_BITS) -> None:
        super().__init__()
        self._name = name
        self._listener = Listener(codec)
        self._claimed_bits = claimed_bits
        self.health = NoiseHealth(claimed_bits)
        """The tests and their counts since the program started."""
        self._to_test = STARTUP_SAMPLES
        self._kept = bytearray()
        self._state: tuple[HealthState, str] | None = None
        self._silent_at_ns: int | None = None

    # --- what others take -----------------------------------------------------------------------------

    @property
    def available(self) -> int:
        """Bytes that ``take`` can give now."""
        return len(self._kept)

    def take(self, count: int) -> bytes:
        """``count`` tested bytes, never given before; empty unless there are as many."""
        if count > len(self._kept):
            return b""
        taken = bytes(self._kept[-count:])
        del self._kept[-count:]
        return taken

    # --- driven from outside --------------------------------------------------------------------------

    def connected(self, now_ns: int) -> None:
        """The line is open (again): the start-up tests begin."""
        self._listener.open()
        self._start_up()
        self._silent_at_ns = now_ns + SILENCE_NS

    def disconnected(self, now_ns: int) -> None:
        """The line is gone, and with it what was kept."""
        self._take(self._listener.close(), now_ns)
        self._start_up()
        self._silent_at_ns = None
        self._set_state(HealthState.LOST, "line gone", now_ns)

    def receive(self, data: bytes, now_ns: int) -> None:
        """Bytes came."""
        if data and self._listener.is_open:
            self._silent_at_ns = now_ns + SILENCE_NS
        self._take(self._listener.hear(data, now_ns), now_ns)

    def next_deadline(self) -> int | None:
        """When a block begun is given up, or the generator has been silent for too long."""
        deadlines = (self._listener.deadline(), self._silent_at_ns)
        return min((deadline for deadline in deadlines if deadline is not None), default=None)

    def handle_deadline(self, now_ns: int) -> None:
        """Give up a block begun; miss a generator that has fallen silent."""
        self._take(self._listener.expire(now_ns), now_ns)
        if self._silent_at_ns is not None and now_ns >= self._silent_at_ns:
            self._silent_at_ns = None
            self._start_up()
            self._set_state(HealthState.LOST, "no noise", now_ns)

    # --- what comes -----------------------------------------------------------------------------------

    def _take(self, messages: tuple[Message, ...], now_ns: int) -> None:
        for message in messages:
            match message:
                case NoiseTaken(data):
                    self._noise(data, now_ns)
                case LineFault():
                    self._readings.append(disturbed(self._name, message, now_ns))
                    self._no_noise(message, now_ns)
                case _:
                    self._readings.append(stray(self._name, message, now_ns))

    def _noise(self, data: bytes, now_ns: int) -> None:
        if not self._test(data, now_ns):
            return
        if self._to_test > 0:
            self._to_test -= len(data)
            if self._to_test <= 0:
                self._set_state(HealthState.READY, f"{STARTUP_SAMPLES} bytes tested", now_ns)
            return
        self._kept += data
        del self._kept[:-KEPT_BYTES]

    def _no_noise(self, fault: LineFault, now_ns: int) -> None:
        """Bytes that are no noise: nothing from before is trusted either.

        A generator in a wrong mode is not a broken one: only a value that repeats goes to the health tests.
        """
        self._start_up()
        stuck = len(set(fault.data)) == 1
        if not stuck or self._test(fault.data, now_ns):
            self._set_state(HealthState.FAULTY, fault.reason, now_ns)

    def _test(self, data: bytes, now_ns: int) -> bool:
        """Whether the source is, and was, sound."""
        was_sound = self.health.failure is None
        self.health.feed(data)
        failure = self.health.failure
        if failure is None:
            return True
        self._start_up()
        if was_sound:
            self._readings.append(DeviceComplained(self._name, failure.test, failure.text, now_ns))
        self._set_state(HealthState.FAULTY, f"halted: {failure.text}", now_ns)
        return False

    def _start_up(self) -> None:
        self._to_test = STARTUP_SAMPLES
        self._kept.clear()

    def _set_state(self, state: HealthState, detail: str, now_ns: int) -> None:
        if (state, detail) != self._state:
            self._state = (state, detail)
            self._readings.append(DeviceHealth(device=self._name, state=state, at_ns=now_ns, detail=detail))
