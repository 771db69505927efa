"""``tableside mystery``: what two people do to a trigger box, and the proof that a cycle was honest."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar

import click

from controller.commands.run import refuse
from controller.formats import mystery_audit
from controller.formats.config import ConfigError
from controller.formats.trigger_config import TriggerConfig
from controller.io.clock import SystemClock
from controller.io.journal_store import JournalDamaged, JournalReader, NotAJournal
from controller.io.keys import KeyRefused, create_key
from controller.io.randomness import SystemEntropy
from controller.trigger_box import custody
from controller.trigger_box.box import Maker, TriggerBox
from controller.trigger_box.custody import People, Takeover
from controller.trigger_box.sealing import Sealer
from controller.trigger_box.store import Store, StoreFailed, StoreRefused

F = TypeVar("F", bound=Callable[..., Any])

_CONFIG = click.argument("config", type=click.Path(exists=True, dir_okay=False, path_type=Path))


def _by_two(work: F) -> F:
    operations = click.option("--operations", required=True, metavar="NAME", help="who answers for the operations")
    surveillance = click.option("--surveillance", required=True, metavar="NAME", help="who answers for surveillance")
    return _CONFIG(operations(surveillance(work)))


@click.group("mystery")
def command() -> None:
    """Begin, change and end a mystery trigger box; verify what it did."""


@command.command("make-key")
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
def make_key(file: Path) -> None:
    """Make a role's key in FILE, readable by its owner alone. Each role makes and keeps its own."""
    try:
        create_key(file, SystemEntropy())
    except KeyRefused as error:
        refuse(str(error))
    click.echo(f"{file}: a new key; keep a copy where the other role cannot reach it")


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
    takeover = Takeover(*taking_over) if taking_over else None
    people = People(operations, surveillance)

    def work(parsed: TriggerConfig, sealer: Sealer) -> None:
        custody.begin(parsed, sealer, people, SystemClock().wall_ns(), takeover)
        click.echo(f"{parsed.box.store}: begun for {parsed.box.site}/{parsed.box.table} by {' and '.join(people)}")

    _with_keys(config, work)


@command.command("set-bounds")
@_by_two
def set_bounds(config: Path, operations: str, surveillance: str) -> None:
    """Put the bounds of CONFIG in force from the next draw on. The running cycle keeps its own."""
    people = People(operations, surveillance)

    def work(parsed: TriggerConfig, sealer: Sealer) -> None:
        custody.set_bounds(parsed, sealer, people, SystemClock().wall_ns())
        click.echo(f"{parsed.box.store}: the bounds of {config} hold from the next draw on")

    _with_keys(config, work)


@command.command("end")
@_by_two
def end(config: Path, operations: str, surveillance: str) -> None:
    """Take a box out of service and reveal the number of the cycle that was running, as JSON.

    The box must not be running. Its store takes no contribution afterwards.
    """
    people = People(operations, surveillance)

    def work(parsed: TriggerConfig, sealer: Sealer) -> None:
        people.check()
        store = Store(Path(parsed.box.store), sealer)
        try:
            box = TriggerBox(store.state, store, sealer, Maker(parsed.box.serial, "-"), lambda: None)
            if not store.state.ended:
                store.append(box.end(*people, SystemClock().wall_ns()))
            opened = custody.opened_at_the_end(store)
        finally:
            store.close()
        told = None
        if opened is not None:
            told = {"cycle": opened.cycle, "drawn_cents": opened.drawn_cents, "key": opened.key.hex()}
        click.echo(json.dumps({"ended": parsed.box.serial, "revealed": told}))

    _with_keys(config, work)


@command.command("verify")
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="One JSON object instead of lines.")
def verify(file: Path, as_json: bool) -> None:  # noqa: FBT001 - click's way
    """Prove every cycle of a must-hit-by meter from published events alone.

    FILE is a table's journal, or events as they were published, a JSON envelope a line (what stands before its first
    brace is passed over). Exit status: 0 nothing is wrong, 1 something is, 2 no events there.
    """
    try:
        told = mystery_audit.read_lines(_published(file))
    except (mystery_audit.NotEvents, JournalDamaged, OSError) as error:
        # Some of these name the file themselves.
        refuse(str(error) if str(error).startswith(str(file)) else f"{file}: {error}")
        return
    cycles = list(mystery_audit.examine(told))
    faults = list(mystery_audit.ordered(told))
    if as_json:
        rows = [cycle._asdict() for cycle in cycles]
        click.echo(json.dumps({"table": told.identity.text(), "cycles": rows, "faults": faults}))
    else:
        for line in (*map(_cycle_line, cycles), *(f"WRONG  {fault}" for fault in faults)):
            click.echo(line)
        proven = sum(cycle.hit and not cycle.faults for cycle in cycles)
        click.echo(f"{told.identity.text()}: {len(cycles)} cycles, {proven} proven")
    sys.exit(1 if faults or any(cycle.faults for cycle in cycles) else 0)


def _published(file: Path) -> Iterator[bytes]:
    """The events of a journal, or the lines of a file."""
    try:
        with JournalReader(file) as journal:
            for event in journal.events():
                yield event.body
    except NotAJournal:
        with file.open("rb") as lines:
            yield from lines


def _cycle_line(found: mystery_audit.CycleFound) -> str:
    word = "WRONG " if found.faults else "proven" if found.hit else "open  "
    parts = [f"{word} cycle {found.cycle}", f"{found.contributions} contributions"]
    if found.trigger_cents is not None:
        parts.append(f"trigger {_dollars(found.trigger_cents)}")
    if found.award_cents is not None:
        parts.append(f"award {_dollars(found.award_cents)}")
    return "; ".join((*parts, *found.faults, *found.notes))


def _dollars(cents: int) -> str:
    return f"${cents // 100:,}.{cents % 100:02d}"


def _with_keys(path: Path, work: Callable[[TriggerConfig, Sealer], None]) -> None:
    """Do ``work`` with the file and both keys; a refusal is one line and status 2."""
    try:
        config = custody.load_config(path, os.environ.get("CREDENTIALS_DIRECTORY"))
        work(config, custody.sealer_of(config, os.environ.get("CREDENTIALS_DIRECTORY")))
    except ConfigError as error:
        refuse(*error.lines)
    except (KeyRefused, StoreRefused, StoreFailed) as error:
        click.echo(f"tableside: {error}", err=True)
        sys.exit(2)
