"""A folder of segments, looked through: what of it is whole, and where something is missing or damaged.

Segments are called ``EPOCH-NUMBER.segment``; each begins where the one numbered before it ends. One that is damaged is
put aside as ``NAME.damaged-1``, and what it held is written anew from the journal; nothing is thrown away.
"""

from __future__ import annotations

import re
import stat
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final, NamedTuple

from controller.formats.journal.records import Identity
from controller.formats.journal.segments import Batch, CopyPosition, SegmentDamaged, beginning, read_segment, read_start
from controller.io.files.fsync_dir import damaged_name
from controller.io.files.plain_files import content, opened

NAME: Final = re.compile(r"(\d{1,19})-(\d{8})\.segment")

SEGMENT_LIMIT_BYTES: Final = 1024**3
"""Of a segment that is read: a hundred times what one grows to, save by one large batch."""

START_BYTES: Final = 4096
"""More than any segment's start is long."""


class NoCopy(Exception):  # noqa: N818 - named for what happened
    """There is no second copy here, or it is another table's; the text says which."""


class Hole(NamedTuple):
    """What a copy lacks, from ``start`` to ``end`` (None: to wherever the journal is).

    ``damaged`` is what lies there, ``numbers`` those of the segments to fill it with.
    """

    start: CopyPosition
    end: CopyPosition | None
    numbers: range
    damaged: tuple[Path, ...]
    text: str


class Survey(NamedTuple):
    """What a folder holds of one epoch.

    ``whole`` is how far it is whole from its beginning, ``reached`` where its last segment ends. ``last`` is that
    segment, None if what follows goes into a new one, called ``number``.
    """

    identity: Identity
    whole: CopyPosition
    reached: CopyPosition
    holes: tuple[Hole, ...]
    segments: tuple[Path, ...]
    last: Path | None
    number: int

    @property
    def damage(self) -> str | None:
        """What is wrong with it, in one line; None if it is whole."""
        return self.holes[0].text if self.holes else None


def segment_path(folder: Path, epoch: int, number: int) -> Path:
    """What a segment is called."""
    return folder / f"{epoch}-{number:08}.segment"


def epochs(folder: Path) -> list[int]:
    """The epochs that a folder has segments of, in order.

    Raises:
        OSError: it cannot be read.
    """
    found = (NAME.fullmatch(path.name) for path in folder.iterdir())
    return sorted({int(one[1]) for one in found if one is not None})


def survey(
    folder: Path,
    identity: Identity | None = None,
    *,
    thorough: bool = True,
    between: Callable[[], None] = lambda: None,
) -> Survey:
    """Look a folder through, for the journal of ``identity``, or of the last epoch it has.

    Not ``thorough``, of all segments but the last only the beginning is read, unless something is wrong. ``between`` is
    called after each segment.

    Raises:
        NoCopy: it has none of that epoch and no ``identity`` was given, or it is another table's.
        OSError: it cannot be read.
    """
    there = epochs(folder)
    if identity is None and not there:
        raise NoCopy(f"{folder}: there is no second copy here")
    epoch = there[-1] if identity is None else identity.epoch
    named = (NAME.fullmatch(path.name) for path in folder.iterdir())
    numbered = sorted((int(one[2]), folder / one[0]) for one in named if one is not None and int(one[1]) == epoch)
    seen: list[_Seen] = []
    for one in numbered:
        seen.append(_look(*one, thorough=thorough or one is numbered[-1]))
        between()
    if not thorough and any(found.fault and not found.is_torn for found in seen):
        return survey(folder, identity)
    for found in seen:
        if found.identity is not None and identity is None:
            identity = found.identity
        if found.identity is not None and found.identity != identity:
            assert identity is not None
            own = "give each table a folder of its own"
            raise NoCopy(f"{found.path}: a copy of {found.identity.text()}, not of {identity.text()}: {own}")
    if identity is None:
        raise NoCopy(f"{folder}: no segment of epoch {epoch} says whose it is")
    return _put_together(identity, seen)


