"""The house's TOML files, and the credentials that the service manager keeps for them."""

from __future__ import annotations

from pathlib import Path

from controller.formats.config.table_file import CREDENTIAL, is_credential
from controller.formats.text.toml_schema import ConfigError
from controller.io.files.file_kinds import kind_of
from controller.io.files.plain_files import FileRefused, text_content


def text_of(path: Path) -> str:
    """The text of a file.

    Raises:
        ConfigError: it cannot be read.
    """
    # Before any of it is read as TOML: a mistake is told with its line, and a secret is one line.
    if kind := kind_of(path):
        raise ConfigError((f"{path}: expected a file in TOML{kind}",))
    try:
        return text_content(path)
    except FileRefused as error:
        raise ConfigError((f"{path}: cannot be read: {error.strerror}",)) from error
    except OSError as error:
        raise ConfigError((f"{path}: cannot be read: {error}",)) from error


def kept_path(value: str, credentials: str | None, where: str) -> tuple[Path, bool]:
    """Where a file lies, and whether it is a credential of the service; ``where`` names the key that names it.

    Raises:
        ConfigError: it is a credential, and this is no service.
    """
    if not is_credential(value):
        return Path(value), False
    if credentials is None:
        raise ConfigError((f"{where}: a credential is there within the service only ($CREDENTIALS_DIRECTORY)",))
    return Path(credentials) / value.removeprefix(CREDENTIAL), True
