"""``tableside verify``: whether a journal is whole."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from controller.io.journal import NotAJournal
from controller.io.verification import verify


@click.command("verify")
@click.option("--gently", is_flag=True, help="Take a fifth of a processor at most.")
@click.argument("journal", type=click.Path(dir_okay=False, path_type=Path))
def command(journal: Path, *, gently: bool) -> None:
    """Check every byte of JOURNAL; no key is needed.

    Exit status: 0 whole, 1 damaged, 2 no journal there.
    """
    try:
        report = verify(journal, gently=gently)
    except NotAJournal as error:
        click.echo(f"tableside: {error}", err=True)
        sys.exit(2)
    if report.damage is not None or report.identity is None:
        click.echo(f"{journal}: damaged: {report.damage}")
        sys.exit(1)
    counts = f"{report.records} records, {report.events} events, head {report.head}"
    click.echo(f"{journal}: whole: {report.identity.text()}, {counts}")
