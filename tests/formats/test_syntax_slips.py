"""A slip in a TOML file: which line, and what stands there."""

from __future__ import annotations

from pathlib import PurePath

import pytest

from controller.formats.config.table_file import ConfigError, Known, read_config
from tests.docs.test_configuration_doc import EXAMPLE

NO_EQUALS = "Expected '=' after a key in a key/value pair"
KNOWN = Known(protocols={}, options=lambda *_: (), keys=lambda _: ())


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ('site = "harbour"', "site = demo", 'bj-1.toml:2: text must be in quotes: "demo"'),
        ('site = "harbour"', "site = demo  # ours", 'bj-1.toml:2: text must be in quotes: "demo"'),
        ('"/dev/tableside/shoe"', "/dev/tableside/shoe", 'bj-1.toml:21: text must be in quotes: "/dev/tableside/shoe"'),
        ('site = "harbour"', "site =", "bj-1.toml:2: a value is missing: there stands site ="),
        ('site = "harbour"', "site = # it", "bj-1.toml:2: a value is missing: there stands site = # it"),
        ('site = "harbour"', "site = True", "bj-1.toml:2: expected true or false, or text in quotes, got True"),
        ('site = "harbour"', 'site = "a"\nsite = "b"', 'bj-1.toml:3: this key is given twice: there stands site = "b"'),
        ("host =", "host", f'bj-1.toml:14: {NO_EQUALS}: there stands host "127.0.0.1"'),
        ("[keypad]", "[keypad", "bj-1.toml:29: Expected ']' at the end of a table declaration: there stands [keypad"),
        ('"harbour"', '"harbour', "bj-1.toml:2: Illegal character '\\n': there stands site = \"harbour"),
        ("[1, 2, 3, 4, 5, 6, 7]", "[1, 2, 3, 4, 5, 5, 7]", "bj-1.toml:26: [[bet_spots]] spots: spot 5 is given twice"),
    ],
)  # fmt: skip
def test_a_slip_is_told_with_its_line_and_what_stands_there(before: str, after: str, said: str) -> None:
    assert EXAMPLE.count(before) == 1
    with pytest.raises(ConfigError) as told:
        read_config(EXAMPLE.replace(before, after), "bj-1.toml", PurePath("/"), KNOWN)
    assert told.value.lines == (said,)
