"""The simulated reference shoe by itself: what it keeps, what it says, what it forgets."""

from __future__ import annotations

import pytest

from firmware_protocols.cards import DECK, Card
from firmware_protocols.codec import LineEnd
from firmware_protocols.messages import (
    AcknowledgeDraw,
    CardRead,
    CheckShoe,
    Command,
    IdentifyShoe,
    LockShoe,
    Message,
    SendDraws,
    ShoeIdentified,
    ShoeStatus,
    ShowDraws,
)
from firmware_protocols.shoe import reference
from simulators.devices.reference_shoe import (
    DRAWS_KEPT,
    RECORD_BYTES,
    SERIES,
    SIMULATED,
    ReferenceShoeSimulator,
    ShoeHeld,
)

CODEC = reference.CODEC
NEW = 0xC0FFEE42


def instruct(shoe: ReferenceShoeSimulator, command: Command) -> tuple[Message, ...]:
    wire = CODEC.open(LineEnd.HOST)
    return wire.feed(shoe.receive(wire.encode(command)))


def heard(data: bytes) -> tuple[Message, ...]:
    return CODEC.open(LineEnd.HOST).feed(data)


def awake(first_number: int = 0) -> ReferenceShoeSimulator:
    shoe = ReferenceShoeSimulator(CODEC, first_number=first_number)
    assert instruct(shoe, SendDraws(SERIES)) == ()
    return shoe


def test_it_has_the_room_that_the_protocol_asks_for() -> None:
    assert DRAWS_KEPT == reference.DRAWS_KEPT


def test_it_says_who_it_is_with_the_token_of_the_question() -> None:
    names = (SIMULATED.vendor, SIMULATED.model, SIMULATED.serial, SIMULATED.firmware)
    assert instruct(ReferenceShoeSimulator(CODEC), IdentifyShoe(77)) == (ShoeIdentified(77, *names, SERIES),)


def test_asleep_it_keeps_its_draws_to_itself_until_asked_to_send() -> None:
    shoe = ReferenceShoeSimulator(CODEC, first_number=255)
    assert shoe.draw(Card("8h")) + shoe.misread() == b""
    assert instruct(shoe, CheckShoe(9)) == (ShoeStatus(9, SERIES, 255, 2, awake=False),)
    draws = (CardRead(Card("8h"), sequence=255, series=SERIES), CardRead(None, sequence=256, series=SERIES))
    assert instruct(shoe, SendDraws(SERIES)) == draws
    assert instruct(shoe, SendDraws(SERIES)) == draws
    assert instruct(shoe, CheckShoe(9)) == (ShoeStatus(9, SERIES, 255, 2),)


def test_awake_it_sends_each_draw_at_once() -> None:
    shoe = awake()
    assert heard(shoe.draw(Card("8h"))) == (CardRead(Card("8h"), sequence=0, series=SERIES),)
    assert heard(shoe.draw(Card("9h"), burn=True)) == (CardRead(Card("9h"), burn=True, sequence=1, series=SERIES),)


def test_it_forgets_what_is_acknowledged_and_what_came_before() -> None:
    shoe = awake(first_number=254)
    for face in DECK[:4]:
        shoe.draw(face)
    assert instruct(shoe, AcknowledgeDraw(SERIES, 256)) == ()
    assert instruct(shoe, SendDraws(SERIES)) == (CardRead(DECK[3], sequence=257, series=SERIES),)
    assert instruct(shoe, CheckShoe(9)) == (ShoeStatus(9, SERIES, 257, 1),)


@pytest.mark.parametrize("number", [253, 2, 100])
def test_an_acknowledgement_of_a_draw_it_does_not_keep_means_nothing(number: int) -> None:
    shoe = awake(first_number=254)
    for face in DECK[:4]:
        shoe.draw(face)
    instruct(shoe, AcknowledgeDraw(SERIES, number))
    assert shoe.waiting == 4


def test_without_power_it_forgets_nothing_but_that_it_was_awake() -> None:
    shoe = awake()
    shoe.draw(Card("8h"))
    instruct(shoe, LockShoe(locked=True))
    shoe.power_cycle()
    assert instruct(shoe, CheckShoe(9)) == (ShoeStatus(9, SERIES, 0, 1, awake=False, locked=True),)


def test_a_shoe_that_lost_its_memory_is_locked_until_it_is_asked_to_send() -> None:
    shoe = awake()
    shoe.draw(Card("8h"))
    shoe.lose_memory(NEW)
    assert instruct(shoe, CheckShoe(9)) == (ShoeStatus(9, NEW, 0, 0, awake=False, locked=True),)
    with pytest.raises(ShoeHeld, match="locked"):
        shoe.draw(Card("8h"))
    assert instruct(shoe, SendDraws(SERIES)) == ()
    assert instruct(shoe, ShowDraws(NEW)) == ()
    assert shoe.locked
    assert instruct(shoe, SendDraws(NEW)) == (ShoeStatus(0, NEW, 0, 0),)
    assert heard(shoe.draw(Card("8h"))) == (CardRead(Card("8h"), sequence=0, series=NEW),)


