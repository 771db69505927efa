"""What the reply to an order says, beside what the journal keeps of it."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from controller.core.game.wager import BookRow, RoundBook
from controller.core.messages.alerts import OrderRefused
from controller.core.messages.floor_events import RulingProposed
from controller.core.messages.inputs import AdjustWager
from controller.core.table.ledger import Books
from controller.formats.orders.replies import refusal_of, remark_of


@pytest.mark.parametrize(
    ("refused", "message"),
    [
        (OrderRefused("ack 1", "short", "M. Okafor", "no_such_alert"), "was acknowledged before"),
        (OrderRefused("adjust", "short", "M. Okafor", "case_number_needed"), "give the house's (--case)"),
        (OrderRefused("approve", "no such order waits", "M. Okafor", "no_such_order"), "no such order waits"),
    ],
)
def test_a_refusal_says_what_to_do(refused: OrderRefused, message: str) -> None:
    reason = refusal_of([refused])
    assert reason is not None
    assert reason.code == refused.reason_code
    assert message in reason.text


def test_a_proposal_repeats_what_a_second_person_will_approve() -> None:
    ruling = AdjustWager(0, 7, 3, "main", 9_999_900, "M. Okafor", "typed wrong")
    proposed = RulingProposed(1, 7, 3, "main", 9_999_900, "M. Okafor", "typed wrong")
    books: Books = (RoundBook(7, (BookRow(3, "main", 1_000, 1_500), BookRow(4, "main", 1_000))),)
    message = "to approve it: round 7 spot 3 main: 15.00 -> 99999.00"
    assert remark_of(ruling, [proposed], books).endswith(message)
    assert remark_of(ruling, [replace(proposed, spot=4)], books).endswith("spot 4 main: open -> 99999.00")
    whole = RulingProposed(2, 7, None, None, None, "M. Okafor", "foul deal")
    assert remark_of(ruling, [whole], books).endswith("to approve it: void round 7")
