"""The replies on the page for the floor are those that the table gives."""

from __future__ import annotations

import pytest

from controller.core.game.wager import Basis, BookRow, RoundBook
from controller.core.messages.events import Event, WagerAdjusted, WagerSettled
from controller.core.messages.floor_events import RulingProposed
from controller.core.messages.inputs import AdjustWager, VoidRound
from controller.formats.orders.replies import remark_of
from tests.docs.pages import DOCS

WHO, WHY = "M. Okafor", "misdeal"
BOOKS = (RoundBook(12, (BookRow(4, "main", 1000, -1000, Basis.EVIDENCE), BookRow(5, "main", 2500))),)
RETURNED = (
    WagerAdjusted(12, 4, "main", 1000, -1000, 0, WHO, WHY, Basis.FLOOR),
    WagerSettled(12, 5, "main", 2500, 0, Basis.FLOOR, (80,), WHY),
)
PROPOSED = (RulingProposed(3, 12, 4, "main", 0, WHO, WHY),)


@pytest.mark.parametrize(
    ("given", "events"),
    [(VoidRound(0, 12, WHO, WHY), RETURNED), (AdjustWager(0, 12, 4, "main", 0, WHO, WHY), PROPOSED)],
)
def test_a_reply_on_the_page_is_the_tables(given: VoidRound | AdjustWager, events: tuple[Event, ...]) -> None:
    lines = (DOCS / "guide" / "floor.md").read_text(encoding="utf-8").splitlines()
    assert f"    accepted: {remark_of(given, events, BOOKS)}" in lines
