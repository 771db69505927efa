"""What the house's TOML files are made of: sections of texts, names and ports, read with every mistake on its line."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterable, Mapping
from typing import Annotated, Any, Final, TypeVar

import msgspec

from controller.formats.text.safe_parse import toml_of
from controller.formats.text.struct_decoder import Mistake, decode
from controller.formats.text.toml_positions import Path, key_lines, line_of
from controller.formats.text.usb_names import PATTERN as USB_PATTERN

HOST_PATTERN: Final = r"[^\s:/?#.]+(\.[^\s:/?#.]+)*\.?"
"""A host's name or its address by IPv4: no part of it is empty."""

PORT_NUMBER_PATTERN: Final = r"(6553[0-5]|655[0-2][0-9]|65[0-4][0-9]{2}|6[0-4][0-9]{3}|[1-5][0-9]{4}|[1-9][0-9]{0,3})"
"""1 to 65535."""

SERVER_PATTERN: Final = rf"(socket|rfc2217)://{HOST_PATTERN}:{PORT_NUMBER_PATTERN}"
"""A line that a device server reaches over the network."""

SERVERS: Final = ("socket://", "rfc2217://")
"""Begin the name of such a line."""

Text = Annotated[str, msgspec.Meta(min_length=1, description="text")]
Name = Annotated[
    str,
    msgspec.Meta(
        pattern=r"^[a-z0-9]([a-z0-9-]{0,30}[a-z0-9])?\Z",
        description="a name of at most 32 lower-case letters, digits and hyphens",
    ),
]
IPV6_PATTERN: Final = r"[0-9a-fA-F.]*:[0-9a-fA-F.]*:[0-9a-fA-F:.]*(%\S+)?"
"""An address by IPv6, more or less: it has two colons."""

Host = Annotated[
    str,
    msgspec.Meta(
        pattern=rf"^({HOST_PATTERN}(:[0-9]+)?|{IPV6_PATTERN})\Z",
        description="a host's name or address, such as broker.example or 192.168.1.5",
    ),
]
"""With a port it is refused later, where the port's own key is known."""
File = Annotated[str, msgspec.Meta(min_length=1, description="a path")]
Port = Annotated[
    str,
    msgspec.Meta(
        pattern=rf"^(/.+|{USB_PATTERN}|{SERVER_PATTERN})\Z",
        description="a path such as /dev/serial/by-id/..., usb:VID:PID:SERIAL, socket://host:port or"
        " rfc2217://host:port",
    ),
]
ClockTime = Annotated[
    str, msgspec.Meta(pattern=r"^([01][0-9]|2[0-3]):[0-5][0-9]\Z", description="hours and minutes such as 06:00")
]
Currency = Annotated[
    str, msgspec.Meta(pattern=r"^[A-Z]{3}\Z", description="a currency's three letters (ISO 4217), such as USD")
]
TcpPort = Annotated[int, msgspec.Meta(ge=1, le=65535, description="a port number from 1 to 65535")]
ZoneName = Annotated[str, msgspec.Meta(pattern=r"^[a-z][a-z0-9_]*\Z", description="a zone such as main or insurance")]
Antenna = Annotated[int, msgspec.Meta(ge=1, le=8, description="an antenna from 1 to 8")]
Spot = Annotated[int, msgspec.Meta(ge=1, le=7, description="a spot from 1 to 7")]

CURVE_KEY: Final = re.compile(r"[0-9a-zA-Z.\-:+=^!/*?&<>()\[\]{}@%$#]{40}")
"""A public key as ZeroMQ writes it (Z85, https://rfc.zeromq.org/spec/32/)."""

PublicKey = Annotated[str, msgspec.Meta(pattern=rf"^{CURVE_KEY.pattern}\Z", description="a public key")]
HOST_PORT_PATTERN: Final = r"([^\s:]+:[0-9]{1,5}|\[[0-9a-fA-F:]+\]:[0-9]{1,5})"
"""An IPv6 address is in brackets."""

HostPort = Annotated[str, msgspec.Meta(pattern=rf"^{HOST_PORT_PATTERN}\Z", description="HOST:PORT")]


