"""A table's end of the link on a socket: ZeroMQ DEALER with the table's own key, driving a ``LinkSession``.

A handshake that fails is silence, and so is a link that has gone; the socket is made anew while there is silence.
"""

from __future__ import annotations

import asyncio
import contextlib
import random
import tempfile
from collections.abc import Callable, Hashable, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

import structlog
import zmq
import zmq.asyncio

from controller.core.meters.pool_postings import TablePosting
from controller.io.lines.talk_limit import Talk
from controller.io.system.clock import Clock
from controller.io.system.rate_limits import NANOSECONDS, Allowance
from controller.io.system.zmtp_proxy import ZmtpProxy, local_listener
from controller.pool.session import LinkSession, LinkSessionEvent, Reaction
from controller.pool.turns import MEMBER
from controller.pool.wire import MESSAGE_LIMIT_BYTES, NotUnderstood, PoolStatus, frames, from_link

QUEUE_LIMIT: Final = 1_000
"""Messages to the link that may wait; what is beyond it is posted and asked again."""

HEARD_LIMIT: Final = 100
"""Messages of the link that may wait to be read; the rest waits with the link."""

ANEW_NS: Final = 5_000_000_000
"""Silence after which the socket is made anew."""

TELLINGS_PER_SECOND: Final = 10
"""How often the table takes note of how the pool stands; it asks twice a second."""

MODE: Final = 0o600
"""Of the sockets between the table's end and its proxies."""

TRY_NS: Final = 1_000_000
"""At least so long until a link that cannot be spoken to is tried again."""

MOVE_NS: Final = 1_000_000_000
"""How long a link may say nothing, or that its pool is closed, before the next one is tried: two questions.

With the time to reach the next it is heard before the pool would be closed for silence.
"""

log = structlog.get_logger(__name__)


class LinkAddress(NamedTuple):
    """Where the link is: ``HOST:PORT``, its public key, and the table's secret one."""

    address: str
    server_key: bytes
    secret_key: bytes


