"""An order's own signature is in the journal: ``verify`` holds it against the record, a proof shows it."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from msgspec.structs import replace

from controller.cli import main
from controller.core.messages.inputs import DaemonStarted, SignedOrder, StampedInput, VoidRound
from controller.core.persons import Authentication
from controller.core.step import step
from controller.core.table.state import State, Table
from controller.daemon.machine_board import MachineBoard
from controller.daemon.startup import JournalSafeguards, opened
from controller.formats.journal.records import key_mark
from controller.formats.journal.seals import Sealing
from controller.formats.orders.epoch_authorization import OrderSigner
from controller.formats.orders.signed_orders import order_text
from controller.io.copies.second_copy import CopyPlace
from controller.io.system.clock import SystemClock
from tests.core.journals import HERE, KEY, written
from tests.core.rig import Rig, penn

OKAFOR = OrderSigner(b"o" * 40)
ORDER = SignedOrder(
    OKAFOR.sign(order_text(HERE, 1_763_000_000_000, "void", {"round": 1, "who": "M. Okafor", "why": "foul deal"})),
    1_763_000_000_000,
)


def run(*words: object) -> Result:
    return CliRunner().invoke(main, [str(word) for word in words])


def a_table() -> list[StampedInput]:
    """A round that one person voids as it is played, with a signature."""
    rig = Rig(penn(stand_key="always"))
    rig.give(DaemonStarted(rig.now_ns, "test", rig.house))
    rig.talk("1 main 10\nkey no_more_bets\n9h Ts 8d 9c")
    rig.give(VoidRound(rig.now_ns, 1, "M. Okafor", "foul deal", Authentication("signature", ("floor",))))
    return [replace(one, order=ORDER) if isinstance(one.input, VoidRound) else one for one in rig.stamped]


def journal_of(given: list[StampedInput], folder: Path) -> Path:
    return written(Rig(penn(stand_key="always")).house, given, folder / "journal.sqlite")


def forged(given: list[StampedInput], **fields: Any) -> list[StampedInput]:
    return [replace(one, input=replace(one.input, **fields)) if one.order else one for one in given]


def operators(folder: Path, name: str) -> Path:
    file = folder / "operators.toml"
    file.write_text(f'[[operator]]\nname = "{name}"\nroles = ["floor"]\nsigns = ["{OKAFOR.public}"]\n')
    return file


def test_verify_checks_the_signatures_of_orders_again(tmp_path: Path) -> None:
    journal = journal_of(a_table(), tmp_path)
    done = run("verify", journal)
    assert (done.exit_code, "1 order carries its operator's signature, which holds" in done.output) == (0, True)
    assert run("verify", "--operators", operators(tmp_path, "M. Okafor"), journal).exit_code == 0
    other = run("verify", "--operators", operators(tmp_path, "J. Lee"), journal)
    assert (other.exit_code, "signed order: the key is not M. Okafor's" in other.output) == (1, True)
    assert run("replay", "--key", key_file(tmp_path), journal).exit_code == 0


def test_proofs_are_not_held_against_the_file_of_operators(tmp_path: Path) -> None:
    done = run("verify", "--operators", operators(tmp_path, "M. Okafor"), "--verifier", "any", tmp_path)
    refused = "--operators: expected a journal or its second copy" in done.output
    assert (done.exit_code, done.output.count("\n"), refused) == (2, 1, True)


def copied(journal: Path, folder: Path) -> Path:
    """The second copy of a journal, as a table that opens it makes one."""
    folder.mkdir()
    place = CopyPlace(folder, lambda path: 2 if path == folder else 1)
    marks = {"key": key_mark(KEY), "configuration": "c", "software": "s"}

    async def follow() -> None:
        storage = await opened(journal, HERE, KEY, marks, SystemClock(), keeping=JournalSafeguards(0, place))
        storage.watches(lambda *_: None, MachineBoard(SystemClock()))
        await storage.close()

    asyncio.run(follow())
    return folder


def test_a_second_copy_has_its_signed_orders_counted_and_checked_alike(tmp_path: Path) -> None:
    copy = copied(journal_of(a_table(), tmp_path), tmp_path / "copy")
    done = run("verify", "--json", copy)
    assert (done.exit_code, json.loads(done.output)["signed_orders"]) == (0, 1), done.output
    other = run("verify", "--operators", operators(tmp_path, "J. Lee"), copy)
    assert (other.exit_code, "signed order: the key is not M. Okafor's" in other.output) == (1, True)


def test_a_copy_of_an_order_that_was_not_signed_so_is_found_out(tmp_path: Path) -> None:
    copy = copied(journal_of(forged(a_table(), round=2), tmp_path), tmp_path / "copy")
    done = run("verify", copy)
    assert (done.exit_code, "signed order: the record is not the void that was signed" in done.output) == (1, True)


def key_file(folder: Path) -> Path:
    file = folder / "table.key"
    file.write_text(KEY.hex() + "\n")
    file.chmod(0o600)
    return file


@pytest.mark.parametrize("fields", [{"round": 2}, {"why": "other"}, {"who": "J. Lee"}])
def test_who_has_the_tables_key_cannot_write_an_order_that_was_not_signed(
    tmp_path: Path, fields: dict[str, object]
) -> None:
    """Records, events, chain and seals all agree; the signature does not."""
    journal = journal_of(forged(a_table(), **fields), tmp_path)
    done = run("verify", "--key", key_file(tmp_path), journal)
    assert (done.exit_code, "signed order: the record is not the void that was signed" in done.output) == (1, True)


def test_an_order_is_carried_out_once_in_a_journal(tmp_path: Path) -> None:
    given = a_table()
    again = replace(given[-1], number=given[-1].number + 1)
    done = run("verify", journal_of([*given, again], tmp_path))
    assert (done.exit_code, "signed order: it was carried out before" in done.output) == (1, True)


def test_a_table_remembers_what_was_signed_and_forgets_it_in_no_restart() -> None:
    table = Table(Rig(penn()).house, State())
    for stamped in a_table():
        table = step(table, stamped).table
    assert table.state.signed == {OKAFOR.public: ORDER.number}


def test_a_proof_of_a_round_shows_who_signed_the_order_in_it(tmp_path: Path) -> None:
    journal = journal_of(a_table(), tmp_path)
    verifier, folder = Sealing(KEY, HERE).verifier.text(), tmp_path / "round-1"
    done = run("export", "--proof", 1, "--verifier", verifier, "--output", folder, journal)
    assert done.exit_code == 0, done.output
    proven = run("verify", "--verifier", verifier, folder)
    assert proven.exit_code == 0, proven.output
    assert f"void by M. Okafor: the signature holds, key {OKAFOR.public}" in proven.output
