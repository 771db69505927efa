"""A link's file: the pool, where its ledger lies, where tables reach it and by which keys. TOML 1.0.

Every mistake is reported, one line each, as for a table file. Relative paths are relative to the file's directory.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import PurePath
from typing import Annotated

import msgspec

from controller.core.meters.meter import UNITS, Parameters
from controller.formats.config.table_file import is_credential
from controller.formats.text.struct_decoder import Mistake
from controller.formats.text.toml_schema import File, HostPort, Name, PublicKey, Section, Text, ZoneName, read_sections

TableName = Annotated[
    str, msgspec.Meta(pattern=r"^[a-z0-9-]{1,32}/[a-z0-9-]{1,32}\Z", description='a table such as "harbour/bj-1"')
]


Spots = Annotated[int, msgspec.Meta(ge=1, le=7, description="spots, from 1 to 7")]
Part = Annotated[int, msgspec.Meta(ge=1, le=UNITS, description="a whole number from 1 to 10000")]
Shares = Annotated[
    tuple[tuple[Part, Part], ...],
    msgspec.Meta(min_length=1, description="parts of the meter such as [[1, 1], [1, 10]]"),
]


class LinkSection(Section, frozen=True):
    """``[link]``: the pool's name, where tables reach it, its secret key, and one of the two places of its ledger."""

    pool: Name
    listen: HostPort
    key_file: File
    sqlite: File | None = None
    postgresql: Text | None = None


class LinkedTable(Section, frozen=True):
    """``[[table]]``: a table, the public keys it may come with (one, or an old and a new one), and what it may post.

    ``bets``: for each bet that feeds the pool the parts of the meter that its rows take, as the table's profile has
    them.
    """

    name: TableName
    keys: Annotated[
        tuple[PublicKey, ...],
        msgspec.Meta(min_length=1, max_length=2, description="one or two public keys"),
    ]
    bets: Annotated[
        dict[ZoneName, Shares],
        msgspec.Meta(min_length=1, description="bets and their parts, such as {blazing7s = [[1, 1], [1, 10]]}"),
    ]
    spots: Spots = 7


class LinkConfig(Section, frozen=True):
    """A link's file without mistakes, its paths resolved. ``meter``: what the pool begins with."""

    link: LinkSection
    meter: Parameters
    table: tuple[LinkedTable, ...] = ()

    def tables(self) -> Mapping[str, str]:
        """Whose each public key is."""
        return {key: table.name for table in self.table for key in table.keys}


def read_link_config(text: str, name: str, directory: PurePath) -> LinkConfig:
    """The file ``name`` whose content is ``text``.

    Raises:
        ConfigError: with a line for each mistake found.
    """
    config = read_sections(LinkConfig, text, name, _cross_checks)
    link = config.link
    if link.sqlite is not None:
        link = msgspec.structs.replace(link, sqlite=str(directory / link.sqlite))
    if not is_credential(link.key_file):
        link = msgspec.structs.replace(link, key_file=str(directory / link.key_file))
    return msgspec.structs.replace(config, link=link)


def _cross_checks(config: LinkConfig) -> Iterable[Mistake]:
    if (config.link.sqlite is None) == (config.link.postgresql is None):
        yield Mistake(("link",), 'expected sqlite = "FILE" or postgresql = "host=... dbname=...", one of the two')
    for key, what in config.meter.mistakes():
        yield Mistake(("meter", key), what)
    names: set[str] = set()
    keys: dict[str, str] = {}
    for number, table in enumerate(config.table):
        if table.name in names:
            yield Mistake(("table", number, "name"), f"{table.name} is given twice")
        names.add(table.name)
        for bet, shares in table.bets.items():
            if any(part > of for part, of in shares):
                yield Mistake(("table", number, "bets", bet), "a part is not more than the whole: [1, 10], [1, 1]")
        for key in table.keys:
            if key in keys:
                yield Mistake(("table", number, "keys"), f"the key is that of {keys[key]}")
            keys[key] = table.name
