"""Files that hold secrets: made so that nobody else may read them, refused when somebody else may."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import Final

from controller.io.durable_names import sync_directory

CURVE_SECRET_BYTES: Final = 40
"""A CURVE key in Z85."""


class SecretRefused(Exception):  # noqa: N818 - named for what happened
    """A secret cannot be read or kept; the text says what to do."""


def new_secret(path: Path, content: bytes) -> None:
    """Keep a secret in ``path``, which must not exist, mode 600, on the disk before this returns.

    Raises:
        SecretRefused: it exists, or cannot be written.
    """
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        sync_directory(path.parent)
    except OSError as error:
        raise SecretRefused(f"{path}: cannot be made: {error.strerror}") from error


def write_secret(path: Path, content: bytes, *, rotate: bool = False) -> Path | None:
    """Keep a secret in ``path``, mode 600. It must not exist, unless ``rotate``: then the old one is put beside it.

    Gives the path of the old one (``.1``, or the next number that is free), None where there was none. The new file is
    complete before it takes the place of the old.

    Raises:
        SecretRefused: it exists, or cannot be written.
    """
    if not rotate and path.exists():
        raise SecretRefused(f"{path}: exists already; --rotate puts it aside and makes a new one")
    fresh = path.with_name(f"{path.name}.new")
    new_secret(fresh, content)
    try:
        old = _aside(path) if path.exists() else None
        fresh.rename(path)
        sync_directory(path.parent)
    except OSError as error:
        raise SecretRefused(f"{path}: cannot be made: {error.strerror} ({error.filename})") from error
    return old


def read_secret(path: Path, *, what: str = "the secret", kept_by_service: bool = False) -> bytes:
    """The content of ``path``, read only where nobody but its owner may; ``what`` it is, for a refusal.

    ``kept_by_service``: the file is the service manager's credential, in a directory that is ours alone. Its own mode
    then says nothing: the right to read it may be given by an access list.

    Raises:
        SecretRefused: no such file, or others may read it.
    """
    try:
        mode = path.stat().st_mode
        content = path.read_bytes()
    except OSError as error:
        raise SecretRefused(f"{path}: {what} cannot be read: {error.strerror}") from error
    if mode & (stat.S_IRWXG | stat.S_IRWXO) and not kept_by_service:
        raise SecretRefused(f"{path}: others may read {what}; run: chmod 600 {path}")
    return content


def read_curve_secret(path: Path, *, kept_by_service: bool = False) -> bytes:
    """The secret half of a ZeroMQ CURVE pair, as ZeroMQ writes it. ``kept_by_service``: its mode is not looked at.

    Raises:
        SecretRefused: no such file, others may read it, or it is no such key.
    """
    secret = read_secret(path, kept_by_service=kept_by_service).strip()
    if len(secret) != CURVE_SECRET_BYTES:
        raise SecretRefused(f"{path}: expected the secret half of a CURVE pair; run: tableside keys curve {path}")
    return secret


def _aside(path: Path) -> Path:
    """Put a file aside under the first number that is free."""
    number = 1
    while path.with_name(f"{path.name}.{number}").exists():
        number += 1
    old = path.with_name(f"{path.name}.{number}")
    os.link(path, old)
    return old
