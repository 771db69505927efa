"""The command ``tableside``: subcommands, each in its own module and loaded only when it is used."""

from __future__ import annotations

import importlib
from typing import Final

import click
from click.shell_completion import CompletionItem

GROUPS: Final = {
    "See it work": {
        "demo": "Run a table with simulated devices and people.",
        "simulate": "Serve simulated devices on pseudo-terminals.",
    },
    "Set a table up": {
        "setup": "Set a PC up for its table, question by question.",
        "check": "Check a table file.",
        "profile": "List, show, compare and check profiles of house rules.",
        "par": "Print the return of a profile's game.",
        "keys": "Make and change the secrets a table needs.",
        "devices": "List what is plugged in.",
        "probe": "Show what passes on a serial port.",
        "capture": "Record what passes on a serial port.",
        "playback": "Play the device's part of a capture.",
    },
    "Run": {
        "run": "Run the daemon of one table.",
        "link": "Run the pool that many tables share.",
        "collect": "Collect the events of all tables in one database.",
        "trigger-box": "Run the box that holds a mystery trigger.",
        "mystery": "Begin, change, end and verify a trigger box.",
        "rng": "Test a source of randomness as the trigger uses it.",
        "software": "Print the program's files with their digests.",
    },
    "Watch a table": {
        "status": "Show a table's state and its pace.",
        "alerts": "List the unacknowledged alerts.",
        "rounds": "List the rounds of a journal.",
        "round": "Describe a round, with its evidence.",
        "meters": "Add up the meters and jackpots of a journal.",
        "metrics": "Serve figures of all tables to a time-series database.",
        "home-assistant": "Publish the tables to Home Assistant.",
        "watch": "Follow the tables of a broker.",
        "web": "Serve the browser pages.",
        "tap": "Print what a table sends to its displays.",
    },
    "Rule at a table": {
        "ack": "Acknowledge an alert.",
        "answer": "Answer a table's question.",
        "approve": "Approve what another person proposed.",
        "withdraw": "Withdraw a proposal.",
        "adjust": "Rule what a wager is due.",
        "void": "Void a round: every wager is returned.",
        "set-card": "Name the face of a card, or strike it from its round.",
        "assign-card": "Say whose card it is.",
        "declare-box": "Say that a box without chips is in play.",
        "new-shoe": "Announce a new shoe.",
        "inventory": "Enter an opener, a fill, a credit, a closer or the drop.",
        "jackpot": "Verify, pay, refuse or grant an award of a meter.",
        "meter": "Propose and approve what moves a meter.",
    },
    "Account and keep": {
        "report": "Write the account of a shift.",
        "export": "Write a journal's events, or rows made of them.",
        "verify": "Check that a journal is whole.",
        "replay": "Step a journal again and compare.",
        "backup": "Copy a journal, also while its table runs.",
        "restore": "Restore a lost journal from a copy.",
        "begin-epoch": "Begin a new journal; the old one is kept.",
    },
    "For laboratories and programs": {
        "settle": "Settle hands given as JSON.",
        "reconstruct": "Reconstruct a round from lines of evidence.",
        "schemas": "Write the JSON Schema of every event.",
        "completion": "Print the completion script for a shell.",
    },
}
"""What each command is for, in the groups that ``--help`` shows."""

COMMANDS: Final = {name: line for group in GROUPS.values() for name, line in group.items()}
"""Every command with its summary."""


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
        """The command that is asked for; of one that there is not, those that may have been meant."""
        name = args[0]
        if name not in COMMANDS and not name.startswith("-") and not ctx.resilient_parsing:
            raise click.NoSuchCommand(name, possibilities=COMMANDS, ctx=ctx)
        return super().resolve_command(ctx, args)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """The commands and options that begin so, without importing any."""
        found = [CompletionItem(name, help=line) for name, line in COMMANDS.items() if name.startswith(incomplete)]
        return found + (click.Command.shell_complete(self, ctx, incomplete) if incomplete.startswith("-") else [])

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands in their groups, without importing them."""
        del ctx
        width = max(map(len, COMMANDS))
        for title, group in GROUPS.items():
            with formatter.section(title):
                formatter.write_dl([(name.ljust(width), line) for name, line in group.items()])


@click.group(cls=Lazy, context_settings={"help_option_names": ["--help", "-h"]})
@click.version_option(package_name="tableside", prog_name="tableside")
def main() -> None:
    """Run a live blackjack table: cards and chips in, settled rounds out."""
