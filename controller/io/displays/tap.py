"""The tap: what is published, again, on a ZeroMQ socket of this machine, for displays beside the table.

Lossy by contract: a display that does not keep up misses messages, and nothing here waits for it or asks whether it is
there. A display that comes late is sent what is retained, as an MQTT subscriber would be.
"""

from __future__ import annotations

import asyncio
import contextlib
import tempfile
from pathlib import Path
from typing import Final

import structlog
import zmq
import zmq.asyncio

from controller.io.system.clock import Clock
from controller.io.system.rate_limits import Throttle
from controller.io.system.zmtp_proxy import PlainSocket, ZmtpProxy, local_listener

QUEUE_LIMIT: Final = 1000
"""Messages kept for one display that does not read: some minutes of a table, half a megabyte."""

RETAINED_LIMIT: Final = 256
"""Topics whose latest message is kept: a table has some dozens."""

MODE: Final = 0o660
"""Rights of the socket: the daemon's user and group."""

GREETINGS_PER_SECOND: Final = 20
"""Subscriptions that are heard: each is sent all that is retained."""

RETRY_SECONDS: Final = 10.0
"""After a socket could not be made: a full disk or a missing folder is not mended sooner."""

log = structlog.get_logger(__name__)


class DisplayTap:
    """A PUB socket at a path. ``show`` may be called at any time and never waits; ``run`` goes on until cancelled."""

    def __init__(self, path: Path, clock: Clock) -> None:
        self._path = path
        self._clock = clock
        self._retained: dict[str, bytes] = {}
        self._socket: zmq.asyncio.Socket | None = None

    def show(self, topic: str, payload: bytes, *, retained: bool = False) -> None:
        """Hand a message to all listeners; ``retained``: and to those who come later."""
        if retained:
            self._retained.pop(topic, None)
            self._retained[topic] = payload
            if len(self._retained) > RETAINED_LIMIT:
                del self._retained[next(iter(self._retained))]
        self._send(topic, payload)

    async def run(self) -> None:
        """Serve the socket; one that cannot be made is tried again, for a display must not stop a table."""
        while True:
            context = zmq.asyncio.Context()
            try:
                with (
                    local_listener(self._path, MODE) as listener,
                    tempfile.TemporaryDirectory(prefix="tableside-") as folder,
                ):
                    await self._serve(context, listener, Path(folder) / "displays")
            except (zmq.ZMQError, OSError) as error:
                log.warning("tap not served", socket=str(self._path), reason=str(error))
            finally:
                self._socket = None
                context.destroy(linger=0)
                with contextlib.suppress(OSError):
                    self._path.unlink(missing_ok=True)
            await asyncio.sleep(RETRY_SECONDS)

    async def _serve(self, context: zmq.asyncio.Context, listener: PlainSocket, inside: Path) -> None:
        socket = context.socket(zmq.XPUB)
        socket.set(zmq.SNDHWM, QUEUE_LIMIT)
        socket.set(zmq.LINGER, 0)
        # Each display receives what is retained, also where another already listens to the same.
        socket.set(zmq.XPUB_VERBOSE, 1)
        socket.bind(f"ipc://{inside}")
        self._socket = socket
        proxy = asyncio.create_task(ZmtpProxy(listener, lambda _: inside, self._clock).run())
        throttle = Throttle(self._clock, GREETINGS_PER_SECOND)
        try:
            while True:
                await throttle.wait()
                frame = await socket.recv()
                if frame[:1] == b"\x01":
                    self._greet(frame[1:])
        finally:
            proxy.cancel()
            await asyncio.gather(proxy, return_exceptions=True)

    def _greet(self, prefix: bytes) -> None:
        """What is retained, for who has just subscribed; others see it again."""
        for topic, payload in self._retained.items():
            if topic.encode().startswith(prefix):
                self._send(topic, payload)

    def _send(self, topic: str, payload: bytes) -> None:
        if self._socket is not None:
            # A PUB socket drops rather than waits: the result is there at once.
            self._socket.send_multipart([topic.encode(), payload], flags=zmq.DONTWAIT)
