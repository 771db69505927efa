"""What a run of inventories proves about the content of one zone, and when it changed.

Chips drop out of a stack read at random, and a reply's check digits say nothing about a chip that did not answer. So
a chip named is there (hard), a chip missing may be there all the same (soft): absence counts only when ``agreeing``
inventories in a row agree on the whole content. The interval of a change is drawn with the same care, so that it holds
the true moment as long as no ``agreeing`` inventories in a row miss a chip that is there:

- it begins with the last inventory that showed the old content. Where chips were added, that inventory proves nothing
  alone (the new chip may have been missed), so the first of the last ``agreeing`` that showed it in a row is taken;
- it ends with the first inventory that showed the new content. Where chips went, that one proves nothing alone, so the
  one that made the run agree is taken.

Where chips were found to have been missed lately more inventories must agree before one counts as gone: an antenna that
misses a tag in twenty misses the same one twice in a row every few rounds.

With ``agreeing`` at 1 that is exactly "last inventory without the change, first with it".

A reader that did not answer may have begun anew, and some say their last inventory again before they look. So after it
has returned what it said last proves nothing for a while, and what it says else is fresh. A chip named once just before
that, or just after, was there all the same, perhaps for longer than from one inventory to the next: if it is gone
afterwards, that it came is reported with its going.
"""

from __future__ import annotations

from collections import deque
from typing import Final

from msgspec import Struct

MISSES_REMEMBERED: Final = 100
"""Inventories for which it counts that a chip was missed."""

MORE_AGREEING: Final = 2
"""At most this many more inventories must agree before a chip counts as gone, one for each that missed some."""


class Inventory(Struct, frozen=True):
    """One inventory of a zone, whole: asked for at ``sent_ns``, its last part received at ``received_ns``.

    ``doubtful``: the reader warned that the radio was disturbed, or a part of the answer may have been lost on the
    line; nothing missing from it is evidence.
    """

    chips: frozenset[str]
    sent_ns: int
    received_ns: int
    doubtful: bool = False


class Change(Struct, frozen=True):
    """The content became ``chips`` (sorted) between ``after_ns`` and ``by_ns``."""

    chips: tuple[str, ...]
    after_ns: int
    by_ns: int


class _Run(Struct):
    chips: frozenset[str]
    first_sent_ns: int
    first_received_ns: int
    last_sent_ns: int
    count: int
    follows_failure: bool
    """Whether an inventory failed between the last that showed the old content and the first of these."""


