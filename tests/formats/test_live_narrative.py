"""The live account of a round: a line for each thing a person at the table sees, in that order."""

from __future__ import annotations

from controller.core.game.wager import LockedWager
from controller.core.messages.events import BettingClosed, CardDealt, CardOpened, HoleCardRevealed
from controller.reports.live_narrative import LiveNarrator


def test_a_deal_that_opens_with_the_hole_card_is_told_before_its_turn() -> None:
    teller = LiveNarrator()
    teller.tell(BettingClosed(1, (LockedWager(4, "main", 500),)))
    for card, spot in ((1, 4), (2, 0), (3, 4), (4, 0)):
        assert teller.tell(CardDealt(1, card, spot, None if spot == 0 else 0)) == []
    assert teller.tell(HoleCardRevealed(1, 4)) == []
    lines = [line for card in (4, 1, 2, 3) for line in teller.tell(CardOpened(card, f"{card + 1}h", ""))]
    assert lines == ["  dealt      4: 2h 4h   dealer: 3h 5h", "  dealer     turns the hole card"]
