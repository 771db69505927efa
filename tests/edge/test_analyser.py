"""The edges that come with the program against an analyser in C that shares nothing with the computation."""

from __future__ import annotations

import shutil
from fractions import Fraction
from pathlib import Path

import pytest
from msgspec.structs import replace

from controller.core.analysis.computed_edge import BILLIONTH
from controller.formats.config.known_edges import KnownEdge, edge_hash
from controller.io.files.known_edges import shipped
from tests.edge.campaign import ERRORS, analysed, compiled
from tests.edge.shipped import rules_of

DEALS = 100_000
"""Of each kind of split box: within 0.0026 points; the campaign deals eighty times as many."""


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if shutil.which("cc") is None:
        pytest.skip("no C compiler here")
    return compiled(tmp_path_factory.mktemp("edge"))


@pytest.mark.counting
@pytest.mark.parametrize("line", list(shipped().values()), ids=lambda line: f"{line.profile} {line.options}")
def test_an_edge_is_what_the_analyser_comes_to(program: Path, line: KnownEdge) -> None:
    rules = rules_of(line.profile, line.options)
    found = analysed(program, rules, DEALS, seed=line.edge)
    assert abs(Fraction(line.edge, BILLIONTH) - found.edge) < ERRORS * found.error
    assert found.error < Fraction(3, 100_000)


@pytest.mark.counting
def test_the_analyser_tells_rules_apart(program: Path) -> None:
    rules = rules_of("pitch-h17", {})
    line = shipped()[edge_hash(rules)]
    for changed in ({"soft_17": "stand"}, {"decks": 1}, {"double_on": "any_but_21"}, {"surrender": "late"}):
        other = analysed(program, replace(rules, **changed), DEALS, seed=1)
        assert abs(Fraction(line.edge, BILLIONTH) - other.edge) > ERRORS * other.error, changed
