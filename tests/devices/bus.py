"""A bus of chip readers for tests: simulated, or played by hand one message at a time."""

from __future__ import annotations

import random

import pytest

from devices.chips.bet_spots import BetSpotsSession
from firmware_protocols.bet_spots import feig_obid
from firmware_protocols.codec import Codec, LineEnd
from firmware_protocols.messages import (
    Message,
    ReadSoftware,
    SoftwareRead,
)
from firmware_protocols.readings import ChipsSeen, DeviceHealth, HealthState, Reading
from simulators.devices.bet_spots import STEADY, BetSpotsSimulator, Flicker
from simulators.devices.wire import NullModem
from tests.devices.plain import PLAIN

MS = 1_000_000
S = 1_000 * MS
READY, LOST, FAULTY = HealthState.READY, HealthState.LOST, HealthState.FAULTY

Zones = dict[tuple[int, int | None], tuple[int, str]]
SEVEN: Zones = {
    (spot, antenna): (spot, zone) for antenna, zone in ((1, "main"), (2, "insurance")) for spot in range(1, 8)
}
ONE: Zones = {(1, 1): (1, "main")}

both_codecs = pytest.mark.parametrize("codec", [PLAIN, feig_obid.CODEC], ids=["plain", "feig_obid"])


def chips(number: int, first: int = 0) -> tuple[str, ...]:
    return tuple(f"E00401{serial:010X}" for serial in range(first, first + number))


class Table:
    """A session and the simulated readers of its bus, joined."""

    def __init__(self, zones: Zones, codec: Codec = PLAIN, *, flicker: Flicker = STEADY, agreeing: int = 2) -> None:
        self.readers = BetSpotsSimulator(codec, zones, flicker=flicker, chance=random.Random(1))
        self.session = BetSpotsSession(codec, zones, agreeing=agreeing)
        self.modem: NullModem[Reading] = NullModem(self.session, self.readers, codec, paced=True)

    def start(self) -> None:
        self.modem.connect()
        self.run(2 * S)
        self.modem.readings.clear()

    def run(self, for_ns: int) -> None:
        self.modem.run_until(self.modem.now_ns + for_ns)

    def seen(self) -> list[tuple[int, str, tuple[str, ...]]]:
        return [(seen.spot, seen.zone, seen.chips) for seen in self.modem.readings if isinstance(seen, ChipsSeen)]

    def health(self, device: str = "bet_spots/1") -> list[HealthState]:
        found = [reading for reading in self.modem.readings if isinstance(reading, DeviceHealth)]
        return [reading.state for reading in found if reading.device == device]


class Bus:
    """A session whose readers are played by hand, one message at a time."""

    def __init__(self, zones: Zones = ONE) -> None:
        self.session = BetSpotsSession(PLAIN, zones)
        self.wire = PLAIN.open(LineEnd.DEVICE)
        self.now_ns = 0
        self.session.connected(0)

    def asked(self) -> Message | None:
        """The next request, waiting for it as long as it takes the session."""
        for _ in range(10):
            messages = self.wire.feed(self.session.bytes_to_send())
            if messages:
                (message,) = messages
                return message
            deadline_ns = self.session.next_deadline()
            assert deadline_ns is not None
            self.now_ns = max(self.now_ns, deadline_ns)
            self.session.handle_deadline(self.now_ns)
        return None

    def answer(self, *messages: Message, after_ns: int = MS) -> tuple[Reading, ...]:
        self.now_ns += after_ns
        self.session.receive(b"".join(map(self.wire.encode, messages)), self.now_ns)
        return self.session.readings()

    def identify(self) -> None:
        assert isinstance(self.asked(), ReadSoftware)
        self.answer(SoftwareRead(1, "0303"))
