"""What breaks on real tables, provoked one by one; the numbers are those of docs/reference/failure-modes.md."""

from __future__ import annotations

import asyncio
import os

import pytest

from controller.formats.text.usb_names import SerialPort
from controller.io.lines.ports import serial_opener
from controller.io.lines.serial import LineLost
from controller.io.lines.supervisor import FOREIGN_LIMIT
from devices.shoes.expected_shoe import ExpectedShoe
from devices.shoes.shoe import ShoeSession
from firmware_protocols import discovery
from firmware_protocols.cards import Card
from firmware_protocols.readings import (
    CardDrawn,
    ChipsSeen,
    DeviceHealth,
    HealthState,
    LineDisturbed,
)
from simulators.devices.reference_shoe import ReferenceShoeSimulator
from simulators.devices.shoe import ShoeSimulator
from tests.io.lines_rig import BEE_TEK, Delivered, OtherShoe, Picky, Place, plugged, readers, supervised
from tests.io.virtual_time import passes, run_virtual

SECOND_NS = 1_000_000_000
READY, LOST, FAULTY = HealthState.READY, HealthState.LOST, HealthState.FAULTY
STEPS = ("refused", "breaks", "opened", "written", "answered")


def now_ns() -> int:
    return round(asyncio.get_running_loop().time() * SECOND_NS)


# --- 4: another name, another device ------------------------------------------------------------------


def test_4_an_adapter_that_returns_under_another_name_is_found_by_what_it_is() -> None:
    async def scenario() -> None:
        delivered = Delivered()
        with plugged() as first, plugged() as second, plugged() as other:
            there = [
                SerialPort(first.path, 0x0403, 0x6001, "FT4CARDS"),
                SerialPort(other.path, 0x0403, 0x6001, "FT4CHIPS"),
            ]
            open_line = serial_opener("usb:0403:6001:FT4CARDS", BEE_TEK.line, lambda: tuple(there))
            shoe = supervised(open_line, ShoeSession(BEE_TEK), delivered, name="shoe", polled=False)
            simulator = ShoeSimulator(BEE_TEK)
            async with asyncio.TaskGroup() as group:
                task = group.create_task(shoe.run())
                await delivered.until(lambda: delivered.states() == [READY])
                there[0] = SerialPort(second.path, 0x0403, 0x6001, "FT4CARDS")
                first.unplug()
                await delivered.until(lambda: delivered.states() == [READY, LOST, READY])
                os.write(second.device, simulator.draw(Card("Kd")))
                await delivered.until(lambda: bool(delivered.of(CardDrawn)))
                task.cancel()

    run_virtual(scenario())


def test_4_the_wrong_device_behind_a_name_is_refused_reported_once_and_tried_again() -> None:
    async def scenario() -> None:
        delivered, session, place = Delivered(), Picky(), Place(OtherShoe())
        async with asyncio.TaskGroup() as group:
            task = group.create_task(supervised(place.open, session, delivered, name="shoe", polled=False).run())
            for opening in range(1, 6):
                await place.until_opened(opening)
                assert place.line is not None
                place.line.say(b"SH-2")
            assert [(one.state, one.detail) for one in delivered.of(DeviceHealth)][-1] == (
                FAULTY,
                "wrong device: expected SH-1; this is SH-2",
            )
            assert len(delivered.of(DeviceHealth)) <= 2
            session.right = True
            await place.until_opened(6)
            assert place.line is not None
            place.line.say(b"SH-1")
            assert delivered.states()[-1] is READY
            task.cancel()

    run_virtual(scenario())


def test_4_a_shoe_that_says_it_is_another_one_is_refused_and_deals_nothing() -> None:
    async def scenario() -> None:
        delivered, codec = Delivered(), discovery.find("shoe", "reference")
        simulator = ReferenceShoeSimulator(codec)
        place = Place(simulator)
        session = ShoeSession(codec, expected=ExpectedShoe(serials=("ANOTHER",)))
        async with asyncio.TaskGroup() as group:
            task = group.create_task(supervised(place.open, session, delivered, name="shoe").run())
            await place.until_opened(3)
            simulator.draw(Card("Kd"))
            await place.until_opened(6)
            health = delivered.of(DeviceHealth)
            assert [one.state for one in health] == [FAULTY]
            assert health[0].detail.startswith("wrong device: expected ")
            assert not delivered.of(CardDrawn)
            task.cancel()

    run_virtual(scenario())


