"""What every session promises, put to each of them with every codec of its kind."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from devices.bet_sensors import BetSensorsSession
from devices.chips.bet_spots import BetSpotsSession
from devices.keypad import KeypadSession
from devices.session import Session
from devices.shoes.shoe import ShoeSession
from devices.sign import SignSession
from devices.trigger.mystery_trigger import MysteryTriggerSession, TriggerTable
from firmware_protocols.bet_sensors import modbus_rtu
from firmware_protocols.bet_spots import feig_obid
from firmware_protocols.cards import Card
from firmware_protocols.codec import Codec
from firmware_protocols.keypad import matrix_orbital
from firmware_protocols.mystery_trigger import tableside
from firmware_protocols.readings import (
    CardDrawn,
    ChipsSeen,
    DeviceComplained,
    DeviceHealth,
    HealthState,
    KeyPressed,
    Reading,
    WagersSensed,
)
from firmware_protocols.shoe import bee_tek, reference
from firmware_protocols.sign import alpha
from simulators.devices.bet_sensors import BetSensorsSimulator
from simulators.devices.bet_spots import BetSpotsSimulator
from simulators.devices.keypad import KeypadSimulator
from simulators.devices.mystery_trigger import TriggerBoxSimulator
from simulators.devices.reference_shoe import ReferenceShoeSimulator
from simulators.devices.shoe import ShoeSimulator
from simulators.devices.sign import SignSimulator
from simulators.devices.wire import Device, NullModem
from tests.devices.crossing import Journaling
from tests.devices.plain import PLAIN

S = 1_000_000_000
ZONES: dict[tuple[int, int | None], tuple[int, str]] = {
    (1, 1): (1, "main"),
    (1, 2): (1, "insurance"),
    (2, None): (2, "main"),
}


@dataclass(frozen=True)
class Rig:
    """A session of one kind, its device, and something that device can be made to say."""

    codec: Codec
    session: Callable[[Codec], Session]
    device: Callable[[Codec], Device]
    provoke: Callable[[NullModem[Reading], Device], None]
    heard: Callable[[Reading], bool]


def draw(modem: NullModem[Reading], shoe: Device) -> None:
    assert isinstance(shoe, ShoeSimulator | ReferenceShoeSimulator)
    modem.say(shoe.draw(Card("8h")))


def press(modem: NullModem[Reading], keypad: Device) -> None:
    assert isinstance(keypad, KeypadSimulator)
    down, up = keypad.press("L")
    modem.say(down + up)


def lay(modem: NullModem[Reading], bet_spots: Device) -> None:
    assert isinstance(bet_spots, BetSpotsSimulator)
    laid = bet_spots.content(2, "main") or ("E004010000000000",)
    bet_spots.lay(2, "main", (*laid, f"E0040100000000{len(laid):02X}"))


def upset(modem: NullModem[Reading], sign: Device) -> None:
    del modem
    assert isinstance(sign, SignSimulator)
    sign.upset()


def stake(modem: NullModem[Reading], unit: Device) -> None:
    del modem
    assert isinstance(unit, BetSensorsSimulator)
    if 3 in unit.covered:
        unit.take(3)
    else:
        unit.lay(3)


def complain(modem: NullModem[Reading], box: Device) -> None:
    assert isinstance(box, TriggerBoxSimulator)
    modem.say(box.alarm("lid", "the lid is open"))


def trigger_rig() -> Rig:
    return Rig(
        tableside.CODEC,
        lambda codec: MysteryTriggerSession(codec, TriggerTable("harbour", "bj-1", 7)),
        lambda codec: TriggerBoxSimulator(codec, Random(1)),
        complain,
        lambda reading: isinstance(reading, DeviceComplained),
    )


def shoe_rig(codec: Codec) -> Rig:
    return Rig(codec, ShoeSession, ShoeSimulator, draw, lambda reading: isinstance(reading, CardDrawn))


def reference_shoe_rig() -> Rig:
    return Rig(
        reference.CODEC,
        lambda codec: Journaling(ShoeSession(codec)),
        ReferenceShoeSimulator,
        draw,
        lambda reading: isinstance(reading, CardDrawn),
    )


def keypad_rig(codec: Codec) -> Rig:
    return Rig(codec, KeypadSession, KeypadSimulator, press, lambda reading: isinstance(reading, KeyPressed))


def bet_spots_rig(codec: Codec) -> Rig:
    return Rig(
        codec,
        lambda codec: BetSpotsSession(codec, ZONES, gap_ns=40_000_000),
        lambda codec: BetSpotsSimulator(codec, ZONES),
        lay,
        lambda reading: isinstance(reading, ChipsSeen) and len(reading.chips) > 1,
    )


def bet_sensors_rig(codec: Codec) -> Rig:
    return Rig(
        codec,
        lambda codec: BetSensorsSession(codec, "blazing7s", (1, 2, 3)),
        BetSensorsSimulator,
        stake,
        lambda reading: isinstance(reading, WagersSensed),
    )


def sign_rig(codec: Codec) -> Rig:
    return Rig(
        codec,
        lambda codec: SignSession(codec, ("JACKPOT $",)),
        SignSimulator,
        upset,
        lambda reading: isinstance(reading, DeviceComplained),
    )


RIGS = [
    pytest.param(shoe_rig(PLAIN), id="shoe-plain"),
    pytest.param(shoe_rig(bee_tek.CODEC), id="shoe-bee_tek"),
    pytest.param(reference_shoe_rig(), id="shoe-reference"),
    pytest.param(keypad_rig(PLAIN), id="keypad-plain"),
    pytest.param(keypad_rig(matrix_orbital.CODEC), id="keypad-matrix_orbital"),
    pytest.param(trigger_rig(), id="mystery_trigger-tableside"),
    pytest.param(bet_spots_rig(PLAIN), id="bet_spots-plain"),
    pytest.param(bet_spots_rig(feig_obid.CODEC), id="bet_spots-feig_obid"),
    pytest.param(bet_sensors_rig(PLAIN), id="bet_sensors-plain"),
    pytest.param(bet_sensors_rig(modbus_rtu.CODEC), id="bet_sensors-modbus_rtu"),
    pytest.param(sign_rig(PLAIN), id="sign-plain"),
    pytest.param(sign_rig(alpha.CODEC), id="sign-alpha"),
]

every_session = pytest.mark.parametrize("rig", RIGS)


def hears(modem: NullModem[Reading], rig: Rig, device: Device) -> bool:
    """Whether something said now is heard within five seconds."""
    before = len(modem.readings)
    rig.provoke(modem, device)
    modem.run_until(modem.now_ns + 5 * S)
    return any(rig.heard(reading) for reading in modem.readings[before:])


def states(readings: list[Reading]) -> dict[str, list[HealthState]]:
    found: dict[str, list[HealthState]] = {}
    for reading in readings:
        if isinstance(reading, DeviceHealth):
            found.setdefault(reading.device, []).append(reading.state)
    return found


@every_session
def test_what_the_device_says_is_heard_and_it_is_ready(rig: Rig) -> None:
    device = rig.device(rig.codec)
    modem = NullModem(rig.session(rig.codec), device, rig.codec)
    modem.connect()
    modem.run_until(S)
    assert hears(modem, rig, device)
    assert set(map(tuple, states(modem.readings).values())) == {(HealthState.READY,)}


@every_session
@given(data=st.lists(st.binary(max_size=60), max_size=8))
@settings(max_examples=25)
def test_any_bytes_are_borne_and_the_device_is_heard_afterwards(rig: Rig, data: list[bytes]) -> None:
    device = rig.device(rig.codec)
    modem = NullModem(rig.session(rig.codec), device, rig.codec)
    modem.connect()
    for piece in data:
        modem.say(piece)
        modem.run_until(modem.now_ns + 7_000_000)
    # Long enough for keys that noise pressed to be given up.
    modem.run_until(modem.now_ns + 15 * S)
    assert hears(modem, rig, device)


@every_session
def test_a_lost_line_is_reported_once_and_a_new_one_is_used(rig: Rig) -> None:
    device = rig.device(rig.codec)
    modem = NullModem(rig.session(rig.codec), device, rig.codec)
    modem.connect()
    modem.run_until(S)
    for _ in range(2):
        modem.disconnect()
        modem.disconnect()
        modem.run_until(modem.now_ns + S)
        modem.connect()
        assert hears(modem, rig, device)
    ready, lost = HealthState.READY, HealthState.LOST
    assert set(map(tuple, states(modem.readings).values())) == {(ready, lost, ready, lost, ready)}


@every_session
def test_a_line_that_never_opened_is_lost_too(rig: Rig) -> None:
    session = rig.session(rig.codec)
    session.disconnected(5)
    session.disconnected(6)
    found = states(list(session.readings()))
    assert found
    assert set(map(tuple, found.values())) == {(HealthState.LOST,)}
    assert session.next_deadline() is None


@every_session
@given(
    cut_ns=st.lists(st.integers(1, 400_000_000), min_size=1, max_size=6),
    down_ns=st.integers(0, 50_000_000),
)
@settings(max_examples=20)
def test_unplugged_at_any_moment_it_recovers(rig: Rig, cut_ns: list[int], down_ns: int) -> None:
    device = rig.device(rig.codec)
    modem = NullModem(rig.session(rig.codec), device, rig.codec, paced=True)
    for moment_ns in cut_ns:
        modem.connect()
        rig.provoke(modem, device)
        modem.run_until(modem.now_ns + moment_ns)
        modem.disconnect()
        modem.run_until(modem.now_ns + down_ns)
    modem.connect()
    modem.run_until(modem.now_ns + 6 * S)
    assert hears(modem, rig, device)


@every_session
@given(
    steps=st.lists(
        st.tuples(st.sampled_from("cdrhh"), st.binary(max_size=12), st.integers(0, 700_000_000)), max_size=30
    )
)
@settings(max_examples=25)
def test_after_each_call_at_its_deadline_the_next_one_lies_ahead(rig: Rig, steps: list[tuple[str, bytes, int]]) -> None:
    session = rig.session(rig.codec)
    now_ns = 0
    for verb, data, wait_ns in steps:
        now_ns += wait_ns
        match verb:
            case "c":
                session.connected(now_ns)
            case "d":
                session.disconnected(now_ns)
                assert session.next_deadline() is None
            case "r":
                session.receive(data, now_ns)
            case _:
                session.handle_deadline(now_ns)
                deadline_ns = session.next_deadline()
                assert deadline_ns is None or deadline_ns > now_ns
        session.bytes_to_send()


@every_session
def test_bytes_of_a_closed_line_mean_nothing(rig: Rig) -> None:
    session = rig.session(rig.codec)
    session.receive(b"A<>\x05\n", 1)
    session.handle_deadline(2)
    assert session.readings() == ()
    assert session.bytes_to_send() == b""
