"""``tableside software``: which program this is, file by file, who vouches for it, whether it is the one installed."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from controller.commands.terminal import AS_JSON, refuse, say, say_json, say_text


@click.command("software")
@click.option("--sign", type=click.Path(path_type=Path), help="The key that vouches for the list: sign it.")
@click.option("--against", type=click.Path(path_type=Path), help="A list printed before: say what differs.")
@click.option("--key", metavar="PUBLIC", help="With --against: the public key that must have signed that list.")
@AS_JSON
def command(sign: Path | None, against: Path | None, key: str | None, *, as_json: bool) -> None:
    """Print the SHA-256 of each file of the program and of its libraries, as sha256sum does; --against checks them.

    Exit status: 0 printed, or the same; 1 not the same, or not signed as it should be; 2 the key or the
    list cannot be read.
    """
    from controller.formats.text.software_list import listed, signed
    from controller.io.files.key_file import KeyFileRefused, read_key
    from controller.io.operators.software import InstalledProgram, measure, measure_beside

    if key is not None and against is None:
        raise click.UsageError("--key says who must have signed the list given with --against")
    if against is not None:
        _check(against, key, as_json=as_json)
        return
    found = measure() | measure_beside(InstalledProgram.here())
    if as_json and sign is not None:
        raise click.UsageError("--sign signs the list as it is, without --json")
    if as_json:
        say_json({"files": dict(sorted(found.items()))})
        return
    text = listed(found)
    try:
        say_text(text if sign is None else signed(text, read_key(sign)), nl=False)
    except KeyFileRefused as error:
        say(f"tableside: {error}", err=True)
        sys.exit(2)


def _check(against: Path, key: str | None, *, as_json: bool) -> None:
    from controller.formats.text.printable import many
    from controller.io.operators.software import NoSoftwareList, SoftwareChanged, authenticate

    try:
        found = authenticate(against, key)
    except NoSoftwareList as error:
        refuse(error)
    except SoftwareChanged as error:
        if as_json:
            say_json({"same": False, "reason": str(error)})
        else:
            say(f"tableside: {error}", err=True)
        sys.exit(1)
    if as_json:
        say_json({"same": True, **found._asdict()})
        return
    by = f", signed by {found.signed_by}" if found.signed_by else ""
    say(f"{against}: the same, {many(found.files, 'file')}, {found.digest}{by}")
