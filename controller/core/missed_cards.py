"""Cards that may have been drawn while nobody listened: a person says whether any were."""

from __future__ import annotations

from typing import Final

from controller.core import confirming
from controller.core.alerts import CardsMayBeMissing
from controller.core.desk import Desk

MISSED_CARDS: Final = "Were cards drawn while the table was not listening?"


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
