"""The links of a table's linked meters: what the journal says is owed goes out, what the link says comes in.

Nothing is kept here. After a restart every session begins with what the journal says the ledger has answered and what
it has not; the ledger enters each posting once, however often it comes.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple, assert_never

from controller.core.messages.inputs import PoolEntryRead, PoolReading, PoolStateRead
from controller.core.meters.pooled_meter import PooledMeter, PostingBacklog
from controller.core.table.desired import Desired
from controller.core.table.state import State
from controller.formats.config.pooled_meters import LinkedMeterSection
from controller.formats.journal.records import Identity
from controller.formats.text.printable import dollars
from controller.io.system.clock import Clock
from controller.io.system.supervision import Service
from controller.pool.postings import ChangeOutcome
from controller.pool.session import LinkSession, LinkSessionEvent, PoolState, PostingConfirmed
from controller.pool.table_end import LinkAddress, TableEnd
from firmware_protocols.readings import DeviceComplained


class OtherPool(Exception):  # noqa: N818 - named for what happened
    """The journal posts to another pool than the table file names; the text says what to do."""


class LinkEndParts(NamedTuple):
    """What a table's ends of its links are made of."""

    identity: Identity
    keys: Mapping[str, bytes]
    """The table's secret key for each meter's link."""
    clock: Clock
    deliver: Callable[[PoolReading | DeviceComplained], None]
    chance: random.Random


class PoolLinks:
    """The table's ends of the links of its linked meters."""

    def __init__(self, sections: tuple[LinkedMeterSection, ...], ends: LinkEndParts, state: State) -> None:
        """``state`` is the table as its journal left it.

        Raises:
            OtherPool: a meter's name stands for another pool in the journal.
        """
        self._links = {
            section.name: PoolLink(section, ends, state.progressives.linked_meter(section.name)) for section in sections
        }

    def services(self) -> Iterator[Service]:
        """What goes on as long as the table runs."""
        for name, link in self._links.items():
            yield f"link of {name}", link.end.run

    def apply(self, desired: Desired) -> None:
        """Post what the table owes and has not posted yet; called after each commit."""
        for owing in desired.owing:
            if owing.meter in self._links:
                self._links[owing.meter].post(owing)

    def remarks(self) -> tuple[str, ...]:
        """A line for each linked meter: what its pool shows, or why it is closed, and what waits for the link."""
        return tuple(link.remark() for link in self._links.values())


class PoolLink:
    """The table's end of the link of one linked meter."""

    def __init__(self, section: LinkedMeterSection, ends: LinkEndParts, known: PooledMeter | None) -> None:
        if known is not None and known.pool != section.pool:
            raise OtherPool(
                f"[[linked_meters]] {section.name}: pool: this table's journal posts to pool {known.pool} under that"
                f" name; give the meter of pool {section.pool} another name"
            )
        self._name, self._deliver, self._clock = section.name, ends.deliver, ends.clock
        owed = () if known is None else known.owed
        self._posted = 0 if known is None else known.posted
        session = LinkSession(
            section.pool,
            ends.identity.epoch,
            ends.clock.monotonic_ns(),
            settled=self._posted - len(owed),
            waiting=[one.deed for one in owed],
        )
        secret = ends.keys[section.name]
        ways = [LinkAddress(section.link, section.link_key.encode(), secret)]
        ways += [LinkAddress(other.link, other.link_key.encode(), secret) for other in section.other_links]
        self.end = TableEnd(ways, session, ends.clock, self.take_event, chance=ends.chance, alarm=self.complain)
        self._several = len(ways) > 1
        self._last_state: tuple[int | None, str] | None = None
        """What the pool was last reported to show, and why it is closed."""

    def post(self, owing: PostingBacklog) -> None:
        """Post what is owed and was not posted yet."""
        new = owing.posted - self._posted
        if new <= 0:
            return
        self._posted = owing.posted
        for one in owing.owed[-new:]:
            seq = self.end.post(one.deed)
            assert seq == one.seq, f"{self._name}: posting {one.seq} would go out as {seq}"

    def remark(self) -> str:
        """What the pool shows, or why it is closed, and what waits for the link."""
        shows, waiting = self.end.session.shows, self.end.session.outstanding
        stands = f"closed, {shows.closed}" if shows.closed else f"open at {dollars(shows.shown_cents or 0)}"
        at = f" at {self.end.address}" if self._several else ""
        return f"{self._name}{at} {stands}" + (f", {waiting} postings wait" if waiting else "")

    def complain(self, text: str) -> None:
        """Tell people what is wrong with the link, as of a device."""
        code, now_ns = "talks_too_much", self._clock.monotonic_ns()
        self._deliver(DeviceComplained(f"link of {self._name}", code, text, now_ns))

    def take_event(self, event: LinkSessionEvent) -> None:
        """Take an event of the session, and deliver to the journal what the table does not know yet."""
        now_ns = self._clock.monotonic_ns()
        match event:
            case PoolState(shown_cents, closed):
                # That it is closed still is reported again: how long it has been is the table's to judge.
                if closed or self._last_state != (shown_cents, closed):
                    self._last_state = (shown_cents, closed)
                    self._deliver(PoolStateRead(now_ns, self._name, shown_cents, closed))
            case PostingConfirmed(seq, answer):
                outcome = answer.outcome
                assert not isinstance(outcome, ChangeOutcome), "only people at the link shift a pool"
                if self._last_state is not None and not self._last_state[1]:
                    self._last_state = (answer.shown_cents, "")
                self._deliver(PoolEntryRead(now_ns, self._name, seq, answer.number, answer.shown_cents, outcome))
            case _:
                assert_never(event)
