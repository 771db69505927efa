"""Serial lines: an asyncio transport on a port, and a link that keeps one device session on its line for ever.

pyserial opens and configures the port, exclusively and without blocking; reading and writing are ours, on the file
descriptor. An end of file or any error on the descriptor is a lost line, told once: a hung-up port stays readable, so a
reader left on it would spin.
"""

from __future__ import annotations

import asyncio
import collections
import contextlib
import errno
import os
import random
import termios
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

import serial
import structlog

from controller.io.backoff import Backoff
from controller.io.clock import Clock
from devices.session import Session
from firmware_protocols.codec import Line
from firmware_protocols.readings import Reading

READ_BYTES: Final = 4096
"""Bytes read at once: what the kernel holds for a terminal."""

WRITE_LIMIT_BYTES: Final = 64 * 1024
"""Bytes that may wait for a line: half a minute at 19,200 baud. A device that takes none of them is lost."""

NANOSECONDS: Final = 1_000_000_000

Opener = Callable[[asyncio.Protocol], Awaitable[asyncio.Transport]]
"""Opens a line for a protocol. Raises ``OSError`` if it cannot."""

log = structlog.get_logger(__name__)


class LineLost(OSError):  # noqa: N818 - named for what happened
    """The line is gone, or the device takes no bytes."""


class SerialTransport(asyncio.Transport):
    """A transport on an open, non-blocking port. Writes leave in order; a write after the loss raises ``LineLost``."""

    def __init__(self, loop: asyncio.AbstractEventLoop, protocol: asyncio.Protocol, port: serial.Serial) -> None:
        super().__init__({"serial": port})
        self._loop = loop
        self._protocol = protocol
        self._port: serial.Serial | None = port
        self._descriptor: int = port.fileno()
        self._waiting: collections.deque[bytes] = collections.deque()
        self._waiting_bytes = 0
        self._closing = False
        os.set_blocking(self._descriptor, False)
        loop.call_soon(protocol.connection_made, self)
        loop.call_soon(self._start_reading)

    def write(self, data: bytes | bytearray | memoryview[Any]) -> None:
        """Send ``data`` after everything given before.

        Raises:
            LineLost: the line is closed or lost.
        """
        if self._closing:
            raise LineLost("the line is closed")
        if not data:
            return
        if not self._waiting:
            self._loop.add_writer(self._descriptor, self._write_ready)
        self._waiting.append(bytes(data))
        self._waiting_bytes += len(data)
        if self._waiting_bytes > WRITE_LIMIT_BYTES:
            self._lose(LineLost(f"the device has not taken {self._waiting_bytes} bytes"))
        else:
            self._write_ready()

    def get_write_buffer_size(self) -> int:
        """Bytes not yet taken by the line."""
        return self._waiting_bytes

    def is_closing(self) -> bool:
        """Whether the line is closed or lost."""
        return self._closing

    def close(self) -> None:
        """Close at once: what has not been sent is dropped, as a device that is not listening cannot be waited for."""
        self._lose(None)

    def abort(self) -> None:
        """As ``close``."""
        self._lose(None)

    def _start_reading(self) -> None:
        if not self._closing:
            self._loop.add_reader(self._descriptor, self._read_ready)

    def _read_ready(self) -> None:
        try:
            data = os.read(self._descriptor, READ_BYTES)
        except (BlockingIOError, InterruptedError):
            return
        except OSError as error:
            self._lose(error)
            return
        if data:
            self._protocol.data_received(data)
        else:
            self._lose(LineLost("the line was hung up"))

    def _write_ready(self) -> None:
        while self._waiting:
            first = self._waiting[0]
            try:
                count = os.write(self._descriptor, first)
            except (BlockingIOError, InterruptedError):
                return
            except OSError as error:
                self._lose(error)
                return
            self._waiting_bytes -= count
            if count < len(first):
                self._waiting[0] = first[count:]
                return
            self._waiting.popleft()
        self._loop.remove_writer(self._descriptor)

    def _lose(self, error: OSError | None) -> None:
        if self._closing:
            return
        self._closing = True
        self._loop.remove_reader(self._descriptor)
        self._loop.remove_writer(self._descriptor)
        self._waiting.clear()
        self._waiting_bytes = 0
        self._loop.call_soon(self._finish, error)

    def _finish(self, error: OSError | None) -> None:
        port, self._port = self._port, None
        if port is not None:
            # A port whose device is gone may refuse even to be closed.
            with contextlib.suppress(OSError):
                port.close()
        self._protocol.connection_lost(error)


