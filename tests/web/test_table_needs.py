"""What of a table waits, and since when: exactly where its event was heard, at least since it was seen where not."""

from __future__ import annotations

from typing import Final

import msgspec
from msgspec.structs import replace

from controller.core.messages.alerts import DeviceAlarm, LineErrors, RoundIrregular
from controller.core.messages.events import DeviceStatusChanged, Event, QuestionAsked, SoftwareChecked
from controller.core.messages.floor_events import RulingProposed
from controller.core.messages.meter_events import MeterChangeProposed, OrderApproved, OrderWithdrawn
from controller.core.meters.state import Adjustment
from controller.formats.journal.records import Identity
from controller.formats.mqtt.envelope import Published, Status
from controller.formats.mqtt.retained_layout import QuestionNow, WagerNow
from controller.formats.mqtt.retained_orders import OrdersNow, RulingNow
from controller.formats.mqtt.retained_state import Hold
from controller.web.device_faults import FaultBook
from controller.web.table_needs import NeedBook, WaitingSince
from tests.web.floor import FELT, metered

ASKED: Final = "2026-11-21T21:14:01.000000Z"
SEEN: Final = "2026-11-21T21:14:07.000000Z"
LATER: Final = "2026-11-21T21:15:00.000000Z"


def heard(event: Event, time: str = ASKED, epoch: int = 1) -> Published:
    return Published(Identity("harbour", "bj-1", epoch), 41, time, event)


QUESTION: Final = QuestionNow(7, 60, 2, "Spot 2: how many cards?", ("2", "3"))


def test_a_question_waits_since_it_was_asked() -> None:
    book = NeedBook()
    book.follow(heard(QuestionAsked(7, 60, 2, "Spot 2: how many cards?", ("2", "3"))))
    book.take(replace(FELT, questions=(QUESTION,)), SEEN)
    assert [one.waits for one in book.now().questions] == [WaitingSince(ASKED, exact=True)]
    book.take(FELT, LATER)
    assert book.now().questions == ()


def test_a_question_that_was_not_heard_waits_at_least_since_it_was_seen() -> None:
    book = NeedBook()
    for now in (SEEN, LATER):
        book.take(replace(FELT, questions=(QUESTION,)), now)
    assert [one.waits for one in book.now().questions] == [WaitingSince(SEEN, exact=False)]


def test_an_irregular_round_waits_until_it_is_over() -> None:
    book = NeedBook()
    book.take(replace(FELT, irregular="a card too many"), SEEN)
    found = book.now().irregular
    assert found is not None
    assert (found.reason, found.waits) == ("a card too many", WaitingSince(SEEN, exact=False))
    book.follow(heard(RoundIrregular(60, "a card too many")))
    book.take(replace(FELT, irregular="a card too many"), LATER)
    again = book.now().irregular
    assert again is not None
    assert again.waits == WaitingSince(ASKED, exact=True)
    book.take(replace(FELT, irregular="a card too many", open=False, outcome="irregular"), LATER)
    assert book.now().irregular is None


def test_what_a_round_left_open_or_in_doubt_is_counted() -> None:
    book = NeedBook()
    wagers = (WagerNow(1, "main", 2_500), WagerNow(2, "main", 2_500, 2_500, disputed=True))
    book.take(replace(FELT, wagers=wagers), SEEN)
    assert (book.now().open_wagers, book.now().doubted_wagers) == (0, 1)
    book.take(replace(FELT, wagers=wagers, open=False, outcome="open"), SEEN)
    assert (book.now().open_wagers, book.now().doubted_wagers) == (1, 1)


def test_a_proposal_waits_for_the_second_person() -> None:
    book = NeedBook()
    book.follow(heard(RulingProposed(3, 60, None, None, None, "A. Ames", "misdeal")))
    book.take(metered(order="B. Bell").meters, SEEN)
    assert [(one.order, one.who, one.waits.exact) for one in book.now().proposals] == [
        (3, "A. Ames", True),
        (4, "B. Bell", False),
    ]
    book.follow(heard(OrderApproved(3, "A. Ames", "C. Cole")))
    book.take(metered().meters, LATER)
    assert book.now().proposals == ()


def test_a_proposal_that_is_withdrawn_or_of_an_epoch_before_waits_no_more() -> None:
    book = NeedBook()
    book.follow(heard(RulingProposed(3, 60, 1, "main", 0, "A. Ames", "dead hand")))
    book.follow(heard(OrderWithdrawn(3, "A. Ames", "counted again")))
    assert book.now().proposals == ()
    book.follow(heard(RulingProposed(4, 60, 1, "main", 0, "A. Ames", "dead hand")))
    book.follow(heard(QuestionAsked(1, 1, 1, "Spot 1?", ("1", "2")), epoch=2))
    assert book.now().proposals == ()


def test_a_proposed_ruling_is_shown_with_its_case_by_event_and_picture() -> None:
    book = NeedBook()
    book.follow(heard(RulingProposed(3, 60, 1, "main", 0, "A. Ames", "dead hand", "own key", "S-118")))
    assert [one.case for one in book.now().proposals] == ["S-118"]
    book = NeedBook()
    ruling = RulingNow(3, 60, 1, "main", -1000, 0, "A. Ames", "dead hand", "S-118")
    book.take(OrdersNow(9, two_persons=True, rulings=(ruling,), wagers=()), SEEN)
    assert [one.case for one in book.now().proposals] == ["S-118"]


def test_a_hold_and_an_absence_last_until_they_are_over() -> None:
    book = NeedBook()
    for now in (SEEN, LATER):
        book.take(Hold("record 50"), now)
        book.take(Status("offline", 1, ASKED), now)
    assert (book.now().hold, book.now().offline) == (WaitingSince(SEEN, exact=False), WaitingSince(SEEN, exact=False))
    book.take(None, LATER)
    book.take(Status("online", 2, LATER), LATER)
    assert (book.now().hold, book.now().offline) == (None, None)


def test_the_last_fault_of_each_device_is_kept() -> None:
    book = FaultBook()
    assert book.follow(heard(DeviceStatusChanged("shoe", "ready", "")))
    assert not book.follow(heard(DeviceStatusChanged("shoe", "ready", "")))
    assert book.follow(heard(DeviceStatusChanged("shoe", "lost", "no answer")))
    assert book.follow(heard(LineErrors("keypad", "expected a frame", "ff00"), SEEN))
    assert book.follow(heard(DeviceAlarm("shoe", "7", "jam"), LATER))
    assert book.follow(heard(SoftwareChecked("hour", True, "00", 5_064, "", ""), LATER))
    now = book.now()
    assert now.since == ASKED
    assert {name: (one.kind, one.detail) for name, one in now.devices.items()} == {
        "keypad": ("damaged", "expected a frame"),
        "shoe": ("alarm", "jam"),
    }
    assert now.software is not None
    assert (now.software.passed, now.software.files) == (True, 5_064)


def test_what_is_proposed_of_a_meter_is_shown_from_the_event_and_from_the_picture() -> None:
    book = NeedBook()
    move = Adjustment("meter", -12_500_000, "equipment_correction")
    book.follow(heard(MeterChangeProposed(3, "sevens", move, "A. Ames", "counted")))
    assert [one.move for one in book.now().proposals] == [move]
    for proposal, found in ((msgspec.to_builtins(move), move), ({"type": "of_a_later_version"}, None), ({}, None)):
        pictures = metered(order="B. Bell").meters
        assert pictures is not None
        late = NeedBook()
        late.take(replace(pictures, orders=(replace(pictures.orders[0], move=proposal),)), SEEN)
        assert [one.move for one in late.now().proposals] == [found]
