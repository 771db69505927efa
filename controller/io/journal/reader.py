"""How a journal file is read, also beside its writer."""

from __future__ import annotations

import contextlib
import itertools
import sqlite3
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Final, NamedTuple, Self
from urllib.parse import quote

from controller.formats.journal.merkle_tree import CompactRange
from controller.formats.journal.records import Identity, chain, genesis
from controller.formats.journal.schema import APPLICATION_ID, FORMAT, PAGE_BYTES, REFUSAL, checkpoint_digest
from controller.formats.journal.seals import Seal, Sealing, seal_digest
from controller.formats.journal.tree_heads import record_leaf
from controller.formats.journal.wal import HEADER_DAMAGED, wal_damage
from controller.formats.mqtt.envelope import envelope_head
from controller.io.files.plain_files import FileRefused, ordinary
from controller.io.journal.errors import (
    SQLITE_ERRORS,
    JournalDamaged,
    NotAJournal,
    cannot_read,
)

READ_WAIT_SECONDS: Final = 5.0
"""How long a reader waits for the writer to fold in its log."""


KIND_BYTES: Final = 48
"""More than the longest name of an event and the dot behind it."""

LAST_SEQ: Final = 2**63 - 1
"""Behind the last that a journal can have."""

NO_EVENT: Final = (0, b"")
"""Of no record: what comes behind the last event."""

CELL_LIMIT_BYTES: Final = 256 * 1024 * 1024
"""Of a record, an event or a checkpoint of a journal that is read; a larger one is damage, before it is in memory."""


class JournalEntry(NamedTuple):
    """A record to commit: its number, body, its events with their seqs, and a sealed checkpoint taken after it."""

    number: int
    body: bytes
    events: tuple[tuple[int, bytes], ...] = ()
    checkpoint: bytes | None = None


class RecordRow(NamedTuple):
    """A committed record and its chain hash."""

    number: int
    body: bytes
    hash: bytes


class EventRow(NamedTuple):
    """A committed event; ``number`` is its record's."""

    seq: int
    number: int
    body: bytes


class Head(NamedTuple):
    """Where a journal ends: the last record's number and chain hash, the last event's seq."""

    number: int
    hash: bytes
    seq: int


