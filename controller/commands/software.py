"""``tableside software``: which program this is, file by file, and whether it is the one that was installed."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from controller.io.software import SoftwareChanged, authenticate, digest_of, listed, measure


@click.command("software")
@click.option("--against", type=click.Path(path_type=Path), help="A list printed before: say what differs.")
def command(against: Path | None) -> None:
    """Print the SHA-256 of each file of the program, as sha256sum does; --against checks it.

    Exit status: 0 printed, or the same; 1 not the same.
    """
    if against is None:
        click.echo(listed(measure()), nl=False)
        return
    try:
        authenticate(against)
    except SoftwareChanged as error:
        click.echo(f"tableside: {error}", err=True)
        sys.exit(1)
    click.echo(f"{against}: the same, {digest_of(measure())}")
