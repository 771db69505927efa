"""The shoe that answers: who it is, whether it is there, its lock and its lid."""

from __future__ import annotations

from msgspec.structs import replace

from devices.shoes.dialogue import CHECK_NS, LIVENESS_NS
from devices.shoes.expected_shoe import ExpectedShoe
from devices.shoes.shoe import ShoeSession
from firmware_protocols.cards import Card
from firmware_protocols.codec import LineEnd
from firmware_protocols.messages import CheckShoe, IdentifyShoe, LockShoe, SendDraws, ShoeStatus
from firmware_protocols.readings import DeviceComplained, DeviceHealth, HealthState, Reading, ShoeDraws
from firmware_protocols.shoe import reference
from simulators.devices.reference_shoe import SERIES, ReferenceShoeSimulator
from simulators.devices.wire import NullModem
from tests.devices.crossing import MS, Crossing, Journaling, S, Table, identity, shoe, started

READY, LOST, FAULTY = HealthState.READY, HealthState.LOST, HealthState.FAULTY


# --- connecting -------------------------------------------------------------------------------------


def test_it_is_ready_when_it_has_said_who_it_is_and_what_it_keeps() -> None:
    table = Table(shoe())
    table.start()
    assert table.health() == [(READY, "Tableside Sim-1 S0001, firmware 2.0")]
    assert table.complaints() == []


def test_a_card_is_reported_within_a_few_milliseconds() -> None:
    table = Table(shoe())
    table.start()
    drawn_ns = table.modem.now_ns
    table.draw(Card("8h"))
    table.run(50 * MS)
    (card,) = table.cards()
    assert (card.face, card.burn, card.sequence) == (Card("8h"), False, 0)
    # 15 bytes, of which each takes 87 us.
    assert card.at_ns - drawn_ns < 2 * MS


def test_burns_and_misreads_are_reported_as_such() -> None:
    table = Table(shoe())
    table.start()
    table.modem.say(table.shoe.burn_mode(on=True))
    table.draw(Card("2c"))
    table.modem.say(table.shoe.misread())
    table.modem.say(table.shoe.burn_mode(on=False))
    table.draw(Card("2c"))
    table.run(50 * MS)
    assert [(card.face, card.burn) for card in table.cards()] == [(Card("2c"), True), (None, True), (Card("2c"), False)]
    assert [code for code, _ in table.complaints()] == ["burn_mode_on", "burn_mode_off"]


def test_the_wrong_shoe_is_refused_and_not_believed() -> None:
    expected = ExpectedShoe(vendor="Tableside", model="Sim-1", serials=("S0002",))
    table = Table(shoe(), ShoeSession(reference.CODEC, expected=expected))
    # Somebody else has asked it to send, so it does.
    table.shoe.receive(reference.CODEC.open(LineEnd.HOST).encode(SendDraws(SERIES)))
    table.start()
    table.draw(Card("8h"))
    table.run(3 * S)
    assert table.health() == [(FAULTY, "expected serial S0002; this is Tableside Sim-1 S0001, firmware 2.0")]
    assert table.cards() == []
    assert table.shoe.waiting == 1


def test_the_right_shoe_is_found_when_it_is_plugged_in_instead() -> None:
    expected = ExpectedShoe(serials=("S0002",))
    session = ShoeSession(reference.CODEC, expected=expected)
    wrong = Table(shoe(), session)
    wrong.start()
    wrong.modem.disconnect()
    right_shoe = ReferenceShoeSimulator(reference.CODEC, identity("S0002"))
    right = NullModem(Journaling(session), right_shoe, reference.CODEC, start_ns=wrong.modem.now_ns)
    right.connect()
    right.run_until(right.now_ns + S)
    states = [reading.state for reading in right.readings if isinstance(reading, DeviceHealth)]
    assert states == [READY]


