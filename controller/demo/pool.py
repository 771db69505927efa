"""The demo's pool: a link of its own beside the table, so that the sevens' meter is a pool's and not the table's."""

from __future__ import annotations

import asyncio
import contextlib
import sys
from asyncio.subprocess import DEVNULL
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Final, NamedTuple

import zmq

from controller.core.meters.meter import Parameters
from controller.io.files.secret_files import write_secret
from controller.io.mqtt.broker import free_port
from controller.pool.ledger import Ledger
from controller.pool.reconciliation import Reconciliation, reconcile
from controller.pool.sqlite import SqliteDatabase

POOL: Final = "pit-1"
BETS: Final = "{blazing7s = [[1, 1], [1, 10]]}"
"""The demo's bet on the pool, and the parts of it that its rows take: three sevens of diamonds, three of one suit."""

LEFT_BEHIND: Final = ("ledger.sqlite", "ledger.sqlite-wal", "ledger.sqlite-shm", "link.key", "link.toml", "pool.key")
"""What an earlier demo's pool left."""


class DemoLink(NamedTuple):
    """Where the demo's link is reached, and its public key."""

    address: str
    public_key: str


def prepare_link(directory: Path, table: str, parameters: Parameters) -> DemoLink:
    """Make keys for link and table, the link's file, and begin the pool; ``table`` is ``site/name``."""
    address = f"127.0.0.1:{free_port()}"
    (link_public, link_secret), (table_public, table_secret) = zmq.curve_keypair(), zmq.curve_keypair()
    write_secret(directory / "link.key", link_secret + b"\n")
    write_secret(directory / "pool.key", table_secret + b"\n")
    part, of = parameters.rate
    hidden, hidden_of = parameters.hidden_rate
    text = f"""\
[link]
pool = "{POOL}"
listen = "{address}"
key_file = "link.key"
sqlite = "ledger.sqlite"

[meter]
base_cents = {parameters.base_cents}
reset_cents = {parameters.reset_cents}
rate = [{part}, {of}]
hidden_rate = [{hidden}, {hidden_of}]
unreasonable_cents = {parameters.unreasonable_cents}

[[table]]
name = "{table}"
keys = ["{table_public.decode()}"]
bets = {BETS}
"""
    (directory / "link.toml").write_text(text, encoding="utf-8")
    database = SqliteDatabase(directory / "ledger.sqlite", create=True)
    Ledger(database, POOL).open(parameters)
    database.close()
    return DemoLink(address, link_public.decode())


def linked_section(name: str, title: str, bet: str, link: DemoLink) -> str:
    """The pool in the table's file."""
    return f"""
[[linked_meters]]
name = "{name}"
title = "{title}"
pool = "{POOL}"
fed_by = ["{bet}"]
link = "{link.address}"
link_key = "{link.public_key}"
key_file = "pool.key"
"""


@contextlib.asynccontextmanager
async def serving(directory: Path) -> AsyncIterator[None]:
    """The link, as a process of its own."""
    command = [sys.executable, "-m", "controller", "link", "run", str(directory / "link.toml")]
    process = await asyncio.create_subprocess_exec(*command, stdout=DEVNULL, stderr=DEVNULL, start_new_session=True)
    try:
        yield
    finally:
        if process.returncode is None:
            process.terminate()
            await process.wait()


def pool_reconciled(directory: Path) -> Reconciliation:
    """The demo's pool added up, entry by entry."""
    database = SqliteDatabase(directory / "ledger.sqlite")
    try:
        return reconcile(Ledger(database, POOL))
    finally:
        database.close()
