"""The line feed: lines of text over plain TCP, for video text inserters.

Lossy by contract: who connects gets what is said from then on; who does not read is hung up on.
"""

from __future__ import annotations

import asyncio
from typing import Final

import structlog

CLIENTS_LIMIT: Final = 8
"""Inserters at once: one a camera, and some to spare."""

BACKLOG_LIMIT_BYTES: Final = 64 * 1024
"""What waits for an inserter that does not read: an hour of lines, after which it is gone."""

READ_BYTES: Final = 1024
"""What an inserter sends is read and thrown away, so that its goodbye is noticed."""

RETRY_SECONDS: Final = 10.0
"""After the port could not be had."""

log = structlog.get_logger(__name__)


class LineFeed:
    """A TCP server that only speaks.

    ``say`` may be called at any time and never waits; ``run`` goes on until cancelled.
    """

    def __init__(self, host: str, port: int) -> None:
        self._host = host
        self._port = port
        self._clients: set[asyncio.StreamWriter] = set()
        self.bound = asyncio.Event()
        """Set once the port is served."""
        self.port = port
        """The port served; what the system chose, where 0 was asked for."""

    def say(self, lines: tuple[str, ...]) -> None:
        """Send lines to everybody connected."""
        if not lines:
            return
        data = "".join(f"{line}\r\n" for line in lines).encode("ascii")
        for writer in list(self._clients):
            if writer.transport.get_write_buffer_size() > BACKLOG_LIMIT_BYTES:
                log.warning("inserter does not read", peer=_peer(writer))
                self._clients.discard(writer)
                writer.transport.abort()
            else:
                writer.write(data)

    async def run(self) -> None:
        """Serve the port; one that cannot be had is tried again, for an inserter must not stop a table."""
        while True:
            try:
                server = await asyncio.start_server(self._serve, self._host, self._port)
            except OSError as error:
                log.warning("line feed not served", host=self._host, port=self._port, reason=str(error))
                await asyncio.sleep(RETRY_SECONDS)
                continue
            self.port = server.sockets[0].getsockname()[1]
            self.bound.set()
            try:
                async with server:
                    await server.serve_forever()
            finally:
                for writer in self._clients:
                    writer.transport.abort()
                self._clients.clear()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if len(self._clients) >= CLIENTS_LIMIT:
            log.warning("too many inserters", peer=_peer(writer), limit=CLIENTS_LIMIT)
            writer.transport.abort()
            return
        self._clients.add(writer)
        try:
            while await reader.read(READ_BYTES):
                pass
        except OSError as error:
            log.info("inserter lost", peer=_peer(writer), reason=str(error))
        finally:
            self._clients.discard(writer)
            writer.transport.abort()


def _peer(writer: asyncio.StreamWriter) -> str:
    return str(writer.get_extra_info("peername"))
