"""The link's process: tables over ZeroMQ on one side, the ledger on the other.

Postings that arrive while the ledger works share its next transaction; their answers leave once it is on the disk. A
pool whose ledger cannot be reached is closed; one that does not add up ends the process.
"""

from __future__ import annotations

import asyncio
import contextlib
import random
import tempfile
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Final, NamedTuple, assert_never

import structlog
import zmq
import zmq.asyncio
from zmq.auth.asyncio import AsyncioAuthenticator

from controller.core.meters.pool_postings import AwardOutcome, DeclinedOutcome
from controller.io.system.clock import Clock
from controller.io.system.rate_limits import NANOSECONDS, Throttle
from controller.io.system.zmtp_proxy import PlainSocket, ZmtpProxy, tcp_listener
from controller.pool.complaints import Complaints
from controller.pool.ledger import Ledger, LedgerFailed, TableAccount
from controller.pool.posting_rates import OWED, PostingRates
from controller.pool.postings import LedgerAnswer, LedgerEntry, OutOfOrder, PoolBalance, Posting
from controller.pool.reconciliation import Reconciliation, reconcile
from controller.pool.session import WINDOW
from controller.pool.turns import Turns
from controller.pool.wire import (
    MESSAGE_LIMIT_BYTES,
    NOT_ADDED_UP,
    NotUnderstood,
    PoolStatus,
    PostingAnswer,
    PostingRequest,
    StatusRequest,
    frames,
    from_table,
)

ANSWERS_LIMIT: Final = 1_000
"""Answers that may wait for one connection; what is beyond it is dropped, and posted and asked again."""

MESSAGES_PER_SECOND: Final = 5_000
"""Read of all tables together; ZeroMQ takes from one connection after the other, so that whoever floods waits alone."""

STRANGERS_LIMIT: Final = 16
"""Connections beside two for each table: one that broke may be missed late."""

BATCH_LIMIT: Final = 500
"""Postings in one transaction."""

STALE_SECONDS: Final = 1.0
"""How old the last look may be that tables are informed of."""

LOOK_SECONDS: Final = 0.25
"""Between two looks at the ledger: what other processes did is shown within this time."""

RECONCILE_SECONDS: Final = 60.0

TOLD_SECONDS: Final = 3.0
"""How long a link whose ledger does not add up goes on to tell tables why the pool is closed, before it ends."""

log = structlog.get_logger(__name__)


EPOCH_AHEAD_SECONDS: Final = 24 * 3600
"""How far a table's epoch, the second in which its journal began, may lie ahead of the link's clock."""


class LinkFailed(Exception):  # noqa: N818 - named for what happened
    """The link cannot be served; the text says where and why."""


class DoesNotAddUp(Exception):  # noqa: N818
    """The ledger does not agree with itself: nothing more is entered, nothing may be paid. A line for each mistake."""

    def __init__(self, mistakes: tuple[str, ...]) -> None:
        super().__init__("; ".join(mistakes))
        self.mistakes = mistakes


class LinkEndpoint(NamedTuple):
    """Where tables reach the link, its secret key, and whose each public key is."""

    address: str
    secret_key: bytes
    tables: Mapping[str, str]
    reconcile_seconds: float = RECONCILE_SECONDS
    owed: int = OWED
    """Postings that a table may make at once without an alarm."""


class _Waiting(NamedTuple):
    peer: bytes
    posting: Posting


