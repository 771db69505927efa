"""The likely cause of an irregular live round."""

from __future__ import annotations

from typing import Final

from controller.core.game.hand import FACE_RANKS
from controller.core.game.rules import Rules
from controller.core.inference.fault_search import Search, single_fault
from controller.core.inference.faults import UNKNOWN, ObservedRound, RankedObservation
from controller.core.inference.observation import CardObserved
from controller.core.table.round_state import Round

_WORK_LIMIT: Final = 100_000
"""What one search may take, in nodes looked up: so that no reading waits long."""


def likely_fault(rules: Rules, round_now: Round, *, closed: bool = False) -> str:
    """The likely cause of an irregular round, in words; empty if nothing stands out."""
    if round_now.evidence.outages or any(card.unread for card in round_now.cards.drawn):
        return ""
    return single_fault(observed_round(rules, round_now, closed=closed), Search(work=_WORK_LIMIT))


def observed_round(rules: Rules, round_now: Round, *, closed: bool = False) -> ObservedRound:
    """A round as it was reported; all its cards were read."""
    hidden = -1 if round_now.cards.turned else round_now.hole_place()
    pieces: list[RankedObservation] = []
    place = 0
    for dated in round_now.evidence.observations:
        if not isinstance(dated.item, CardObserved):
            pieces.append(RankedObservation(dated))
            continue
        face = round_now.cards.drawn[place].shown()
        pieces.append(RankedObservation(dated, UNKNOWN if face is None or place == hidden else FACE_RANKS[face]))
        place += 1
    lying = {(round_now.bets.spots.index(spot), "main"): 0 for spot in round_now.bets.declared}
    names = tuple(str(card.number) for card in round_now.cards.drawn[:place])
    fields = (round_now.rules(rules), round_now.main_wagers(), lying, tuple(pieces), names, round_now.bets.spots)
    said = tuple(answer for answer in round_now.evidence.answers if answer.holds is None and answer.lacks is None)
    return ObservedRound(*fields, round_now.cards.turned, closed, said)
