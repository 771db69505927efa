"""Rounds with one irregularity at full tables without keys: how long the table takes for each reading.

    .venv/bin/python -m bench.cause --rounds 30 --seed 1

Seven boxes, no key but those that open and close a round, and of the rounds only long ones: at least ``--cards`` cards.
Every reading of a planted round is timed, in processor time; *searched* are those
in which a round became irregular, so that its likely cause was looked for. Prints a line for each kind of irregularity.
"""

from __future__ import annotations

import argparse
import gc
import json
import time
from collections.abc import Iterator
from random import Random
from typing import Final

from bench.irregularities import EDITS, Edit
from bench.truth import TimedRig
from controller.core.messages.alerts import RoundIrregular
from controller.core.messages.inputs import Input
from controller.core.table.state import StepResult
from controller.io.files import profile_files
from simulators.people.acts import Act, Lay, Pause, by_round
from simulators.people.dealer import play
from simulators.people.house import house_from
from simulators.people.offenders import Contents, Script
from simulators.people.rack import Rack
from simulators.people.simulated_table import StandKey
from tests.core.houses import chips_of

PROFILE: Final = "hollywood-penn-national"


class CauseRig(TimedRig):
    """A rig that keeps apart the readings in which a round became irregular."""

    def __init__(self, seed: int, keypad: StandKey) -> None:
        self.rack = Rack()
        self.searched: list[float] = []
        self.likely: list[str] = []
        rules = profile_files.load(PROFILE, {"stand_key": "always" if keypad == "always" else "sometimes"}).rules
        super().__init__(rules, chips_of(self.rack), seed, sharp=False)

    def give(self, item: Input, *, closed: bool = False) -> StepResult:
        stepped = super().give(item, closed=closed)
        for event in stepped.events:
            if isinstance(event, RoundIrregular):
                self.searched.append(self.micros[-1])
                self.likely.append(event.probable_cause or "")
        return stepped

    def at_a_loss(self) -> None:
        """No answer fits what lies there: the dealer calls the floor."""
        self.key("call_floor")


def rounds_of(rig: CauseRig, seed: int, boxes: int, keypad: StandKey) -> Iterator[list[Act]]:
    """Honest rounds without end, each with its truth at the end."""
    house = house_from(profile_files.raw(PROFILE))
    return by_round(play(house, Random(seed), rig.rack, (boxes, boxes), stand_key=keypad))


def planted(  # noqa: PLR0917 - what is planted, and where
    edit: Edit, rounds: int, seed: int, boxes: int, cards: int, keypad: StandKey
) -> CauseRig:
    """Plant an irregularity into so many long rounds; those between are not played."""
    rig, rng, contents, lying = CauseRig(seed, keypad), Random(seed), Contents(), Contents()
    done = 0
    for acts in rounds_of(rig, seed, boxes, keypad):
        script = Script(acts, contents)
        contents = {**contents, **script.left()}
        edited = edit(script, rng) if len(script.draws) >= cards else None
        if edited is None:
            continue
        places = sorted(script.before.keys() | lying.keys())
        moved = [Lay(*at, script.before.get(at, ())) for at in places if lying.get(at, ()) != script.before.get(at, ())]
        rig.perform([*moved, Pause(2000), *edited, Pause(2000)])
        lying = contents
        rig.events.clear()
        rig.stamped.clear()
        done += 1
        if done == rounds:
            return rig
    raise AssertionError("rounds without end")


def percentiles(micros: list[float]) -> dict[str, float]:
    """Median, 99th in a hundred and worst, in milliseconds."""
    times = sorted(micros)
    return (
        {
            "readings": len(times),
            "median_ms": round(times[len(times) // 2] / 1000, 2),
            "p99_ms": round(times[int(len(times) * 0.99)] / 1000, 1),
            "worst_ms": round(times[-1] / 1000, 1),
        }
        if times
        else {"readings": 0}
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=30, help="planted rounds of each kind")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--boxes", type=int, default=7)
    parser.add_argument("--cards", type=int, default=28, help="fewest cards of a planted round")
    parser.add_argument("--keypad", choices=["always", "sometimes", "never"], default="never")
    parser.add_argument("--kind", action="append", choices=list(EDITS), help="only this kind; may be repeated")
    given = parser.parse_args()
    gc.disable()
    for kind in given.kind or list(EDITS):
        began = time.thread_time()
        rig = planted(EDITS[kind], given.rounds, given.seed, given.boxes, given.cards, given.keypad)
        row = {"kind": kind, "all": percentiles(rig.micros), "searched": percentiles(rig.searched)}
        row["causes_named"] = sum(map(bool, rig.likely))
        row["seconds"] = round(time.thread_time() - began, 1)
        print(json.dumps(row), flush=True)


if __name__ == "__main__":
    main()
