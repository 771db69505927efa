from __future__ import annotations

import asyncio
import contextlib
import fcntl
import os
import socket
import struct
import threading
from collections.abc import Iterator
from typing import Any

import pytest
import serial
from hypothesis import given
from hypothesis import strategies as st
from serial.rfc2217 import PortManager

from controller.formats.text.usb_names import NotPluggedIn, SerialPort, choose
from controller.io.lines.ports import _OneAtATime, claim, plugged_in, serial_opener
from controller.io.lines.serial import LineLost
from firmware_protocols.codec import Line
from firmware_protocols.rng import truerng
from tests.io.lines_rig import plugged
from tests.io.test_serial import PATIENCE_SECONDS, Ear

LINE = Line(baud=19200, parity="E")
TIOCGEXCL = 0x80045440
SERIALS = st.text(alphabet=st.characters(codec="ascii", categories=("L", "N")), max_size=8)
PORTS = st.builds(
    SerialPort,
    st.from_regex(r"/dev/ttyUSB[0-9]", fullmatch=True),
    st.sampled_from([0x0403, 0x1A86, None]),
    st.sampled_from([0x6001, 0x6011]),
    SERIALS,
    st.none() | st.integers(0, 3),
)


# --- names ------------------------------------------------------------------------------------------


@given(st.lists(PORTS, max_size=5, unique_by=lambda port: port.path))
def test_a_port_is_found_by_the_name_it_gives_itself_or_refused_with_what_there_is(ports: list[SerialPort]) -> None:
    for port in ports:
        name = port.usb_name()
        alike = [one for one in ports if (one.vid, one.pid) == (port.vid, port.pid)]
        same = [one for one in alike if one.serial == port.serial and one.interface == port.interface]
        if not name:
            assert port.vid is None
        elif len(alike) == 1 or (len(same) == 1 and port.serial and port.interface is not None):
            assert choose(name, ports) == port
        elif len(same) > 1:
            with pytest.raises(NotPluggedIn, match=f"{port.path}.* are all that"):
                choose(name, ports)


@pytest.mark.parametrize("name", ["usb:403:6001", "usb:0403", "usb:0403:6001:A:x", "usb:zzzz:6001", "/dev/ttyUSB0"])
def test_what_is_no_name_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match="expected usb:VID:PID"):
        choose(name, ())


def test_a_port_of_an_adapter_with_several_is_named_by_its_interface() -> None:
    four = [SerialPort(f"/dev/ttyUSB{number}", 0x0403, 0x6011, "", number) for number in range(4)]
    assert choose("usb:0403:6011::2", four).path == "/dev/ttyUSB2"
    assert four[2].usb_name() == "usb:0403:6011::2"
    with pytest.raises(NotPluggedIn, match="all that"):
        choose("usb:0403:6011", four)


def test_what_is_not_plugged_in_is_said_with_what_is() -> None:
    with pytest.raises(NotPluggedIn, match="there is usb:0403:6001:A1"):
        choose("usb:1a86:7523", [SerialPort("/dev/ttyUSB0", 0x0403, 0x6001, "A1")])
    with pytest.raises(NotPluggedIn, match="no USB adapter"):
        choose("usb:1a86:7523", [SerialPort("/dev/ttyS0")])


def test_the_ports_of_this_machine_can_be_listed() -> None:
    assert all(port.path.startswith("/dev/") for port in plugged_in())


# --- ours alone -------------------------------------------------------------------------------------


def test_a_claimed_terminal_is_barred_to_others() -> None:
    with plugged() as cable:
        descriptor = os.open(cable.path, os.O_RDWR | os.O_NOCTTY)
        claim(descriptor)
        (barred,) = struct.unpack("i", fcntl.ioctl(descriptor, TIOCGEXCL, b"\0" * 4))
        os.close(descriptor)
        assert barred


def test_what_cannot_be_claimed_is_used_all_the_same() -> None:
    near, far = os.pipe()
    claim(near)
    os.close(near)
    os.close(far)


class Lost(asyncio.Protocol):
    """Says when its line is closed."""

    def __init__(self) -> None:
        self.closed = asyncio.Event()

    def connection_lost(self, _: Exception | None) -> None:
        self.closed.set()


async def test_a_pseudo_terminal_is_opened_again_whatever_bits_its_protocol_has() -> None:
    with plugged() as cable:
        for _ in range(2):
            line = Lost()
            transport = await serial_opener(cable.path, Line(9600, 7, "E", 2))(line)
            transport.abort()
            async with asyncio.timeout(PATIENCE_SECONDS):
                await line.closed.wait()


async def test_an_opening_nobody_waits_for_any_more_leaves_nothing_open() -> None:
    with plugged() as cable:
        opening = asyncio.ensure_future(serial_opener(cable.path, LINE)(asyncio.Protocol()))
        await asyncio.sleep(0)
        opening.cancel()
        await asyncio.gather(opening, return_exceptions=True)
        async with asyncio.timeout(PATIENCE_SECONDS):
            while True:
                with contextlib.suppress(OSError):
                    transport = await serial_opener(cable.path, LINE)(asyncio.Protocol())
                    break
        transport.close()


async def test_an_opening_that_hangs_is_not_joined_by_a_second() -> None:
    release = threading.Event()

    def census() -> tuple[SerialPort, ...]:
        release.wait(PATIENCE_SECONDS)
        return ()

    open_line = serial_opener("usb:0403:6001", LINE, census)
    first = asyncio.ensure_future(open_line(asyncio.Protocol()))
    await asyncio.sleep(0)
    with pytest.raises(LineLost, match="has not come back"):
        await open_line(asyncio.Protocol())
    release.set()
    with pytest.raises(LineLost, match="not plugged in"):
        await first


