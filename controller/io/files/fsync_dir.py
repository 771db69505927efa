"""Names that last: what was renamed or made in a folder is there after a power cut only once the folder is synced.

What is damaged keeps its place under another name, for nothing is thrown away.
"""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterable
from pathlib import Path


def sync_directory(path: Path) -> None:
    """Make what was renamed or made in a directory last.

    Raises:
        OSError: the disk refused.
    """
    directory = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(directory)
    finally:
        os.close(directory)


def damaged_name(path: Path, beside: Iterable[str] = ()) -> Path:
    """``PATH.damaged-1``, or the first number that nothing has, nor anything with one of the ends ``beside``."""
    suffixes = ("", *beside)
    names = (path.with_name(f"{path.name}.damaged-{number}") for number in itertools.count(1))
    return next(name for name in names if not any(Path(f"{name}{suffix}").exists() for suffix in suffixes))
