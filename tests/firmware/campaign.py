"""Nights of shoes in C: kills, unplugged lines, exchanged shoes, lost power, brown-outs in a draw, failed memories.

``python -m tests.firmware.campaign --happenings 1000`` prints what happened and what was found; if anything, status 1.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import Final

from tests.firmware.bench import Bench, built

OFTEN: Final = ("draw",) * 12 + ("step",) * 10 + ("commit",) * 6
RARELY: Final = ("kill", "unplug", "exchange", "power_cycle", "brown_out", "fail_record")
SELDOM: Final = ("fail_memory",)
CHOICES: Final = (*OFTEN * 2, *RARELY * 2, *SELDOM)


def night(directory: Path, program: Path, seed: int, happenings: int) -> tuple[Bench, Counter[str]]:
    """So many mishaps between draws; then everything is plugged in and stays so."""
    chance = random.Random(seed)
    bench = Bench(directory, program, chance)
    counted: Counter[str] = Counter()
    bench.plug()
    while sum(counted[name] for name in (*RARELY, *SELDOM)) < happenings:
        what = chance.choice(CHOICES)
        counted[what] += 1
        happen(bench, what)
        if chance.randrange(3):
            bench.plug()
    bench.calm_down()
    bench.close()
    return bench, counted


def happen(bench: Bench, what: str) -> None:
    """Let it happen."""
    match what:
        case "step":
            for _ in range(bench.chance.randrange(1, 25)):
                bench.step()
        case "commit":
            bench.commit(bench.chance.randrange(1, 8))
        case "draw" | "kill" | "unplug" | "exchange" | "power_cycle" | "brown_out" | "fail_record" | "fail_memory":
            getattr(bench, what)()
        case _:
            raise AssertionError(what)


def main() -> int:
    """Run a campaign from the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--happenings", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    total: Counter[str] = Counter()
    wrong = journaled = left = seed = 0
    with tempfile.TemporaryDirectory() as name:
        program = built(Path(name))
        while sum(total[one] for one in (*RARELY, *SELDOM)) < asked.happenings:
            directory = Path(name) / str(seed)
            directory.mkdir()
            bench, counted = night(directory, program, asked.seed + seed, 20)
            total += counted
            journaled += len(bench.journal)
            left += sum(len(shoe.left) for shoe in bench.shoes)
            findings = bench.findings()
            wrong += len(findings)
            sys.stdout.writelines(f"night {asked.seed + seed}: {finding}\n" for finding in findings)
            seed += 1
    mishaps = ", ".join(f"{total[one]} {one}" for one in (*RARELY, *SELDOM))
    cards = f"{left} cards left the shoes, {journaled} were journaled"
    sys.stdout.write(f"{seed} nights: {mishaps}; {cards}; {wrong} findings\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
