"""``tableside schemas``: write the JSON Schemas and the AsyncAPI document of everything published."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from controller import version
from controller.commands.terminal import refuse, say
from controller.formats.text.safe_parse import DataRefused, reads_outside


@click.command("schemas")
@click.option(
    "--examples",
    type=click.Path(path_type=Path),
    help="JSON Lines of events as published; the AsyncAPI document shows one of each type.",
)
@click.argument("directory", type=click.Path(file_okay=False, path_type=Path))
def command(directory: Path, examples: Path | None) -> None:
    """Write the JSON Schemas of all payloads, and asyncapi.json, into DIRECTORY.

    Exit status: 0 written, 2 DIRECTORY cannot be written, or the examples cannot be used.
    """
    from controller.formats.mqtt.asyncapi import asyncapi_file
    from controller.formats.mqtt.schemas import schema_files

    shown = _events(examples) if examples else []
    files = {**schema_files(), "asyncapi.json": asyncapi_file(shown, version())}
    try:
        directory.mkdir(parents=True, exist_ok=True)
        for name, body in files.items():
            (directory / name).write_bytes(body)
    except OSError as error:
        refuse(f"{directory}: cannot be written: {error.strerror}")
    say(f"{len(files) - 1} schemas and asyncapi.json in {directory}")


@reads_outside(DataRefused)
def _event(line: bytes) -> dict[str, Any]:
    from controller.formats.text.safe_parse import json_as

    event: dict[str, Any] = json_as(line, dict[str, Any])
    if "type" not in event:
        raise DataRefused("expected a type")
    return event


def _events(path: Path) -> list[dict[str, Any]]:
    from controller.io.files.plain_files import content

    found: list[dict[str, Any]] = []
    try:
        lines = content(path).splitlines()
    except OSError as error:
        say(f"tableside: {error}", err=True)
        sys.exit(2)
    for number, line in enumerate(lines, 1):
        try:
            event = _event(line)
        except DataRefused as error:
            say(f"tableside: {path}, line {number}: not an event: {error}", err=True)
            sys.exit(2)
        found.append(event)
    return found
