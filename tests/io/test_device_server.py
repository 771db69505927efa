"""The line behind a device server, before servers that are not what they should be."""

from __future__ import annotations

import asyncio
import contextlib
import random
from collections.abc import AsyncIterator

import pytest

from controller.io.lines.device_server import (
    AGREE_SECONDS,
    COM_PORT,
    COMMAND_LIMIT_BYTES,
    COMMANDS_AT_ONCE,
    DO,
    DONT,
    IAC,
    SET_BAUD,
    SUB,
    WILL,
    Telnet,
    escaped,
    request,
    settings,
)
from controller.io.lines.ports import serial_opener
from controller.io.lines.serial import WRITE_LIMIT_BYTES, LineLost
from firmware_protocols.codec import Line
from tests.io.test_serial import Ear
from tests.io.virtual_time import run_virtual

LINE = Line(baud=19200, parity="E")
NOP = bytes((IAC, 0xF1))


class Peer(asyncio.Protocol):
    """A device server that says what it is given to say; ``agrees`` as one does that takes every setting."""

    def __init__(self, *, agrees: bool) -> None:
        self.agrees = agrees
        self.heard = bytearray()
        self.transport: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport
        if self.agrees:
            self.say(bytes((IAC, DO, COM_PORT, IAC, WILL, COM_PORT)))

    def data_received(self, data: bytes) -> None:
        self.heard += data
        if self.agrees and b"".join(request(number, value) for number, value in settings(LINE).items()) in self.heard:
            self.agrees = False
            self.say(b"".join(request(100 + number, value) for number, value in settings(LINE).items()))

    def say(self, data: bytes) -> None:
        assert self.transport is not None
        self.transport.write(data)


@contextlib.asynccontextmanager
async def serving(peer: Peer) -> AsyncIterator[str]:
    server = await asyncio.get_running_loop().create_server(lambda: peer, "127.0.0.1", 0)
    try:
        yield f"rfc2217://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    finally:
        server.close()
        if peer.transport is not None:
            peer.transport.abort()


def test_whatever_is_said_is_taken_apart_however_it_is_cut() -> None:
    chance = random.Random(1)
    for _ in range(200):
        commands: list[bytes] = []
        line = chance.randbytes(chance.randrange(30))
        value = chance.randbytes(4)
        stream = escaped(line) + NOP + request(101, value) + bytes((IAC, DO, 1)) + escaped(line)
        telnet, heard = Telnet(commands.append), b""
        while stream:
            cut = chance.randrange(1, len(stream) + 1)
            heard, stream = heard + telnet.feed(stream[:cut]), stream[cut:]
        assert heard == line + line
        assert commands == [NOP[1:], bytes((SUB, COM_PORT, 101)) + value, bytes((DO, 1))]


async def test_bytes_pass_both_ways_as_they_are() -> None:
    peer, ear = Peer(agrees=True), Ear()
    async with serving(peer) as url:
        transport = await serial_opener(url, LINE)(ear)
        sent = bytes(range(256))
        transport.write(sent)
        peer.say(escaped(sent))
        await ear.until(lambda: len(ear.data) == len(sent))
        assert ear.data == sent
        peer.say(b"x")
        await ear.until(lambda: len(ear.data) > len(sent))
        assert peer.heard.endswith(escaped(sent))
        transport.close()


@pytest.mark.parametrize(
    ("reply", "error"),
    [
        (bytes((IAC, DONT, COM_PORT)), "does not speak RFC 2217"),
        (bytes((IAC, DO, COM_PORT)) + request(100 + SET_BAUD, bytes(4)), "setting 1 is 0, expected 19200"),
        (NOP * (2 * COMMANDS_AT_ONCE), "too much that is not the line's"),
        (bytes((IAC, SUB)) + bytes(2 * COMMAND_LIMIT_BYTES), "a command of more than 64 bytes"),
    ],
    ids=["another protocol", "another speed", "a flood of commands", "a command without an end"],
)
async def test_who_does_not_agree_is_refused(reply: bytes, error: str) -> None:
    class Other(Peer):
        def connection_made(self, transport: asyncio.BaseTransport) -> None:
            super().connection_made(transport)
            self.say(reply)

    async with serving(Other(agrees=False)) as url:
        with pytest.raises(LineLost, match=error):
            await serial_opener(url, LINE)(Ear())


def test_who_takes_the_connection_and_never_answers_is_given_up() -> None:
    async def scenario() -> None:
        peer = Peer(agrees=False)
        async with serving(peer) as url:
            began = asyncio.get_running_loop().time()
            with pytest.raises(LineLost, match="has not agreed"):
                await serial_opener(url, LINE)(Ear())
            assert asyncio.get_running_loop().time() - began == pytest.approx(AGREE_SECONDS, abs=1)

    run_virtual(scenario())


async def test_who_hangs_up_before_agreeing_is_an_error() -> None:
    class Gone(Peer):
        def connection_made(self, transport: asyncio.BaseTransport) -> None:
            assert isinstance(transport, asyncio.Transport)
            transport.abort()

    async with serving(Gone(agrees=False)) as url:
        with pytest.raises(OSError, match=r"hung up|reset"):
            await serial_opener(url, LINE)(Ear())


@pytest.mark.parametrize(
    "chatter",
    [NOP * (COMMANDS_AT_ONCE + 1), bytes((IAC, SUB)) + b"x" * 100_000, bytes((IAC, DONT, COM_PORT))],
    ids=["a flood of commands", "a command without an end", "no more settings"],
)
async def test_an_open_line_on_which_the_server_talks_to_itself_is_lost(chatter: bytes) -> None:
    peer, ear = Peer(agrees=True), Ear()
    async with serving(peer) as url:
        await serial_opener(url, LINE)(ear)
        peer.say(chatter)
        await ear.until(lambda: bool(ear.losses))
        assert isinstance(ear.losses[0], LineLost)
        assert ear.data == b""


async def test_each_offer_is_answered_once() -> None:
    peer, ear = Peer(agrees=True), Ear()
    async with serving(peer) as url:
        await serial_opener(url, LINE)(ear)
        before = len(peer.heard)
        peer.say(bytes((IAC, DO, 99, IAC, WILL, 98)) * 100 + b"x")
        await ear.until(lambda: ear.data == b"x")
        assert len(peer.heard) - before <= 2 * 3 + 50


async def test_a_server_that_takes_nothing_is_lost_at_a_bound() -> None:
    peer, ear = Peer(agrees=True), Ear()
    async with serving(peer) as url:
        transport = await serial_opener(url, LINE)(ear)
        assert peer.transport is not None
        peer.transport.pause_reading()
        with pytest.raises(LineLost):  # noqa: PT012 - it fails at one of many writes
            for _ in range(100_000):
                transport.write(bytes(1000))
        await ear.until(lambda: bool(ear.losses))
        assert "has not taken" in str(ear.losses[0])
        assert transport.get_write_buffer_size() <= WRITE_LIMIT_BYTES + 2000
