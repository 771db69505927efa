"""Whether a deal is what the table counted, and whether the hole card has been turned without a key.

A deal is confirmed by the key *no more bets* pressed again, or by its own rhythm: all its cards without a long gap, a
key or a chip between them, then a long gap. A box too many or too few, a burn nobody announced, a card read twice or
missed leave another number of cards before the gap. What is not confirmed stays closed until the dealer turns the hole
card. That nothing came is itself a reading (``DeadlinePassed``), so that replay needs no clock.
"""

from __future__ import annotations

from statistics import median
from typing import Any, Final, assert_never

from msgspec.structs import replace

from controller.core.game.rules import Rules
from controller.core.inference.lattice import Reconstruction
from controller.core.inference.observation import CardCame
from controller.core.messages.events import DealUnconfirmed
from controller.core.messages.inputs import DeadlinePassed
from controller.core.table.deal_status import Dealing
from controller.core.table.keymap import EVIDENCE
from controller.core.table.state import begun
from controller.core.table.transaction import Desk
from firmware_protocols.readings import ChipsConfirmed

SECOND_NS: Final = 1_000_000_000

GAPS_KEPT: Final = 60
"""Gaps between cards of which the median is taken: those of the last five or more deals to a full table."""

GAP_TIMES: Final = 3
"""A gap is long if it is so many times the median gap of the last deals."""

RHYTHM_PER_MILLE: Final = 1_500
"""A gap is of the dealer's rhythm if it is at most so much of the median: nobody asks for a card and has it so soon."""

LAST: Final = 2
"""The cards of a deal that the table counts too many where chips lie on a box that is not dealt to."""

ASTRAY: Final = "cards of no round have been drawn since the last turn"
"""They may be cards of this deal, or of one that is played on although it is void."""


def guarded(rules: Rules) -> bool:
    """Whether rounds by these rules have a hole card to guard."""
    return bool(rules.options.turn_key) and rules.hole_card == "dealt"


def begin(desk: Desk) -> Dealing:
    """The deal of a round whose bets are locked now."""
    if not guarded(desk.rules):
        return Dealing()
    kept = (*desk.state.last_shoe.closed, *desk.state.shoe.closed)
    astray = any(desk.state.unturned(card) and not card.burned for card in kept)
    return Dealing("open", uneven=ASTRAY if astray else "")


def change(desk: Desk, **fields: Any) -> None:  # noqa: ANN401 - the fields of Dealing, whatever they are
    """Change what is known of the open round's deal."""
    desk.change_round(dealing=replace(desk.round().dealing, **fields))


def size(desk: Desk) -> int:
    """The cards of the deal, as the table counts its boxes."""
    return desk.round().hole_place() + 1


def gap_ns(desk: Desk) -> int:
    """How long no card comes at the end of a deal."""
    told_s = desk.rules.options.deal_gap_s
    if told_s:
        return told_s * SECOND_NS
    return max(SECOND_NS, GAP_TIMES * usual_ms(desk) * 1_000_000)


def usual_ms(desk: Desk) -> int:
    """The usual time between two cards of a deal; 0: none has been dealt."""
    gaps = desk.state.deal_gaps_ms
    return int(median(gaps)) if gaps else 0


def rhythm_ms(desk: Desk) -> int:
    """The longest time between two cards that is of the dealer's rhythm."""
    return usual_ms(desk) * RHYTHM_PER_MILLE // 1000


def in_rhythm(desk: Desk) -> bool:
    """Whether the last cards of the deal came as a dealer deals, and not as those of a player who draws quickly."""
    return all(gap <= rhythm_ms(desk) for gap in desk.round().dealing.gaps_ms[-LAST:])


# --- what comes -------------------------------------------------------------------------------------


def card_coming(desk: Desk, since_ns: int, at_ns: int) -> None:
    """Before a card is taken, told at ``at_ns``: if a long gap lies before it, the clock has said so by now."""
    if desk.state.round is None or not desk.round().dealing.unturned() or not desk.round().cards:
        return
    if since_ns < at_ns:
        told_late(desk, since_ns)
    deal = desk.round().dealing
    if not at_once(desk, at_ns):
        change(desk, quiet_ns=max(deal.quiet_ns, at_ns))
        review(desk)
    elif len(desk.round().cards) == size(desk) and (deal.stands == "open" or deal.done_by):
        unconfirm(desk, "a card followed the deal at once")


