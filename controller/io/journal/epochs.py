"""Begins a journal anew where the old one can no longer be gone on with; the old one is kept beside it."""

from __future__ import annotations

import asyncio
import os
import re
from pathlib import Path
from typing import Final, NamedTuple

from controller.core.persons import same_person
from controller.formats.journal.records import Identity
from controller.formats.text.printable import misread_reason
from controller.io.files.fsync_dir import sync_directory
from controller.io.journal.errors import JournalDamaged, JournalFailed, NotAJournal
from controller.io.journal.journal import Journal
from controller.io.journal.lock import take_lock
from controller.io.journal.reader import JournalReader

_EPOCH_DIGITS: Final = 10
"""Of a time in seconds: a longer number in the name of a file is no epoch."""

_AHEAD_SECONDS: Final = 86_400
"""How far an epoch may be ahead of the clock, which a link allows too, where nothing but the second copy says it."""

_BEGINNING_BYTES: Final = 1024**2
"""Of a journal: what it states about itself is written first."""

BESIDE: Final = ("-wal", "-shm", "-head", "-damaged")
"""What may lie beside a journal and belongs to it; the journal itself is moved last."""


class EpochRefused(Exception):  # noqa: N818 - named for what happened
    """No epoch was begun; the text says why."""


class EpochRuling(NamedTuple):
    """Two persons, and why; ``order`` is what they signed, empty where they gave their names only."""

    who: str
    witness: str
    why: str
    order: str = ""


class EpochStart(NamedTuple):
    """The epoch that begins, and the place of the old journal (None: there was no old journal)."""

    identity: Identity
    kept: Path | None
    before: str
    """What the old journal was, in one line."""


async def begin_epoch(
    path: Path, site: str, table: str, ruling: EpochRuling, wall_ns: int, *, known: int = 0
) -> EpochStart:
    """Put the journal at ``path`` aside and begin another, with a higher epoch.

    It is higher too than that of any journal kept beside it, and than ``known``, the last of the second copy: the old
    one may be gone or unreadable, and the clock behind.

    The new one says which epoch it follows, by whom and why. The old one keeps its name with its epoch's number before
    the ending. May be called again if it was cut off in between.

    Raises:
        EpochRefused: the persons are not two, a name or the reason may be misread, the table runs, the journal is
            another table's, the second copy is of an epoch to come, or the disk refuses.
    """
    names = [ruling.who.strip(), ruling.witness.strip()]
    given = {"--who": names[0], "--witness": names[1], "--why": ruling.why.strip()}
    if lacking := [option for option, text in given.items() if not text]:
        raise EpochRefused(f"a new epoch needs two people and a reason; give {', '.join(lacking)} too")
    for option, text in {**given, "--why": ruling.why}.items():
        if wrong := misread_reason(text):
            raise EpochRefused(f"{option}: {wrong}")
    if same_person(*names):
        raise EpochRefused(f"a new epoch needs two people; --who and --witness are one: {names[0]}")
    try:
        moved = await asyncio.to_thread(_finish_moving, path)
        old, said = await asyncio.to_thread(_old, moved or path)
        if old is not None and (old.site, old.table) != (site, table):
            raise EpochRefused(f"{path}: this is the journal of {old.site}/{old.table}, not of {site}/{table}")
        last = await asyncio.to_thread(_last_epoch, path, moved or path) if old is None else old.epoch
        now = wall_ns // 1_000_000_000
        if known > max(last, now + _AHEAD_SECONDS):
            raise EpochRefused(
                f"{path}: the second copy has segments of epoch {known}, which is later than the clock shows: set the"
                " clock, or move them away if they are not this table's"
            )
        epoch = max(now, max(known, last) + 1)
        new = Path(f"{path}.new")
        await asyncio.to_thread(_clear, new)
        identity = Identity(site, table, epoch)
        journal = await Journal.open(new, identity, created_wall_ns=wall_ns)
        follows = "none" if old is None else f"{old.epoch}: {said}"
        facts = (("follows", follows), ("who", names[0]), ("witness", names[1]), ("why", ruling.why))
        for key, value in (*facts, *([("order", ruling.order)] if ruling.order else [])):
            await journal.note(key, value)
        await journal.close()
        kept = await asyncio.to_thread(_exchange, path, new, "unreadable" if old is None else str(old.epoch))
    except JournalFailed as error:
        raise EpochRefused(str(error)) from error
    except OSError as error:
        raise EpochRefused(f"{path}: {error}") from error
    return EpochStart(identity, kept or moved, said)


