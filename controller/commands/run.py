"""``tableside run``: the daemon of one table."""

from __future__ import annotations

from pathlib import Path

import click

from controller.commands.logged import logged


@click.command("run")
@click.argument("table_file", type=click.Path(path_type=Path))
@logged
def command(table_file: Path) -> None:
    """Run the table described by TABLE_FILE until stopped (SIGTERM or Ctrl-C).

    Exit status: 0 stopped, 2 the table file, key or journal cannot be used, 70 the disk failed.
    """
    from controller.commands.table_program import run

    run(table_file)
