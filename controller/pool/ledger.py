"""The ledger of a pool: every posting once, in one order, together with what it left the pool at.

Whichever database holds it, a transaction begins by taking the pool's row and so stands in the one order of all
tables: two tables that hit at the same moment get the full meter and its reset value, by who was committed first. What
was posted before is found again by (table, epoch, seq) and gets the answer it got then. Postings that wait at the same
moment share a transaction, so that a commit is paid once for many tables.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple, Protocol, TypeVar, assert_never

import msgspec

from controller.core.meters.awards import Jackpot
from controller.core.meters.meter import UNITS, Meter, Parameters, opened
from controller.core.meters.pool_postings import (
    AwardOutcome,
    ContributionOutcome,
    DeclinedOutcome,
    VerdictOutcome,
    WagerPosting,
)
from controller.formats.text.safe_parse import own_json
from controller.pool.fold import FoldStep, stepped
from controller.pool.members import RECENT, Member, WagerPlace, undue
from controller.pool.postings import (
    HOUSE,
    ChangeOutcome,
    ChangePosting,
    LedgerAnswer,
    LedgerEntry,
    OutOfOrder,
    PoolBalance,
    Posting,
    PostingBody,
    PostingOutcome,
)

FORMAT: Final = 1
SCHEMA: Final = (
    """CREATE TABLE pools (name TEXT PRIMARY KEY, format BIGINT NOT NULL, opening TEXT NOT NULL, meter TEXT NOT NULL,
        entries BIGINT NOT NULL, hits BIGINT NOT NULL)""",
    """CREATE TABLE accounts (pool TEXT NOT NULL REFERENCES pools, table_name TEXT NOT NULL, epoch BIGINT NOT NULL,
        seq BIGINT NOT NULL, wagers BIGINT NOT NULL, units BIGINT NOT NULL, hidden_units BIGINT NOT NULL,
        won_units BIGINT NOT NULL, returned_units BIGINT NOT NULL, PRIMARY KEY (pool, table_name))""",
    """CREATE TABLE entries (pool TEXT NOT NULL REFERENCES pools, number BIGINT NOT NULL, table_name TEXT NOT NULL,
        epoch BIGINT NOT NULL, seq BIGINT NOT NULL, deed TEXT NOT NULL, outcome TEXT NOT NULL,
        shown_cents BIGINT NOT NULL, units BIGINT NOT NULL, hidden_units BIGINT NOT NULL, PRIMARY KEY (pool, number),
        UNIQUE (pool, table_name, epoch, seq))""",
    """CREATE TABLE awards (pool TEXT NOT NULL REFERENCES pools, number BIGINT NOT NULL, table_name TEXT NOT NULL,
        epoch BIGINT NOT NULL, standing TEXT NOT NULL, units BIGINT NOT NULL, body TEXT NOT NULL,
        PRIMARY KEY (pool, number))""",
)
"""Made by whoever opens the pool; BIGINT holds 64 bits in both databases."""


class Columns(NamedTuple):
    """The columns of a table: their types by name, and those of its key."""

    types: dict[str, str]
    key: tuple[str, ...]


def _columns(statement: str) -> Columns:
    types = dict(re.findall(r"(\w+) (TEXT|BIGINT)", statement))
    found = re.search(r"PRIMARY KEY \(([^)]*)\)|(\w+) TEXT PRIMARY KEY", statement)
    assert found is not None, "every table has a key"
    return Columns(types, tuple((found[1] or found[2]).split(", ")))


TABLES: Final = {statement.split()[2]: _columns(statement) for statement in SCHEMA}
"""What ``SCHEMA`` makes, by name."""

T = TypeVar("T")
_LedgerRow = tuple[Any, ...]


class LedgerFailed(Exception):  # noqa: N818 - named for what happened
    """The database does not take or give entries; no table may be answered. The text says what it said."""


class LedgerRefused(Exception):  # noqa: N818 - named for what happened
    """There is no such pool, or one already, or the database is not a ledger; the text says what to do."""


class LedgerRows(Protocol):
    """A transaction under way. Statements are written with ``?`` for each value."""

    def all(self, statement: str, values: Sequence[object] = ()) -> list[_LedgerRow]:
        """The rows of a query."""
        ...

    def do(self, statement: str, rows: Iterable[Sequence[object]]) -> None:
        """The statement once for each row of values."""
        ...

    def insert(self, table: str, rows: Sequence[Sequence[object]], update: Sequence[str] = ()) -> None:
        """Insert whole rows; where a row of that key is there, with ``update``, it takes these columns over."""
        ...


class Database(Protocol):
    """Where a ledger lies. Both methods may be called from a thread of their own, one at a time."""

    lock: str
    """Ends the query for the pool's row where the database locks rows; empty where it locks itself."""

    def write(self, work: Callable[[LedgerRows], T]) -> T:
        """Do ``work`` in one transaction; its result once that is on the disk. ``work`` may be done again.

        Raises:
            LedgerFailed: it is not stored, or it is not known.
        """
        ...

    def read(self, work: Callable[[LedgerRows], T]) -> T:
        """Do ``work`` on the ledger as it is at one moment.

        Raises:
            LedgerFailed: the database.
        """
        ...

    def close(self) -> None:
        """Let go of it."""
        ...


