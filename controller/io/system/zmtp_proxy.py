"""A proxy before a ZeroMQ socket: a limit on connections, and on the unanswered bytes of each.

libzmq limits a part of a message, and how many whole messages wait. It has no limit for the parts of one message, so
that a peer who never ends one fills the memory; it takes every connection that anybody makes, and aborts the process
where no file descriptor is left for one. So what listens to strangers is a plain socket here. What comes there is
passed on, byte for byte, to the ZeroMQ socket, which listens where only this process reaches it. Frames are
distinguished by their headers alone (ZMTP 3, https://rfc.zeromq.org/spec/23/), which CURVE leaves in clear.
"""

from __future__ import annotations

import asyncio
import contextlib
import socket
import struct
from collections import Counter
from collections.abc import Callable, Hashable
from pathlib import Path
from typing import Any, Final

import structlog

from controller.io.system.clock import Clock
from controller.io.system.rate_limits import NANOSECONDS, Allowance, Throttle

CONNECTIONS_LIMIT: Final = 16
"""Of one socket: people's programs connect for one request, and a table's link once."""

WINDOW_BYTES: Final = 512 * 1024
"""What somebody may send before they are answered: several of the longest requests."""

WINDOW_FRAMES: Final = 4096
"""The same in frames, of which an empty one takes memory too."""

ANSWER_BYTES: Final = 60
"""A longer frame to a peer is an answer; the one that says that the line is alive (PONG) is never as long."""

CONNECTIONS_PER_SECOND: Final = 50
"""Taken of one socket; more of them wait with their senders."""

PIECES_PER_SECOND: Final = 100
"""Read of one connection, each of at most ``PIECE_BYTES``."""

PIECE_BYTES: Final = 16 * 1024
BACKLOG: Final = 128
"""Connections that the system keeps until they are taken."""

CONNECT_SECONDS: Final = 5.0
"""How long a connection may take to come about."""

LINES_AT_ONCE: Final = 10
"""Lines of the log on connections that are closed, and one a second from then on."""

PAUSE_SECONDS: Final = 0.5
"""After a connection could not be taken, for want of file descriptors."""

SIGNATURE_BYTES: Final = 10
GREETING_BYTES: Final = 64
REVISION: Final = 3
LONG: Final = 2
COMMAND: Final = 4
PEER: Final = struct.Struct("3i")

PlainSocket = socket.socket
"""A plain socket that listens, for a module in which sockets are ZeroMQ's."""

log = structlog.get_logger(__name__)


class ExcessTraffic(Exception):  # noqa: N818 - named for what happened
    """A peer sent what no program of ours would; the text says what."""


class Frames:
    """The frames of one direction of a connection, separated from its bytes in whatever pieces they come."""

    def __init__(self) -> None:
        self._head = b""
        self._greeted = False
        self._rest = 0
        """Bytes of the present frame that are still to come."""

    def take(self, data: bytes) -> list[tuple[int, int]]:
        """Flags and length of each frame that begins in these bytes.

        Raises:
            TooMuch: this is not ZMTP 3.
        """
        found: list[tuple[int, int]] = []
        data, at = self._head + data, 0
        if not self._greeted:
            _check_greeting(data)
            self._greeted = len(data) >= GREETING_BYTES
            at = GREETING_BYTES if self._greeted else 0
        while self._greeted and at < len(data):
            passed = min(self._rest, len(data) - at)
            if passed:
                self._rest -= passed
                at += passed
                continue
            flags, begun = data[at], at + 1 + (8 if data[at] & LONG else 1)
            if begun > len(data):
                break
            self._rest = int.from_bytes(data[at + 1 : begun], "big")
            found.append((flags, self._rest))
            at = begun
        self._head = data[at:]
        return found


def _check_greeting(data: bytes) -> None:
    if data[:1] != b"\xff" or (len(data) > SIGNATURE_BYTES and data[SIGNATURE_BYTES] < REVISION):
        raise ExcessTraffic("does not speak ZMTP 3")


class _Connection:
    """Somebody's connection, and what they have sent since they were answered."""

    def __init__(self, peer: Hashable, outside: socket.socket) -> None:
        self.peer = peer
        self.outside = outside
        self.was_answered = False
        self.task: asyncio.Task[None] | None = None
        self._sent, self._heard = Frames(), Frames()
        self._bytes = self._frames = 0

    def sent(self, data: bytes) -> None:
        """The peer has sent something.

        Raises:
            TooMuch: more than may wait for an answer.
        """
        self._frames += len(self._sent.take(data))
        self._bytes += len(data)
        if self._bytes > WINDOW_BYTES or self._frames > WINDOW_FRAMES:
            raise ExcessTraffic(f"{self._bytes} bytes in {self._frames} frames without an end that can be answered")

    def answered(self, data: bytes) -> None:
        """The peer is sent something."""
        if any(length > ANSWER_BYTES and not flags & COMMAND for flags, length in self._heard.take(data)):
            self._bytes = self._frames = 0
            self.was_answered = True


