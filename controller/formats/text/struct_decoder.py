"""Plain data to typed values, with every mistake found instead of the first one."""

from __future__ import annotations

import difflib
import functools
import typing
from collections.abc import Iterable, Mapping, Sequence, Sized
from decimal import Decimal
from typing import Annotated, Any, Final, NamedTuple, TypeVar, get_args, get_origin

import msgspec

from controller.formats.text.toml_positions import Path

SHOWN_LIMIT: Final = 60
"""Characters of a wrong value that a complaint repeats."""

HINTS_LIMIT: Final = 50
"""After so many mistakes an unknown key is no longer held against those that might be meant: each such look costs more
than all else that is done with the key."""

HINTED_CHARACTERS: Final = 64
"""Of a key that may be a slip; twice the longest there is."""

S = TypeVar("S", bound=msgspec.Struct)


class Mistake(NamedTuple):
    """What is wrong at ``path``; ``text`` for people."""

    path: Path
    text: str


def complaints(kind: type[msgspec.Struct], data: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    """What is wrong with ``data`` as a ``kind``, by key."""
    mistakes: list[Mistake] = []
    decode(kind, data, (), mistakes)
    return tuple((str(one.path[0]), one.text) for one in mistakes)


def decode(kind: type[S], data: Mapping[str, Any], path: Path, mistakes: list[Mistake]) -> S | None:
    """``data`` as a ``kind``; None if it has mistakes, which are added to ``mistakes``.

    A field's type may carry ``msgspec.Meta(description=...)``: what is expected there, in words.
    """
    before = len(mistakes)
    fields = _fields(kind)
    known = {field.encode_name for field in fields}
    spare = known - data.keys()
    meant = set[str]()
    for key in (one for one in data if one not in known):
        near = nearest(key, spare, mistakes)
        meant.add(near)
        mistakes.append(Mistake((*path, key), f"unknown key{_asked(near)}"))
    values: dict[str, Any] = {}
    for field in fields:
        if field.encode_name in data:
            values[field.name] = _value(field.type, data[field.encode_name], (*path, field.encode_name), mistakes)
        elif field.required and field.encode_name not in meant:
            # What a slip may mean is lacking because of the slip, which has its own line.
            at = (*path, field.encode_name)
            mistakes.append(Mistake(at, f"missing, expected {_wanted(field.type, at)}"))
    return kind(**values) if len(mistakes) == before else None


@functools.cache
def _fields(kind: type[msgspec.Struct]) -> tuple[msgspec.structs.FieldInfo, ...]:
    # Annotations are text, and reading them anew for each section is half of the time that a table file takes.
    return msgspec.structs.fields(kind)


TUPLES: Final[dict[tuple[object, ...], str]] = {
    (int, int): "a pair of whole numbers such as [3, 2]",
    (int, ...): "a list of whole numbers",
    (str, ...): "a list of texts",
}
"""What tuples of these types expect, in words."""

SECTION: Final = "a section"
LIST: Final = "a list"


def expected(annotation: Any) -> str:  # noqa: ANN401 - an annotation may be anything
    """What a type expects, in words."""
    for one in (annotation, *get_args(annotation)):
        if get_origin(one) is Annotated:
            for extra in one.__metadata__:
                if isinstance(extra, msgspec.Meta) and extra.description:
                    return extra.description
    if get_origin(annotation) is typing.Literal:
        return "one of " + ", ".join(shown(choice) for choice in get_args(annotation))
    if get_origin(annotation) is tuple:
        return TUPLES.get(get_args(annotation), LIST)
    if get_origin(annotation) is dict:
        return SECTION
    words = {str: "text", int: "a whole number", bool: "true or false"}
    if isinstance(annotation, type) and issubclass(annotation, msgspec.Struct):
        return SECTION
    return words.get(annotation, "something else")


def shown(value: object) -> str:
    """A value as TOML would write it, shortened."""
    if value is None:
        return "null"
    text = str(value).lower() if isinstance(value, bool | Decimal) else repr(value).replace("'", '"')
    return text if len(text) <= SHOWN_LIMIT else text[: SHOWN_LIMIT - 3] + "..."


def _value(annotation: Any, value: object, path: Path, mistakes: list[Mistake]) -> Any:  # noqa: ANN401
    struct = next((one for one in (annotation, *get_args(annotation)) if _is_struct(one)), None)
    many = get_origin(annotation) is tuple
    if struct is not None and not many and isinstance(value, Mapping):
        return decode(struct, value, path, mistakes)
    if struct is not None and many and isinstance(value, Sequence):
        return tuple(_value(struct, one, (*path, place), mistakes) for place, one in enumerate(value))
    bare = get_args(annotation)[0] if get_origin(annotation) is Annotated else annotation
    if get_origin(bare) is dict and isinstance(value, Mapping):
        return _mapping(bare, value, path, mistakes)
    try:
        return msgspec.convert(value, annotation)
    except msgspec.ValidationError:
        mistakes.append(Mistake(path, f"expected {_wanted(annotation, path)}, got {shown(value)}"))
        return None


def _wanted(annotation: Any, path: Path) -> str:  # noqa: ANN401 - as in ``expected``
    """What a type expects at ``path`` of a file, in words: a section by its name. A table is one to play at."""
    words = expected(annotation)
    name = ".".join(str(one) for one in path if isinstance(one, str))
    has_keys = any(map(_is_struct, (annotation, *get_args(annotation))))
    if has_keys and get_origin(annotation) is tuple:
        return f"sections, each headed [[{name}]]" if words == LIST else words
    return f"one section, headed [{name}]" if has_keys or words == SECTION else words


def _mapping(annotation: Any, value: Mapping[str, object], path: Path, mistakes: list[Mistake]) -> dict[str, Any]:  # noqa: ANN401
    keys, values = get_args(annotation)
    found: dict[str, Any] = {}
    for key, one in value.items():
        try:
            msgspec.convert(key, keys)
        except msgspec.ValidationError:
            mistakes.append(Mistake((*path, key), f"expected {expected(keys)}"))
        else:
            found[key] = _value(values, one, (*path, key), mistakes)
    return found


def _is_struct(annotation: object) -> bool:
    return isinstance(annotation, type) and issubclass(annotation, msgspec.Struct)


def hint(key: str, known: Iterable[str], mistakes: Sized = ()) -> str:
    """What ``nearest`` finds, as the end of a sentence; empty if it finds nothing."""
    return _asked(nearest(key, known, mistakes))


def nearest(key: str, known: Iterable[str], mistakes: Sized = ()) -> str:
    """The one of ``known`` that an unknown ``key`` may mean; empty if none is near.

    It is not looked for where there are many ``mistakes`` already.
    """
    if len(mistakes) >= HINTS_LIMIT or len(key) > HINTED_CHARACTERS:
        return ""
    return next(iter(difflib.get_close_matches(key, sorted(known), n=1, cutoff=0.6)), "")


def _asked(near: str) -> str:
    return f"; did you mean {near}?" if near else ""
