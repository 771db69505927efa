"""Irregular situations of the table by name, each with its ruling: what becomes of the card, the wager, the round.

The only complete text found is South Dakota's (S.D. Admin. R. 20:18:15:28), of the same family as the cards' own
regulations; each ruling names its source. At a live table such a situation is the floor's to enter; the names
are shared by events, questions and documents.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Final, Literal, NamedTuple

from controller.core.game.refusals import Refusal
from controller.core.game.rules import Rules


class Situation(StrEnum):
    """What happened, named; the value is the number under which the worked cases keep it."""

    CARD_FACE_UP_IN_SHOE = "P01"
    CARD_DRAWN_IN_ERROR_UNSEEN = "P02"
    CARD_DRAWN_IN_ERROR_EXPOSED = "P03"
    DEALER_DREW_ON_17_OR_MORE = "P04"
    DEALER_MISSED_OWN_CARD = "P05"
    BOX_WITHOUT_CARDS = "P06"
    BOX_WITH_ONE_CARD = "P07"
    SHOE_EMPTY = "P08"
    COVER_CARD_OUT = "P09"
    NEW_SHOE_OR_DEALER = "P10"
    WAGER_TOUCHED_AFTER_FIRST_CARD = "P11"
    ENTRY_IN_MID_SHOE = "P12"
    HOLE_CARD_REPORTED = "P13"
    WAGER_ABOVE_MAXIMUM_ACCEPTED = "P14"


_CardFate = Literal["none", "discarded", "used_next", "burned", "put_aside", "withheld", "dealt_later"]
_WagerFate = Literal["stands", "returned", "refused", "settled_in_full"]
_RoundFate = Literal["goes_on", "goes_on_then_shuffle", "goes_on_from_discards"]


class _Ruling(NamedTuple):
    """What becomes of the card concerned, of the wager concerned and of the round, in a sentence, and by which text."""

    card: _CardFate
    wager: _WagerFate
    round: _RoundFate
    sentence: str
    source: str


_SD: Final = "S.D. Admin. R. 20:18:15:28"

RULINGS: Final[dict[Situation, _Ruling]] = {
    Situation.CARD_FACE_UP_IN_SHOE: _Ruling(
        "discarded", "stands", "goes_on", "a card face up in the shoe is discarded; the next card takes its place", _SD
    ),
    Situation.CARD_DRAWN_IN_ERROR_UNSEEN: _Ruling(
        "used_next", "stands", "goes_on", "a card drawn in error whose face nobody saw is the next card", _SD
    ),
    Situation.CARD_DRAWN_IN_ERROR_EXPOSED: _Ruling(
        "used_next",
        "stands",
        "goes_on",
        "a card exposed in error after the first two is dealt on; who refuses it gets no more; unusable, it is burned",
        _SD,
    ),
    Situation.DEALER_DREW_ON_17_OR_MORE: _Ruling(
        "burned", "stands", "goes_on", "a card drawn by a dealer who must stand is burned; the total stays", _SD
    ),
    Situation.DEALER_MISSED_OWN_CARD: _Ruling(
        "dealt_later",
        "stands",
        "goes_on",
        "the players' first two cards are completed, then the dealer takes those missed",
        _SD,
    ),
    Situation.BOX_WITHOUT_CARDS: _Ruling(
        "none", "returned", "goes_on", "a box that got no card in the deal is dead and its wager goes back", _SD
    ),
    Situation.BOX_WITH_ONE_CARD: _Ruling(
        "dealt_later", "stands", "goes_on", "a box that got one card gets its second after all the others", _SD
    ),
    Situation.SHOE_EMPTY: _Ruling(
        "none", "stands", "goes_on_from_discards", "the discard rack is shuffled and cut and the round completed", _SD
    ),
    Situation.COVER_CARD_OUT: _Ruling(
        "put_aside",
        "stands",
        "goes_on_then_shuffle",
        "the cover card is put aside and is no card of the round; after the round the shoe is shuffled",
        "58 Pa. Code 685a.7(d)",
    ),
    Situation.NEW_SHOE_OR_DEALER: _Ruling(
        "burned",
        "stands",
        "goes_on",
        "a new shoe or a new dealer burns one card before any is dealt",
        "58 Pa. Code 685a.7(c); S.D. Admin. R. 20:18:15:15",
    ),
    Situation.WAGER_TOUCHED_AFTER_FIRST_CARD: _Ruling(
        "none",
        "refused",
        "goes_on",
        "after the first card only insurance, doubles, splits and EZ Bust add to what lies there",
        "58 Pa. Code 673a.6(c)",
    ),
    Situation.ENTRY_IN_MID_SHOE: _Ruling(
        "none",
        "refused",
        "goes_on",
        "who did not bet the last round waits for the next shuffle",
        "card of the pitch game; 58 Pa. Code 673a.6(b)",
    ),
    Situation.HOLE_CARD_REPORTED: _Ruling(
        "withheld",
        "stands",
        "goes_on",
        "the hole card is recorded and withheld until it is turned; a device tells natural or not, with ace or ten up",
        "cards of Penn National, Perryville and Borgata; COMAR 36.05.02.17",
    ),
    Situation.WAGER_ABOVE_MAXIMUM_ACCEPTED: _Ruling(
        "none",
        "settled_in_full",
        "goes_on",
        "a wager outside the limits that was accepted and dealt to is paid or lost in its entirety",
        "COMAR 36.05.03.14 C",
    ),
}


def refused_wager(rules: Rules, cents: int, *, sat_out: bool, in_mid_shoe: bool, main: bool = True) -> Refusal | None:
    """Why a wager may not be made before the first card of a round; None: it may.

    ``sat_out``: its player did not bet the last round; ``in_mid_shoe``: cards of this shoe have been dealt.
    """
    if rules.mid_shoe_entry == "refused" and sat_out and in_mid_shoe:
        return Refusal("mid_shoe_entry", RULINGS[Situation.ENTRY_IN_MID_SHOE].sentence)
    least = rules.options.minimum_cents if main else 0
    most = rules.options.maximum_cents if main else rules.options.side_maximum_cents
    if cents < least:
        return Refusal("minimum_cents", f"the least wager is {least} cents")
    if most and cents > most:
        return Refusal("maximum_cents" if main else "side_maximum_cents", f"the highest wager is {most} cents")
    return None
