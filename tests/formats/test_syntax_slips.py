"""A slip in a TOML file: which line, with that line."""

from __future__ import annotations

from pathlib import PurePath

import pytest

from controller.formats.config.table_file import KnownNames, read_config
from controller.formats.text.toml_schema import ConfigError
from tests.docs.test_configuration_doc import EXAMPLE

CURLY = 'curly quotation marks: type straight ones (")'
NO_EQUALS = "Expected '=' after a key in a key/value pair"
BRACKETS = "expected numbers in square brackets, such as [1, 2, 3]"
KNOWN = KnownNames(protocols={}, options=lambda *_: (), keys=lambda _: ())


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        ('site = "harbour"', "site = demo", 'bj-1.toml:2: text must be in quotes: "demo"'),
        ('site = "harbour"', "site = demo  # ours", 'bj-1.toml:2: text must be in quotes: "demo"'),
        ('"/dev/tableside/shoe"', "/dev/tableside/shoe", 'bj-1.toml:21: text must be in quotes: "/dev/tableside/shoe"'),
        ('site = "harbour"', "site =", "bj-1.toml:2: a value is missing, in: site ="),
        ('site = "harbour"', "site = # it", "bj-1.toml:2: a value is missing, in: site = # it"),
        ('site = "harbour"', "site = True", "bj-1.toml:2: expected true or false, or text in quotes, got True"),
        ('site = "harbour"', 'site = "a"\nsite = "b"', 'bj-1.toml:3: given twice, first on line 2: site = "b"'),
        ('"127.0.0.1"', "127.0.0.1", 'bj-1.toml:14: text must be in quotes: "127.0.0.1"'),
        ('"127.0.0.1"', "127.0.0.1  # here", 'bj-1.toml:14: text must be in quotes: "127.0.0.1"'),
        ('"harbour"', '"a" "b"', 'bj-1.toml:2: expected nothing more after the value, in: site = "a" "b"'),
        ("[keypad]", "[shoe]", "bj-1.toml:29: given twice, first on line 19: [shoe]"),
        ('"harbour"', "\u201charbour\u201d", f"bj-1.toml:2: {CURLY}, in: site = \u201charbour\u201d"),
        ('"harbour"', '"harbour\u201d', f'bj-1.toml:2: {CURLY}, in: site = "harbour\u201d'),
        ("site", "\u2018site\u2019", f'bj-1.toml:2: {CURLY}, in: \u2018site\u2019 = "harbour"'),
        ('"harbour"', '"\u201ca" "b"', 'bj-1.toml:2: expected nothing more after the value, in: site = "\u201ca" "b"'),
        ('"harbour"', "harbour  # \u201cours\u201d", 'bj-1.toml:2: text must be in quotes: "harbour"'),
        ("host =", "host", f'bj-1.toml:14: {NO_EQUALS}, in: host "127.0.0.1"'),
        ("[keypad]", "[keypad", "bj-1.toml:29: Expected ']' at the end of a table declaration, in: [keypad"),
        ('"harbour"', '"harbour', 'bj-1.toml:2: a quotation mark is missing, in: site = "harbour'),
        ("[1, 2, 3, 4, 5, 6, 7]", "1-7", f"bj-1.toml:26: {BRACKETS}, got 1-7"),
        ("[1, 2, 3, 4, 5, 6, 7]", "1, 2  # ours", f"bj-1.toml:26: {BRACKETS}, got 1, 2"),
        ("[1, 2, 3, 4, 5, 6, 7]", "[1, 2, 3, 4, 5, 5, 7]", "bj-1.toml:26: [[bet_spots]] spots: spot 5 is given twice"),
    ],
)  # fmt: skip
def test_a_slip_is_reported_with_its_line_and_with_that_line(before: str, after: str, message: str) -> None:
    assert EXAMPLE.count(before) == 1
    with pytest.raises(ConfigError) as error:
        read_config(EXAMPLE.replace(before, after), "bj-1.toml", PurePath("/"), KNOWN)
    assert error.value.lines == (message,)
