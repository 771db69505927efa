"""Names that last: what was renamed or made in a folder is there after a power cut only once the folder is synced."""

from __future__ import annotations

import os
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
