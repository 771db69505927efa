"""The likely cause of an irregular live round."""

from __future__ import annotations

from controller.core.game.hand import FACE_RANKS
from controller.core.game.rules import Rules
from controller.core.inference.fault_search import WORK_LIMIT, Search, suspect
from controller.core.inference.faults import UNKNOWN, Account, Piece
from controller.core.inference.observation import CardCame
from controller.core.table.state import Round


def likely(rules: Rules, round_now: Round, *, closed: bool = False) -> str:
    """The likely cause of an irregular round, in words; empty if nothing stands out."""
    if round_now.silences or any(card.unread for card in round_now.cards):
        return ""
    return suspect(account_of(rules, round_now, closed=closed), Search(work=WORK_LIMIT))


def account_of(rules: Rules, round_now: Round, *, closed: bool = False) -> Account:
    """A round as it was told; all its cards were read."""
    hidden = -1 if round_now.turned else round_now.hole_place()
    pieces: list[Piece] = []
    place = 0
    for dated in round_now.evidence:
        if not isinstance(dated.item, CardCame):
            pieces.append(Piece(dated))
            continue
        face = round_now.cards[place].shown()
        pieces.append(Piece(dated, UNKNOWN if face is None or place == hidden else FACE_RANKS[face]))
        place += 1
    lying = {(round_now.spots.index(spot), "main"): 0 for spot in round_now.declared}
    names = tuple(str(card.number) for card in round_now.cards[:place])
    fields = (round_now.rules(rules), round_now.main_wagers(), lying, tuple(pieces), names, round_now.spots)
    said = tuple(answer for answer in round_now.answers if answer.holds is None and answer.lacks is None)
    return Account(*fields, round_now.turned, closed, said)
