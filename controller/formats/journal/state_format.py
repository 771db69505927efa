"""The format of a value as bytes: which fields it has, in which order, of which types and under which names.

Two versions whose formats are equal read each other's bytes without losing a field or taking a default for one. Names
of classes and what is said of fields are not part of it; what stands on the disk is.
"""

from __future__ import annotations

import hashlib
from functools import lru_cache
from typing import Final

from msgspec import inspect

DIGITS: Final = 16
"""Hexadecimal digits of a format's name: chance alone lets two versions share one once in 2**64 pairs."""


@lru_cache(maxsize=8)
def format_name(kind: object) -> str:
    """The name of a type's format."""
    return hashlib.sha256(_written(inspect.type_info(kind), ()).encode()).hexdigest()[:DIGITS]


def _written(kind: inspect.Type, within: tuple[type, ...]) -> str:
    """A type in words; a struct that holds itself is named by how far up it stands."""
    if isinstance(kind, inspect.StructType):
        return _struct(kind, within)
    if isinstance(kind, inspect.UnionType):
        return "|".join(sorted(_written(one, within) for one in kind.types))
    if isinstance(kind, inspect.DictType):
        return f"dict({_written(kind.key_type, within)},{_written(kind.value_type, within)})"
    if isinstance(kind, inspect.TupleType):
        return f"tuple({','.join(_written(one, within) for one in kind.item_types)})"
    if isinstance(kind, inspect.VarTupleType | inspect.ListType | inspect.SetType | inspect.FrozenSetType):
        return f"many({_written(kind.item_type, within)})"
    if isinstance(kind, inspect.EnumType):
        return f"one of {[str(one.value) for one in kind.cls]}"
    if isinstance(kind, inspect.LiteralType):
        return f"one of {sorted(map(str, kind.values))}"
    return type(kind).__name__


def _struct(kind: inspect.StructType, within: tuple[type, ...]) -> str:
    """A struct by its tag and its fields, those with a default marked."""
    if kind.cls in within:
        return f"^{within[::-1].index(kind.cls)}"
    inner = (*within, kind.cls)
    fields = (f"{one.encode_name}{'' if one.required else '?'}:{_written(one.type, inner)}" for one in kind.fields)
    return f"{kind.tag}{{{','.join(fields)}}}"
