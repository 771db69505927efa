"""``tableside rounds``: the rounds of a journal, one line each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import click

from controller.commands.journal_reader import of_journal, published
from controller.commands.terminal import Cell, Column, Style, say_json, say_table

if TYPE_CHECKING:
    from controller.io.journal.reader import JournalReader
    from controller.reports.round_narrative import RoundLine

NOT_CLOSED: Final = "not closed"

COLUMNS: Final = (
    Column("round", is_number=True),
    Column("locked"),
    Column("outcome"),
    *(
        Column(name, is_number=True)
        for name in ("boxes", "staked", "due", "settled", "open", "void", "adjusted", "alerts")
    ),
)


@click.command("rounds")
@of_journal
@click.option(
    "--last", default=20, show_default=True, type=click.IntRange(1), help="How many rounds; the latest is the last."
)
def command(reader: JournalReader, *, as_json: bool, last: int) -> None:
    """List the rounds of JOURNAL: stakes, nets and outcomes.

    The column `open` counts wagers that the evidence does not settle; a round that goes on is `not closed`.

    JOURNAL is the table's journal, of a running daemon or of one that stopped; it is only read.
    Each event is checked against its record's chain hash.

    Exit status: 0 listed, 2 the journal cannot be read.
    """
    from controller.reports.revenue_rows import takings
    from controller.reports.round_narrative import rounds

    found = rounds(takings(published(reader)))[-last:]
    if as_json:
        say_json(found)
        return
    say_table(COLUMNS, map(row, found))


def row(one: RoundLine) -> tuple[str | Cell, ...]:
    """A round as a row of the list."""
    from controller.core.table.alert_list import money
    from controller.reports.round_narrative import signed

    # A wager may be open too, of a round that is closed: the one word for both misleads.
    shown = one.outcome if one.closed else NOT_CLOSED
    outcome: Style = "bad" if one.outcome == "irregular" else "warning" if one.outcome == "open" else ""
    return (
        str(one.round),
        one.locked[:19].replace("T", " "),
        Cell(shown, outcome),
        str(one.boxes),
        money(one.staked_cents),
        signed(one.net_cents),
        str(one.settled),
        Cell(str(one.open), "warning" if one.open else ""),
        Cell(str(one.void), "warning" if one.void else ""),
        Cell(str(one.adjusted), "warning" if one.adjusted else ""),
        Cell(str(one.alerts), "bad" if one.alerts else ""),
    )