class LinkService:
    """Serves a pool's tables until cancelled. ``audit`` is a way of its own to the same ledger."""

    def __init__(
        self, where: LinkEndpoint, ledger: Ledger, audit: Ledger, *, clock: Clock, chance: random.Random
    ) -> None:
        self._where = where
        self._ledger = ledger
        self._audit = audit
        self._clock = clock
        self._turns: Turns[_Waiting] = Turns(set(where.tables.values()), clock, chance)
        self._complaints = Complaints(ledger.pool, clock)
        self._rates = PostingRates(self._complaints, clock, where.owed)
        self._accounts: dict[str, TableAccount] = {}
        self._standing = PoolBalance(0, 0)
        self._turn = asyncio.Lock()
        self._looked = 0.0
        """When the ledger last answered, by the loop's clock."""
        self.closed = "the link starts"
        """Why the pool is closed; empty: it is open."""
        self._wrong: DoesNotAddUp | None = None
        self._condemned = asyncio.Event()
        self._stirred = asyncio.Event()
        """Set when there may be something to read: ZeroMQ tells of it once, and a send may swallow that."""
        self.bound = asyncio.Event()
        """Set once tables can reach it."""
        self.port = 0

    def status(self) -> str:
        """How the link is, for people."""
        shown = self._standing.shown_cents
        return f"{self.closed or 'open'}: {shown // 100}.{shown % 100:02} after {self._standing.number} entries"

    async def run(self) -> None:
        """Serve.

        Raises:
            DoesNotAddUp, LinkFailed, LedgerRefused, LedgerFailed: the ledger or the address cannot be used.
        """
        await self._check()
        if self._wrong is not None:
            raise self._wrong
        await self._look()
        self.closed = ""
        context: zmq.Context[zmq.Socket[bytes]] = zmq.Context()
        authenticator = AsyncioAuthenticator(zmq.asyncio.Context.shadow(context))
        try:
            authenticator.start()
            authenticator.configure_curve_callback(domain="*", credentials_provider=_Known(self._where.tables))
            with self._listener() as listener, tempfile.TemporaryDirectory(prefix="tableside-") as folder:
                await self._serve(context, listener, Path(folder) / "tables")
        except ExceptionGroup as failed:
            raise failed.exceptions[0] from failed
        except OSError as error:
            raise LinkFailed(f"[link] no folder for its own sockets: {error.strerror}") from error
        finally:
            authenticator.stop()
            context.destroy(linger=0)

    async def _serve(self, context: zmq.Context[zmq.Socket[bytes]], listener: PlainSocket, inside: Path) -> None:
        socket = self._socket(context, inside)
        loop, descriptor = asyncio.get_running_loop(), socket.fileno()
        loop.add_reader(descriptor, self._stirred.set)
        limit = 2 * len(self._where.tables) + STRANGERS_LIMIT
        self.bound.set()
        try:
            async with asyncio.TaskGroup() as group:
                group.create_task(ZmtpProxy(listener, lambda _: inside, self._clock, limit=limit).run())
                group.create_task(self._hear(socket))
                group.create_task(self._enter(socket))
                group.create_task(self._repeat(LOOK_SECONDS, self._look))
                group.create_task(self._repeat(self._where.reconcile_seconds, self._check))
                group.create_task(self._end_condemned())
        finally:
            loop.remove_reader(descriptor)

    def _listener(self) -> PlainSocket:
        try:
            listener = tcp_listener(self._where.address)
        except OSError as error:
            raise LinkFailed(f"[link] listen: {self._where.address}: {error.strerror}") from error
        self.port = listener.getsockname()[1]
        return listener

    def _socket(self, context: zmq.Context[zmq.Socket[bytes]], path: Path) -> zmq.Socket[bytes]:
        # A plain one: zmq.asyncio makes a future for each message, which costs more than to read it.
        socket = context.socket(zmq.ROUTER)
        for option, value in (
            (zmq.LINGER, 0),
            # What a connection has under way at most; the rest waits with whoever sends it.
            (zmq.RCVHWM, WINDOW),
            (zmq.SNDHWM, ANSWERS_LIMIT),
            (zmq.MAXMSGSIZE, MESSAGE_LIMIT_BYTES),
            (zmq.CURVE_SERVER, 1),
        ):
            socket.set(option, value)
        socket.set(zmq.CURVE_SECRETKEY, self._where.secret_key)
        socket.bind(f"ipc://{path}")
        return socket

    async def _hear(self, socket: zmq.Socket[bytes]) -> None:
        throttle = Throttle(self._clock, MESSAGES_PER_SECOND)
        while True:
            await throttle.wait()
            peer, *parts = await self._received(socket)
            table = self._where.tables[str((parts[0] if parts else peer).get("User-Id"))]
            if not self._turns.hears(table, sum(len(part.buffer) for part in parts)):
                continue
            try:
                message = from_table([bytes(part.buffer) for part in parts])
            except NotUnderstood as error:
                self._complaints.warn("message refused", table, str(error))
                continue
            to = bytes(peer.buffer)
            match message:
                case StatusRequest():
                    account = self._accounts.get(table, TableAccount())
                    standing = self._standing
                    status = PoolStatus(self._ledger.pool, *standing, account.epoch, account.seq, self._why_closed())
                    self._send(socket, to, frames(status))
                case PostingRequest(epoch, seq, deed):
                    refused = self._ahead(table, epoch, seq)
                    if refused is None:
                        self._turns.put(table, _Waiting(to, Posting(table, epoch, seq, deed)))
                    else:
                        self._send(socket, to, frames(PostingAnswer(epoch, seq, refused)))
                case _:
                    assert_never(message)

    async def _received(self, socket: zmq.Socket[bytes]) -> list[zmq.Frame]:
        """The next message, once there is one."""
        while True:
            self._stirred.clear()
            try:
                return socket.recv_multipart(zmq.DONTWAIT, copy=False)
            except zmq.Again:
                await self._stirred.wait()

    def _ahead(self, table: str, epoch: int, seq: int) -> OutOfOrder | None:
        """Why an epoch cannot be a journal's; None: it may be. A lower one is over once it is entered."""
        ahead_seconds = epoch - self._clock.wall_ns() // NANOSECONDS
        if ahead_seconds <= EPOCH_AHEAD_SECONDS:
            return None
        reason = f"epoch {epoch} of {table} begins in {ahead_seconds} s by the link's clock: check both clocks"
        self._complaints.alarm("epoch from the future", table, reason, epoch=epoch)
        # The posting's own numbers, so that its table takes it for a dispute and says so, and does not post it again.
        return OutOfOrder(epoch, seq, reason)

    async def _enter(self, socket: zmq.Socket[bytes]) -> None:
        while True:
            batch = await self._turns.batch(BATCH_LIMIT)
            if self._wrong is not None:
                continue
            async with self._turn:
                try:
                    answers = await asyncio.to_thread(self._ledger.post, [one.posting for one in batch])
                except LedgerFailed as error:
                    self._fail(error)
                    continue
                except AssertionError as error:
                    self._condemn((str(error),))
                    continue
            self._looked = asyncio.get_running_loop().time()
            for (peer, posting), answer in zip(batch, answers, strict=True):
                self._note(posting, answer)
                self._send(socket, peer, frames(PostingAnswer(posting.epoch, posting.seq, answer)))

    def _note(self, posting: Posting, answer: LedgerAnswer) -> None:
        if isinstance(answer, LedgerEntry):
            self._rates.note_entry(posting.table)
            if isinstance(answer.outcome, DeclinedOutcome):
                where = {"epoch": posting.epoch, "seq": posting.seq, "entry": answer.number}
                self._complaints.alarm("posting declined", posting.table, answer.outcome.reason, **where)
            if isinstance(answer.outcome, AwardOutcome):
                cents = sum(one.cents for one in answer.outcome.jackpots)
                log.warning("pool won", pool=self._ledger.pool, table=posting.table, entry=answer.number, cents=cents)
            self._standing = max(self._standing, PoolBalance(answer.number, answer.shown_cents))
            account = self._accounts.get(posting.table, TableAccount())
            epoch, seq = max((account.epoch, account.seq), (posting.epoch, posting.seq))
            self._accounts[posting.table] = account._replace(epoch=epoch, seq=seq)

    async def _look(self) -> None:
        """See what the ledger stands at, other processes' entries included."""
        async with self._turn:
            try:
                books = await asyncio.to_thread(self._ledger.books)
            except LedgerFailed as error:
                self._fail(error)
                return
        self._looked = asyncio.get_running_loop().time()
        self._standing = PoolBalance(books.entries, books.meter.shown_cents())
        self._accounts = dict(books.accounts)
        if self.closed and self._wrong is None:
            log.info("the ledger is there again", pool=self._ledger.pool)
            self.closed = ""

    async def _check(self) -> None:
        try:
            found = await asyncio.to_thread(reconcile, self._audit)
        except LedgerFailed as error:
            self._fail(error)
            return
        if found.mistakes:
            self._condemn(found.mistakes)
        else:
            log.info("reconciled", pool=self._ledger.pool, **totals(found))

    def _condemn(self, mistakes: tuple[str, ...]) -> None:
        """Nothing more is entered; tables are informed why before the link ends."""
        for mistake in mistakes:
            log.error("ALARM: the ledger does not add up", pool=self._ledger.pool, mistake=mistake)
        if self._wrong is None:
            self._wrong, self.closed = DoesNotAddUp(mistakes), NOT_ADDED_UP
            self._condemned.set()

    async def _end_condemned(self) -> None:
        await self._condemned.wait()
        await asyncio.sleep(TOLD_SECONDS)
        assert self._wrong is not None
        raise self._wrong

    def _why_closed(self) -> str:
        if self.closed or asyncio.get_running_loop().time() - self._looked <= STALE_SECONDS:
            return self.closed
        return "the ledger does not answer"

    def _fail(self, error: LedgerFailed) -> None:
        if not self.closed:
            log.error("pool closed", reason=str(error))
        if self._wrong is None:
            self.closed = "the ledger cannot be reached"

    async def _repeat(self, seconds: float, work: Callable[[], Awaitable[None]]) -> None:
        while True:
            await asyncio.sleep(seconds)
            await work()

    def _send(self, socket: zmq.Socket[bytes], peer: bytes, parts: list[bytes]) -> None:
        # A ROUTER drops what is for somebody who has gone.
        with contextlib.suppress(zmq.ZMQError):
            socket.send_multipart([peer, *parts], flags=zmq.DONTWAIT)
        self._stirred.set()


def totals(found: Reconciliation) -> dict[str, int]:
    """Both sides of a reconciliation, in units of 1/10,000 cent."""
    return {
        "paid": found.total.paid,
        "shown": found.shown + found.put_by,
        "reserved": found.total.reserved,
        "contributed": found.total.contributed,
        "funded": found.funded,
    }


class _Known:
    """What the authenticator asks of us."""

    def __init__(self, tables: Mapping[str, str]) -> None:
        self._tables = tables

    def callback(self, domain: str, key: bytes) -> bool:
        """Whether a table may come in with this public key, written in Z85."""
        del domain
        return key.decode() in self._tables
