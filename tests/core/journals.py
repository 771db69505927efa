"""A journal on a disk, made of what a rig stepped, for the commands that read journals."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from pathlib import Path

from controller.core.messages.house import House
from controller.core.messages.inputs import Stamped
from controller.core.step import step
from controller.core.table.state import State, Table
from controller.formats.journal.records import Identity, seal, stamp
from controller.formats.replay import payloads
from controller.io.journal.journal import Entry, Journal
from tests.core.rig import Rig

HERE = Identity(site="harbour", table="bj-1", epoch=1_795_259_812)
KEY = bytes(range(32))
WALL_NS = 1_795_259_812_000_000_000


def journal_of(rig: Rig, path: Path) -> Path:
    """Everything the rig was given, stamped by wall time too, stepped again and committed."""
    return written(rig.house, rig.stamped, path)


def written(house: House, given: Iterable[Stamped], path: Path) -> Path:
    """The journal of a table to which this came, sealed with its key."""

    async def write() -> None:
        journal = await Journal.open(path, HERE, key=KEY)
        table = Table(house, State())
        entries: list[Entry] = []
        for stamped in given:
            again = stamped_here(stamped)
            seq = table.state.seq
            stepped = step(table, again)
            table = stepped.table
            bodies = payloads(stepped.events, HERE, seq, again.wall_ns)
            numbered = tuple(enumerate(bodies, start=seq + 1))
            entries.append(Entry(again.number, seal(again, KEY, HERE), numbered, None))
        await journal.commit(entries)
        await journal.close()

    asyncio.run(write())
    return path


def stamped_here(stamped: Stamped) -> Stamped:
    """An input as the daemon would have stamped it."""
    wall_ns = WALL_NS + stamped.at_ns
    at_ns, nonce, order = stamped.at_ns, stamped.nonce, stamped.order
    return stamp(stamped.input, HERE, stamped.number, at_ns=at_ns, wall_ns=wall_ns, nonce=nonce, order=order)
