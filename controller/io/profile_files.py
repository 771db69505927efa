"""The profiles that come with the program, and profiles in files."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import resources
from pathlib import Path
from typing import Any

from controller.formats import profiles
from controller.formats.plain_data import toml_of
from controller.formats.profiles import Profile, ProfileError
from controller.io.plain_files import content


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
        raise ProfileError((f"profile {name!r}: expected one of {', '.join(names())}",))
    return resources.files("controller.profiles").joinpath(f"{name}.toml").read_text(encoding="utf-8")


def raw(name: str) -> dict[str, Any]:
    """A profile that comes with the program, as plain data.

    Raises:
        ProfileError: there is none of this name.
    """
    return toml_of(bundled(name))


def load(name: str, options: Mapping[str, Any] | None = None) -> Profile:
    """A profile that comes with the program, with a table's ``options``.

    Raises:
        ProfileError: there is none of this name, or the options do not fit it.
    """
    return profiles.read(bundled(name), f"{name}.toml", options)


def load_file(path: Path) -> Profile:
    """A profile from a file.

    Raises:
        ProfileError: the file cannot be read or is no profile that can be played.
    """
    try:
        text = content(path).decode()
    except UnicodeDecodeError as error:
        raise ProfileError((f"{path}: not UTF-8 text",)) from error
    except OSError as error:
        raise ProfileError((f"{path}: {error.strerror}",)) from error
    return profiles.read(text, str(path))
