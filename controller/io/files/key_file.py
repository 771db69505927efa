"""The file that holds a table's key: 64 hex digits on one line, readable by its owner alone."""

from __future__ import annotations

from pathlib import Path

from controller.formats.journal.records import KEY_BYTES
from controller.io.files.secret_files import SecretRefused, new_secret, read_secret
from controller.io.system.randomness import Entropy


class KeyFileRefused(Exception):  # noqa: N818 - named for what happened
    """The key file cannot be used; the text says what to do. ``is_missing``: there is no such file."""

    def __init__(self, text: str, *, is_missing: bool = False) -> None:
        super().__init__(text)
        self.is_missing = is_missing


def read_key(path: Path, *, kept_by_service: bool = False) -> bytes:
    """The key in ``path``; ``kept_by_service``: the file is the service manager's credential.

    Raises:
        KeyRefused: no such file, others may read it, or it is not 64 hex digits.
    """
    try:
        text = read_secret(path, what="the key", kept_by_service=kept_by_service).decode("ascii")
        key = bytes.fromhex(text)
    except SecretRefused as error:
        raise KeyFileRefused(str(error), is_missing=isinstance(error.__cause__, FileNotFoundError)) from error
    except ValueError:
        key = b""
    if len(key) != KEY_BYTES:
        raise KeyFileRefused(f"{path}: expected {2 * KEY_BYTES} hex digits")
    return key


def create_key(path: Path, entropy: Entropy) -> bytes:
    """Make a key and keep it in ``path``, which must not exist.

    Raises:
        KeyRefused: the file exists or cannot be written.
    """
    key = entropy.take(KEY_BYTES)
    try:
        new_secret(path, key.hex().encode() + b"\n")
    except SecretRefused as error:
        raise KeyFileRefused(str(error)) from error
    return key