def test_4_two_adapters_that_are_called_the_same_are_refused() -> None:
    async def scenario() -> None:
        twins = (SerialPort("/dev/ttyUSB0", 0x1A86, 0x7523), SerialPort("/dev/ttyUSB1", 0x1A86, 0x7523))
        open_line = serial_opener("usb:1a86:7523", BEE_TEK.line, lambda: twins)
        with pytest.raises(LineLost, match=r"/dev/ttyUSB0, /dev/ttyUSB1 are all that"):
            await open_line(asyncio.Protocol())

    run_virtual(scenario())


def test_4_a_shoe_behind_the_readers_name_never_becomes_ready() -> None:
    async def scenario() -> None:
        delivered, (_, session) = Delivered(), readers(1)
        place = Place(ShoeSimulator(BEE_TEK))
        async with asyncio.TaskGroup() as group:
            task = group.create_task(supervised(place.open, session, delivered).run())
            await passes(60)
            assert set(delivered.states()) == {LOST}
            task.cancel()

    run_virtual(scenario())


# --- 5: another program on the port -------------------------------------------------------------------


@pytest.mark.parametrize("bytes_of_others", [b"AT\r", b"AT+GCAP\r\n", b"ATQ0 V1 E1 S0=0\r\n", b"~\x00x\xf0~" * 3])
def test_5_bytes_of_another_program_are_counted_and_mean_nothing(bytes_of_others: bytes) -> None:
    async def scenario() -> None:
        for name, session in (("shoe", ShoeSession(BEE_TEK)), ("bet_spots", readers(1)[1])):
            delivered, place = Delivered(), Place(ShoeSimulator(BEE_TEK))
            async with asyncio.TaskGroup() as group:
                task = group.create_task(supervised(place.open, session, delivered, name=name, polled=False).run())
                await place.until_opened(1)
                assert place.line is not None
                place.line.say(bytes_of_others)
                await passes(1)
                task.cancel()
            assert delivered.of(LineDisturbed)
            assert not delivered.of(CardDrawn)
            assert not delivered.of(ChipsSeen)

    run_virtual(scenario())


def test_5_a_port_in_use_is_refused_and_said_so() -> None:
    async def scenario() -> None:
        with plugged() as cable:
            delivered = Delivered()
            other = await serial_opener(cable.path, BEE_TEK.line)(asyncio.Protocol())
            async with asyncio.TaskGroup() as group:
                shoe = supervised(serial_opener(cable.path, BEE_TEK.line), ShoeSession(BEE_TEK), delivered, name="shoe")
                task = group.create_task(shoe.run())
                await delivered.until(lambda: delivered.states() == [LOST])
                assert "another program has this port open" in delivered.of(DeviceHealth)[0].detail
                other.close()
                await delivered.until(lambda: delivered.states()[-1] is READY)
                task.cancel()

    run_virtual(scenario())


def test_5_a_device_that_is_never_understood_is_the_wrong_one() -> None:
    async def scenario() -> None:
        delivered, place = Delivered(), Place(ShoeSimulator(BEE_TEK))
        async with asyncio.TaskGroup() as group:
            task = group.create_task(
                supervised(place.open, ShoeSession(BEE_TEK), delivered, name="shoe", polled=False).run()
            )
            await delivered.until(lambda: delivered.states() == [READY])
            line = place.line
            assert line is not None
            while not line.is_closing():
                line.say(b"\xff\x00garbage\r\n")
                await passes(1)
            assert len(delivered.of(LineDisturbed)) >= FOREIGN_LIMIT
            assert delivered.states()[1:2] == [FAULTY]
            task.cancel()

    run_virtual(scenario())