class TableAccount(NamedTuple):
    """What a table has put in and taken out, and the last posting of it. Units."""

    epoch: int = 0
    seq: int = 0
    wagers: int = 0
    units: int = 0
    hidden_units: int = 0
    won_units: int = 0
    returned_units: int = 0


class LedgerBooks(NamedTuple):
    """A pool as it stands: the meter it was opened as and is, its entries and awards counted, each table's account."""

    opening: Meter
    meter: Meter
    entries: int
    hits: int
    accounts: Mapping[str, TableAccount]


class Ledger:
    """The books of one pool."""

    def __init__(self, database: Database, pool: str, members: Mapping[str, Member] | None = None) -> None:
        """``members``: what each table may post; None: this process takes no tables' postings to be judged by it."""
        self._database = database
        self._members = members
        self.pool = pool

    def open(self, parameters: Parameters) -> None:
        """Begin the pool at its base value.

        Raises:
            LedgerRefused: it has begun already.
            LedgerFailed: the database.
        """
        meter = _text(opened(self.pool, parameters))

        def work(rows: LedgerRows) -> bool:
            if rows.all("SELECT 1 FROM pools WHERE name = ?", (self.pool,)):
                return False
            rows.do("INSERT INTO pools VALUES (?, ?, ?, ?, ?, ?)", [(self.pool, FORMAT, meter, meter, 0, 0)])
            return True

        if not self._database.write(work):
            raise LedgerRefused(f"pool {self.pool}: has begun already")

    def post(self, postings: Sequence[Posting]) -> list[LedgerAnswer]:
        """Enter postings in the order given, all in one transaction; the answers once it is on the disk.

        Raises:
            LedgerFailed: the database; post the same again, to this process or another.
            AssertionError: the pool's accounts do not agree; nothing was entered.
        """
        lock, members = self._database.lock, self._members
        return self._database.write(lambda rows: _Transaction(rows, self.pool, lock, members).post(postings))

    def books(self) -> LedgerBooks:
        """The pool as it stands.

        Raises:
            LedgerRefused: it has not begun.
            LedgerFailed: the database.
        """
        return self._database.read(lambda rows: books(rows, self.pool))

    def standing(self) -> PoolBalance:
        """What the pool shows, and after how many entries.

        Raises:
            LedgerRefused, LedgerFailed: as ``books``.
        """
        found = self._database.read(lambda rows: _pool(rows, self.pool))
        return PoolBalance(found[2], found[1].shown_cents())

    def examine(self, look: Callable[[LedgerRows], T]) -> T:
        """What ``look`` finds in the ledger as it is at one moment.

        Raises:
            LedgerFailed: the database.
        """
        return self._database.read(look)


