"""The table of speed: each figure as a ratio to its floor or peer, measured beside it in the same run.

    .venv/bin/python -m bench.speed              # `make bench`; half an hour
    .venv/bin/python -m bench.speed --quick      # a few minutes, for a look

The median of the runs, with the least and the most of them. ``bench/RESULTS.md`` keeps the figures of the last commit
that changed one; what is printed says beside each what it was there.
"""

from __future__ import annotations

import argparse
import json
import re
import resource
import statistics
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, NamedTuple

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


def asked(*command: str) -> Any:  # noqa: ANN401 - what a bench prints
    """What another bench prints as JSON."""
    done = subprocess.run((sys.executable, "-m", *command), check=True, capture_output=True, text=True)
    return json.loads(done.stdout)


def latency(runs: int, cards: int) -> list[Figure]:
    """A card's last byte to its event, to a bare bridge and one synced commit."""
    found = asked("bench.latency", "--runs", str(runs), "--cards", str(cards))["daemon"]["of_runs"]
    floor = "bare bridge and one synced commit, card by card in turn"
    return [
        Figure(f"a card to its event, {share}", floor, tuple(one[share] for one in found)) for share in ("p50", "p99")
    ]


def replaying(runs: int, rounds: int) -> list[Figure]:
    """Seven-box rounds stepped, replayed and verified a second of processor time."""
    figures = []
    for keypad, said in (("always", "every decision keyed"), ("never", "no key")):
        command = ("bench.replay", "--rounds", str(rounds), "--boxes", "7-7", "--keypad", keypad)
        found = [asked(*command) for _ in range(runs)]

        def each(name: str, field: str, found: list[Any] = found) -> tuple[float, ...]:
            return tuple(one[name][field] for one in found)

        figures += [
            Figure(
                f"rounds of seven boxes stepped, {said}",
                "a second and core",
                each("stepped in memory", "rounds_a_second"),
            ),
            Figure(f"replayed with the chain checked, {said}", "stepping", each("replayed with the key", "to_memory")),
            Figure(f"verified, {said}", "rounds a second", each("verified", "rounds_a_second")),
        ]
    return figures


def helping() -> list[Figure]:
    """The slowest ``COMMAND --help``, in milliseconds of processor time, and to a Python that does nothing."""
    bare = min(spent("-c", "pass") for _ in range(HELP_RUNS))
    slowest = {name: min(spent("-m", "controller", name, "--help") for _ in range(HELP_RUNS)) for name in COMMANDS}
    name = max(slowest, key=lambda one: slowest[one])
    return [
        Figure(f"the slowest --help ({name})", "milliseconds of processor time", (slowest[name] * 1000,)),
        Figure("the same", "a Python that does nothing", (slowest[name] / bare,)),
    ]


def spent(*command: str) -> float:
    """Seconds of processor time of a Python program."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run((sys.executable, *command), check=True, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def before(text: str) -> dict[str, str]:
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
    ]
    print(rows([figure for measure in measured for figure in measure()], before(RESULTS.read_text(encoding="utf-8"))))


if __name__ == "__main__":
    main()
