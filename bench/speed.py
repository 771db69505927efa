"""The table of speed: each figure as a ratio to its floor or peer, measured beside it in the same run.

    .venv/bin/python -m bench.speed              # `make bench`; half an hour
    .venv/bin/python -m bench.speed --quick      # a few minutes, for a look

The median of the runs, with the least and the most of them. ``bench/RESULTS.md`` keeps the figures of the last commit
that changed one; what is printed says beside each what it was there.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import re
import resource
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, NamedTuple

from bench.replay import kept, recorded
from controller.cli import COMMANDS

RESULTS: Final = Path(__file__).parent / "RESULTS.md"
HELP_RUNS: Final = 3


class Figure(NamedTuple):
    """A row: what was measured, what it is a ratio or a number of, and each run's value."""

    name: str
    to: str
    values: tuple[float, ...]

    def text(self) -> str:
        """The median, and the spread where there was more than one run."""
        middle = f"{statistics.median(self.values):.3g}"
        return middle if len(self.values) == 1 else f"{middle} ({min(self.values):.3g} to {max(self.values):.3g})"


def bench_output(*command: str) -> Any:  # noqa: ANN401 - what a bench prints
    """Run another bench and read the JSON that it prints."""
    done = subprocess.run((sys.executable, "-m", *command), check=True, capture_output=True, text=True)
    # What a bench's own servers log comes before it.
    return json.loads(done.stdout[f"\n{done.stdout}".rindex("\n{") :])


def latency(runs: int, cards: int) -> list[Figure]:
    """A card's last byte to its event, to a bare bridge and one synced commit."""
    found = bench_output("bench.latency", "--runs", str(runs), "--cards", str(cards))["daemon"]["of_runs"]
    floor = "bare bridge and one synced commit, card by card in turn"
    return [
        Figure(f"a card to its event, {share}", floor, tuple(one[share] for one in found)) for share in ("p50", "p99")
    ]


def replaying(runs: int, rounds: int) -> list[Figure]:
    """Seven-box rounds stepped, replayed and verified a second of processor time."""
    figures = []
    for keypad, label in (("always", "every decision keyed"), ("never", "no key")):
        command = ("bench.replay", "--rounds", str(rounds), "--boxes", "7-7", "--keypad", keypad)
        found = [bench_output(*command) for _ in range(runs)]

        def each(name: str, field: str, found: list[Any] = found) -> tuple[float, ...]:
            return tuple(one[name][field] for one in found)

        figures += [
            Figure(
                f"rounds of seven boxes stepped, {label}",
                "a second and core",
                each("stepped in memory", "rounds_a_second"),
            ),
            Figure(f"replayed with the chain checked, {label}", "stepping", each("replayed with the key", "to_memory")),
            Figure(f"verified, {label}", "rounds a second", each("verified", "rounds_a_second")),
        ]
    return figures


def standing(rounds: int) -> list[Figure]:
    """``tableside status`` on a journal of whole rounds, in seconds of processor time."""
    rig = recorded(rounds, (5, 7), "always", 1)
    with tempfile.TemporaryDirectory(prefix="tableside-status-") as folder:
        path = Path(folder) / "journal.sqlite"
        asyncio.run(kept(path, rig.entries))
        command = ("-m", "controller", "status", str(path))
        spent(*command, status=1)
        taken = tuple(spent(*command, status=1) for _ in range(HELP_RUNS))
    return [Figure(f"tableside status of {rig.table.state.seq:,} events", "seconds of processor time", taken)]


def starting(events: int) -> list[Figure]:
    """A start with a long journal, that the kernel has forgotten and that it remembers."""
    found = bench_output("bench.start", "--events", str(events))
    return [
        Figure(f"a start with {events:,} events, first", "seconds", (found["first_s"],)),
        Figure(f"a start with {events:,} events, later", "seconds", (found["later_s"],)),
        Figure("the same", "a start with a new journal, in turn", (found["later_to_new"],)),
    ]


def pooling(runs: int, seconds: int) -> list[Figure]:
    """Contributions a second to one pool."""
    found = [bench_output("bench.link", "--json", "--seconds", str(seconds)) for _ in range(runs)]
    ratios = tuple(one["contributions_a_second"] / one["commits_a_second"] for one in found)
    return [Figure("contributions a second to one pool", "pgbench's single-row commits, after it", ratios)]


def tables(seconds: int) -> list[Figure]:
    """What a table at people's pace takes of a processor."""
    found = bench_output("bench.tables", "--tables", "1", "--seconds", str(seconds), "--cards", "5")
    share = 100 * found["processor_share_each"]
    return [Figure("a table at the pace of people, 14 zones", "per cent of a processor", (share,))]


def helping() -> list[Figure]:
    """The slowest ``COMMAND --help``, in milliseconds of processor time, and to a Python that does nothing."""
    bare = min(spent("-c", "pass") for _ in range(HELP_RUNS))
    slowest = {name: min(spent("-m", "controller", name, "--help") for _ in range(HELP_RUNS)) for name in COMMANDS}
    name = max(slowest, key=lambda one: slowest[one])
    return [
        Figure(f"the slowest --help ({name})", "milliseconds of processor time", (slowest[name] * 1000,)),
        Figure("the same", "a Python that does nothing", (slowest[name] / bare,)),
    ]


def spent(*command: str, status: int = 0) -> float:
    """Seconds of processor time of a Python program that ends with 0 or ``status``.

    Its modules are left compiled, as they are where it is installed: a first run is not to be counted.
    """
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run((sys.executable, *command), check=False, capture_output=True, env=environment)
    if done.returncode not in {0, status}:
        sys.exit(f"{' '.join(command)} ended with {done.returncode}: {done.stderr.decode()}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def kept_figures(text: str) -> dict[str, str]:
    """The figures that are kept, by name."""
    return dict(re.findall(r"^\| ([^|]+) \| [^|]+ \| ([^|]+) \|", text, re.MULTILINE))


def rows(figures: list[Figure], kept: dict[str, str]) -> str:
    """The table as it is kept, with what was kept before."""
    lines = ["| figure | to | now | before |", "|---|---|---|---|"]
    lines += [f"| {one.name} | {one.to} | {one.text()} | {kept.get(one.name, 'none')} |" for one in figures]
    return "\n".join(lines)


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true")
    quick = parser.parse_args().quick
    measured: list[Callable[[], list[Figure]]] = [
        lambda: latency(1 if quick else 3, 40 if quick else 100),
        lambda: replaying(1 if quick else 3, 20 if quick else 100),
        helping,
        lambda: standing(200 if quick else 2_000),
        lambda: starting(100_000 if quick else 5_000_000),
        lambda: pooling(1 if quick else 3, 5 if quick else 20),
        lambda: tables(10 if quick else 60),
    ]
    figures = [figure for measure in measured for figure in measure()]
    print(rows(figures, kept_figures(RESULTS.read_text(encoding="utf-8"))))


if __name__ == "__main__":
    main()
