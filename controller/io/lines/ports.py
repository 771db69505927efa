"""Ports by name: a terminal device, a USB adapter by its identity, or a device server on the network.

pyserial opens and configures; opening may block (a driver that waits, a name server that does not answer), so it is
done on a thread of its own, one at a time for each port.
"""

from __future__ import annotations

import asyncio
import contextlib
import errno
import fcntl
import functools
import socket
import termios
import threading
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

import serial
from msgspec.structs import replace
from serial.tools import list_ports

from controller.formats.config.trigger_file import UNIX
from controller.formats.text.usb_names import SCHEME, NotPluggedIn, SerialPort, choose
from controller.io.lines.device_server import open_server
from controller.io.lines.serial import DescriptorTransport, LineLost, drop_unsent
from firmware_protocols.codec import Line

KEEPALIVE_SECONDS: Final = 1
"""A silent device server is asked for a sign of life so often."""

KEEPALIVE_TIMES: Final = 3
"""Signs of life missed in a row, after which it is lost."""

LINKS: Final = (Path("/dev/tableside"), Path("/dev/serial/by-id"), Path("/dev/serial/by-path"))
"""Where udev keeps names that stay, the ones to prefer first."""

Opener = Callable[[asyncio.Protocol], Awaitable[asyncio.Transport]]
"""Opens a line for a protocol. Raises ``OSError`` if it cannot."""

Configured = Callable[[str, Line], serial.Serial]
"""Opens a terminal device by its path, set as a line wants it."""

PortLister = Callable[[], Sequence[SerialPort]]
"""Tells which serial ports there are."""


def plugged_in() -> tuple[SerialPort, ...]:
    """The serial ports of this machine, in the order of their paths."""
    links: dict[str, list[str]] = {}
    for directory in LINKS:
        for link in sorted(directory.iterdir()) if directory.is_dir() else ():
            links.setdefault(str(link.resolve()), []).append(str(link))
    return tuple(_plugged(port, tuple(links.get(port.device, ()))) for port in sorted(list_ports.comports()))


def _plugged(port: Any, links: tuple[str, ...]) -> SerialPort:  # noqa: ANN401 - pyserial's class differs by system
    location = port.location or ""
    # "1-1.2:1.3" is interface 3 of the adapter in socket 1-1.2; adapters with one port leave it out.
    number = location.rpartition(":")[2].rpartition(".")[2] if ":" in location else ""
    return SerialPort(
        path=port.device,
        vid=port.vid,
        pid=port.pid,
        serial=port.serial_number or "",
        interface=int(number, 16) if number else None,
        product=port.product or "",
        location=location,
        links=links,
    )


def serial_opener(
    port: str, line: Line, census: PortLister = plugged_in, configured: Configured | None = None
) -> Opener:
    """Opens ``port`` with the settings of ``line``, found anew at each opening.

    ``port`` is a path, ``usb:VID:PID[:SERIAL][:INTERFACE]``, ``unix:/path`` for a local socket, ``socket://host:port``
    (the line's settings are then the server's business) or ``rfc2217://host:port``. ``configured`` opens a terminal
    device; a server is not knocked at, and says so in no way.
    """
    if port.startswith("socket://"):
        return _socket_opener(port)
    if port.startswith("rfc2217://"):
        return _server_opener(port, line)
    if port.startswith(UNIX):
        return _local_opener(port.removeprefix(UNIX))
    thread = _OneAtATime(port)

    async def opened(protocol: asyncio.Protocol) -> asyncio.Transport:
        loop = asyncio.get_running_loop()
        local = await thread.run(functools.partial(_open_port, port, line, census, configured or _configured))
        return DescriptorTransport(loop, protocol, local.fileno(), functools.partial(_close_port, local))

    return opened


def _socket_opener(port: str) -> Opener:
    parts = urlsplit(port)
    host, number = parts.hostname or "", parts.port or 0

    async def opened(protocol: asyncio.Protocol) -> asyncio.Transport:
        loop = asyncio.get_running_loop()
        transport, _ = await loop.create_connection(lambda: protocol, host, number)
        reached = transport.get_extra_info("socket")
        if reached is not None:
            keep_alive(reached)
        return transport

    return opened


def _server_opener(port: str, line: Line) -> Opener:
    parts = urlsplit(port)
    host, number = parts.hostname or "", parts.port or 0

    async def opened(protocol: asyncio.Protocol) -> asyncio.Transport:
        return await open_server(host, number, line, protocol, lambda tcp: keep_alive(tcp.get_extra_info("socket")))

    return opened


def keep_alive(reached: Any) -> None:  # noqa: ANN401 - asyncio's wrapper, or a socket
    """Have the system ask a silent peer for a sign of life, so that one without power is lost within seconds.

    A device that only speaks is never written to, and a line that is half open would be silent for ever.
    """
    with contextlib.suppress(OSError):
        reached.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        reached.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPIDLE, KEEPALIVE_SECONDS)
        reached.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPINTVL, KEEPALIVE_SECONDS)
        reached.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPCNT, KEEPALIVE_TIMES)
        # Also while something is on its way that is not acknowledged.
        reached.setsockopt(
            socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, 1000 * KEEPALIVE_SECONDS * (KEEPALIVE_TIMES + 1)
        )


