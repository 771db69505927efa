"""Profiles: a house's rules as TOML, every key known, every choice with its source."""

from __future__ import annotations

import hashlib
import tomllib
from collections.abc import Mapping
from importlib import resources
from typing import Any

import msgspec

from controller.core.rules import Options, Rules
from firmware_protocols.values import Value


class ProfileError(ValueError):
    """A profile that cannot be used; the text names the file and the key."""


class Profile(Value, frozen=True, tag=False):
    """A profile as read: the rules, and where each choice comes from."""

    rules: Rules
    title: str
    sources: dict[str, str]
    hash: str
    """SHA-256 of the rules and options in force, in hex."""


def names() -> tuple[str, ...]:
    """The profiles that come with the program."""
    files = resources.files("controller.profiles").iterdir()
    return tuple(sorted(file.name.removesuffix(".toml") for file in files if file.name.endswith(".toml")))


def bundled(name: str) -> str:
    """The text of a profile that comes with the program.

    Raises:
        ProfileError: there is none of this name.
    """
    if name not in names():
        raise ProfileError(f"profile {name!r}: expected one of {', '.join(names())}")
    return resources.files("controller.profiles").joinpath(f"{name}.toml").read_text(encoding="utf-8")


def raw(name: str) -> dict[str, Any]:
    """A profile that comes with the program, as plain data.

    Raises:
        ProfileError: there is none of this name.
    """
    return tomllib.loads(bundled(name))


def read(text: str, where: str, options: Mapping[str, Any] | None = None) -> Profile:
    """A profile from its text, with a table's ``options``; ``where`` names the file in errors.

    Raises:
        ProfileError: not TOML, an unknown key, a wrong type, or a rule without a source.
    """
    try:
        raw = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ProfileError(f"{where}: {error}") from error
    unknown = sorted(set(raw) - {"name", "title", "rules", "sources"})
    if unknown:
        raise ProfileError(f"{where}: {unknown[0]}: unknown key; expected name, title, rules, sources")
    rules = raw.get("rules", {})
    sources = raw.get("sources", {})
    for key in rules:
        if key not in sources:
            raise ProfileError(f"{where}: [sources] {key}: expected the card or regulation the rule comes from")
    try:
        found = msgspec.convert({**rules, "name": raw.get("name", "")}, Rules)
        chosen = msgspec.convert(dict(options or {}), Options)
        named = msgspec.convert(sources, dict[str, str])
    except msgspec.ValidationError as error:
        raise ProfileError(f"{where}: {error}") from error
    found = msgspec.structs.replace(found, options=chosen)
    digest = hashlib.sha256(msgspec.json.encode(found)).hexdigest()
    return Profile(found, str(raw.get("title", found.name)), named, digest)
