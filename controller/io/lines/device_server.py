"""A line on a device server: a TCP connection on which Telnet carries the line and its settings (RFC 854, RFC 2217).

The connection belongs to the event loop and nothing is kept beside it: what the server says is handed on as it comes,
what it does not take is bounded, and what it says to us instead of the line's bytes is bounded too.
"""

from __future__ import annotations

import asyncio
import enum
import struct
from collections.abc import Callable
from typing import Final

from controller.io.lines.serial import WRITE_LIMIT_BYTES, LineLost, LineTransport
from controller.io.system.rate_limits import NANOSECONDS, Allowance
from firmware_protocols.codec import Line

AGREE_SECONDS: Final = 6.0
"""How long a server may take to agree on the line's settings."""

COMMANDS_PER_SECOND: Final = 100
"""Commands of the server's on end; it tells of the line's state a few times a second at most."""

COMMANDS_AT_ONCE: Final = 1000

COMMAND_LIMIT_BYTES: Final = 64
"""Of one command; the longest of RFC 2217 that has a meaning here has six."""

IAC: Final = 0xFF
"""Interpret as command: what begins each of them; doubled, it is a byte of the line."""

DONT, DO, WONT, WILL, SUB, END = 0xFE, 0xFD, 0xFC, 0xFB, 0xFA, 0xF0
BINARY, ECHO, NO_GO_AHEAD, COM_PORT = 0, 1, 3, 44

OURS: Final = frozenset({BINARY, NO_GO_AHEAD, COM_PORT})
"""Options that we use."""

THEIRS: Final = frozenset({BINARY, ECHO, NO_GO_AHEAD, COM_PORT})
"""Options that the server may use; that it echoes says nothing here."""

SET_BAUD, SET_BITS, SET_PARITY, SET_STOPS, SET_CONTROL, PURGE = 1, 2, 3, 4, 5, 12
ANSWER: Final = 100
"""The number of an answer is the number of the request and this."""

PARITIES: Final = {"N": 1, "O": 2, "E": 3}
NO_FLOW_CONTROL, READY, REQUEST = 1, 8, 11
"""No flow control, DTR on, RTS on."""

BOTH_WAYS: Final = 3
"""What is purged: all that waits in the server, to the line and from it."""


class Mode(enum.Enum):
    """Where in a stream the next byte stands."""

    PLAIN = enum.auto()
    COMMAND = enum.auto()
    OPTION = enum.auto()
    INSIDE = enum.auto()
    """Of a command of some length."""
    INSIDE_COMMAND = enum.auto()


class Telnet:
    """The stream of a server taken apart: ``feed`` gives the line's bytes, ``commanded`` receives each command.

    A command is its bytes without what frames it: ``WILL`` and an option, or ``SUB`` and what it holds.
    """

    def __init__(self, commanded: Callable[[bytes], None]) -> None:
        self._take_command = commanded
        self._mode = Mode.PLAIN
        self._command = bytearray()

    def feed(self, data: bytes) -> bytes:
        """The line's bytes in ``data``.

        Raises:
            LineLost: a command without an end, or what ``commanded`` raised.
        """
        line = bytearray()
        at = 0
        while at < len(data):
            if self._mode in (Mode.PLAIN, Mode.INSIDE):
                found = data.find(IAC, at)
                end = len(data) if found < 0 else found
                (line if self._mode is Mode.PLAIN else self._command).extend(data[at:end])
                if found >= 0:
                    self._mode = Mode.COMMAND if self._mode is Mode.PLAIN else Mode.INSIDE_COMMAND
                at = end + 1
            else:
                self._byte(data[at], line)
                at += 1
            if len(self._command) > COMMAND_LIMIT_BYTES:
                raise LineLost(f"the device server: a command of more than {COMMAND_LIMIT_BYTES} bytes")
        return bytes(line)

    def _byte(self, byte: int, line: bytearray) -> None:
        """A byte after ``IAC``."""
        match self._mode:
            case Mode.COMMAND if byte == IAC:
                line.append(IAC)
                self._mode = Mode.PLAIN
            case Mode.COMMAND if byte in (DO, DONT, WILL, WONT):
                self._command.append(byte)
                self._mode = Mode.OPTION
            case Mode.COMMAND if byte == SUB:
                self._command.append(SUB)
                self._mode = Mode.INSIDE
            case Mode.INSIDE_COMMAND if byte == IAC:
                self._command.append(IAC)
                self._mode = Mode.INSIDE
            case Mode.INSIDE_COMMAND:
                # Its end; whatever else it is, it is no byte of it.
                self._over()
            case _:
                self._command.append(byte)
                self._over()

    def _over(self) -> None:
        command, self._command = bytes(self._command), bytearray()
        self._mode = Mode.PLAIN
        self._take_command(command)


