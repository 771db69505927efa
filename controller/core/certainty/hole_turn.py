"""Whether the hole card is turned: what the dealer's hand did, not what the table concludes."""

from __future__ import annotations

from typing import Final

from controller.core.certainty import deal_confirmation
from controller.core.game.position import Node
from controller.core.inference.lattice import Lattice
from controller.core.inference.observation import CardObserved
from controller.core.table.keymap import EVIDENCE
from controller.core.table.state import empty_lattice
from controller.core.table.transaction import Transaction
from controller.core.table.workings import PlaysByLastCard, are_identical
from firmware_protocols.readings import ChipsSeen

_SECOND_NS: Final = 1_000_000_000


def turn_if_shown(transaction: Transaction, view: Lattice) -> None:
    """The hole card is turned by its key, or when every play has the players finished, or when payment has begun."""
    round_now = transaction.round()
    if round_now.cards.turned or not round_now.cards.hole_dealt or not round_now.is_dealt():
        return
    play = view.game
    nodes = transaction.lattice().frontier
    by_key = bool(nodes) and all(node.turned for node in nodes)
    if transaction.round().dealing.unturned():
        # What the table concludes is not what the dealer's hand did: a player's chips can make a hit look like the card
        # of a double and the next one like the dealer's. Where the dealer keys the turn no card says it for him.
        keyed = not deal_confirmation.turn_needs_no_key(transaction)
        by_card = not keyed and _is_dealers(transaction, (*nodes, *view.frontier))
        # After a correction every play rests on a person's word, which may be wrong: then the key or the close says it.
        # So it does after the word of who is not at the table that no card was missed.
        by_word = any(round_now.corrected) or round_now.questions.denied_afar
        concluded = not by_word and (by_card or _pause_shows_turn(transaction, tuple(nodes)))
    else:
        concluded = all(play.finished(node) for node in view.frontier)
    if by_key or concluded:
        transaction.turn_hole()


def _is_dealers(transaction: Transaction, nodes: tuple[Node, ...]) -> bool:
    """Whether every play gives the dealer a card beyond his first two, and did when the last card came.

    Chips that come after a card say nothing of it: they may be on their way past a hand that has stopped.
    """
    if not nodes or not all(node.drawn for node in nodes):
        return False
    frontier = _lattice_up_to_last_card(transaction).frontier
    return bool(frontier) and all(node.drawn for node in frontier)


def _pause_shows_turn(transaction: Transaction, nodes: tuple[Node, ...]) -> bool:
    """Whether the clock says that the hole card is turned: a card has ended the players' turns, and then came nothing.

    That chips say so is not enough, for players can move them, nor does a key that could still be taken back. But chips
    of which a reader tells only after the card may say that a player has still to be dealt to.
    """
    round_now, options = transaction.round(), transaction.round().options(transaction.rules)
    deal = round_now.dealing
    if options.turn_key != "sometimes" or deal.quiet_ns < deal.stirred_ns + options.turn_pause_s * _SECOND_NS:
        return False
    if any(press.meaning in EVIDENCE for press in transaction.state.presses):
        return False
    lattice = _lattice_up_to_last_card(transaction)
    if transaction.house.splits_awaited and (
        _may_move_before(transaction, deal.last_ns) or not all(lattice.game.finished(node) for node in nodes)
    ):
        return False
    return bool(lattice.frontier) and all(lattice.game.finished(node) for node in lattice.frontier)


def _may_move_before(transaction: Transaction, moment_ns: int) -> bool:
    """Whether chips that do not count yet, as they may move on, may have been laid before a moment."""
    firsts = (one.first.input for one in transaction.state.moving)
    return any(isinstance(seen, ChipsSeen) and transaction.table_ns(seen.after_ns) < moment_ns for seen in firsts)


def _lattice_up_to_last_card(transaction: Transaction) -> Lattice:
    """The lattice of everything reported up to the last card; it is asked for at each look while nothing happens."""
    round_now, evidence = transaction.round(), transaction.round().evidence
    by_evidence = (evidence.observations, evidence.answers, evidence.outages, evidence.keys_unheard, evidence.keys_slip)
    rests_on = (transaction.rules, round_now.bets, *by_evidence)
    known = transaction.by_last_card
    if known.lattice is not None and are_identical(known.rests_on, rests_on):
        return known.lattice
    cards = (at for at, one in enumerate(evidence.observations, start=1) if isinstance(one.item, CardObserved))
    last = max(cards, default=0)
    lattice = empty_lattice(transaction.rules, round_now).observe_all(evidence.observations[:last])
    transaction.by_last_card = PlaysByLastCard(rests_on, lattice)
    return lattice


def hole_card_known(transaction: Transaction) -> bool:
    """Whether the hole card may be looked at: it is turned, or its key was pressed; chips say nothing of it."""
    return not transaction.round().dealing.unturned() or bool(transaction.round().cards.turn_key)
