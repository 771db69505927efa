"""The committed contract, made anew: ``python -m tests.contract.current`` writes docs/schemas.

The examples are those of docs/reference/events.md, which came off a broker.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import msgspec

from controller import version
from controller.formats.mqtt.asyncapi import asyncapi_file
from controller.formats.mqtt.schemas import schema_files
from tests.docs.pages import DOCS, blocks, page

DIRECTORY: Final = DOCS / "schemas"


def examples() -> list[dict[str, Any]]:
    """Every event shown in docs/reference/events.md, as published."""
    shown = [block.text for block in blocks(page("events.md")) if block.kind == "json"]
    return [msgspec.json.decode(text, type=dict[str, Any]) for text in shown]


def files() -> dict[str, bytes]:
    """What docs/schemas should hold."""
    return {**schema_files(), "asyncapi.json": asyncapi_file(examples(), version())}


def write(directory: Path) -> None:
    """Write them and remove what is no longer of the contract."""
    wanted = files()
    for path in directory.iterdir():
        if path.name not in wanted:
            path.unlink()
    for name, content in wanted.items():
        (directory / name).write_bytes(content)


if __name__ == "__main__":
    write(DIRECTORY)
