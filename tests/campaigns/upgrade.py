"""A table goes from one version to another between two rounds, and back: nothing is lost, and no hold.

    python -m tests.campaigns.upgrade --from v0.1.0 --count 10 --seed 1

The earlier program is checked out of this repository's history and runs with the packages that are installed. It plays
some rounds and is stopped or killed between two; ours goes on with its journal; in half of the tables the earlier one
then comes back, as after ``make rollback``, and ours after it. What must hold: each start goes on without a hold, every
round is settled as people played it, each event is published once, and the journal is whole and steps again the same.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Final, NamedTuple

from controller.core.messages.events import QuestionAsked, RoundClosed
from controller.io.mqtt.broker import find_mosquitto, start_mosquitto, stop
from controller.io.mqtt.connection import Broker
from tests.campaigns.awaits import folder
from tests.campaigns.line_judge import judged_journal
from tests.wiring.premises import TOPICS, Ear, Premises, scripted

ROOT: Final = Path(__file__).resolve().parents[2]


class UnknownRevisionError(Exception):
    """This repository's history has no such tag or commit; the text says what to do."""


class Stay(NamedTuple):
    """Rounds that one program plays; whether it is the earlier one, and killed at their end."""

    rounds: int
    is_earlier: bool
    is_killed: bool


def planned(chance: random.Random) -> list[Stay]:
    """There, and in half of all cases back and there again."""
    programs = (True, False, True, False) if chance.random() < 0.5 else (True, False)
    return [Stay(chance.randint(1, 3), is_earlier, chance.random() < 0.5) for is_earlier in programs]


@contextmanager
def checked_out(revision: str) -> Iterator[Path]:
    """A revision of this repository in a folder of its own.

    Raises:
        UnknownRevisionError: this history has no such revision.
    """
    asked = ["git", "-C", str(ROOT), "rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}"]
    if subprocess.run(asked, check=False, stdout=subprocess.DEVNULL).returncode:
        raise UnknownRevisionError(
            f"{revision}: no such tag or commit here; git log names them, git fetch --tags --unshallow brings those of "
            "the origin"
        )
    with tempfile.TemporaryDirectory(prefix="tableside-upgrade-") as name:
        earlier = Path(name) / "earlier"
        subprocess.run(["git", "-C", ROOT, "worktree", "add", "-q", "--detach", earlier, revision], check=True)
        try:
            yield earlier
        finally:
            subprocess.run(["git", "-C", ROOT, "worktree", "remove", "--force", earlier], check=True)


def runs_from(folder: Path) -> Mapping[str, str]:
    """The environment in which a program is the one of a folder, wherever it is started."""
    return {**os.environ, "PYTHONPATH": str(folder), "PYTHONSAFEPATH": "1"}


async def table(directory: Path, broker: Broker, earlier: Path, stays: list[Stay], seed: int) -> list[str]:
    """One table; what was wrong."""
    ear = Ear()
    house = Premises(directory, broker, ear)
    rounds = iter(scripted(house.rack, seed, sum(stay.rounds for stay in stays)))
    faults: list[str] = []
    async with ear.listening(broker), house.bench:
        try:
            for stay in stays:
                house.environment = runs_from(earlier if stay.is_earlier else ROOT)
                await house.start()
                for _ in range(stay.rounds):
                    await house.perform(next(rounds))
                    await ear.event(RoundClosed, round=house.truth[-1].round)
                if ear.last(TOPICS.state("hold")):
                    faults.append(f"{stay}: {ear.last(TOPICS.state('hold'))!r}")
                await house.until_published()
                await (house.kill() if stay.is_killed else house.stop())
            changes = house.log().count("software changed since the last start")
            assert changes == len(stays) - 1, f"{changes} changes of the program: has {earlier} another one?"
            house.assert_settled(*(played.round for played in house.truth))
            faults += [f"asked: {asked.text}" for asked in ear.events(QuestionAsked)]
            await house.assert_published_once()
        except (AssertionError, TimeoutError) as wrong:
            faults.append(f"{type(wrong).__name__}: {str(wrong)[-300:]}")
        finally:
            if house.process is not None and house.process.returncode is None:
                await house.kill()
    return [*faults, *judged_journal(house)]


async def campaign(revision: str, count: int, seed: int) -> list[str]:
    """Some tables; what was wrong."""
    program = find_mosquitto()
    assert program is not None, "Mosquitto is not installed"
    chance, faults = random.Random(seed), list[str]()
    with checked_out(revision) as earlier, folder() as kept:
        for number in range(count):
            place, stays = kept / str(number), planned(chance)
            (place / "broker").mkdir(parents=True, mode=0o755)
            process, port = await start_mosquitto(program, place / "broker", {}, None)
            try:
                wrong = await table(place, Broker("127.0.0.1", port=port), earlier, stays, seed + number)
            finally:
                await stop(process)
            summary = " ".join(f"{'earlier' if one.is_earlier else 'ours'} {one.rounds}" for one in stays)
            print(f"{summary}: {wrong or 'went on'}", flush=True)
            faults += wrong
    return faults


def main() -> int:
    """See the module."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--from", dest="revision", required=True, help="the earlier program: a tag or a commit")
    parser.add_argument("--count", type=int, default=10, help="tables")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    began = time.monotonic()
    try:
        faults = asyncio.run(campaign(given.revision, given.count, given.seed))
    except UnknownRevisionError as unknown:
        print(unknown, file=sys.stderr)
        return 2
    print(f"{given.count} tables, {len(faults)} faults; {time.monotonic() - began:.0f} s")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
