"""``tableside check``: whether a table file can be run."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from controller.formats.config import ConfigError
from controller.io.table_file import load_table


@click.command("check")
@click.argument("table_file", type=click.Path(dir_okay=False, path_type=Path))
def command(table_file: Path) -> None:
    """Check TABLE_FILE and what it points to: profile, chip registry, key.

    Every mistake is one line. Exit status: 0 fit to run, 2 mistakes.
    """
    try:
        table = load_table(table_file)
    except ConfigError as error:
        for line in error.lines:
            click.echo(f"tableside: {line}", err=True)
        sys.exit(2)
    section = table.config.table
    click.echo(
        f"{table_file}: {section.site}/{section.name}, {table.profile.title}, {len(table.chips)} chips: fit to run"
    )
