"""The committed contract: ``python -m tests.contract.current`` writes docs/schemas and the event reference anew."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from controller import version
from controller.formats.mqtt.asyncapi import asyncapi_file
from controller.formats.mqtt.schemas import schema_files
from tests.contract.event_reference import PATH, event_reference, examples
from tests.docs.pages import DOCS

DIRECTORY: Final = DOCS / "schemas"


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
    PATH.write_text(event_reference(), encoding="utf-8")
