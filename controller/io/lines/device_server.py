"""A line on a device server that speaks RFC 2217: a transport around pyserial's client, which lives on threads.

pyserial's client reads on a thread of its own into a queue without a bound; here one thread empties that queue and
another writes, and what has not reached the event loop, or the server, is bounded.
"""

from __future__ import annotations

import asyncio
import contextlib
import queue
import threading
from typing import Any, Final

from controller.io.lines.serial import READ_BYTES, WRITE_LIMIT_BYTES, LineLost, LineTransport

UNHEARD_LIMIT_BYTES: Final = 64 * 1024
"""Bytes that may wait for the event loop: half a minute at 19,200 baud. A loop that late has other troubles."""

WRITES_LIMIT: Final = 4096
"""Writes that may wait for the server: as many as fit ``WRITE_LIMIT_BYTES`` at 16 bytes a command."""


class ServerTransport(LineTransport):
    """A transport on an open pyserial port that blocks."""

    def __init__(self, loop: asyncio.AbstractEventLoop, protocol: asyncio.Protocol, port: Any) -> None:  # noqa: ANN401 - pyserial's base class lacks what all its ports have
        super().__init__({"serial": port})
        self._loop = loop
        self._protocol = protocol
        self._port = port
        self._lock = threading.Lock()
        self._unheard = 0
        self._unsent = 0
        self._writes: queue.Queue[bytes | None] = queue.Queue(WRITES_LIMIT + 1)
        loop.call_soon(self._start)

    def _send(self, data: bytes) -> None:
        with self._lock:
            self._unsent += len(data)
            full = self._unsent > WRITE_LIMIT_BYTES
        if full or self._writes.qsize() >= WRITES_LIMIT:
            self._lose(LineLost(f"the device server has not taken {self._unsent} bytes"))
        else:
            self._writes.put_nowait(data)

    def get_write_buffer_size(self) -> int:
        """Bytes not yet taken by the server."""
        return self._unsent

    # --- the event loop's side ------------------------------------------------------------------------

    def _start(self) -> None:
        self._protocol.connection_made(self)
        if not self._closing:
            for work in (self._read, self._write):
                threading.Thread(target=work, name="device server", daemon=True).start()

    def _heard(self, data: bytes) -> None:
        with self._lock:
            self._unheard -= len(data)
        if not self._closing:
            self._protocol.data_received(data)

    def _lose(self, error: Exception | None) -> None:
        if self._closing:
            return
        self._closing = True
        with contextlib.suppress(queue.Empty):
            while True:
                self._writes.get_nowait()
        self._writes.put_nowait(None)
        # Closing waits for pyserial's own thread.
        threading.Thread(target=self._shut, name="closing device server", daemon=True).start()
        self._loop.call_soon(self._protocol.connection_lost, error)

    # --- the threads' side ----------------------------------------------------------------------------

    def _tell(self, work: Any, *given: object) -> None:  # noqa: ANN401 - any of the methods above
        # The loop may have ended; then nobody listens.
        with contextlib.suppress(RuntimeError):
            self._loop.call_soon_threadsafe(work, *given)

    def _read(self) -> None:
        try:
            while not self._closing:
                data = self._port.read(1)
                if not data:
                    continue
                data += self._port.read(min(READ_BYTES, self._port.in_waiting))
                with self._lock:
                    self._unheard += len(data)
                    late = self._unheard > UNHEARD_LIMIT_BYTES
                if late:
                    self._tell(self._lose, LineLost(f"more than {UNHEARD_LIMIT_BYTES} bytes nobody has looked at"))
                    return
                self._tell(self._heard, data)
        except Exception as error:  # noqa: BLE001 - pyserial raises what it likes when a connection breaks under it
            self._tell(self._lose, LineLost(f"the device server is gone: {error}"))

    def _write(self) -> None:
        try:
            while (data := self._writes.get()) is not None:
                self._port.write(data)
                with self._lock:
                    self._unsent -= len(data)
        except Exception as error:  # noqa: BLE001 - as above
            self._tell(self._lose, LineLost(f"the device server is gone: {error}"))

    def _shut(self) -> None:
        with contextlib.suppress(Exception):
            self._port.close()
