"""The page for rule authors says what the program does."""

from __future__ import annotations

import re

from controller.core.game.side_bet import find, names
from controller.formats.config.profiles import OPTION_KEYS, RULE_KEYS, TERM_KEYS
from tests.rules.rules_table import DOCUMENT, written


def test_the_table_is_current() -> None:
    text = DOCUMENT.read_text(encoding="utf-8")
    assert written(text) == text


def test_every_ruling_has_its_line_and_names_real_keys() -> None:
    text = DOCUMENT.read_text(encoding="utf-8").split("## Rulings")[1].split("## Settling")[0]
    rows = [line for line in text.splitlines() if line.startswith("| A")]
    ruled = {int(number) for row in rows for number in re.findall(r"A(\d+)", row.split("|")[1])}
    assert ruled == set(range(1, 42))
    choices = {f"{name}.{key}" for name in names() for key in {*find(name).choices, *TERM_KEYS}}
    for row in rows:
        for key in re.findall(r"`([a-z0-9_.]+)(?: =|`)", row.split("|")[3]):
            assert key in RULE_KEYS | OPTION_KEYS | TERM_KEYS | choices | {"suited_trips"}, key
