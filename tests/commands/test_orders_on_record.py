"""Who ordered something, and how the channel knew them, is in the journal: a replay holds it against the events."""

from __future__ import annotations

import asyncio
from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner

from controller.cli import main
from controller.core.messages.inputs import ApproveOrder, DaemonStarted, Input, VoidRound
from controller.core.persons import UNAUTHENTICATED, Authentication
from controller.core.step import step
from controller.core.table.state import State, Table
from controller.formats.journal.records import seal
from controller.formats.replay import payloads
from controller.io.journal.journal import Journal
from controller.io.journal.reader import JournalEntry
from controller.io.journal.verification import verify
from tests.core.journals import HERE, KEY, stamped_here
from tests.core.rig import Rig, penn

FLOOR = Authentication("key", ("floor",))
SURVEILLANCE = Authentication("socket", ("surveillance",), 1002)


def a_table() -> Rig:
    rig = Rig(penn(stand_key="always"))
    rig.house = msgspec.structs.replace(rig.house, two_persons=True)
    rig.give(DaemonStarted(rig.now_ns, "test", rig.house))
    rig.talk("1 main 10\n9h Ts 8d 9c\nkey stand hole_turned round_closed")
    rig.give(VoidRound(rig.now_ns, 1, "M. Okafor", "foul deal", FLOOR))
    rig.give(ApproveOrder(rig.now_ns, 1, "J. Lee", SURVEILLANCE))
    return rig


def written(rig: Rig, path: Path, forged: dict[type[Input], Authentication]) -> Path:
    """The journal of a rig, sealed with the table's key, in which orders are recorded as vouched for otherwise."""

    async def write() -> None:
        journal = await Journal.open(path, HERE, key=KEY)
        table, entries = Table(rig.house, State()), list[JournalEntry]()
        for stamped in map(stamped_here, rig.stamped):
            seq = table.state.seq
            stepped = step(table, stamped)
            table = stepped.table
            bodies = payloads(stepped.events, HERE, seq, stamped.wall_ns)
            given = stamped.input
            if isinstance(given, VoidRound | ApproveOrder) and type(given) in forged:
                given = msgspec.structs.replace(given, vouched=forged[type(given)])
            body = seal(msgspec.structs.replace(stamped, input=given), KEY, HERE)
            entries.append(JournalEntry(stamped.number, body, tuple(enumerate(bodies, start=seq + 1))))
        await journal.commit(entries)
        await journal.close()

    asyncio.run(write())
    return path


@pytest.mark.parametrize(
    ("forged", "same"),
    [
        ({}, True),
        ({VoidRound: UNAUTHENTICATED}, False),
        ({VoidRound: Authentication("socket", ("floor",), 1001)}, False),
        ({ApproveOrder: FLOOR}, False),
        ({ApproveOrder: Authentication("socket", ("surveillance",), 1003)}, False),
    ],
)
def test_how_an_order_was_vouched_for_cannot_be_changed_in_the_journal_even_by_who_has_the_key(
    tmp_path: Path, forged: dict[type[Input], Authentication], *, same: bool
) -> None:
    path = written(a_table(), tmp_path / "journal.sqlite", forged)
    assert verify(path, KEY).damage is None
    done = CliRunner().invoke(main, ["replay", str(path)])
    assert (done.exit_code == 0) is same, done.output