def books(rows: LedgerRows, pool: str) -> LedgerBooks:
    """The pool as it stands.

    Raises:
        LedgerRefused: it has not begun.
    """
    opening, meter, entries, hits = _pool(rows, pool)
    query = (
        "SELECT table_name, epoch, seq, wagers, units, hidden_units, won_units, returned_units"
        " FROM accounts WHERE pool = ? ORDER BY table_name"
    )
    return LedgerBooks(
        opening, meter, entries, hits, {name: TableAccount(*of) for name, *of in rows.all(query, (pool,))}
    )


def _pool(rows: LedgerRows, pool: str, lock: str = "") -> tuple[Meter, Meter, int, int]:
    found = rows.all(f"SELECT format, opening, meter, entries, hits FROM pools WHERE name = ?{lock}", (pool,))  # noqa: S608
    if not found:
        raise LedgerRefused(f"pool {pool}: has not begun here; two people begin it with `tableside link begin`")
    if found[0][0] != FORMAT:
        raise LedgerRefused(f"pool {pool}: kept in format {found[0][0]}, this program knows {FORMAT}")
    opening, meter = (own_json(text, Meter) for text in found[0][1:3])
    return opening, meter, found[0][3], found[0][4]


class _Transaction:
    """Postings entered one after the other, and written together at the end."""

    def __init__(self, rows: LedgerRows, pool: str, lock: str, members: Mapping[str, Member] | None) -> None:
        self._rows = rows
        self._members = members
        self._pool = pool
        _, self._meter, self._number, self.hits = _pool(rows, pool, lock)
        self._accounts: dict[str, TableAccount] = {}
        self._entries: list[_LedgerRow] = []
        self._answers: dict[tuple[str, int, int], tuple[PostingBody, LedgerEntry]] = {}
        self._awards: dict[int, tuple[str, int, Jackpot]] = {}
        self._laid: dict[tuple[str, int], dict[WagerPlace, int]] = {}
        """For each table that claims, by epoch: the last of its recent postings that counted a wager there."""
        self._won: dict[tuple[str, int], defaultdict[WagerPlace, set[int]]] = {}
        """For each table that claims, by epoch: its awards by number, refused ones too."""
        self._changed: set[int] = set()

    def post(self, postings: Sequence[Posting]) -> list[LedgerAnswer]:
        self._fetch_accounts(sorted({posting.table for posting in postings}))
        answers = [self._answer(posting) for posting in postings]
        if self._entries:
            self._write()
        return answers

    def _answer(self, posting: Posting) -> LedgerAnswer:
        table, epoch, seq, deed = posting.table, posting.epoch, posting.seq, posting.deed
        account = self._accounts[table]
        if epoch < 1 or seq < 1:
            return OutOfOrder(account.epoch, account.seq, f"{table} {epoch}/{seq}: both are counted from 1")
        if (epoch, seq) <= (account.epoch, account.seq):
            return self._again(posting, account)
        expected = account.seq + 1 if epoch == account.epoch else 1
        if seq != expected:
            return OutOfOrder(account.epoch, account.seq, f"{table} {epoch}/{seq}: {expected} comes next")
        if isinstance(deed, ChangePosting) != (table == HOUSE):
            return OutOfOrder(account.epoch, account.seq, "people move a pool at the link, and nothing else there")
        refused = self._undue(posting)
        step = (
            FoldStep(DeclinedOutcome(refused), self._meter)
            if refused
            else stepped(self._meter, table, epoch, deed, self)
        )
        self._meter = step.meter
        self._number += 1
        answer = LedgerEntry(self._number, step.meter.shown_cents(), step.outcome)
        self._note(posting, account, step, answer)
        return answer

    def _undue(self, posting: Posting) -> str:
        """Why a posting cannot be its table's (``members``); empty: it may be."""
        if self._members is None or posting.table == HOUSE:
            return ""
        member = self._members.get(posting.table, Member({}, 0))
        return undue(member, posting.deed, lambda place: self._wagered(posting, place))

    def _wagered(self, posting: Posting, place: WagerPlace) -> bool:
        """Whether the table's wager there was counted among its recent postings."""
        first = max(1, posting.seq - RECENT)
        return self._laid_by(posting.table, posting.epoch, first).get(place, 0) >= first

    def _laid_by(self, table: str, epoch: int, first: int) -> dict[WagerPlace, int]:
        """Where the table's wagers lay, by the last posting that counted one there; of ``first`` and all later ones.

        Read once in a transaction, however many claims it holds: a table that claims without end keeps no other
        waiting.
        """
        if (table, epoch) not in self._laid:
            query = (
                "SELECT seq, deed, outcome FROM entries"
                " WHERE pool = ? AND table_name = ? AND epoch = ? AND seq >= ? ORDER BY seq"
            )
            rows = self._rows.all(query, (self._pool, table, epoch, first))
            before = [(seq, deed_of(deed), own_json(outcome, PostingOutcome)) for seq, deed, outcome in rows]
            now = [(seq, *of) for (whose, began, seq), of in self._answers.items() if (whose, began) == (table, epoch)]
            counted = [(seq, deed, answer.outcome) for seq, deed, answer in now]
            found = self._laid[table, epoch] = dict[WagerPlace, int]()
            for seq, deed, outcome in (*before, *counted):
                _lay(found, seq, deed, outcome)
        return self._laid[table, epoch]

    def _again(self, posting: Posting, account: TableAccount) -> LedgerAnswer:
        key = (posting.table, posting.epoch, posting.seq)
        found = self._answers.get(key) or self._entered(key)
        if found is None:
            return OutOfOrder(account.epoch, account.seq, f"epoch {posting.epoch} of {posting.table} is over")
        if found[0] != posting.deed:
            said = f"{posting.table} {posting.epoch}/{posting.seq} is something else in the ledger"
            return OutOfOrder(account.epoch, account.seq, said)
        return found[1]

    def _entered(self, key: tuple[str, int, int]) -> tuple[PostingBody, LedgerEntry] | None:
        query = (
            "SELECT number, shown_cents, deed, outcome FROM entries"
            " WHERE pool = ? AND table_name = ? AND epoch = ? AND seq = ?"
        )
        for number, shown, deed, outcome in self._rows.all(query, (self._pool, *key)):
            return deed_of(deed), LedgerEntry(number, shown, own_json(outcome, PostingOutcome))
        return None

    def _note(self, posting: Posting, account: TableAccount, step: FoldStep, answer: LedgerEntry) -> None:
        table, epoch, seq, deed = posting.table, posting.epoch, posting.seq, posting.deed
        wagers, units, hidden, won, back = account[2:]
        put, put_by = 0, 0
        match step.outcome:
            case ContributionOutcome(put, put_by):
                wagers, units, hidden = wagers + 1, units + put, hidden + put_by
            case AwardOutcome(jackpots):
                won += sum(one.cents for one in jackpots) * UNITS
                self.hits += len(jackpots)
            case VerdictOutcome(jackpot):
                back += jackpot.cents * UNITS if jackpot.standing == "refused" else 0
            case ChangeOutcome() | DeclinedOutcome():
                pass
            case _:
                assert_never(step.outcome)
        self._accounts[table] = TableAccount(epoch, seq, wagers, units, hidden, won, back)
        for jackpot in step.jackpots:
            known = self._awards.get(jackpot.number)
            self._awards[jackpot.number] = (table, known[1] if known else epoch, jackpot)
            self._changed.add(jackpot.number)
            if isinstance(step.outcome, AwardOutcome) and (table, epoch) in self._won:
                self._won[table, epoch][_place(jackpot)].add(jackpot.number)
        self._answers[table, epoch, seq] = deed, answer
        if (table, epoch) in self._laid:
            _lay(self._laid[table, epoch], seq, deed, step.outcome)
        outcome = _text(step.outcome)
        row = (self._pool, answer.number, table, epoch, seq, _text(deed), outcome, answer.shown_cents, put, put_by)
        self._entries.append(row)

    def _fetch_accounts(self, tables: list[str]) -> None:
        """Read the accounts of every table that posts, in one query; of few lengths, so that it is planned seldom."""
        if not tables:
            return
        wanted = tables + tables[-1:] * ((1 << (len(tables) - 1).bit_length()) - len(tables))
        columns, places = ", ".join(("table_name", *TableAccount._fields)), ", ".join("?" * len(wanted))
        query = f"SELECT {columns} FROM accounts WHERE pool = ? AND table_name IN ({places})"  # noqa: S608 - our own names
        found = {name: TableAccount(*of) for name, *of in self._rows.all(query, (self._pool, *wanted))}
        self._accounts = {table: found.get(table, TableAccount()) for table in tables}

    def award(self, table: str, number: int) -> Jackpot | None:
        """See ``Awards``."""
        if not 0 < number <= self.hits:
            return None
        if number not in self._awards:
            query = "SELECT table_name, epoch, body FROM awards WHERE pool = ? AND number = ?"
            for whose, epoch, body in self._rows.all(query, (self._pool, number)):
                self._awards[number] = whose, epoch, own_json(body, Jackpot)
        whose, _, jackpot = self._awards.get(number, ("", 0, None))
        return jackpot if whose == table else None

    def won(self, table: str, epoch: int, number: int, spot: int, bet: str) -> bool:
        """See ``Awards``."""
        numbers = self._won_by(table, epoch).get((number, spot, bet), ())
        return any(self._awards[one][2].standing != "refused" for one in numbers)

    def _won_by(self, table: str, epoch: int) -> defaultdict[WagerPlace, set[int]]:
        """The table's awards of an epoch, by where they were won; read once in a transaction."""
        if (table, epoch) not in self._won:
            query = "SELECT number, body FROM awards WHERE pool = ? AND table_name = ? AND epoch = ?"
            for number, body in self._rows.all(query, (self._pool, table, epoch)):
                # One that was judged in this transaction is known as it stands now.
                if number not in self._awards:
                    self._awards[number] = table, epoch, own_json(body, Jackpot)
            found = self._won[table, epoch] = defaultdict[WagerPlace, set[int]](set)
            for number, (whose, began, jackpot) in self._awards.items():
                if (whose, began) == (table, epoch):
                    found[_place(jackpot)].add(number)
        return self._won[table, epoch]

    def _write(self) -> None:
        pool = self._pool
        self._rows.do(
            "UPDATE pools SET meter = ?, entries = ?, hits = ? WHERE name = ?",
            [(_text(self._meter), self._number, self.hits, pool)],
        )
        self._rows.insert("entries", self._entries)
        posted = {posting[0] for posting in self._answers}
        accounts = [(pool, table, *account) for table, account in sorted(self._accounts.items()) if table in posted]
        self._rows.insert("accounts", accounts, update=TableAccount._fields)
        awards = [
            (pool, number, table, epoch, jackpot.standing.value, jackpot.cents * UNITS, _text(jackpot))
            for number, (table, epoch, jackpot) in sorted(self._awards.items())
            if number in self._changed
        ]
        self._rows.insert("awards", awards, update=("standing", "body"))


def on_conflict(table: str, update: Sequence[str]) -> str:
    """The clause by which a row whose key is there takes columns over, alike in both databases."""
    if not update:
        return ""
    taken = ", ".join(f"{column} = excluded.{column}" for column in update)
    return f" ON CONFLICT ({', '.join(TABLES[table].key)}) DO UPDATE SET {taken}"


def _lay(found: dict[WagerPlace, int], seq: int, deed: PostingBody, outcome: PostingOutcome) -> None:
    if isinstance(deed, WagerPosting) and isinstance(outcome, ContributionOutcome):
        found[deed.round, deed.spot, deed.bet] = seq


def _place(jackpot: Jackpot) -> WagerPlace:
    return jackpot.round, jackpot.spot, jackpot.bet


def deed_of(text: str) -> PostingBody:
    """A deed as it lies in the ledger."""
    deed: PostingBody = own_json(text, PostingBody)
    return deed


def _text(value: object) -> str:
    return msgspec.json.encode(value).decode()
