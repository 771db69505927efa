"""The shoe: cards dated when they came, once each."""

from __future__ import annotations

from devices.shoes.shoe import REMEMBERED_DRAWS, ShoeSession
from firmware_protocols.cards import Card
from firmware_protocols.codec import LineEnd
from firmware_protocols.messages import CardRead, KeyDown, Message
from firmware_protocols.readings import CardDrawn, DeviceComplained, LineDisturbed, Reading
from firmware_protocols.shoe import bee_tek
from simulators.devices.shoe import ShoeSimulator
from tests.devices.plain import PLAIN


def shoe() -> ShoeSession:
    session = ShoeSession(PLAIN)
    session.connected(0)
    session.readings()
    return session


def say(session: ShoeSession, message: Message, now_ns: int) -> tuple[Reading, ...]:
    session.receive(PLAIN.open(LineEnd.DEVICE).encode(message), now_ns)
    return session.readings()


def test_a_card_is_dated_when_its_last_byte_came() -> None:
    session, simulator = shoe(), ShoeSimulator(PLAIN)
    data = simulator.draw(Card("8h"))
    session.receive(data[:9], 1_000)
    assert session.readings() == ()
    session.receive(data[9:], 2_000)
    assert session.readings() == (CardDrawn(at_ns=2_000, face=Card("8h")),)


def test_two_equal_cards_without_numbers_are_two_cards() -> None:
    session, simulator = shoe(), ShoeSimulator(PLAIN)
    session.receive(simulator.draw(Card("8h")) + simulator.draw(Card("8h")), 7)
    assert session.readings() == (CardDrawn(at_ns=7, face=Card("8h")),) * 2


def test_a_misread_card_is_a_card_without_a_face() -> None:
    session = shoe()
    session.receive(ShoeSimulator(PLAIN).misread(), 7)
    assert session.readings() == (CardDrawn(at_ns=7, face=None),)


def test_a_burn_is_reported_where_the_shoe_reports_it() -> None:
    session = shoe()
    session.receive(ShoeSimulator(PLAIN).draw(Card("2c"), burn=True), 7)
    assert session.readings() == (CardDrawn(at_ns=7, face=Card("2c"), burn=True),)


def test_a_shoe_without_burns_reports_a_burnt_card_like_any_other() -> None:
    session = ShoeSession(bee_tek.CODEC)
    session.connected(0)
    session.receive(ShoeSimulator(bee_tek.CODEC).draw(Card("2c"), burn=True), 7)
    assert session.readings()[1:] == (CardDrawn(at_ns=7, face=Card("2c")),)


def test_repeats_of_a_numbered_draw_are_one_card() -> None:
    session = shoe()
    eight, nine = CardRead(Card("8h"), sequence=4), CardRead(Card("9h"), sequence=5)
    assert len(say(session, eight, 1)) == 1
    assert len(say(session, nine, 2)) == 1
    assert say(session, eight, 3) == ()
    assert say(session, nine, 4) == ()


def test_repeats_are_known_across_a_lost_line() -> None:
    session = shoe()
    eight = CardRead(Card("8h"), sequence=4)
    say(session, eight, 1)
    session.disconnected(2)
    session.connected(3)
    session.readings()
    assert say(session, eight, 4) == ()


def test_a_number_used_again_long_after_is_a_new_card() -> None:
    session = shoe()
    eight = CardRead(Card("8h"), sequence=0)
    say(session, eight, 1)
    for number in range(1, REMEMBERED_DRAWS + 1):
        say(session, CardRead(Card("9h"), sequence=number), number)
    assert say(session, eight, 99) == (CardDrawn(at_ns=99, face=Card("8h"), sequence=0),)


def test_two_cards_under_one_number_are_both_reported_with_a_complaint() -> None:
    session = shoe()
    say(session, CardRead(Card("8h"), sequence=4), 1)
    complaint, card = say(session, CardRead(Card("9h"), sequence=4), 2)
    assert isinstance(complaint, DeviceComplained)
    assert complaint.code == "sequence"
    assert card == CardDrawn(at_ns=2, face=Card("9h"), sequence=4)


def test_an_alarm_is_passed_on() -> None:
    session = shoe()
    session.receive(ShoeSimulator(PLAIN).alarm("E3", "Card Not Read"), 7)
    assert session.readings() == (DeviceComplained(device="shoe", code="E3", text="Card Not Read", at_ns=7),)


def test_a_message_cut_short_is_given_up_after_silence_and_dated_when_it_came() -> None:
    session = shoe()
    session.receive(ShoeSimulator(PLAIN).draw(Card("8h"))[:12], 1_000)
    deadline_ns = session.next_deadline()
    assert deadline_ns == 1_000 + PLAIN.idle_ns
    session.handle_deadline(deadline_ns - 1)
    assert session.readings() == ()
    session.handle_deadline(deadline_ns)
    (fault,) = session.readings()
    assert isinstance(fault, LineDisturbed)
    assert fault.at_ns == 1_000
    assert session.next_deadline() is None


def test_a_message_cut_short_by_a_lost_line_is_reported() -> None:
    session = shoe()
    session.receive(ShoeSimulator(PLAIN).draw(Card("8h"))[:12], 1_000)
    session.disconnected(5_000)
    assert [type(reading).__name__ for reading in session.readings()] == ["LineDisturbed", "DeviceHealth"]


def test_a_message_no_shoe_sends_is_a_disturbance() -> None:
    (fault,) = say(shoe(), KeyDown("A"), 3)
    assert fault == LineDisturbed(device="shoe", reason="unexpected KeyDown", data=b"", at_ns=3)