class _Pump:
    """Passes on what comes of one side of a connection, a piece at a time, until ``stop``.

    ``taken`` receives each piece before it is passed on, ``over`` that the side has ended, or why it is to.
    """

    # A future and a task's turn for each piece, and the selector changed twice, cost more than the piece.
    def __init__(
        self,
        source: socket.socket,
        sink: socket.socket,
        taken: Callable[[bytes], None],
        clock: Clock,
        over: asyncio.Future[None],
    ) -> None:
        self._loop = asyncio.get_running_loop()
        self._source, self._sink = source, sink
        self._taken = taken
        self._clock = clock
        self._over = over
        self._allowance = Allowance(PIECES_PER_SECOND, PIECES_PER_SECOND // 10)
        self._left = b""
        """Of the present piece, what the other side has not taken yet."""
        self._waits = ""
        """For which of "turn" and "sink"; empty: the next piece is read as soon as it comes."""
        self._timer: asyncio.TimerHandle | None = None
        self._loop.add_reader(source, self._read)

    def stop(self) -> None:
        """Pass on no more."""
        self._loop.remove_reader(self._source)
        self._loop.remove_writer(self._sink)
        if self._timer is not None:
            self._timer.cancel()

    def _read(self) -> None:
        try:
            data = self._source.recv(PIECE_BYTES)
            if data:
                self._taken(data)
        except (BlockingIOError, InterruptedError):
            return
        except (OSError, ExcessTraffic) as error:
            self._end(error)
            return
        if not data:
            self._end(None)
            return
        self._left = data
        self._write()

    def _write(self) -> None:
        try:
            sent = self._sink.send(self._left)
        except (BlockingIOError, InterruptedError):
            sent = 0
        except OSError as error:
            self._end(error)
            return
        self._left = self._left[sent:]
        if not self._left:
            self._go_on()
        elif self._waits != "sink":
            self._wait("sink")
            self._loop.add_writer(self._sink, self._write)

    def _go_on(self) -> None:
        """To the next piece, in its turn."""
        if self._waits == "sink":
            self._loop.remove_writer(self._sink)
        now_ns = self._clock.monotonic_ns()
        if not self._allowance.take(now_ns):
            self._wait("turn")
            self._timer = self._loop.call_later(self._allowance.wait_ns(now_ns) / NANOSECONDS, self._go_on)
        elif self._waits:
            self._waits = ""
            self._loop.add_reader(self._source, self._read)

    def _wait(self, what: str) -> None:
        if not self._waits:
            self._loop.remove_reader(self._source)
        self._waits = what

    def _end(self, error: Exception | None) -> None:
        self.stop()
        if self._over.done():
            return
        if error is None:
            self._over.set_result(None)
        else:
            self._over.set_exception(error)


class ZmtpProxy:
    """Serves a listening socket until cancelled.

    ``inner(peer)`` says at which path ZeroMQ listens for this peer, None: it is not let in. ``gone(peer)`` is called
    when the last connection of a peer has ended, ``complain`` of each that is closed for what was sent. ``is_ours``:
    who connects here is this process, and the limits are for whom it is passed on to, at a host and port. A peer is the
    number of the user at the other end of a local socket, or the address at the other end of any other, as
    ``counted_as`` has it: whom that makes one share what one peer may have.
    """

    def __init__(
        self,
        listener: socket.socket,
        inner: Callable[[Hashable], Path | tuple[str, int] | None],
        clock: Clock,
        gone: Callable[[Hashable], None] = lambda _: None,
        limit: int = CONNECTIONS_LIMIT,
        *,
        complain: Callable[[str], None] = lambda _: None,
        counted_as: Callable[[Hashable], Hashable] = lambda peer: peer,
        is_ours: bool = False,
    ) -> None:
        self._listener = listener
        self._inner = inner
        self._clock = clock
        self._gone = gone
        self._limit = limit
        self._complain = complain
        self._counted_as = counted_as
        self._is_ours = is_ours
        self._open: list[_Connection] = []
        self._lines = Allowance(1, LINES_AT_ONCE)
        self._away = ""
        """Why there was no connection, the last time; empty: there was one."""

    async def run(self) -> None:
        """Serve."""
        loop, throttle = asyncio.get_running_loop(), Throttle(self._clock, CONNECTIONS_PER_SECOND)
        async with asyncio.TaskGroup() as group:
            while True:
                await throttle.wait()
                try:
                    reached, address = await loop.sock_accept(self._listener)
                except OSError as error:
                    log.warning("no connection can be taken", reason=error.strerror)
                    await asyncio.sleep(PAUSE_SECONDS)
                    continue
                one = _Connection(self._counted_as(peer_of(reached, address)), reached)
                self._make_room()
                self._open.append(one)
                one.task = group.create_task(self._pass_on(one))
                # It has begun, and puts itself away, before anything can end it.
                await asyncio.sleep(0)

    def _make_room(self) -> None:
        """Ends a connection where there are too many: of the client with most of them, one that was never answered."""
        if len(self._open) < self._limit:
            return
        count = Counter(one.peer for one in self._open)
        ended = max(self._open, key=lambda one: (count[one.peer], not one.was_answered))
        self._say(ended, f"more than {self._limit} connections")
        self._open.remove(ended)
        if ended.task is not None:
            ended.task.cancel()

    def _say(self, closed: _Connection, reason: str) -> None:
        if self._lines.take(self._clock.monotonic_ns()):
            log.warning("connection closed", peer=str(closed.peer), reason=reason)

    async def _pass_on(self, one: _Connection) -> None:
        inside: socket.socket | None = None
        try:
            where = self._inner(one.peer)
            if where is None:
                return
            inside = await self._reached(where)
            outward, inward = (one.answered, one.sent) if self._is_ours else (one.sent, one.answered)
            over = asyncio.get_running_loop().create_future()
            there = _Pump(one.outside, inside, outward, self._clock, over)
            back = _Pump(inside, one.outside, inward, self._clock, over)
            try:
                await over
            finally:
                there.stop()
                back.stop()
        except ExcessTraffic as error:
            self._say(one, str(error))
            self._complain(str(error))
        except OSError:
            pass
        finally:
            if inside is not None:
                inside.close()
            one.outside.close()
            with contextlib.suppress(ValueError):
                self._open.remove(one)
            if all(other.peer != one.peer for other in self._open):
                self._gone(one.peer)

    async def _reached(self, where: Path | tuple[str, int]) -> socket.socket:
        try:
            found = await _connected(where)
        except OSError as error:
            reason = error.strerror or str(error)
            if self._is_ours and reason != self._away:
                self._away = reason
                log.warning("cannot be reached", address=str(where), reason=reason)
            raise
        self._away = ""
        return found


async def _connected(where: Path | tuple[str, int]) -> socket.socket:
    """A connection to a path, or to a host and port.

    Raises:
        OSError: there is none.
    """
    loop = asyncio.get_running_loop()
    family: int = socket.AF_UNIX
    address: Any = str(where)
    async with asyncio.timeout(CONNECT_SECONDS):
        if not isinstance(where, Path):
            family, *_, address = (await loop.getaddrinfo(*where, type=socket.SOCK_STREAM))[0]
        found = socket.socket(family)
        try:
            found.settimeout(0)
            await loop.sock_connect(found, address)
        except BaseException:
            found.close()
            raise
    return found


def peer_of(reached: socket.socket, address: object) -> Hashable:
    """Who is at the other end: a user's number (``SO_PEERCRED``), or a machine's address."""
    reached.settimeout(0)
    if reached.family == socket.AF_UNIX:
        found = reached.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, PEER.size)
        return int(PEER.unpack(found)[1])
    reached.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return str(address[0]) if isinstance(address, tuple) else None


def tcp_listener(address: str) -> PlainSocket:
    """A socket that listens at ``HOST:PORT``, or ``[ADDRESS]:PORT`` for IPv6.

    Raises:
        OSError: the address cannot be had.
    """
    host, _, port = address.rpartition(":")
    family = socket.AF_INET6 if host.startswith("[") else socket.AF_INET
    where = ("" if host == "*" else host.strip("[]"), int(port))
    listener = socket.create_server(where, family=family, backlog=BACKLOG)
    listener.settimeout(0)
    return listener


def local_listener(path: Path, mode: int) -> PlainSocket:
    """A local socket at a path, which whoever ``mode`` lets may open; one that a killed process left there goes first.

    Raises:
        OSError: it cannot be made there.
    """
    path.unlink(missing_ok=True)
    listener = socket.socket(socket.AF_UNIX)
    try:
        listener.bind(str(path))
        path.chmod(mode)
        listener.listen(BACKLOG)
    except OSError:
        listener.close()
        raise
    listener.settimeout(0)
    return listener
