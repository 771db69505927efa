"""JSON and TOML from outside as plain data: each key once, shallow, and nothing that cannot be written down again."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable
from typing import Any, Final

DEEPEST: Final = 32
"""Lists and tables within each other; nothing a person writes for a table needs a third of it."""

TOO_DEEP: Final = f"nested deeper than {DEEPEST}"

LINE_LIMIT: Final = 400
"""Characters of a complaint that repeats what it was given."""


class DataRefused(ValueError):  # noqa: N818 - named for what happened
    """The text is no plain data; the text of this names the key where there is one."""


def json_of(text: str | bytes, parse_float: Callable[[str], Any] | None = None) -> Any:  # noqa: ANN401 - JSON is anything
    """JSON text whose objects name each key once.

    Raises:
        DataRefused: it is none, is nested deeper than ``DEEPEST``, or holds half a character (a lone surrogate).
    """
    try:
        data = json.loads(text, object_pairs_hook=_once, parse_float=parse_float)
    except DataRefused:
        raise
    except RecursionError as error:
        raise DataRefused(TOO_DEEP) from error
    except (json.JSONDecodeError, UnicodeDecodeError) as error:
        raise DataRefused(f"not JSON: {error}") from error
    except (ValueError, ArithmeticError) as error:
        # Thousands of digits, or an exponent of dozens, are JSON, but no number to the library.
        raise DataRefused("not JSON: a number of too many digits") from error
    _checked(data)
    return data


def toml_of(text: str) -> dict[str, Any]:
    """TOML text.

    Raises:
        tomllib.TOMLDecodeError: it is none, or is nested deeper than ``DEEPEST``.
    """
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
            elif isinstance(value, str) and not value.isascii():
                _whole_characters(value)
        if not inner:
            return
        level = inner
    raise DataRefused(TOO_DEEP)


def _whole_characters(text: str) -> None:
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise DataRefused(f"not JSON: {text[:20]!a} is no text, half a character") from error