def batches(found: Survey) -> Iterator[Batch]:
    """Everything a whole copy holds, in order.

    Raises:
        SegmentDamaged: it is not what it was when it was looked through.
        OSError: it cannot be read.
    """
    at = beginning(found.identity)
    for path in found.segments:
        segment = read_segment(content(path, SEGMENT_LIMIT_BYTES))
        if segment.start != at:
            raise SegmentDamaged(f"{path}: does not follow the segment before it")
        yield from segment.batches
        at = segment.reached


def put_aside(path: Path) -> Path:
    """Give a damaged segment another name; which.

    Raises:
        OSError: the disk refused.
    """
    return path.rename(damaged_name(path))


class _Seen(NamedTuple):
    """A segment as it was read; ``end`` is None if it was not read to its end, or is damaged."""

    number: int
    path: Path
    identity: Identity | None
    start: CopyPosition | None
    end: CopyPosition | None
    fault: str
    is_torn: bool
    whole: CopyPosition | None = None


def _look(number: int, path: Path, *, thorough: bool) -> _Seen:
    if not stat.S_ISREG(path.lstat().st_mode):
        # Nor is a link one: it may lead to the journal's own device.
        return _Seen(number, path, None, None, None, f"{path}: expected a file, found something else", is_torn=False)
    try:
        if not thorough:
            with opened(path, SEGMENT_LIMIT_BYTES) as file:
                identity, start, _ = read_start(file.read(START_BYTES))
            return _Seen(number, path, identity, start, None, "", is_torn=False)
        found = read_segment(content(path, SEGMENT_LIMIT_BYTES))
    except SegmentDamaged as damage:
        return _Seen(number, path, None, None, None, f"{path}: {damage}", is_torn=False)
    fault = f"{path}: {found.fault}" if found.fault else ""
    return _Seen(number, path, found.identity, found.start, found.reached, fault, found.is_torn, found.reached)


def _put_together(identity: Identity, seen: list[_Seen]) -> Survey:
    sound: list[_Seen] = []
    holes: list[Hole] = []
    bad: list[_Seen] = []
    for place, one in enumerate(seen):
        is_last = place == len(seen) - 1
        at = _end_of(sound, one.start) or beginning(identity)
        if one.start is None or (one.fault and not (is_last and one.is_torn)):
            bad.append(one)
            continue
        if one.start != at or bad:
            if not at.rows.is_within(one.start.rows):
                bad.append(one._replace(fault=f"{one.path}: does not follow the segment before it"))
                continue
            if not bad and sound and sound[-1].number + 1 == one.number:
                # The one before was cut off behind a mark: it is written anew as a whole.
                cut = sound.pop()
                bad.append(cut._replace(fault=f"{cut.path}: ends before the next begins"))
                at = _end_of(sound, cut.start) or beginning(identity)
            first = sound[-1].number + 1 if sound else 1
            text = bad[0].fault if bad else f"{one.path}: what comes before it is missing"
            holes.append(Hole(at, one.start, range(first, one.number), tuple(gone.path for gone in bad), text))
            bad = []
        sound.append(one)
    at = _end_of(sound, None) or beginning(identity)
    number = sound[-1].number + 1 if sound else 1
    if bad:
        holes.append(Hole(at, None, range(number, number), tuple(gone.path for gone in bad), bad[0].fault))
    whole = at
    if holes:
        inside = next((one.whole for one in seen if one.path in holes[0].damaged and one.start == holes[0].start), None)
        whole = inside or holes[0].start
    paths = tuple(one.path for one in sound)
    last = paths[-1] if paths and not bad else None
    return Survey(identity, whole, at, tuple(holes), paths, last, number)


def _end_of(sound: list[_Seen], next_start: CopyPosition | None) -> CopyPosition | None:
    """Where the last sound segment ends; one that was not read to its end, where the next begins."""
    if not sound:
        return None
    return sound[-1].end or next_start