def is_host(text: str) -> bool:
    """Whether text is a host's name or address alone."""
    return re.fullmatch(rf"{HOST_PATTERN}|{IPV6_PATTERN}", text) is not None


class Section(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A section of the file; TOML calls it a table."""


class ConfigError(ValueError):
    """A file has mistakes: ``lines`` has one line of text for each, in the order of the file."""

    def __init__(self, lines: tuple[str, ...]) -> None:
        super().__init__("\n".join(lines))
        self.lines = lines


_File = TypeVar("_File", bound=Section)


def read_sections(
    kind: type[_File],
    text: str,
    name: str,
    checks: Callable[[_File], Iterable[Mistake]],
    *,
    named: Callable[[Mapping[str, Any]], Iterable[Mistake]] = lambda _: (),
) -> _File:
    """The file ``name`` whose content is ``text``, without mistakes.

    ``checks`` complains of what does not go together; ``named`` of names the rest of the house does not know, also in a
    file that has other mistakes, so that all are reported at once.

    Raises:
        ConfigError: with a line for each mistake found.
    """
    try:
        data = toml_of(text)
    except tomllib.TOMLDecodeError as error:
        raise ConfigError((syntax_line(text, name, str(error)),)) from error
    mistakes: list[Mistake] = []
    found = decode(kind, data, (), mistakes)
    mistakes.extend(named(data))
    if found is not None:
        mistakes.extend(checks(found))
    if found is None or mistakes:
        raise placed(text, name, mistakes)
    return found


_SYNTAX: Final = re.compile(r"(.*) \(at line (\d+), column (\d+)\)")
_WORD: Final = re.compile(r"[^\s#\"'\[\]{}=,][^#\"'\[\]{}=,]*")
"""What people write as a value and TOML does not know: text without quotes."""

BYTE_ORDER_MARK: Final = "\ufeff"
"""What some editors put before a text; it cannot be seen, and TOML knows none."""

_SHOWN: Final = 60
"""Characters of a line that are shown."""

_TRUTH: Final = {"true", "false", "yes", "no", "on", "off"}

_UNQUOTED: Final = re.compile(r"\s*[\w.-]+\s*=\s*([^\s#\"'\[{][^#\"'\[\]{}=,]*)(#.*)?")
"""A line whose value begins like a number or a date and goes on like text: an address, a version."""

_NUMBERS: Final = re.compile(r"\s*[\w.-]+\s*=\s*(\d{1,3}(?:\s*(?:,|-|\.\.)\s*\d{1,3})+)\s*(?:#.*)?")
"""A line whose value is several numbers, or from one to another, without the brackets of a list."""

_CURLY: Final = "\u201c\u201d\u201e\u2018\u2019\u201a\u00ab\u00bb"
"""Quotation marks that word processors and chats make of straight ones."""

_WHOLE_TEXT: Final = re.compile(r""""(?:\\.|[^"\\])*"|'[^']*'|#.*""")
"""Text in straight quotation marks, or a comment: in it others are letters like any."""

_IN_WORDS: Final = {
    "Illegal character '\\n'": "a quotation mark is missing",
    "Expected newline or end of document after a statement": "expected nothing more after the value",
}
"""tomllib's words, and what they mean to people."""


def syntax_line(text: str, name: str, error: str) -> str:
    """What tomllib says of the file ``name``, on the line it names, or the last, with that line."""
    if text.startswith(BYTE_ORDER_MARK):
        return f"{name}:1: begins with a byte order mark; save it as UTF-8 without one"
    lines = text.splitlines()
    found = _SYNTAX.fullmatch(error)
    if found is None:
        return f"{name}:{len(lines)}: {error}"
    at = int(found[2])
    line = lines[at - 1] if at <= len(lines) else ""
    said = _slip(lines[:at], found[1], line[int(found[3]) - 1 :].strip())
    return f"{name}:{at}: {said or f'{_IN_WORDS.get(found[1], found[1])}, in: {line.strip()[:_SHOWN]}'}"


