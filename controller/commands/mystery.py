"""``tableside mystery``: what two people do to a trigger box, and the proof that a cycle was honest."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from controller.commands import mystery_verify
from controller.commands.terminal import refuse, say

if TYPE_CHECKING:
    from controller.formats.config.trigger_file import TriggerConfig
    from controller.trigger_box.sealing import Sealer

F = TypeVar("F", bound=Callable[..., Any])

_CONFIG = click.argument("config", type=click.Path(path_type=Path))


def _by_two(work: F) -> F:
    operations = click.option(
        "--operations", required=True, metavar="NAME", help="the person responsible for operations"
    )
    surveillance = click.option(
        "--surveillance", required=True, metavar="NAME", help="the person responsible for surveillance"
    )
    return _CONFIG(operations(surveillance(work)))


@click.group("mystery")
def command() -> None:
    """Begin, change and end a mystery trigger box; verify what it did."""


command.add_command(mystery_verify.command)


@command.command("make-key")
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
def make_key(file: Path) -> None:
    """Make a role's key in FILE, readable by its owner alone. Each role makes and keeps its own."""
    from controller.io.files.key_file import KeyFileRefused, create_key
    from controller.io.system.randomness import SystemEntropy

    try:
        create_key(file, SystemEntropy())
    except KeyFileRefused as error:
        refuse(str(error))
    say(f"{file}: a new key; keep a copy where the other role cannot reach it")


@command.command("begin")
@_by_two
@click.option(
    "--taking-over",
    nargs=4,
    type=click.IntRange(0),
    metavar="EPOCH CYCLE NUMBER UNITS",
    help="what the table's journal has of a box that was lost: its epoch, the last cycle committed to, the last"
    " contribution answered, the meter in 1/10,000 cent",
)
def begin(config: Path, operations: str, surveillance: str, taking_over: tuple[int, int, int, int] | None) -> None:
    """Make the store of a new box, or of one that takes over from a box that was lost."""
    from controller.io.system.clock import SystemClock
    from controller.trigger_box import custody
    from controller.trigger_box.custody import Custodians, Takeover

    takeover = Takeover(*taking_over) if taking_over else None
    people = Custodians(operations, surveillance)

    def work(parsed: TriggerConfig, sealer: Sealer) -> None:
        custody.begin(parsed, sealer, people, SystemClock().wall_ns(), takeover)
        say(f"{parsed.box.store}: begun for {parsed.box.site}/{parsed.box.table} by {' and '.join(people)}")

    _with_keys(config, work)


@command.command("set-bounds")
@_by_two
def set_bounds(config: Path, operations: str, surveillance: str) -> None:
    """Put the bounds of CONFIG in force from the next draw on. The running cycle keeps its own."""
    from controller.io.system.clock import SystemClock
    from controller.trigger_box import custody
    from controller.trigger_box.custody import Custodians

    people = Custodians(operations, surveillance)

    def work(parsed: TriggerConfig, sealer: Sealer) -> None:
        custody.set_bounds(parsed, sealer, people, SystemClock().wall_ns())
        say(f"{parsed.box.store}: the bounds of {config} hold from the next draw on")

    _with_keys(config, work)


@command.command("end")
@_by_two
def end(config: Path, operations: str, surveillance: str) -> None:
    """Take a box out of service and reveal the number of the cycle that was running, as JSON.

    The box must not be running. Its store takes no contribution afterwards.
    """
    import json

    from controller.io.system.clock import SystemClock
    from controller.trigger_box import custody
    from controller.trigger_box.box import BoxLabel, TriggerBox
    from controller.trigger_box.custody import Custodians
    from controller.trigger_box.store import BoxStore

    people = Custodians(operations, surveillance)

    def work(parsed: TriggerConfig, sealer: Sealer) -> None:
        people.check()
        store = BoxStore(Path(parsed.box.store), sealer)
        try:
            box = TriggerBox(store.state, store, sealer, BoxLabel(parsed.box.serial, "-"), lambda: None)
            if not store.state.ended:
                store.append(box.end(*people, SystemClock().wall_ns()))
            opened = custody.opened_at_the_end(store)
        finally:
            store.close()
        revealed = None
        if opened is not None:
            revealed = {"cycle": opened.cycle, "drawn_cents": opened.drawn_cents, "key": opened.key.hex()}
        say(json.dumps({"ended": parsed.box.serial, "revealed": revealed}))

    _with_keys(config, work)


def _with_keys(path: Path, work: Callable[[TriggerConfig, Sealer], None]) -> None:
    """Do ``work`` with the file and both keys; a refusal is one line and status 2."""
    from controller.formats.text.toml_schema import ConfigError
    from controller.io.files.key_file import KeyFileRefused
    from controller.trigger_box import custody
    from controller.trigger_box.store import BoxStoreFailed, BoxStoreRefused

    try:
        config = custody.load_config(path, os.environ.get("CREDENTIALS_DIRECTORY"))
        work(config, custody.sealer_of(config, os.environ.get("CREDENTIALS_DIRECTORY")))
    except ConfigError as error:
        refuse(*error.lines)
    except (KeyFileRefused, BoxStoreRefused, BoxStoreFailed) as error:
        say(f"tableside: {error}", err=True)
        sys.exit(2)
