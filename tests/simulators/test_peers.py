"""Other people's programs drive the simulated devices over a serial port, as they would drive real ones."""

from __future__ import annotations

import asyncio
import shutil
import socket
import subprocess
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

import minimalmodbus
import pytest
from alphasign.commands.special import WriteSpecialFunction
from alphasign.commands.string_file import ReadString, WriteString
from alphasign.commands.text import WriteText
from alphasign.packet import Packet
from alphasign.protocol import DELAY, Color, DisplayMode, FileProtection, FileType
from pymodbus.client import ModbusSerialClient

from firmware_protocols.bet_sensors import modbus_rtu
from firmware_protocols.codec import LineEnd
from firmware_protocols.keypad import matrix_orbital
from firmware_protocols.sign import alpha
from firmware_protocols.sign_messages import AmountHeld, SignStatus
from simulators.devices.bet_sensors import BetSensorsSimulator
from simulators.devices.keypad import KeypadSimulator
from simulators.devices.sign import SignSimulator
from simulators.devices.wire import Device
from simulators.serve import Port

PATIENCE_S: Final = 20.0
LCDD: Final = shutil.which("LCDd", path="/usr/sbin:/usr/local/sbin:/usr/bin")


class Plugged:
    """A device on a pseudo-terminal, and waiting for what traffic makes of it."""

    def __init__(self, path: Path, device: Device) -> None:
        self._stirred = asyncio.Event()
        self.port = Port(path, device, self._stirred.set)
        self.path = str(path)

    async def until(self, condition: Callable[[], bool]) -> None:
        async with asyncio.timeout(PATIENCE_S):
            while not condition():
                self._stirred.clear()
                await self._stirred.wait()


@asynccontextmanager
async def plugged(path: Path, device: Device) -> AsyncIterator[Plugged]:
    there = Plugged(path, device)
    try:
        yield there
    finally:
        there.port.close()


# --- bet sensors ------------------------------------------------------------------------------------


def covered() -> BetSensorsSimulator:
    unit = BetSensorsSimulator(modbus_rtu.CODEC)
    for sensor in (1, 3, 8):
        unit.lay(sensor)
    return unit


async def test_minimalmodbus_runs_a_unit_of_sensors_through_a_round(tmp_path: Path) -> None:
    unit = covered()

    def run(path: str) -> tuple[list[int], list[int], list[int]]:
        there = minimalmodbus.Instrument(path, 1)
        there.serial.timeout = PATIENCE_S
        live = there.read_bits(0, 8, functioncode=2)
        there.write_bit(0, 1, functioncode=5)
        there.write_bits(0, [1, 0, 1, 0, 0, 0, 0, 0, 1])
        latched = there.read_bits(0, 16, functioncode=2)
        outputs = there.read_bits(0, 9, functioncode=1)
        there.serial.close()
        return live, latched[8:], outputs

    async with plugged(tmp_path / "sensors", unit) as there:
        live, latched, outputs = await asyncio.to_thread(run, there.path)
    assert live == latched == [1, 0, 1, 0, 0, 0, 0, 1]
    assert outputs == [1, 0, 1, 0, 0, 0, 0, 0, 1]
    assert unit.locked
    assert unit.lamps == {2, 8}


async def test_minimalmodbus_is_answered_what_a_unit_does_not_do(tmp_path: Path) -> None:
    def run(path: str) -> list[str]:
        there = minimalmodbus.Instrument(path, 1)
        # A refusal is shorter than the answer it waits for, so that it waits to the end each time.
        there.serial.timeout = 2.0
        asked: tuple[Callable[[], object], ...] = (
            lambda: there.read_register(0),
            lambda: there.write_registers(0, [1, 2]),
            lambda: there.read_bit(9, functioncode=2),
            lambda: there.write_bit(3, 1, functioncode=5),
            lambda: there.read_bits(0, 16, functioncode=1),
        )
        refusals = []
        for ask in asked:
            with pytest.raises(minimalmodbus.IllegalRequestError) as refused:
                ask()
            refusals.append(str(refused.value))
        there.serial.close()
        return refusals

    async with plugged(tmp_path / "sensors", covered()) as there:
        refusals = await asyncio.to_thread(run, there.path)
    assert ["function" in one for one in refusals] == [True, True, False, False, False]
    assert ["data address" in one for one in refusals] == [False, False, True, True, True]


async def test_pymodbus_does_the_same(tmp_path: Path) -> None:
    unit = covered()

    def run(path: str) -> tuple[list[bool], list[int]]:
        there = ModbusSerialClient(path, baudrate=19_200, timeout=PATIENCE_S, retries=0)
        assert there.connect()
        there.write_coil(0, value=True)
        latched = there.read_discrete_inputs(0, count=16).bits
        codes = [
            answer.exception_code
            for answer in (
                there.read_holding_registers(0, count=1),
                there.read_device_information(),
                there.read_discrete_inputs(8, count=8),
                there.write_coils(7, values=[True, True, True]),
            )
            if answer.isError()
        ]
        there.close()  # type: ignore[no-untyped-call]
        return list(latched), codes

    async with plugged(tmp_path / "sensors", unit) as there:
        latched, codes = await asyncio.to_thread(run, there.path)
    assert [place for place, lit in enumerate(latched) if lit] == [0, 2, 7, 8, 10, 15]
    assert codes == [1, 1, 2, 2]
    assert unit.locked


