"""The operator channel: people's orders to a table, over ZeroMQ, from those who may give them.

On the table PC one ipc socket for each role, opened by whom the file system lets; over TCP CURVE, where every client
proves its key and nothing passes in clear. Requests are answered once the journal has what they did.
"""

from __future__ import annotations

import asyncio
import contextlib
import pwd
import tempfile
from collections.abc import Callable, Coroutine, Hashable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

import structlog
import zmq
import zmq.asyncio
from zmq.auth.asyncio import AsyncioAuthenticator

from controller.formats.orders.operators import (
    RIGHTS,
    ROLES,
    ChannelRequest,
    ChannelUser,
    OperatorRefused,
    Role,
    read_request,
    refused_frames,
    reply_frames,
)
from controller.io.system.clock import Clock
from controller.io.system.rate_limits import RequestLimit, RequestVerdict, Throttle
from controller.io.system.zmtp_proxy import PlainSocket, ZmtpProxy, local_listener, tcp_listener

QUEUE_LIMIT: Final = 100
"""Requests that may wait on a socket: people ask a few a minute."""

MESSAGE_LIMIT_BYTES: Final = 128 * 1024
"""A larger message ends its connection."""

TCP_LIMIT: Final = 32
"""Connections of operators over TCP at once."""

MODE: Final = 0o660
"""Rights of a role's socket: the daemon's user, and the group that the role's folder belongs to."""

SOCKET: Final = "socket"
"""The name of the socket within a role's folder: the folder's rights say who may reach it."""

OVERFLOW_USER: Final = 65534
"""``/proc/sys/kernel/overflowuid``, as every distribution leaves it."""


def has_account(user: int) -> bool:
    """Whether a user's number is that of an account of this PC, and so of one person or program.

    Whoever has an account may have a range of other numbers as well (``subuid(5)``), for processes in a user namespace.
    """
    try:
        pwd.getpwuid(user)
    except KeyError:
        return False
    return user != OVERFLOW_USER


log = structlog.get_logger(__name__)

SendReply = Callable[[bytes], None]
"""Takes the reply to a request, at any time, once."""


class ChannelFailed(Exception):  # noqa: N818 - named for what happened
    """The channel cannot be served; the text says where and why."""


class ChannelEndpoints(NamedTuple):
    """Where the channel is served: ``directory`` for the roles' sockets, ``address`` (``HOST:PORT``) for CURVE.

    ``operators``: by public key, who connects with it; ``signers``: by signing key, who signs with it. Neither is
    named by anybody else at a socket. ``is_account``: whether a user's number is an account's of this PC.
    """

    directory: Path | None = None
    address: str = ""
    secret_key: bytes = b""
    operators: Mapping[str, ChannelUser] = {}
    signers: Mapping[str, ChannelUser] = {}
    is_account: Callable[[int], bool] = has_account


