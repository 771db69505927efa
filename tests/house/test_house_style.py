"""The house style, and that each of its checks bites."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from tests.house.checks import CHECKS, Check, check_command
from tests.house.outside_checks import OUTSIDE_CHECKS, PLACES, is_at, unbounded_in
from tests.house.planted import CLEAN, PLANTED, Clean, Planted

ROOT: Final = Path(__file__).resolve().parents[2]
PYTHON_FOLDERS: Final = ("controller", "devices", "firmware_protocols", "simulators", "tests")


def python_sources() -> Iterator[tuple[str, str]]:
    for folder in PYTHON_FOLDERS:
        # What npm fetched beside a test is other people's.
        for file in sorted(one for one in (ROOT / folder).rglob("*.py") if "node_modules" not in one.parts):
            yield file.relative_to(ROOT).as_posix(), file.read_text()


def command_sources() -> Iterator[tuple[str, str]]:
    systemd = (file for file in sorted((ROOT / "systemd").rglob("*")) if file.is_file())
    scripts = (*sorted((ROOT / ".ci").iterdir()), *sorted((ROOT / "install").iterdir()))
    for file in (ROOT / "Makefile", *scripts, *systemd):
        yield file.relative_to(ROOT).as_posix(), file.read_text()


def name_of(case: Planted | Clean) -> str:
    return f"{case.check.__name__}-{case.path}"


@pytest.mark.parametrize("check", [*CHECKS, *OUTSIDE_CHECKS], ids=lambda check: check.__name__)
def test_the_house_keeps_its_style(check: Check) -> None:
    findings = [str(finding) for path, text in python_sources() for finding in check(path, text)]
    assert findings == []


def test_every_place_that_may_read_without_bounds_does() -> None:
    found = {
        (name, f"{path}::{function}")
        for path, text in python_sources()
        for name, _, function in unbounded_in(ast.parse(text))
    }
    listed = [(name, place) for name, places in PLACES.items() for place in places]
    assert [
        place for name, place in listed if not any(one == name and is_at(function, place) for one, function in found)
    ] == []


def test_nothing_starts_python_with_assertions_off() -> None:
    findings = [str(finding) for path, text in command_sources() for finding in check_command(path, text)]
    assert findings == []


@pytest.mark.parametrize("planted", PLANTED, ids=name_of)
def test_a_planted_violation_is_found(planted: Planted) -> None:
    findings = planted.check(planted.path, planted.text)
    assert [(finding.path, finding.line) for finding in findings] == [(planted.path, planted.line)]
    assert planted.what in findings[0].what


@pytest.mark.parametrize("clean", CLEAN, ids=name_of)
def test_what_the_house_does_is_not_found(clean: Clean) -> None:
    assert clean.check(clean.path, clean.text) == []


def test_every_check_is_proven_both_ways() -> None:
    assert {planted.check for planted in PLANTED} == {*CHECKS, *OUTSIDE_CHECKS, check_command}
    assert {clean.check for clean in CLEAN} == {*CHECKS, *OUTSIDE_CHECKS, check_command}


@pytest.mark.parametrize("folder", PYTHON_FOLDERS)
def test_every_folder_is_looked_at(folder: str) -> None:
    looked_at = {path for path, _ in python_sources()}
    assert f"{folder}/__init__.py" in looked_at


def test_everything_that_starts_python_is_looked_at() -> None:
    looked_at = {path for path, _ in command_sources()}
    assert {"Makefile", ".ci/run", ".ci/setup", "install/release", "systemd/tableside@.service"} <= looked_at
