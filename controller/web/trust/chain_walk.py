"""A journal's chain recomputed record by record, in pieces: a page sees how far it is, and nothing else waits long."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from controller.formats.journal.merkle_tree import CompactRange
from controller.formats.journal.records import chain, genesis
from controller.formats.journal.seals import Seal
from controller.formats.journal.tree_heads import record_leaf
from controller.io.journal.reader import Head, JournalReader

PIECE_SECONDS: Final = 0.3
"""So long one piece lasts."""

RECORDS_AT_ONCE: Final = 32
"""Between two looks at the clock: a few milliseconds."""


class ChainWalk:
    """How far a journal's chain has been recomputed, and with it the tree over its records. ``now``: seconds.

    It holds the last record's hash and the tree's compact range, however long the journal is. What is added to the
    journal later is recomputed by the next piece.
    """

    def __init__(self, now: Callable[[], float]) -> None:
        self._now = now
        self._begin()

    def _begin(self) -> None:
        self.record = 0
        """The last record that was found as it was committed."""
        self.event = 0
        """The last event of those records."""
        self.damage = ""
        """What is wrong with what follows it, in one line; empty: nothing that was found."""
        self._hash = b""
        self._tree = CompactRange()

    def go_on(self, reader: JournalReader, head: Head) -> None:
        """Recompute one piece more; ``head`` is the journal's, in a transaction of the reader that lasts.

        Raises:
            JournalDamaged: the journal cannot be read.
        """
        # Another journal may have been put in its place.
        if head.number < self.record or (self.record and reader.hash_of(self.record) != self._hash):
            self._begin()
        self._hash, self.damage = self._hash or genesis(reader.identity), ""
        end = self._now() + PIECE_SECONDS
        for row, events in reader.whole_records(self.record + 1):
            if row.number != self.record + 1 or chain(self._hash, row.number, row.body, events) != row.hash:
                self.damage = f"record {self.record + 1} or its events are not what was committed"
                return
            self.record, self._hash = row.number, row.hash
            self.event += len(events)
            self._tree = self._tree.appended(record_leaf(row.number, row.body, events))
            if row.number % RECORDS_AT_ONCE == 0 and self._now() >= end:
                return

    def covers(self, seal: Seal) -> bool:
        """Whether a seal is of exactly the records that were recomputed."""
        return (seal.number, seal.root) == (self._tree.size, self._tree.root())
