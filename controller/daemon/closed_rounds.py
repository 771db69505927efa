"""Rounds that have left the table's books: read again from its journal when somebody rules on one.

The search takes seconds in a long epoch. It runs beside the table, which goes on; the ruling is stepped once the round
is back on the books.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Final, NamedTuple, TypeGuard

import structlog

from controller.core.game.wager import RoundBook
from controller.core.messages.inputs import AdjustWager, BookRecalled, Input, VoidRound
from controller.core.refusal_reason import RefusalReason
from controller.core.table.ledger import recall
from controller.core.table.state import State
from controller.formats.mqtt.envelope import own_event
from controller.io.journal.errors import JournalDamaged
from controller.io.journal.reader import JournalReader

log: structlog.stdlib.BoundLogger = structlog.get_logger()

WAITING_LIMIT: Final = 8
"""Rulings on old rounds that may wait at once; a person types one in a minute."""


class LateRuling(NamedTuple):
    """A ruling that waits for its round."""

    ruling: VoidRound | AdjustWager
    give: Callable[[], None]
    """Let the table have the ruling."""
    refuse: Callable[[RefusalReason], None]
    """Say why it cannot be carried out."""


def _ruled_by(late: LateRuling) -> str:
    """Whose a ruling is: a key's owner, whoever brought it, or somebody at a socket, where a name proves nothing."""
    vouched = late.ruling.vouched
    return late.ruling.who if vouched.by_own_key() else vouched.text()


class OldRounds:
    """Looks rounds up, one at a time."""

    def __init__(self, look_up: Callable[[int], RoundBook | None], keep: Callable[[Input], Awaitable[None]]) -> None:
        """``look_up`` reads a round from the journal, in a thread; ``keep`` gives the table an input and waits for it.

        It may raise ``JournalDamaged`` or ``OSError``.
        """
        self._look_up = look_up
        self._keep = keep
        self._waiting: list[LateRuling] = []
        self._stirred = asyncio.Event()

    def take(self, late: LateRuling) -> None:
        """Look its round up, then give it to the table.

        Where too many wait, the last ruling of whoever has the most of them is refused: one person who rules on round
        after round keeps nobody else from ruling on one.
        """
        self._waiting.append(late)
        if len(self._waiting) > WAITING_LIMIT:
            counts = Counter(map(_ruled_by, self._waiting))
            refused = max(reversed(self._waiting), key=lambda one: counts[_ruled_by(one)])
            self._waiting.remove(refused)
            text = f"{WAITING_LIMIT} rulings on old rounds wait already; try again in a minute"
            refused.refuse(RefusalReason("too_many_waiting", text))
        self._stirred.set()

    async def run(self) -> None:
        """Look up what is waited for, for ever."""
        while True:
            while not self._waiting:
                self._stirred.clear()
                await self._stirred.wait()
            late = self._waiting.pop(0)
            number = late.ruling.round
            try:
                book = await asyncio.to_thread(self._look_up, number)
            except (JournalDamaged, OSError) as error:
                log.warning("old round not read", round=number, reason=str(error))
                text = f"round {number} could not be read from the journal: {error}"
                late.refuse(RefusalReason("journal_unreadable", text))
                continue
            if book is not None:
                await self._keep(BookRecalled(late.ruling.at_ns, book))
            late.give()


def is_late(given: Input, state: State) -> TypeGuard[VoidRound | AdjustWager]:
    """Whether an order rules on a round that was dealt and has left the books."""
    if not isinstance(given, VoidRound | AdjustWager):
        return False
    return 0 < given.round <= state.rounds and all(book.round != given.round for book in state.books)


def look_up(journal: Path, number: int) -> RoundBook | None:
    """A round's book out of the journal; None if its bets were never locked.

    Raises:
        JournalDamaged: the journal cannot be read.
    """
    with JournalReader(journal) as reader:
        found = (own_event(row.body).event for row in reader.events_with(b'"round":%d' % number))
        return recall(found, number)
