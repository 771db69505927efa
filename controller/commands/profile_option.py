"""A profile as a command's option takes it: by name, or by the path of its file; and what a simulated table offers."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from controller.commands.suggestions import profiles
from controller.demo import PROFILE

F = TypeVar("F", bound=Callable[..., Any])


def profile_named(ctx: click.Context, param: click.Parameter, value: str) -> str:
    """The name, or the whole path of the file, of a profile that can be played.

    Raises:
        click.BadParameter: there is none, or it has mistakes.
    """
    from controller.formats.config.profiles import ProfileError
    from controller.io.files import profile_files

    name = str(Path(value).absolute()) if profile_files.is_path(value) else value
    try:
        profile_files.load(name)
    except ProfileError as error:
        raise click.BadParameter("; ".join(error.lines), ctx, param) from error
    return name


def simulated_table(function: F) -> F:
    """The options of a simulated table: the house's rules, and its jackpots."""
    profile = click.option(
        "--profile",
        callback=profile_named,
        shell_complete=profiles,
        default=PROFILE,
        show_default=True,
        help="The house's rules: a profile by name, or the path of its file.",
    )
    jackpots = click.option(
        "--jackpots", is_flag=True, help="Blazing 7's and the mystery bonus, a sign and a trigger box."
    )
    sensors = click.option(
        "--sensors", is_flag=True, help="The same, with side wagers on bet sensors; the sevens on nothing else."
    )
    return profile(jackpots(sensors(function)))
