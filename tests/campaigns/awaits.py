"""Every exception at every await of a running table: the others go on, or it ends as it should and starts again.

    python -m tests.campaigns.awaits --count 200 --seed 1

A first table is played at to find the places at which the daemon's tasks wait. Then, one place and one error after the
other, the daemon is started again on a table of its own, and the first time that it waits there the error comes in
place of what was waited for. What must hold: whatever goes on beside the table's own readings is started again, and
rounds go on and are published, with the retained status ``online``; where readings or the journal are concerned the
table may end, and then the retained status is ``offline`` and the next start goes on. In the end the journal is whole
and steps again the same.
"""

from __future__ import annotations

import argparse
import asyncio
import collections
import contextlib
import json
import random
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

from controller.io.journal.verification import verify
from controller.io.mqtt.broker import find_mosquitto, start_mosquitto, stop
from controller.io.mqtt.connection import Broker
from tests.campaigns.awaits_worker import ERRORS, HIT
from tests.campaigns.hostile import Besieged, TimedEar
from tests.campaigns.line_judge import judged_journal
from tests.io.virtual_time import passes
from tests.wiring.premises import TOPICS, json_of, scripted

MAY_END: Final = frozenset({"Task-1", "program", "table"})
"""The tasks whose failure ends a table: the start, the program itself, and the one that steps readings."""

GOES_ON_S: Final = 25.0
"""From a failure to the next event that is published: a pause, a connection made anew, and the machine's own delays."""


class Found(NamedTuple):
    """What came of one."""

    place: str
    error: str
    task: str
    """The name of the task that failed; empty if it never waited there."""
    status: int | None
    """How the daemon ended; None: it went on."""
    faults: tuple[str, ...]


class House(Besieged):
    """A table whose daemon fails at one place."""

    place = "-"
    error = "OSError"

    @property
    def places(self) -> Path:
        """What the daemon has come by."""
        return self.directory / "places"

    async def spawn(self) -> None:
        worker = (sys.executable, "-m", "tests.campaigns.awaits_worker", str(self.places), self.place, self.error)
        words = ("run", str(self.table_file), "--log-format", "json")
        with (self.directory / "daemon.log").open("ab") as output:
            self.process = await asyncio.create_subprocess_exec(*worker, *words, stdout=output, stderr=output)

    def known(self) -> list[list[str]]:
        """Places and the tasks that wait there."""
        if not self.places.exists():
            return []
        return [line.split(" ", 1) for line in self.places.read_text(encoding="utf-8").splitlines()]

    def failed(self) -> str:
        """The task that failed; empty if none has."""
        return next((task for place, task in self.known() if place == HIT), "")

    def has_ended(self) -> bool:
        """Whether the daemon has."""
        return self.process is None or self.process.returncode is not None


async def exercised(house: House, seed: int) -> None:
    """Play, and have a line go and come back; what is not seen any more is not waited for."""
    for number, acts in enumerate(scripted(house.rack, seed, 3)):
        if house.has_ended():
            return
        with contextlib.suppress(AssertionError, TimeoutError):
            async with asyncio.timeout(GOES_ON_S):
                await house.perform(acts)
        if number == 0 and not house.has_ended():
            house.bench.unplug("keypad")
            await passes(0.2)
            house.bench.plug("keypad")


async def goes_on(house: House, ear: TimedEar) -> bool:
    """Whether something that happens now is published."""
    before = len(ear.published)
    for acts in scripted(house.rack, 99, 2):
        with contextlib.suppress(AssertionError, TimeoutError):
            async with asyncio.timeout(GOES_ON_S):
                await house.perform(acts)
                await ear.until(lambda: len(ear.published) > before)
                return True
    return False


async def status_becomes(ear: TimedEar, wanted: str) -> bool:
    """Whether the retained status becomes what is wanted, in time."""

    def is_so() -> bool:
        status = ear.last(TOPICS.status)
        return status is not None and json_of(status)["state"] == wanted

    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(GOES_ON_S):
            await ear.until(is_so)
            return True
    return False


async def one(directory: Path, broker: Broker, place: str, error: str, seed: int) -> tuple[Found, list[list[str]]]:
    """One table with one failure, and every place that it came by."""
    ear = TimedEar()
    house = House(directory, broker, ear)
    house.place, house.error = place, error
    faults: list[str] = []
    async with ear.listening(broker), house.bench:
        try:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(GOES_ON_S):
                    await house.spawn()
                    await house.bench.looked(1)
            await exercised(house, seed)
            task, known = house.failed(), house.known()
            ended = house.process.returncode if house.process is not None and house.has_ended() else None
            if ended is not None:
                if task not in MAY_END:
                    faults.append(f"ended with status {ended} for a failure of {task}")
                if not await status_becomes(ear, "offline"):
                    faults.append("ended, and is still retained as online")
                house.place = "-"
                await house.spawn()
            if not await goes_on(house, ear):
                faults.append("does not go on")
            elif not await status_becomes(ear, "online"):
                faults.append(f"goes on, and the retained status is {ear.last(TOPICS.status)!r}")
            await house.until_published()
        except (AssertionError, TimeoutError) as wrong:
            faults.append(f"{type(wrong).__name__}: {str(wrong)[:200]}")
        finally:
            with contextlib.suppress(AssertionError):
                await house.stop()
    if verify(house.journal).damage is None:
        faults += judged_journal(house)
    else:
        faults.append("damaged")
    return Found(place, error, task, ended, tuple(faults)), known


@contextlib.contextmanager
def folder() -> Iterator[Path]:
    """A directory that a broker may read."""
    with tempfile.TemporaryDirectory(prefix="tableside-awaits-") as name:
        Path(name).chmod(0o755)
        yield Path(name)


async def campaign(count: int, seed: int, only: str = "") -> list[Found]:
    """Find the places, and fail at as many as asked: every one with each error, where there are not more of them.

    ``only`` those whose name begins so.
    """
    program = find_mosquitto()
    assert program is not None, "Mosquitto is not installed"
    found: list[Found] = []
    with folder() as kept:
        process, port = await start_mosquitto(program, kept, {}, None)
        broker = Broker(host="127.0.0.1", port=port)
        try:
            with folder() as directory:
                first, known = await one(directory, broker, "-", "OSError", seed)
            assert not first.faults, first
            chance = random.Random(seed)
            cases = [(place, error) for place, _ in known if place.startswith(only) for error in ERRORS]
            chance.shuffle(cases)
            for place, error in cases[:count]:
                with folder() as directory:
                    outcome, _ = await one(directory, broker, place, error, seed)
                found.append(outcome)
                print(json.dumps(outcome._asdict()), flush=True)
        finally:
            await stop(process)
    return found


def main() -> int:
    """See the module."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=200, help="failures")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="", help="places whose name begins so, such as publisher.Publisher")
    given = parser.parse_args()
    began = time.monotonic()
    found = asyncio.run(campaign(given.count, given.seed, given.only))
    wrong: collections.Counter[str] = collections.Counter()
    for each in found:
        wrong.update(f"{each.error} at {each.place} ({each.task}): {fault}" for fault in each.faults)
    hits = [each for each in found if each.task]
    ended = sum(each.status is not None for each in hits)
    print("\n".join(wrong), end="\n" if wrong else "")
    print(
        f"{len(hits)} failures at {len({each.place for each in hits})} places, {ended} ended the table,"
        f" {len(wrong)} faults; {time.monotonic() - began:.0f} s"
    )
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
