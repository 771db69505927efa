"""Text for people: no field of it moves a terminal's cursor, and amounts and counts read alike everywhere."""

from __future__ import annotations

import re
import unicodedata
from typing import Final

_JOINERS: Final = frozenset("\u200c\u200d")
"""Without them words of Persian and of India's languages are misspelt; they move nothing."""


def misread_reason(text: str) -> str:
    """Why what a person wrote may be read as something else, and what to do; empty: it is read as it is.

    It has a character that shows as nothing and moves, divides or hides what is shown: a control code, the end of a
    line, half a character, a mark of direction (what follows U+202E is read backwards) or another mark of format.
    """
    mark = next(
        (
            letter
            for letter in text
            if unicodedata.category(letter) in {"Cc", "Cf", "Cs", "Zl", "Zp"} and letter not in _JOINERS
        ),
        "",
    )
    if not mark:
        return ""
    said = f"expected plain text on one line, got the unseen character U+{ord(mark):04X}"
    return f"{said}; type it anew instead of pasting it"


def printable(text: str) -> str:
    r"""``text`` on one line of a terminal: control codes, line ends, marks of direction as ``\u001b``, as in JSON.

    JSON stays JSON of the same value.
    """
    return text if text.isprintable() else "".join(one if one.isprintable() else _escape(one) for one in text)


_DIRECTIONS: Final = re.compile("[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")


def directions_shown(json: bytes) -> bytes:
    r"""JSON for a page whose texts show marks of direction as ``\u202e``, and so read in the order they were written.

    Journals of before hold some in names, reasons and the numbers of slips.
    """
    if b"\xe2\x80" not in json and b"\xe2\x81" not in json and b"\xd8\x9c" not in json:
        return json
    return _DIRECTIONS.sub(lambda mark: rf"\{_escape(mark[0])}", json.decode()).encode()


def _escape(letter: str) -> str:
    # Half a character has no other code; what is beyond the first plane is two in JSON.
    code = letter.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{code[at : at + 2].hex()}" for at in range(0, len(code), 2))


def dollars(cents: int) -> str:
    """``125000`` -> ``$1,250.00``; a sign only below zero."""
    return f"{'-' if cents < 0 else ''}${abs(cents) // 100:,}.{abs(cents) % 100:02d}"


def net(cents: int) -> str:
    """A player's net with its sign: ``+$12.50``, ``-$5.00``, ``$0.00``."""
    return f"+{dollars(cents)}" if cents > 0 else dollars(cents)


def many(count: int, name: str, plural: str = "") -> str:
    """``1 wager``, ``2 wagers``; ``2 boxes`` where the ``plural`` is given."""
    return f"{count} {name}" if count == 1 else f"{count} {plural or f'{name}s'}"
