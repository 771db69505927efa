"""A bit flips somewhere in a journal and what lies beside it, in its second copy, table file, chip registry or key.

    python -m tests.campaigns.flips --flips 10000 --seed 1 --file build/flips.jsonl

A real daemon's journal is tried twice: as a kill left it, with its log, and as a stop in good order left it. After each
flip everything is done that a daemon does before it talks to anybody. What must hold: the flip is noticed, or every
record, event, checkpoint, mark and acknowledgement is what it was. One thing may be lost unnoticed: where the last that
a killed daemon did was to note what had been published or acknowledged, or to write a record whose keeping nothing had
published, and the bit is in that, it is as if it had been killed before; the events are published again, and consumers
know them by their numbers. A second copy is whole again, with every record, once the table that it follows has looked
at it.
"""

from __future__ import annotations

import argparse
import asyncio
import collections
import contextlib
import json
import random
import shutil
import signal
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, Final

from controller.daemon.recovery import recover
from controller.daemon.startup import marks_of
from controller.formats.journal.records import RecordDamaged
from controller.formats.text.toml_schema import ConfigError
from controller.io.copies.second_copy import SecondCopy, compared
from controller.io.files.key_file import read_key
from controller.io.files.table_file import load_table
from controller.io.journal.commit_marker import read_head_file
from controller.io.journal.errors import JournalDamaged, JournalFailed, NotAJournal
from controller.io.journal.journal import Journal
from controller.io.journal.reader import Head, JournalReader
from controller.io.journal.scrub import before_start
from controller.io.journal.verification import verify
from controller.io.mqtt.broker import mosquitto
from controller.io.system.clock import SystemClock
from tests.campaigns.crews import Piece, options, pieces, work_off
from tests.campaigns.kill import Campaign
from tests.campaigns.nursery import Nursery
from tests.campaigns.second_copies import FOLDER, copy_fault, folder_elsewhere, place_inside

FILES: Final = {
    "journal.sqlite": 45,
    "journal.sqlite-wal": 25,
    "journal.sqlite-head": 8,
    "journal.sqlite-shm": 4,
    "table.toml": 7,
    "chips.csv": 6,
    "table.key": 5,
    FOLDER: 10,
}
"""What is tried, and how often in a hundred."""

PLAYED: Final = 500
"""Records of the journal that is tried: rounds, checkpoints, and more than one page of everything."""

PER_HOUSE: Final = 250
"""Flips in the folders of one house."""

TABLES: Final = ("records", "events", "checkpoints", "seals", "published", "acks")
NOTES: Final = ("published", "acks")

RETRY_S: Final = 0.05
"""How soon a second copy looks again at what was refused it."""
Content = dict[str, list[Any]]


