"""A bus of chip readers in trouble: silence is missed, nonsense is reported, neither moves a chip."""

from __future__ import annotations

import itertools
from collections import Counter

import pytest

from devices.chips.bet_spots import GAP_NS, MOST_CHIPS, BetSpotsSession
from firmware_protocols.bet_spots import feig_obid
from firmware_protocols.codec import Codec, LineEnd
from firmware_protocols.messages import (
    ChipsInventoried,
    LineFault,
    Message,
    ReaderRefused,
    ReadSoftware,
    SoftwareRead,
    TakeInventory,
)
from firmware_protocols.readings import ChipsSeen, DeviceHealth, LineDisturbed, Reading
from tests.devices.bus import FAULTY, LOST, MS, ONE, READY, SEVEN, Bus, S, Table, both_codecs, chips
from tests.devices.plain import PLAIN

# --- silence ----------------------------------------------------------------------------------------


@both_codecs
def test_a_silent_reader_is_lost_within_two_seconds_and_the_others_go_on(codec: Codec) -> None:
    table = Table(SEVEN, codec)
    table.start()
    table.readers.power(1, on=False)
    table.run(2 * S)
    assert table.health() == [LOST]
    table.readers.lay(2, "main", chips(1))
    table.run(3 * S)
    assert table.seen() == [(2, "main", chips(1))]
    assert table.health("bet_spots/2") == []


@both_codecs
def test_a_reader_that_returns_is_ready_and_reports_only_what_changed(codec: Codec) -> None:
    table = Table({(1, 1): (1, "main"), (1, 2): (1, "insurance")}, codec)
    table.readers.lay(1, "main", chips(2))
    table.readers.lay(1, "insurance", chips(1, first=7))
    table.start()
    gone_ns = table.modem.now_ns
    table.readers.power(1, on=False)
    table.run(30 * S)
    table.readers.lay(1, "main", ())
    table.readers.power(1, on=True)
    table.run(12 * S)
    assert table.health() == [LOST, READY]
    (seen,) = [reading for reading in table.modem.readings if isinstance(reading, ChipsSeen)]
    assert (seen.zone, seen.chips) == ("main", ())
    assert seen.after_ns <= gone_ns


def test_a_lost_reader_is_asked_rarely() -> None:
    bus = Bus()
    asked_ns = []
    for _ in range(12):
        assert isinstance(bus.asked(), ReadSoftware)
        asked_ns.append(bus.now_ns)
    gaps_s = [round((later - sooner) / S, 1) for sooner, later in itertools.pairwise(asked_ns)]
    # A probe waits 0.3 s for its answer.
    assert gaps_s[2:] == [0.8, 1.3, 2.3, 4.3, 8.3, 10.3, 10.3, 10.3, 10.3]


def test_after_silence_a_reader_must_say_who_it_is_before_it_is_believed() -> None:
    bus = Bus()
    bus.identify()
    assert isinstance(bus.asked(), TakeInventory)
    assert isinstance(bus.asked(), ReadSoftware)
    (late,) = bus.answer(ChipsInventoried(1, ("AA",)))
    assert late == LineDisturbed("bet_spots", "unexpected ChipsInventoried from reader 1", b"", bus.now_ns)
    bus.answer(SoftwareRead(1, "0303"))
    assert isinstance(bus.asked(), TakeInventory)


def test_inventories_before_and_after_one_without_answer_do_not_agree() -> None:
    bus = Bus()
    bus.identify()
    seen: list[Reading] = []
    for _ in range(2):
        bus.asked()
        seen += bus.answer(ChipsInventoried(1, ("AA",)))
        assert isinstance(bus.asked(), TakeInventory)
        assert isinstance(bus.asked(), ReadSoftware)
        seen += bus.answer(SoftwareRead(1, "0303"))
    assert not any(isinstance(reading, ChipsSeen) for reading in seen)


def test_a_reader_that_returns_is_asked_for_its_zones_at_once() -> None:
    bus = Bus()
    bus.identify()
    for expected in (TakeInventory, ReadSoftware, ReadSoftware, ReadSoftware):
        assert isinstance(bus.asked(), expected)
    bus.answer(SoftwareRead(1, "0303"))
    back_ns = bus.now_ns
    assert isinstance(bus.asked(), TakeInventory)
    assert bus.now_ns == back_ns + GAP_NS


def test_a_reader_that_says_who_it_is_but_never_what_it_sees_is_faulty() -> None:
    bus = Bus()
    health: list[Reading] = []
    counts: Counter[type[Message]] = Counter()
    for _ in range(40):
        message = bus.asked()
        assert message is not None
        counts[type(message)] += 1
        if isinstance(message, ReadSoftware):
            health += bus.answer(SoftwareRead(1, "0303"))
        else:
            health += bus.session.readings()
    states = [reading.state for reading in health if isinstance(reading, DeviceHealth)]
    assert states == [READY, FAULTY]
    assert bus.now_ns > 100 * S


@both_codecs
def test_an_unplugged_bus_loses_every_reader_once(codec: Codec) -> None:
    table = Table(SEVEN, codec)
    table.start()
    table.modem.disconnect()
    table.run(5 * S)
    assert all(table.health(f"bet_spots/{address}") == [LOST] for address in range(1, 8))
    assert table.session.next_deadline() is None
    table.modem.connect()
    table.run(2 * S)
    assert all(table.health(f"bet_spots/{address}") == [LOST, READY] for address in range(1, 8))
    assert table.seen() == []


# --- nonsense ---------------------------------------------------------------------------------------


