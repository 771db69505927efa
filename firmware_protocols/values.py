"""The base of every value that crosses a boundary: immutable, compared by content, tagged with its name."""

from __future__ import annotations

import re

import msgspec


def wire_name(class_name: str) -> str:
    """``CardDrawn`` -> ``card_drawn``: the name of a class in JSON and in topics."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", class_name).lower()


class Value(msgspec.Struct, frozen=True, tag=wire_name, tag_field="type"):
    """An immutable value whose JSON form carries its own name under ``type``."""
