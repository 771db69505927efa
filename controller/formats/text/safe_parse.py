"""The one way in for JSON and TOML: each key once, shallow, of limited size, and nothing that cannot be written again.

What comes from outside (a broker, a socket, a file that somebody hands in) is read by ``json_of`` or ``json_as``, in a
function that ``reads_outside`` marks. What this program wrote itself, and holds against a hash, a seal or a database of
its own before it reads it (a journal's records and events, a ledger's entries, a box's store), is read by ``own_json``:
it is not bounded, and is refused all the same where it cannot be read. Nothing else decodes JSON or TOML; tests/house
holds that.
"""

from __future__ import annotations

import functools
import json
import math
import re
import tomllib
from collections.abc import Callable
from typing import Any, Final, NamedTuple, ParamSpec, TypeVar

import msgspec

DEEPEST: Final = 32
"""Lists and tables within each other, and a value in the innermost; a table needs not a third of it."""

TOO_DEEP: Final = f"nested deeper than {DEEPEST}"

INTEGER_LIMIT: Final = 2**63
"""No whole number is as large, whichever its sign: what SQLite, PostgreSQL and every consumer's language can hold."""

SIZE_LIMIT_BYTES: Final = 16 * 1024 * 1024
"""Of any text that is not limited more tightly where it comes from: a file of cases, a table's file."""

LINE_LIMIT: Final = 400
"""Characters of a complaint that repeats what it was given."""

_KEY: Final = r"""(?:[A-Za-z0-9_-]++|"(?:[^"\\\n]|\\.)*+"|'[^'\n]*+')"""
_DEEP_KEY: Final = re.compile(rf"(?m)(?:^|[\[{{,])[ \t]*+(?:{_KEY}[ \t]*+\.[ \t]*+){{{DEEPEST}}}")
"""A key of TOML with more dots than anything may be deep: the library takes a time that grows with their square."""

P = ParamSpec("P")
R = TypeVar("R")


class OutsideReader(NamedTuple):
    """A function that reads what comes from outside, and how it refuses: an exception, or None for answering None."""

    read: Callable[..., object]
    refusal: type[Exception] | None


READERS: Final[dict[str, OutsideReader]] = {}
"""Every such function by module and name; tests put garbage to each of them."""


class DataRefused(ValueError):  # noqa: N818 - named for what happened
    """The text is no plain data; the text of this names the key where there is one, and is never longer than a line."""

    def __init__(self, text: str) -> None:
        super().__init__(text if len(text) <= LINE_LIMIT else f"{text[: LINE_LIMIT - 3]}...")


