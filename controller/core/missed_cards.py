"""Cards that may not be of the open round: missed while nobody listened, or the next one's. A person says which."""

from __future__ import annotations

from typing import Final

from controller.core import confirming
from controller.core.alerts import CardsMayBeMissing
from controller.core.desk import Desk
from controller.core.state import Round

MISSED_CARDS: Final = "Were cards drawn while the table was not listening?"
NEXT_BEGUN: Final = "No more bets was pressed in this round and then a card came: has another round begun?"

SHOWN: Final = "Cards drawn meanwhile? yes/no"
NEXT_SHOWN: Final = "Another round begun? yes/no"


def may_be_missing(desk: Desk, reason: str) -> None:
    """A shoe that does not number its draws may have been drawn from unheard: the round waits for a person."""
    if not desk.house.shoe_numbers_cards:
        ask(desk, reason)


def ask(desk: Desk, reason: str) -> None:
    """Cards may have been drawn that nobody heard of: the open round waits for a person."""
    round_now = desk.state.round
    confirming.disturbed(desk, reason, 0)
    desk.tell(CardsMayBeMissing(round_now.number if round_now else 0, reason))
    desk.heard_not_all()
    if round_now is not None and not round_now.trouble and not round_now.doubt:
        desk.change_round(doubt=desk.ask(0, MISSED_CARDS, ("no", "yes")))


def next_may_have_begun(desk: Desk) -> None:
    """A card after a refused *no more bets*: where nothing shows that a round has ended it may be the next one's."""
    round_now = desk.round()
    if round_now.next_bets == "pressed" and not round_now.trouble and not round_now.doubt:
        desk.change_round(next_bets="asked", doubt=desk.ask(0, NEXT_BEGUN, ("no", "yes")))
        desk.heard_not_all()


def shown(round_now: Round) -> str:
    """The question as the dealer reads it."""
    return NEXT_SHOWN if round_now.next_bets == "asked" else SHOWN


def told(round_now: Round) -> str:
    """Why the round is irregular once the answer was yes."""
    if round_now.next_bets == "asked":
        return "another round began before anything showed that it had ended"
    return "cards were drawn while the table was not listening"


def untold(round_now: Round) -> str:
    """Why it is irregular if nobody answered."""
    if round_now.next_bets == "asked":
        return "nobody said whether another round had begun"
    return "nobody said whether cards were missed"
