"""How much may be asked of a table: a number of requests at once, and a rate from then on.

People and their programs do not come near it. What is beyond it is refused before anything is journaled:
a flood costs the table no more than its reading.
"""

from __future__ import annotations

import asyncio
import enum
from collections.abc import Callable
from typing import Final

import structlog

from controller.core.refusal_reason import RefusalReason
from controller.io.system.clock import Clock

NANOSECONDS: Final = 1_000_000_000

REQUESTS_PER_SECOND: Final = 10
"""Of one verb, from one client, on end; people ask a few a minute."""

REQUESTS_AT_ONCE: Final = 50
"""Requests that may come together: a screen that takes every alert off its list."""

REBUILDING: Final = frozenset({"set-card", "assign-card", "declare-box", "adjust", "answer"})
"""Orders and answers for which the table tries out all plays of a round, even if it then refuses them: late in a round
of seven boxes this takes a tenth of a second and more."""

REBUILDS_PER_SECOND: Final = 2
"""Of one such verb, from one client, on end: ten would leave the table no time for its readings."""

REBUILDS_AT_ONCE: Final = 10
"""Such requests that may come together: the cards of a shoe's bad minute."""

REFUSALS_PER_SECOND: Final = 10
"""Refusals that are sent of all that is too much; the rest is counted."""

MESSAGES_PER_SECOND: Final = 500
"""Read of one way in, whatever they say; what is sent faster waits where it is."""

CALM_NS: Final = 60 * NANOSECONDS
"""A flood is over when nothing has been refused for so long; the next one is reported anew."""

BUCKETS_LIMIT: Final = 1000
"""Clients and verbs that are remembered at once."""

log = structlog.get_logger(__name__)


class Allowance:
    """``at_once`` together, ``per_second`` from then on."""

    def __init__(self, per_second: int, at_once: int) -> None:
        self._each_ns = NANOSECONDS // per_second
        self._at_once = at_once
        self._spent_until_ns: int | None = None

    def wait_ns(self, now_ns: int) -> int:
        """How long until the next one is allowed; 0: now."""
        if self._spent_until_ns is None:
            return 0
        return max(0, self._spent_until_ns - (self._at_once - 1) * self._each_ns - now_ns)

    def take(self, now_ns: int) -> bool:
        """Take one, if it is allowed now."""
        if self.wait_ns(now_ns):
            return False
        self._spent_until_ns = max(self._spent_until_ns or now_ns, now_ns) + self._each_ns
        return True

    def is_whole(self, now_ns: int) -> bool:
        """Whether nothing of it is spent."""
        return self._spent_until_ns is None or self._spent_until_ns <= now_ns


class Throttle:
    """Lets one thing after another through, at most ``per_second``."""

    def __init__(self, clock: Clock, per_second: int = MESSAGES_PER_SECOND) -> None:
        self._clock = clock
        # A tenth of a second's worth at once: the pause is then long enough to be one.
        self._allowance = Allowance(per_second, max(1, per_second // 10))

    async def wait(self) -> None:
        """Wait until the next may pass."""
        while not self._allowance.take(now_ns := self._clock.monotonic_ns()):  # noqa: ASYNC110 - time is what is waited for
            await asyncio.sleep(self._allowance.wait_ns(now_ns) / NANOSECONDS)


class RequestVerdict(enum.Enum):
    """What becomes of a request."""

    ADMITTED = "admitted"
    REFUSED = "refused"
    """It is too much, and its sender is informed."""
    DROPPED = "dropped"
    """It is too much, and so are the refusals."""


class RequestLimit:
    """Admits what each client asks for, by verb; ``report`` takes one line for each flood, when it begins."""

    def __init__(self, clock: Clock, report: Callable[[str], None]) -> None:
        self._clock = clock
        self._report = report
        self._buckets: dict[tuple[str, str], Allowance] = {}
        self._refusals = Allowance(REFUSALS_PER_SECOND, REFUSALS_PER_SECOND)
        self._crowd = Allowance(REQUESTS_PER_SECOND, REQUESTS_AT_ONCE)
        self._tidied_ns = clock.monotonic_ns()
        self._refused_ns: int | None = None
        self.refused = 0
        """Requests that were too much, since the start."""

    def admit(self, client: str, verb: str) -> RequestVerdict:
        """What becomes of a request for ``verb`` by ``client``, both as they are to be named to people."""
        now_ns = self._clock.monotonic_ns()
        bucket = self._buckets.get((client, verb))
        if bucket is None:
            bucket = self._new_bucket(client, verb, now_ns)
        if bucket.take(now_ns):
            return RequestVerdict.ADMITTED
        self.refused += 1
        before_ns, self._refused_ns = self._refused_ns, now_ns
        if before_ns is None or now_ns - before_ns >= CALM_NS:
            text = f"{verb} by {client}: more than {_pace(verb)[0]} a second; what is beyond is refused"
            log.error("too many requests", reason=text, refused=self.refused)
            self._report(text)
        return RequestVerdict.REFUSED if self._refusals.take(now_ns) else RequestVerdict.DROPPED

    def _new_bucket(self, client: str, verb: str, now_ns: int) -> Allowance:
        if len(self._buckets) >= BUCKETS_LIMIT and now_ns - self._tidied_ns >= NANOSECONDS:
            self._tidied_ns = now_ns
            self._buckets = {key: one for key, one in self._buckets.items() if not one.is_whole(now_ns)}
        if len(self._buckets) >= BUCKETS_LIMIT:
            # This many at work at once are one crowd, and share what is left.
            return self._crowd
        bucket = self._buckets[client, verb] = Allowance(*_pace(verb))
        return bucket


def _pace(verb: str) -> tuple[int, int]:
    """How many requests for a verb one client may make a second, and how many together."""
    return (REBUILDS_PER_SECOND, REBUILDS_AT_ONCE) if verb in REBUILDING else (REQUESTS_PER_SECOND, REQUESTS_AT_ONCE)


def too_much(verb: str) -> RefusalReason:
    """The refusal for a sender who asks too much."""
    text = f"too many requests: at most {_pace(verb)[0]} a second; ask again later"
    return RefusalReason("too_many_requests", text)
