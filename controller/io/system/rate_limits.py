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

ORDERS: Final = "orders of every kind"
"""The one name under which what the journal keeps of a person is counted: verb after verb in turn fills it no less."""

ORDERS_PER_SECOND: Final = 1
"""Of such orders together, of one person, on end: the journal keeps refused ones too, for years."""

ORDERS_AT_ONCE: Final = 1_000
"""Such orders that may come together: the bad minutes of a night."""

REBUILDING: Final = frozenset({"set-card", "assign-card", "declare-box", "adjust", "answer", "approve-order"})
"""Orders and answers for which the table tries out all plays of a round, even if it then refuses them: late in a round
of seven boxes this takes a tenth of a second, and more than a second at the worst table."""

REBUILDS: Final = "orders that rebuild a round"
"""The one name under which all of them are counted: given in turn they cost the table no less."""

REBUILDS_PER_SECOND: Final = 2
"""Of such verbs together, from one client, on end: ten would leave the table no time for its readings."""

REBUILDS_AT_ONCE: Final = 10
"""Such requests that may come together: the cards of a shoe's bad minute."""

REBUILDS_WAITING: Final = 2
"""Such requests that may wait to be stepped, whoever sent them: a reading behind them waits for all."""

CLIENT_REST: Final = 9
"""How many times as long as its orders took a client leaves the table alone: a tenth of the time is one client's."""

TABLE_REST: Final = 4
"""The same of all clients together: however many keys somebody has, the readings have four fifths of the time."""

REST_BEGINS_NS: Final = NANOSECONDS
"""Rest that may be outstanding: orders that take some milliseconds, as nearly all do, wait for nothing."""

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