class Socket:
    """An adapter whose shoe can be changed while the line stays open."""

    def __init__(self, plugged: ReferenceShoeSimulator | None) -> None:
        self.plugged = plugged

    def receive(self, data: bytes) -> bytes:
        return self.plugged.receive(data) if self.plugged else b""

    def idle(self) -> bytes:
        return self.plugged.idle() if self.plugged else b""


def test_a_shoe_exchanged_behind_its_adapter_has_to_say_who_it_is() -> None:
    socket = Socket(shoe())
    session = ShoeSession(reference.CODEC, expected=ExpectedShoe(serials=("S0001",)))
    modem: NullModem[Reading] = NullModem(Journaling(session), socket, reference.CODEC)
    modem.connect()
    modem.run_until(2 * S)
    socket.plugged = ReferenceShoeSimulator(reference.CODEC, identity("S0002"))
    modem.run_until(4 * S)
    states = [reading.state for reading in modem.readings if isinstance(reading, DeviceHealth)]
    assert states == [READY, LOST, FAULTY]


def test_another_shoe_begins_with_numbers_of_its_own() -> None:
    crossing = started(Crossing())
    for _ in range(9):
        crossing.draw()
    crossing.run(lambda: False, S)
    crossing.unplug()
    crossing.shoe = ReferenceShoeSimulator(reference.CODEC, identity("S0002"), first_number=4)
    for _ in range(5):
        crossing.draw()
    crossing.calm_down()
    assert crossing.arrived() == crossing.drawn
    assert crossing.complaints() == ["shoe_exchanged", "draws_kept"]


def test_answers_to_an_earlier_question_mean_nothing() -> None:
    session = ShoeSession(reference.CODEC, known=(ShoeDraws("S0001", 0, 8),))
    shoe_end = reference.CODEC.open(LineEnd.DEVICE)
    session.connected(5 * S)
    (who,) = shoe_end.feed(session.bytes_to_send())
    assert isinstance(who, IdentifyShoe)
    session.receive(shoe_end.encode(identity("S0009")), 5 * S)
    assert session.bytes_to_send() == b""
    stale = ShoeStatus(1, 0, 2, 3)
    session.receive(shoe_end.encode(replace(identity("S0001"), token=who.token)), 5 * S)
    (how,) = shoe_end.feed(session.bytes_to_send())
    assert isinstance(how, CheckShoe)
    session.receive(shoe_end.encode(stale) + shoe_end.encode(replace(stale, token=0, lid_open=True)), 5 * S)
    assert [type(reading) for reading in session.readings()] == [DeviceComplained]
    session.receive(shoe_end.encode(ShoeStatus(how.token, 0, 9, 0)), 5 * S)
    (ready, closed) = session.readings()
    assert isinstance(ready, DeviceHealth)
    assert isinstance(closed, DeviceComplained)
    session.receive(shoe_end.encode(replace(stale, lid_open=True)), 6 * S)
    assert session.readings() == ()


def test_a_silent_shoe_is_lost_within_two_seconds_and_found_again() -> None:
    socket = Socket(shoe())
    modem: NullModem[Reading] = NullModem(Journaling(ShoeSession(reference.CODEC)), socket, reference.CODEC)
    modem.connect()
    modem.run_until(S)
    there, socket.plugged = socket.plugged, None
    silent_ns = modem.now_ns
    modem.run_until(5 * S)
    _, lost = [reading for reading in modem.readings if isinstance(reading, DeviceHealth)]
    assert lost.state is LOST
    assert lost.at_ns - silent_ns <= 2 * S
    socket.plugged = there
    modem.run_until(7 * S)
    states = [reading.state for reading in modem.readings if isinstance(reading, DeviceHealth)]
    assert states == [READY, LOST, READY]


