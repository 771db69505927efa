"""The daemon holds its own openings, and the trigger box's, against their commitments, as any listener may."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

from controller.core.messages.events import CardDrawn, CardOpened, Event
from controller.core.messages.meter_events import JackpotHit, MysteryCommitted, MysteryRevealed
from controller.core.meters.state import Cycle
from controller.core.progressives.live_meters import MYSTERY_ROW
from controller.formats.journal.records import Identity, RecordDamaged, openings, opens
from controller.reports.audit.mystery_proof import Bounds, opens_commitment, trigger_cents

CARD_LIMIT: Final = 10_000
"""Commitments remembered until they are opened: many shoes."""


class OwnOpenings:
    """Remembers commitments since the daemon started."""

    def __init__(self, identity: Identity) -> None:
        self._identity = identity
        self._commitments: dict[int, str] = {}

    def refuted(self, events: Iterable[Event]) -> Iterator[CardOpened]:
        """The openings among events, in order, that do not open what was committed to."""
        for event in events:
            if isinstance(event, CardDrawn):
                self._commitments[event.card] = event.commitment
                if len(self._commitments) > CARD_LIMIT:
                    del self._commitments[next(iter(self._commitments))]
            elif isinstance(event, CardOpened):
                commitment = self._commitments.pop(event.card, None)
                if commitment is not None and not _holds(commitment, event, self._identity):
                    yield event


KINDS: Final = frozenset({"card_drawn", "card_opened"})
"""The events from which anybody can tell whether a card that was opened is the one committed to."""


def first_refuted(identity: Identity, events: Iterable[Event]) -> str | None:
    """The first card of a whole epoch that was not opened, once, as it was committed to, on one line; None: each was.

    ``events`` in order; only those of ``KINDS`` matter. A card is committed to once, under a higher number than the
    ones before it, so that what was opened need not be remembered to know that it is opened again.
    """
    unopened: dict[int, str] = {}
    last = 0
    for event in events:
        match event:
            case CardDrawn(card=card, commitment=commitment):
                if card <= last:
                    return f"card {card} was committed to behind card {last}: a card is committed to once, and in order"
                unopened[card], last = commitment, card
            case CardOpened(card, face):
                committed = unopened.pop(card, None)
                if committed is None:
                    return f"card {card} was opened as {face}, and had been opened before, or was never drawn"
                if not _holds(committed, event, identity):
                    return f"card {card} was opened as {face}, which is not the face that was committed to"
            case _:
                pass
    return None


def _holds(commitment: str, event: CardOpened, identity: Identity) -> bool:
    """Whether an opening can be read, and opens this commitment."""
    try:
        face, nonce = openings((event,))[event.card]
    except RecordDamaged:
        return False
    return opens(commitment, face, nonce, identity, event.card)


class RefutedReveal(NamedTuple):
    """What the trigger box revealed of a cycle and cannot be; ``text``: why, on one line."""

    cycle: int
    text: str


class TriggerReveals:
    """Remembers to what the trigger box is committed in the ``running`` cycle (None: in none), and what its hit won.

    Another device in the box's place is found out so by the first number that it reveals, before anything is paid.
    """

    def __init__(self, identity: Identity, running: Cycle | None) -> None:
        self._identity = identity
        self._running = running
        self._won: dict[int, int] = {}
        """Cents by the contribution that won them."""

    def refuted(self, events: Iterable[Event]) -> Iterator[RefutedReveal]:
        """The reveals among events, in order, that are not of the number committed to, or came before its trigger."""
        for event in events:
            match event:
                case MysteryCommitted(_, number, committed, share, _, reset_cents, ceiling_cents):
                    self._running = Cycle(number, committed, share, reset_cents, ceiling_cents)
                    self._won.clear()
                case JackpotHit(row=row, cents=cents, number=contribution) if row == MYSTERY_ROW:
                    self._won[contribution] = cents
                case MysteryRevealed():
                    cycle = self._running
                    fault = self._fault(cycle, event) if cycle is not None and cycle.number == event.cycle else None
                    if fault is not None:
                        yield RefutedReveal(event.cycle, fault)
                case _:
                    pass

    def _fault(self, cycle: Cycle, event: MysteryRevealed) -> str | None:
        """Why a reveal cannot be of this cycle, on one line; None: it can."""
        key = bytes.fromhex(event.key)
        if not opens_commitment(cycle.commitment, key, self._identity, cycle.number, event.drawn_cents):
            return f"the number revealed of cycle {cycle.number} is not the one that the box was committed to"
        bounds = Bounds(cycle.reset_cents, cycle.ceiling_cents)
        if not bounds.contains(event.drawn_cents):
            return f"the number drawn for cycle {cycle.number}, {event.drawn_cents}, lies outside its bounds"
        trigger = trigger_cents(event.drawn_cents, bytes.fromhex(cycle.share), self._identity, cycle.number, bounds)
        won_cents = self._won.get(event.number, trigger)
        if won_cents < trigger:
            return f"cycle {cycle.number} was won at {won_cents} cents, below its trigger of {trigger}"
        return None
