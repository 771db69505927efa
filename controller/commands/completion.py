"""``tableside completion``: what a shell needs to complete what is typed."""

from __future__ import annotations

from typing import Final

import click
from click.shell_completion import get_completion_class

from controller.commands.terminal import say_text

SHELLS: Final = ("bash", "zsh", "fish")
PROGRAM: Final = "tableside"


@click.command("completion")
@click.argument("shell", type=click.Choice(SHELLS))
@click.pass_context
def command(ctx: click.Context, shell: str) -> None:
    r"""Print what SHELL needs to complete commands, options, profiles, tables, journals and rounds.

    One line installs it, for bash in ~/.bashrc, for zsh in ~/.zshrc, for fish in ~/.config/fish/config.fish:

    \b
        eval "$(tableside completion bash)"
        eval "$(tableside completion zsh)"
        tableside completion fish | source

    Table names come from the broker, if it answers within a second.

    Exit status: 0.
    """
    kind = get_completion_class(shell)
    assert kind is not None, "click knows these shells"
    say_text(kind(ctx.find_root().command, {}, PROGRAM, f"_{PROGRAM.upper()}_COMPLETE").source())