# --- a device server --------------------------------------------------------------------------------


class Server:
    """A device server with a plug that joins its two wires: what is sent comes back."""

    def __init__(self) -> None:
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"rfc2217://127.0.0.1:{self.listener.getsockname()[1]}"
        self.port = serial.serial_for_url("loop://", timeout=0)
        self.peers: list[socket.socket] = []
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                peer, _ = self.listener.accept()
                self.peers.append(peer)
                self._talk(peer)

    def _talk(self, peer: socket.socket) -> None:
        lock = threading.Lock()

        class Connection:
            def write(self, data: bytes) -> None:
                with lock:
                    peer.sendall(data)

        manager = PortManager(self.port, Connection())  # type: ignore[arg-type]
        with contextlib.suppress(OSError):
            while data := peer.recv(1024):
                for byte in manager.filter(data):
                    Connection().write(b"".join(manager.escape(byte)))

    def hang_up(self) -> None:
        for peer in self.peers:
            with contextlib.suppress(OSError):
                peer.shutdown(socket.SHUT_RDWR)
            peer.close()

    def close(self) -> None:
        with contextlib.suppress(OSError):
            self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()
        self.hang_up()


@pytest.fixture
def server() -> Iterator[Server]:
    made = Server()
    yield made
    made.close()


@pytest.mark.filterwarnings("ignore:set:DeprecationWarning")
async def test_a_device_server_sets_its_line_carries_bytes_and_is_lost_like_any_line(server: Server) -> None:
    ear = Ear()
    transport = await serial_opener(server.url, LINE)(ear)
    assert (server.port.baudrate, server.port.parity) == (19200, "E")
    sent = b"".join(f"{number:04d};".encode() for number in range(500)) + b"\xff\xff\x00"
    for at in range(0, len(sent), 7):
        transport.write(sent[at : at + 7])
    await ear.until(lambda: len(ear.data) >= len(sent))
    assert ear.data == sent
    server.hang_up()
    await ear.until(lambda: bool(ear.losses))
    assert isinstance(ear.losses[0], LineLost)
    with pytest.raises(LineLost):
        transport.write(b"x")
    transport.close()
    assert len(ear.losses) == 1


@pytest.mark.filterwarnings("ignore:set:DeprecationWarning")
async def test_no_device_server_is_an_error() -> None:
    with socket.create_server(("127.0.0.1", 0)) as gone:
        number = gone.getsockname()[1]
    with pytest.raises(OSError, match="Connect call failed"):
        await serial_opener(f"rfc2217://127.0.0.1:{number}", LINE)(asyncio.Protocol())


# --- a knock ----------------------------------------------------------------------------------------


class Pro:
    """A generator that keeps its mode until it is knocked at: 110, 300 and 110, then the speed that names another."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.speeds: list[int] = []
        self.mode = 19200

    def configured(self, path: str, line: Line) -> serial.Serial:
        assert path == self.path
        self.speeds.append(line.baud)
        if self.speeds[-4:-1] == [110, 300, 110]:
            self.mode = line.baud
        return serial.Serial(path, line.baud, timeout=0)


async def test_a_generator_left_in_a_raw_mode_is_knocked_back_to_the_normal_one_at_each_opening() -> None:
    far, near = os.openpty()
    pro = Pro(os.ttyname(near))
    for openings in (1, 2):
        transport = await serial_opener(pro.path, truerng.CODEC.line, configured=pro.configured)(Ear())
        transport.abort()
        assert pro.speeds == [110, 300, 110, 300] * openings
        assert pro.mode == 300
        pro.mode = 19200
    os.close(far)
    os.close(near)


async def test_a_silent_device_server_is_asked_for_a_sign_of_life() -> None:
    """A line that is half open, as when the server lost its power, is silent for ever to who never writes."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        transport = await serial_opener(f"socket://127.0.0.1:{port}", LINE)(asyncio.Protocol())
        reached = transport.get_extra_info("socket")
        options = (socket.TCP_KEEPIDLE, socket.TCP_KEEPINTVL, socket.TCP_KEEPCNT, socket.TCP_USER_TIMEOUT)
        tcp = [reached.getsockopt(socket.IPPROTO_TCP, option) for option in options]
        assert (reached.getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE), tcp) == (1, [1, 1, 3, 4000])
        transport.close()
        await asyncio.sleep(0)


async def test_a_port_opened_too_late_is_closed_beside_the_event_loop() -> None:
    closing, closed = threading.Event(), threading.Event()

    class Slow:
        """A port that waits when it is closed, as one whose driver has still to send."""

        def close(self) -> None:
            closing.set()
            assert threading.current_thread() is not threading.main_thread()
            closed.set()

    opening = threading.Event()

    def work() -> Any:
        opening.wait()
        return Slow()

    waiting = asyncio.create_task(_OneAtATime("/dev/ttyUSB0").run(work))
    await asyncio.sleep(0)
    waiting.cancel()
    await asyncio.gather(waiting, return_exceptions=True)
    opening.set()
    assert await asyncio.to_thread(closed.wait, 10)


async def test_a_port_opened_in_the_moment_its_opening_is_given_up_is_closed() -> None:
    closed = threading.Event()

    class Port:
        def close(self) -> None:
            closed.set()

    def work() -> Any:
        return Port()

    opener = _OneAtATime("/dev/ttyUSB0")
    waiting = asyncio.create_task(opener.run(work))
    await asyncio.sleep(0)
    thread = opener._thread
    assert thread is not None
    # The answer lies before the loop, and the cancelling right behind it.
    thread.join()
    asyncio.get_running_loop().call_soon(waiting.cancel)
    await asyncio.gather(waiting, return_exceptions=True)
    assert waiting.cancelled()
    assert await asyncio.to_thread(closed.wait, 10)
