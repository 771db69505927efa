"""The base of every value that crosses a boundary: immutable, compared by content, tagged with its name on the wire."""

from __future__ import annotations

import msgspec


class Value(msgspec.Struct, frozen=True, tag_field="type"):
    """An immutable value.

    A class whose JSON form carries its own name under ``type`` gives that name as ``tag="..."``. The name is then part
    of the wire and of every journal: it stays when the class is renamed. ``tag=False``: the place a value stands in
    says what it is.
    """


def tag_of(kind: type[Value]) -> str:
    """The name of a class in JSON, in topics and in journals.

    Raises:
        TypeError: the class has none.
    """
    tag = kind.__struct_config__.tag
    if not isinstance(tag, str):
        raise TypeError(f"{kind.__name__} has no name on the wire")
    return tag