class RebuildTime:
    """How much of the table's time orders that rebuild a round may take: few at once, and then a rest.

    What one takes is known only once it was stepped: where most are done in a millisecond, some take a second.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._waiting = 0
        self._table_rests_ns = 0
        self._rests_ns: dict[str, int] = {}

    def wait_ns(self, client: str) -> int:
        """How long until the next order of a client may be taken; 0: now."""
        if self._waiting >= REBUILDS_WAITING:
            return NANOSECONDS
        until_ns = max(self._table_rests_ns, self._rests_ns.get(client, 0))
        return max(0, until_ns - REST_BEGINS_NS - self._clock.monotonic_ns())

    def given(self) -> None:
        """An order waits to be stepped."""
        self._waiting += 1

    def stepped(self, client: str, took_ns: int) -> None:
        """It has been, and took so long."""
        now_ns = self._clock.monotonic_ns()
        self._waiting -= 1
        self._table_rests_ns = max(self._table_rests_ns, now_ns) + TABLE_REST * took_ns
        self._rests_ns = {one: until_ns for one, until_ns in self._rests_ns.items() if until_ns > now_ns}
        self._rests_ns[client] = self._rests_ns.get(client, now_ns) + CLIENT_REST * took_ns


class RequestVerdict(enum.Enum):
    """What becomes of a request."""

    ADMITTED = "admitted"
    REFUSED = "refused"
    """It is too much, and its sender is informed."""
    DROPPED = "dropped"
    """It is too much, and so are the refusals."""


class _Buckets:
    """What each client has left, by the name under which requests are counted; who is too many shares ``crowd``."""

    def __init__(self, crowd: Allowance, now_ns: int) -> None:
        self._crowd = crowd
        self._kept: dict[tuple[str, str], Allowance] = {}
        self._tidied_ns = now_ns

    def of(self, client: str, name: str, now_ns: int) -> Allowance:
        """What a client has left."""
        bucket = self._kept.get((client, name))
        return bucket or self._new(client, name, now_ns)

    def _new(self, client: str, name: str, now_ns: int) -> Allowance:
        if len(self._kept) >= BUCKETS_LIMIT and now_ns - self._tidied_ns >= NANOSECONDS:
            self._tidied_ns = now_ns
            self._kept = {key: one for key, one in self._kept.items() if not one.is_whole(now_ns)}
        if len(self._kept) >= BUCKETS_LIMIT:
            # This many at work at once are one crowd, and share what is left.
            return self._crowd
        bucket = self._kept[client, name] = Allowance(*_pace(name))
        return bucket


class RequestLimit:
    """Admits what each client asks for, by verb; ``report`` takes one line for each flood, when it begins.

    Verbs that rebuild a round share what one may ask, and the time of the table that all may take. What the journal
    keeps has one measure more: whoever goes through the verbs, each within its own, would fill the disk unreported.
    """

    def __init__(self, clock: Clock, report: Callable[[str], None]) -> None:
        self._clock = clock
        self._report = report
        self._verbs = _Buckets(Allowance(REQUESTS_PER_SECOND, REQUESTS_AT_ONCE), clock.monotonic_ns())
        self._orders = _Buckets(Allowance(ORDERS_PER_SECOND, ORDERS_AT_ONCE), clock.monotonic_ns())
        self._refusals = Allowance(REFUSALS_PER_SECOND, REFUSALS_PER_SECOND)
        self._refused_ns: int | None = None
        self.refused = 0
        """Requests that were too much, since the start."""
        self.rebuild_time = RebuildTime(clock)
        """What orders that rebuild a round took, as the table reports it."""

    def admit(self, client: str, verb: str) -> RequestVerdict:
        """What becomes of a request for ``verb`` by ``client``, both as they are to be named to people."""
        now_ns = self._clock.monotonic_ns()
        rests = verb in REBUILDING and self.rebuild_time.wait_ns(client) > 0
        name = _counted(verb)
        if not rests and self._verbs.of(client, name, now_ns).take(now_ns):
            return RequestVerdict.ADMITTED
        beyond = "more than the table can follow" if rests else _beyond(name)
        self._note_flood(f"{name} by {client}: {beyond}; what is beyond is refused", now_ns)
        return RequestVerdict.REFUSED if self._refusals.take(now_ns) else RequestVerdict.DROPPED

    def order_refusal(self, person: str) -> RefusalReason | None:
        """Why the journal is given no more of a person now, whatever they order; None: it is given this order.

        ``person``: by name, where a key vouches for it, else the way in. An order counts as its signer's, whoever
        brings it, so that nobody spends what is another's.
        """
        now_ns = self._clock.monotonic_ns()
        bucket = self._orders.of(person, ORDERS, now_ns)
        if bucket.take(now_ns):
            return None
        self._note_flood(f"{ORDERS} by {person}: {_beyond(ORDERS)}; what is beyond is refused", now_ns)
        return _too_many(ORDERS, bucket.wait_ns(now_ns))

    def _note_flood(self, text: str, now_ns: int) -> None:
        """Count a refusal, and report the first of a flood."""
        self.refused += 1
        before_ns, self._refused_ns = self._refused_ns, now_ns
        if before_ns is None or now_ns - before_ns >= CALM_NS:
            log.error("too many requests", reason=text, refused=self.refused)
            self._report(text)

    def refusal(self, client: str, verb: str) -> RefusalReason:
        """The refusal for a sender who asks too much: it says when to ask again."""
        rest_ns = self.rebuild_time.wait_ns(client) if verb in REBUILDING else 0
        now_ns, name = self._clock.monotonic_ns(), _counted(verb)
        bucket_ns = self._verbs.of(client, name, now_ns).wait_ns(now_ns)
        if rest_ns:
            seconds = _seconds(max(rest_ns, bucket_ns))
            text = f"too many requests: the table is not through with such orders; ask again in {seconds} s"
            return RefusalReason("too_many_requests", text)
        return _too_many(name, bucket_ns)


def _counted(verb: str) -> str:
    """The name under which requests for a verb are counted."""
    return REBUILDS if verb in REBUILDING else verb


def _beyond(name: str) -> str:
    """That there are too many requests of this name, in words."""
    return f"more than {_pace(name)[0]} a second"


def _too_many(name: str, wait_ns: int) -> RefusalReason:
    text = f"too many requests: at most {_pace(name)[0]} a second; ask again in {_seconds(wait_ns)} s"
    return RefusalReason("too_many_requests", text)


def _seconds(wait_ns: int) -> int:
    return max(1, -(-wait_ns // NANOSECONDS))


def _pace(name: str) -> tuple[int, int]:
    """How many requests that are counted under this name one client may make a second, and how many together."""
    if name == REBUILDS:
        return REBUILDS_PER_SECOND, REBUILDS_AT_ONCE
    if name == ORDERS:
        return ORDERS_PER_SECOND, ORDERS_AT_ONCE
    return REQUESTS_PER_SECOND, REQUESTS_AT_ONCE
