"""Links, tables and PostgreSQL killed at random, or silent, while tables post: are the sums exact at the end?

    python -m tests.link.killing --kills 500 --file link-kills.jsonl

Kills fall at moments chosen by chance, each after some more entries than at the last; the sums are held against what
the tables' own plans say: every deed once, every unit of rate x wagers. Every 25 kills have a pool of their own and
are a line of the file: stopped and begun again with the same file, the campaign goes on. Exit status 1 if anything
disagrees.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import random
import sys
import tempfile
import time
from asyncio.subprocess import DEVNULL, Process
from pathlib import Path
from typing import Any, NamedTuple

from controller.core.meters.meter import UNITS
from controller.core.meters.pool_postings import WagerPosting
from controller.io.files.secret_files import write_secret
from controller.pool.ledger import Ledger, LedgerFailed
from controller.pool.ledger_replay import refold
from controller.pool.postgresql import PostgresqlDatabase
from controller.pool.reconciliation import reconcile
from tests.campaigns.crews import Piece, options, pieces, work_off
from tests.io.virtual_time import passes
from tests.link.premises import BY_TWO, Premises
from tests.link.server import Server
from tests.link.table_process import deeds

PROCESSES = 2
LINKS = 2
TABLES_EACH = 2
PATIENCE_SECONDS = 300.0
ENTRIES_A_KILL = 40
PER_POOL = 25
SILENT_S = (1.0, 12.0)
"""For how long PostgreSQL says nothing: within a link's patience with a statement, and beyond."""


class Outcome(NamedTuple):
    """What came of a pool: what was killed and entered, what stood on either side, and what did not agree."""

    kills: int
    entries: int
    units: int
    seconds: int
    wrong: tuple[str, ...]


class Scene:
    """What may be killed, and how it comes back."""

    def __init__(self, server: Server, premises: Premises, seed: int, count: int) -> None:
        self.server = server
        self.premises = premises
        self.seed = seed
        self.count = count
        names = list(premises.tables)
        self.groups = [names[place::PROCESSES] for place in range(PROCESSES)]
        self.ways = [premises, *(premises.beside(number) for number in range(2, LINKS + 1))]
        self.links: list[Process | None] = [None] * LINKS
        self.tables: list[Process | None] = [None] * PROCESSES
        self.database = PostgresqlDatabase(server.where)
        self.ledger = Ledger(self.database, premises.pool)

    async def start_links(self) -> None:
        """Start every link that does not run."""
        for place, link in enumerate(self.links):
            if link is None or link.returncode is not None:
                self.links[place] = await self._started("controller", "link", "run", str(self.ways[place].file))

    async def start_tables(self, group: int) -> None:
        """Start a process of tables from their first deed on."""
        # One process of tables begins with each link.
        turned = [*self.ways[group % LINKS :], *self.ways[: group % LINKS]]
        addresses = ",".join(f"127.0.0.1:{one.port}" for one in turned)
        place = [str(self.premises.folder), addresses, self.premises.pool]
        more = [str(self.seed), str(self.count), *self.groups[group]]
        self.tables[group] = await self._started("tests.link.table_process", *place, *more)

    async def strike(self, chance: random.Random) -> None:
        """Kill one of them, and start it again; or have PostgreSQL say nothing for a while."""
        drawn = chance.random()
        if drawn < 0.45:
            link = self.links[chance.randrange(LINKS)]
            assert link is not None
            await _kill(link)
            await self.start_links()
        elif drawn < 0.85:
            group = chance.randrange(PROCESSES)
            table = self.tables[group]
            assert table is not None
            await _kill(table)
            await self.start_tables(group)
        elif drawn < 0.9:
            # The ledger's machine takes what is said, and never answers: it is missed in time, and used again.
            await asyncio.to_thread(self.server.pause)
            try:
                await passes(chance.uniform(*SILENT_S))
            finally:
                await asyncio.to_thread(self.server.go_on)
            await self.start_links()
        else:
            await asyncio.to_thread(self.server.kill)
            await asyncio.to_thread(self.server.start)
            # A link that found no ledger when it started has ended; the service manager starts it again.
            await self.start_links()

    async def entries(self) -> int:
        """How many entries the ledger has."""
        with contextlib.suppress(LedgerFailed):
            return (await asyncio.to_thread(self.ledger.standing)).number
        return 0

    async def until(self, entries: int) -> None:
        """Wait until the ledger has so many entries."""
        async with asyncio.timeout(PATIENCE_SECONDS):
            while await self.entries() < entries:
                await self.start_links()
                await asyncio.sleep(0)

    async def end(self) -> None:
        """Nothing of it stays."""
        self.database.close()
        for process in (*self.links, *self.tables):
            if process is not None:
                await _kill(process)

    async def _started(self, *command: str) -> Process:
        return await asyncio.create_subprocess_exec(sys.executable, "-m", *command, stdout=DEVNULL, stderr=DEVNULL)


