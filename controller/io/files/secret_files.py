"""Files that hold secrets: made readable by their owner alone, refused when another user may read them."""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Iterator
from pathlib import Path
from shlex import quote
from typing import BinaryIO, Final

from controller.io.files.fsync_dir import sync_directory

CURVE_SECRET_BYTES: Final = 40
"""A CURVE key in Z85."""

LONGEST_BYTES: Final = 65_536
"""Far more than any key, certificate's key or password has."""


class SecretRefused(Exception):  # noqa: N818 - named for what happened
    """A secret cannot be read or kept; the text says what to do."""


def new_secret(path: Path, content: bytes) -> None:
    """Keep a secret in ``path``, which must not exist, mode 600, on the disk before this returns.

    Raises:
        SecretRefused: it exists, or cannot be written.
    """
    try:
        _keep(path, content)
    except OSError as error:
        raise SecretRefused(f"{path}: cannot be made: {error.strerror}") from error


def _keep(path: Path, content: bytes) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    sync_directory(path.parent)


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
    try:
        _keep(fresh, content)
    except OSError as error:
        left = f" ({fresh})" if isinstance(error, FileExistsError) else ""
        raise SecretRefused(f"{path}: cannot be made: {error.strerror}{left}") from error
    try:
        old = _aside(path) if rotate and path.exists() else None
        if rotate:
            fresh.rename(path)
        else:
            # Unlike a change of name, this puts nothing in the place of what came there meanwhile.
            os.link(fresh, path)
            fresh.unlink()
        sync_directory(path.parent)
    except OSError as error:
        fresh.unlink(missing_ok=True)
        raise SecretRefused(f"{path}: cannot be made: {error.strerror} ({error.filename})") from error
    return old


def is_kept(name: str, credentials: str | None) -> bool:
    """Whether a file is one of those that the service manager keeps for us alone, in ``credentials``."""
    return credentials is not None and Path(name).parent == Path(credentials)


@contextlib.contextmanager
def open_secret(path: Path, *, what: str = "the secret", kept_by_service: bool = False) -> Iterator[BinaryIO]:
    """The open file at ``path``, once what was opened has been found fit to hold a secret.

    The file is opened once and judged by its descriptor, so that what is judged is what is read. It is a regular file
    of at most 64 KiB that only its owner may open: this process's user, or root; where root asks, anybody.

    Raises:
        SecretRefused: as ``read_secret``.
    """
    try:
        # A pipe without a writer must not hold us, nor a terminal become ours.
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC)
    except OSError as error:
        raise SecretRefused(f"{path}: {what} cannot be read: {error.strerror}") from error
    try:
        _judge(path, os.fstat(descriptor), what, kept_by_service=kept_by_service)
    except SecretRefused:
        os.close(descriptor)
        raise
    with os.fdopen(descriptor, "rb") as file:
        yield file


def _judge(path: Path, found: os.stat_result, what: str, *, kept_by_service: bool) -> None:
    user = os.geteuid()
    if not stat.S_ISREG(found.st_mode):
        raise SecretRefused(f"{path}: {what} cannot be read: expected a regular file")
    if found.st_size > LONGEST_BYTES:
        raise SecretRefused(f"{path}: {what} cannot be read: expected at most {LONGEST_BYTES} bytes")
    if kept_by_service:
        return
    if user and found.st_uid not in {user, 0}:
        raise SecretRefused(f"{path}: {what} belongs to user {found.st_uid}; run: chown {user} {quote(str(path))}")
    if found.st_mode & (stat.S_IRWXG | stat.S_IRWXO):
        raise SecretRefused(f"{path}: others may read {what}; run: chmod 600 {quote(str(path))}")


def read_secret(path: Path, *, what: str = "the secret", kept_by_service: bool = False) -> bytes:
    """The content of ``path``, read only where its owner alone may; ``what`` it is, for a refusal.

    ``kept_by_service``: the file is the service manager's credential, in a directory that is ours alone. Its own mode
    then says nothing: the right to read it may be given by an access list.

    Raises:
        SecretRefused: no such file, it is no regular file, others may read it, or it is longer than any secret.
    """
    with open_secret(path, what=what, kept_by_service=kept_by_service) as file:
        try:
            content = file.read(LONGEST_BYTES + 1)
        except OSError as error:
            raise SecretRefused(f"{path}: {what} cannot be read: {error.strerror}") from error
    if len(content) > LONGEST_BYTES:
        raise SecretRefused(f"{path}: {what} cannot be read: expected at most {LONGEST_BYTES} bytes")
    return content


def read_curve_secret(path: Path, *, kept_by_service: bool = False) -> bytes:
    """The secret half of a ZeroMQ CURVE pair, as ZeroMQ writes it. ``kept_by_service``: its mode is not looked at.

    Raises:
        SecretRefused: no such file, others may read it, or it is no such key.
    """
    secret = read_secret(path, kept_by_service=kept_by_service).strip()
    if len(secret) != CURVE_SECRET_BYTES:
        made = f"tableside keys curve {quote(str(path))}"
        raise SecretRefused(f"{path}: expected the secret half of a CURVE pair; run: {made}")
    return secret


def _aside(path: Path) -> Path:
    """Put a file aside under the first number that is free."""
    number = 1
    while path.with_name(f"{path.name}.{number}").exists():
        number += 1
    old = path.with_name(f"{path.name}.{number}")
    os.link(path, old)
    return old
