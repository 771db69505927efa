"""``tableside begin-epoch``: begin a journal anew where the old one can no longer be gone on with."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

import click

from controller.formats.config import ConfigError
from controller.formats.meter_account import meter_book
from controller.formats.payloads import PayloadRefused, read_event
from controller.io.clock import SystemClock
from controller.io.epochs import EpochRefused, Ruling, begin_epoch
from controller.io.journal import JournalDamaged, JournalReader, NotAJournal
from controller.io.table_file import load_table


@click.command("begin-epoch")
@click.option("--who", required=True, help="Who rules it.")
@click.option("--witness", required=True, help="The second person.")
@click.option("--why", required=True, help="The reason, kept in the new journal.")
@click.argument("table_file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
def command(table_file: Path, who: str, witness: str, why: str) -> None:
    """Put the journal of TABLE_FILE's table aside and begin another. The table must not run.

    Rounds and events count from 1 again, in a new epoch. The old journal is kept, named after its epoch; nothing of
    it is changed.

    Exit status: 0 begun, 2 refused.
    """
    try:
        table = load_table(table_file, within_service=False).config.table
        ruling = Ruling(who, witness, why)
        begun = asyncio.run(begin_epoch(Path(table.journal), table.site, table.name, ruling, SystemClock().wall_ns()))
    except ConfigError as error:
        for line in error.lines:
            click.echo(f"tableside: {line}", err=True)
        sys.exit(2)
    except EpochRefused as error:
        click.echo(f"tableside: {error}", err=True)
        sys.exit(2)
    if begun.kept is not None:
        click.echo(f"{begun.kept}: kept, {begun.before}")
        for line in owed(begun.kept):
            click.echo(line)
    click.echo(f"{table.journal}: epoch {begun.identity.epoch} begins")


def owed(journal: Path) -> list[str]:
    """A line for each pool that the old journal still owes postings: nobody posts them any more."""
    try:
        with JournalReader(journal) as reader:
            book = meter_book(read_event(row.body).event for row in reader.events())
    except (NotAJournal, JournalDamaged, PayloadRefused, OSError) as error:
        return [f"{journal}: what it owes to pools cannot be read: {error}"]
    return [
        f"{journal}: pool {line.pool} has not answered postings {', '.join(map(str, line.owed))}; compare with"
        " `tableside link status` there, and two people correct the pool"
        for line in book.linked.values()
        if line.owed
    ]
