"""The account of a shift, as ``tableside report`` writes it: made by that program, so that no page waits meanwhile.

A journal of a whole day takes seconds to read; in this process nothing else would be sent in that time.
"""

from __future__ import annotations

import asyncio
import re
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Final, NamedTuple

import msgspec

from controller.formats.text.safe_parse import own_json
from controller.io.journal.errors import JournalDamaged, NotAJournal
from controller.io.journal.reader import JournalReader
from controller.reports.shift import Shift

KEPT_SECONDS: Final = 5.0
"""How long an account is given again as it was made, however many pages ask."""

MAKING_SECONDS: Final = 60.0
"""How long one may take to make."""

ACCOUNTS_LIMIT: Final = 64
"""Accounts that are kept."""

WORD: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9 _-]{0,31}")
"""A day or the name of a shift, as it is typed."""


class AccountRefused(Exception):  # noqa: N818 - named for what happened
    """There is no such account; the text says why, on one line."""


class ShiftAccount(msgspec.Struct, frozen=True):
    """An account with what follows from it. ``hold`` in 1/100 %, ``table_win_cents``: null where counts are missing.

    ``restated_table_win_cents`` is that with what was entered later; null too where nothing restates the account.
    ``is_running``: its time was not over when it was made.
    """

    account: msgspec.Raw
    handle_cents: int
    win_cents: int
    hold: int | None
    table_win_cents: int | None
    restated_table_win_cents: int | None
    is_running: bool


class ShiftChoice(NamedTuple):
    """A day (``today``, ``2026-11-21``; empty: the whole journal) and of it one shift (empty: all of the day)."""

    day: str = ""
    shift: str = ""


class Accounts:
    """Accounts of the journals that were named. ``now`` is monotonic seconds."""

    def __init__(self, paths: Iterable[Path], now: Callable[[], float]) -> None:
        self._paths = tuple(paths)
        self._now = now
        self._kept: dict[tuple[Path, ShiftChoice], tuple[float, ShiftAccount]] = {}
        self._one_at_a_time = asyncio.Lock()

    async def account(self, table: str, asked: ShiftChoice) -> ShiftAccount:
        """The account of ``SITE/TABLE``.

        Raises:
            AccountRefused: there is no such journal or no such time, or it cannot be read.
        """
        for name, word in asked._asdict().items():
            if word and not WORD.fullmatch(word):
                raise AccountRefused(f"{name}: expected a name such as today, 2026-11-21 or swing, got {word!r}")
        async with self._one_at_a_time:
            path = await asyncio.to_thread(self._journal, table)
            made, known = self._kept.get((path, asked), (0.0, None))
            if known is not None and self._now() < made + KEPT_SECONDS:
                return known
            found = account_of(await written(path, asked))
            while len(self._kept) >= ACCOUNTS_LIMIT:
                del self._kept[next(iter(self._kept))]
            self._kept[path, asked] = (self._now(), found)
            return found

    def _journal(self, table: str) -> Path:
        """The journal of a table; of several the one of its last epoch."""
        found: list[tuple[int, Path]] = []
        for path in self._paths:
            try:
                with JournalReader(path) as reader:
                    if f"{reader.identity.site}/{reader.identity.table}" == table:
                        found.append((reader.identity.epoch, path))
            except (NotAJournal, JournalDamaged):
                continue
        if not found:
            raise AccountRefused(f"no journal of {table} was named, or none can be read; see: tableside web --journal")
        return max(found)[1]


def account_of(text: bytes) -> ShiftAccount:
    """What ``tableside report --json`` wrote, with what follows from it."""
    shift: Shift = own_json(text, Shift)
    running = not shift.is_over if shift.until else True
    return ShiftAccount(
        msgspec.Raw(text.strip()),
        shift.handle_cents,
        shift.win_cents,
        shift.hold,
        shift.inventory.win_cents,
        None if shift.restated is None else shift.restated.inventory.win_cents,
        running,
    )


async def written(path: Path, asked: ShiftChoice) -> bytes:
    """What the program writes of a journal.

    Raises:
        AccountRefused: it refuses, or takes too long.
    """
    words = [f"--{name}={word}" for name, word in asked._asdict().items() if word]
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "controller", "report", "--json", *words, "--", str(path)),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    try:
        async with asyncio.timeout(MAKING_SECONDS):
            output, said = await process.communicate()
    except TimeoutError as error:
        raise AccountRefused(f"{path.name}: no account within {MAKING_SECONDS:.0f} s; ask for a day") from error
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    if process.returncode:
        reason = said.decode(errors="replace").strip().rpartition("\n")[2].removeprefix("tableside: ")
        raise AccountRefused(reason.replace(str(path), path.name))
    return output