def _slip(lines: list[str], error: str, rest: str) -> str:
    """The usual slips in the last of ``lines``, of which ``rest`` could not be read; empty for any other."""
    line = lines[-1].strip() if lines else ""
    value = _WORD.match(rest)
    if any(mark in _CURLY for mark in _WHOLE_TEXT.sub("", line)):
        return f'curly quotation marks: type straight ones ("), in: {line[:_SHOWN]}'
    if error == "Cannot overwrite a value" or error.startswith("Cannot declare"):
        return f"given twice{_first(lines)}: {line[:_SHOWN]}"
    if numbers := _NUMBERS.fullmatch(line):
        return f"expected numbers in square brackets, such as [1, 2, 3], got {numbers[1][:_SHOWN]}"
    if error.startswith("Expected newline") and (unquoted := _UNQUOTED.fullmatch(line)):
        return f'text must be in quotes: "{unquoted[1].strip()[:_SHOWN]}"'
    if error != "Invalid value":
        return ""
    if not rest or rest.startswith("#"):
        return f"a value is missing, in: {line[:_SHOWN]}"
    if value is None:
        return f"expected a value, in: {line[:_SHOWN]}"
    word = value[0].strip()
    if word.lower() in _TRUTH:
        return f"expected true or false, or text in quotes, got {word}"
    return f'text must be in quotes: "{word[:_SHOWN]}"'


def _first(lines: list[str]) -> str:
    """Where the key or section of the last of ``lines`` stands first: a key within its own section only."""
    *before, last = (line.strip() for line in lines)
    is_section = last.startswith("[")
    named = last if is_section else last.partition("=")[0].strip()
    for number in range(len(before), 0, -1):
        line = before[number - 1]
        if (line if is_section else line.partition("=")[0].strip()) == named:
            return f", first on line {number}"
        if line.startswith("[") and not is_section:
            break
    return ""


def placed(text: str, name: str, mistakes: Iterable[Mistake]) -> ConfigError:
    """Mistakes in the file ``name`` whose content is ``text``, each with its line, in the order of the file."""
    lines, written = key_lines(text), text.splitlines()

    def place(one: Mistake) -> str:
        at = lines.get(one.path)
        if at is None:
            # A section that is missing is one whose complaint says how it is headed.
            is_key = one.text.startswith("missing") and "headed [" not in one.text
        else:
            is_key = not written[at - 1].lstrip().startswith("[")
        return _place(one.path, is_key=is_key and len(one.path) == 1)

    found = sorted((line_of(lines, one.path), f"{place(one)}{one.text}") for one in mistakes)
    return ConfigError(tuple(f"{name}:{line}: {complaint}" for line, complaint in found))


_SECTION: Final = re.compile(r"\[\[?([\w.]+)\]\]? ?")


def located(text: str, name: str, said: str) -> str:
    """What is said of a section of the file ``name``, such as ``[broker] port: ...``, after the line it is said of.

    Of several sections ``[[meters]]`` the one is meant whose name, or bet, follows. Other words stay as they are.
    """
    head = _SECTION.match(said)
    if head is None:
        return said
    lines = key_lines(text)
    path: Path = tuple(head[1].split("."))
    words = said[head.end() :].split(": ")[:2]
    rows = toml_of(text).get(head[1])
    if isinstance(rows, list):
        named = (place for place, row in enumerate(rows) if words[0] in (row.get("name"), row.get("bet")))
        path = (*path, next(named, 0))
    key = next((one for one in words if (*path, one) in lines), None)
    return f"{name}:{line_of(lines, path if key is None else (*path, key))}: {said}"


def _place(path: Path, *, is_key: bool) -> str:
    """``("bet_spots", 0, "port")`` -> ``[[bet_spots]] port: ``; the line number says which of several.

    ``is_key``: the only name is a key above all sections.
    """
    names = [str(one) for one in path if isinstance(one, str)]
    if not names:
        return ""
    if is_key:
        return f"{names[0]}: "
    head = f"[[{names[0]}]]" if len(path) > 1 and isinstance(path[1], int) else f"[{names[0]}]"
    return f"{head} {'.'.join(names[1:])}: " if names[1:] else f"{head}: "
