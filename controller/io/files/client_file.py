"""Where a person's client file lies."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from controller.formats.config.client_file import ClientSection, read_client
from controller.io.files.config_files import text_of

NAMED_BY: Final = "TABLESIDE_CLIENT"
"""The variable that names another file than the person's own."""

OWN: Final = Path(".config/tableside/client.toml")
"""Below the home folder."""


def client_settings(environment: Mapping[str, str]) -> ClientSection:
    """The settings of the file that ``environment`` names, or of the person's own; none where that is not there.

    Raises:
        ConfigError: the file has mistakes, cannot be read, or is named and not there.
    """
    named, home = environment.get(NAMED_BY), environment.get("HOME")
    if not named and (not home or not (Path(home) / OWN).exists()):
        return ClientSection()
    path = Path(named) if named else Path(home or "") / OWN
    return read_client(text_of(path), str(path), path.parent)