def test_a_line_on_which_nobody_answers_is_lost_once_and_asked_for_ever() -> None:
    session = ShoeSession(reference.CODEC)
    session.connected(0)
    asked = [session.bytes_to_send()]
    for _ in range(20):
        deadline_ns = session.next_deadline()
        assert deadline_ns is not None
        session.handle_deadline(deadline_ns)
        asked.append(session.bytes_to_send())
    (lost,) = session.readings()
    assert isinstance(lost, DeviceHealth)
    assert (lost.state, lost.at_ns) == (LOST, LIVENESS_NS)
    assert sum(map(bool, asked)) > 15


def test_a_shoe_of_the_first_version_is_refused_by_name() -> None:
    session = ShoeSession(reference.CODEC)
    shoe_end = reference.CODEC.open(LineEnd.DEVICE)
    session.connected(5 * S)
    (who,) = shoe_end.feed(session.bytes_to_send())
    assert isinstance(who, IdentifyShoe)
    session.receive(shoe_end.encode(replace(identity("S0001"), token=who.token, version=1)), 5 * S)
    (health,) = session.readings()
    assert isinstance(health, DeviceHealth)
    assert health.state is FAULTY
    assert "speaks version 1 of the protocol, which is not version 2: it needs other firmware" in health.detail


def test_a_shoe_that_somebody_locked_is_let_go() -> None:
    crossing = Crossing()
    crossing.shoe.receive(reference.CODEC.open(LineEnd.HOST).encode(LockShoe(locked=True)))
    crossing.calm_down()
    assert not crossing.shoe.locked
    assert crossing.complaints() == []


# --- lock and lid -----------------------------------------------------------------------------------


def test_the_lock_follows_the_wish_even_if_a_command_is_lost() -> None:
    crossing = started(Crossing())
    for locked in (True, False):
        crossing.session.lock(locked=locked)
        crossing.collect()
        crossing.to_shoe.clear()
        assert crossing.run(lambda locked=locked: crossing.shoe.locked is locked, CHECK_NS + 100 * MS)  # type: ignore[misc]
        crossing.run(lambda: False, 3 * S)
    assert crossing.complaints() == []


def test_a_wish_is_carried_out_at_once() -> None:
    crossing = started(Crossing())
    crossing.session.lock(locked=True)
    crossing.collect()
    crossing.carry(4096)
    assert crossing.shoe.locked


def test_a_wish_from_before_the_line_was_open_is_carried_out() -> None:
    crossing = Crossing()
    crossing.session.lock(locked=True)
    crossing.calm_down()
    assert crossing.shoe.locked


def test_a_lock_that_jams_is_reported_again_with_each_question_and_not_with_each_answer() -> None:
    """Such a shoe answers with how it is; that must not bring the next command at line speed."""
    shoe_, session = ReferenceShoeSimulator(reference.CODEC), ShoeSession(reference.CODEC)
    host = Journaling(session)
    shoe_.jammed = True
    host.connected(0)
    session.lock(locked=True)
    for check in range(1, 8):
        messages = 0
        while sent := session.bytes_to_send():
            messages += 1
            assert messages <= 8, f"{messages} commands in answer to each other at question {check}"
            host.receive(shoe_.receive(sent), check)
            host.readings()
        session.handle_deadline(check * CHECK_NS)
    shoe_.jammed = False
    while sent := session.bytes_to_send():
        session.receive(shoe_.receive(sent), 7 * CHECK_NS)
    assert shoe_.locked


def test_the_lid_is_reported_open_and_closed_even_if_it_moved_while_nobody_listened() -> None:
    crossing = started(Crossing())
    crossing.unplug()
    crossing.shoe.lid(is_open=True)
    crossing.calm_down()
    assert crossing.complaints() == ["lid_open"]
    crossing.say(crossing.shoe.lid(is_open=False))
    crossing.carry(4096)
    assert crossing.complaints() == ["lid_open", "lid_closed"]


def test_an_alarm_is_passed_on() -> None:
    table = Table(shoe())
    table.start()
    table.modem.say(table.shoe.alarm("E3", "card jammed"))
    table.run(50 * MS)
    assert table.complaints() == [("E3", "card jammed")]
