"""The daemon holds its own openings against its commitments, as any listener may."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from controller.core.messages.events import CardDrawn, CardOpened, Event
from controller.formats.journal.records import Identity, RecordDamaged, openings, opens

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
                if commitment is not None and not self._holds(commitment, event):
                    yield event

    def _holds(self, commitment: str, event: CardOpened) -> bool:
        try:
            face, nonce = openings((event,))[event.card]
        except RecordDamaged:
            return False
        return opens(commitment, face, nonce, self._identity, event.card)
