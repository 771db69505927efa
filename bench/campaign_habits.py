"""Very many rounds at unkind tables, habit by habit: keys pressed, forgotten or never pressed, antennas that overhear.

    make campaign-habits ROUNDS=30000
    .venv/bin/python -m bench.campaign_habits --rounds 30000 --jobs 2

Blocks go round every habit with keys, number of boxes and profile (``habit_blocks.py``). Each finished block is a line
of FILE; begun again with the same FILE and seed the campaign goes on after the last one.

Exit status 1 if a wager was settled otherwise than it truly ended, was neither settled nor open, a round did not end,
or somebody was accused, for everybody at these tables is honest. Chips noticed where nobody plays accuse nobody.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path
from typing import Any, Final

from bench.habit_blocks import HABITS, PROFILES, Block, played

BLOCK: Final = 50
"""Rounds of a block; the last is not judged, as nothing ends it where no key does."""

FAULTS: Final = ("wrong", "phantom", "neither", "unended", "lost")
COUNTED: Final = ("rounds", "wagers", *FAULTS, "open", "irregular", "questions")


def blocks(rounds: int, seed: int, habits: tuple[str, ...], **people: int) -> Iterator[Block]:
    """The campaign's blocks: every habit at every profile, one box more each time round; ``people`` as in Block."""
    for number in range(-(-rounds // BLOCK)):
        habit, round_about = habits[number % len(habits)], number // len(habits)
        profile, boxes = PROFILES[round_about % len(PROFILES)], 1 + round_about // len(PROFILES) % 7
        yield Block(number, seed * 1_000_003 + number, BLOCK, boxes, habit, profile, **people)


def merged(results: list[dict[str, Any]]) -> dict[str, Any]:
    """Several blocks as one."""
    total: dict[str, Any] = {name: sum(result[name] for result in results) for name in COUNTED}
    for name in ("bases", "accused", "alerts"):
        total[name] = sum((Counter(result[name]) for result in results), Counter())
    return total


def table(results: list[dict[str, Any]]) -> Iterator[str]:
    """The report, as a table of Markdown."""
    yield (
        "| keys | rounds | wagers | settled wrong | settled and never made | neither settled nor open "
        "| rounds that did not end | people accused | on evidence | answer | paid | open "
        "| irregular rounds | rounds asked about |"
    )
    yield "|" + "---|" * 14
    for habit in HABITS:
        of_habit = [result for result in results if result["habit"] == habit]
        if of_habit:
            yield row(habit, merged(of_habit))
    alerts: Counter[str] = sum((Counter(result["alerts"]) for result in results), Counter())
    yield ""
    yield f"alerts: {dict(alerts.most_common())}"
    for result in results:
        if faults(result):
            yield json.dumps(
                {name: result[name] for name in ("number", "seed", "habit", "profile", "boxes", "examples")}
            )


def row(habit: str, total: dict[str, Any]) -> str:
    """A habit's line."""
    bases = [total["bases"][basis] for basis in ("evidence", "answer", "paid")]
    parts = " | ".join(f"{100 * count / (total['wagers'] or 1):.2f} %" for count in (*bases, total["open"]))
    counts = (total["rounds"], total["wagers"], total["wrong"], total["phantom"], total["neither"])
    ended = (total["unended"] + total["lost"], sum(total["accused"].values()))
    rounds = total["rounds"] or 1
    return (
        f"| {habit} | {' | '.join(map(str, (*counts, *ended)))} | {parts} "
        f"| {100 * total['irregular'] / rounds:.2f} % | {100 * total['questions'] / rounds:.1f} % |"
    )


def faults(result: dict[str, Any]) -> bool:
    """Whether anything came out of a block that must not."""
    return bool(sum(result[name] for name in FAULTS) or result["accused"])


def finished(path: Path, seed: int) -> dict[int, dict[str, Any]]:
    """The blocks of this campaign that the file already has."""
    if not path.exists():
        return {}
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.endswith("}")]
    return {line["number"]: line for line in lines if line["campaign"] == seed}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=6_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--habit", choices=list(HABITS), default="", help="one habit; left out: all of them")
    slid = (
        "how many of a thousand chips that are laid or taken slide through a neighbour's zone or are swept with others"
    )
    parser.add_argument("--hasty", type=int, default=0, help=slid)
    again = "how many of a thousand players whose wager is gone bet again at once"
    parser.add_argument("--eager", type=int, default=100, help=again)
    stops = "in how many of a thousand deals the dealer stops for a moment"
    parser.add_argument("--falters", type=int, default=0, help=stops)
    twice = (
        "how many of a thousand chips that are laid come in two movements, "
        "and before how many of a thousand cards and play keys a wager is lifted and laid back"
    )
    parser.add_argument("--restless", type=int, default=50, help=twice)
    touched = "after how many of a thousand rounds the dealer touches the burn key in vain"
    parser.add_argument("--slips", type=int, default=0, help=touched)
    changed = (
        "before how many of a thousand cards and play keys a wager is changed for other chips, "
        "and how many of a thousand doubles are laid too large at first"
    )
    parser.add_argument("--changes", type=int, default=0, help=changed)
    again = "how many of a thousand doubles and splits are laid before their turn, or taken back and laid again"
    parser.add_argument("--thoughts", type=int, default=50, help=again)
    back = "before how many of a thousand hits and stands a double is laid and taken back"
    parser.add_argument("--withdraws", type=int, default=50, help=back)
    mended = "how many of a thousand main wagers are paid wrongly at first, or taken before they are paid"
    parser.add_argument("--mends", type=int, default=50, help=mended)
    passed = "before how many of a thousand cards and play keys chips pass over a wager"
    parser.add_argument("--passes", type=int, default=30, help=passed)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--file", type=Path, default=Path("build/campaign-habits.jsonl"))
    parser.add_argument("--report", action="store_true", help="only report what the file has")
    asked = parser.parse_args()
    asked.file.parent.mkdir(parents=True, exist_ok=True)
    done = finished(asked.file, asked.seed)
    people = {"hasty_per_mille": asked.hasty, "eager_per_mille": asked.eager, "falters_per_mille": asked.falters}
    people |= {"restless_per_mille": asked.restless, "slips_per_mille": asked.slips, "changes_per_mille": asked.changes}
    people |= {
        "thoughts_per_mille": asked.thoughts,
        "withdraws_per_mille": asked.withdraws,
        "mends_per_mille": asked.mends,
        "passes_per_mille": asked.passes,
    }
    asked_for = blocks(asked.rounds, asked.seed, habits_asked(asked.habit), **people)
    todo = [one for one in asked_for if one.number not in done]
    if not asked.report:
        with ProcessPoolExecutor(asked.jobs) as pool, asked.file.open("a") as file:
            for one in as_completed([pool.submit(played, block) for block in todo]):
                result = one.result() | {"campaign": asked.seed}
                done[result["number"]] = result
                file.write(json.dumps(result) + "\n")
                file.flush()
    print("\n".join(table([done[number] for number in sorted(done)])))
    return int(any(faults(result) for result in done.values()))


def habits_asked(habit: str) -> tuple[str, ...]:
    """The habits to go round."""
    return (habit,) if habit else tuple(HABITS)


if __name__ == "__main__":
    sys.exit(main())
