"""A thousand pulled plugs for each session, at every step of its way to ready and after: it is always ready again."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

import pytest

from devices.chips.bet_spots import BetSpotsSession
from devices.keypad import KeypadSession
from devices.session import Session
from devices.shoes.shoe import ShoeSession
from firmware_protocols.bet_spots import feig_obid
from firmware_protocols.cards import Card
from firmware_protocols.codec import Codec, LineEnd
from firmware_protocols.keypad import matrix_orbital
from firmware_protocols.readings import DeviceHealth, HealthState, Reading
from firmware_protocols.shoe import bee_tek, reference
from simulators.devices.bet_spots import BetSpotsSimulator
from simulators.devices.keypad import KeypadSimulator
from simulators.devices.reference_shoe import ReferenceShoeSimulator
from simulators.devices.shoe import ShoeSimulator
from simulators.devices.wire import Device, NullModem
from tests.devices.crossing import Journaling

MS = 1_000_000
S = 1_000 * MS
UNPLUGS = 1_000
ZONES: dict[tuple[int, int | None], tuple[int, str]] = {(1, 1): (1, "main"), (2, 1): (2, "main")}


class Overheard:
    """A device whose line is listened to, to know at which step the plug is pulled."""

    def __init__(self, device: Device, codec: Codec) -> None:
        self._device = device
        self._codec = codec
        self.plugged_in()

    def plugged_in(self) -> None:
        self.asked_last = "connected"
        self.answered_bytes = 0
        self._ear = self._codec.open(LineEnd.DEVICE)

    def receive(self, data: bytes) -> bytes:
        for message in self._ear.feed(data):
            self.asked_last = type(message).__name__
        return self._answer(self._device.receive(data))

    def idle(self) -> bytes:
        return self._answer(self._device.idle())

    def _answer(self, data: bytes) -> bytes:
        self.answered_bytes += len(data)
        return data

    def step(self, heard_bytes: int) -> str:
        """The step the session is at, named after what it last asked; ``heard_bytes`` of answers have arrived."""
        if self._ear.held():
            return f"{self.asked_last}, in the next question"
        return f"{self.asked_last}, in the answer" if heard_bytes < self.answered_bytes else self.asked_last


class Counting:
    """A session that counts what it hears on one connection."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self.heard_bytes = 0
        self.disconnected = session.disconnected
        self.next_deadline = session.next_deadline
        self.handle_deadline = session.handle_deadline
        self.bytes_to_send = session.bytes_to_send
        self.readings = session.readings

    def connected(self, now_ns: int) -> None:
        self.heard_bytes = 0
        self._session.connected(now_ns)

    def receive(self, data: bytes, now_ns: int) -> None:
        self.heard_bytes += len(data)
        self._session.receive(data, now_ns)


@dataclass(frozen=True)
class Rig:
    codec: Codec
    session: Session
    device: Device
    do: Callable[[random.Random], bytes]
    """Something happens at the device; the bytes it sends of its own accord."""
    within_ms: int
    """The plug is pulled within so many milliseconds."""
    devices: int
    steps: tuple[str, ...]
    """Steps at which the plug must have been pulled often, so that the test tries what it says."""


def bee_tek_rig() -> Rig:
    shoe = ShoeSimulator(bee_tek.CODEC)
    return Rig(
        bee_tek.CODEC,
        ShoeSession(bee_tek.CODEC),
        shoe,
        lambda _: shoe.draw(Card("8h")),
        40,
        1,
        ("connected",),
    )


def keypad_rig() -> Rig:
    keypad = KeypadSimulator(matrix_orbital.CODEC)
    return Rig(
        matrix_orbital.CODEC,
        KeypadSession(matrix_orbital.CODEC),
        keypad,
        lambda _: b"".join(keypad.press("K")),
        6,
        1,
        ("connected", "SendKeysAtOnce", "ReportKeyUps"),
    )


def bet_spots_rig() -> Rig:
    readers = BetSpotsSimulator(feig_obid.CODEC, ZONES)

    def lay(chance: random.Random) -> bytes:
        spot = chance.choice((1, 2))
        serials = chance.sample(range(2**32), chance.randrange(10))
        readers.lay(spot, "main", tuple(f"E00401{serial:010X}" for serial in serials))
        return b""

    session = BetSpotsSession(feig_obid.CODEC, ZONES, values="chip")
    steps = ("connected", "ReadSoftware", "TakeInventory", "ReadChipBlocks")
    return Rig(feig_obid.CODEC, session, readers, lay, 250, 2, steps)


def reference_rig() -> Rig:
    shoe = ReferenceShoeSimulator(reference.CODEC)
    return Rig(
        reference.CODEC,
        Journaling(ShoeSession(reference.CODEC), cards=True),
        shoe,
        lambda _: b"" if shoe.locked else shoe.draw(Card("8h")),
        12,
        1,
        ("connected", "IdentifyShoe", "CheckShoe", "SendDraws", "AcknowledgeDraw"),
    )


RIGS = {
    "shoe-bee_tek": bee_tek_rig,
    "shoe-reference": reference_rig,
    "bet_spots-feig_obid": bet_spots_rig,
    "keypad-matrix_orbital": keypad_rig,
}


class Night:
    def __init__(self, rig: Rig, seed: int) -> None:
        self.rig = rig
        self.chance = random.Random(seed)
        self.device = Overheard(rig.device, rig.codec)
        self.host = Counting(rig.session)
        self.modem: NullModem[Reading] = NullModem(self.host, self.device, rig.codec, paced=True, piece_bytes=1)
        self.steps: Counter[str] = Counter()
        self.readings: list[Reading] = []

    def states(self) -> dict[str, HealthState]:
        return {one.device: one.state for one in self.readings if isinstance(one, DeviceHealth)}

    def run(self, for_ns: int) -> None:
        self.modem.run_until(self.modem.now_ns + for_ns)
        self.readings += self.modem.readings
        self.modem.readings.clear()

    def plug_in_and_pull(self) -> None:
        self.device.plugged_in()
        self.modem.connect()
        within_ns = self.chance.randrange(self.rig.within_ms * MS)
        # Early steps are short, so most plugs are pulled early.
        pull_ns = within_ns // self.chance.choice((1, 3, 10, 30))
        happens_ns = self.chance.randrange(pull_ns + 1)
        self.run(happens_ns)
        self.modem.say(self.rig.do(self.chance))
        self.run(pull_ns - happens_ns)
        self.steps[self.device.step(self.host.heard_bytes)] += 1
        self.modem.disconnect()
        self.run(self.chance.choice((0, 1, 100)) * MS)
        assert set(self.states().values()) == {HealthState.LOST}

    def plug_in_until_ready(self) -> None:
        self.device.plugged_in()
        self.modem.connect()
        for _ in range(150):
            self.run(20 * MS)
            if set(self.states().values()) == {HealthState.READY}:
                break
        assert set(self.states().values()) == {HealthState.READY}
        assert len(self.states()) == self.rig.devices


@pytest.mark.parametrize("name", RIGS)
def test_a_thousand_pulled_plugs_and_ready_after_each(name: str) -> None:
    night = Night(RIGS[name](), seed=1)
    for _ in range(UNPLUGS):
        night.plug_in_and_pull()
        night.plug_in_until_ready()
        night.modem.disconnect()
    for step in night.rig.steps:
        assert sum(count for at, count in night.steps.items() if at.startswith(step)) >= 20, night.steps
    if len(night.rig.steps) > 1:
        assert sum(count for at, count in night.steps.items() if ", in the " in at) >= 100, night.steps
