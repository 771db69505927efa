"""Cards that may not be of the open round: missed, or the next one's. A person says which.

A card may have been missed while nobody listened, or, by a shoe that does not number its draws, though everybody did:
the key *hit* was pressed, and play went on without a card.
"""

from __future__ import annotations

from typing import Final

from msgspec.structs import replace

from controller.core.betting import lock
from controller.core.certainty import deal_confirmation
from controller.core.certainty.agreed_dues import known_until
from controller.core.inference.lattice import Reconstruction
from controller.core.inference.observation import CardCame, KeySpoke
from controller.core.messages.alerts import CardsMayBeMissing
from controller.core.messages.events import QuestionWithdrawn
from controller.core.table.state import Round, woven
from controller.core.table.transaction import Desk

MISSED_CARDS: Final = "Were cards drawn while the table was not listening?"
NEXT_BEGUN: Final = "No more bets was pressed in this round and then a card came: has another round begun?"

SHOWN: Final = "Cards drawn meanwhile? yes/no"
HIT_SHOWN: Final = "Card missed at hit? yes/no"
NEXT_SHOWN: Final = "Another round begun? yes/no"


def may_be_missing(desk: Desk, reason: str) -> None:
    """A shoe that does not number its draws may have been drawn from unheard: the round waits for a person."""
    if not desk.house.shoe_numbers_cards:
        ask(desk, reason)


def note_bets(desk: Desk) -> None:
    """The shoe is back between two rounds: where bets lie, a deal to them may have begun unheard."""
    if desk.state.round is None and not desk.house.shoe_numbers_cards:
        desk.change(dealt_unheard=any(wager.bet == "main" for wager in lock.lying(desk)))


def begun_unheard(desk: Desk) -> None:
    """A card begins a round: it need not be its first where the shoe was away as bets lay and no key locked them."""
    if desk.state.dealt_unheard:
        desk.change(dealt_unheard=False)
        ask(desk, "the shoe was not connected when bets lay there")


def ask(desk: Desk, reason: str) -> None:
    """Cards may have been drawn that nobody heard of: the open round waits for a person."""
    round_now = desk.state.round
    deal_confirmation.disturbed(desk, reason, 0)
    desk.tell(CardsMayBeMissing(round_now.number if round_now else None, reason))
    desk.heard_not_all()
    if round_now is not None and not round_now.trouble and not round_now.doubt:
        desk.change_round(doubt=desk.ask(0, MISSED_CARDS, ("no", "yes")))


def next_may_have_begun(desk: Desk) -> None:
    """A card after a refused *no more bets*: where nothing shows that a round has ended it may be the next one's."""
    round_now = desk.round()
    if round_now.next_bets == "pressed" and not round_now.trouble and not round_now.doubt:
        desk.change_round(next_bets="asked", doubt=desk.ask(0, NEXT_BEGUN, ("no", "yes")))
        desk.heard_not_all()


def after_hit(desk: Desk) -> bool:
    """Ask whether a card was missed, where play went on after a *hit* in a way that no play explains without its card.

    False: there is nothing to ask.
    """
    evidence = desk.round().evidence
    cards = [at for at, one in enumerate(evidence) if isinstance(one.item, CardCame)]
    since = evidence[cards[-1] + 1 :] if cards else ()
    hit = next((one for one in since if isinstance(one.item, KeySpoke) and one.item.action == "hit"), None)
    if hit is None or desk.house.shoe_numbers_cards:
        return False
    found = woven(desk.rules, replace(desk.round(), evidence=evidence[: evidence.index(hit) + 1], trouble=""))
    if not found.frontier:
        return False
    spot, text = hand_asked(desk, found)
    desk.change_round(missed_after=hit.number, doubt=desk.ask(spot, text, ("no", "yes")))
    return True


def hand_asked(desk: Desk, found: Reconstruction) -> tuple[int, str]:
    """The spot in play (0: plays differ), and the question about its hand."""
    hands = {(node.turn, found.play().current(node) if len(node.hands) > 1 else -1) for node in found.frontier}
    turns = {turn for turn, _ in hands}
    if len(turns) != 1:
        return 0, "Was a card missed after the key hit?"
    (turn, hand), *others = hands
    which = "" if others or hand < 0 else f", hand {hand + 1}"
    spot = desk.round().spots[turn]
    return spot, f"Was a card missed for spot {spot}{which}?"


def withdraw_if_needless(desk: Desk) -> None:
    """A correction, or a card told late, explains the round after all."""
    round_now = desk.round()
    if round_now.missed_after and round_now.doubt and desk.legal(desk.lattice().as_of(known_until(desk))):
        desk.tell(QuestionWithdrawn(round_now.doubt))
        desk.change_round(doubt=0, missed_after=0)


def shown(round_now: Round) -> str:
    """The question as the dealer reads it."""
    if round_now.missed_after:
        return HIT_SHOWN
    return NEXT_SHOWN if round_now.next_bets == "asked" else SHOWN


def told(round_now: Round) -> str:
    """Why the round is irregular once the answer was yes."""
    if round_now.missed_after:
        return "a card was missed after the key hit"
    if round_now.next_bets == "asked":
        return "another round began before anything showed that it had ended"
    return "cards were drawn while the table was not listening"


def untold(round_now: Round) -> str:
    """Why it is irregular if nobody answered."""
    if round_now.shoe_away and not round_now.doubt:
        return "it ended while the shoe was not connected"
    if round_now.missed_after:
        return "nobody said whether a card was missed after the key hit"
    if round_now.next_bets == "asked":
        return "nobody said whether another round had begun"
    return "nobody said whether cards were missed"
