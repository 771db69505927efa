"""docs/reference/failure-modes.md against the tests it names: each is there, and each mode has one."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from typing import Final

import pytest

from tests.docs.pages import ROOT, page

ROWS: Final = re.findall(r"^\| (\d+) \|[^|]*\|[^|]*\| (.*) \|$", page("failure-modes.md"), re.MULTILINE)
NUMBERED: Final = re.compile(r"test_(\d+)_")


def names_in(file: Path) -> set[str]:
    return {
        node.name
        for node in ast.parse(file.read_text()).body
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.startswith("test_")
    }


def test_every_mode_of_links_and_tools_has_its_row() -> None:
    assert [int(number) for number, _ in ROWS] == [*range(1, 43)]


@pytest.mark.parametrize(("number", "named"), ROWS)
def test_what_a_row_names_is_there_and_belongs_to_it(number: str, named: str) -> None:
    names = [one.split("::") for one in re.findall(r"`([^`]+)`", named)]
    assert names
    for file, name in names:
        assert name in names_in(ROOT / file), f"{file}::{name}"
        own = NUMBERED.match(name)
        assert own is None or own[1] == number


def test_no_test_of_a_mode_is_left_out() -> None:
    files = [*(ROOT / "tests/io").glob("test_failures_of_*.py"), ROOT / "tests/systemd/test_mosquitto.py"]
    there = {name for file in files for name in names_in(file) if NUMBERED.match(name)}
    named = {one.partition("::")[2] for _, cell in ROWS for one in re.findall(r"`([^`]+)`", cell)}
    assert there <= named
    assert len(files) == 6
