"""The box's store: what was stored is there again, what was tampered with is refused, and one process has it."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from random import Random

import pytest

from controller.trigger_box.entries import BoxEntry, ContributionCounted, CycleShared
from controller.trigger_box.sealing import SealContext, Sealer
from controller.trigger_box.store import BoxStore, BoxStoreFailed, BoxStoreRefused
from firmware_protocols.trigger_messages import Contribute, GreetTrigger, OpenCycle
from tests.trigger_box.rig import OPERATIONS, SURVEILLANCE, BoxDevice


def sealer() -> Sealer:
    return Sealer(OPERATIONS, SURVEILLANCE)


def played(path: Path, contributions: int = 30, *, amount_units: int = 400_000) -> BoxStore:
    """A store in which a table has played."""
    device = BoxDevice(seed=3)
    device.hear(GreetTrigger(1, "harbour", "bj-1", 7, 0, 0))
    for number in range(1, contributions + 1):
        cycle = device.box.state.cycle
        if not device.box.state.share:
            device.hear(OpenCycle(cycle, bytes([cycle]) * 32))
        device.hear(Contribute(number, amount_units))
    store = BoxStore(path, sealer(), create=True)
    store.append(device.memory.entries)
    return store


@pytest.fixture
def path(tmp_path: Path) -> Path:
    store = played(tmp_path / "box.sqlite")
    store.close()
    return tmp_path / "box.sqlite"


def test_what_was_stored_is_there_again(tmp_path: Path) -> None:
    store = played(tmp_path / "box.sqlite")
    state, entries, counted = store.state, list(store.entries()), store.counted(7)
    store.close()
    again = BoxStore(tmp_path / "box.sqlite", sealer())
    assert (again.state, list(again.entries()), again.counted(7)) == (state, entries, counted)
    assert again.state.number == 30
    assert (again.drawn(1), again.counted(31), again.drawn(99)) != (None, None, None)
    again.close()


def test_only_its_owner_may_read_it(path: Path) -> None:
    assert path.stat().st_mode & 0o777 == 0o600
    path.chmod(0o640)
    with pytest.raises(BoxStoreRefused, match="chmod 600"):
        BoxStore(path, sealer())


def test_one_process_has_it(path: Path) -> None:
    store = BoxStore(path, sealer())
    with pytest.raises(BoxStoreRefused, match="another process"):
        BoxStore(path, sealer())
    store.close()
    BoxStore(path, sealer()).close()


def test_there_must_be_one_and_not_two(path: Path, tmp_path: Path) -> None:
    with pytest.raises(BoxStoreRefused, match="there already"):
        BoxStore(path, sealer(), create=True)
    with pytest.raises(BoxStoreRefused, match="mystery begin"):
        BoxStore(tmp_path / "none.sqlite", sealer())


def test_other_keys_are_refused(path: Path) -> None:
    with pytest.raises(BoxStoreRefused, match="other keys"):
        BoxStore(path, Sealer(OPERATIONS, bytes(32)))


def test_something_else_is_refused(tmp_path: Path) -> None:
    for name, content in (("text", b"hello" * 2000), ("empty", b"")):
        file = tmp_path / name
        file.write_bytes(content)
        file.chmod(0o600)
        with pytest.raises(BoxStoreRefused, match="store of a trigger box"):
            BoxStore(file, sealer())


def test_entries_are_stored_together_or_not_at_all(path: Path) -> None:
    store = BoxStore(path, sealer())
    before = list(store.entries())
    good = ContributionCounted(31, store.state.cycle, 5, store.state.meter_units + 5, 0)
    impossible = CycleShared(store.state.cycle, bytes(32))
    with pytest.raises(BoxStoreFailed, match="cannot follow"):
        store.append([good, impossible])
    store.close()
    again = BoxStore(path, sealer())
    assert list(again.entries()) == before
    again.close()


def test_sqlite_itself_keeps_entries_as_they_are(path: Path) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        for statement in ("UPDATE entries SET number = 9", "DELETE FROM entries WHERE id = 5"):
            with pytest.raises(sqlite3.DatabaseError, match="never"):
                connection.execute(statement)


def tampered(path: Path, *statements: str) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("DROP TRIGGER no_update")
        connection.execute("DROP TRIGGER no_delete")
        for statement in statements:
            connection.execute(statement)


LATE = "(SELECT max(id) FROM entries WHERE kind = 'counted')"


@pytest.mark.parametrize(
    "statement",
    [
        f"UPDATE entries SET body = CAST(replace(CAST(body AS TEXT), '400000', '500000') AS BLOB) WHERE id = {LATE}",
        f"UPDATE entries SET number = number + 1 WHERE id = {LATE}",
        f"UPDATE entries SET kind = 'opened' WHERE id = {LATE}",
        f"UPDATE entries SET mark = zeroblob(32) WHERE id = {LATE}",
        "DELETE FROM entries WHERE id = 5",
        "DELETE FROM entries WHERE id = 1",
        "UPDATE entries SET id = id + 1000 WHERE id > 20",
        "INSERT INTO entries SELECT max(id) + 1, 'counted', 31, body, mark FROM entries",
        (
            "UPDATE entries SET body = (SELECT body FROM entries WHERE kind = 'drawn' AND number = 1)"
            " WHERE kind = 'drawn' AND number = 2"
        ),
    ],
)
def test_a_store_somebody_changed_is_refused(path: Path, statement: str) -> None:
    tampered(path, statement)
    with pytest.raises(BoxStoreRefused):
        BoxStore(path, sealer())


def test_flipped_bits_are_found_or_change_nothing(path: Path) -> None:
    whole = path.read_bytes()
    store = BoxStore(path, sealer())
    entries: list[BoxEntry] = list(store.entries())
    store.close()
    chance = Random(11)
    found = 0
    for _ in range(150):
        spoilt = bytearray(whole)
        at = chance.randrange(len(spoilt))
        spoilt[at] ^= 1 << chance.randrange(8)
        path.write_bytes(spoilt)
        for beside in ("-wal", "-shm"):
            Path(f"{path}{beside}").unlink(missing_ok=True)
        try:
            store = BoxStore(path, sealer())
        except BoxStoreRefused:
            found += 1
            continue
        # A bit that nobody reads: free space, or the header's counters.
        assert list(store.entries()) == entries
        store.close()
    assert found > 60


def test_neither_number_nor_key_lies_in_the_file_before_the_hit(tmp_path: Path) -> None:
    path = tmp_path / "box.sqlite"
    store = played(path, 3, amount_units=1)
    drawn = store.drawn(1)
    assert drawn is not None
    secret = sealer().open(SealContext(store.state.identity(), 1, drawn.commitment), drawn.sealed)
    written = b"".join(file.read_bytes() for file in tmp_path.iterdir())
    store.close()
    for form in (
        str(secret.drawn_cents).encode(),
        secret.drawn_cents.to_bytes(8, "big"),
        secret.drawn_cents.to_bytes(8, "little"),
        secret.key,
        secret.key.hex().encode(),
    ):
        assert form not in written
