"""A trigger box's file: read as meant, and every mistake named with its line."""

from __future__ import annotations

from pathlib import PurePath

import pytest

from controller.formats.config.table_file import KnownNames
from controller.formats.config.trigger_file import TriggerConfig, read_trigger_config
from controller.formats.text.toml_schema import ConfigError
from firmware_protocols import discovery

GOOD = """\
[box]
site = "harbour"
table = "bj-1"
serial = "TB0001"
store = "box.sqlite"
operations_key_file = "credential:operations.key"
surveillance_key_file = "surveillance.key"

[line]
port = "unix:/run/trigger.sock"

[rng]
port = "/dev/tableside/rng"

[bounds]
reset_cents = 25000
ceiling_cents = 100000
most_contribution_cents = 10000
"""


def read(text: str) -> TriggerConfig:
    return read_trigger_config(text, "box.toml", PurePath("/etc/box"), KnownNames(discovery.codecs()))


def test_a_file_without_mistakes_is_read_and_its_paths_resolved() -> None:
    config = read(GOOD)
    assert config.box.store == "/etc/box/box.sqlite"
    assert config.box.operations_key_file == "credential:operations.key"
    assert config.box.surveillance_key_file == "/etc/box/surveillance.key"
    assert (config.line.protocol, config.rng.protocol, config.rng.claimed_bits) == ("tableside", "truerng", 6.0)
    assert config.bounds.most_units == 100_000_000


@pytest.mark.parametrize(
    ("wrong", "right", "line"),
    [
        ('site = "Harbour!"', 'site = "harbour"', "box.toml:2: [box] site: expected a name"),
        ('serial = "a serial number that is too long"', 'serial = "TB0001"', "box.toml:4: [box] serial: expected"),
        ('surveillance_key_file = "credential:operations.key"', 'surveillance_key_file = "surveillance.key"',
         "box.toml:7: [box] surveillance_key_file: the two roles keep a key each"),
        ('port = "trigger.sock"', 'port = "unix:/run/trigger.sock"', "box.toml:10: [line] port: expected a path"),
        ('port = "unix:/run/trigger.sock"\nprotocol = "modem"', 'port = "unix:/run/trigger.sock"',
         "box.toml:11: [line] protocol: expected one of tableside"),
        ('port = "unix:/run/rng"', 'port = "/dev/tableside/rng"', "box.toml:13: [rng] port: expected a path"),
        ('port = "/dev/tableside/rng"\nclaimed_bits = 9', 'port = "/dev/tableside/rng"',
         "box.toml:14: [rng] claimed_bits: expected bits"),
        ("ceiling_cents = 25000", "ceiling_cents = 100000", "box.toml:17: [bounds] ceiling_cents: expected more than"),
        ("reset_cents = 250.5", "reset_cents = 25000", "box.toml:16: [bounds] reset_cents: expected whole cents"),
        ("most = 1", "most_contribution_cents = 10000", "box.toml:18: [bounds] most: unknown key"),
        ("[bounds", "[bounds]", "box.toml:15: "),
    ],
)  # fmt: skip
def test_a_mistake_is_named_with_its_line(wrong: str, right: str, line: str) -> None:
    assert right in GOOD
    with pytest.raises(ConfigError) as refused:
        read(GOOD.replace(right, wrong))
    assert any(one.startswith(line) for one in refused.value.lines), refused.value.lines
