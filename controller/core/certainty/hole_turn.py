"""Whether the hole card is turned: what the dealer's hand did, not what the table concludes."""

from __future__ import annotations

from controller.core.certainty import deal_confirmation
from controller.core.inference.lattice import Reconstruction
from controller.core.table.transaction import Desk


def turn_if_shown(desk: Desk, view: Reconstruction) -> None:
    """The hole card is turned by its key, or when every play has the players finished, or when payment has begun."""
    round_now = desk.round()
    if round_now.turned or not round_now.hole_dealt or not round_now.is_dealt():
        return
    play = view.play()
    nodes = desk.lattice().frontier
    by_key = bool(nodes) and all(node.turned for node in nodes)
    if desk.round().dealing.unturned():
        # What the table concludes is not what the dealer's hand did.
        by_card = bool(nodes) and all(node.drawn for node in (*nodes, *view.frontier))
        # After a correction every play rests on a person's word, which may be wrong: then the key or the close says it.
        concluded = not any(desk.round().corrected) and (by_card or deal_confirmation.paused(desk))
    else:
        concluded = all(play.finished(node) for node in view.frontier)
    if by_key or concluded:
        desk.turn_hole()


def known(desk: Desk) -> bool:
    """Whether the hole card may be looked at: it is turned, or its key was pressed; chips say nothing of it."""
    return not desk.round().dealing.unturned() or bool(desk.round().turn_key)
