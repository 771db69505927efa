"""The file that holds a table's key: 64 hex digits on one line, readable by nobody but its owner."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from controller.formats.records import KEY_BYTES
from controller.io.randomness import Entropy


class KeyRefused(Exception):  # noqa: N818 - named for what happened
    """The key file cannot be used; the text says what to do."""


def read_key(path: Path, *, kept_by_service: bool = False) -> bytes:
    """The key in ``path``.

    ``kept_by_service``: the file is the service manager's credential, in a directory that is ours alone. Its own mode
    then says nothing: the right to read it may be given by an access list.

    Raises:
        KeyRefused: no such file, others may read it, or it is not 64 hex digits.
    """
    try:
        mode = path.stat().st_mode
        text = path.read_text(encoding="ascii").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise KeyRefused(f"{path}: the table's key cannot be read: {error}") from error
    if mode & (stat.S_IRWXG | stat.S_IRWXO) and not kept_by_service:
        raise KeyRefused(f"{path}: others may read the table's key; run: chmod 600 {path}")
    try:
        key = bytes.fromhex(text)
    except ValueError:
        key = b""
    if len(key) != KEY_BYTES:
        raise KeyRefused(f"{path}: expected {2 * KEY_BYTES} hex digits")
    return key


def create_key(path: Path, entropy: Entropy) -> bytes:
    """Make a key and keep it in ``path``, which must not exist.

    Raises:
        KeyRefused: the file exists or cannot be written.
    """
    key = entropy.take(KEY_BYTES)
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "w", encoding="ascii") as file:
            file.write(key.hex() + "\n")
    except OSError as error:
        raise KeyRefused(f"{path}: the table's key cannot be made: {error.strerror}") from error
    return key
