"""What the page of commands lists is there, and nothing else is."""

from __future__ import annotations

from pathlib import PurePath
from typing import Any, Final

import click

from controller.commands.client import with_channel
from controller.formats.client_config import ClientSection, read_client
from tests.docs.pages import page, sections

SECTIONS: Final = sections(page("commands.md"))
CLIENT: Final = SECTIONS["Where the broker is, and who asks"]


@click.command()
@with_channel
def reach(**_: Any) -> None:
    """The options of every command that orders something of a table."""


def test_the_settings_of_a_client_are_listed() -> None:
    options = {option.name: option for option in reach.params if isinstance(option, click.Option)}
    listed = [[cell.strip("`") for cell in row[:3]] for row in CLIENT.rows()]
    assert [row[0] for row in listed] == list(ClientSection.__struct_fields__)
    assert listed == [[name, options[name].opts[0], options[name].envvar] for name, _, _ in listed]


def test_the_client_file_shown_can_be_read() -> None:
    (shown,) = CLIENT.blocks("toml client")
    assert read_client(shown, "client.toml", PurePath("/home/weber")).tls_ca_file == "/home/weber/ca.pem"