async def _kill(process: Process) -> None:
    with contextlib.suppress(ProcessLookupError):
        process.kill()
    await process.wait()


async def killed(server: Server, folder: Path, kills: int, seed: int) -> Outcome:
    """What came of ``kills`` kills."""
    premises = Premises(folder, PROCESSES * TABLES_EACH, server.where, pool=f"killed-{seed}")
    write_secret(folder / "link.pub", premises.public)
    for name, (_, secret) in premises.tables.items():
        write_secret(folder / f"{name.replace('/', '_')}.key", secret)
    assert (await asyncio.to_thread(premises.does, "begin", *BY_TWO)).exit_code == 0
    tables = PROCESSES * TABLES_EACH
    count = kills * ENTRIES_A_KILL // tables + ENTRIES_A_KILL
    chance = random.Random(seed)
    scene = Scene(server, premises, seed, count)
    try:
        await scene.start_links()
        for group in range(PROCESSES):
            await scene.start_tables(group)
        reached = 0
        for _ in range(kills):
            reached = min(reached + chance.randint(1, ENTRIES_A_KILL), count * tables)
            await scene.until(reached)
            await scene.strike(chance)
        await scene.until(count * tables)
        return _disagreements(scene)._replace(kills=kills)
    finally:
        await scene.end()


def _disagreements(scene: Scene) -> Outcome:
    found = reconcile(scene.ledger)
    wrong = [*found.mistakes, *refold(scene.ledger)]
    meter = scene.ledger.books().meter
    planned = [deed for name in scene.premises.tables for deed in deeds(name, scene.seed, scene.count)]
    wagers = [deed.wager_cents for deed in planned if isinstance(deed, WagerPosting)]
    if (meter.wagers, meter.main.cents) != (len(wagers), sum(wagers)):
        wrong.append(
            f"{len(wagers)} wagers of {sum(wagers)} cents were planned, {meter.wagers} of {meter.main.cents} are in"
        )
    if meter.main.units != sum(wagers) * UNITS * 17 // 100 or meter.hidden.units != sum(wagers) * UNITS // 30:
        wrong.append("what was contributed is not rate x wagers")
    if meter.hits != len(planned) - len(wagers):
        wrong.append(f"{len(planned) - len(wagers)} awards were planned, {meter.hits} are in")
    return Outcome(0, found.total.entries, found.left(), 0, tuple(wrong))


def work(piece: Piece) -> dict[str, Any]:
    """One pool in a PostgreSQL of its own, and the kills of a piece."""
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as name, tempfile.TemporaryDirectory(prefix="tableside-pg-") as data:
        server = Server(Path(data))
        server.start()
        try:
            found = asyncio.run(killed(server, Path(name), piece.size, piece.seed))
        finally:
            server.stop()
    return found._replace(seconds=round(time.monotonic() - began))._asdict()


def main() -> int:
    """The campaign."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=500)
    parser.add_argument("--per-pool", type=int, default=PER_POOL, help="kills of one pool")
    options(parser)
    given = parser.parse_args()
    began = time.monotonic()
    found = work_off(pieces(given.kills, given.seed, given.per_pool), work, given.jobs, given.file)
    kills, entries = (sum(one[name] for one in found) for name in ("kills", "entries"))
    wrong = [text for one in found for text in one["wrong"]]
    print("\n".join(wrong) or f"{kills} kills, {entries} entries, sums exact; {time.monotonic() - began:.0f} s here")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