def escaped(data: bytes) -> bytes:
    """The line's bytes as they go into the stream."""
    return data.replace(b"\xff", b"\xff\xff")


def request(number: int, value: bytes) -> bytes:
    """A request about the line."""
    return bytes((IAC, SUB, COM_PORT, number)) + escaped(value) + bytes((IAC, END))


def settings(line: Line) -> dict[int, bytes]:
    """What is asked for a line, by the number of the request."""
    return {
        SET_BAUD: struct.pack("!I", line.baud),
        SET_BITS: bytes((line.data_bits,)),
        SET_PARITY: bytes((PARITIES[line.parity],)),
        SET_STOPS: bytes((line.stop_bits,)),
    }


class ServerTransport(LineTransport):
    """A line behind a device server that has agreed on its settings."""

    def __init__(self, protocol: asyncio.Protocol, tcp: asyncio.Transport) -> None:
        super().__init__()
        self._protocol = protocol
        self._tcp = tcp
        protocol.connection_made(self)

    def heard(self, data: bytes) -> None:
        """Bytes of the line's came."""
        if data and not self._closing:
            self._protocol.data_received(data)

    def lost(self, error: Exception | None) -> None:
        """The connection is gone."""
        self._lose(LineLost(f"the device server is gone: {error or 'it hung up'}"))

    def get_write_buffer_size(self) -> int:
        """Bytes not yet taken by the server."""
        return self._tcp.get_write_buffer_size()

    def _send(self, data: bytes) -> None:
        self._tcp.write(escaped(data))
        waiting = self._tcp.get_write_buffer_size()
        if waiting > WRITE_LIMIT_BYTES:
            self._lose(LineLost(f"the device server has not taken {waiting} bytes"))

    def _lose(self, error: Exception | None) -> None:
        if not self._closing:
            self._closing = True
            self._tcp.abort()
            asyncio.get_running_loop().call_soon(self._protocol.connection_lost, error)


