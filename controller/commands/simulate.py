"""``tableside simulate``: simulated devices and people, for a daemon of your own."""

from __future__ import annotations

import contextlib
import signal
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING

import click

from controller.commands.demo import check_profile, read_boxes
from controller.commands.profile_option import simulated_table
from controller.commands.terminal import refuse, say

if TYPE_CHECKING:
    from collections.abc import Sequence

    from controller.demo.table import DemoOptions
    from simulators.people.acts import RoundPlayed
    from simulators.people.rack import Rack

EARLIER = "is there already, from an earlier simulation; move it away with its journal, or give another folder"

POLLED_LOOKS = 3
"""Inventories of every zone after which a daemon is surely listening."""


@click.command("simulate")
@click.argument("directory", type=click.Path(file_okay=False, path_type=Path))
@click.option("--rounds", type=click.IntRange(1), help="Rounds to play; without it until Ctrl-C.")
@click.option("--seed", type=int, default=1, show_default=True, help="The same seed deals and plays the same rounds.")
@click.option("--speed", type=click.FloatRange(0.1, 1000), default=1, show_default=True, help="1 is real time.")
@click.option("--boxes", default="1-7", show_default=True, help="Boxes in play: a number, or a range such as 1-7.")
@simulated_table
def command(
    *,
    directory: Path,
    rounds: int | None,
    seed: int,
    speed: float,
    boxes: str,
    profile: str,
    jackpots: bool,
    sensors: bool,
) -> None:
    """Serve simulated devices on pseudo-terminals; people play as soon as a daemon polls them.

    DIRECTORY receives the ports and, unless it has them already, a table file, a chip registry and a key, so that
    `tableside run DIRECTORY/table.toml` runs the table. At the end, truth.json there records what the people know.

    Exit status: 0 at the end or when interrupted, 2 it cannot be served, another plays in DIRECTORY, or a truth.json
    is there already.
    """
    import asyncio

    from controller.demo.demo import FolderInUse, alone, truth_of
    from controller.demo.table import DemoOptions
    from controller.formats.cases.accounts import account_bytes
    from controller.formats.text.printable import many
    from controller.io.files.key_file import KeyFileRefused

    try:
        jackpots = jackpots or sensors
        seats = read_boxes(boxes)
        check_profile(profile, seats, jackpots=jackpots)
        how = (True, None, "bee_tek", profile, jackpots, sensors)
        wanted = DemoOptions(directory, rounds, seed, speed, seats, *how)
        try:
            directory.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            refuse(f"{directory}: cannot be made: {error.strerror}")
        truth = directory / "truth.json"
        with alone(directory):
            # Looked for before anybody plays: it is the only account of the rounds of its journal.
            if truth.exists():
                refuse(f"{truth}: {EARLIER}")
            played = asyncio.run(until_interrupted(wanted))
            if played:
                truth.write_bytes(account_bytes(truth_of(played)))
    except (FolderInUse, KeyFileRefused, ValueError) as error:
        refuse(error)
    except OSError as error:
        refuse(f"{error.filename or directory}: {error.strerror or error}")
    where = f"the truth is in {truth}" if played else f"{truth} is not written"
    say(f"{many(len(played), 'round')} played; {where}")


def prepare(wanted: DemoOptions, rack: Rack) -> None:
    """Write what a daemon needs, where it is not there yet."""
    from controller.demo.table import table_file
    from controller.io.files.key_file import create_key
    from controller.io.mqtt.connection import Broker
    from controller.io.system.randomness import SystemEntropy

    directory = wanted.directory
    (directory / "ports").mkdir(parents=True, exist_ok=True)
    if not (directory / "table.key").exists():
        create_key(directory / "table.key", SystemEntropy())
    if not (directory / "chips.csv").exists():
        (directory / "chips.csv").write_text(rack.registry_csv(), encoding="utf-8")
    if not (directory / "table.toml").exists():
        broker = Broker(host="127.0.0.1", port=1883)
        text = table_file(directory, broker, keypad=True, profile=wanted.profile, wanted=wanted)
        (directory / "table.toml").write_text(text, encoding="utf-8")


def waiting_for(before: Sequence[str], unpolled: Sequence[str], zones: int) -> str:
    """Why nobody plays yet, for the person who looks at the terminal; empty while that may just be starting.

    ``before``: what was unpolled one wait earlier. A daemon that was polling then has had the time to reach every zone
    of its table file, so what is still unpolled is missing there; of one that began since, nothing can be said.
    """
    if len(unpolled) > zones:
        return "nobody plays before a daemon polls the devices"
    if len(before) > zones:
        return ""
    missing = [one for one in unpolled if one in before]
    if not missing:
        return ""
    return (
        f"nobody plays before the daemon polls these as well: {', '.join(missing)}; "
        "name them in the table file, or simulate with the options that the file was made with"
    )


async def until_interrupted(wanted: DemoOptions) -> list[RoundPlayed]:
    """Serve and play; the rounds played when it ends."""
    import asyncio

    from controller.demo.table import devices, script, sevens_meter
    from simulators.people.acts import RoundPlayed
    from simulators.people.rack import Rack
    from simulators.serve import Station, perform

    rack, played, ports = Rack(), list[RoundPlayed](), wanted.directory / "ports"
    prepare(wanted, rack)
    async with Station(ports, **devices(profile=wanted.profile, wanted=wanted)) as station:
        acts = script(wanted, rack, sevens_meter())

        async def people() -> None:
            said, before = "", station.unpolled(POLLED_LOOKS)
            while not await station.ready(looks=POLLED_LOOKS):
                unpolled = station.unpolled(POLLED_LOOKS)
                waiting = waiting_for(before, unpolled, len(station.places))
                before = unpolled
                if waiting and waiting != said:
                    said = waiting
                    say(said)
            await perform(acts, station, wanted.speed, sleep=asyncio.sleep, on_round=played.append)

        task = asyncio.create_task(people())
        loop = asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, task.cancel)
        # Who has read this may end it, so only now.
        say(f"ports in {ports}: {', '.join(sorted(one.name for one in ports.iterdir() if one.is_symlink()))}")
        say(f"run beside this: tableside run {quote(str(wanted.directory / 'table.toml'))}")
        with contextlib.suppress(asyncio.CancelledError):
            await task
    return played