class JournalReader:
    """Reads a journal, also while a daemon writes it. Each iteration sees the journal as it was when it began.

    With ``is_older_read`` also one of an earlier format, as far as that has what is asked for.

    Raises on opening:
        NotAJournal: no such file, or not a journal.
        JournalDamaged: a journal that cannot be opened.
    """

    def __init__(self, path: Path, *, is_older_read: bool = False) -> None:
        self.path = path
        self.connection = open_for_reading(path, is_older_read=is_older_read)
        try:
            with _damage(path):
                self.meta: dict[str, str] = dict(self.connection.execute("SELECT key, value FROM meta ORDER BY id"))
            self.identity = Identity(site=self.meta["site"], table=self.meta["table"], epoch=int(self.meta["epoch"]))
        except (KeyError, ValueError) as error:
            self.close()
            raise JournalDamaged(f"{path}: the journal does not say whose it is ({error})") from error
        except JournalDamaged:
            self.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the file."""
        self.connection.close()

    def records(self, first: int = 1) -> Iterator[RecordRow]:
        """Records from number ``first`` on, in order."""
        with _damage(self.path):
            query = "SELECT number, body, hash FROM records WHERE number >= ? ORDER BY number"
            for row in self.connection.execute(query, (first,)):
                yield RecordRow(*row)

    def events(self, first: int = 1, limit: int = -1) -> Iterator[EventRow]:
        """Events from seq ``first`` on, in order; at most ``limit`` unless that is negative."""
        with _damage(self.path):
            yield from event_rows(self.connection, first, limit)

    def events_named(self, wanted: Collection[tuple[Collection[str], int]]) -> Iterator[EventRow]:
        """The events of each of these groups of kinds from its own seq on, in order; SQLite passes over the others."""
        starts = sorted({first for _, first in wanted})
        with _damage(self.path):
            for start, end in itertools.pairwise([*starts, LAST_SEQ]):
                names = {name for group, first in wanted if first <= start for name in group}
                yield from self._named(names, "seq >= ? AND seq < ?", "ORDER BY seq", start, end)

    def first_named_with(self, name: str, field: str, number: int, after: int, before: int) -> EventRow | None:
        """The first event of a kind between two seqs whose ``field``, which is not its last, is this number."""
        where, value = "seq > ? AND seq < ? AND instr(body, ?)", f'"{field}":{number},'.encode()
        with _damage(self.path):
            return next(self._named((name,), where, "ORDER BY seq LIMIT 1", after, before, value), None)

    def last_named(self, name: str) -> int:
        """The seq of the last event of a kind, 0 if there is none."""
        with _damage(self.path):
            found = next(self._named((name,), "true", "ORDER BY seq DESC LIMIT 1"), None)
        return 0 if found is None else found.seq

    def _named(self, names: Collection[str], where: str, rest: str, *given: int | bytes) -> Iterator[EventRow]:
        # A kind stands at the same place in every event of an epoch, but for the digits of the event's seq.
        begins = f"{len(envelope_head(self.identity)) + 1} + length(seq)"
        kind = f"substr(body, {begins}, instr(substr(body, {begins}, {KIND_BYTES}), '.') - 1)"
        # Most events are passed over by their kind's first letters, so that its end is looked for in few.
        width = min(map(len, names), default=0) + 1
        initials = sorted({f"{name}.".encode()[:width] for name in names})
        first = f"substr(body, {begins}, {width}) IN ({', '.join('?' * len(initials))})"
        whole = f"{kind} IN ({', '.join('?' * len(names))})"
        query = f"SELECT seq, number, body FROM events WHERE {first} AND {whole} AND {where} {rest}"  # noqa: S608
        encoded = (name.encode() for name in names)
        for row in self.connection.execute(query, (*initials, *encoded, *given)):
            yield EventRow(*row)

    def event(self, seq: int) -> EventRow:
        """One event.

        Raises:
            JournalDamaged: there is none of this seq.
        """
        row = next(self.events(seq, 1), None)
        if row is None or row.seq != seq:
            raise JournalDamaged(f"{self.path}: event {seq} is missing")
        return row

    def events_of(self, number: int) -> tuple[EventRow, ...]:
        """The events of record ``number``, in order."""
        with _damage(self.path):
            found: list[EventRow] = []
            for row in event_rows(self.connection, self._first_event(number), -1):
                if row.number != number:
                    break
                found.append(row)
            return tuple(found)

    def whole_records(self, first: int = 1, last: int | None = None) -> Iterator[tuple[RecordRow, tuple[bytes, ...]]]:
        """Records from number ``first`` on, to ``last`` if that is given, each with the bytes of its events, in order.

        One pass over both, however many there are.
        """
        with _damage(self.path):
            query = "SELECT number, body FROM events WHERE seq >= ? ORDER BY seq"
            waiting = self.connection.execute(query, (self._first_event(first),))
            of, event = next(waiting, NO_EVENT)
            query = "SELECT number, body, hash FROM records WHERE number >= ? AND number <= ? ORDER BY number"
            for row in self.connection.execute(query, (first, LAST_SEQ if last is None else last)):
                record, own = RecordRow(*row), list[bytes]()
                while of == record.number:
                    own.append(event)
                    of, event = next(waiting, NO_EVENT)
                yield record, tuple(own)

    def _first_event(self, number: int) -> int:
        """The seq of the first event of record ``number`` or a later one; of none, the next that there will be."""
        if number <= 1:
            return 1
        # Events lie in the order of their records, so a search by halves finds them without an index.
        low, high = 1, self.head().seq + 1
        while low < high:
            middle = (low + high) // 2
            row = self.connection.execute("SELECT number FROM events WHERE seq = ?", (middle,)).fetchone()
            low, high = (middle + 1, high) if row is not None and row[0] < number else (low, middle)
        return low

    def events_with(self, text: bytes, after: int = 0) -> Iterator[EventRow]:
        """The events behind seq ``after`` whose bytes hold ``text``, in order; SQLite searches, other threads run."""
        with _damage(self.path):
            query = "SELECT seq, number, body FROM events WHERE seq > ? AND instr(body, ?) ORDER BY seq"
            yield from (EventRow(*row) for row in self.connection.execute(query, (after, text)))

    def checkpoint_numbers(self) -> list[int]:
        """The numbers of the records that checkpoints were taken after, in order."""
        with _damage(self.path):
            return [int(row[0]) for row in self.connection.execute("SELECT number FROM checkpoints ORDER BY number")]

    def checkpoints(self, first: int = 1) -> Iterator[tuple[int, bytes]]:
        """The checkpoints from record ``first`` on, in order: the number of its record, and the sealed checkpoint.

        Raises:
            JournalDamaged: one does not fit its digest.
        """
        with _damage(self.path):
            query = "SELECT * FROM checkpoints WHERE number >= ? ORDER BY number"
            for number, body, nodes, digest in self.connection.execute(query, (first,)):
                if checkpoint_digest(number, body, nodes) != digest:
                    raise JournalDamaged(f"{self.path}: the checkpoint after record {number} does not fit its digest")
                yield int(number), bytes(body)

    def checkpoints_back(self) -> Iterator[tuple[int, bytes]]:
        """Every checkpoint, the last first: the number of the record it was taken after, and the sealed checkpoint."""
        with _damage(self.path):
            yield from self.connection.execute("SELECT number, body FROM checkpoints ORDER BY number DESC")

    def last_checkpoint(self) -> tuple[int, bytes] | None:
        """Number of the record it was taken after, and the sealed checkpoint; None if there is none."""
        return next(self.checkpoints_back(), None)

    def last_seal(self, until: int | None = None) -> Seal | None:
        """The last seal, or the last that is not behind record ``until``; None if there is none.

        Raises:
            JournalDamaged: it does not fit its digest.
        """
        with _damage(self.path):
            return seal_before(self.connection, until)

    def seals(self, first: int = 1) -> Iterator[Seal]:
        """The seals from record ``first`` on, in order.

        Raises:
            JournalDamaged: one does not fit its digest.
        """
        with _damage(self.path):
            for row in self.connection.execute("SELECT * FROM seals WHERE number >= ? ORDER BY number", (first,)):
                yield _seal(row)

    def tree(self) -> CompactRange:
        """The compact range of the tree over all records, gone on with from the last checkpoint.

        Raises:
            JournalDamaged: it cannot be read, or is not the one that the last seal has.
        """
        with _damage(self.path):
            query = "SELECT number, compact_range FROM checkpoints ORDER BY number DESC LIMIT 1"
            number, nodes = self.connection.execute(query).fetchone() or (0, b"")
        try:
            tree = CompactRange.read(number, nodes)
        except ValueError as error:
            raise JournalDamaged(f"{self.path}: the checkpoint after record {number}: {error}") from error
        for record, bodies in self.whole_records(number + 1):
            tree = tree.appended(record_leaf(record.number, record.body, bodies))
        seal = self.last_seal()
        if seal is not None and (seal.number, seal.root) != (tree.size, tree.root()):
            raise JournalDamaged(f"{self.path}: the seal of record {seal.number} is not of the records before it")
        return tree

    def check_seals(self, sealing: Sealing, *, every: bool = False) -> None:
        """Check that the last record was written with the table's key; ``every``: that of each transaction.

        A seal covers everything before it: whatever lies before the last record is what the table wrote if that is.

        Raises:
            JournalDamaged: somebody wrote records who had not; the text says which.
        """
        head = self.head()
        last = self.last_seal()
        sealed = 0 if last is None else last.number
        if last is not None and (every or not sealing.is_ours(last, self.hash_of(sealed))):
            sealed = 0
            for seal in self.seals():
                if not sealing.is_ours(seal, self.hash_of(seal.number)):
                    break
                sealed = seal.number
        if sealed != head.number:
            raise JournalDamaged(f"{self.path}: {unsealed(sealed + 1, head.number)}")

    def is_begun_with(self, sealing: Sealing) -> bool:
        """Whether the first transaction was written with the table's key."""
        first = next(iter(self.seals()), None)
        return first is not None and sealing.is_ours(first, self.hash_of(first.number))

    def hash_of(self, number: int) -> bytes:
        """The chain hash after record ``number``; 0 is the beginning.

        Raises:
            JournalDamaged: there is no such record.
        """
        if number == 0:
            return genesis(self.identity)
        with _damage(self.path):
            row = self.connection.execute("SELECT hash FROM records WHERE number = ?", (number,)).fetchone()
        if row is None:
            raise JournalDamaged(f"{self.path}: record {number} is missing")
        return bytes(row[0])

    def last_published(self) -> int:
        """The seq of the last event the broker is known to have, 0 if none."""
        with _damage(self.path):
            (seq,) = self.connection.execute("SELECT coalesce(max(seq), 0) FROM published").fetchone()
            return int(seq)

    def head(self) -> Head:
        """Where the journal ends."""
        with _damage(self.path):
            (number,) = self.connection.execute("SELECT coalesce(max(number), 0) FROM records").fetchone()
            (seq,) = self.connection.execute("SELECT coalesce(max(seq), 0) FROM events").fetchone()
        return Head(number=int(number), hash=self.hash_of(int(number)), seq=int(seq))

    def lost_since(self, noted: Head) -> str | None:
        """What this journal has lost of what it had when ``noted`` was its head, in one line; None if nothing.

        Raises:
            JournalDamaged: it cannot be read.
        """
        number = self.head().number
        if number < noted.number:
            return f"ends with record {number}, and record {noted.number} had been committed: its end is lost"
        if self.hash_of(noted.number) != noted.hash:
            return f"record {noted.number} is not the one its head file knows: another journal, or an older copy of it"
        return None

    def check_log(self, noted: Head | None) -> None:
        """Hold the write-ahead log and the end of the journal against what is known beside it.

        Must be asked before anybody opens the journal for writing, who would cut a damaged log off where it breaks.

        Raises:
            JournalDamaged: the log is broken in its middle, or what ``noted`` knows is not there.
        """
        lost = None if noted is None else self.lost_since(noted)
        try:
            log = Path(f"{self.path}-wal").read_bytes()
        except FileNotFoundError:
            log = b""
        damage = wal_damage(log)
        # A power cut in the first write to a log that begins anew tears its header: nothing of it had been committed.
        if damage == HEADER_DAMAGED and noted is not None and lost is None:
            damage = None
        if damage is not None or lost is not None:
            raise JournalDamaged(f"{self.path}: {damage or lost}")

    def check_chain(self, after: int) -> None:
        """Recompute the chain hashes of every record following ``after``.

        Raises:
            JournalDamaged: a record, or one of its events, is not what was committed.
        """
        chained = ChainCheck(self, after)
        for record, bodies in self.whole_records(after + 1):
            chained.take(record, bodies)
            if damage := chained.damage():
                raise JournalDamaged(damage)