class Server(asyncio.Protocol):
    """The connection to a device server, from its opening on; ``agreed`` once the line is as it should be."""

    def __init__(self, line: Line) -> None:
        loop = asyncio.get_running_loop()
        self.agreed: asyncio.Future[None] = loop.create_future()
        self._loop = loop
        self._wanted = settings(line)
        self._open = set(self._wanted)
        """Requests that have no answer yet."""
        self._telnet = Telnet(self._take_command)
        self._commands = Allowance(COMMANDS_PER_SECOND, COMMANDS_AT_ONCE)
        self._answered: set[bytes] = set()
        self._asked = False
        self._tcp: asyncio.Transport | None = None
        self._line: ServerTransport | None = None

    def begin(self, protocol: asyncio.Protocol) -> asyncio.Transport:
        """Hand what comes from now on to ``protocol``."""
        assert self._tcp is not None
        if self._tcp.is_closing():
            raise LineLost("the device server hung up")
        self._line = ServerTransport(protocol, self._tcp)
        return self._line

    def give_up(self) -> None:
        """It has not agreed in time."""
        self._failed(LineLost(f"the device server has not agreed on the line's settings in {AGREE_SECONDS:.0f} s"))

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Say what we use, and ask for the same."""
        assert isinstance(transport, asyncio.Transport)
        self._tcp = transport
        offers = [(verb, option) for option in sorted(OURS) for verb in (WILL, DO)]
        self._answered = {bytes(offer) for offer in offers}
        transport.write(b"".join(bytes((IAC, *offer)) for offer in offers))

    def data_received(self, data: bytes) -> None:
        """What comes before the settings are agreed on is no answer to anything we have said."""
        try:
            heard = self._telnet.feed(data)
        except LineLost as error:
            self._failed(error)
            return
        if self._line is not None:
            self._line.heard(heard)

    def connection_lost(self, exc: Exception | None) -> None:
        """The server is gone."""
        self._failed(exc or LineLost("the device server hung up"))

    def _failed(self, error: Exception) -> None:
        if not self.agreed.done():
            self.agreed.set_exception(error)
        if self._line is not None:
            self._line.lost(error)

    def _take_command(self, command: bytes) -> None:
        if not self._commands.take(round(self._loop.time() * NANOSECONDS)):
            raise LineLost("the device server says too much that is not the line's")
        match tuple(command):
            case (verb, option) if verb in (DO, WILL, DONT, WONT):
                self._negotiate(verb, option)
            case (verb, option, number, *value) if (verb, option) == (SUB, COM_PORT):
                self._setting_answered(number - ANSWER, bytes(value))
            case _:
                # Another command: there is nothing in it for us.
                pass

    def _negotiate(self, verb: int, option: int) -> None:
        """Each answer is given once, so that a negotiation ends."""
        if (verb, option) == (DONT, COM_PORT):
            raise LineLost("the device server does not speak RFC 2217")
        answer = b""
        if verb == DO:
            answer = bytes((WILL if option in OURS else WONT, option))
        elif verb == WILL:
            answer = bytes((DO if option in THEIRS else DONT, option))
        if answer and answer not in self._answered:
            self._answered.add(answer)
            self._write(bytes((IAC,)) + answer)
        if (verb, option) == (DO, COM_PORT) and not self._asked:
            self._asked = True
            self._write(b"".join(request(number, value) for number, value in self._wanted.items()))

    def _setting_answered(self, number: int, value: bytes) -> None:
        if number not in self._open:
            return
        if value != self._wanted[number]:
            said, wanted = (int.from_bytes(one, "big") for one in (value, self._wanted[number]))
            raise LineLost(f"the device server: setting {number} is {said}, expected {wanted}")
        self._open.discard(number)
        if not self._open and not self.agreed.done():
            controls = (NO_FLOW_CONTROL, READY, REQUEST)
            self._write(b"".join(request(SET_CONTROL, bytes((control,))) for control in controls))
            self._write(request(PURGE, bytes((BOTH_WAYS,))))
            self.agreed.set_result(None)

    def _write(self, data: bytes) -> None:
        if self._tcp is not None and not self._tcp.is_closing():
            self._tcp.write(data)


async def open_server(
    host: str, port: int, line: Line, protocol: asyncio.Protocol, reached: Callable[[asyncio.Transport], None]
) -> asyncio.Transport:
    """Open a line on a device server, set as ``line`` wants it; ``reached`` receives the connection at once.

    Raises:
        OSError: no server is there, or it does not agree in time.
    """
    tcp, server = await asyncio.get_running_loop().create_connection(lambda: Server(line), host, port)
    try:
        reached(tcp)
        loop = asyncio.get_running_loop()
        timer = loop.call_later(AGREE_SECONDS, server.give_up)
        try:
            await server.agreed
        finally:
            timer.cancel()
        return server.begin(protocol)
    except BaseException:
        tcp.abort()
        raise
