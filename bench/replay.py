"""Rounds replayed a second: a journal of simulated people's rounds is verified, taken up and stepped again.

    .venv/bin/python -m bench.replay --rounds 500 --boxes 1-7 --keypad sometimes --seed 1

The journal is a daemon's: the same records, seals, events and checkpoints, only written without devices and without
waiting. "Stepped in memory" is the table alone, with nothing read and nothing compared: what a replay cannot be faster
than. Times are processor time: of one process, and for "replayed by processes" of all together, so that what dividing
the journal costs shows on a busy machine too; ``elapsed`` is what a watch says of it. Each is done in turn with the
others, five times: the least time is printed, and the median of its ratios to stepping in the same turn. Prints one
JSON object.
"""

from __future__ import annotations

import argparse
import asyncio
import csv
import hashlib
import io
import json
import random
import resource
import statistics
import tempfile
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Final, Literal

from controller.core.game.rules import Rules
from controller.core.messages.inputs import Input, StampedInput
from controller.core.step import step
from controller.core.table.state import State, StepResult, Table
from controller.daemon.recovery import recover
from controller.daemon.replay import replay
from controller.formats.journal.records import Identity, chain, genesis, seal, seal_checkpoint, stamp
from controller.formats.replay import payloads, state_bytes
from controller.io.files import profile_files
from controller.io.journal.journal import Journal
from controller.io.journal.reader import JournalEntry
from controller.io.journal.verification import verify
from controller.io.system.process_memory import keep_for_good
from controller.io.system.processes import processors
from simulators.people.dealer import play
from simulators.people.house import house_from
from simulators.people.rack import Rack
from tests.core.rig import Rig

HERE: Final = Identity("bench", "bj-1", 1)
KEY: Final = bytes(range(32))
PROFILE: Final = "hollywood-penn-national"
Keypad = Literal["always", "sometimes", "never"]


class RecordingRig(Rig):
    """A rig that keeps what a daemon would have committed: a checkpoint goes with the end of each round."""

    def __init__(self, rules: Rules, chips: dict[str, int]) -> None:
        self.entries: list[JournalEntry] = []
        self.head = genesis(HERE)
        super().__init__(rules, chips)

    def give(self, item: Input, *, closed: bool = False) -> StepResult:
        """Step an input and keep it."""
        assert not closed, "a daemon sees every face"
        self.number += 1
        nonce = hashlib.sha256(str(self.number).encode()).digest()
        stamped = stamp(item, HERE, self.number, at_ns=self.now_ns, wall_ns=self.now_ns, nonce=nonce)
        before = self.table
        stepped = step(before, stamped)
        self.table, self.desired = stepped.table, stepped.desired
        self.stamped.append(stamped)
        bodies = payloads(stepped.events, HERE, before.state.seq, stamped.wall_ns)
        body = seal(stamped, KEY, HERE)
        self.head = chain(self.head, stamped.number, body, bodies)
        over = before.state.round is not None and self.table.state.round is None
        sealed = seal_checkpoint(state_bytes(self.table.state), KEY, self.number, self.head) if over else None
        numbered = tuple(enumerate(bodies, start=before.state.seq + 1))
        self.entries.append(JournalEntry(self.number, body, numbered, sealed))
        return stepped


def recorded(rounds: int, boxes: tuple[int, int], keypad: Keypad, seed: int) -> RecordingRig:
    """A table at which people have played."""
    rack = Rack()
    values = {row["id"]: int(row["value_cents"]) for row in csv.DictReader(io.StringIO(rack.registry_csv()))}
    stand_key = "always" if keypad == "always" else "sometimes"
    rig = RecordingRig(profile_files.load(PROFILE, {"stand_key": stand_key}).rules, values)
    rig.reads_display = True
    house = house_from(profile_files.raw(PROFILE))
    for _ in rig.perform(play(house, random.Random(seed), rack, boxes, rounds=rounds, stand_key=keypad)):
        pass
    return rig


async def kept(path: Path, entries: list[JournalEntry]) -> None:
    """A journal with these entries, synced and marked as published once for many."""
    journal = await Journal.open(path, HERE, key=KEY)
    for start in range(0, len(entries), 200):
        await journal.commit(entries[start : start + 200])
        await journal.mark_published(journal.head.seq)
    await journal.close()


def stepped_in_memory(rig: RecordingRig, inputs: Iterable[StampedInput]) -> None:
    table = Table(rig.house, State())
    for stamped in inputs:
        table = step(table, stamped).table


def seconds_of_processes(path: Path, jobs: int) -> tuple[float, float]:
    """The processor time of a replay by so many processes, this one's part with it, and the time that passed.

    With one job nothing is divided: this process steps the whole journal.
    """
    before, began = _processor_seconds(), time.monotonic()
    replay(path, KEY, jobs=jobs, alone=0)
    return _processor_seconds() - before, time.monotonic() - began


def _processor_seconds() -> float:
    """The processor time spent by this process and by those of its children that have ended."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


def seconds_in_turn(works: dict[str, Callable[[], object]], turns: int = 5) -> dict[str, list[float]]:
    """The processor time of each work in each turn; what else the machine does meets them all alike."""
    taken: dict[str, list[float]] = {name: [] for name in works}
    for _ in range(turns):
        for name, work in works.items():
            began = time.process_time()
            work()
            taken[name].append(time.process_time() - began)
    return taken


def run(given: argparse.Namespace) -> dict[str, object]:
    fewest, _, most = given.boxes.partition("-")
    rig = recorded(given.rounds, (int(fewest), int(most or fewest)), given.keypad, given.seed)
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory) / "journal.sqlite"
        asyncio.run(kept(path, rig.entries))
        found = replay(path, KEY)
        assert found.difference is None, found.difference
        works: dict[str, Callable[[], object]] = {
            "stepped in memory": lambda: stepped_in_memory(rig, rig.stamped),
            "replayed with the key": lambda: replay(path, KEY),
            "replayed without it": lambda: replay(path, None),
            "verified": lambda: verify(path),
            "taken up from its last checkpoint": lambda: recover(path, KEY),
        }
        # What was recorded fills this process, and none of the programs that replay.
        keep_for_good()
        taken = seconds_in_turn(works)
        spent_by_all, elapsed = seconds_of_processes(path, given.jobs)
        taken["replayed by processes"] = [spent_by_all]
        size = path.stat().st_size
    memory = taken["stepped in memory"]
    return {
        "rounds": found.rounds,
        "readings": found.records,
        "events": found.events,
        "bytes_a_round": size // found.rounds,
        "processes": given.jobs,
        "elapsed_by_processes": round(elapsed, 3),
        **{
            name: {
                "seconds": round(min(spent), 3),
                "rounds_a_second": round(found.rounds / min(spent)),
                "to_memory": round(statistics.median(one / bare for one, bare in zip(spent, memory, strict=False)), 2),
            }
            for name, spent in taken.items()
        },
    }


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=500)
    parser.add_argument("--boxes", default="1-7")
    parser.add_argument("--keypad", choices=("always", "sometimes", "never"), default="sometimes")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=processors())
    print(json.dumps(run(parser.parse_args()), indent=1))