class ZoneEvidence:
    """Weighs the inventories of one zone, in order."""

    def __init__(self, agreeing: int) -> None:
        if agreeing < 1:
            raise ValueError(f"at least one inventory must agree with itself, got agreeing = {agreeing}")
        self._agreeing = agreeing
        self._content: frozenset[str] | None = None
        self._run: _Run | None = None
        self._opened_ns = 0
        self._same_sent_ns: deque[int] = deque(maxlen=agreeing)
        self._last_same_ns = 0
        self._steady_ns = 0
        self._brief_content: tuple[Change, int] | None = None
        """A content with more chips that was seen beside a failure and not agreed: its change, and when it was last."""
        self._failed = False
        """Whether an inventory has failed since the last that was whole."""
        self._weighed = 0
        self._missed_at: deque[int] = deque(maxlen=MORE_AGREEING)
        """Inventories, by their number, after which chips missing before were named again."""
        self._last_inventory: frozenset[str] | None = None
        self._stale_until_ns: int | None = None

    @property
    def content(self) -> tuple[str, ...] | None:
        """The content last agreed, sorted; None before the first agreement."""
        return None if self._content is None else tuple(sorted(self._content))

    @property
    def known_ns(self) -> int:
        """Every change up to this moment has been reported; 0 before the first agreement."""
        return 0 if self._content is None else self._steady_ns

    def opened(self, now_ns: int) -> None:
        """The line is open: a content never agreed before dates from here at the earliest."""
        self._opened_ns = now_ns
        self.interrupted()

    def interrupted(self) -> None:
        """An inventory failed. Those before it and those after it are not in a row."""
        self._keep_brief_content()
        self._run = None
        self._failed = True
        self._same_sent_ns.clear()

    def _keep_brief_content(self) -> None:
        """Chips that were named beside a failure lay there, if only for so long."""
        run = self._run
        if run is not None and self._content is not None and run.chips > self._content:
            seen = Change(tuple(sorted(run.chips)), self._steady_ns, run.first_received_ns)
            self._brief_content = seen, run.last_sent_ns

    def returned(self, until_ns: int) -> None:
        """The reader answers again: until then it may repeat what it said last."""
        self._stale_until_ns = until_ns

    def take(self, inventory: Inventory) -> tuple[Change, ...]:
        """Weigh one more inventory; the changes it makes certain, in order."""
        may_repeat = self._stale_until_ns is not None and inventory.sent_ns < self._stale_until_ns
        is_stale, self._last_inventory = may_repeat and inventory.chips == self._last_inventory, inventory.chips
        if is_stale:
            self.interrupted()
            return ()
        self._stale_until_ns = None
        if inventory.doubtful:
            self._take_doubtful(inventory)
            return ()
        self._weighed += 1
        self._note_missed(inventory.chips)
        failed, self._failed = self._failed, False
        if inventory.chips == self._content:
            if self._run is not None and self._run.follows_failure:
                self._keep_brief_content()
            self._run = None
            self._same(inventory.sent_ns)
            return self._came_and_went(inventory) if len(self._same_sent_ns) == self._agreeing else ()
        self._same_sent_ns.clear()
        run = self._run
        if run is None or run.chips != inventory.chips:
            times = inventory.sent_ns, inventory.received_ns, inventory.sent_ns
            run = self._run = _Run(inventory.chips, *times, 0, follows_failure=failed)
        run.count, run.last_sent_ns = run.count + 1, inventory.sent_ns
        return self._agreed(run, inventory) if run.count >= self._wanted(run) else ()

    def _note_missed(self, chips: frozenset[str]) -> None:
        """Chips that the inventories before had not named are there: they had been missed."""
        if self._run is not None and self._content is not None and chips & (self._content - self._run.chips):
            self._missed_at.append(self._weighed)

    def _wanted(self, run: _Run) -> int:
        """How many inventories in a row must agree on a content."""
        if self._content is None or self._content <= run.chips:
            return self._agreeing
        lately = sum(self._weighed - at < MISSES_REMEMBERED for at in self._missed_at)
        return self._agreeing + (lately if self._agreeing > 1 else 0)

    def _take_doubtful(self, inventory: Inventory) -> None:
        if self._run is not None and not inventory.chips <= self._run.chips:
            self._run = None
        if self._content is None:
            return
        if inventory.chips >= self._content:
            self._last_same_ns = inventory.sent_ns
        if not inventory.chips <= self._content:
            self._same_sent_ns.clear()

    def _same(self, sent_ns: int) -> None:
        self._last_same_ns = sent_ns
        self._same_sent_ns.append(sent_ns)
        if len(self._same_sent_ns) == self._agreeing:
            self._steady_ns = self._same_sent_ns[0]

    def _came_and_went(self, last: Inventory) -> tuple[Change, ...]:
        """A content seen briefly before a failure, and its end; nothing if there was none, or if it lies there."""
        brief, self._brief_content = self._brief_content, None
        if brief is None or self._content is None or self._content.issuperset(brief[0].chips):
            return ()
        seen, last_ns = brief
        return seen, Change(tuple(sorted(self._content)), last_ns, last.received_ns)

    def _agreed(self, run: _Run, last: Inventory) -> tuple[Change, ...]:
        old = self._content
        if old is None:
            after_ns, by_ns = self._opened_ns, last.received_ns
        else:
            after_ns = self._steady_ns if run.chips - old else self._last_same_ns
            by_ns = last.received_ns if old - run.chips else run.first_received_ns
        self._content = run.chips
        self._run = None
        self._same_sent_ns.clear()
        self._steady_ns = run.first_sent_ns
        self._last_same_ns = last.sent_ns
        return self._came_and_went(last) or (Change(tuple(sorted(run.chips)), after_ns, by_ns),)
