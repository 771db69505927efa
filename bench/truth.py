"""Rounds of simulated people against their truth: wrong settlements, bases, questions, time per reading.

    .venv/bin/python -m bench.truth --rounds 20000 --keypad always --boxes 1-7 --seed 1

A change of chips is reported in an interval that begins up to 1.5 seconds before it, so that intervals overlap cards,
which come 0.6 seconds apart. ``--sharp`` makes intervals as narrow as a patient dealer's. Steps are timed in processor
time, so that other work on the machine does not count. Prints one JSON object.
"""

from __future__ import annotations

import argparse
import csv
import gc
import io
import json
import random
import statistics
import time
from collections import Counter

from controller.core.game.rules import Rules
from controller.core.messages.alerts import ChipsUnexplained, RoundIrregular
from controller.core.messages.events import QuestionAsked, RoundClosed, WagerSettled
from controller.core.messages.inputs import Input, StampedInput
from controller.core.meters.state import MeterTerms
from controller.core.table.state import StepResult
from controller.io.files import profile_files
from firmware_protocols.readings import ChipsSeen
from simulators.people.dealer import play
from simulators.people.house import house_from
from simulators.people.rack import Rack
from tests.core.rig import MS, Rig


class TimedRig(Rig):
    """A rig that times each step (processor time) and lets readers be slow."""

    def __init__(
        self, rules: Rules, chips: dict[str, int], seed: int, *, sharp: bool, meters: tuple[MeterTerms, ...] = ()
    ) -> None:
        self.micros: list[float] = []
        self.largest = 0
        self.chance = random.Random(seed)
        self.sharp = sharp
        self.last_look_ms, self.report_ms = 1500, (50, 500)
        self.content: dict[tuple[int, str], int] = {}
        self.seen_ns: dict[tuple[int, str], int] = {}
        self.moved_ns: dict[int, int] = {}
        """When chips truly moved, by the number of the reading that reported it."""
        super().__init__(rules, chips, meters)
        self.reads_display = True

    def give(self, item: Input, *, closed: bool = False) -> StepResult:
        began = time.thread_time_ns()
        stepped = super().give(item, closed=closed)
        self.micros.append((time.thread_time_ns() - began) / 1000)
        if self.table.lattice is not None:
            self.largest = max(self.largest, len(self.table.lattice.frontier))
        return stepped

    def lay(self, spot: int, zone: str, chips: tuple[str, ...], spread_ms: int = 100) -> None:
        """A change is reported now; the last look without it may lie before the last cards."""
        if self.sharp:
            super().lay(spot, zone, chips, spread_ms)
            return
        self.pass_ms(100)
        moved_ns = self.now_ns
        after_ns = moved_ns - self.chance.randrange(0, self.last_look_ms) * MS
        self.now_ns += self.chance.randrange(*self.report_ms) * MS
        self.give(
            ChipsSeen(spot, zone, tuple(sorted(chips)), max(after_ns, self.seen_ns.get((spot, zone), 0)), self.now_ns)
        )
        self.moved_ns[self.number] = moved_ns
        self.seen_ns[spot, zone] = self.now_ns
        self.pass_ms(100)

    def moved(self, stamped: StampedInput) -> int:
        """When the chips of a reading truly moved."""
        return self.moved_ns.get(stamped.number, 0)


def chips_by_id(rack: Rack) -> dict[str, int]:
    """The value in cents of each chip of a rack."""
    return {row["id"]: int(row["value_cents"]) for row in csv.DictReader(io.StringIO(rack.registry_csv()))}


def run(arguments: argparse.Namespace) -> dict[str, object]:
    stand_key = "always" if arguments.keypad == "always" else "sometimes"
    profile = profile_files.load(arguments.profile, {"stand_key": stand_key})
    rack = Rack()
    fewest, _, most = arguments.boxes.partition("-")
    rig = TimedRig(profile.rules, chips_by_id(rack), arguments.seed, sharp=arguments.sharp)
    acts = play(
        house_from(profile_files.raw(arguments.profile)),
        random.Random(arguments.seed),
        rack,
        (int(fewest), int(most or fewest)),
        rounds=arguments.rounds,
        stand_key=arguments.keypad,
    )
    truth: dict[tuple[int, int, str], tuple[int, int]] = {}
    settlements: dict[tuple[int, int, str], tuple[int, int]] = {}
    bases: Counter[str] = Counter()
    outcomes: Counter[str] = Counter()
    asked: Counter[int] = Counter()
    alerts: Counter[str] = Counter()
    wrong: list[str] = []
    for act in acts:
        for played in rig.perform([act]):
            truth.update({(played.round, w.spot, w.bet): (w.wager_cents, w.net_cents) for w in played.wagers})
        for event in rig.events:
            if isinstance(event, WagerSettled):
                settlements[event.round, event.spot, event.bet] = (event.wager_cents, event.net_cents)
                bases[event.basis] += 1
            elif isinstance(event, RoundClosed):
                outcomes[event.outcome] += 1
            elif isinstance(event, QuestionAsked):
                asked[event.round or 0] += 1
            elif isinstance(event, RoundIrregular | ChipsUnexplained):
                alerts[type(event).__name__] += 1
        rig.events.clear()
        rig.stamped.clear()
    wrong = [
        f"{key}: truth {truth[key]}, settled {settlements[key]}"
        for key in truth
        if key in settlements and truth[key] != settlements[key]
    ]
    times = sorted(rig.micros)
    return {
        "profile": arguments.profile,
        "keypad": arguments.keypad,
        "boxes": arguments.boxes,
        "rounds": arguments.rounds,
        "wagers": len(truth),
        "wrong": len(wrong),
        "in_no_truth": sum(key not in truth for key in settlements),
        "first_wrong": wrong[:3],
        "basis": dict(bases),
        "open": len(truth) - sum(key in settlements for key in truth),
        "outcomes": dict(outcomes),
        "rounds_asked": len(asked),
        "questions_per_round_asked": round(sum(asked.values()) / len(asked), 3) if asked else 0,
        "alerts": dict(alerts),
        "readings": len(times),
        "micros_median": round(statistics.median(times), 1),
        "micros_p99": round(times[int(len(times) * 0.99)], 1),
        "micros_worst": round(times[-1], 1),
        "largest_lattice": rig.largest,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keypad", choices=["always", "sometimes", "never"], default="always")
    parser.add_argument("--boxes", default="1-7")
    parser.add_argument("--profile", default="hollywood-penn-national")
    parser.add_argument("--sharp", action="store_true")
    gc.disable()
    print(json.dumps(run(parser.parse_args())))


if __name__ == "__main__":
    main()
