"""What a start knows of the wall time when the table stopped right after a round, behind a checkpoint."""

from __future__ import annotations

from pathlib import Path

from controller.core.step import step
from controller.core.table.state import State, Table
from controller.daemon.recovery import recover
from controller.formats.journal.records import chain, genesis, seal, seal_checkpoint
from controller.formats.replay import payloads, state_bytes
from controller.io.journal.journal import Journal
from controller.io.journal.reader import JournalEntry
from tests.core.journals import HERE, KEY, stamped_here
from tests.core.rig import Rig, penn


async def test_the_wall_time_of_the_last_record_is_known_behind_a_checkpoint_too(tmp_path: Path) -> None:
    path, rig = tmp_path / "journal.sqlite", Rig(penn())
    again = stamped_here(rig.stamped[0])
    stepped = step(Table(rig.house, State()), again)
    bodies = payloads(stepped.events, HERE, 0, again.wall_ns)
    body = seal(again, KEY, HERE)
    hashed = chain(genesis(HERE), again.number, body, bodies)
    sealed = seal_checkpoint(state_bytes(stepped.table.state), KEY, again.number, hashed)
    journal = await Journal.open(path, HERE, key=KEY)
    await journal.commit([JournalEntry(again.number, body, tuple(enumerate(bodies, start=1)), sealed)])
    await journal.close()
    assert recover(path, KEY).last_wall_ns == again.wall_ns > 0
