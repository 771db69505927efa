"""Whether the program is the one that was installed: SHA-256 of each of its files, held against a list of them.

The list is what ``tableside software`` prints and ``sha256sum`` understands. Kept where the table's user may not write,
it stops a table whose program was changed: before it starts, and every hour while it runs.
"""

from __future__ import annotations

import asyncio
import functools
import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[2]
"""Where the packages lie."""

PACKAGES: Final = ("controller", "devices", "firmware_protocols")
"""What runs a table."""

LOOK_SECONDS: Final = 3600.0
"""Between two looks while a table runs."""

NAMED: Final = 5
"""Files that a refusal names."""


class SoftwareChanged(Exception):  # noqa: N818 - named for what happened
    """The program is not the one that was installed, or that cannot be told; the text says which files."""


def measure(root: Path = ROOT) -> dict[str, str]:
    """SHA-256 in hex of each file of the program, by its path; what Python made of them itself is left out.

    Raises:
        OSError: one cannot be read.
    """
    files = (path for package in PACKAGES for path in (root / package).rglob("*") if path.is_file())
    return {
        str(path.relative_to(root)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(files)
        if path.suffix != ".pyc"
    }


def listed(found: Mapping[str, str]) -> str:
    """The list: a line for each file, as ``sha256sum`` writes it."""
    return "".join(f"{digest}  {name}\n" for name, digest in sorted(found.items()))


def digest_of(found: Mapping[str, str]) -> str:
    """One digest for all: SHA-256 of the list."""
    return hashlib.sha256(listed(found).encode()).hexdigest()


@functools.cache
def own_digest() -> str:
    """The digest of the program as this process first found it.

    Raises:
        OSError: a file cannot be read.
    """
    return digest_of(measure())


def read_list(path: Path) -> dict[str, str]:
    """A list as ``tableside software`` printed it.

    Raises:
        SoftwareChanged: there is none that can be read.
    """
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
        return {name: digest for digest, name in (line.split("  ", 1) for line in lines if line)}
    except (OSError, ValueError) as error:
        raise SoftwareChanged(f"{path}: no list of the program's files: {error}") from error


def authenticate(known: Path, root: Path = ROOT) -> None:
    """Hold the program against the list in ``known``.

    Raises:
        SoftwareChanged: a file is another, missing, or not on the list.
    """
    wanted = read_list(known)
    try:
        found = measure(root)
    except OSError as error:
        raise SoftwareChanged(f"the program cannot be read: {error}") from error
    wrong = [f"{name} is not on the list" for name in found.keys() - wanted.keys()]
    wrong += [f"{name} is missing" for name in wanted.keys() - found.keys()]
    wrong += [f"{name} is another" for name in wanted.keys() & found.keys() if wanted[name] != found[name]]
    if wrong:
        more = f", and {len(wrong) - NAMED} more" if len(wrong) > NAMED else ""
        raise SoftwareChanged(f"{known}: the program is not the one listed: {', '.join(sorted(wrong)[:NAMED])}{more}")


async def watch(known: Path, seconds: float = LOOK_SECONDS) -> None:
    """Look again and again, until cancelled.

    Raises:
        SoftwareChanged: as ``authenticate``.
    """
    while True:
        await asyncio.sleep(seconds)
        await asyncio.to_thread(authenticate, known)