class TableEnd:
    """Runs a session until cancelled; ``deliver`` takes each event in order.

    ``ways`` are the link processes of the pool, all of one ledger. One of them is spoken to, at first the first, and
    the next once it is silent or its ledger is away: what has no answer yet is posted there again, in order.

    A link that talks without end is not listened to for a while, which is a silence like any other; ``alarm`` takes a
    line for people when it begins to.
    """

    def __init__(
        self,
        ways: Sequence[LinkAddress],
        session: LinkSession,
        clock: Clock,
        deliver: Callable[[LinkSessionEvent], None],
        *,
        chance: random.Random,
        alarm: Callable[[str], None],
    ) -> None:
        self._links = tuple(ways)
        self._place = 0
        self.session = session
        self._clock = clock
        self._deliver = deliver
        self._alarm = alarm
        self._talk = Talk(chance, MEMBER)
        self._tellings = Allowance(TELLINGS_PER_SECOND, TELLINGS_PER_SECOND)
        self._ignores_until_ns = clock.monotonic_ns()
        self._context = zmq.asyncio.Context.instance()
        self._socket: zmq.asyncio.Socket | None = None
        self._is_unusable = False
        """Whether the proxy has closed the connection for what the link sent."""
        self._folder = Path()
        """Where the proxies before the links listen to this process."""
        self._last_message_ns = self._open_ns = clock.monotonic_ns()

    @property
    def address(self) -> str:
        """Of the link that is spoken to now."""
        return self._links[self._place].address

    def post(self, deed: TablePosting) -> int:
        """Put a deed to the ledger; its number. Only while ``run`` runs."""
        seq, reaction = self.session.post(self._clock.monotonic_ns(), deed)
        self._do(reaction)
        return seq

    async def run(self) -> None:
        """Go on."""
        try:
            with contextlib.ExitStack() as kept:
                self._folder = Path(kept.enter_context(tempfile.TemporaryDirectory(prefix="tableside-")))
                async with asyncio.TaskGroup() as group:
                    for place, where in enumerate(self._links):
                        listener = kept.enter_context(local_listener(self._folder / str(place), MODE))
                        proxy = ZmtpProxy(listener, _to(where), self._clock, complain=self._mark_unusable, is_ours=True)
                        group.create_task(proxy.run())
                    await self._go_on()
        except ExceptionGroup as failed:
            raise failed.exceptions[0] from failed

    async def _go_on(self) -> None:
        try:
            while True:
                now_ns = self._clock.monotonic_ns()
                if self._is_unusable:
                    self._is_unusable = False
                    self._stop_listening(now_ns)
                socket = self._connected()
                wait_ns = self.session.next_deadline() - now_ns
                if self._is_to_move():
                    wait_ns = min(wait_ns, self._open_ns + MOVE_NS - now_ns)
                if self._is_to_move() and now_ns >= self._open_ns + MOVE_NS:
                    self._move(now_ns)
                elif wait_ns <= 0:
                    self._do(self.session.handle_deadline(now_ns))
                elif socket is None:
                    await asyncio.sleep(min(wait_ns, max(self._ignores_until_ns - now_ns, TRY_NS)) / NANOSECONDS)
                elif await socket.poll(max(1, wait_ns // 1_000_000)):
                    self._receive(await socket.recv_multipart())
                if self._clock.monotonic_ns() - self._last_message_ns > ANEW_NS:
                    self._close()
                    self._last_message_ns = self._clock.monotonic_ns()
        finally:
            self._close()

    def _receive(self, parts: list[bytes]) -> None:
        now_ns = self._clock.monotonic_ns()
        if not (self._talk.reading(now_ns) and self._talk.data(sum(map(len, parts)), now_ns)):
            self._stop_listening(now_ns)
            return
        try:
            message = from_link(parts)
        except NotUnderstood as error:
            if self._tellings.take(now_ns):
                log.warning("link not understood", reason=str(error))
            return
        if isinstance(message, PoolStatus) and not self._tellings.take(now_ns):
            return
        self._last_message_ns = now_ns
        if not (isinstance(message, PoolStatus) and message.closed):
            self._open_ns = self._last_message_ns
        self._do(self.session.receive(self._last_message_ns, message))

    def _mark_unusable(self, reason: str) -> None:
        del reason
        self._is_unusable = True

    def _stop_listening(self, now_ns: int) -> None:
        self._close()
        begins = self._talk.closed(now_ns)
        self._ignores_until_ns = now_ns + round(self._talk.pause_seconds() * NANOSECONDS)
        if begins:
            text = f"{self.address}: too many messages a second: nothing is heard of it for a while"
            log.error("link talks too much", reason=text)
            self._alarm(text)

    def _is_to_move(self) -> bool:
        """Whether another link would be tried if this one went on as it is."""
        return len(self._links) > 1 and not self.session.condemned

    def _move(self, now_ns: int) -> None:
        before, self._place = self.address, (self._place + 1) % len(self._links)
        log.warning("link silent or closed, the next is tried", address=before, next=self.address)
        self._close()
        self._last_message_ns = self._open_ns = self._ignores_until_ns = now_ns
        self.session.moved(now_ns)

    def _do(self, reaction: Reaction) -> None:
        for message in reaction.send:
            if self._socket is not None:
                # What a full queue does not take is posted again.
                future = asyncio.ensure_future(self._socket.send_multipart(frames(message), flags=zmq.DONTWAIT))
                future.add_done_callback(_ignore)
        for event in reaction.events:
            self._deliver(event)

    def _connected(self) -> zmq.asyncio.Socket | None:
        """The socket, made if there is none; None where the link is not listened to now."""
        now_ns = self._clock.monotonic_ns()
        if self._socket is None and now_ns >= self._ignores_until_ns:
            self._talk.opened(now_ns)
            socket = self._context.socket(zmq.DEALER)
            for option, value in (
                (zmq.LINGER, 0),
                (zmq.SNDHWM, QUEUE_LIMIT),
                (zmq.RCVHWM, HEARD_LIMIT),
                (zmq.MAXMSGSIZE, MESSAGE_LIMIT_BYTES),
            ):
                socket.set(option, value)
            where = self._links[self._place]
            socket.set(zmq.CURVE_SECRETKEY, where.secret_key)
            socket.set(zmq.CURVE_PUBLICKEY, zmq.curve_public(where.secret_key))
            socket.set(zmq.CURVE_SERVERKEY, where.server_key)
            socket.connect(f"ipc://{self._folder / str(self._place)}")
            self._socket = socket
        return self._socket

    def _close(self) -> None:
        if self._socket is not None:
            self._socket.close(linger=0)
            self._socket = None


def _to(where: LinkAddress) -> Callable[[Hashable], tuple[str, int]]:
    """To which host and port a proxy passes on."""
    host, _, port = where.address.rpartition(":")
    return lambda _: (host.strip("[]"), int(port))


def _ignore(future: asyncio.Future[Any]) -> None:
    if not future.cancelled():
        future.exception()
