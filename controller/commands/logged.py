"""``--log-format`` and ``--log-level``: how a program that runs for long writes its log."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from controller.io.system.log import Format


def logged(function: Callable[..., Any]) -> Callable[..., Any]:
    """A command with both options, whose log is set up before it begins."""

    @click.option("--log-format", type=click.Choice(["auto", "console", "json"]), default="auto", show_default=True)
    @click.option(
        "--log-level", type=click.Choice(["debug", "info", "warning", "error"]), default="info", show_default=True
    )
    @functools.wraps(function)
    def wrapper(*args: Any, log_format: Format, log_level: str, **options: Any) -> Any:  # noqa: ANN401 - as click hands them over
        from controller.io.system.log import configure_log

        configure_log(log_format, level=log_level)
        return function(*args, **options)

    return wrapper
