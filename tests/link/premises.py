"""A link as it runs: its file and keys, its process, tables that post to it over real sockets."""

from __future__ import annotations

import asyncio
import contextlib
import random
from asyncio.subprocess import Process
from collections.abc import AsyncIterator, Sequence
from copy import copy
from pathlib import Path

import zmq
from click.testing import CliRunner, Result

from controller.commands.link import command
from controller.core.meters.pool_postings import TablePosting
from controller.io.files.secret_files import write_secret
from controller.io.mqtt.broker import free_port
from controller.io.system.clock import SystemClock
from controller.pool.session import LinkSession, LinkSessionEvent, PoolState, PostingConfirmed
from controller.pool.table_end import LinkAddress, TableEnd
from tests.link.server import unused_pool
from tests.trigger_box.premises import running

PATIENCE_SECONDS = 60.0
POOL = "pit-1"
BETS = "{blazing_7s = [[1, 1], [1, 10]], blazing7s = [[1, 1], [1, 10]]}"
BY_TWO = ("--who", "Ann", "--second", "Ben")


class Premises:
    """A folder with a link's file; ``count`` tables are known to it.

    ``pool``: its name, for who must know it before; else one that no other pool of the shared server has.
    """

    def __init__(self, folder: Path, count: int, postgresql: str = "", pool: str = "") -> None:
        self.folder = folder
        self.pool = pool or (unused_pool() if postgresql else POOL)
        self.port = free_port()
        public, secret = zmq.curve_keypair()
        write_secret(folder / "link.key", secret + b"\n")
        self.public = public
        self.tables = {f"harbour/bj-{number}": zmq.curve_keypair() for number in range(1, count + 1)}
        place = f'postgresql = "{postgresql}"' if postgresql else 'sqlite = "ledger.sqlite"'
        rows = "".join(
            f'\n[[table]]\nname = "{name}"\nkeys = ["{key[0].decode()}"]\nbets = {BETS}\n'
            for name, key in self.tables.items()
        )
        self.file = folder / "link.toml"
        self.file.write_text(
            f"""
[link]
pool = "{self.pool}"
listen = "127.0.0.1:{self.port}"
key_file = "link.key"
{place}

[meter]
base_cents = 1000000
reset_cents = 500000
rate = [17, 100]
hidden_rate = [1, 30]
unreasonable_cents = 100000
{rows}"""
        )

    def beside(self, number: int) -> Premises:
        """Another link process for the same pool and tables, on a port of its own."""
        other = copy(self)
        other.port = free_port()
        other.file = self.folder / f"link-{number}.toml"
        other.file.write_text(self.file.read_text().replace(f':{self.port}"', f':{other.port}"'))
        return other

    def does(self, *arguments: str) -> Result:
        """``tableside link`` with the file after the verb."""
        verb, *more = arguments
        return CliRunner().invoke(command, [verb, str(self.file), *more])

    def process(self) -> contextlib.AbstractAsyncContextManager[Process]:
        """The link itself."""
        return running("-m", "controller", "link", "run", str(self.file), "--log-format", "json")

    @contextlib.asynccontextmanager
    async def table(
        self,
        name: str = "harbour/bj-1",
        key: bytes | None = None,
        others: Sequence[Premises] = (),
        epoch: int = 1,
        waiting: Sequence[TablePosting] = (),
    ) -> AsyncIterator[Table]:
        """A table at work; ``others``: further link processes it may turn to; ``waiting``: what its journal holds."""
        secret = key or self.tables[name][1]
        ways = [LinkAddress(f"127.0.0.1:{one.port}", one.public, secret) for one in (self, *others)]
        table = Table(self.pool, *ways, epoch=epoch, waiting=waiting)
        task = asyncio.create_task(table.end.run())
        try:
            yield table
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)


class Table:
    """A table that remembers what it was sent."""

    def __init__(self, pool: str, *ways: LinkAddress, epoch: int = 1, waiting: Sequence[TablePosting] = ()) -> None:
        clock = SystemClock()
        self.alarms: list[str] = []
        self.end = TableEnd(
            ways,
            LinkSession(pool, epoch, clock.monotonic_ns(), waiting=waiting),
            clock,
            self._take,
            chance=random.Random(1),
            alarm=self.alarms.append,
        )
        self.settled: list[PostingConfirmed] = []
        self.shows = PoolState(None, "the link is away")
        self._changed = asyncio.Event()

    def _take(self, event: LinkSessionEvent) -> None:
        if isinstance(event, PostingConfirmed):
            self.settled.append(event)
        else:
            self.shows = event
        self._changed.set()

    async def does(self, deed: TablePosting) -> PostingConfirmed:
        """Post, and wait for the answer."""
        return await self.answer_to(self.end.post(deed))

    async def answer_to(self, seq: int) -> PostingConfirmed:
        """Wait for the answer to a posting."""
        while len(self.settled) < seq:
            await self.changed()
        return self.settled[seq - 1]

    async def until(self, *, closed: bool) -> PoolState:
        """Wait until the pool is open, or closed."""
        while bool(self.shows.closed) != closed:
            await self.changed()
        return self.shows

    async def changed(self) -> None:
        """Wait until it is sent something."""
        self._changed.clear()
        async with asyncio.timeout(PATIENCE_SECONDS):
            await self._changed.wait()