def test_shown_to_somebody_it_sends_each_draw_and_does_not_wake() -> None:
    shoe = ReferenceShoeSimulator(CODEC)
    shoe.draw(Card("8h"))
    assert instruct(shoe, ShowDraws(SERIES)) == (CardRead(Card("8h"), sequence=0, series=SERIES),)
    assert heard(shoe.draw(Card("9h"))) == (CardRead(Card("9h"), sequence=1, series=SERIES),)
    assert instruct(shoe, CheckShoe(9)) == (ShoeStatus(9, SERIES, 0, 2, awake=False),)


def test_commands_to_another_memory_mean_nothing() -> None:
    shoe = ReferenceShoeSimulator(CODEC)
    shoe.draw(Card("8h"))
    for command in (SendDraws(NEW), ShowDraws(NEW), AcknowledgeDraw(NEW, 0)):
        assert instruct(shoe, command) == ()
    assert instruct(shoe, CheckShoe(9)) == (ShoeStatus(9, SERIES, 0, 1, awake=False),)


def test_what_was_freed_late_comes_back_with_the_power() -> None:
    shoe = ReferenceShoeSimulator(CODEC, frees_late=True)
    shoe.draw(Card("8h"))
    instruct(shoe, AcknowledgeDraw(SERIES, 0))
    assert shoe.waiting == 0
    shoe.power_cycle()
    assert shoe.waiting == 1


def test_a_record_lost_and_a_brown_out_leave_draws_that_could_not_be_read() -> None:
    shoe = awake()
    shoe.draw(Card("8h"))
    shoe.lose_record(0)
    shoe.brown_out(Card("9h"), bytes_written=0)
    shoe.brown_out(Card("Th"), bytes_written=3)
    shoe.brown_out(Card("Jh"), bytes_written=RECORD_BYTES)
    faces = [draw.face for draw in instruct(shoe, SendDraws(SERIES)) if isinstance(draw, CardRead)]
    assert faces == [None, None, Card("Jh")]


def test_half_a_command_before_the_power_went_is_not_obeyed_after() -> None:
    shoe = awake()
    lock = CODEC.open(LineEnd.HOST).encode(LockShoe(locked=True))
    shoe.receive(lock[:4])
    shoe.power_cycle()
    shoe.receive(lock[4:])
    assert not shoe.locked


def test_no_card_leaves_a_locked_shoe() -> None:
    shoe = awake()
    assert instruct(shoe, LockShoe(locked=True)) == (ShoeStatus(0, SERIES, 0, 0, locked=True),)
    assert instruct(shoe, LockShoe(locked=True)) == ()
    with pytest.raises(ShoeHeld, match="locked"):
        shoe.draw(Card("8h"))
    assert instruct(shoe, LockShoe(locked=False)) == (ShoeStatus(0, SERIES, 0, 0),)
    assert heard(shoe.draw(Card("8h")))


def test_full_it_locks_itself_says_so_and_lets_go_when_there_is_room() -> None:
    shoe = awake()
    for number in range(DRAWS_KEPT - 1):
        assert len(heard(shoe.draw(DECK[number % 52]))) == 1
    _, status = heard(shoe.draw(Card("8h")))
    assert status == ShoeStatus(0, SERIES, 0, DRAWS_KEPT, locked=True)
    with pytest.raises(ShoeHeld, match="120 draws"):
        shoe.misread()
    assert instruct(shoe, AcknowledgeDraw(SERIES, 0)) == (ShoeStatus(0, SERIES, 1, DRAWS_KEPT - 1),)


def test_lid_and_mode_are_reported_when_they_change() -> None:
    shoe = awake()
    assert heard(shoe.lid(is_open=True)) == (ShoeStatus(0, SERIES, 0, 0, lid_open=True),)
    assert heard(shoe.burn_mode(on=True)) == (ShoeStatus(0, SERIES, 0, 0, lid_open=True, burning=True),)
    assert heard(shoe.draw(Card("8h"))) == (CardRead(Card("8h"), burn=True, sequence=0, series=SERIES),)


def test_a_command_begun_is_given_up_at_silence() -> None:
    shoe = awake()
    lock = CODEC.open(LineEnd.HOST).encode(LockShoe(locked=True))
    assert shoe.receive(lock[:3]) + shoe.idle() == b""
    shoe.receive(lock[3:])
    assert not shoe.locked
    shoe.receive(lock)
    assert shoe.locked
