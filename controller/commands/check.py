"""``tableside check``: whether a table file can be run."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import click

from controller.commands.run import unpaired_lines
from controller.formats.config import ConfigError, is_credential
from controller.formats.meter_odds import odds_lines
from controller.io.second_copy import Place, remark
from controller.io.table_file import load_table


@click.command("check")
@click.argument("table_file", type=click.Path(dir_okay=False, path_type=Path))
def command(table_file: Path) -> None:
    """Check TABLE_FILE and what it points to: profile, chip registry, key.

    Every mistake is one line. Of each meter it is told how likely one wager is to win it. A key that the service
    manager keeps (credential:NAME) is looked at within the service only. A second copy that cannot be kept is told, and
    the table runs without it. Exit status: 0 fit to run, 2 mistakes.
    """
    credentials = os.environ.get("CREDENTIALS_DIRECTORY")
    try:
        table = load_table(table_file, credentials, within_service=credentials is not None)
    except ConfigError as error:
        for line in error.lines:
            click.echo(f"tableside: {line}", err=True)
        sys.exit(2)
    section = table.config.table
    if is_credential(section.key_file):
        click.echo(
            f"{table_file}: [table] key_file: {section.key_file} is there within the service only: not looked at"
        )
    if section.second_copy is not None:
        lacking = remark(Place(Path(section.second_copy)), Path(section.journal))
        if lacking:
            click.echo(f"{table_file}: [table] second_copy: {section.second_copy}: {lacking}")
    for line in unpaired_lines(table.config):
        click.echo(f"{table_file}: warning: {line}")
    for line in odds_lines((*table.config.meters, *table.config.linked_meters), table.profile.rules):
        click.echo(f"{table_file}: {line}")
    click.echo(
        f"{table_file}: {section.site}/{section.name}, {table.profile.title}, {len(table.chips)} chips: fit to run"
    )
