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
"""Folders of plug-ins, which may have as many files as there are things to plug in."""

NOUNS: Final = {"closing", "pairing", "sealing", "wiring"}
"""Names that end like a participle and are the field's own nouns: a round's closing."""


def folders() -> Iterator[Path]:
    for top in ("controller", "devices", "simulators"):
        for init in sorted((ROOT / top).rglob("__init__.py")):
            yield init.parent


def modules(folder: Path) -> list[Path]:
    return [path for path in folder.glob("*.py") if path.stem not in {"__init__", "__main__"}]


def named(folder: Path) -> str:
    return str(folder.relative_to(ROOT))


@pytest.mark.parametrize("folder", list(folders()), ids=named)
def test_a_folder_says_what_it_is_for(folder: Path) -> None:
    assert ast.get_docstring(ast.parse((folder / "__init__.py").read_text(encoding="utf-8")))


@pytest.mark.parametrize("folder", [folder for folder in folders() if named(folder) not in ONE_FILE_EACH], ids=named)
def test_a_folder_can_be_overlooked(folder: Path) -> None:
    assert len(modules(folder)) <= MOST_FILES


def test_the_list_of_the_core_names_each_of_its_folders_and_nothing_else() -> None:
    core = ROOT / "controller" / "core"
    essay = ast.get_docstring(ast.parse((core / "__init__.py").read_text(encoding="utf-8")))
    assert essay is not None
    listed = [line.partition(":")[0] for line in essay.splitlines() if line.startswith("- ")]
    names = [name.strip("- `") for line in listed for name in line.split(",")]
    there = {path.stem for path in modules(core)} | {path.parent.name for path in core.glob("*/__init__.py")}
    assert sorted(names) == sorted(there)


def test_no_module_is_named_by_a_participle() -> None:
    stems = {path.stem for folder in folders() for path in modules(folder)}
    assert {stem for stem in stems if stem.rpartition("_")[2].endswith("ing")} <= NOUNS