def serial_opener(path: str, line: Line) -> Opener:
    """Opens ``path``, a terminal device or ``socket://host:port``, with the settings of ``line``."""
    if path.startswith("socket://"):
        return _socket_opener(path)

    async def opened(protocol: asyncio.Protocol) -> asyncio.Transport:
        port = await asyncio.to_thread(_open_port, path, line)
        return SerialTransport(asyncio.get_running_loop(), protocol, port)

    return opened


def _socket_opener(path: str) -> Opener:
    parts = urlsplit(path)
    host, port = parts.hostname or "", parts.port or 0

    async def opened(protocol: asyncio.Protocol) -> asyncio.Transport:
        loop = asyncio.get_running_loop()
        transport, _ = await loop.create_connection(lambda: protocol, host, port)
        return transport

    return opened


def _open_port(path: str, line: Line) -> serial.Serial:
    try:
        port = _configured(path, line, line.parity)
    except termios.error as error:
        # pyserial lets it pass as it is, and it is no OSError.
        if error.args[0] != errno.EINVAL or not Path(path).resolve().is_relative_to("/dev/pts"):
            raise LineLost(error.args[0], f"{path}: the line cannot be set up: {error.args[1]}") from error
        # A pseudo-terminal has no parity, and refuses to be set when parity is all that is left to be set.
        port = _configured(path, line, serial.PARITY_NONE)
    # Not every driver knows it; those that do save 16 ms on each answer.
    with contextlib.suppress(OSError, ValueError, NotImplementedError):
        port.set_low_latency_mode(True)
    return port


def _configured(path: str, line: Line, parity: str) -> serial.Serial:
    return serial.Serial(
        path,
        baudrate=line.baud,
        bytesize=line.data_bits,
        parity=parity,
        stopbits=line.stop_bits,
        timeout=0,
        exclusive=True,
    )


class Link:
    """Keeps one device session on its line: opens, reopens with back-off, and drives it by bytes and deadlines."""

    def __init__(
        self,
        name: str,
        open_line: Opener,
        session: Session,
        *,
        clock: Clock,
        chance: random.Random,
        deliver: Callable[[Reading], None],
    ) -> None:
        self.name = name
        self._open_line = open_line
        self._session = session
        self._clock = clock
        self._backoff = Backoff(chance)
        self._deliver = deliver
        self._transport: asyncio.Transport | None = None
        self._timer: asyncio.TimerHandle | None = None

    async def run(self) -> None:
        """Serve the device until cancelled."""
        while True:
            lost = asyncio.get_running_loop().create_future()
            try:
                await self._open_line(_LinkProtocol(self, lost))
                error = await lost
            except OSError as refused:
                error = refused
            finally:
                self._down()
            pause = self._backoff.next_seconds()
            log.warning("line down", device=self.name, reason=str(error or "closed"), again_in_seconds=round(pause, 2))
            await asyncio.sleep(pause)

    def settle(self) -> None:
        """Send what the session wants sent, deliver what it learnt, and set the timer for its next deadline."""
        data = self._session.bytes_to_send()
        if data and self._transport is not None and not self._transport.is_closing():
            self._transport.write(data)
        for reading in self._session.readings():
            self._deliver(reading)
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        deadline = self._session.next_deadline()
        if deadline is not None and self._transport is not None:
            delay = max(0, deadline - self._clock.monotonic_ns()) / NANOSECONDS
            self._timer = asyncio.get_running_loop().call_later(delay, self._deadline)

    def up(self, transport: asyncio.Transport) -> None:
        """The line is open."""
        self._transport = transport
        log.info("line up", device=self.name)
        self._session.connected(self._clock.monotonic_ns())
        self.settle()

    def received(self, data: bytes) -> None:
        """Bytes came."""
        self._backoff.reset()
        self._session.receive(data, self._clock.monotonic_ns())
        self.settle()

    def _deadline(self) -> None:
        self._session.handle_deadline(self._clock.monotonic_ns())
        self.settle()

    def _down(self) -> None:
        transport, self._transport = self._transport, None
        if transport is not None:
            transport.close()
        self._session.disconnected(self._clock.monotonic_ns())
        self.settle()


class _LinkProtocol(asyncio.Protocol):
    """Tells a link what happens on one opening of its line."""

    def __init__(self, link: Link, lost: asyncio.Future[Exception | None]) -> None:
        self._link = link
        self._lost = lost

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._link.up(transport)

    def data_received(self, data: bytes) -> None:
        if not self._lost.done():
            self._link.received(data)

    def connection_lost(self, exc: Exception | None) -> None:
        if not self._lost.done():
            self._lost.set_result(exc)