def test_an_answer_from_another_reader_is_a_disturbance_and_the_right_one_is_still_waited_for() -> None:
    bus = Bus()
    bus.identify()
    for _ in range(2):
        bus.asked()
        readings = bus.answer(ChipsInventoried(9, ("AA",)), ChipsInventoried(1, ("BB",)))
        assert isinstance(readings[0], LineDisturbed)
    assert readings[1] == ChipsSeen(1, "main", ("BB",), 0, bus.now_ns)


def test_an_answer_said_twice_is_not_taken_for_the_next_zone() -> None:
    bus = Bus({(1, 1): (1, "main"), (1, 2): (1, "insurance")})
    bus.identify()
    seen: list[Reading] = []
    for _ in range(6):
        message = bus.asked()
        assert isinstance(message, TakeInventory)
        answer = ChipsInventoried(1, ("AA",) if message.antenna == 1 else ())
        seen += bus.answer(answer, answer)
    assert [(reading.zone, reading.chips) for reading in seen if isinstance(reading, ChipsSeen)] == [
        ("main", ("AA",)),
        ("insurance", ()),
    ]


@pytest.mark.parametrize(("noise", "known"), [(b"damaged\n", True), (b"dam\n", False)])
def test_a_reader_whose_answer_was_damaged_has_not_begun_anew(noise: bytes, *, known: bool) -> None:
    """A spark is no answer: who was silent must say again who it is."""
    bus = Bus()
    bus.identify()
    assert isinstance(bus.asked(), TakeInventory)
    bus.session.receive(noise, bus.now_ns)
    assert isinstance(bus.asked(), TakeInventory if known else ReadSoftware)


def test_after_a_damaged_answer_the_reader_is_asked_again_soon() -> None:
    bus = Bus()
    bus.identify()
    bus.asked()
    bus.session.receive(b"damaged\n", bus.now_ns)
    (fault,) = bus.session.readings()
    assert isinstance(fault, LineDisturbed)
    damaged_ns = bus.now_ns
    assert isinstance(bus.asked(), TakeInventory)
    assert bus.now_ns - damaged_ns < 300 * MS


def test_a_babbling_line_does_not_keep_the_session_from_asking() -> None:
    session = BetSpotsSession(PLAIN, ONE)
    session.connected(0)
    requests = 0
    for now_ns in range(0, 20 * S, 2 * MS):
        session.receive(b"x", now_ns)
        session.handle_deadline(now_ns)
        requests += bool(session.bytes_to_send())
    states = [reading.state for reading in session.readings() if isinstance(reading, DeviceHealth)]
    assert states == [LOST]
    assert requests >= 4


def test_a_refused_inventory_is_no_empty_zone_and_the_reader_is_faulty_until_it_answers() -> None:
    bus = Bus()
    bus.identify()
    seen: list[Reading] = []
    refused = ReaderRefused(1, "take_inventory", 0x83, "radio communication failed")
    content = ChipsInventoried(1, ("AA",))
    for answer in (content, content, refused, refused, refused, content, content):
        bus.asked()
        seen += bus.answer(answer)
    assert [reading.state for reading in seen if isinstance(reading, DeviceHealth)] == [FAULTY, READY]
    assert [reading.chips for reading in seen if isinstance(reading, ChipsSeen)] == [("AA",)]


def test_a_reader_that_refuses_to_say_who_it_is_is_faulty_and_left_alone() -> None:
    bus = Bus()
    assert isinstance(bus.asked(), ReadSoftware)
    (health,) = bus.answer(ReaderRefused(1, "read_software", 0x80, "unknown command"))
    assert isinstance(health, DeviceHealth)
    assert health.state is FAULTY
    refused_ns = bus.now_ns
    assert isinstance(bus.asked(), ReadSoftware)
    assert bus.now_ns - refused_ns >= 500 * MS


@both_codecs
def test_more_chips_than_a_stack_can_have_are_not_believed(codec: Codec) -> None:
    table = Table(ONE, codec)
    table.start()
    table.readers.lay(1, "main", chips(MOST_CHIPS + 1))
    table.run(S)
    assert table.seen() == []
    assert table.health() == [FAULTY]
    table.readers.lay(1, "main", chips(MOST_CHIPS))
    table.run(S)
    assert table.seen() == [(1, "main", chips(MOST_CHIPS))]
    assert table.health() == [FAULTY, READY]


def test_an_answer_that_never_ends_is_cut_off() -> None:
    bus = Bus()
    bus.identify()
    parts = 0
    health: tuple[Reading, ...] = ()
    while not health:
        bus.asked()
        health = bus.answer(ChipsInventoried(1, ("AA",), more=True))
        parts += 1
    assert parts == 8
    assert bus.asked() == TakeInventory(1, 1)


def test_our_own_request_coming_back_is_not_an_empty_zone() -> None:
    session = BetSpotsSession(feig_obid.CODEC, ONE)
    wire = feig_obid.CODEC.open(LineEnd.DEVICE)
    session.connected(0)
    now_ns = 0
    readings: list[Reading] = []
    for _ in range(40):
        request = session.bytes_to_send()
        answers = b""
        for message in wire.feed(request):
            match message:
                case ReadSoftware():
                    answers = wire.encode(SoftwareRead(1, "0303"))
                case TakeInventory():
                    answers = wire.encode(ChipsInventoried(1, chips(2)))
                case _:
                    assert not isinstance(message, LineFault)
        session.receive(request + answers, now_ns)
        readings += session.readings()
        deadline_ns = session.next_deadline()
        assert deadline_ns is not None
        now_ns = deadline_ns
        session.handle_deadline(now_ns)
    assert [reading.chips for reading in readings if isinstance(reading, ChipsSeen)] == [chips(2)]