class ChainCheck:
    """Holds the chain hashes of records, from the one behind ``after`` on, against what they cover, as these pass."""

    def __init__(self, reader: JournalReader, after: int) -> None:
        self._path = reader.path
        self._previous = reader.hash_of(after)
        self._expected = after
        self._wrong = 0

    def take(self, record: RecordRow, bodies: tuple[bytes, ...]) -> None:
        """The next record."""
        self._expected += 1
        right = record.number == self._expected and record.hash == chain(
            self._previous, record.number, record.body, bodies
        )
        self._wrong = self._wrong or (0 if right else self._expected)
        self._previous = record.hash

    def damage(self) -> str:
        """Which of those that have passed is not what was committed, in words; empty: all are."""
        return f"{self._path}: record {self._wrong} or its events are not what was committed" if self._wrong else ""


def unsealed(first: int, last: int) -> str:
    """What is said of records that are not sealed with the key at hand; ``first`` 1: the key may be another's."""
    which, them = (f"record {first} was", "it") if first == last else (f"records {first} to {last} were", "them")
    doubt = ", or the key given is another table's" if first == 1 else ""
    return (
        f"{which} not written with this table's key: a program that lacks the key added or replaced {them}{doubt};"
        f" put back a copy of the journal that does not have {them} (tableside restore --aside), or begin a new epoch"
        " (tableside begin-epoch)"
    )


