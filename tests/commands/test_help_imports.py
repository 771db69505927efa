"""Help comes at once because it imports nothing that a command works with."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Final

LIGHT: Final = {
    "controller",
    "controller.cli",
    "controller.core",
    "controller.core.game",
    "controller.core.game.rules",
    "controller.core.game.side_bet",
    "controller.core.refusal_reason",
    "controller.core.game.side_bets",
    "controller.core.game.wager",
    "controller.core.messages",
    "controller.core.messages.floor_events",
    "controller.core.meters",
    "controller.core.meters.meter",
    "controller.demo",
    "controller.formats",
    "controller.formats.text",
    "controller.formats.text.printable",
    "controller.formats.text.safe_parse",
    "devices",
    "devices.trigger",
    "firmware_protocols",
    "firmware_protocols.cards",
    "firmware_protocols.values",
}
"""Of our own what help may import, beside the commands themselves: names, defaults, and how text is printed."""

HEAVY: Final = {"aiohttp", "asyncio", "cryptography", "importlib.metadata", "rich", "sqlite3", "structlog"}

SHOWN: Final = """
import json, sys
import click
from click.testing import CliRunner
from controller.cli import COMMANDS, main

def help_of(*names):
    ran = CliRunner().invoke(main, [*names, "--help"])
    assert ran.exit_code == 0 and "Usage:" in ran.output, (names, ran.output)

for name in COMMANDS:
    help_of(name)
    command = main.get_command(click.Context(main), name)
    for inner in command.commands if isinstance(command, click.Group) else ():
        help_of(name, inner)
json.dump(sorted(sys.modules), sys.stdout)
"""


def test_help_imports_nothing_that_a_command_works_with() -> None:
    ran = subprocess.run((sys.executable, "-c", SHOWN), check=True, capture_output=True, text=True)
    imported = set(json.loads(ran.stdout))
    assert imported & HEAVY == set()
    ours = {name for name in imported if name.partition(".")[0] in {"controller", "devices", "firmware_protocols"}}
    assert {name for name in ours if not name.startswith("controller.commands")} <= LIGHT
