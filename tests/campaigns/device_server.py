"""A device server: joins a serial line to whoever connects over TCP, and fails as such machines do.

One without power is simulated exactly: a socket filter of the kernel drops whatever comes for it, so that nothing is
acknowledged, nothing refused and nothing said, and the other end's connection is half open. When the power is back it
knows of no connection and answers none of the old ones but with a reset, where this process may do that (TCP_REPAIR).
"""

from __future__ import annotations

import asyncio
import contextlib
import ctypes
import os
import socket
import struct
from pathlib import Path
from typing import Any, Final, Literal

import serial
from serial.rfc2217 import PortManager

Scheme = Literal["socket", "rfc2217"]

SO_ATTACH_FILTER: Final = 26
SO_DETACH_FILTER: Final = 27
TCP_REPAIR: Final = 19
NOTHING: Final = struct.pack("HBBI", 0x06, 0, 0, 0)
"""A filter of one instruction: keep no byte of what comes."""

READ_BYTES: Final = 4096
UNREAD_BYTES: Final = 65_536
"""What is kept for a host that does not read."""


def drop_all(reached: Any) -> None:
    """Have the kernel drop whatever comes for a socket, unseen."""
    code = ctypes.create_string_buffer(NOTHING)
    program = struct.pack("HxxxxxxP", 1, ctypes.addressof(code))
    reached.setsockopt(socket.SOL_SOCKET, SO_ATTACH_FILTER, program)


def drop_none(reached: Any) -> None:
    """Undo that."""
    reached.setsockopt(socket.SOL_SOCKET, SO_DETACH_FILTER, 0)


def forget(reached: Any) -> bool:
    """Have the next close of a socket say nothing to its other end; whether this process may."""
    try:
        reached.setsockopt(socket.IPPROTO_TCP, TCP_REPAIR, 1)
    except OSError:
        return False
    return True


class _Connection(asyncio.Protocol):
    """A host that is connected; ``telnet``: over RFC 2217."""

    def __init__(self, server: DeviceServer, *, telnet: bool) -> None:
        self._server = server
        self._telnet = telnet
        self._manager: PortManager | None = None
        self.transport: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport
        self._server.connected(self)
        if self._telnet and not self._server.is_deaf:
            # It takes any settings: there is a pseudo-terminal behind it.
            self._manager = PortManager(serial.serial_for_url("loop://", timeout=0), self)  # type: ignore[arg-type]

    def connection_lost(self, exc: Exception | None) -> None:
        del exc
        self._server.disconnected(self)
        self.transport = None

    def data_received(self, data: bytes) -> None:
        if self._server.is_deaf or (self._telnet and self._manager is None):
            return
        if self._manager is not None:
            data = b"".join(self._manager.filter(data))
        self._server.to_device(data)

    def write(self, data: bytes) -> None:
        """As they are: what the line says is escaped before."""
        if self.transport is not None and self.transport.get_write_buffer_size() < UNREAD_BYTES:
            self.transport.write(data)

    def say(self, data: bytes) -> None:
        """Bytes of the device's."""
        if self._manager is not None:
            data = b"".join(self._manager.escape(data))
        self.write(data)


class DeviceServer:
    """Serves the pseudo-terminal at ``path`` on a port of its own."""

    def __init__(self, path: Path, scheme: Scheme) -> None:
        self._path = path
        self._scheme = scheme
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._listener.setblocking(False)
        self.url = f"{scheme}://127.0.0.1:{self._listener.getsockname()[1]}"
        self.is_deaf = False
        """Whether it takes connections and bytes, and does nothing about either."""
        self.is_gone = False
        """Whether it has no power."""
        self.accepted = 0
        self._line = -1
        self._server: asyncio.Server | None = None
        self._connections: set[_Connection] = set()
        self._ghosts: list[asyncio.Transport] = []
        """Connections of before the power failed, of which it knows nothing."""

    async def open(self) -> None:
        """Take the line, and whoever connects."""
        loop = asyncio.get_running_loop()
        self._line = os.open(self._path, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)
        loop.add_reader(self._line, self._from_device)
        telnet = self._scheme == "rfc2217"
        self._server = await loop.create_server(lambda: _Connection(self, telnet=telnet), sock=self._listener)

    def close(self) -> None:
        """Hang up on everybody and let the line go."""
        assert self._server is not None
        self._server.close()
        self.hang_up()
        for ghost in self._ghosts:
            ghost.abort()
        asyncio.get_running_loop().remove_reader(self._line)
        os.close(self._line)

    # --- what happens to it ---------------------------------------------------------------------------

    def power_off(self) -> None:
        """It is gone without a word."""
        self.is_gone = True
        drop_all(self._listener)
        self._haunt()

    def power_on(self) -> None:
        """It is back, and knows of nobody."""
        drop_none(self._listener)
        self.is_gone = False
        self._bury()

    def blink(self) -> None:
        """Its power fails for a moment."""
        self._haunt()
        self._bury()

    def hang_up(self) -> None:
        """It closes every connection, in good order."""
        for one in list(self._connections):
            if one.transport is not None:
                one.transport.abort()

    def say(self, data: bytes) -> None:
        """Bytes of nobody's choosing to whoever is connected."""
        if not self.is_gone and not self.is_deaf:
            for one in list(self._connections):
                one.say(data)

    def _haunt(self) -> None:
        for one in self._connections:
            if one.transport is not None:
                drop_all(one.transport.get_extra_info("socket"))
                one.transport.pause_reading()
                self._ghosts.append(one.transport)
        self._connections.clear()

    def _bury(self) -> None:
        for transport in self._ghosts:
            if not transport.is_closing() and forget(transport.get_extra_info("socket")):
                transport.abort()
        self._ghosts = [one for one in self._ghosts if not one.is_closing()]

    # --- between its two ends -------------------------------------------------------------------------

    def connected(self, connection: _Connection) -> None:
        """Somebody has connected; while it is deaf nothing of theirs is read."""
        self.accepted += 1
        self._connections.add(connection)

    def disconnected(self, connection: _Connection) -> None:
        """Somebody has gone."""
        self._connections.discard(connection)

    def to_device(self, data: bytes) -> None:
        """A host speaks."""
        with contextlib.suppress(BlockingIOError):
            os.write(self._line, data)

    def _from_device(self) -> None:
        try:
            data = os.read(self._line, READ_BYTES)
        except OSError:
            asyncio.get_running_loop().remove_reader(self._line)
            return
        self.say(data)
