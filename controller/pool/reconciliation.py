"""Whether a ledger adds up: each table's entries against its account, all of them against the pool's meter.

paid + shown + reserved = contributed + funded, per table and in total, to the unit (REC-1, REC-5). What is added up is
read from the single entries and awards, not from the totals that it is held against.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from controller.core.meters.meter import Meter
from controller.pool.ledger import Ledger, LedgerBooks, LedgerRows, TableAccount, books
from controller.pool.postings import HOUSE


class Sums(NamedTuple):
    """What a table's (or all) single entries and awards add up to. Units."""

    entries: int = 0
    contributed: int = 0
    paid: int = 0
    reserved: int = 0
    """Won and not yet paid: pending or verified."""
    refused: int = 0


class Reconciliation(NamedTuple):
    """The two sides of the pool in units, what they are made of by table, and what does not agree."""

    shown: int
    """What stands in the meter: what is shown, what lies above its limit, and the part of a cent."""
    put_by: int
    """What stands in its reserve."""
    funded: int
    """What the house has in it, corrections included."""
    total: Sums
    tables: dict[str, Sums]
    mistakes: tuple[str, ...]

    def left(self) -> int:
        """Paid, shown and reserved."""
        return self.total.paid + self.shown + self.put_by + self.total.reserved

    def right(self) -> int:
        """Contributed and funded."""
        return self.total.contributed + self.funded


def reconcile(ledger: Ledger) -> Reconciliation:
    """Add the ledger up as it is at one moment.

    Raises:
        LedgerRefused: the pool has not begun.
        LedgerFailed: the database.
    """
    return ledger.examine(lambda rows: _reconciled(rows, ledger.pool))


def _reconciled(rows: LedgerRows, pool: str) -> Reconciliation:
    held = books(rows, pool)
    tables = {name: Sums() for name in held.accounts if name != HOUSE}
    query = (
        "SELECT table_name, COUNT(*), SUM(units) + SUM(hidden_units), MAX(number) FROM entries"
        " WHERE pool = ? GROUP BY table_name"
    )
    highest, house = 0, 0
    for name, count, units, number in rows.all(query, (pool,)):
        highest = max(highest, number)
        if name == HOUSE:
            house = count
        else:
            tables[name] = Sums(int(count), int(units))
    for name, standing, units in rows.all(
        "SELECT table_name, standing, SUM(units) FROM awards WHERE pool = ? GROUP BY table_name, standing", (pool,)
    ):
        kept = tables.get(name, Sums())
        field = standing if standing in {"paid", "refused"} else "reserved"
        tables[name] = kept._replace(**{field: getattr(kept, field) + int(units)})
    total = Sums(*(sum(column) for column in zip(*tables.values(), strict=True))) if tables else Sums()
    meter = held.meter
    funded = meter.funded_units - meter.recovered_units + meter.raised_units - meter.lowered_units
    funded += meter.reserve_raised_units - meter.reserve_lowered_units
    found = Reconciliation(meter.current_units, meter.reserve_units, funded, total, tables, ())
    wrong = tuple(_mistakes(found, held, highest, total.entries + house))
    return found._replace(mistakes=wrong)


def _mistakes(found: Reconciliation, held: LedgerBooks, highest: int, count: int) -> Iterator[str]:
    try:
        held.meter.audited()
    except AssertionError as error:
        yield str(error)
    if not held.entries == highest == count:
        yield f"{count} entries up to number {highest}; the pool counts {held.entries}"
    for name, sums in sorted(found.tables.items()):
        yield from _of_table(name, sums, held.accounts.get(name, TableAccount()))
    yield from _of_meter(found.total, held.meter)
    if found.left() != found.right():
        yield f"paid + shown + reserved is {found.left()} units, contributed + funded {found.right()}"


def _of_table(name: str, sums: Sums, account: TableAccount) -> Iterator[str]:
    given, won = account.units + account.hidden_units, sums.paid + sums.reserved + sums.refused
    if sums.contributed != given:
        yield f"{name}: its entries contribute {sums.contributed} units, its account says {given}"
    if won != account.won_units:
        yield f"{name}: its awards are {won} units, its account says {account.won_units}"
    if sums.refused != account.returned_units:
        yield f"{name}: {sums.refused} units of awards were refused, {account.returned_units} put back"


def _of_meter(total: Sums, meter: Meter) -> Iterator[str]:
    given = meter.main.units + meter.hidden.units
    if total.contributed != given:
        yield f"the tables' entries contribute {total.contributed} units, the meter counts {given}"
    if total.paid + total.reserved + total.refused != meter.won_units:
        won = total.paid + total.reserved + total.refused
        yield f"the tables' awards are {won} units, the meter counts {meter.won_units}"
    if total.refused != meter.returned_units:
        yield f"{total.refused} units of awards were refused, the meter counts {meter.returned_units} put back"