def _local_opener(path: str) -> Opener:
    async def opened(protocol: asyncio.Protocol) -> asyncio.Transport:
        transport, _ = await asyncio.get_running_loop().create_unix_connection(lambda: protocol, path)
        return transport

    return opened


class _OneAtATime:
    """Runs openings of one port on threads that the end of the process does not wait for."""

    def __init__(self, port: str) -> None:
        self._port = port
        self._thread: threading.Thread | None = None

    async def run(self, work: Callable[[], serial.SerialBase]) -> Any:  # noqa: ANN401 - whatever pyserial opens
        """What ``work`` opens; if it is no longer awaited, it is closed again.

        Raises:
            OSError: it could not be opened, or the opening before has not come back.
        """
        if self._thread is not None and self._thread.is_alive():
            raise LineLost(f"{self._port}: the opening before has not come back")
        loop = asyncio.get_running_loop()
        answer: asyncio.Future[Any] = loop.create_future()

        def tell(port: serial.SerialBase | None, error: Exception | None) -> None:
            if answer.done():
                _close_soon(port)
            elif error is not None:
                answer.set_exception(error)
            else:
                answer.set_result(port)

        def target() -> None:
            port, failure = None, None
            try:
                port = work()
            except Exception as error:  # noqa: BLE001 - the waiter is informed
                failure = error
            try:
                loop.call_soon_threadsafe(tell, port, failure)
            except RuntimeError:
                # The loop has ended meanwhile.
                if port is not None:
                    port.close()

        self._thread = threading.Thread(target=target, name=f"opening {self._port}", daemon=True)
        self._thread.start()
        try:
            return await answer
        except BaseException:
            # It may have been opened in the very moment in which the wait for it ended.
            if answer.done() and not answer.cancelled() and answer.exception() is None:
                _close_soon(answer.result())
            raise


def _close_soon(port: serial.SerialBase | None) -> None:
    """Close a port that is no longer awaited, on a thread of its own: pyserial waits for threads of its own."""
    if port is not None:
        threading.Thread(target=_close_late, args=(port,), name="closing late", daemon=True).start()


def _close_late(port: serial.SerialBase) -> None:
    with contextlib.suppress(Exception):
        port.close()


def _open_port(name: str, line: Line, census: PortLister, configured: Configured) -> serial.Serial:
    path = name
    if name.startswith(SCHEME):
        try:
            path = choose(name, census()).path
        except NotPluggedIn as error:
            raise LineLost(errno.ENODEV, str(error)) from error
    is_pseudo = Path(path).resolve().is_relative_to("/dev/pts")
    for baud in line.knock:
        configured(path, replace(line, baud=baud)).close()
    try:
        port = configured(path, line)
    except termios.error as error:
        # pyserial lets it pass as it is, and it is no OSError.
        if error.args[0] != errno.EINVAL or not is_pseudo:
            raise LineLost(error.args[0], f"{path}: the line cannot be set up: {error.args[1]}") from error
        # A pseudo-terminal has eight bits and no parity, and refuses to be set when no other setting is left to change.
        port = configured(path, replace(line, data_bits=8, parity="N"))
    if not is_pseudo:
        # A pseudo-terminal would stay barred while its other end is open, even after we have died.
        claim(port.fileno())
    # Not every driver knows it; those that do save 16 ms on each answer.
    with contextlib.suppress(OSError, ValueError, NotImplementedError):
        port.set_low_latency_mode(True)
    return port


def claim(descriptor: int) -> None:
    """Bar others from opening a terminal, also those that do not ask for the lock. Until its last descriptor closes."""
    with contextlib.suppress(OSError):
        fcntl.ioctl(descriptor, termios.TIOCEXCL)


def _configured(path: str, line: Line) -> serial.Serial:
    try:
        return serial.Serial(
            path,
            baudrate=line.baud,
            bytesize=line.data_bits,
            parity=line.parity,
            stopbits=line.stop_bits,
            timeout=0,
            exclusive=True,
        )
    except serial.SerialException as error:
        # The lock of whoever came first, and what ``claim`` bars.
        if error.errno in {errno.EAGAIN, errno.EBUSY}:
            said = f"{path}: another program has this port open; end it (fuser -v {path} names it)"
            raise LineLost(errno.EBUSY, said) from error
        # pyserial puts into words alone what the terminal's driver said.
        unset = error.__context__
        if isinstance(unset, termios.error):
            raise LineLost(unset.args[0], f"{path}: {_unset(*unset.args)}") from error
        raise


def _unset(number: int, words: str) -> str:
    """Why a line cannot be set up, as the terminal's driver said it."""
    return "this is no serial port" if number == errno.ENOTTY else f"the line cannot be set up: {words}"


def _close_port(port: serial.Serial) -> None:
    # Closing waits for what is still to be sent: half a minute, for an adapter that no longer takes anything.
    drop_unsent(port.fileno())
    port.close()
