"""Each folder of the program is one concept: an essay in its ``__init__``, few enough files, names that are nouns."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

ROOT: Final = Path(__file__).resolve().parents[2]

MOST_FILES: Final = 18
"""More than these are two concepts, or one that nobody can overlook."""

ONE_FILE_EACH: Final = {
    "controller/commands": "a file for each command that a person can type",
    "simulators/people": "a file for each kind of person, bet and habit",
}
"""Rooms of plug-ins, which may have as many files as there are things to plug in."""

NOUNS: Final = {"closing", "pairing", "sealing", "wiring"}
"""Names that end like a participle and are the field's own nouns: a round's closing."""


def rooms() -> Iterator[Path]:
    for top in ("controller", "devices", "simulators"):
        for init in sorted((ROOT / top).rglob("__init__.py")):
            yield init.parent


def modules(room: Path) -> list[Path]:
    return [path for path in room.glob("*.py") if path.stem not in {"__init__", "__main__"}]


def named(room: Path) -> str:
    return str(room.relative_to(ROOT))


@pytest.mark.parametrize("room", list(rooms()), ids=named)
def test_a_room_says_what_it_is_for(room: Path) -> None:
    assert ast.get_docstring(ast.parse((room / "__init__.py").read_text(encoding="utf-8")))


@pytest.mark.parametrize("room", [room for room in rooms() if named(room) not in ONE_FILE_EACH], ids=named)
def test_a_room_can_be_overlooked(room: Path) -> None:
    assert len(modules(room)) <= MOST_FILES


def test_the_list_of_the_core_names_each_of_its_rooms_and_nothing_else() -> None:
    core = ROOT / "controller" / "core"
    told = ast.get_docstring(ast.parse((core / "__init__.py").read_text(encoding="utf-8")))
    assert told is not None
    listed = [line.partition(":")[0] for line in told.splitlines() if line.startswith("- ")]
    names = [name.strip("- `") for line in listed for name in line.split(",")]
    there = {path.stem for path in modules(core)} | {path.parent.name for path in core.glob("*/__init__.py")}
    assert sorted(names) == sorted(there)


def test_no_module_is_named_by_a_participle() -> None:
    stems = {path.stem for room in rooms() for path in modules(room)}
    assert {stem for stem in stems if stem.rpartition("_")[2].endswith("ing")} <= NOUNS
