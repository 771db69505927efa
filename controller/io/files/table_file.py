"""Reads a table file and what it points to."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path, PurePath
from shlex import quote
from typing import Any, NamedTuple

import msgspec

from controller.core.game.rule_checks import unpressable_options
from controller.core.table.keymap import DEFAULT_KEYS, MEANINGS
from controller.formats.config import profiles, sensors
from controller.formats.config.chips import ChipsRefused, Registry, read_chips
from controller.formats.config.meter_odds import odds_checks
from controller.formats.config.meters import profile_checks
from controller.formats.config.pooled_meters import linked_profile_checks
from controller.formats.config.profiles import OptionsRefused, Profile, ProfileError
from controller.formats.config.table_file import (
    CREDENTIAL,
    Config,
    KeyComplaint,
    KnownNames,
    is_credential,
    main_checks,
    port_places,
    read_config,
    zone_checks,
    zones_seen,
)
from controller.formats.config.trigger_file import UNIX
from controller.formats.text.struct_decoder import Mistake, shown
from controller.formats.text.toml_positions import Path as KeyPath
from controller.formats.text.toml_positions import key_lines
from controller.formats.text.toml_schema import ConfigError, located, placed
from controller.io.files import profile_files
from controller.io.files.config_files import text_of
from controller.io.files.key_file import KeyFileRefused, read_key
from controller.io.files.plain_files import text_content
from controller.io.files.secret_files import SecretRefused, is_kept, read_curve_secret
from firmware_protocols import discovery


class TableFile(NamedTuple):
    """Everything a daemon needs to know before it starts."""

    config: Config
    profile: Profile
    chips: Mapping[str, int]
    elsewhere: Mapping[str, str]
    keys: Mapping[str, str]
    key: bytes
    link_keys: Mapping[str, bytes] = {}
    """The secret key for the link of each linked meter, by the meter's name."""
    pairing_key: bytes | None = None
    """The key of a paired line to the trigger box; None: the line is not paired."""
    path: Path = Path("table.toml")
    text: str = ""
    """Where the file lies, and its content."""

    def remark(self, said: str) -> str:
        """What is said of the table, after the file's path; of a section of it, after its line too."""
        placed_there = located(self.text, str(self.path), said)
        return f"{self.path}: {said}" if placed_there == said else placed_there


Beside = Callable[[Config, bytes], Iterable[str]]
"""What else is wrong with what a table file names, a line for each; the bytes are the table's key, if it is one."""


def _nothing_beside(_: Config, __: bytes) -> Iterable[str]:
    return ()


def load_table(
    path: Path, credentials: str | None = None, *, within_service: bool = True, beside: Beside = _nothing_beside
) -> TableFile:
    """The table file at ``path`` with its profile, chip registry and key; ``beside`` looks at what else it names.

    ``credentials`` is the directory where the service manager keeps what the file calls ``credential:NAME``. Not
    ``within_service`` there is none, and the key (then empty) is not looked at if it is a credential.

    Raises:
        ConfigError: with a line for each mistake in any of them.
    """
    lines: list[str] = []
    text = text_of(path)
    config = read_config(text, str(path), path.parent, known_names())
    if within_service:
        config = _with_credentials(config, credentials, lines)
    registry = Registry({}, {})
    key = b""
    try:
        registry = read_chips(text_content(config.table.chips), config.table.chips)
    except ChipsRefused as error:
        lines += error.lines
    except (OSError, UnicodeDecodeError) as error:
        said = getattr(error, "strerror", None) or error
        lines.append(f"[table] chips: {config.table.chips}: the chip registry cannot be read: {said}")
    try:
        if not is_credential(config.table.key_file):
            key = read_key(Path(config.table.key_file), kept_by_service=is_kept(config.table.key_file, credentials))
    except KeyFileRefused as error:
        made = f"; for a new table run: tableside keys table {quote(config.table.key_file)}" if error.is_missing else ""
        lines.append(f"[table] key_file: {error}{made}")
    link_keys = _link_keys(config, credentials, lines)
    pairing_key = _pairing_key(config, credentials, lines)
    lines += beside(config, key)
    lines = [located(text, str(path), line) for line in lines]
    keys = {**DEFAULT_KEYS, **config.keypad.keys}
    try:
        name = profile_files.beside(path.parent, config.table.profile)
        profile = profile_files.load(name, guarding(config.options, keys))
    except OptionsRefused as error:
        wrong = (Mistake(_option_path(key, text), said) for key, said in error.wrong)
        raise ConfigError((*lines, *placed(text, str(path), wrong).lines)) from error
    except ProfileError as error:
        wrong = (Mistake(("table", "profile"), line) for line in error.lines)
        raise ConfigError((*lines, *placed(text, str(path), wrong).lines)) from error
    misfits = [*profile_checks(config.meters, profile.rules)]
    misfits += linked_profile_checks(config.linked_meters, profile.rules)
    misfits += sensors.profile_checks(config.bet_sensors, zones_seen(config), profile.rules)
    if not misfits:
        misfits += odds_checks((*config.meters, *config.linked_meters), profile.rules)
    lines += [located(text, str(path), line) for line in misfits]
    unpressable = unpressable_options(profile.rules, keys.values())
    unfit = (Mistake(_option_path(key, text), said) for key, said in unpressable)
    # A zone that is none may be meant for main.
    zones = tuple(zone_checks(config, profile.rules)) or tuple(main_checks(config))
    lines += placed(text, str(path), (*unfit, *zones, *no_ports(config))).lines
    if lines:
        raise ConfigError(tuple(lines))
    values, elsewhere = registry
    return TableFile(config, profile, values, elsewhere, keys, key, link_keys, pairing_key, path, text)


