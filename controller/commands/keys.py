"""``tableside keys``: make and change the secrets a table needs."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final, NoReturn

import click

from controller.commands.terminal import AS_JSON, say, say_json

if TYPE_CHECKING:
    from datetime import datetime

NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,62}")
"""What may stand in a certificate's name and in an access list without being mistaken for anything else."""

NANOSECONDS: Final = 1_000_000_000
FILE: Final = click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
DIRECTORY: Final = click.argument("directory", type=click.Path(file_okay=False, exists=True, path_type=Path))
ROTATE: Final = click.option("--rotate", is_flag=True, help="Put the old one aside (FILE.1, ...) and make a new one.")


@click.group("keys")
def command() -> None:
    """Make and change the secrets a table needs. Every secret file is readable by its owner alone.

    Exit status of all: 0 done, 2 refused, with a line that says why.
    """


@command.command("table")
@FILE
@ROTATE
def table(file: Path, *, rotate: bool) -> None:
    """Make the key that seals a table's journal, in FILE.

    A journal is read with the key it was written with: after --rotate begin a new journal and keep the old key with
    the old one.
    """
    from controller.formats.journal.records import KEY_BYTES
    from controller.io.system.randomness import SystemEntropy

    old = _kept(file, f"{SystemEntropy().take(KEY_BYTES).hex()}\n".encode(), rotate=rotate)
    say(f"{file}: a new key" + (f"; the old one is {old}, keep it with its journal" if old else ""))


@command.command("pairing")
@FILE
@ROTATE
def pairing(file: Path, *, rotate: bool) -> None:
    """Make the key that a table and its trigger box share, in FILE.

    Both need the same key, and no one else may have it: copy FILE to the other by hand. After --rotate, restart both.
    """
    from controller.formats.journal.records import KEY_BYTES
    from controller.io.system.randomness import SystemEntropy

    _kept(file, f"{SystemEntropy().take(KEY_BYTES).hex()}\n".encode(), rotate=rotate)
    say(f"{file}: a new pairing key; the table's and the box's pairing_key_file both name a copy of it")


@command.command("curve")
@FILE
@ROTATE
def curve(file: Path, *, rotate: bool) -> None:
    """Make a ZeroMQ CURVE key pair: the secret half goes into FILE, the public half is printed."""
    import zmq

    public, secret = zmq.curve_keypair()
    _kept(file, secret + b"\n", rotate=rotate)
    say(public.decode())


@command.command("software")
@FILE
@ROTATE
def software(file: Path, *, rotate: bool) -> None:
    """Make the key that signs the list of a program's files, in FILE; print the public half, for the tables.

    Keep FILE off the table PCs: whoever has it can sign a list for any program (tableside software --sign FILE).
    """
    from controller.formats.journal.records import KEY_BYTES
    from controller.formats.text.software_list import public_of
    from controller.io.system.randomness import SystemEntropy

    seed = SystemEntropy().take(KEY_BYTES)
    _kept(file, f"{seed.hex()}\n".encode(), rotate=rotate)
    say(public_of(seed))


@command.command("signing")
@FILE
def signing(file: Path) -> None:
    """Print the public key for what the CURVE key in FILE signs: ``signs`` in the file of operators."""
    from controller.formats.orders.epoch_authorization import OrderSigner
    from controller.io.files.secret_files import SecretRefused, read_curve_secret

    try:
        say(OrderSigner(read_curve_secret(file)).public)
    except SecretRefused as error:
        _refuse(str(error))


@command.command("authority")
@DIRECTORY
@ROTATE
def authority(directory: Path, *, rotate: bool) -> None:
    """Make the property's authority: DIRECTORY/ca.pem to hand out, DIRECTORY/ca.key to lock away."""
    from controller.io.files.secret_files import SecretRefused
    from controller.io.operators.certificates import make_authority

    try:
        made = make_authority(directory, _now(), rotate=rotate)
    except SecretRefused as error:
        _refuse(str(error))
    say(f"{made.certificate} is for everybody; {made.key} signs: keep it off the tables")


@command.command("certificate")
@DIRECTORY
@click.argument("name")
@click.option("--host", "hosts", multiple=True, help="For a server: what clients call it, a name or an address.")
@ROTATE
def certificate(directory: Path, name: str, hosts: tuple[str, ...], *, rotate: bool) -> None:
    """Make NAME.pem and NAME.key in DIRECTORY, signed by its authority: for a client, or with --host for a server.

    A broker takes the name of a client's certificate for the name in its access list.
    """
    from controller.formats.text.printable import many
    from controller.io.files.secret_files import SecretRefused
    from controller.io.operators.certificates import days_left, make_certificate, read_certificate

    if NAME.fullmatch(name) is None or name == "ca":
        _refuse(f"{name!r}: expected letters, digits, dots, hyphens and underscores, at most 63, and not ca")
    try:
        made = make_certificate(directory, name, hosts, _now(), rotate=rotate)
    except SecretRefused as error:
        _refuse(str(error))
    say(f"{made.certificate}, {many(days_left(read_certificate(made.certificate), _now()), 'day')}; its key {made.key}")


@command.command("show")
@FILE
@AS_JSON
def show(file: Path, *, as_json: bool) -> None:
    """Print the subject of a certificate and when it ends."""
    from controller.formats.text.printable import many
    from controller.io.files.secret_files import SecretRefused
    from controller.io.operators.certificates import days_left, read_certificate

    try:
        found = read_certificate(file)
    except SecretRefused as error:
        _refuse(str(error))
    ends, days = found.not_valid_after_utc.isoformat(), days_left(found, _now())
    subject, issuer = found.subject.rfc4514_string(), found.issuer.rfc4514_string()
    if as_json:
        say_json({"subject": subject, "issuer": issuer, "ends": ends, "days_left": days})
        return
    say(f"{subject}, signed by {issuer}")
    say(f"ends {ends}, in {many(days, 'day')}")


def _kept(file: Path, content: bytes, *, rotate: bool) -> Path | None:
    from controller.io.files.secret_files import SecretRefused, write_secret

    try:
        return write_secret(file, content, rotate=rotate)
    except SecretRefused as error:
        _refuse(str(error))


def _now() -> datetime:
    from datetime import UTC, datetime

    from controller.io.system.clock import SystemClock

    return datetime.fromtimestamp(SystemClock().wall_ns() // NANOSECONDS, UTC)


def _refuse(text: str) -> NoReturn:
    say(f"tableside: {text}", err=True)
    sys.exit(2)
