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


PLUGGED_IN: Final = {"BET"}
"""Found by name in each file of a folder of plug-ins."""


def defined(tree: ast.Module) -> Iterator[str]:
    """The public functions and constants of a module; a class may be public for being in a signature."""
    for node in tree.body:
        match node:
            case ast.FunctionDef(name=name) | ast.AnnAssign(target=ast.Name(id=name)):
                if not name.startswith("_") and not is_type(name):
                    yield name
            case _:
                pass


def used(tree: ast.Module) -> Iterator[tuple[str, str]]:
    """The names that a module takes from others, as module and name."""
    modules: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module is not None:
            for one in node.names:
                modules[one.asname or one.name] = f"{node.module}.{one.name}"
                yield node.module, one.name
    for node in ast.walk(tree):
        match node:
            case ast.Attribute(value=ast.Name(id=name), attr=attribute) if name in modules:
                yield modules[name], attribute
            case _:
                pass


def module_of(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts)


def test_names_taken_from_another_module_are_seen() -> None:
    tree = ast.parse("from a.b import c, d as e\nfrom a import f\ne.g\nf.h(c)\nx.y")
    assert set(used(tree)) == {("a.b", "c"), ("a.b", "d"), ("a", "f"), ("a.b.d", "g"), ("a.f", "h")}


def test_what_only_one_module_of_the_core_uses_begins_with_an_underscore() -> None:
    folders = ("controller", "simulators", "tests", "bench")
    trees = {
        path: ast.parse(path.read_text(encoding="utf-8")) for one in folders for path in (ROOT / one).rglob("*.py")
    }
    taken = {name for tree in trees.values() for name in used(tree)}
    core = {path: tree for path, tree in trees.items() if (ROOT / "controller" / "core") in path.parents}
    own = {(module_of(path), name) for path, tree in core.items() for name in defined(tree) if name not in PLUGGED_IN}
    assert sorted(own - taken) == []


WORN_OUT: Final = {"told"}
"""Words that stood for several things at once, and say too little as a name."""

WORN_OUT_KEYS: Final = {"tests/campaigns/power.py", "tests/campaigns/test_power.py", "tests/house/test_names.py"}
"""Where such a word is a key of result files that were kept, or is looked for."""


def names_of(tree: ast.Module) -> Iterator[str]:
    """Every name that a module gives or uses."""
    for node in ast.walk(tree):
        match node:
            case ast.Name(id=name) | ast.Attribute(attr=name) | ast.arg(arg=name) | ast.FunctionDef(name=name):
                yield name
            case _:
                pass


def test_names_are_found_wherever_they_stand() -> None:
    text = "def told(told): ...\nself.told = told\n"
    assert list(names_of(ast.parse(text))).count("told") == 4


def test_no_worn_out_word_is_a_name() -> None:
    folders = ("controller", "devices", "simulators", "firmware_protocols", "tests", "bench")
    every = [path for folder in folders for path in sorted((ROOT / folder).rglob("*.py"))]
    files = [path for path in every if str(path.relative_to(ROOT)) not in WORN_OUT_KEYS]
    found = {path: WORN_OUT.intersection(names_of(ast.parse(path.read_text(encoding="utf-8")))) for path in files}
    assert {path: names for path, names in found.items() if names} == {}
