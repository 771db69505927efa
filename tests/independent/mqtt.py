"""A client of MQTT 3.1.1 that hears topics with QoS 1 and publishes with QoS 0, and no more."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

CONNECT, CONNACK, PUBLISH, PUBACK, SUBSCRIBE, SUBACK = 0x10, 0x20, 0x30, 0x40, 0x82, 0x90


def _text(text: str) -> bytes:
    data = text.encode()
    return len(data).to_bytes(2, "big") + data


def _packet(head: int, body: bytes) -> bytes:
    size, left = bytearray(), len(body)
    while True:
        left, digit = left >> 7, left & 0x7F
        size.append(digit | (0x80 if left else 0))
        if not left:
            return bytes([head]) + bytes(size) + body


class Client:
    """A connection to a broker."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer

    @classmethod
    async def connect(cls, port: int, name: str) -> Client:
        """Connect to a broker of this machine with a clean session and no keep-alive."""
        reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=1 << 20)
        client = cls(reader, writer)
        client._send(CONNECT, _text("MQTT") + bytes([4, 2, 0, 0]) + _text(name))
        head, body = await client._next()
        assert head == CONNACK, f"not a greeting: {head:02x}"
        assert body == b"\0\0", f"refused: {body.hex()}"
        return client

    async def subscribe(self, topics: str) -> None:
        """Ask for topics with QoS 1."""
        self._send(SUBSCRIBE, (1).to_bytes(2, "big") + _text(topics) + b"\x01")
        head, body = await self._next()
        assert (head, body) == (SUBACK, b"\0\x01\x01"), body.hex()

    def publish(self, topic: str, payload: bytes) -> None:
        """Send a message once, not retained."""
        self._send(PUBLISH, _text(topic) + payload)

    async def messages(self) -> AsyncIterator[tuple[str, bytes]]:
        """Topic and payload of each message, acknowledged, until the connection ends."""
        while True:
            try:
                head, body = await self._next()
            except (asyncio.IncompleteReadError, ConnectionError):
                return
            if head & 0xF0 != PUBLISH:
                continue
            size = int.from_bytes(body[:2], "big")
            topic, rest = body[2 : 2 + size].decode(), body[2 + size :]
            if head & 0x06:
                self._send(PUBACK, rest[:2])
                rest = rest[2:]
            yield topic, rest

    def close(self) -> None:
        """Hang up."""
        self._writer.close()

    def _send(self, head: int, body: bytes) -> None:
        self._writer.write(_packet(head, body))

    async def _next(self) -> tuple[int, bytes]:
        head = (await self._reader.readexactly(1))[0]
        size = shift = 0
        while True:
            digit = (await self._reader.readexactly(1))[0]
            size |= (digit & 0x7F) << shift
            shift += 7
            if not digit & 0x80:
                break
        return head, await self._reader.readexactly(size)
