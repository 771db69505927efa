"""``tableside demo``: the main job with no hardware."""

from __future__ import annotations

import contextlib
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Final

import click

from controller.commands.client import PORT, broker_address
from controller.commands.meters import exact
from controller.commands.profile_option import simulated_table
from controller.commands.terminal import say, say_account_line
from controller.demo import PROFILE

if TYPE_CHECKING:
    from controller.demo.demo import DemoResult
    from controller.demo.table import DemoOptions
    from controller.io.mqtt.connection import Broker

INTERRUPTED: Final = 130
"""Exit status after a Ctrl-C that leaves nothing behind: 128 and the signal's number, as shells count."""


@click.command("demo")
@click.option("--rounds", type=click.IntRange(0), default=5, show_default=True, help="Rounds to play; 0: until Ctrl-C.")
@click.option("--seed", type=int, default=1, show_default=True, help="The same seed deals and plays the same rounds.")
@click.option("--speed", type=click.FloatRange(0.1, 1000), default=5, show_default=True, help="1 is real time.")
@click.option("--boxes", default="1-7", show_default=True, help="Boxes in play: a number, or a range such as 1-7.")
@click.option(
    "--keypad",
    type=click.Choice(["yes", "no"]),
    default="yes",
    show_default=True,
    help="Whether the dealer presses keys.",
)
@click.option("--shoe", type=click.Choice(["bee_tek", "reference"]), default="bee_tek", show_default=True)
@simulated_table
@click.option("--link", is_flag=True, help="With --jackpots: the sevens' meter is a pool's, with a link of its own.")
@click.option(
    "--web",
    type=click.IntRange(0, 65535),
    help="The port of its pages in a browser; 0: none.  [default: 8021, or any that is free]",
)
@click.option(
    "--broker", help="HOST:PORT of a running broker. Default: Mosquitto if installed, else a built-in broker."
)
@click.option(
    "--directory",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path("demo-run"),
    show_default=True,
    help="The folder for the journal and the two accounts.",
)
def command(
    *,
    rounds: int,
    seed: int,
    speed: float,
    boxes: str,
    keypad: str,
    shoe: str,
    profile: str,
    jackpots: bool,
    sensors: bool,
    link: bool,
    web: int | None,
    broker: str | None,
    directory: Path,
) -> None:
    """Run a table with simulated devices and people, and describe its rounds as they are played.

    Exit status: 0 every settled wager and the sign are right, 1 at least one is wrong, 2 the demo cannot be run, 130
    interrupted while it started or, a second time, while it ended.
    """
    import asyncio

    from controller.demo.demo import DemoFailed
    from controller.demo.table import DemoOptions
    from controller.io.mqtt.broker import NoBroker
    from controller.io.mqtt.connection import ConnectionLost
    from controller.io.system.log import configure_log

    configure_log("auto", level="error")
    try:
        seats, server = read_boxes(boxes), read_broker(broker)
        jackpots = jackpots or sensors
        check_profile(profile, seats, jackpots=jackpots, link=link)
        how = (keypad == "yes", server, shoe, profile, jackpots, sensors, link, web)
        wanted = DemoOptions(directory, rounds or None, seed, speed, seats, *how)
        shown = asyncio.run(until_interrupted(wanted))
    except asyncio.CancelledError:
        say("tableside: interrupted before any account was written", err=True)
        sys.exit(INTERRUPTED)
    except (DemoFailed, NoBroker, ConnectionLost, ValueError, OSError) as error:
        say(f"tableside: {error}", err=True)
        sys.exit(2)
    summary(shown, wanted)
    sys.exit(0 if shown.true() else 1)


async def until_interrupted(wanted: DemoOptions) -> DemoResult:
    """Run the demo; the first Ctrl-C ends the playing, not the accounts."""
    import asyncio

    from controller.demo.demo import run_demo

    loop = asyncio.get_running_loop()
    task = asyncio.ensure_future(run_demo(wanted, say_account_line))
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, task.cancel)
    try:
        return await task
    finally:
        for number in (signal.SIGINT, signal.SIGTERM):
            with contextlib.suppress(ValueError):
                loop.remove_signal_handler(number)


