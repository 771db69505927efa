"""How long events have lain unacknowledged by a configured consumer: first an alert, then the table is closed.

An event that only the journal holds is lost with this machine. An event counts from when it was committed, also
over restarts; for a consumer that was configured later, from then on.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from typing import Final, NamedTuple

import structlog

from controller.core.messages.inputs import FitnessLevel
from controller.formats.mqtt.envelope import nanoseconds, own_event
from controller.formats.text.moments import HOUR_NS
from controller.io.journal.journal import Journal
from controller.io.system.clock import Clock

LOOK_SECONDS: Final = 5.0
"""Between two looks: an acknowledgement opens the table within this."""

DIGITS_LIMIT: Final = 19
"""Of a time in nanoseconds since 1970: enough until 2286."""

log = structlog.get_logger(__name__)

_Tell = Callable[[FitnessLevel, str], None]


class AckLimits(NamedTuple):
    """After how many hours without an acknowledgement people are warned, and the table is closed for new rounds."""

    warn_hours: int
    close_hours: int


class Overdue:
    """Looks at what each consumer lacks; ``acked`` is what each has said it holds since the start."""

    def __init__(
        self,
        journal: Journal,
        names: Sequence[str],
        acked: Callable[[], Mapping[str, int]],
        clock: Clock,
        terms: AckLimits,
        *,
        seconds: float = LOOK_SECONDS,
    ) -> None:
        self._journal = journal
        self._names = tuple(names)
        self._acked = acked
        self._clock = clock
        self._terms = terms
        self._seconds = seconds
        self._since: dict[str, int] = {}
        self._unread: set[str] = set()
        self._kept: Mapping[str, int] = {}
        self.tell: _Tell = lambda _level, _text: None
        """Told how fit that leaves the table."""

    async def run(self) -> None:
        """Look again and again, until cancelled."""
        self._kept = await self._journal.acks()
        for name in self._names:
            key = f"consumer {name}"
            if key not in self._journal.meta:
                await self._journal.note(key, str(self._clock.wall_ns()))
            self._since[name] = _nanoseconds_in(self._journal.meta[key])
        while True:
            await self.look()
            await asyncio.sleep(self._seconds)

    async def look(self) -> None:
        """Tell of the consumer that has lacked an event for longest."""
        now_ns, worst = self._clock.wall_ns(), (0, "", 0)
        for name in self._names:
            is_known = self._is_known(name, now_ns)
            kept, since = (self._kept.get(name, 0), self._since[name]) if is_known else (0, 0)
            acked = max(kept, self._acked().get(name, 0))
            for row in await self._journal.events_after(acked, 1):
                age_ns = now_ns - max(nanoseconds(own_event(row.body).time), since)
                worst = max(worst, (age_ns // HOUR_NS, name, row.seq))
        hours, name, seq = worst
        said = f"consumer {name} has not acknowledged event {seq} for {hours} h"
        if hours >= self._terms.close_hours:
            self.tell(FitnessLevel.CLOSED, f"{said}, at most {self._terms.close_hours} h are allowed")
        elif hours >= self._terms.warn_hours:
            self.tell(FitnessLevel.WARNED, f"{said}: at {self._terms.close_hours} h no more rounds may begin")
        else:
            self.tell(FitnessLevel.FIT, "")

    def _is_known(self, name: str, now_ns: int) -> bool:
        """Whether the journal says since when a consumer is waited for; the first time that it does not, log it."""
        if 0 <= self._since[name] <= now_ns:
            return True
        if name not in self._unread:
            self._unread.add(name)
            log.warning(
                "fact of the journal not understood",
                fact=f"consumer {name}",
                expected="nanoseconds since 1970, in the past; the consumer counts as never having acknowledged",
                do="see that the clock is right, run tableside verify --key, then begin a new epoch",
            )
        return False


def _nanoseconds_in(text: str) -> int:
    """The moment that a fact states; -1: it states none."""
    return int(text) if len(text) <= DIGITS_LIMIT and text.isascii() and text.isdigit() else -1
