"""``tableside schemas``: write the JSON Schemas of everything published."""

from __future__ import annotations

from pathlib import Path

import click

from controller.formats.schemas import schema_files


@click.command("schemas")
@click.argument("directory", type=click.Path(file_okay=False, path_type=Path))
def command(directory: Path) -> None:
    """Write the JSON Schemas of all payloads into DIRECTORY."""
    directory.mkdir(parents=True, exist_ok=True)
    files = schema_files()
    for name, content in files.items():
        (directory / name).write_bytes(content)
    click.echo(f"{len(files)} schemas in {directory}")
