"""The names of version 1 are frozen: journals, consumers and pools hold them for years. Names are only added."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import Final, get_args

import msgspec
import pytest

from controller.core.inference.observation import Observation
from controller.core.messages.inputs import Input
from controller.core.meters import pool_postings
from controller.core.meters.state import MeterChange
from controller.formats.mqtt.envelope import event_types
from controller.pool import postings, wire
from controller.trigger_box import entries
from firmware_protocols.values import Value, tag_of

ROOT: Final = Path(__file__).resolve().parents[2]
FROZEN: Final = ROOT / "tests" / "golden" / "names.txt"


class Unnamed(Value, frozen=True, tag=False):
    """A value whose place says what it is."""


def fields(kind: type[msgspec.Struct]) -> str:
    return " ".join(field.encode_name for field in msgspec.structs.fields(kind))


def members(union: object) -> Iterator[type[Value]]:
    for kind in get_args(union) or (union,):
        if isinstance(kind, type):
            yield kind
        else:
            yield from members(kind)


def named_in(module: object) -> Iterator[type[Value]]:
    for one in vars(module).values():
        if isinstance(one, type) and issubclass(one, Value) and isinstance(one.__struct_config__.tag, str):
            yield one


ROOMS: Final[dict[str, list[type[Value]]]] = {
    "event": list(event_types()),
    "input": list(members(Input)),
    "evidence": list(members(Observation)),
    "order of a meter": list(members(MeterChange)),
    "posting": [*named_in(pool_postings), *named_in(postings)],
    "pool": list(named_in(wire)),
    "trigger box": list(named_in(entries)),
}


def lines() -> set[str]:
    return {
        f"{room}: {tag_of(kind)}: {fields(kind)}"
        for room, kinds in ROOMS.items()
        for kind in kinds
        if kind is not Value
    }


def names(written: set[str]) -> dict[tuple[str, str], list[str]]:
    split = (line.split(": ") if line.count(": ") == 2 else [*line.rstrip(":").split(": "), ""] for line in written)
    return {(room, tag): of.split() for room, tag, of in split}


def test_no_name_of_version_1_is_lost_and_no_field() -> None:
    frozen, now = names(set(FROZEN.read_text(encoding="utf-8").splitlines())), names(lines())
    assert frozen.keys() <= now.keys()
    assert [(where, field) for where, of in frozen.items() for field in of if field not in now[where]] == []


def test_every_name_is_written_down() -> None:
    assert lines() <= set(FROZEN.read_text(encoding="utf-8").splitlines())


def test_every_value_says_its_name_or_that_it_has_none() -> None:
    silent = [
        f"{path.relative_to(ROOT)}: {node.name}"
        for top in ("controller", "devices", "firmware_protocols", "simulators")
        for path in (ROOT / top).rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.ClassDef)
        and any(isinstance(base, ast.Name) and base.id == "Value" for base in node.bases)
        if not any(keyword.arg == "tag" for keyword in node.keywords)
    ]
    assert silent == []


def test_what_has_no_name_on_the_wire_is_reported() -> None:
    with pytest.raises(TypeError, match="Unnamed has no name on the wire"):
        tag_of(Unnamed)


if __name__ == "__main__":
    FROZEN.write_text("\n".join(sorted(lines())) + "\n", encoding="utf-8")