class OperatorChannel:
    """Serves a table's operators until cancelled. ``ask(request, answer)`` carries a permitted request out.

    Everybody who asks has as much of the channel as the ``limit`` allows each, and all together as much as can be read
    beside everything else; ZeroMQ takes from one connection after the other, so that only a flooding client waits.
    """

    def __init__(
        self,
        where: ChannelEndpoints,
        table: str,
        ask: Callable[[ChannelRequest, SendReply], None],
        clock: Clock,
        limit: RequestLimit | None = None,
    ) -> None:
        self._where = where
        self._table = table
        self._owners = frozenset(one.name for known in (where.operators, where.signers) for one in known.values())
        self._ask = ask
        self._clock = clock
        self._limit = limit or RequestLimit(clock, lambda _: None)
        self.bound = asyncio.Event()
        """Set once every socket is served."""
        self.port = 0
        """The TCP port served, 0 for none."""

    async def run(self) -> None:
        """Serve.

        Raises:
            ChannelFailed: a socket cannot be had.
        """
        context = zmq.asyncio.Context()
        authenticator: AsyncioAuthenticator | None = None
        try:
            with contextlib.ExitStack() as kept:
                inside = Path(kept.enter_context(tempfile.TemporaryDirectory(prefix="tableside-")))
                outside = {role: kept.enter_context(self._local(role)) for role in ROLES if self._where.directory}
                async with asyncio.TaskGroup() as group:
                    if self._where.address:
                        authenticator = self._authenticator(context)
                        listener = kept.enter_context(self._tcp())
                        group.create_task(self._serve(self._curve(context, inside / "tcp"), None))
                        proxy = ZmtpProxy(listener, lambda _: inside / "tcp", self._clock, limit=TCP_LIMIT)
                        group.create_task(proxy.run())
                    for role, listener in outside.items():
                        users = _Users(lambda path: _bound(context, path), inside, role, group, self._serve)
                        proxy = ZmtpProxy(listener, users.came, self._clock, users.went, counted_as=self._account)
                        group.create_task(proxy.run())
                    self.bound.set()
        except ExceptionGroup as failed:
            raise failed.exceptions[0] from failed
        except OSError as error:
            raise ChannelFailed(f"operator channel: no folder for its own sockets: {error.strerror}") from error
        finally:
            if authenticator is not None:
                authenticator.stop()
            context.destroy(linger=0)
            self._put_away()

    def _authenticator(self, context: zmq.asyncio.Context) -> AsyncioAuthenticator:
        """Lets in whose key is known; the key then comes with every message."""
        found = AsyncioAuthenticator(context)
        found.start()
        found.configure_curve_callback(domain="*", credentials_provider=_Known(self._where.operators))
        return found

    def _curve(self, context: zmq.asyncio.Context, path: Path) -> zmq.asyncio.Socket:
        socket = _router(context)
        socket.set(zmq.CURVE_SERVER, 1)
        socket.set(zmq.CURVE_SECRETKEY, self._where.secret_key)
        socket.bind(f"ipc://{path}")
        return socket

    def _tcp(self) -> PlainSocket:
        try:
            listener = tcp_listener(self._where.address)
        except OSError as error:
            raise ChannelFailed(f"operator channel: tcp://{self._where.address}: {error.strerror}") from error
        self.port = listener.getsockname()[1]
        return listener

    def _local(self, role: Role) -> PlainSocket:
        assert self._where.directory is not None
        folder = self._where.directory / role
        if not self._where.directory.is_dir():
            advice = "make it, as systemd/tableside.tmpfiles.conf shows"
            raise ChannelFailed(f"operator channel: {self._where.directory}: there is no such folder: {advice}")
        try:
            # A folder that is there already keeps the group and rights it was given.
            folder.mkdir(mode=0o750, exist_ok=True)
            return local_listener(folder / SOCKET, MODE)
        except OSError as error:
            raise ChannelFailed(f"operator channel: {folder}: {error.strerror or error}") from error

    async def _serve(self, socket: zmq.asyncio.Socket, asking: ChannelUser | None) -> None:
        """Take requests; ``asking`` None: the key that came with the message says who asks."""
        throttle = Throttle(self._clock)
        while True:
            await throttle.wait()
            peer, *frames = await socket.recv_multipart(copy=False)

            def answer(payload: bytes, to: bytes = bytes(peer.buffer)) -> None:
                self._send(socket, [to, *reply_frames(payload)])

            who = asking or self._asking(frames)
            verb = bytes(frames[2].buffer).decode(errors="replace") if len(frames) > 2 else ""
            limited = who.person_text(), verb if verb in RIGHTS else "unknown commands"
            verdict = self._limit.admit(*limited)
            if verdict is not RequestVerdict.ADMITTED:
                if verdict is RequestVerdict.REFUSED:
                    self._send(socket, [bytes(peer.buffer), *refused_frames(self._limit.refusal(*limited))])
                continue
            try:
                request = read_request([bytes(frame.buffer) for frame in frames], self._table, who, self._owners)
            except OperatorRefused as refused:
                log.warning("order refused", who=who.name, roles=sorted(who.roles), reason=str(refused))
                self._send(socket, [bytes(peer.buffer), *refused_frames(refused.reason)])
                continue
            self._ask(request, answer)

    def _asking(self, frames: Sequence[zmq.Frame]) -> ChannelUser:
        """The person who came with a message; unauthenticated if the channel cannot say."""
        key = str(frames[0].get("User-Id")) if frames else ""
        return self._where.operators.get(key, ChannelUser(frozenset()))

    def _account(self, user: Hashable) -> Hashable:
        """The user whose process connects; None: whoever it is has no account, and is no person in particular."""
        return user if isinstance(user, int) and self._where.is_account(user) else None

    def _send(self, socket: zmq.asyncio.Socket, frames: list[bytes]) -> None:
        if not socket.closed:
            # A ROUTER drops what is for somebody who has gone.
            socket.send_multipart(frames, flags=zmq.DONTWAIT)

    def _put_away(self) -> None:
        for role in ROLES if self._where.directory else ():
            assert self._where.directory is not None
            with contextlib.suppress(OSError):
                (self._where.directory / role / SOCKET).unlink(missing_ok=True)


