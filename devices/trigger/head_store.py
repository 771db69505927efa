"""What a trigger box keeps of the table's journal: its signed head, asked for first and then replaced by later ones.

A journal set back shows it by lacking what the box keeps. So the box is sent no other head before it has said, since
its line was opened, which one it has. A box that does not know of heads answers nothing, and is asked seldom.
"""

from __future__ import annotations

from typing import Final

from firmware_protocols.trigger_messages import HeadKept, KeepHead, RecallHead, TriggerCondition

_MS: Final = 1_000_000

AGAIN_NS: Final = 500 * _MS
"""How long an answer is waited for."""

ASKED_AT_ONCE: Final = 4
"""Questions without an answer after which a box is taken for one that does not know of heads."""

SELDOM_NS: Final = 60_000 * _MS
"""Between two questions after that: the line may just have been bad."""

_KEEPING: Final = frozenset(
    {
        TriggerCondition.OPEN,
        TriggerCondition.AWAITING_SHARE,
        TriggerCondition.NO_RANDOMNESS,
        TriggerCondition.DISPUTED,
    }
)
"""In which conditions a box takes a later head."""


class HeadKeeping:
    """One box's head: ``due`` gives what to say now, ``take_kept`` takes what the box says."""

    def __init__(self) -> None:
        self._wanted: KeepHead | None = None
        self._kept: HeadKept | None = None
        self._asked = 0
        self._sent_at_ns: int | None = None

    @property
    def is_unknown(self) -> bool:
        """Whether the box does not seem to know of heads."""
        return self._kept is None and self._asked >= ASKED_AT_ONCE

    def want(self, head: KeepHead) -> None:
        """The box is to keep this head; before it has said which one it has, this is not sent."""
        if self._kept is not None:
            self._wanted = head

    def forget(self) -> None:
        """The box may be another one: it is asked again."""
        self._wanted = self._kept = self._sent_at_ns = None
        self._asked = 0

    def take_kept(self, head: HeadKept) -> bool:
        """Take the head that the box keeps; True if it has changed."""
        if head == self._kept:
            return False
        self._kept, self._sent_at_ns = head, None
        return True

    def due(self, condition: TriggerCondition, now_ns: int) -> KeepHead | RecallHead | None:
        """What to say now; None for nothing."""
        wait_ns = SELDOM_NS if self.is_unknown else AGAIN_NS
        if self._sent_at_ns is not None and now_ns < self._sent_at_ns + wait_ns:
            return None
        if self._kept is None:
            self._asked += 1
            self._sent_at_ns = now_ns
            return RecallHead()
        wanted, kept = self._wanted, self._kept
        if wanted is None or condition not in _KEEPING or (wanted.epoch, wanted.size) <= (kept.epoch, kept.size):
            return None
        self._sent_at_ns = now_ns
        return wanted
