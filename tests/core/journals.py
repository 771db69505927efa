"""A journal on a disk, made of what a rig stepped, for the commands that read journals."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from pathlib import Path

from controller.core.messages.events import RoundClosed
from controller.core.messages.house import House
from controller.core.messages.inputs import StampedInput
from controller.core.step import step
from controller.core.table.state import State, Table
from controller.formats.journal.records import Identity, chain, genesis, seal, seal_checkpoint, stamp
from controller.formats.replay import payloads, state_bytes
from controller.io.journal.journal import Journal
from controller.io.journal.reader import JournalEntry
from tests.core.rig import Rig

HERE = Identity(site="harbour", table="bj-1", epoch=1_795_259_812)
KEY = bytes(range(32))
WALL_NS = 1_795_259_812_000_000_000
COMMIT = 40
"""Readings that go into one transaction."""


def journal_of(rig: Rig, path: Path) -> Path:
    """Everything the rig was given, stamped by wall time too, stepped again and committed."""
    return written(rig.house, rig.stamped, path)


def written(house: House, given: Iterable[StampedInput], path: Path) -> Path:
    """The journal of a table to which this came, sealed with its key."""

    asyncio.run(committed(house, given, path))
    return path


def stamped_here(stamped: StampedInput) -> StampedInput:
    """An input as the daemon would have stamped it."""
    wall_ns = WALL_NS + stamped.at_ns
    at_ns, nonce, order = stamped.at_ns, stamped.nonce, stamped.order
    return stamp(stamped.input, HERE, stamped.number, at_ns=at_ns, wall_ns=wall_ns, nonce=nonce, order=order)


async def committed(
    house: House, given: Iterable[StampedInput], path: Path, checkpoint: Callable[[State], bytes] = state_bytes
) -> Table:
    """A journal as a daemon writes it: in transactions, with a checkpoint where a round has closed."""
    journal = await Journal.open(path, HERE, key=KEY)
    table, head = Table(house, State()), genesis(HERE)
    entries: list[JournalEntry] = []
    for stamped in map(stamped_here, given):
        seq = table.state.seq
        stepped = step(table, stamped)
        table = stepped.table
        bodies = payloads(stepped.events, HERE, seq, stamped.wall_ns)
        body = seal(stamped, KEY, HERE)
        head = chain(head, stamped.number, body, bodies)
        closed = any(isinstance(event, RoundClosed) for event in stepped.events)
        kept = seal_checkpoint(checkpoint(table.state), KEY, stamped.number, head) if closed else None
        entries.append(JournalEntry(stamped.number, body, tuple(enumerate(bodies, start=seq + 1)), kept))
        if closed or len(entries) == COMMIT:
            await journal.commit(entries)
            entries = []
    await journal.commit(entries)
    await journal.close()
    return table
