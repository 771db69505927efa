"""Each fault of ``faults.py`` at a table of its own before the real daemon, several side by side.

    .venv/bin/python -m tests.independent.fault_campaign --only "strange tags" --rounds 4

Exit status 1 if anything came of one that must not; where a fault can make a round look like another legal one
that is only shown, and every round must end all the same.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
from pathlib import Path

from tests.independent.campaign import keep, new_folder, until_quiet
from tests.independent.faults import FAULTS, Fault
from tests.independent.houses import HOUSES
from tests.independent.programs import broker
from tests.independent.sitting import Seating, sitting
from tests.independent.verdict import Verdict, judged


async def struck(folder: Path, fault: Fault, seating: Seating, rounds: int, port: int) -> Verdict:
    """Play rounds at a table that a fault befalls."""
    async with sitting(folder, seating, port, fault.made) as table:
        fault.set_up(table)
        await table.people.play(rounds)
        await until_quiet(table)
    verdict = judged(table.people.rounds, table.heard, table.missed)
    keep(folder, table)
    return verdict


def faults(fault: Fault, verdict: Verdict) -> list[str]:
    """What must not have come of it."""
    return [*verdict.unended, *verdict.broken] if fault.may_deceive else verdict.faults


async def campaign(arguments: argparse.Namespace, folder: Path) -> int:
    """Every fault asked for; how many came to something that must not be."""
    failed = 0
    todo = [(number, name) for number, name in enumerate(FAULTS) if arguments.only in name]
    async with broker(folder) as port:

        async def seat() -> None:
            nonlocal failed
            while todo:
                number, name = todo.pop(0)
                fault, seed = FAULTS[name], arguments.seed * 1_009 + number
                one = Seating(f"f{number}", arguments.profile, fault.habit, fault.boxes, seed, arguments.pace)
                verdict = await struck(folder / one.name, fault, one, arguments.rounds, port)
                wrong = faults(fault, verdict)
                failed += bool(wrong)
                print(f"{name}: {verdict.line()}; alerts {dict(verdict.alerts)}", flush=True)
                print("".join(f"  {one}\n" for one in verdict.faults), end="", flush=True)

        await asyncio.gather(*(seat() for _ in range(arguments.tables)))
    return failed


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=4)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="", help="a part of a fault's name")
    parser.add_argument("--profile", choices=list(HOUSES), default="hollywood-penn-national")
    parser.add_argument("--tables", type=int, default=6)
    parser.add_argument("--pace", type=float, default=1.5)
    parser.add_argument("--folder", type=Path, default=Path("build/independent"))
    arguments = parser.parse_args()
    failed = asyncio.run(campaign(arguments, new_folder(arguments.folder, "faults-")))
    print(f"{'FAIL' if failed else 'PASS'}: {failed} faults came to what must not be")
    return int(bool(failed))


if __name__ == "__main__":
    sys.exit(main())
