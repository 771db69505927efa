"""The profiles that come with the program, and profiles in files."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from importlib import resources
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from controller.formats.config import profiles
from controller.formats.config.profiles import Profile, ProfileError
from controller.formats.text.safe_parse import toml_of
from controller.io.files.plain_files import content


def names() -> tuple[str, ...]:
    """The profiles that come with the program."""
    files = resources.files("controller.profiles").iterdir()
    return tuple(sorted(file.name.removesuffix(".toml") for file in files if file.name.endswith(".toml")))


def is_path(name: str) -> bool:
    """Whether a profile is named by its file: it has a folder, or ends as a TOML file does."""
    return "/" in name or name.endswith(".toml")


def beside(folder: Path, name: str) -> str:
    """A profile named in a file of ``folder``: a relative path is relative to that folder."""
    return str(folder / name) if is_path(name) else name


def expected() -> str:
    """What a profile may be named by, for a refusal."""
    return f"expected one of {', '.join(names())}, or the path of a .toml file"


def guess(name: str) -> str:
    """Which profiles of the program a wrong name may stand for, for the end of a refusal; empty if none."""
    near = [one for one in names() if one.startswith(name)] or difflib.get_close_matches(name, names(), n=2)
    near = near or [one for one in names() if difflib.get_close_matches(name, [one[: len(name)]])]
    return f"; did you mean {' or '.join(near)}?" if near else ""


def text_of(name: str) -> str:
    """The text of a profile: one that comes with the program by its name, any other by its path.

    Raises:
        ProfileError: there is none of this name, or the file cannot be read.
    """
    if name in names():
        return resources.files("controller.profiles").joinpath(f"{name}.toml").read_text(encoding="utf-8")
    if not is_path(name):
        raise ProfileError((f"profile {name!r}: {expected()}{guess(name)}",))
    try:
        return content(name).decode()
    except UnicodeDecodeError as error:
        raise ProfileError((f"{name}: not UTF-8 text",)) from error
    except OSError as error:
        raise ProfileError((f"{name}: {error.strerror}",)) from error


def raw(name: str) -> dict[str, Any]:
    """A profile as plain data, by name or path.

    Raises:
        ProfileError: as ``text_of``.
    """
    return toml_of(text_of(name))


def load(name: str, options: Mapping[str, Any] | None = None) -> Profile:
    """A profile by name or path, with a table's ``options``.

    Raises:
        ProfileError: as ``text_of``, it is no profile that can be played, or the options do not fit it.
    """
    found = profiles.read(text_of(name), name if is_path(name) else f"{name}.toml", options)
    copied = _copied(name, found) if is_path(name) else ()
    return replace(found, warnings=(*found.warnings, *copied)) if copied else found


def _copied(name: str, own: Profile) -> tuple[str, ...]:
    """What a house's own profile still has of the one it was copied from, that people would take for that one."""
    if own.rules.name in names():
        return (f"{name}: name: {own.rules.name} is a profile that comes with the program; give this one another name",)
    titles = (raw(one).get("title") for one in names())
    said = f'{name}: title: "{own.title}" is that of a profile that comes with the program; give this one another'
    return (said,) if own.title in titles else ()
