"""Lines as bytes: an asyncio transport on an open terminal's descriptor.

An end of file or any error on the descriptor is a lost line, reported once: a hung-up terminal stays readable, so a
reader left on it would spin.
"""

from __future__ import annotations

import asyncio
import collections
import contextlib
import os
import termios
from collections.abc import Callable
from typing import Any, Final

READ_BYTES: Final = 4096
"""Bytes read at once: what the kernel holds for a terminal."""

WRITE_LIMIT_BYTES: Final = 64 * 1024
"""Bytes that may wait for a line: half a minute at 19,200 baud. A device that takes none of them is lost."""


class LineLost(OSError):  # noqa: N818 - named for what happened
    """The line is gone, or the device takes no bytes."""


def drop_unsent(descriptor: int) -> None:
    """Forget what a terminal has not sent yet; never raises."""
    with contextlib.suppress(OSError, termios.error, ValueError):
        termios.tcflush(descriptor, termios.TCOFLUSH)


class LineTransport(asyncio.Transport):
    """A transport on a line, whatever carries it. Writes leave in order; a write after the loss raises."""

    _closing = False

    def write(self, data: bytes | bytearray | memoryview[Any]) -> None:
        """Send ``data`` after everything given before.

        Raises:
            LineLost: the line is closed or lost.
        """
        if self._closing:
            raise LineLost("the line is closed")
        if data:
            self._send(bytes(data))

    def is_closing(self) -> bool:
        """Whether the line is closed or lost."""
        return self._closing

    def close(self) -> None:
        """Close at once: what has not been sent is dropped, as a device that is not listening cannot be waited for."""
        self._lose(None)

    def abort(self) -> None:
        """As ``close``."""
        self._lose(None)

    def _send(self, data: bytes) -> None:
        raise NotImplementedError

    def _lose(self, error: Exception | None) -> None:
        raise NotImplementedError


class DescriptorTransport(LineTransport):
    """A transport on an open terminal, which ``shut`` closes."""

    def __init__(
        self, loop: asyncio.AbstractEventLoop, protocol: asyncio.Protocol, descriptor: int, shut: Callable[[], None]
    ) -> None:
        super().__init__()
        self._loop = loop
        self._protocol = protocol
        self._descriptor = descriptor
        self._shut = shut
        self._waiting: collections.deque[bytes] = collections.deque()
        self._waiting_bytes = 0
        os.set_blocking(self._descriptor, False)
        loop.call_soon(protocol.connection_made, self)
        loop.call_soon(self._start_reading)

    def _send(self, data: bytes) -> None:
        rest = data if self._waiting else self._written(data)
        if not rest:
            return
        if not self._waiting:
            self._loop.add_writer(self._descriptor, self._write_ready)
        self._waiting.append(rest)
        self._waiting_bytes += len(rest)
        if self._waiting_bytes > WRITE_LIMIT_BYTES:
            self._lose(LineLost(f"the device has not taken {self._waiting_bytes} bytes"))

    def get_write_buffer_size(self) -> int:
        """Bytes not yet taken by the line."""
        return self._waiting_bytes

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

    def _written(self, data: bytes) -> bytes:
        """Give the line bytes; those it does not take now. A lost line takes them all."""
        try:
            return data[os.write(self._descriptor, data) :]
        except (BlockingIOError, InterruptedError):
            return data
        except OSError as error:
            self._lose(error)
            return b""

    def _write_ready(self) -> None:
        while self._waiting:
            first = self._waiting[0]
            rest = self._written(first)
            if self._closing:
                return
            self._waiting_bytes -= len(first) - len(rest)
            if rest:
                self._waiting[0] = rest
                return
            self._waiting.popleft()
        self._loop.remove_writer(self._descriptor)

    def _lose(self, error: Exception | None) -> None:
        if self._closing:
            return
        self._closing = True
        self._loop.remove_reader(self._descriptor)
        self._loop.remove_writer(self._descriptor)
        self._waiting.clear()
        self._waiting_bytes = 0
        self._loop.call_soon(self._finish, error)

    def _finish(self, error: Exception | None) -> None:
        # A terminal whose device is gone may refuse even to be closed, and not only with an OSError.
        with contextlib.suppress(OSError, termios.error):
            self._shut()
        self._protocol.connection_lost(error)
