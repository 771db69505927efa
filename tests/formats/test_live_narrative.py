"""The live account of a round: a line for each thing a person at the table sees, in that order."""

from __future__ import annotations

from controller.core.game.wager import Basis, LockedWager
from controller.core.messages.events import BettingClosed, CardDealt, CardOpened, HoleCardRevealed, WagerSettled
from controller.reports.live_narrative import LiveNarrator


def test_a_deal_that_opens_with_the_hole_card_is_printed_before_its_turn() -> None:
    teller = LiveNarrator()
    teller.tell(BettingClosed(1, (LockedWager(4, "main", 500),)))
    for card, spot in ((1, 4), (2, 0), (3, 4), (4, 0)):
        assert teller.tell(CardDealt(1, card, spot, None if spot == 0 else 0)) == []
    assert teller.tell(HoleCardRevealed(1, 4)) == []
    lines = [line for card in (4, 1, 2, 3) for line in teller.tell(CardOpened(card, f"{card + 1}h", ""))]
    assert lines == ["  dealt      4: 2h 4h   dealer: 3h 5h", "  dealer     turns the hole card"]


def test_the_columns_of_a_round_are_as_wide_as_its_longest_bet() -> None:
    teller = LiveNarrator()
    bets = [(1, "main", 2500), (1, "five_card_progressive", 2500), (4, "main", 1000)]
    _, _, shown = teller.tell(BettingClosed(1, tuple(LockedWager(*one) for one in bets)))
    assert shown == "  bets       1: $25.00, five_card_progressive $25.00   4: $10.00"
    lines = [line for one in bets for line in teller.tell(WagerSettled(1, *one, -one[2], Basis.EVIDENCE, (), "loses"))]
    assert [line.index(" -> ") for line in lines] == [line.index(" -> ") for line in lines[:1]] * 3
    assert [line.index("loses") for line in lines] == [line.index("loses") for line in lines[:1]] * 3


def test_an_award_is_printed_with_the_wager_that_it_does_not_return() -> None:
    teller = LiveNarrator()
    (line,) = teller.tell(WagerSettled(1, 1, "blazing7s", 500, 99_576, Basis.EVIDENCE, (), "three suited", 100_076))
    assert line.endswith(
        "+$995.76   three suited: $1,000.76 of the meter, less the wager, which is the house's [evidence]"
    )