def seal_before(connection: sqlite3.Connection, until: int | None = None) -> Seal | None:
    """The last seal, or the last that is not behind record ``until``; None if there is none.

    Raises:
        JournalDamaged: it does not fit its digest.
    """
    query = "SELECT * FROM seals WHERE number <= ? ORDER BY number DESC LIMIT 1"
    row = connection.execute(query, (2**62 if until is None else until,)).fetchone()
    return None if row is None else _seal(row)


def _seal(row: tuple[int, bytes, bytes, bytes, bytes]) -> Seal:
    seal = Seal(*row)
    if seal_digest(seal.number, seal.root, seal.mac, seal.signature) != seal.digest:
        raise JournalDamaged(f"the seal of record {seal.number} does not fit its digest")
    return seal


def event_rows(connection: sqlite3.Connection, first: int, limit: int) -> Iterator[EventRow]:
    """Events from seq ``first`` on, in order, at most ``limit`` unless that is negative."""
    query = "SELECT seq, number, body FROM events WHERE seq >= ? ORDER BY seq LIMIT ?"
    for row in connection.execute(query, (first, limit)):
        yield EventRow(*row)


def open_for_reading(path: Path, *, is_older_read: bool = False) -> sqlite3.Connection:
    """A connection that cannot write; files beside the journal are made only if a writer left or has some.

    Raises:
        NotAJournal: no such file, not a journal, or one of an earlier format without ``is_older_read``.
        JournalDamaged: a journal that cannot be opened.
    """
    try:
        ordinary(path, "-wal", "-shm")
    except FileRefused as error:
        raise NotAJournal(f"{path}: there is no journal here" if error.is_absent else str(error)) from error
    # Without a write-ahead log there is no writer, and nothing need be locked or created: works on read-only media.
    quiet = "" if Path(f"{path}-wal").exists() else "&immutable=1"
    source = uri(path, f"mode=ro{quiet}")
    connection = None
    try:
        connection = sqlite3.connect(source, uri=True, isolation_level=None, timeout=READ_WAIT_SECONDS)
        connection.execute("PRAGMA cell_size_check = 1")
        connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, CELL_LIMIT_BYTES)
        (mark,) = connection.execute("PRAGMA application_id").fetchone()
        # Whether the table is there; counting it would read the whole journal.
        connection.execute("SELECT 1 FROM records LIMIT 1").fetchone()
        if not is_older_read:
            _refuse_older(path, connection)
    except SQLITE_ERRORS as error:
        if connection is not None:
            connection.close()
        _refuse_strangers(path)
        raise cannot_read(path, error) from error
    if mark != APPLICATION_ID:
        connection.close()
        _refuse_strangers(path)
        raise JournalDamaged(f"{path}: bytes 68 to 71: the header's application id is {mark:#x}")
    return connection


