"""What the reply to an order says, beside what the journal keeps of it."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from controller.core.game.wager import BookRow, RoundBook
from controller.core.messages.alerts import OrderRefused
from controller.core.messages.events import CardDrawn
from controller.core.messages.floor_events import RulingProposed
from controller.core.messages.inputs import AcknowledgeAlert, AdjustWager, AssignCard, DeclareBox, Ruling, SetCard
from controller.core.messages.raised_alerts import AlertAcknowledged, AlertRaised
from controller.core.table.ledger import Books
from controller.formats.orders.replies import refusal_of, remark_of
from firmware_protocols.cards import Card
from tests.core.rig import Rig, penn


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


def test_an_alert_is_acknowledged_by_its_number_and_not_by_that_of_its_event() -> None:
    rig = Rig(penn(stand_key="always"))
    rig.talk("1 main 25\nkey no_more_bets\nTh 7d Qs Td\nkey stand hole_turned\n1 main 50\n1 main 0\n5c")
    (raised,) = rig.events_of(AlertRaised)
    seq = rig.events.index(raised) + 1
    assert seq != raised.alert
    rig.give(AcknowledgeAlert(rig.now_ns, seq, "J. Weber", ""))
    refused = refusal_of(rig.events[-1:])
    assert refused is not None
    assert refused.text.endswith("its number is `alert` in its event, and not that event's seq")
    rig.give(AcknowledgeAlert(rig.now_ns, raised.alert, "J. Weber", ""))
    assert isinstance(rig.events[-1], AlertAcknowledged)


def reply(rig: Rig, order: Ruling) -> str:
    """What the table says of an order that it has carried out."""
    begun = len(rig.events)
    rig.give(order)
    assert refusal_of(rig.events[begun:]) is None
    return remark_of(order, rig.events[begun:], rig.table.state.books)


def declared(rig: Rig, cents: int) -> str:
    return reply(rig, DeclareBox(rig.now_ns, 3, cents, "M. Okafor", "a lammer"))


def test_the_floor_is_told_of_which_round_a_box_was_declared() -> None:
    """A box that comes a moment too early or late is in play in another round than the floor meant."""
    rig = Rig(penn(stand_key="always"))
    rig.change_house(orders_bounded=True)
    assert declared(rig, 2_500) == "the next round: spot 3 is in play for 25.00"
    assert declared(rig, 0) == "the next round: spot 3 is not in play"
    rig.talk("1 main 25\nkey no_more_bets")
    assert declared(rig, 2_500) == "round 1: spot 3 is in play for 25.00"
    assert declared(rig, 0) == "round 1: spot 3 is not in play"


def test_the_floor_is_told_of_which_round_a_card_was_named_or_assigned() -> None:
    rig = Rig(penn(stand_key="always"))
    rig.talk("1 main 25\nkey no_more_bets\nTh 7d Qs Td\nkey stand hole_turned\n1 main 50\n1 main 0\nkey round_closed")
    rig.talk("1 main 25\nkey no_more_bets\nTh")
    rig.card(None)
    unread = rig.events_of(CardDrawn)[-1].card
    assert reply(rig, SetCard(rig.now_ns, unread, Card("7d"), "M. Okafor", "seen")) == f"round 2: card {unread} is 7d"
    rig.card("9s")
    last = rig.events_of(CardDrawn)[-1].card
    assert reply(rig, AssignCard(rig.now_ns, last, 1, "M. Okafor", "seen")) == f"round 2: card {last} is of spot 1"
    struck = reply(rig, SetCard(rig.now_ns, last, None, "M. Okafor", "read twice"))
    assert struck == f"round 2: card {last} is no card of the round"
