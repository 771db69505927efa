"""The table's key, for journals that are written by tests."""

from __future__ import annotations

from pathlib import Path
from typing import Final

KEY: Final = bytes(32)


def key_file(directory: Path) -> Path:
    """A file that holds it, as ``--key`` wants it; made if it is not there."""
    path = directory / "journal.key"
    if not path.exists():
        path.touch(0o600)
        path.write_text(f"{KEY.hex()}\n", encoding="ascii")
    return path
