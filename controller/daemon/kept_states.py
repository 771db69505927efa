"""States that replays without the table's key keep in a folder, so that a later one need not begin with the epoch.

The journal's own checkpoints are sealed with the key. What is kept here is what this program stepped itself, where the
journal has checkpoints, up to no difference. It is gone on from only where a replay from the beginning would come to
the same: the records up to there are those that were stepped, byte for byte, and no card that was closed has been
opened since.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from hashlib import sha256
from pathlib import Path
from typing import Final, NamedTuple

import msgspec

from controller import version
from controller.core.table.state import Table
from controller.daemon.recovery import under_its_house
from controller.formats.journal.records import RecordDamaged
from controller.formats.replay import OtherStateFormat, StoredRecord, read_state, state_bytes
from controller.formats.text.safe_parse import DataRefused, own_json
from controller.io.journal.errors import JournalDamaged
from controller.io.journal.reader import ChainCheck, JournalReader
from firmware_protocols.cards import Card

SPACING_RECORDS: Final = 2_000
"""Between two states at least: some tenths of a second to step."""

EACH: Final = 64
"""States of one journal that one replay keeps at most."""

MODE: Final = 0o600

DIGITS: Final = 12
"""Of a record's number in a file's name, so that names are in the order of records."""

UNSEALED: Final = b'"sealed":""'
"""In the body of a record that hides nothing."""

Known = Mapping[int, tuple[Card | None, bytes]]
"""The openings that a journal has published, by card."""


class KeptState(msgspec.Struct, frozen=True):
    """A table as ``program`` stepped it up to record ``number`` of ``journal``, whose chain hash there is ``hash``.

    ``closed``: records up to there that hide what nothing had opened by then. ``state`` is as in a checkpoint.
    """

    program: str
    journal: str
    number: int
    hash: str
    closed: tuple[int, ...]
    state: bytes


class StatesFolder(NamedTuple):
    """A folder for states, which only whoever runs the program may write; ``spacing``: records between two at least."""

    path: Path
    spacing: int = SPACING_RECORDS


class KeptStates:
    """The states of one journal in a folder."""

    def __init__(self, folder: StatesFolder, reader: JournalReader, until: int, known: Known) -> None:
        self._folder = folder.path
        self._name = reader.identity.text().replace("/", "-")
        self._reader = reader
        self._until = until
        self._known = known
        self.spacing = max(folder.spacing, until // EACH)
        """Records between two states at least."""
        self.count = 0
        """States that were kept by this replay."""
        self._last = 0
        self._closed: list[int] = []

    def begun(self) -> Table | None:
        """The table of the last state that can be gone on from; None: there is none, and all is stepped."""
        table = next(self._usable(), None)
        if table is None or not self._is_whole(table.state.number):
            return None
        self._last = table.state.number
        return table

    def take(self, record: StoredRecord) -> None:
        """A record that is stepped."""
        if UNSEALED not in record.body and record.number not in self._known:
            self._closed.append(record.number)

    def keep(self, table: Table) -> None:
        """Keep the table where the journal has a checkpoint, unless another is kept not far before.

        Where there is no room for it none is kept: a later replay steps more.
        """
        number = table.state.number
        if number - self._last < self.spacing:
            return
        kept = KeptState(
            version(),
            self._reader.identity.text(),
            number,
            self._reader.hash_of(number).hex(),
            tuple(one for one in self._closed if one <= number),
            state_bytes(table.state),
        )
        path = self._path(number)
        unfinished = path.with_suffix(f".{os.getpid()}")
        body = msgspec.json.encode(kept)
        self._last = number
        try:
            _write(unfinished, sha256(body).digest() + body)
            unfinished.replace(path)
            self.count += 1
        except OSError:
            unfinished.unlink(missing_ok=True)

    def _usable(self) -> Iterator[Table]:
        """The tables that fit this program, this journal and what it has opened, the last first."""
        for path in sorted(self._folder.glob(f"{self._name}-{'?' * DIGITS}.state"), reverse=True):
            try:
                kept = _read(path)
                if self._fits(kept):
                    table = under_its_house(self._reader, read_state(kept.state), None)
                    self._closed = list(kept.closed)
                    yield table
            except (OSError, DataRefused, OtherStateFormat, RecordDamaged, JournalDamaged):
                continue

    def _fits(self, kept: KeptState) -> bool:
        return (
            kept.program == version()
            and kept.journal == self._reader.identity.text()
            and kept.number <= self._until
            and kept.hash == self._reader.hash_of(kept.number).hex()
            and not any(one in self._known for one in kept.closed)
        )

    def _is_whole(self, number: int) -> bool:
        """Whether every record and checkpoint up to this one is what its hash is of, as what was stepped was."""
        chained = ChainCheck(self._reader, 0)
        count = 0
        try:
            for record, bodies in self._reader.whole_records(1, number):
                chained.take(record, bodies)
                count += 1
            all(of <= number for of, _ in self._reader.checkpoints())
        except JournalDamaged:
            return False
        return count == number and not chained.damage()

    def _path(self, number: int) -> Path:
        return self._folder / f"{self._name}-{number:0{DIGITS}}.state"


def _write(path: Path, data: bytes) -> None:
    """A state as whoever runs the program alone may read it: it has what lies on the felt and who said what.

    Raises:
        OSError: it cannot be written.
    """
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, MODE), "wb") as file:
        file.write(data)


def _read(path: Path) -> KeptState:
    """A state as it was written.

    Raises:
        OSError, DataRefused: it cannot be read, or is not what was written.
    """
    data = path.read_bytes()
    digest, body = data[: sha256().digest_size], data[sha256().digest_size :]
    if sha256(body).digest() != digest:
        raise DataRefused(f"{path}: not what was written")
    kept: KeptState = own_json(body, KeptState)
    return kept
