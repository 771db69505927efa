"""On which line of a TOML file each key stands: what ``tomllib`` reads but does not remember.

Only for text that ``tomllib`` has accepted; the grammar is TOML 1.0 (https://toml.io/en/v1.0.0).
"""

from __future__ import annotations

import re
from typing import Final

from controller.formats.text.safe_parse import toml_of

Path = tuple[str | int, ...]
"""Where a value lies: names of keys, and places in arrays counted from 0."""

_TOKEN: Final = re.compile(
    r'"""(?:\\.|[^\\])*?"{3,5}'
    r"|'''[\s\S]*?'{3,5}"
    r'|"(?:\\.|[^"\\\n])*"'
    r"|'[^'\n]*'"
    r"|\#[^\n]*"
    r"|\n"
    r"|[\[\]{},=.]"
    r"|[^\s\[\]{},=.\"'#]+"
    r"|[^\S\n]+",
    re.DOTALL,
)


def key_lines(text: str) -> dict[Path, int]:
    """The line, counted from 1, on which each key, table and array element begins."""
    return _Walk(text).lines


def line_of(lines: dict[Path, int], path: Path) -> int:
    """The line of ``path``, or of the nearest thing around it; 1 if there is none."""
    while path and path not in lines:
        path = path[:-1]
    return lines.get(path, 1)


class _Walk:
    """One pass over the tokens of a document."""

    def __init__(self, text: str) -> None:
        self.lines: dict[Path, int] = {}
        self._line = 1
        self._tokens: list[tuple[str, int]] = []
        for found in _TOKEN.finditer(text):
            word = found.group()
            if word == "\n" or not (word.isspace() or word.startswith("#")):
                self._tokens.append((word, self._line))
            self._line += word.count("\n")
        self._at = 0
        self._arrays: dict[Path, int] = {}
        self._document()

    def _peek(self, ahead: int = 0) -> str:
        place = self._at + ahead
        return self._tokens[place][0] if place < len(self._tokens) else ""

    def _take(self) -> tuple[str, int]:
        token = self._tokens[self._at]
        self._at += 1
        return token

    def _skip_newlines(self) -> None:
        while self._peek() == "\n":
            self._at += 1

    def _note(self, path: Path, line: int) -> None:
        """A key brings the tables around it into being."""
        for length in range(1, len(path) + 1):
            self.lines.setdefault(path[:length], line)

    def _document(self) -> None:
        table: Path = ()
        self._skip_newlines()
        while self._at < len(self._tokens):
            line = self._tokens[self._at][1]
            if self._peek() == "[" and self._peek(1) == "[":
                self._at += 2
                table = self._next_of_array(self._key())
                self._at += 2
                self._note(table, line)
            elif self._peek() == "[":
                self._at += 1
                table = self._resolved(self._key())
                self._at += 1
                self._note(table, line)
            else:
                self._pair(table)
            self._skip_newlines()

    def _next_of_array(self, key: Path) -> Path:
        array = (*self._resolved(key[:-1]), key[-1])
        place = self._arrays.get(array, -1) + 1
        self._arrays[array] = place
        return (*array, place)

    def _resolved(self, key: Path) -> Path:
        """A header's key with the place in each array of tables it passes through: the latest one."""
        found: Path = ()
        for name in key:
            found = (*found, name)
            if found in self._arrays:
                found = (*found, self._arrays[found])
        return found

    def _key(self) -> Path:
        names: list[str | int] = []
        while self._peek() not in {"=", "]", ""}:
            word, _ = self._take()
            if word != ".":
                names.append(_name(word))
        return tuple(names)

    def _pair(self, table: Path) -> None:
        line = self._tokens[self._at][1]
        path = (*table, *self._key())
        self._at += 1
        self._note(path, line)
        self._value(path)

    def _value(self, path: Path) -> None:
        if self._peek() == "[":
            self._array(path)
        elif self._peek() == "{":
            self._inline_table(path)
        else:
            # A number such as 1.5 is several tokens.
            while self._peek() not in {"\n", ",", "]", "}", ""}:
                self._at += 1

    def _array(self, path: Path) -> None:
        self._at += 1
        place = 0
        self._skip_newlines()
        while self._peek() not in {"]", ""}:
            self._note((*path, place), self._tokens[self._at][1])
            self._value((*path, place))
            place += 1
            self._skip_newlines()
            if self._peek() == ",":
                self._at += 1
            self._skip_newlines()
        self._at += 1

    def _inline_table(self, path: Path) -> None:
        self._at += 1
        while self._peek() not in {"}", ""}:
            self._pair(path)
            if self._peek() == ",":
                self._at += 1
        self._at += 1


def _name(word: str) -> str:
    if word[0] in "\"'":
        return str(next(iter(toml_of(f"{word} = 0"))))
    return word
