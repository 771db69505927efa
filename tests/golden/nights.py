"""Journals that a version wrote, kept so that every later one reads them (``python -m tests.golden.nights``).

What stands in ``journals/`` is never written again: a later version that cannot read it, or reads something else, is
the one that is wrong. A version with other names or another format adds journals of its own beside them.
"""

from __future__ import annotations

import asyncio
import gzip
import json
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Final

from tests.commands import auditing
from tests.core import nights
from tests.core.full_nights import FullNight
from tests.core.journals import committed
from tests.core.rig import Rig

FOLDER: Final = Path(__file__).parent / "journals"


def ruled(seed: int) -> Callable[[], Rig]:
    """A night at a table as its card has it: meters, a pool, lost readers, restarts, and a floor that rules."""
    return lambda: nights.ruled_night(seed, lambda each: FullNight(each, rounds=2))


NIGHTS: Final[dict[str, Callable[[], Rig]]] = {
    "books": lambda: auditing.days(4, 21),
    **{f"night-{seed}": ruled(seed) for seed in (1, 7, 14, 17, 18, 21, 36, 57)},
}
"""Who writes each journal."""


def unpacked(name: str, folder: Path) -> Path:
    """A kept journal in a folder of its own."""
    path = folder / f"{name}.sqlite"
    path.write_bytes(gzip.decompress((FOLDER / f"{name}.sqlite.gz").read_bytes()))
    return path


def kept(path: Path) -> str:
    """What is kept beside a journal: what was read of it when it was written."""
    exports = ("rounds", "wagers", "alerts", "meters", "sums", "video")
    return json.dumps(
        {
            "events": auditing.command("export", "--events", str(path)).splitlines(),
            "rows": {kind: auditing.command("export", "--rows", kind, str(path)).splitlines() for kind in exports},
            "meters": json.loads(auditing.command("meters", "--json", str(path))),
        },
        indent=0,
    )


def main(names: list[str]) -> None:
    """Write the journals that are not there yet."""
    FOLDER.mkdir(exist_ok=True)
    for name in names or NIGHTS:
        into = FOLDER / f"{name}.sqlite.gz"
        if into.exists():
            continue
        rig = NIGHTS[name]()
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / f"{name}.sqlite"
            asyncio.run(committed(rig.house, rig.stamped, path))
            into.write_bytes(gzip.compress(path.read_bytes(), 9, mtime=0))
            (FOLDER / f"{name}.json.gz").write_bytes(gzip.compress(kept(path).encode(), 9, mtime=0))
        print(name, rig.house.rules.name, len(rig.stamped), len(rig.events), into.stat().st_size)


if __name__ == "__main__":
    main(sys.argv[1:])
