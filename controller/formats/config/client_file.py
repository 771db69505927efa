"""A person's client file: where the broker and the table's operator channel are, and who asks. TOML 1.0.

It saves typing the same options at every command; docs/guide/commands.md lists its keys. Relative paths are relative to
the file's directory. Secrets are named by their files and never stand in it.
"""

from __future__ import annotations

from pathlib import PurePath
from typing import Final

import msgspec

from controller.formats.text.struct_decoder import Mistake
from controller.formats.text.toml_schema import File, HostPort, PublicKey, Section, Text, read_sections

PATHS: Final = ("password_file", "tls_ca_file", "tls_cert_file", "tls_key_file", "operator_key_file")


class ClientSection(Section, frozen=True):
    """``[client]``: what is not given is as without the file."""

    broker: HostPort | None = None
    username: Text | None = None
    password_file: File | None = None
    tls_ca_file: File | None = None
    tls_cert_file: File | None = None
    tls_key_file: File | None = None
    operator: Text | None = None
    """The table's operator channel: a socket's path, or ``tcp://HOST:PORT``."""
    operator_key_file: File | None = None
    table_key: PublicKey | None = None


class ClientFile(Section, frozen=True):
    """The file."""

    client: ClientSection = ClientSection()


def read_client(text: str, name: str, directory: PurePath) -> ClientSection:
    """The settings in the file ``name`` of ``directory``, its paths resolved.

    Raises:
        ConfigError: with a line for each mistake.
    """
    found = read_sections(ClientFile, text, name, lambda _: tuple[Mistake, ...]()).client
    given = {key: getattr(found, key) for key in PATHS}
    return msgspec.structs.replace(found, **{key: str(directory / path) for key, path in given.items() if path})
