"""A link's file: paths beside it, and every mistake with its line."""

from __future__ import annotations

from pathlib import PurePath

import pytest

from controller.formats.config.pool_file import read_link_config
from controller.formats.text.toml_schema import ConfigError

KEYS = ["4nC={n>i9m(dF.OtnoC#/Mv>Q==%=CMpk(d:(6lp", "rq:rM>}U?@Lns47E1%kR.o@n%FcmmsL/@{H8]yf7"]
FILE = f"""
[link]
pool = "blazing"
listen = "0.0.0.0:7710"
key_file = "link.key"
sqlite = "pool.sqlite"
[meter]
base_cents = 500000
reset_cents = 500000
rate = [1, 10]
unreasonable_cents = 10000
[[table]]
name = "harbour/bj-1"
keys = ["{KEYS[0]}"]
bets = {{blazing7s = [[1, 1], [1, 10]]}}
[[table]]
name = "harbour/bj-2"
keys = ["{KEYS[1]}"]
bets = {{blazing7s = [[1, 1]]}}
spots = 5
"""


def test_files_lie_beside_it_unless_the_service_keeps_them() -> None:
    found = read_link_config(FILE, "link.toml", PurePath("/etc/pool"))
    assert (found.link.sqlite, found.link.key_file) == ("/etc/pool/pool.sqlite", "/etc/pool/link.key")
    assert found.tables() == {KEYS[0]: "harbour/bj-1", KEYS[1]: "harbour/bj-2"}
    kept = read_link_config(FILE.replace('"link.key"', '"credential:link"'), "link.toml", PurePath("/etc/pool"))
    assert kept.link.key_file == "credential:link"


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        ("sqlite = ", "# ", "link.toml:2: [link]: expected sqlite"),
        ("sqlite = ", 'postgresql = "dbname=pool"\nsqlite = ', "link.toml:2: [link]: expected sqlite"),
        ("0.0.0.0:7710", "7710", "link.toml:4: [link] listen: "),
        ("bj-2", "bj-1", "link.toml:17: [[table]] name: harbour/bj-1 is given twice"),
        (KEYS[1], KEYS[0], "link.toml:18: [[table]] keys: the key is that of harbour/bj-1"),
        ("bets = {blazing7s = [[1, 1]]}", "", "link.toml:16: [[table]] bets: missing"),
        ("[[1, 1]]}", "[[2, 1]]}", "a part is not more than the whole"),
        ("spots = 5", "spots = 8", "link.toml:20: [[table]] spots: expected spots, from 1 to 7"),
        ("rate = [1, 10]", "rate = 0.1", "link.toml:10: [meter] rate: "),
        ("[link]", "[link", "link.toml:2: "),
        ("[link]", f"deep = {'[' * 3000}{']' * 3000}\n[link]", "nested deeper than 32"),
        ('keys = ["rq', 'keys = """["rq', "link.toml:20: "),
    ],
)
def test_mistakes_are_reported_by_line(before: str, after: str, message: str) -> None:
    with pytest.raises(ConfigError) as error:
        read_link_config(FILE.replace(before, after), "link.toml", PurePath("/etc/pool"))
    assert message in error.value.lines[0]
    assert "\n" not in error.value.lines[0]