def reads_outside(refusal: type[Exception] | None) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Marks a function that reads what comes from outside: whatever goes wrong within it is a ``refusal``.

    None: the function answers None to what it cannot read. An exception nobody thought of is a refusal too, which names
    it: what somebody sends is never the end of a program.
    """

    def marked(read: Callable[P, R]) -> Callable[P, R]:
        @functools.wraps(read)
        def guarded(*args: P.args, **keywords: P.kwargs) -> R:
            try:
                return read(*args, **keywords)
            except Exception as error:
                if refusal is None:
                    return None  # type: ignore[return-value]
                if isinstance(error, refusal):
                    raise
                said = str(error) if isinstance(error, DataRefused) else f"cannot be read: {type(error).__name__}"
                raise refusal(said) from error

        READERS[f"{read.__module__}.{read.__qualname__}"] = OutsideReader(guarded, refusal)
        return guarded

    return marked


def json_of(
    text: str | bytes,
    parse_float: Callable[[str], Any] | None = None,
    *,
    limit_bytes: int = SIZE_LIMIT_BYTES,
    limit_values: int | None = None,
) -> Any:  # noqa: ANN401 - JSON is anything
    """JSON text (RFC 8259, in UTF-8) as plain data.

    ``limit_values``: it holds no more values; what divides or holds them is counted before it is read, wherever it
    stands, so that commas in a text count too.

    Raises:
        DataRefused: it is none, is longer than ``limit_bytes``, holds more than ``limit_values``, is nested deeper than
            ``DEEPEST``, names a key twice, or holds a number outside ``INTEGER_LIMIT``, ``NaN``, ``Infinity`` or half a
            character (a lone surrogate).
    """
    if len(text) > limit_bytes:
        raise DataRefused(f"longer than {limit_bytes} bytes")
    if limit_values is not None and _marks(text) > limit_values:
        raise DataRefused(f"more than {limit_values} values")
    try:
        # Bytes in another encoding, or with half characters in them, would be guessed at.
        whole = text if isinstance(text, str) else str(text, "utf-8-sig")
        data = (_PLAIN if parse_float is None else _decoder(parse_float)).decode(whole)
        _checked(data)
    except DataRefused:
        raise
    except RecursionError as error:
        raise DataRefused(TOO_DEEP) from error
    except json.JSONDecodeError as error:
        line = f"line {error.lineno}, " if "\n" in error.doc.rstrip() else ""
        raise DataRefused(f"not JSON: {error.msg} at {line}column {error.colno}") from error
    except UnicodeDecodeError as error:
        raise DataRefused(f"not JSON: {error}") from error
    except (ValueError, ArithmeticError) as error:
        # Thousands of digits, or an exponent of dozens, are JSON, but no number to the library.
        raise DataRefused("not JSON: a number of too many digits") from error
    return data


def json_as(
    text: str | bytes,
    kind: Any,  # noqa: ANN401 - any type
    *,
    limit_bytes: int = SIZE_LIMIT_BYTES,
    limit_values: int | None = None,
) -> Any:  # noqa: ANN401 - ``kind`` says
    """JSON text as a value of the type ``kind``.

    Raises:
        DataRefused: as ``json_of``, or it is no ``kind``.
    """
    json_of(text, limit_bytes=limit_bytes, limit_values=limit_values)
    return own_json(text, kind)


def own_json(text: str | bytes, kind: Any) -> Any:  # noqa: ANN401 - ``kind`` says
    """JSON that this program wrote, as a value of the type ``kind``; see the module for what may be read so.

    Raises:
        DataRefused: it is none after all.
    """
    try:
        return _decoder_of(kind).decode(text)
    except (msgspec.MsgspecError, ValueError, ArithmeticError) as error:
        raise DataRefused(str(error)) from error
    except RecursionError as error:
        raise DataRefused(TOO_DEEP) from error


@functools.cache
def _decoder_of(kind: Any) -> msgspec.json.Decoder[Any]:  # noqa: ANN401 - any type
    # msgspec goes through the members of a union each time that a decoder of it is made: 50 us for that of all events.
    return msgspec.json.Decoder(kind)


def outermost(text: bytes, key: str, limit_bytes: int, limit_values: int | None = None) -> Any:  # noqa: ANN401 - any JSON value
    """What stands under ``key`` in a JSON object from outside; None: nothing, or it is no such object."""
    try:
        data = json_of(text, limit_bytes=limit_bytes, limit_values=limit_values)
    except DataRefused:
        return None
    return data.get(key) if isinstance(data, dict) else None


def toml_of(text: str) -> dict[str, Any]:
    """TOML text.

    Raises:
        tomllib.TOMLDecodeError: it is none, or is nested deeper than ``DEEPEST``.
    """
    if len(text) > SIZE_LIMIT_BYTES:
        raise tomllib.TOMLDecodeError(f"longer than {SIZE_LIMIT_BYTES} bytes")
    if _DEEP_KEY.search(text):
        raise tomllib.TOMLDecodeError(TOO_DEEP)
    try:
        data = tomllib.loads(text)
        _checked(data)
    except tomllib.TOMLDecodeError:
        raise
    except (ValueError, RecursionError) as error:
        # A number of thousands of digits and a thousand brackets are no TOMLDecodeError to the library.
        raise tomllib.TOMLDecodeError(TOO_DEEP if isinstance(error, RecursionError) else str(error)) from error
    return data


def one_line(text: str) -> str:
    """A complaint as one line of a terminal: without line ends and control codes it may repeat, and not endless."""
    line = " ".join("".join(letter if letter.isprintable() else " " for letter in text).split())
    return line if len(line) <= LINE_LIMIT else f"{line[: LINE_LIMIT - 3]}..."


def _marks(text: str | bytes) -> int:
    """How many commas and opening brackets there are."""
    if isinstance(text, bytes):
        return text.count(b",") + text.count(b"[") + text.count(b"{")
    return text.count(",") + text.count("[") + text.count("{")


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        seen: set[str] = set()
        for key, _ in pairs:
            if key in seen:
                raise DataRefused(f"{key}: is given twice")
            seen.add(key)
    return found


def _checked(data: object) -> None:
    level = [data]
    for _ in range(DEEPEST):
        inner: list[object] = []
        for value in level:
            if isinstance(value, dict):
                inner += [*value, *value.values()]
            elif isinstance(value, list):
                inner += value
            elif isinstance(value, str):
                if not value.isascii():
                    _whole_characters(value)
            elif not _is_number_in_bounds(value):
                raise DataRefused(f"{_where(data)}expected a number of at most 63 bits")
        if not inner:
            return
        level = inner
    raise DataRefused(TOO_DEEP)


def _whole_characters(text: str) -> None:
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise DataRefused(f"not JSON: {text[:20]!a} is no text, half a character") from error


def _is_number_in_bounds(value: object) -> bool:
    # TOML knows a number that is none; who reads it says under which key it stands.
    if isinstance(value, int):
        return -INTEGER_LIMIT < value < INTEGER_LIMIT
    return not isinstance(value, float) or not math.isinf(value)


def _where(data: object) -> str:
    """The key of the first number out of bounds, and a colon; empty: it stands alone."""
    inner = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    for key, value in inner:
        if isinstance(value, dict | list):
            if found := _where(value):
                return f"{key}.{found}"
        elif not _is_number_in_bounds(value):
            return f"{key}: "
    return ""


def _no_number(text: str) -> None:
    raise DataRefused(f"not JSON: {text} is no number")


def _decoder(parse_float: Callable[[str], Any] | None) -> json.JSONDecoder:
    return json.JSONDecoder(object_pairs_hook=_once, parse_float=parse_float, parse_constant=_no_number)


_PLAIN: Final = _decoder(None)