def check_profile(profile: str, seats: tuple[int, int], *, jackpots: bool, link: bool = False) -> None:
    """Whether the profile offers what was asked for, and its layout has a box for the fewest players.

    Raises:
        ValueError: it does not.
    """
    if link and not jackpots:
        raise ValueError("--link: goes with --jackpots")
    if jackpots and profile != PROFILE:
        raise ValueError(f"--jackpots: of these profiles only {PROFILE} offers Blazing 7's")
    from controller.demo.table import spots_of

    if seats[0] not in spots_of(profile):
        raise ValueError(f"--boxes: the profile's layout has {len(spots_of(profile))} boxes, got at least {seats[0]}")


def read_boxes(text: str) -> tuple[int, int]:
    """``3`` or ``1-7``.

    Raises:
        ValueError: it is neither, or not within 1 to 7.
    """
    fewest, _, most = text.partition("-")
    try:
        found = int(fewest), int(most or fewest)
    except ValueError:
        found = 0, 0
    if not 1 <= found[0] <= found[1] <= 7:
        raise ValueError(f"--boxes: expected a number from 1 to 7 or a range such as 1-7, got {text!r}")
    return found


def read_broker(text: str | None) -> Broker | None:
    """``HOST:PORT`` or ``HOST``; None where none is named.

    Raises:
        click.UsageError: it is not that.
    """
    from controller.io.mqtt.connection import Broker

    if not text:
        return None
    host, port = broker_address(text, PORT)
    return Broker(host=host, port=port)


def summary(shown: DemoResult, wanted: DemoOptions) -> None:
    """Say what came of it."""
    from controller.demo.table import unplayed
    from controller.formats.text.printable import many

    found = shown.comparison
    say()
    is_right = found.equal == found.wagers
    played = f"{many(shown.rounds, 'round')}, {many(found.wagers, 'wager')}"
    say(
        f"{played}: {found.equal} settled as the simulated people reckon",
        style="good" if is_right else "bad",
    )
    if found.open:
        say(f"{found.open} left open: the evidence allows more than one due", style="warning")
    for line in found.different:
        say_account_line(f"DIFFERENT  {line}")
    if shown.waited_in_vain:
        say(f"the readers were waited for in vain {many(shown.waited_in_vain, 'time')}")
    for line in jackpot_lines(shown):
        say_account_line(line)
    if missed := unplayed(wanted):
        say(f"side wagers that nobody laid: {', '.join(missed)}: the simulated people do not play them")
    journal = quote(str(wanted.directory / "journal.sqlite"))
    kept = "journal.sqlite, truth.json, account.json, table.key, table.toml, chips.csv and logs"
    say(f"left in {wanted.directory}: {kept}")
    say()
    # As it was called; python -m controller is no name of a program.
    program = quote(sys.argv[0]) if Path(sys.argv[0]).name == "tableside" else "tableside"
    say("Look at what it left:", style="heading")
    say(f"  {program} rounds {journal}")
    say(f"  {program} round {journal} 1")
    say(f"  {program} verify {journal}")
    if wanted.jackpots:
        say(f"  {program} meters {journal}")
    else:
        say("Or play with jackpots, a sign and a trigger box: make demo JACKPOTS=1 (tableside demo --jackpots)")


def jackpot_lines(shown: DemoResult) -> Iterator[str]:
    """What the sign showed at the end, and whether the pool adds up."""
    if shown.sign is not None and shown.sign.true():
        yield f"the sign shows what was counted: sevens ${shown.sign.shown[0]}, mystery ${shown.sign.shown[1]}"
    elif shown.sign is not None:
        yield f"DIFFERENT  the sign shows {' and '.join(shown.sign.shown)}, it should {' and '.join(shown.sign.truth)}"
    if shown.pool is not None:
        yield f"the pool at its link: {exact(shown.pool.left())} paid, shown and reserved,"
        yield f"                      {exact(shown.pool.right())} contributed and funded"
        yield from (f"DIFFERENT  {mistake}" for mistake in shown.pool.mistakes)