async def play(directory: Path, played: int, seed: int) -> tuple[Path, Path]:
    """A table's folder after a kill, and after a stop in good order."""
    nursery = await Nursery.open()
    house, killed, closed = directory / "house", directory / "killed", directory / "closed"
    house.mkdir()
    try:
        with folder_elsewhere(house) as copy:
            async with mosquitto() as broker:
                campaign = Campaign(house, copy, nursery, broker, seed)
                async with campaign.house.bench:
                    await campaign.start_daemon()
                    playing = asyncio.create_task(campaign.people())
                    await campaign.until_playing(played, patience_s=120)
                    await campaign.kill_daemon()
                    await asyncio.to_thread(_copy, house, copy, killed)
                    await campaign.start_daemon()
                    await campaign.until_playing(played // 4, patience_s=60)
                    playing.cancel()
                    await asyncio.gather(playing, return_exceptions=True)
                    await nursery.end(campaign.daemon, signal.SIGTERM)
                    await asyncio.to_thread(_copy, house, copy, closed)
    finally:
        await nursery.close()
    assert not campaign.faults, campaign.faults
    return killed, closed


def _copy(house: Path, copy: Path, target: Path) -> None:
    target.mkdir()
    for name in FILES:
        if (house / name).is_file():
            shutil.copy(house / name, target / name)
    shutil.copytree(copy, target / FOLDER)


def content(path: Path) -> Content:
    """Everything in a journal that anybody reads."""
    with JournalReader(path) as reader:
        return {name: list(reader.connection.execute(f"SELECT * FROM {name} ORDER BY 1")) for name in TABLES}


async def start(directory: Path) -> str:
    """Do what ``tableside run`` does first; what was noticed, empty if nothing."""
    file = directory / "table.toml"
    try:
        table = load_table(file)
        marks = marks_of(file, table)
        path = Path(table.config.table.journal)
        if path != directory / "journal.sqlite":
            return "another journal"
        place = place_inside(directory, RETRY_S)
        before_start(path)
        compared(place, path, table.key)
        journal = await Journal.open(path, key=table.key)
        second = SecondCopy(place, journal, SystemClock())
        try:
            for key, mark in marks.items():
                if journal.meta.get(key) != mark:
                    return f"{key} changed"
            recovered = recover(path, table.key)
            second.start()
        finally:
            await second.close()
            await journal.close()
        complaints: list[str] = []
        second.look(lambda _level, text: complaints.append(text))
    except ConfigError as error:
        return f"configuration: {error.lines[0]}"
    except (NotAJournal, JournalDamaged, JournalFailed, RecordDamaged, OSError) as error:
        return f"{type(error).__name__}: {error}"
    return f"hold: {recovered.hold}" if recovered.hold else complaints[-1]


def is_unpromised(before: Content, after: Content, promised: Head) -> bool:
    """Whether all that is gone is the end of what was written, and nothing had left the daemon that rests on it.

    That is what it noted of what had been published or acknowledged since its last record, or a record that was in the
    log when the kill came and not yet in the head file: nothing had said outside that it is kept.
    """
    begun = all(before[name][: len(after[name])] == after[name] for name in TABLES)
    notes = all(before[name] == after[name] for name in TABLES if name not in NOTES)
    kept = len(after["records"]) >= promised.number and len(after["events"]) >= promised.seq
    return begun and (notes or kept)


async def flip(whole: Path, before: Content, directory: Path, chance: random.Random) -> tuple[str, str, str]:
    """Flip one bit in a copy of a folder: in which file, what came of it, and what was wrong with that."""
    shutil.copytree(whole, directory, dirs_exist_ok=True)
    there = [name for name in FILES if (directory / name).exists() and (directory / name).stat().st_size]
    name = chance.choices(there, [FILES[one] for one in there])[0]
    file = chance.choice(sorted((directory / name).iterdir())) if name == FOLDER else directory / name
    data = bytearray(file.read_bytes())
    at, bit = chance.randrange(len(data)), chance.randrange(8)
    data[at] ^= 1 << bit
    mode = file.stat().st_mode
    file.write_bytes(data)
    file.chmod(mode)
    noticed = await start(directory)
    where = f"bit {bit} of byte {at} of {name} ({whole.name})"
    if name == FOLDER:
        journal = directory / "journal.sqlite"
        fault = copy_fault(directory / FOLDER, verify(journal), read_key(directory / "table.key"))
        if fault or content(journal) != before:
            return name, "wrong", f"{where}: {fault or 'the journal is another'}"
    if noticed:
        return name, "noticed", ""
    with contextlib.suppress(JournalDamaged, NotAJournal):
        after = content(directory / "journal.sqlite")
        if after == before:
            return name, "no effect", ""
        promised = read_head_file(whole / "journal.sqlite")
        if promised is not None and is_unpromised(before, after, promised):
            return name, "told again", ""
    return name, "wrong", f"{where}: not noticed, and the journal is not what it was"


async def campaign(flips: int, seed: int, played: int = PLAYED) -> tuple[dict[str, int], list[str]]:
    """Flip so many bits; how often each file was noticed or not affected, and what was wrong."""
    chance = random.Random(seed)
    counts: collections.Counter[str] = collections.Counter()
    wrong: list[str] = []
    with tempfile.TemporaryDirectory(prefix="tableside-flips-") as place:
        folders = await play(Path(place), played, seed)
        wholes = [(folder, content(folder / "journal.sqlite")) for folder in folders]
        for folder, before in wholes:
            shutil.copytree(folder, Path(place) / "sound")
            noticed = await start(Path(place) / "sound")
            assert not noticed, f"{folder.name}: noticed without a flip: {noticed}"
            assert content(Path(place) / "sound" / "journal.sqlite") == before
            shutil.rmtree(Path(place) / "sound")
        for _ in range(flips):
            folder, before = chance.choice(wholes)
            name, effect, fault = await flip(folder, before, Path(place) / "flipped", chance)
            shutil.rmtree(Path(place) / "flipped")
            counts[f"{name}: {effect}"] += 1
            if fault:
                wrong.append(fault)
                print(fault, flush=True)
    return dict(sorted(counts.items())), wrong


def work(piece: Piece) -> dict[str, Any]:
    """What came of the flips in one house."""
    counts, wrong = asyncio.run(campaign(piece.size, piece.seed))
    return {"counts": counts, "wrong": wrong}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--flips", type=int, default=10_000)
    options(parser)
    given = parser.parse_args()
    began = time.monotonic()
    found = work_off(pieces(given.flips, given.seed, PER_HOUSE), work, given.jobs, given.file)
    counts = sum((collections.Counter(one["counts"]) for one in found), collections.Counter[str]())
    wrong = [fault for one in found for fault in one["wrong"]]
    print(json.dumps(dict(sorted(counts.items())), indent=1))
    print(f"{counts.total()} flips, {len(wrong)} faults; {time.monotonic() - began:.0f} s in this run")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