def _refuse_older(path: Path, connection: sqlite3.Connection) -> None:
    """Tell a journal of an earlier version, which has no seals, from one that is damaged."""
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    seals = connection.execute("SELECT 1 FROM sqlite_schema WHERE name = 'seals'").fetchone()
    if version < FORMAT and seals is None:
        connection.close()
        advice = "read it with the version that wrote it, and begin a new epoch: tableside begin-epoch"
        raise NotAJournal(f"{path}: a journal of format {version}, and this version has format {FORMAT}: {advice}")


def _refuse_strangers(path: Path) -> None:
    """Tell a damaged journal from anything else, by the header's mark and the text of its definitions."""
    try:
        with path.open("rb") as file:
            page = file.read(PAGE_BYTES)
    except OSError as error:
        raise NotAJournal(f"{path}: {error.strerror or error}") from error
    marked = page[68:72] == APPLICATION_ID.to_bytes(4, "big")
    if not marked and REFUSAL.encode() not in page:
        raise NotAJournal(f"{path}: not a journal of a table")


@contextlib.contextmanager
def _damage(path: Path) -> Iterator[None]:
    try:
        yield
    except SQLITE_ERRORS as error:
        raise cannot_read(path, error) from error


def uri(path: Path, query: str) -> str:
    """A file as SQLite wants it named."""
    return f"file:{quote(str(path.resolve()))}?{query}"
