"""The table: from dated readings to settled rounds, journaled before anything leaves the process."""

from __future__ import annotations

from importlib import metadata


def version() -> str:
    """The version of the installed program."""
    return metadata.version("tableside")