def followed(path: Path, site: str, table: str) -> str:
    """What a new epoch at ``path`` would follow, in one line: epoch, last record and event, head.

    Raises:
        EpochRefused: the table runs, or it is another table's journal.
        OSError: it cannot be read.
    """
    try:
        old, said = _old(_finish_moving(path) or path)
    except JournalFailed as error:
        raise EpochRefused(str(error)) from error
    if old is not None and (old.site, old.table) != (site, table):
        raise EpochRefused(f"{path}: this is the journal of {old.site}/{old.table}, not of {site}/{table}")
    return said if old is None else f"{old.epoch}: {said}"


def _last_epoch(path: Path, old: Path) -> int:
    """The epoch of a journal that cannot be read or is gone, as far as what is left of it and beside it says; else 0.

    One that followed a journal that was kept has the next epoch, or a higher one by the clock of its time.
    """
    kept = re.compile(rf"{re.escape(path.stem)}\.(\d{{1,{_EPOCH_DIGITS}}})(-\d+)?{re.escape(path.suffix)}")
    beside = (kept.fullmatch(one.name) for one in path.parent.iterdir())
    follows = max((int(one[1]) + 1 for one in beside if one is not None), default=0)
    if not old.is_file():
        return follows
    with old.open("rb") as file:
        left = file.read(_BEGINNING_BYTES)
    # A text and the next one of its row lie in the file without anything between.
    said = re.findall(rb"epoch(\d{1,%d})" % _EPOCH_DIGITS, left)
    return max(follows, *map(int, said), 0)


def _clear(new: Path) -> None:
    """Remove what was begun and never put in place."""
    for suffix in ("", *BESIDE):
        Path(f"{new}{suffix}").unlink(missing_ok=True)


def _old(path: Path) -> tuple[Identity | None, str]:
    """Whose journal lies there (None: it cannot be read), and its state; no process may be writing it."""
    if not path.exists() or not path.stat().st_size:
        return None, "no journal"
    lock = take_lock(path, create=False)
    try:
        with JournalReader(path, is_older_read=True) as reader:
            head = reader.head()
            return reader.identity, f"record {head.number}, event {head.seq}, head {head.hash.hex()}"
    except (JournalDamaged, NotAJournal) as error:
        return None, str(error)
    finally:
        os.close(lock)


def _exchange(path: Path, new: Path, epoch: str) -> Path | None:
    """Move the old journal aside, the new one in its place. In between ``new`` keeps a daemon from beginning one."""
    kept = path.with_name(f"{path.stem}.{epoch}{path.suffix}")
    number = 1
    while kept.exists():
        number += 1
        kept = path.with_name(f"{path.stem}.{epoch}-{number}{path.suffix}")
    there = path.exists() and path.stat().st_size > 0
    # The journal before what lies beside it: without its log it would be a journal that ends early, and look whole.
    if path.exists():
        path.rename(kept)
    sync_directory(path.parent)
    _move_beside(path, kept)
    for suffix in ("", "-head"):
        Path(f"{new}{suffix}").rename(f"{path}{suffix}")
        sync_directory(path.parent)
    return kept if there else None


def _move_beside(path: Path, kept: Path) -> None:
    for suffix in BESIDE:
        beside, target = Path(f"{path}{suffix}"), Path(f"{kept}{suffix}")
        if beside.exists() and not target.exists():
            beside.rename(target)
    sync_directory(path.parent)


def _finish_moving(path: Path) -> Path | None:
    """Where an old journal was moved when it was cut off before all of it had been; what was left of it follows it.

    Raises:
        OSError: the disk refused.
    """
    if path.exists():
        return None
    try:
        with JournalReader(Path(f"{path}.new")) as reader:
            epoch = reader.meta.get("follows", "").partition(":")[0]
    except (JournalDamaged, NotAJournal):
        return None
    found = [path.with_name(f"{path.stem}.{epoch}{path.suffix}")]
    while (another := path.with_name(f"{path.stem}.{epoch}-{len(found) + 1}{path.suffix}")).exists():
        found.append(another)
    kept = found[-1]
    if not kept.exists():
        return None
    _move_beside(path, kept)
    return kept
