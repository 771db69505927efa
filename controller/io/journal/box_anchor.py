"""The trigger box as a keeper of the journal's signed head: what it shows is held against the journal, then renewed."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Final

import structlog

from controller.formats.journal.box_heads import head_to_keep, shown_by_box
from controller.formats.journal.seals import Sealing
from controller.io.journal.anchors import Anchors
from firmware_protocols.trigger_messages import HeadKept, KeepHead

RENEW_SECONDS: Final = 60.0
"""How far the head that a box keeps may lag: a box stores each for good."""

WHO: Final = "the trigger box"

log = structlog.get_logger(__name__)


class BoxAnchor:
    """Shows the box's head to the table, and has the box keep the table's."""

    def __init__(
        self,
        anchors: Anchors,
        sealing: Sealing,
        epoch: int,
        keep: Callable[[KeepHead], None],
        notice: Callable[[str], None],
        *,
        renew_seconds: float = RENEW_SECONDS,
    ) -> None:
        """``keep`` has the box keep a head; ``notice`` takes what is wrong with the one it shows, empty for nothing."""
        self._anchors = anchors
        self._sealing = sealing
        self._epoch = epoch
        self._keep = keep
        self._notice = notice
        self._renew_seconds = renew_seconds
        self._shown: HeadKept | None = None
        self._came = asyncio.Event()

    def shown(self, head: HeadKept) -> None:
        """The box says which head it keeps."""
        self._shown = head
        self._came.set()

    async def run(self) -> None:
        """Hold what the box shows against the journal, and renew it, until cancelled."""
        while True:
            try:
                async with asyncio.timeout(self._renew_seconds):
                    await self._came.wait()
            except TimeoutError:
                pass
            self._came.clear()
            await self._look()

    async def _look(self) -> None:
        head, self._shown = self._shown, None
        if head is not None:
            signed = shown_by_box(head, self._sealing)
            self._notice(await self._anchors.shown(WHO, signed) if signed else "")
        signed = await self._anchors.signed_head()
        # The box must not lose a head that the journal lacks, or that was not looked at yet, to one of this journal's.
        if signed and not self._came.is_set() and not self._anchors.is_set_back:
            self._keep(head_to_keep(signed, self._sealing, self._epoch))
