"""A table's end of the link, without clock or socket: what it posts, in order, until it is answered.

The table keeps every deed until the ledger's answer came and posts it again as often as needed; the ledger enters it
once. So an outage of any length is caught up with exactly. The pool is closed for wagers as soon as the link has said
nothing, or has left a posting unanswered, for two seconds, and until everything of before is caught up with.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from itertools import islice
from typing import Final, NamedTuple, assert_never

from controller.core.meters.pool_postings import TablePosting
from controller.pool.postings import LedgerAnswer, LedgerEntry, OutOfOrder
from controller.pool.wire import NOT_ADDED_UP, PoolStatus, PostingAnswer, PostingRequest, StatusRequest

ASK_NS: Final = 500_000_000
"""Between two questions what the pool stands at."""

SILENCE_NS: Final = 1_750_000_000
"""Silence after which the pool is closed: with the time to act on it, within two seconds."""

AGAIN_NS: Final = 1_000_000_000
"""How long the oldest posting may wait for its answer before all are posted again."""

WINDOW: Final = 64
"""Postings that may be under way at once."""

STILL_NS: Final = 900_000_000_000
"""How often the table is informed again that the pool is closed still."""

BEHIND_LIMIT: Final = 3
"""Times in a row that the ledger may be behind what it has answered."""


class PoolState(NamedTuple):
    """The state of the pool for the sign and the bet spots; ``closed``: why nothing may be wagered, or empty."""

    shown_cents: int | None
    closed: str


class PostingConfirmed(NamedTuple):
    """A deed of ours is in the ledger, with its answer. They come in the order of ``seq``."""

    seq: int
    answer: LedgerEntry


LinkSessionEvent = PoolState | PostingConfirmed


class Reaction(NamedTuple):
    """Messages to send, and events for the table."""

    send: tuple[StatusRequest | PostingRequest, ...] = ()
    events: tuple[LinkSessionEvent, ...] = ()


class LinkSession:
    """One table's postings to one pool."""

    def __init__(
        self, pool: str, epoch: int, now_ns: int, *, settled: int = 0, waiting: Iterable[TablePosting] = ()
    ) -> None:
        """``settled``: the last of our postings that was answered; ``waiting``: the deeds after it, in order."""
        self._pool = pool
        self._epoch = epoch
        self._settled = settled
        self._waiting: deque[TablePosting] = deque(waiting)
        self._sent = 0
        """How many of those waiting are under way."""
        self._last_sent = settled + len(self._waiting)
        """The last posting that any link can have been sent: those of before, and since then what was sent."""
        self._ask_ns = now_ns
        self._silent_ns = now_ns + SILENCE_NS
        self._again_ns = 0
        self._stall_ns = now_ns + SILENCE_NS
        self._catch_up = settled + len(self._waiting)
        """The pool stays closed until this posting is settled."""
        self._is_connected = False
        self._pool_is_known = False
        """Whether the link that is spoken to now has said which pool it has: before, nothing is posted to it."""
        self._link_closed = ""
        self._shown_cents: int | None = None
        self._number = 0
        """The entry of the ledger after which the pool showed that."""
        self._older = 0
        self._dispute = ""
        self._behind = 0
        self._last = PoolState(None, "")
        self._still_ns = now_ns + STILL_NS

    @property
    def outstanding(self) -> int:
        """Deeds not yet answered."""
        return len(self._waiting)

    @property
    def condemned(self) -> bool:
        """Whether the link said last that the ledger does not add up: then no other is asked whether it does."""
        return self._link_closed == NOT_ADDED_UP

    @property
    def shows(self) -> PoolState:
        """What sign and bet spots are to show now."""
        if self._dispute:
            return PoolState(None, self._dispute)
        if not self._is_connected:
            return PoolState(None, "the link is away")
        if self._link_closed:
            return PoolState(None, self._link_closed)
        if self._settled < self._catch_up:
            return PoolState(None, "catching up with the ledger")
        return PoolState(self._shown_cents, "")

    def post(self, now_ns: int, deed: TablePosting) -> tuple[int, Reaction]:
        """Put a deed to the ledger; its number, and what to do."""
        if not self._waiting:
            self._stall_ns = now_ns + SILENCE_NS
        self._waiting.append(deed)
        seq = self._settled + len(self._waiting)
        if self.shows.closed:
            self._catch_up = seq
        return seq, self._reaction(now_ns)

    def receive(self, now_ns: int, message: PoolStatus | PostingAnswer) -> Reaction:
        """Take what the link said."""
        match message:
            case PoolStatus():
                return self._take_status(now_ns, message)
            case PostingAnswer(epoch, seq, answer):
                return self._answered(now_ns, epoch, seq, answer)
            case _:
                assert_never(message)

    def moved(self, now_ns: int) -> None:
        """Another link process is spoken to from here on: it is asked at once, and gets what has no answer yet."""
        self._pool_is_known, self._sent, self._ask_ns = False, 0, now_ns

    def next_deadline(self) -> int:
        """When ``handle_deadline`` is due, in ns of the caller's clock."""
        due = [self._ask_ns]
        if self._is_connected:
            due.append(self._silent_ns)
        if self._sent:
            due.append(self._again_ns)
        if self._waiting and self._settled >= self._catch_up:
            due.append(self._stall_ns)
        return min(due)

    def handle_deadline(self, now_ns: int) -> Reaction:
        """What is due by now."""
        asked: tuple[StatusRequest, ...] = ()
        if self._is_connected and now_ns >= self._silent_ns:
            self._is_connected = False
            self._sent = 0
        if not self._is_connected or (self._waiting and now_ns >= self._stall_ns):
            self._catch_up = self._settled + len(self._waiting)
        if self._sent and now_ns >= self._again_ns:
            self._sent = 0
        if now_ns >= self._ask_ns:
            self._ask_ns = now_ns + ASK_NS
            asked = (StatusRequest(),)
        reaction = self._reaction(now_ns)
        return Reaction((*asked, *reaction.send), reaction.events)

    def _take_status(self, now_ns: int, status: PoolStatus) -> Reaction:
        self._is_connected = self._pool_is_known = True
        self._silent_ns = now_ns + SILENCE_NS
        self._link_closed = status.closed
        if status.number >= self._number or self._older >= BEHIND_LIMIT:
            self._number, self._shown_cents, self._older = status.number, status.shown_cents, 0
        else:
            # Another process of the same link looked a moment earlier than the one that answered us.
            self._older += 1
        if status.pool != self._pool:
            self._dispute = f"this is pool {status.pool}, not {self._pool}"
        elif not status.closed and self._settled and (status.epoch, status.seq) < (self._epoch, self._settled):
            # Another process of the same link may look a moment later.
            self._behind += 1
            if self._behind > BEHIND_LIMIT:
                self._dispute = "the ledger has lost what it had answered"
        elif status.epoch > self._epoch:
            self._dispute = "another journal of this table has been posting"
        elif (status.epoch, status.seq) > (self._epoch, self._last_sent):
            # An older copy of the journal: what it posts next would get the answers of what it has forgotten.
            self._dispute = "the ledger has entries this journal never made"
        else:
            self._behind = 0
        return self._reaction(now_ns)

    def _answered(self, now_ns: int, epoch: int, seq: int, answer: LedgerAnswer) -> Reaction:
        if epoch != self._epoch or seq <= self._settled:
            return Reaction()
        if isinstance(answer, OutOfOrder):
            if (answer.epoch, answer.seq) >= (epoch, seq):
                self._dispute = answer.reason
            # Else one before it was lost on the way: all are posted again in a moment.
            return self._reaction(now_ns)
        if seq != self._settled + 1:
            return Reaction()
        self._waiting.popleft()
        self._settled, self._sent = seq, max(self._sent - 1, 0)
        self._again_ns, self._stall_ns = now_ns + AGAIN_NS, now_ns + SILENCE_NS
        if answer.number >= self._number:
            self._number, self._shown_cents = answer.number, answer.shown_cents
        reaction = self._reaction(now_ns)
        return Reaction(reaction.send, (PostingConfirmed(seq, answer), *reaction.events))

    def _reaction(self, now_ns: int) -> Reaction:
        shows = self.shows
        still = bool(shows.closed) and now_ns >= self._still_ns
        events = () if shows == self._last and not still else (shows,)
        self._last = shows
        if events:
            self._still_ns = now_ns + STILL_NS
        if not self._pool_is_known or not self._is_connected or self._dispute or self._link_closed:
            return Reaction((), events)
        first, until = self._sent, min(WINDOW, len(self._waiting))
        if first >= until:
            return Reaction((), events)
        if not first:
            self._again_ns = now_ns + AGAIN_NS
        self._sent = until
        self._last_sent = max(self._last_sent, self._settled + until)
        deeds = enumerate(islice(self._waiting, first, until), start=self._settled + 1 + first)
        return Reaction(tuple(PostingRequest(self._epoch, seq, deed) for seq, deed in deeds), events)
