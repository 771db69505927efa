"""The table: from dated readings to settled rounds, journaled before anything leaves the process."""

from __future__ import annotations

import functools


@functools.cache
def version() -> str:
    """The version of the installed program."""
    # Imported here, because every command imports this module and few ask.
    from importlib import metadata  # noqa: PLC0415

    return metadata.version("tableside")
