"""Tables in a process that may be killed: what they wager follows from their names and a seed, as from a journal.

    python -m tests.link.table_process FOLDER ADDRESSES POOL SEED COUNT NAME...

FOLDER has the keys, ADDRESSES are the links of the pool with commas between. Each NAME's deeds are posted from the
first on, so that a process killed and started again posts again what its predecessor had posted. Ends once every deed
of every table is answered.
"""

from __future__ import annotations

import asyncio
import random
import sys
from collections.abc import Mapping
from pathlib import Path

from controller.core.meters.pool_postings import ClaimPosting, TablePosting, WagerPosting, WinningRow
from controller.io.system.clock import SystemClock
from controller.pool.session import LinkSession, LinkSessionEvent
from controller.pool.table_end import LinkAddress, TableEnd


def deeds(name: str, seed: int, count: int) -> list[TablePosting]:
    """What a table does: wagers of several sizes, now and then a tenth of the pool or all of it."""
    chance = random.Random(f"{seed} {name}")
    found: list[TablePosting] = []
    for number in range(1, count + 1):
        drawn = chance.random()
        last = found[-1] if found else None
        if drawn < 0.97 or not isinstance(last, WagerPosting):
            found.append(WagerPosting(chance.choice((100, 500, 33, 7)), number, chance.randint(1, 7), "blazing_7s"))
        else:
            share = (1, 10) if drawn < 0.99 else (1, 1)
            found.append(ClaimPosting(last.round, (WinningRow(last.spot, last.bet, "row", share),)))
    return found


async def play(folder: Path, ways: list[LinkAddress], pool: str, plans: Mapping[str, list[TablePosting]]) -> None:
    clock = SystemClock()
    ends: list[TableEnd] = []
    finished = asyncio.Event()

    def finish(event: LinkSessionEvent) -> None:
        del event
        if all(not end.session.outstanding for end in ends):
            finished.set()

    for name, plan in plans.items():
        secret = (folder / f"{name.replace('/', '_')}.key").read_bytes()
        own = [where._replace(secret_key=secret) for where in ways]
        session = LinkSession(pool, 1, clock.monotonic_ns(), waiting=plan)
        ends.append(TableEnd(own, session, clock, finish, chance=random.Random(1), alarm=sys.exit))
    tasks = [asyncio.create_task(end.run()) for end in ends]
    await finished.wait()
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


def main() -> None:
    """Play the tables named on the command line."""
    keys, addresses, pool, seed, count, *names = sys.argv[1:]
    folder = Path(keys)
    server_key = (folder / "link.pub").read_bytes()
    ways = [LinkAddress(address, server_key, b"") for address in addresses.split(",")]
    asyncio.run(play(folder, ways, pool, {name: deeds(name, int(seed), int(count)) for name in names}))


if __name__ == "__main__":
    main()
