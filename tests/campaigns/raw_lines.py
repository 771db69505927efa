"""What no library would say on a socket: greetings cut short, messages that never end, other protocols, and rubbish.

Each conversation is a connection of its own: some bytes, now and then many pieces of them, and then a while in which
nothing is said, or the end. Whether the other side hangs up is its own affair.
"""

from __future__ import annotations

import asyncio
import contextlib
import random
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from typing import Final, NamedTuple

from tests.io.zmtp_peer import GREETING, MORE, frame

PIECES: Final = 64
PIECE_BYTES: Final = 64 * 1024
"""Of what never ends, at most so many pieces of so many bytes: four megabytes."""

HELD_S: Final = (0.0, 0.05, 0.5)
"""For so long a connection stays when all is said."""

OPEN_AT_ONCE: Final = 40
HEARD_WITHIN_S: Final = 0.2
CURVE: Final = GREETING.replace(b"NULL".ljust(20, b"\0"), b"CURVE".ljust(20, b"\0"))
READY: Final = frame(b"\x05READY" + b"\x0bSocket-Type" + b"\0\0\0\x06DEALER", 4)

Said = Callable[[random.Random], Iterator[bytes]]


class Door(NamedTuple):
    """Where one connects: a socket's path, or a port of this machine."""

    name: str
    path: str = ""
    port: int = 0


def half_greeting(chance: random.Random) -> Iterator[bytes]:
    greeting = chance.choice((GREETING, CURVE))
    yield greeting[: chance.randrange(len(greeting))]


def other_greeting(chance: random.Random) -> Iterator[bytes]:
    whole = bytearray(chance.choice((GREETING, CURVE)))
    for _ in range(chance.randrange(1, 4)):
        whole[chance.randrange(len(whole))] = chance.randrange(256)
    yield bytes(whole) + READY


def greeting_alone(chance: random.Random) -> Iterator[bytes]:
    yield chance.choice((GREETING, CURVE))


def endless_message(chance: random.Random) -> Iterator[bytes]:
    """A frame of the greatest length there is, and some of it."""
    yield GREETING + READY
    yield bytes([2 | chance.choice((0, MORE))]) + chance.choice((2**63 - 1, 2**62, 2**40)).to_bytes(8, "big")
    for _ in range(chance.randrange(PIECES)):
        yield bytes(PIECE_BYTES)


def endless_parts(chance: random.Random) -> Iterator[bytes]:
    """A message of parts, empty or short, of which the last never comes."""
    yield GREETING + READY
    part = frame(chance.randbytes(chance.choice((0, 0, 1, 100))), MORE)
    for _ in range(chance.randrange(PIECES)):
        yield part * (PIECE_BYTES // len(part))


def empty_parts(chance: random.Random) -> Iterator[bytes]:
    yield GREETING + READY
    yield frame(b"", MORE) * chance.randrange(1, 2000) + frame(b"")


def commands(chance: random.Random) -> Iterator[bytes]:
    """Commands of the protocol that come too late, are too long, or are none."""
    yield GREETING + READY
    for _ in range(chance.randrange(1, 100)):
        yield frame(chance.choice((b"\x05READY", b"\x04PING\0\0", b"\x05ERROR\xff", b"\xffX", b"", bytes(5000))), 4)


def other_protocol(chance: random.Random) -> Iterator[bytes]:
    yield chance.choice(
        (
            b"GET / HTTP/1.1\r\nHost: x\r\n\r\n",
            b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(500),
            b"SSH-2.0-OpenSSH_9.2\r\n",
            b"\x10\x10\x00\x04MQTT\x05\x02\x00\x3c\x00\x00\x03abc",
        )
    )


def rubbish(chance: random.Random) -> Iterator[bytes]:
    for _ in range(chance.randrange(1, 8)):
        yield chance.randbytes(chance.randrange(1, PIECE_BYTES))


def half_request(chance: random.Random) -> Iterator[bytes]:
    """A request over HTTP that breaks off, announces what does not come, or whose head never ends."""
    head = b"%s %s HTTP/1.1\r\nHost: localhost\r\n" % (
        chance.choice((b"GET", b"POST", b"X" * 9000)),
        chance.choice((b"/metrics", b"/", b"/" + b"a" * 70_000)),
    )
    yield chance.choice((head[: chance.randrange(len(head))], head, head + b"Content-Length: 999999999\r\n\r\nabc"))
    for _ in range(chance.choice((0, 0, 3, PIECES))):
        yield b"X-More: " + b"a" * 1000 + b"\r\n"


ZMTP: Final[tuple[Said, ...]] = (
    half_greeting,
    other_greeting,
    greeting_alone,
    endless_message,
    endless_parts,
    empty_parts,
    commands,
    other_protocol,
    rubbish,
)
HTTP: Final[tuple[Said, ...]] = (half_request, half_request, half_request, other_protocol, rubbish)


class RawLines:
    """Connections to one door, so many of them at once."""

    def __init__(self, door: Door, utterances: tuple[Said, ...], chance: random.Random) -> None:
        self.door, self.utterances, self.chance = door, utterances, chance

    async def talk(self, wanted: Callable[[str], bool]) -> None:
        """One conversation after another, ``OPEN_AT_ONCE`` side by side, as long as one is ``wanted``."""
        await asyncio.gather(*(self._talk(wanted) for _ in range(OPEN_AT_ONCE)))

    async def _talk(self, wanted: Callable[[str], bool]) -> None:
        while True:
            kind = self.chance.choice(self.utterances)
            if not wanted(f"raw {self.door.name} {kind.__name__}"):
                return
            with contextlib.suppress(OSError, TimeoutError, asyncio.IncompleteReadError):
                async with self._connected() as (heard, line):
                    for piece in kind(self.chance):
                        line.write(piece)
                        await asyncio.wait_for(line.drain(), 1)
                    with contextlib.suppress(TimeoutError):
                        await asyncio.wait_for(heard.read(PIECE_BYTES), HEARD_WITHIN_S + self.chance.choice(HELD_S))

    @contextlib.asynccontextmanager
    async def _connected(self) -> AsyncIterator[tuple[asyncio.StreamReader, asyncio.StreamWriter]]:
        if self.door.path:
            heard, line = await asyncio.open_unix_connection(Path(self.door.path))
        else:
            heard, line = await asyncio.open_connection("127.0.0.1", self.door.port)
        try:
            yield heard, line
        finally:
            # What was not taken is not waited for.
            line.transport.abort()
