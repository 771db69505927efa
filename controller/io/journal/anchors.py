"""Heads of a journal that others keep: one that the journal lacks proves that it is an older copy of itself.

A journal set back by a copy of it that was whole, with that copy's own head file, shows nothing of it. So its signed
heads (``controller.formats.journal.tree_heads``) are kept outside: by durable consumers, the trigger box, the second
copy. Each shows its own to the table when that starts. A head cannot be forged: it is signed with the table's key. So
one that the journal lacks ends the table, and a file beside the journal keeps it from starting again until a journal is
there that has it, or a new epoch.
"""

from __future__ import annotations

import asyncio
import os
from pathlib import Path
from typing import Final

import structlog

from controller.formats.journal.records import Identity
from controller.formats.journal.seals import Sealing
from controller.formats.journal.signed_note import NoteRefused
from controller.formats.journal.tree_heads import TreeHead, epoch_of, name_in, read_head
from controller.io.files.fsync_dir import sync_directory
from controller.io.files.plain_files import FileRefused, content
from controller.io.journal.errors import JournalDamaged
from controller.io.journal.journal import Journal
from controller.io.journal.reader import JournalReader

SUFFIX: Final = "-later-head"
"""Of the file beside a journal that has a head which the journal lacks: who showed it, and the signed note."""

LIMIT_BYTES: Final = 4096
"""Many times what a signed head needs."""

log = structlog.get_logger(__name__)


class HeadRefused(ValueError):  # noqa: N818 - named for what happened
    """It is no head of this table's journals, signed with its key; the text says why."""


def own_head(signed: str, sealing: Sealing, identity: Identity) -> tuple[int, TreeHead]:
    """A head signed with the table's key, and the epoch of the journal it is of.

    Raises:
        HeadRefused: it is none.
    """
    epoch = epoch_of(name_in(signed), identity)
    if epoch is None or len(signed) > LIMIT_BYTES:
        raise HeadRefused(f"a head of {name_in(signed)[:80]!r}, not of this table's journals")
    try:
        return epoch, read_head(signed, sealing.verifier_of(epoch))
    except NoteRefused as refused:
        raise HeadRefused(str(refused)) from refused


def is_of_earlier_epoch(signed: str, identity: Identity) -> bool:
    """Whether a head claims to be of a journal before this one, of which it says nothing whoever signed it.

    With the epoch the table's key may have been changed, so that nothing here tells who did.
    """
    epoch = epoch_of(name_in(signed), identity)
    return epoch is not None and epoch < identity.epoch


def lacking(epoch: int, head: TreeHead, identity: Identity, last: int, root: bytes | None) -> str:
    """What a journal that ends with record ``last`` lacks of what was signed in ``head``; empty if nothing.

    ``root`` is what it had signed itself after as many records, None if nothing.
    """
    if epoch > identity.epoch:
        return f"of epoch {epoch}, and this journal is of epoch {identity.epoch}"
    if head.size > last:
        return f"of record {head.size}, and this journal ends with record {last}"
    return "" if root == head.root else f"of record {head.size} with other records up to it than this journal has"


def lost_to(reader: JournalReader, sealing: Sealing, journal: Path) -> str | None:
    """What a journal lacks of what was shown beside ``journal``, in one line; None if nothing.

    Raises:
        JournalDamaged: what lies beside it cannot be read.
    """
    noted = _read(journal)
    if noted is None:
        return None
    who, signed = noted
    if is_of_earlier_epoch(signed, reader.identity):
        return None
    try:
        epoch, head = own_head(signed, sealing, reader.identity)
    except HeadRefused as refused:
        raise JournalDamaged(f"{journal}{SUFFIX}: {refused}") from refused
    seal = reader.last_seal(head.size)
    root = seal.root if seal is not None and seal.number == head.size else None
    lost = lacking(epoch, head, reader.identity, reader.head().number, root)
    return f"{who} keeps a signed head {lost}" if lost else None


async def refuse_set_back(journal: Journal) -> None:
    """Refuse a journal that lacks what somebody has shown to have been in it; forget what it has again.

    Raises:
        JournalDamaged: it lacks it, or what lies beside it cannot be read.
    """
    sealing = journal.sealing
    if sealing is None:
        return

    def look() -> None:
        with JournalReader(journal.path) as reader:
            lost = lost_to(reader, sealing, journal.path)
        if lost is not None:
            raise JournalDamaged(_older_copy_text(journal.path, lost))
        Path(f"{journal.path}{SUFFIX}").unlink(missing_ok=True)

    await asyncio.to_thread(look)


class Anchors:
    """Gives a running table's signed heads away, and holds those that come back against its journal."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self._found: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    async def run(self) -> None:
        """Wait until somebody shows a head that the journal lacks.

        Raises:
            JournalDamaged: they have.
        """
        await asyncio.shield(self._found)

    @property
    def is_set_back(self) -> bool:
        """Whether a head that the journal lacks has been shown."""
        return self._found.done()

    async def signed_head(self) -> str:
        """The head to keep, as it was signed with the last commit; empty if there is none."""
        return await self._journal.signed_head()

    async def shown(self, who: str, signed: str) -> str:
        """Take the head that ``who`` keeps; what is wrong with it, empty if nothing is.

        One that the journal lacks is noted beside it and ends ``run``.
        """
        journal = self._journal
        if journal.sealing is None or self._found.done() or is_of_earlier_epoch(signed, journal.identity):
            return ""
        try:
            epoch, head = own_head(signed, journal.sealing, journal.identity)
        except HeadRefused as refused:
            return f"{who} keeps no head that this table has signed: {refused}"
        lost = lacking(epoch, head, journal.identity, journal.head.number, await journal.known_head(head.size))
        if not lost:
            return ""
        said = f"{who} keeps a signed head {lost}"
        log.error("journal set back", said=said)
        try:
            await asyncio.to_thread(_note, journal.path, who, signed)
        except OSError as error:
            log.warning("later head not noted", reason=str(error))
        if not self._found.done():
            self._found.set_exception(JournalDamaged(_older_copy_text(journal.path, said)))
        return said


def _older_copy_text(path: Path, lost: str) -> str:
    return (
        f"{path}: {lost}: an older copy was put in its place. Stop play, keep this file, and put the journal back that"
        " has it (tableside restore --aside) or begin a new epoch (tableside begin-epoch)"
    )


def _note(journal: Path, who: str, signed: str) -> None:
    path = Path(f"{journal}{SUFFIX}")
    part = path.with_name(f"{path.name}.part")
    descriptor = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(f"{who}\n{signed}")
        file.flush()
        os.fsync(file.fileno())
    part.rename(path)
    sync_directory(journal.parent)


def _read(journal: Path) -> tuple[str, str] | None:
    try:
        text = content(f"{journal}{SUFFIX}", LIMIT_BYTES).decode()
    except FileRefused as refused:
        if refused.is_absent:
            return None
        raise JournalDamaged(str(refused)) from refused
    except UnicodeDecodeError as error:
        raise JournalDamaged(f"{journal}{SUFFIX}: {error}") from error
    who, _, signed = text.partition("\n")
    return who, signed
