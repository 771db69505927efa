"""One word, one meaning: what is public is named once."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[2]

SHARED_WITH_DEVICES: Final = {"CardDrawn", "MysteryCommitted", "MysteryRevealed"}
"""Each is a reading of a device and the event that it becomes. This list may only shrink."""


def public_types(tree: ast.Module) -> Iterator[str]:
    """The classes and type aliases of a module, but for those that begin with an underscore."""
    for node in tree.body:
        match node:
            case ast.ClassDef(name=name):
                pass
            case ast.Assign(targets=[ast.Name(id=name)]) | ast.AnnAssign(target=ast.Name(id=name)) if is_type(name):
                pass
            case _:
                continue
        if not name.startswith("_"):
            yield name


def is_type(name: str) -> bool:
    """Whether a name is written as a type's is."""
    return name[:1].isupper() and not name.isupper()


def homes(*folders: str) -> dict[str, list[str]]:
    """Where each public type of some folders is defined."""
    found: dict[str, list[str]] = defaultdict(list)
    for folder in folders:
        for path in sorted((ROOT / folder).rglob("*.py")):
            for name in public_types(ast.parse(path.read_text(encoding="utf-8"))):
                found[name].append(path.relative_to(ROOT).as_posix())
    return found


def test_types_are_found_and_constants_are_not() -> None:
    text = "class Hand: ...\nCards = tuple[int, ...]\nROOT: Final = 1\nLimit: Final = 2\n_Seen = int\nclass _Own: ...\n"
    assert list(public_types(ast.parse(text))) == ["Hand", "Cards", "Limit"]


def test_no_public_type_of_the_controller_is_defined_twice() -> None:
    assert {name: places for name, places in homes("controller").items() if len(places) > 1} == {}


def test_types_named_like_those_of_devices_are_listed() -> None:
    shared = homes("controller").keys() & homes("devices", "firmware_protocols").keys()
    assert shared == SHARED_WITH_DEVICES