# --- sign -------------------------------------------------------------------------------------------


def packet(*commands: object, checksum: bool = True) -> bytes:
    """As alphasignpy sends it: its marks for a pause are never sent."""
    made = Packet()
    for command in commands:
        made.add(command, checksum=checksum)
    sent: bytes = made.to_bytes()
    return sent.replace(DELAY, b"")


def answered(sign: SignSimulator, *commands: object) -> object:
    (heard,) = alpha.CODEC.open(LineEnd.HOST).feed(sign.receive(packet(*commands)))
    return heard


FILES: Final = WriteSpecialFunction.configure_memory(
    [
        {"label": "1", "type": FileType.STRING, "protection": FileProtection.UNLOCKED, "size": 12},
        {"label": "A", "type": FileType.TEXT, "size": 64},
    ]
)
PAGE: Final = WriteText(Color.AMBER.value + b"JACKPOT $\x101 TODAY", mode=DisplayMode.ROTATE)


@pytest.mark.parametrize("checksum", [True, False])
def test_alphasignpy_shows_a_page_with_a_field_a_notice_and_the_page_again(*, checksum: bool) -> None:
    sign = SignSimulator(alpha.CODEC)
    sign.receive(packet(FILES, checksum=checksum))
    sign.receive(packet(PAGE, checksum=checksum))
    sign.receive(packet(WriteSpecialFunction.set_run_sequence("TUA"), checksum=checksum))
    sign.receive(packet(WriteString("12,345.67", label="1"), checksum=checksum))
    assert sign.shown == "JACKPOT $12,345.67 TODAY"
    sign.receive(packet(WriteText("JACKPOT HIT", label="0", mode=DisplayMode.FLASH), checksum=checksum))
    assert sign.shown == "JACKPOT HIT"
    sign.receive(packet(WriteText("", label="0"), checksum=checksum))
    assert sign.shown == "JACKPOT $12,345.67 TODAY"


def test_alphasignpy_says_it_all_in_one_packet_and_reads_it_back() -> None:
    sign = SignSimulator(alpha.CODEC)
    sign.receive(packet(FILES, PAGE, WriteSpecialFunction.set_run_sequence("TUA"), WriteString("5.00", label="1")))
    assert sign.shown == "JACKPOT $5.00 TODAY"
    assert answered(sign, ReadString(label="1")) == AmountHeld(1, "5.00")


def test_a_command_that_the_sign_does_not_know_is_an_illegal_command_and_no_bad_checksum() -> None:
    sign = SignSimulator(alpha.CODEC)
    sign.receive(packet(WriteSpecialFunction.set_speaker(enabled=False)))
    (status,) = alpha.CODEC.open(LineEnd.HOST).feed(sign.receive(b"\0\0\0\0\0\1Z00\2F*\4"))
    assert status == SignStatus(("illegal_command",))


# --- keypad -----------------------------------------------------------------------------------------


def free_port() -> int:
    with socket.socket() as there:
        there.bind(("127.0.0.1", 0))
        port: int = there.getsockname()[1]
        return port


def lcdd_settings(path: str, port: int) -> str:
    (driver,) = Path("/usr/lib").glob("*/lcdproc/MtxOrb.so")
    return f"""[server]
DriverPath={driver.parent}/
Driver=MtxOrb
Bind=127.0.0.1
Port={port}
ReportToSyslog=no
ServerScreen=off
[MtxOrb]
Device={path}
Size=20x4
Type=lkd
Speed=19200
"""


class LcdClient:
    """Somebody who shows a text by way of LCDd."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer

    async def say(self, *lines: str) -> None:
        """Each line is answered by one; what it says of its own accord is not looked at."""
        for line in lines:
            self._writer.write(line.encode() + b"\n")
            await self._writer.drain()
            async with asyncio.timeout(PATIENCE_S):
                while (await self._reader.readline()).split()[0] not in (b"connect", b"success"):
                    pass

    def close(self) -> None:
        self._writer.close()


@pytest.mark.skipif(LCDD is None, reason="needs LCDd (Debian: lcdproc)")
async def test_lcdd_shows_text_on_the_keypads_display(tmp_path: Path) -> None:
    keypad, port = KeypadSimulator(matrix_orbital.CODEC), free_port()
    async with plugged(tmp_path / "keypad", keypad) as there:
        file = tmp_path / "LCDd.conf"
        file.write_text(lcdd_settings(there.path, port))
        command = (str(LCDD), "-c", str(file), "-f", "-r", "0")
        server = await asyncio.create_subprocess_exec(*command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            # Its own screen comes when it listens.
            await there.until(lambda: "Clients: 0" in keypad.rows)
            client = LcdClient(*await asyncio.open_connection("127.0.0.1", port))
            await client.say("hello", "screen_add a", "screen_set a -heartbeat off -priority alert")
            await client.say("widget_add a one string", "widget_add a two string")
            await client.say('widget_set a one 1 1 "Table 7"', 'widget_set a two 3 2 "JACKPOT 12,345.67"')
            await there.until(lambda: keypad.rows == ("Table 7", "  JACKPOT 12,345.67", "", ""))
            await client.say('widget_set a two 3 2 "JACKPOT 12,345.99"')
            await there.until(lambda: keypad.rows[1] == "  JACKPOT 12,345.99")
            client.close()
        finally:
            server.terminate()
            await server.wait()
