"""The table: from dated readings to settled rounds, journaled before anything leaves the process."""

from __future__ import annotations

import functools
from importlib import metadata


@functools.cache
def version() -> str:
    """The version of the installed program."""
    return metadata.version("tableside")
