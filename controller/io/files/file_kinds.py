"""What a file that was given in another's place is, in words, with the command that reads it: never a part of it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

from controller.io.files.plain_files import FileRefused, opened

LOOKED_AT_BYTES: Final = 4096
"""Of the beginning: a certificate's or key's first line, or a one-line secret whole."""

KINDS: Final = (
    (rb"SQLite format 3\0", "a journal or another SQLite file; `tableside verify` checks a journal"),
    (
        rb"\s*[0-9a-fA-F]{64}\s*\Z",
        "a secret key such as a table's; `tableside verify --key` tells whether it sealed a journal",
    ),
    (rb"\s*[0-9a-fA-F]{16,}\s*\Z", "a secret such as a password"),
    (
        rb"\s*[0-9a-zA-Z.\-:+=^!/*?&<>()\[\]{}@%$#]{40}\s*\Z",
        "a half of a CURVE pair; `tableside keys signing` tells what a secret half signs as",
    ),
    (rb"-----BEGIN CERTIFICATE-----", "a certificate; `tableside keys show` describes it"),
    (rb"-----BEGIN [A-Z ]*PRIVATE KEY-----", "the secret key of a certificate"),
)


def kind_of(path: Path | str) -> str:
    """What the file is, as the rest of a sentence (``; it is ...``); empty where nobody can tell."""
    try:
        with opened(path, None) as file:
            begin = file.read(LOOKED_AT_BYTES)
    except (FileRefused, OSError):
        return ""
    return next((f"; it is {words}" for pattern, words in KINDS if re.match(pattern, begin)), "")
