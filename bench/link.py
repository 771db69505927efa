"""Simulated tables on one pool in PostgreSQL: contributions a second, their p99, beside pgbench's single-row commits.

    .venv/bin/python -m bench.link --tables 200 --links 2 --seconds 20

Each table has a socket and a key of its own and posts its next wager when the last is answered, so that as many
postings are under way as there are tables; they are played by several processes (``bench.posting_tables``). Each link
is a process of its own, and the tables are dealt out to them; all serve one pool from one database. pgbench then
commits single rows with as many seconds and the same server: its rate is what the disk and the server allow without a
link. Both are printed; the ledger is added up at the end. Exit status 1 if it does not add up.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import re
import subprocess
import sys
import tempfile
from asyncio.subprocess import PIPE
from pathlib import Path

import msgspec

from bench.posting_tables import Times, Work
from controller.pool.ledger import Ledger
from controller.pool.postgresql import PostgresqlDatabase
from controller.pool.reconciliation import reconcile
from tests.link.premises import BY_TWO, Premises
from tests.link.server import Server, programs

SCRIPT = "INSERT INTO single (body) VALUES (repeat('x', 200));\n"
CLIENTS = 32


async def tables_at_work(links: list[Premises], seconds: float, processes: int) -> list[int]:
    """How long each answer took, in ns, within ``seconds`` after every table had its first."""
    async with contextlib.AsyncExitStack() as stack:
        for link in links:
            await stack.enter_async_context(link.process())
        secrets = [secret for _, secret in links[0].tables.values()]
        works = []
        for number in range(max(processes, len(links))):
            link = links[number % len(links)]
            keys = secrets[number :: max(processes, len(links))]
            works.append(Work(f"127.0.0.1:{link.port}", link.public, keys, seconds))
        return [one for took in await asyncio.gather(*map(posting, works)) for one in took.took_ns]


async def posting(work: Work) -> Times:
    """A process with tables that post."""
    command = (sys.executable, "-m", "bench.posting_tables")
    process = await asyncio.create_subprocess_exec(*command, stdin=PIPE, stdout=PIPE)
    output, _ = await process.communicate(msgspec.json.encode(work))
    return msgspec.json.decode(output, type=Times)


def single_rows(server: Server, seconds: int) -> float:
    """pgbench's commits of one row each, a second."""
    found = programs()
    assert found is not None
    psql = ["psql", "-h", str(server.directory), "-U", "tableside", "-d", "postgres"]
    made = [*psql, "-c", "CREATE TABLE single (id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY, body TEXT)"]
    subprocess.run(made, check=True, capture_output=True)
    script = server.directory / "single.sql"
    script.write_text(SCRIPT)
    bench = [str(found / "pgbench"), "-n", "-c", str(CLIENTS), "-j", "2", "-T", str(seconds), "-f", str(script)]
    done = subprocess.run([*bench, *psql[1:]], check=True, capture_output=True, text=True)
    rate = re.search(r"tps = ([\d.]+)", done.stdout)
    assert rate is not None, done.stdout
    return float(rate[1])


def main() -> int:
    """Both, one after the other."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--tables", type=int, default=200)
    parser.add_argument("--links", type=int, default=1, help="link processes on the one database")
    parser.add_argument("--processes", type=int, default=2, help="that play the tables")
    parser.add_argument("--seconds", type=int, default=20)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory(prefix="tableside-pg-") as data:
        server = Server(Path(data))
        server.start()
        try:
            premises = Premises(Path(folder), given.tables, server.where)
            assert premises.does("begin", *BY_TWO).exit_code == 0
            links = [premises, *(premises.beside(number) for number in range(2, given.links + 1))]
            took = sorted(asyncio.run(tables_at_work(links, given.seconds, given.processes)))
            rate = single_rows(server, given.seconds)
            database = PostgresqlDatabase(server.where)
            found = reconcile(Ledger(database, premises.pool))
            database.close()
        finally:
            server.stop()
    median, p99, worst = (took[int(len(took) * part)] / 1e6 for part in (0.5, 0.99, 0.999999))
    contributions = len(took) / given.seconds
    if given.json:
        assert not found.mistakes, found.mistakes
        print(json.dumps({"contributions_a_second": contributions, "commits_a_second": rate, "p99_ms": p99}))
        return 0
    print(f"{given.tables} tables, {given.links} links: {contributions:.0f} contributions a second;", end=" ")
    print(f"median {median:.1f} ms, p99 {p99:.1f} ms, worst {worst:.1f} ms")
    print(f"pgbench, {CLIENTS} clients, single rows: {rate:.0f} commits a second")
    print(f"{found.total.entries} entries, {'sums exact' if not found.mistakes else found.mistakes}")
    return 1 if found.mistakes else 0


if __name__ == "__main__":
    sys.exit(main())
