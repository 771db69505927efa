"""``tableside software``: which program this is, file by file, who vouches for it, whether it is the one installed."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from controller.commands.terminal import say, say_text
from controller.formats.software_list import listed, signed
from controller.io.keys import KeyRefused, read_key
from controller.io.software import Installed, SoftwareChanged, authenticate, measure, measure_beside


@click.command("software")
@click.option("--sign", type=click.Path(path_type=Path), help="The key that vouches for the list: sign it.")
@click.option("--against", type=click.Path(path_type=Path), help="A list printed before: say what differs.")
@click.option("--key", metavar="PUBLIC", help="With --against: the public key that must have signed that list.")
def command(sign: Path | None, against: Path | None, key: str | None) -> None:
    """Print the SHA-256 of each file of the program and of its libraries, as sha256sum does; --against checks them.

    Exit status: 0 printed, or the same; 1 not the same, or not signed as it should be; 2 the key cannot be used.
    """
    if key is not None and against is None:
        raise click.UsageError("--key says who must have signed the list given with --against")
    if against is not None:
        _check(against, key)
        return
    text = listed(measure() | measure_beside(Installed.here()))
    try:
        say_text(text if sign is None else signed(text, read_key(sign)), nl=False)
    except KeyRefused as error:
        say(f"tableside: {error}", err=True)
        sys.exit(2)


def _check(against: Path, key: str | None) -> None:
    try:
        found = authenticate(against, key)
    except SoftwareChanged as error:
        say(f"tableside: {error}", err=True)
        sys.exit(1)
    by = f", signed by {found.signed_by}" if found.signed_by else ""
    say(f"{against}: the same, {found.files} files, {found.digest}{by}")