class _Users:
    """ZeroMQ's side of a role's socket: one for each user, so that where a request comes in says whose process asks.

    All who have no account on this PC are one, None, which is no person in particular: a user that the daemon's own
    namespace does not know (the overflow user there), and the numbers that an account has besides its own.
    """

    def __init__(
        self,
        bound: Callable[[Path], zmq.asyncio.Socket],
        folder: Path,
        role: Role,
        group: asyncio.TaskGroup,
        serve: Callable[[zmq.asyncio.Socket, ChannelUser], Coroutine[Any, Any, None]],
    ) -> None:
        self._bound = bound
        self._folder = folder
        self._role = role
        self._group = group
        self._serve = serve
        self._made = 0
        self._served: dict[Hashable, tuple[Path, zmq.asyncio.Socket, asyncio.Task[None]]] = {}

    def came(self, user: Hashable) -> Path | None:
        """Where a user's connection is passed on to; None: nowhere."""
        if user not in self._served:
            self._made += 1
            path = self._folder / f"{self._role}-{self._made}"
            try:
                socket = self._bound(path)
            except zmq.ZMQError as error:
                log.warning("no connection can be taken", reason=str(error))
                return None
            asking = ChannelUser(frozenset({self._role}), user=user if isinstance(user, int) else None)
            self._served[user] = path, socket, self._group.create_task(self._serve(socket, asking))
        return self._served[user][0]

    def went(self, user: Hashable) -> None:
        """The last connection of a user has ended."""
        if user in self._served:
            _, socket, task = self._served.pop(user)
            task.cancel()
            socket.close(linger=0)


def _router(context: zmq.asyncio.Context) -> zmq.asyncio.Socket:
    socket = context.socket(zmq.ROUTER)
    socket.set(zmq.LINGER, 0)
    socket.set(zmq.RCVHWM, QUEUE_LIMIT)
    socket.set(zmq.SNDHWM, QUEUE_LIMIT)
    socket.set(zmq.MAXMSGSIZE, MESSAGE_LIMIT_BYTES)
    return socket


def _bound(context: zmq.asyncio.Context, path: Path) -> zmq.asyncio.Socket:
    socket = _router(context)
    socket.bind(f"ipc://{path}")
    return socket


class _Known:
    """What the authenticator asks of us."""

    def __init__(self, operators: Mapping[str, ChannelUser]) -> None:
        self._operators = operators

    def callback(self, domain: str, key: bytes) -> bool:
        """Whether somebody may come in with this public key, written in Z85."""
        del domain
        return key.decode() in self._operators
