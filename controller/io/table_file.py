"""Reads a table file and what it points to."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from controller.core.keypad import DEFAULT_KEYS, MEANINGS
from controller.formats import profiles
from controller.formats.chips import ChipsRefused, read_chips
from controller.formats.config import Complaint, Config, ConfigError, Known, read_config
from controller.formats.decoding import shown
from controller.formats.profiles import Profile, ProfileError
from controller.io import profile_files
from controller.io.keys import KeyRefused, read_key
from firmware_protocols import discovery


class TableFile(NamedTuple):
    """Everything a daemon needs to know before it starts."""

    config: Config
    profile: Profile
    chips: Mapping[str, int]
    keys: Mapping[str, str]
    key: bytes


def load_table(path: Path) -> TableFile:
    """The table file at ``path`` with its profile, chip registry and key.

    Raises:
        ConfigError: with a line for each mistake in any of them.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError((f"{path}: cannot be read: {error}",)) from error
    config = read_config(text, str(path), path.parent, _known())
    lines: list[str] = []
    chips: Mapping[str, int] = {}
    key = b""
    try:
        chips = read_chips(Path(config.table.chips).read_text(encoding="utf-8"), config.table.chips)
    except ChipsRefused as error:
        lines += error.lines
    except (OSError, UnicodeDecodeError) as error:
        lines.append(f"{config.table.chips}: the chip registry cannot be read: {error}")
    try:
        key = read_key(Path(config.table.key_file))
    except KeyRefused as error:
        lines.append(str(error))
    try:
        name = config.table.profile
        profile = profile_files.load(name, config.options)
    except ProfileError as error:
        raise ConfigError((*lines, f"{path}: [table] {error}")) from error
    if lines:
        raise ConfigError(tuple(lines))
    return TableFile(config, profile, chips, {**DEFAULT_KEYS, **config.keypad.keys}, key)


def _known() -> Known:
    return Known(protocols=discovery.codecs(), options=_options, keys=_keys)


def _options(profile: str, options: Mapping[str, Any]) -> Iterable[Complaint]:
    if profile not in profile_files.names():
        yield "profile", f"expected one of {', '.join(profile_files.names())}, got {shown(profile)}"
    yield from profiles.option_mistakes(options)


def _keys(keys: Mapping[str, str]) -> Iterable[Complaint]:
    for key, meaning in keys.items():
        if meaning not in MEANINGS:
            yield key, f"expected one of {', '.join(sorted(MEANINGS))}, got {shown(meaning)}"
