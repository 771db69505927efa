"""``tableside verify``: whether a journal is whole."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from controller.io.journal import NotAJournal
from controller.io.rebuilding import verify_copy
from controller.io.segment_folder import NoCopy
from controller.io.verification import verify


@click.command("verify")
@click.option("--gently", is_flag=True, help="Take a fifth of a processor at most.")
@click.argument("journal", type=click.Path(path_type=Path))
def command(journal: Path, *, gently: bool) -> None:
    """Check every byte of JOURNAL, or of the second copy in the folder JOURNAL; no key is needed.

    Exit status: 0 whole, 1 damaged, 2 no journal there.
    """
    try:
        report = verify_copy(journal, gently=gently) if journal.is_dir() else verify(journal, gently=gently)
    except (NotAJournal, NoCopy, OSError) as error:
        click.echo(f"tableside: {error}", err=True)
        sys.exit(2)
    if report.damage is not None or report.identity is None:
        click.echo(f"{journal}: damaged: {report.damage}")
        sys.exit(1)
    counts = f"{report.records} records, {report.events} events, head {report.head}"
    click.echo(f"{journal}: whole: {report.identity.text()}, {counts}")
