"""The replies on the page for the floor are those that the table gives."""

from __future__ import annotations

import pytest

from controller.core.game.wager import Basis, BookRow, RoundBook
from controller.core.messages.events import Event, WagerAdjusted, WagerSettled
from controller.core.messages.floor_events import BoxDeclared, CardSet, RulingProposed
from controller.core.messages.inputs import AdjustWager, DeclareBox, Ruling, SetCard, VoidRound
from controller.formats.orders.replies import remark_of
from controller.io.system.rate_limits import RequestLimit
from firmware_protocols.cards import Card
from tests.docs.pages import DOCS
from tests.io.test_allowances import Hands

WHO, WHY = "M. Okafor", "misdeal"
BOOKS = (RoundBook(12, (BookRow(4, "main", 1000, -1000, Basis.EVIDENCE), BookRow(5, "main", 2500))),)
RETURNED = (
    WagerAdjusted(12, 4, "main", 1000, -1000, 0, WHO, WHY, Basis.FLOOR),
    WagerSettled(12, 5, "main", 2500, 0, Basis.FLOOR, (80,), WHY),
)
PROPOSED = (RulingProposed(3, 12, 4, "main", 0, WHO, WHY),)


@pytest.mark.parametrize(
    ("given", "events"),
    [
        (SetCard(0, 812, Card("8h"), WHO, WHY), (CardSet(12, 812, None, "8h", WHO, WHY),)),
        (DeclareBox(0, 3, 2500, WHO, WHY), (BoxDeclared(None, 3, 2500, WHO, WHY),)),
        (VoidRound(0, 12, WHO, WHY), RETURNED),
        (AdjustWager(0, 12, 4, "main", 0, WHO, WHY), PROPOSED),
    ],
)
def test_a_reply_on_the_page_is_the_tables(given: Ruling, events: tuple[Event, ...]) -> None:
    lines = (DOCS / "guide" / "floor.md").read_text(encoding="utf-8").splitlines()
    assert f"    accepted: {remark_of(given, events, BOOKS)}" in lines


def test_the_refusal_of_what_comes_too_soon_is_the_tables() -> None:
    limit = RequestLimit(Hands(), lambda _: None)
    limit.rebuild_time.given()
    limit.rebuild_time.stepped("M. Okafor", 400_000_000)
    text = limit.refusal("M. Okafor", "declare-box").text
    assert f"    refused: {text}" in (DOCS / "guide" / "floor.md").read_text(encoding="utf-8").splitlines()
