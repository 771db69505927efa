"""The command ``tableside``: subcommands, each in its own module and loaded only when it is used."""

from __future__ import annotations

import difflib
import importlib
from typing import Final

import click

COMMANDS: Final = {
    "ack": "Acknowledge an alert.",
    "adjust": "Rule what a wager is due.",
    "alerts": "List what wants a person's eye.",
    "approve": "Approve what another person proposed.",
    "answer": "Answer a question of a table's.",
    "assign-card": "Say whose a card is.",
    "backup": "Copy a journal, also while its table runs.",
    "begin-epoch": "Begin a journal anew; the old one is kept.",
    "capture": "Write down what passes on a serial port.",
    "check": "Check a table file.",
    "declare-box": "Say that a box without chips is in play.",
    "devices": "List what is plugged in.",
    "demo": "Run a table with simulated devices and people.",
    "export": "Write a journal's events as they were published.",
    "inventory": "Enter an opener, a fill, a credit, a closer or the drop.",
    "mystery": "Begin, change and end a mystery trigger box; verify what it did.",
    "new-shoe": "Announce a new shoe.",
    "keys": "Make and change the secrets a table needs.",
    "link": "Run the pool that many tables share.",
    "jackpot": "Verify, pay, refuse or grant an award of a meter.",
    "meter": "Propose and approve what moves a meter.",
    "meters": "Show the meters and jackpots of a journal, added up again.",
    "par": "Write what a profile's game returns.",
    "profile": "List, show, compare and check profiles.",
    "playback": "Play the device's part of a capture.",
    "probe": "Show what passes on a serial port.",
    "reconstruct": "Reconstruct a round from lines of evidence.",
    "report": "Write the account of a shift.",
    "replay": "Step a journal again and compare.",
    "restore": "Put a copy where a journal was lost.",
    "rng": "Test a source of randomness as the trigger uses it.",
    "round": "Tell a round in words, with its evidence.",
    "rounds": "List the rounds of a journal.",
    "run": "Run the daemon of one table.",
    "set-card": "Name the face of a card, or strike it from its round.",
    "settle": "Settle hands told as JSON.",
    "setup": "Make a PC ready for its table, question by question.",
    "schemas": "Write the JSON Schema of every event.",
    "software": "Print the program's files with their digests, or check them.",
    "simulate": "Serve simulated devices on pseudo-terminals.",
    "trigger-box": "Run the box that holds a mystery trigger.",
    "tap": "Print what a table tells the displays beside it.",
    "status": "Say how a table is and how it has run.",
    "verify": "Check that a journal is whole.",
    "void": "Void a round: every wager goes back.",
    "withdraw": "Take a proposal back.",
    "watch": "Follow the tables of a broker.",
}


class Lazy(click.Group):
    """A group whose commands are imported when asked for, so that ``--help`` is quick."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names of all commands."""
        del ctx
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of this name."""
        del ctx
        if cmd_name not in COMMANDS:
            return None
        command = importlib.import_module(f"controller.commands.{cmd_name.replace('-', '_')}").command
        assert isinstance(command, click.Command)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command that is asked for; of one that there is not, the one that may have been meant."""
        name = args[0]
        if name not in COMMANDS and not name.startswith("-") and not ctx.resilient_parsing:
            near = difflib.get_close_matches(name, COMMANDS, n=1)
            guess = f" Did you mean {near[0]}?" if near else ""
            ctx.fail(f"No such command {name!r}.{guess}")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands without importing them."""
        del ctx
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


@click.group(cls=Lazy)
@click.version_option(package_name="tableside", prog_name="tableside")
def main() -> None:
    """Run a live blackjack table: cards and chips in, settled rounds out."""