def told_late(desk: Desk, since_ns: int) -> None:
    """A card is told that left the shoe at some moment since ``since_ns``: what seemed a pause was perhaps none."""
    deal = desk.round().dealing
    if deal.stands == "open":
        change(desk, uneven=deal.uneven or "a card was told late")
    elif deal.stands == "confirmed" and len(desk.round().cards) == size(desk) and at_once(desk, since_ns):
        unconfirm(desk, "a card told late may have followed the deal at once")


def at_once(desk: Desk, at_ns: int) -> bool:
    """Whether a card at ``at_ns`` follows the last one without a long gap."""
    return at_ns - desk.round().dealing.last_ns < gap_ns(desk)


def card_came(desk: Desk, at_ns: int) -> None:
    """A card of the round was taken."""
    deal, count = desk.round().dealing, len(desk.round().cards)
    if deal.stands == "unguarded":
        return
    burned_ns = desk.state.burned_ns
    if count == 1 and burned_ns >= 0 and at_ns - burned_ns < gap_ns(desk):
        # Announced in vain, the burn was the deal's first card.
        change(desk, uneven=deal.uneven or "a burn came just before the deal")
    if deal.last_ns >= 0 and count <= size(desk):
        change(desk, gaps_ms=(*deal.gaps_ms, (at_ns - deal.last_ns) // 1_000_000))
    if count == size(desk):
        # The last may be those of a player who drew: nobody is to slow the rhythm by which they are judged.
        gaps = (*desk.state.deal_gaps_ms, *desk.round().dealing.gaps_ms[:-LAST])
        desk.change(deal_gaps_ms=gaps[-GAPS_KEPT:])
    change(desk, last_ns=at_ns, stirred_ns=at_ns)


def key_came(desk: Desk, at_ns: int) -> None:
    """A key was pressed."""
    disturbed(desk, "a key was pressed in the deal", at_ns)


def chips_came(desk: Desk, last_ns: int) -> None:
    """Chips moved, at the latest at ``last_ns``."""
    if desk.state.round is not None and desk.round().evidence:
        first = next((one.first_ns for one in desk.round().evidence if isinstance(one.item, CardCame)), last_ns)
        if last_ns > first:
            disturbed(desk, "chips moved in the deal", last_ns)


def disturbed(desk: Desk, why: str, at_ns: int) -> None:
    """Something came that, between the cards of a deal, leaves its rhythm uncertain."""
    if desk.state.round is None or not desk.round().dealing.unturned():
        return
    deal = desk.round().dealing
    between = 0 < len(desk.round().cards) < size(desk)
    change(desk, stirred_ns=max(deal.stirred_ns, at_ns), uneven=deal.uneven or (why if between else ""))


def nothing_more(desk: Desk, silence: ChipsConfirmed | DeadlinePassed) -> None:
    """Up to a moment nothing changed but what was told: at these spots, or at all, as the clock says."""
    match silence:
        case ChipsConfirmed(spots, upto_ns):
            upto = desk.table_ns(upto_ns)
            known = desk.state.confirmed
            told = {str(spot): max(upto, known.get(str(spot), -1)) for spot in spots}
            desk.change(confirmed={**known, **told})
        case DeadlinePassed(at_ns):
            clock_told(desk, desk.table_ns(at_ns))
        case _:
            assert_never(silence)


def clock_told(desk: Desk, at_ns: int) -> None:
    """The clock says that nothing more has come."""
    if desk.state.round is not None and desk.round().dealing.unturned():
        change(desk, quiet_ns=max(desk.round().dealing.quiet_ns, at_ns))


def awaits_key(desk: Desk) -> bool:
    """Whether the key *no more bets* can only be this deal's, whatever became of its chips, which players can exchange.

    So it is until the deal is confirmed or cannot be, and the first time where the house says it by that key.
    """
    round_now = desk.round()
    deal = round_now.dealing
    if not deal.unturned() or not round_now.cards or round_now.closing:
        return False
    always = round_now.rules(desk.rules).options.deal_key == "always"
    return deal.stands == "open" or (always and not deal.done_by)


def deal_done(desk: Desk) -> bool:
    """The key *no more bets* was pressed again: the deal is done. False: it says nothing of the deal."""
    round_now = desk.state.round
    if round_now is None or not round_now.dealing.unturned() or not round_now.cards:
        return False
    count, deal = len(round_now.cards), round_now.dealing
    if awaits_key(desk):
        # Pressed between its cards it is a key in the deal, which leaves the count uncertain.
        change(desk, done_by=desk.stamped.number)
        return not round_now.trouble_told()
    if round_now.trouble_told():
        return False
    return deal.stands == "confirmed" and count == size(desk) and not desk.state.presses


# --- what follows -----------------------------------------------------------------------------------


def review(desk: Desk) -> None:
    """Confirm the deal, or say that it cannot be, once its key or a long gap has come."""
    round_now = desk.round()
    deal = round_now.dealing
    if deal.stands != "open" or not round_now.cards or not round_now.locked or round_now.held():
        return
    count, cards = len(round_now.cards), size(desk)
    quiet = deal.quiet_ns >= deal.last_ns + gap_ns(desk)
    by_key = round_now.rules(desk.rules).options.deal_key == "always"
    even = count == cards and not deal.uneven and (by_key or in_rhythm(desk))
    if even and (deal.done_by or (quiet and not by_key)):
        change(desk, stands="confirmed")
    elif quiet and count < cards:
        unconfirm(desk, f"a pause after card {count} of {cards}")
    elif quiet and deal.uneven:
        unconfirm(desk, deal.uneven)
    elif count > cards:
        unconfirm(desk, "nothing said that the deal was done")
    elif quiet and not even:
        unconfirm(desk, "its last cards came slowly enough to be drawn ones")


def unconfirm(desk: Desk, why: str, stands: str = "unconfirmed") -> None:
    """The deal is not certain; what is closed stays so until the turn."""
    before = desk.round().dealing.stands
    change(desk, stands=stands)
    if before in {"open", "confirmed"}:
        desk.tell(DealUnconfirmed(desk.round().number, why))


def moved(desk: Desk, why: str) -> None:
    """Cards or boxes were corrected: whatever is closed now stays closed until the turn, wherever its place is now."""
    if desk.state.round is None or not desk.round().dealing.unturned():
        return
    if desk.round().cards:
        unconfirm(desk, why, "moved")


def may_end_by_card(desk: Desk, at_ns: int) -> bool:
    """Whether a card at ``at_ns`` may be the next round's although no key has ended this one.

    Chips alone do not say so while the hole card is not turned, for a player can move them: where the dealer's key
    turns it, the key must have come; and no card begins a round that follows the last one at once.
    """
    return not desk.round().dealing.unturned() or (may_end_by_key(desk) and not at_once(desk, at_ns))


def may_end_by_key(desk: Desk) -> bool:
    """Whether the key of the next bets says that this round is over: not where the key of the turn must come first.

    That key may not have been heard while the keypad was lost: the round then ends with its hole card closed.
    """
    return keyless(desk) or desk.round().keys_unheard


def keyless(desk: Desk) -> bool:
    """Whether the open round is of a house where no key need say that the hole card is turned."""
    return desk.round().rules(desk.rules).options.turn_key == "sometimes"


def ends_unturned(desk: Desk) -> bool:
    """Whether the round ends now and nobody has said that its hole card is turned, where a key must."""
    round_now = desk.round()
    said = round_now.closing or round_now.turn_key or keyless(desk)
    return bool(round_now.cards) and round_now.dealing.unturned() and not said


def paused(desk: Desk) -> bool:
    """Whether the clock says that the hole card is turned: a card has ended the players' turns, and then came nothing.

    Chips say nothing of it, for players can move them, nor does a key that could still be taken back.
    """
    round_now, options = desk.round(), desk.round().rules(desk.rules).options
    deal = round_now.dealing
    if options.turn_key != "sometimes" or deal.quiet_ns < deal.stirred_ns + options.turn_pause_s * SECOND_NS:
        return False
    if any(press.meaning in EVIDENCE for press in desk.state.presses):
        return False
    found = up_to_last_card(desk)
    return bool(found.frontier) and all(found.play().finished(node) for node in found.frontier)


def up_to_last_card(desk: Desk) -> Reconstruction:
    """The lattice of everything told up to the last card."""
    evidence = desk.round().evidence
    last = max((place for place, one in enumerate(evidence) if isinstance(one.item, CardCame)), default=-1)
    found = begun(desk.rules, desk.round())
    for dated in evidence[: last + 1]:
        found = found.observe(dated)
    return found


def deadline_ns(desk: Desk) -> int:
    """When the clock is to say that nothing more has come, in table time; -1: no need."""
    round_now = desk.state.round
    if round_now is None or not round_now.dealing.unturned() or not round_now.cards:
        return -1
    deal, options = round_now.dealing, round_now.rules(desk.rules).options
    wanted = -1
    if deal.stands == "open":
        wanted = deal.last_ns + gap_ns(desk)
    elif deal.stands == "confirmed" and options.turn_key == "sometimes":
        wanted = deal.stirred_ns + options.turn_pause_s * SECOND_NS
    return wanted if wanted > deal.quiet_ns else -1
