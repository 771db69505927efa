"""A long journal verified by one process and by all processors, in turn, in the time that passes.

``python -m bench.verify --rounds 3000``. As JSON: the rounds verified a second, the median of the turns with the least
and most of them, and how much more all processors do than one.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import statistics
import tempfile
import time
from pathlib import Path

from bench.replay import kept, recorded
from controller.io.journal.verification import verify
from controller.io.system.process_memory import keep_for_good
from controller.io.system.processes import processors


def rounds_a_second(path: Path, rounds: int, jobs: int) -> float:
    """How many rounds are verified in a second of the time that passes."""
    began = time.monotonic()
    report = verify(path, jobs=jobs, alone=0)
    assert report.damage is None, report.damage
    return rounds / (time.monotonic() - began)


def spread(found: list[float]) -> str:
    return f"{statistics.median(found):.0f} ({min(found):.0f} to {max(found):.0f})"


def run(rounds: int, turns: int, jobs: int) -> dict[str, object]:
    rig = recorded(rounds, (7, 7), "always", 1)
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory) / "journal.sqlite"
        asyncio.run(kept(path, rig.entries))
        records = len(rig.entries)
        keep_for_good()
        found = [(rounds_a_second(path, rounds, 1), rounds_a_second(path, rounds, jobs)) for _ in range(turns)]
    ratios = [by_all / alone for alone, by_all in found]
    return {
        "rounds": rounds,
        "records": records,
        "processors": jobs,
        "by one": spread([alone for alone, _ in found]),
        "by all": spread([by_all for _, by_all in found]),
        "ratio": f"{statistics.median(ratios):.2f} ({min(ratios):.2f} to {max(ratios):.2f})",
    }


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3_000)
    parser.add_argument("--turns", type=int, default=5)
    parser.add_argument("--jobs", type=int, default=processors())
    given = parser.parse_args()
    print(json.dumps(run(given.rounds, given.turns, given.jobs), indent=1))
