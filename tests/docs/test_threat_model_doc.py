"""docs/reference/threat-model.md names tests, and each of them is there."""

from __future__ import annotations

import ast
import re
from typing import Final

import pytest

from tests.docs.pages import DOCS, page, sections

PAGE: Final = page("threat-model.md")
NAMED: Final = sorted(set(re.findall(r"`(tests/[a-z_/]+\.py)::(test_[a-z0-9_]+)`", PAGE)))


@pytest.mark.parametrize(("path", "name"), NAMED, ids=lambda one: str(one).rpartition("/")[2])
def test_a_named_test_is_there(path: str, name: str) -> None:
    tree = ast.parse((DOCS.parent / path).read_text(encoding="utf-8"))
    assert name in {node.name for node in tree.body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)}


def test_every_line_names_its_proof() -> None:
    rows = [row for title, section in sections(PAGE).items() if "|" in section.text for row in section.rows()]
    assert len(rows) > 20
    for row in rows:
        assert len(row) == 3
        assert re.fullmatch(r"`tests/[a-z_/]+\.py::test_[a-z0-9_]+`", row[2]), row
