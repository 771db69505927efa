"""``tableside export``: what a journal holds, for other programs."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from controller.io.journal import JournalDamaged, NotAJournal
from controller.io.journal_store import JournalReader
from controller.io.journal_stream import checked_events

BATCH = 1000


@click.command("export")
@click.option("--events", is_flag=True, required=True, help="The events, each on a line exactly as it was published.")
@click.option("--first", default=1, show_default=True, type=click.IntRange(min=1), help="The first event's seq.")
@click.option("--last", type=click.IntRange(min=1), help="The last event's seq; without it all there are.")
@click.option("--output", type=click.Path(dir_okay=False, path_type=Path), help="A file, instead of standard output.")
@click.argument("journal", type=click.Path(dir_okay=False, path_type=Path))
def command(journal: Path, output: Path | None, first: int, last: int | None, *, events: bool) -> None:
    """Write the events of JOURNAL as JSON Lines; no key is needed, and a daemon may be writing.

    Each event is held against its record's chain hash before it is written.

    Exit status: 0 written, 1 the journal is damaged (what was written before is whole), 2 no journal there, or the
    output cannot be written.
    """
    assert events
    try:
        with JournalReader(journal) as reader, click.open_file("-" if output is None else output, "wb") as file:
            seq = first - 1
            # One transaction: the end does not move while we go there.
            reader.connection.execute("BEGIN")
            while last is None or seq < last:
                limit = BATCH if last is None else min(BATCH, last - seq)
                rows = checked_events(reader.connection, reader.identity, seq, limit)
                if not rows:
                    break
                file.write(b"".join(row.body + b"\n" for row in rows))
                seq = rows[-1].seq
    except NotAJournal as error:
        click.echo(f"tableside: {error}", err=True)
        sys.exit(2)
    except JournalDamaged as error:
        click.echo(f"tableside: {journal}: damaged: {error}; run: tableside verify {journal}", err=True)
        sys.exit(1)
    except OSError as error:
        click.echo(f"tableside: {output or 'standard output'}: {error.strerror}", err=True)
        sys.exit(2)