def mistakes_in(text: str, name: str) -> tuple[str, ...]:
    """A line for each mistake in the table file ``name`` with this content; no file that it names is looked at."""
    try:
        read_config(text, name, PurePath("/"), known_names())
    except ConfigError as error:
        return error.lines
    return ()


def no_ports(config: Config) -> Iterable[Mistake]:
    """Ports that are there and are none, such as a file. One that is not there may be plugged in later."""
    for where, port in port_places(config):
        local = port.startswith(UNIX)
        path = Path(port.removeprefix(UNIX))
        try:
            fits = not path.is_absolute() or not path.exists() or (path.is_socket() if local else path.is_char_device())
        except OSError:
            # Whoever may not look there is told so when the port is opened.
            continue
        if not fits:
            kind = "folder" if path.is_dir() else "file" if path.is_file() else "thing of another kind"
            wanted = "the program's socket" if local else "a serial port; `tableside devices` lists what is plugged in"
            yield Mistake(where, f"{path} is a {kind}, expected {wanted}")


def guarding(options: Mapping[str, Any], keys: Mapping[str, str]) -> dict[str, Any]:
    """A table's options with the key of the turn as its keypad has it, where they do not say."""
    turned = "always" if "hole_turned" in keys.values() else "sometimes"
    return {**options, "turn_key": options.get("turn_key") or turned}


def _option_path(key: str, text: str) -> KeyPath:
    """Where an option stands in the text of a table file: a side wager's as ``"NAME.KEY"`` or in a table ``NAME``."""
    lines, parts = key_lines(text), key.split(".")
    for length in range(len(parts), 0, -1):
        quoted = ("options", ".".join(parts[:length]))
        if quoted in lines:
            return quoted if length == len(parts) else (*quoted, *parts[length:])
    return ("options", *parts)


def _pairing_key(config: Config, credentials: str | None, lines: list[str]) -> bytes | None:
    """The key that the table shares with its trigger box, if their line is paired; a line if it cannot be used."""
    given = None if config.trigger is None else config.trigger.pairing_key_file
    if given is None or is_credential(given):
        return None
    try:
        return read_key(Path(given), kept_by_service=is_kept(given, credentials))
    except KeyFileRefused as error:
        lines.append(f"[trigger] pairing_key_file: {error}")
        return None


def _link_keys(config: Config, credentials: str | None, lines: list[str]) -> dict[str, bytes]:
    """The secret keys for links; a line for each that cannot be used."""
    found: dict[str, bytes] = {}
    for one in config.linked_meters:
        if is_credential(one.key_file):
            continue
        try:
            kept = is_kept(one.key_file, credentials)
            found[one.name] = read_curve_secret(Path(one.key_file), kept_by_service=kept)
        except SecretRefused as error:
            lines.append(f"[[linked_meters]] {one.name}: key_file: {error}")
    return found


def _with_credentials(config: Config, credentials: str | None, lines: list[str]) -> Config:
    """The names of credentials replaced by their paths; a line for each that the service does not keep."""

    def found(section: str, key: str, value: str) -> str:
        if credentials is None:
            lines.append(f"[{section}] {key}: {value} is there within the service only ($CREDENTIALS_DIRECTORY)")
            return value
        return str(Path(credentials) / value.removeprefix(CREDENTIAL))

    changed: dict[str, Any] = {}
    for section in ("table", "broker", "operator", "trigger"):
        given = getattr(config, section)
        if given is None:
            continue
        named = {key: value for key, value in msgspec.structs.asdict(given).items() if is_credential(value)}
        moved = {key: found(section, key, value) for key, value in named.items()}
        changed[section] = msgspec.structs.replace(given, **moved)
    changed["linked_meters"] = tuple(
        msgspec.structs.replace(one, key_file=found("[linked_meters]", "key_file", one.key_file))
        if is_credential(one.key_file)
        else one
        for one in config.linked_meters
    )
    return msgspec.structs.replace(config, **changed)


def known_names() -> KnownNames:
    """What a table file may name: the profiles, protocols, options and keys of this program."""
    return KnownNames(protocols=discovery.codecs(), broken_reason=discovery.broken_reason, options=_options, keys=_keys)


def _options(profile: str, options: Mapping[str, Any]) -> Iterable[KeyComplaint]:
    if profile not in profile_files.names() and not profile_files.is_path(profile):
        yield "profile", f"{profile_files.expected()}, got {shown(profile)}{profile_files.guess(profile)}"
    yield from profiles.option_mistakes(options)


def _keys(keys: Mapping[str, str]) -> Iterable[KeyComplaint]:
    for key, meaning in keys.items():
        if meaning not in MEANINGS:
            yield key, f"expected one of {', '.join(sorted(MEANINGS))}, got {shown(meaning)}"
