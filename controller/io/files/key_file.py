"""The file that holds a table's key: 64 hex digits on one line, readable by its owner alone."""

from __future__ import annotations

from pathlib import Path
from string import hexdigits
from typing import Final

from controller.formats.journal.records import KEY_BYTES
from controller.io.files.secret_files import SecretRefused, new_secret, read_secret
from controller.io.system.randomness import Entropy

NO_KEYS: Final = frozenset({".toml", ".sqlite", ".csv", ".json"})
"""Ends of the names of files that are given in place of a key's by mistake."""

OTHER_FILE: Final = "expected the file of a key; a table's is the one that its table file names as [table] key_file"


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
        content = read_secret(path, what="the key", kept_by_service=kept_by_service)
    except SecretRefused as error:
        is_missing = isinstance(error.__cause__, FileNotFoundError)
        # Whoever names a table file by mistake is not to take its readers' rights away.
        is_other = path.suffix in NO_KEYS and not is_missing
        raise KeyFileRefused(f"{path}: {OTHER_FILE}" if is_other else str(error), is_missing=is_missing) from error
    try:
        key = bytes.fromhex(content.decode("ascii"))
    except ValueError:
        key = b""
    if len(key) != KEY_BYTES and path.suffix in NO_KEYS:
        raise KeyFileRefused(f"{path}: {OTHER_FILE}")
    if len(key) != KEY_BYTES:
        raise KeyFileRefused(f"{path}: expected {2 * KEY_BYTES} hex digits on one line, got {_kind(content)}")
    return key


def _kind(content: bytes) -> str:
    """What a file holds that is no key, in words: never a part of it."""
    digits = content.decode("latin-1").strip()
    if not digits:
        return "nothing"
    return f"{len(digits)} of them" if all(one in hexdigits for one in digits) else "something else"


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
