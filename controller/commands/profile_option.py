"""A profile as a command's option takes it: by name, or by the path of its file."""

from __future__ import annotations

from pathlib import Path

import click


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
