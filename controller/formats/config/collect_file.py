"""A collector's file: whose events it collects from which broker, and the database they go into. TOML 1.0.

Every mistake is reported, one line each, as for a table file. Relative paths are relative to the file's directory.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import PurePath
from typing import Annotated, Any

import msgspec

from controller.formats.config.table_file import BrokerSection, is_credential
from controller.formats.text.struct_decoder import Mistake
from controller.formats.text.toml_schema import Name, Section, Text, read_sections

TablesFilter = Annotated[
    str,
    msgspec.Meta(
        pattern=r"^([a-z0-9-]{1,32}|\+)/([a-z0-9-]{1,32}|\+)\Z",
        description='tables such as "harbour/bj-1", "harbour/+" or "+/+"',
    ),
]


class CollectSection(Section, frozen=True):
    """``[collect]``: the name it acknowledges by, the tables it collects, the database as libpq names one."""

    postgresql: Text
    consumer: Name = "collector"
    tables: Annotated[
        tuple[TablesFilter, ...], msgspec.Meta(min_length=1, max_length=100, description="a list of tables")
    ] = ("+/+",)


class CollectConfig(Section, frozen=True):
    """A collector's file without mistakes, its paths resolved."""

    collect: CollectSection
    broker: BrokerSection


def read_collect_config(text: str, name: str, directory: PurePath) -> CollectConfig:
    """The file ``name`` whose content is ``text``.

    Raises:
        ConfigError: with a line for each mistake found.
    """
    config = read_sections(CollectConfig, text, name, _cross_checks)
    files: dict[str, Any] = {
        key: str(directory / given)
        for key in ("password_file", "tls_ca_file", "tls_cert_file", "tls_key_file")
        if (given := getattr(config.broker, key)) is not None and not is_credential(given)
    }
    return msgspec.structs.replace(config, broker=msgspec.structs.replace(config.broker, **files))


def _cross_checks(config: CollectConfig) -> Iterable[Mistake]:
    broker = config.broker
    if (broker.tls_cert_file is None) != (broker.tls_key_file is None):
        yield Mistake(("broker",), "tls_cert_file and tls_key_file go together")
    if broker.tls_cert_file is not None and broker.tls_ca_file is None:
        yield Mistake(("broker", "tls_cert_file"), "expected tls_ca_file with it: who signed the broker's certificate")
    if broker.consumers:
        yield Mistake(("broker", "consumers"), "a table waits for consumers; name this one in each table's file")
