"""What lies beside a journal's records under no seal, with a digest that anybody can make: what is not ours is named.

Somebody who may write the file and has not the key rewrites it: every row of it is as a journal's must be.
"""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from controller.commands import replay, verify
from controller.formats.journal.check import BEGUN_WITH
from controller.formats.journal.records import key_mark
from controller.formats.journal.schema import TABLES, checkpoint_digest, meta_digest
from controller.formats.journal.seals import seal_digest
from controller.io.copies.restore_from_copy import INSERT
from controller.io.copies.segment_folder import survey
from controller.io.copies.segment_writer import Disk, SegmentWriter, next_rows
from controller.io.journal.reader import JournalReader
from controller.io.journal.setup import add_meta, define, library_version
from tests.io.second_copy_rig import HERE, House
from tests.journal_key import key_file

Row = tuple[Any, ...]


def rewritten(journal: Path, table: str, number: int, change: Callable[[Row], Row]) -> None:
    """A journal row for row as it was, but for one row, of which the digest fits again."""
    made = journal.with_name("made.sqlite")
    with (
        contextlib.closing(sqlite3.connect(journal)) as source,
        contextlib.closing(sqlite3.connect(made, isolation_level=None)) as target,
    ):
        define(target)
        for name in TABLES:
            for row in source.execute(f"SELECT * FROM {name} ORDER BY 1"):
                target.execute(INSERT[name], change(row) if (name, row[0]) == (table, number) else row)
        add_meta(target, "sqlite", library_version())
        (cookie,) = target.execute("PRAGMA schema_version").fetchone()
        add_meta(target, "schema_version", str(cookie))
        target.execute("COMMIT")
    for suffix in ("", "-wal", "-shm"):
        Path(f"{journal}{suffix}").unlink(missing_ok=True)
    made.rename(journal)


def other_signature(row: Row) -> Row:
    number, root, mac, signature, _ = row
    other = bytes([signature[0] ^ 1]) + signature[1:]
    return number, root, mac, other, seal_digest(number, root, mac, other)


def other_checkpoint(row: Row) -> Row:
    number, body, nodes, _ = row
    other = bytes(len(body))
    return number, other, nodes, checkpoint_digest(number, other, nodes)


def run(command: Any, *words: object) -> tuple[int, str]:
    done = CliRunner().invoke(command, [str(word) for word in words])
    return done.exit_code, done.output


@pytest.fixture
async def house(tmp_path: Path) -> House:
    played = House(tmp_path)
    await played.played(6)
    return played


FORGED = {
    "the last signature": ("seals", 6, other_signature, "seal 6: its signature was not made with the table's key"),
    "an earlier one": ("seals", 2, other_signature, "seal 2: its signature was not made with the table's key"),
    "a checkpoint": ("checkpoints", 3, other_checkpoint, "checkpoint 3: was not sealed with the table's key"),
}


@pytest.mark.parametrize("what", FORGED)
def test_with_the_key_verify_names_what_was_not_made_with_it(what: str, house: House, tmp_path: Path) -> None:
    table, number, change, said = FORGED[what]
    with_key = ("--key", key_file(tmp_path))
    for kept in (house.journal, house.copy):
        assert run(verify.command, *with_key, kept)[0] == 0
    rewritten(house.journal, table, number, change)
    assert run(verify.command, house.journal)[0] == 0, "its digest fits"
    status, line = run(verify.command, *with_key, house.journal)
    assert (status, line.startswith(f"{house.journal}: damaged: {said}"), line.count("\n")) == (1, True, 1), line


@pytest.mark.parametrize("what", FORGED)
def test_and_of_a_second_copy(what: str, house: House, tmp_path: Path) -> None:
    table, number, change, said = FORGED[what]
    rewritten(house.journal, table, number, change)
    copy = tmp_path / "three"
    copy.mkdir()
    writer = SegmentWriter.resume(copy, survey(copy, HERE), Disk())
    with JournalReader(house.journal) as reader:
        while rows := next_rows(reader.connection, writer.reached.rows):
            writer.append(rows)
    writer.close()
    assert run(verify.command, copy)[0] == 0, "its digest fits"
    status, line = run(verify.command, "--key", key_file(tmp_path), copy)
    assert (status, line.startswith(f"{copy}: damaged: {said}")) == (1, True), line


def meta_row(journal: Path, key: str) -> int:
    with contextlib.closing(sqlite3.connect(journal)) as source:
        (row,) = source.execute("SELECT id FROM meta WHERE key = ?", (key,)).fetchone()
    return int(row)


def test_the_mark_of_another_key_is_named(house: House, tmp_path: Path) -> None:
    """No table starts with such a journal, and no key would replay it."""
    mark, row = key_mark(bytes([1] * 32)), meta_row(house.journal, "key")
    rewritten(house.journal, "meta", row, lambda _: (row, "key", mark, meta_digest(row, "key", mark)))
    assert run(replay.command, "--key", key_file(tmp_path), house.journal)[0] == 2
    status, line = run(verify.command, "--key", key_file(tmp_path), house.journal)
    said = f"damaged: meta: key '{mark}' is not the mark of the key that sealed every transaction"
    assert (status, said in line) == (1, True), line


@pytest.mark.parametrize("key", sorted(BEGUN_WITH))
def test_whose_a_journal_is_and_who_began_it_is_stated_once(key: str, house: House) -> None:
    """What is stated last is what readers would go by."""
    with contextlib.closing(sqlite3.connect(house.journal)) as file:
        add_meta(file, key, "one")
        add_meta(file, key, "another")
        (count,) = file.execute("SELECT count(*) FROM meta WHERE key = ?", (key,)).fetchone()
        is_known = count > 2
        (last,) = file.execute("SELECT max(id) FROM meta").fetchone()
        file.commit()
    status, line = run(verify.command, house.journal)
    assert (status, f"damaged: meta: row {last - is_known} states {key} again" in line) == (1, True), line
