"""An independent table against the real daemon: own shoe, readers, keypad, people and arithmetic.

    make campaign-independent ROUNDS=500 HABIT=bare PROFILE=borgata
    .venv/bin/python -m tests.independent.campaign --rounds 500 --habit keys --tables 3

Several tables play side by side in real time, each with a daemon of its own; ``--pace 2`` makes people twice as quick.
What was published by a table where anything was wrong stays under FOLDER.

Exit status 1 if a wager was settled otherwise than it truly ended or was never laid, was neither settled nor open, an
honest person was accused, or a round did not end.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import shutil
import sys
import tempfile
from pathlib import Path

from tests.independent.habits import HABITS
from tests.independent.houses import HOUSES
from tests.independent.programs import broker
from tests.independent.sitting import NotSeated, Seating, Table, sitting
from tests.independent.unkind import unkind
from tests.independent.verdict import Verdict, judged

ROUNDS_AT_ONE = 25
"""Rounds that one daemon sees; then another profile or habit sits down."""


async def played(folder: Path, seating: Seating, rounds: int, port: int, *, troubled: bool) -> Verdict:
    """Play rounds at a table and judge them."""
    async with sitting(folder, seating, port) as table:
        async with unkind(table) if troubled else contextlib.nullcontext():
            await table.people.play(rounds)
        await until_quiet(table)
    verdict = judged(table.people.rounds, table.heard, table.missed)
    verdict.broken += [f"nobody could answer: {text}" for text in table.unanswered]
    if verdict.faults:
        keep(folder, table)
    else:
        shutil.rmtree(folder)
    return verdict


async def until_quiet(table: Table) -> None:
    """Wait until nothing has been published for a while."""
    count = -1
    while count != len(table.heard.events()):
        count = len(table.heard.events())
        await table.pause(1.0)


def new_folder(parent: Path, prefix: str) -> Path:
    """A folder of this run's own. Its path is absolute, for a port of a table file is named by one."""
    parent.mkdir(parents=True, exist_ok=True)
    folder = Path(tempfile.mkdtemp(prefix=prefix, dir=parent.resolve()))
    # Mosquitto reads its settings as a user of its own.
    folder.chmod(0o755)
    return folder


def keep(folder: Path, table: Table) -> None:
    """Write down what was published and what people know, for whoever looks into a fault."""
    lines = [f"{event.seq} {event.name} {event.data}" for event in table.heard.events()]
    lines += [f"{now} {now.wagers()}" for now in table.people.rounds]
    (folder / "record.txt").write_text("\n".join(lines), encoding="utf-8")


def seatings(arguments: argparse.Namespace) -> list[Seating]:
    """The tables of a campaign, each for some rounds, going round habits, profiles and numbers of boxes."""
    habits = [arguments.habit] if arguments.habit else list(HABITS)
    profiles = [arguments.profile] if arguments.profile else list(HOUSES)
    found = []
    for number in range(max(arguments.tables, -(-arguments.rounds // ROUNDS_AT_ONE))):
        habit, profile = habits[number % len(habits)], profiles[number // len(habits) % len(profiles)]
        boxes = 1 + number // len(habits) * 2 % 5
        seed = arguments.seed * 100_003 + number
        found.append(Seating(f"t{number}", profile, habit, boxes, seed, arguments.pace, single=number % 3 == 2))
    return found


async def campaign(arguments: argparse.Namespace) -> dict[str, Verdict]:
    """Play it; the verdicts by habit."""
    verdicts: dict[str, Verdict] = {}
    todo = seatings(arguments)
    rounds = -(-arguments.rounds // len(todo))
    folder = new_folder(arguments.folder, "run-")
    async with broker(folder) as port:

        async def seat() -> None:
            while todo:
                one = todo.pop(0)
                try:
                    found = await played(folder / one.name, one, rounds, port, troubled=not arguments.kind)
                except NotSeated as error:
                    print(f"{error}; tried again at the end", flush=True)
                    todo.append(one._replace(name=f"{one.name}-again"))
                    continue
                verdicts.setdefault(one.habit, Verdict()).add(found)
                print(f"{one.profile} {one.habit} {one.boxes} boxes seed {one.seed}: {found.line()}", flush=True)
                for fault in found.faults:
                    print(f"  {fault}", flush=True)

        await asyncio.gather(*(seat() for _ in range(arguments.tables)))
    return verdicts


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--habit", choices=["", *HABITS], default="", help="left out: all of them")
    parser.add_argument("--profile", choices=["", *HOUSES], default="", help="left out: all five")
    parser.add_argument("--tables", type=int, default=3, help="tables side by side")
    parser.add_argument("--pace", type=float, default=1.5, help="how quick people are; 1: as people are")
    parser.add_argument("--kind", action="store_true", help="no chips between antennas, no pockets, no cables pulled")
    parser.add_argument("--folder", type=Path, default=Path("build/independent"))
    verdicts = asyncio.run(campaign(parser.parse_args()))
    whole = Verdict()
    for habit, verdict in verdicts.items():
        whole.add(verdict)
        print(f"{habit}: {verdict.line()}; {dict(verdict.bases)}; alerts {dict(verdict.alerts)}")
    print(("FAIL: " if whole.faults else "PASS: ") + whole.line())
    return int(bool(whole.faults))


if __name__ == "__main__":
    sys.exit(main())
