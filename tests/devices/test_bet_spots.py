"""A bus of chip readers: asked in turn, missed when silent, never believed too early."""

from __future__ import annotations

import itertools
import random
from collections import Counter

import pytest

from devices.bet_spots import DOUBTS_BORNE, GAP_NS, MOST_CHIPS, BetSpotsSession
from firmware_protocols.bet_spots import feig_obid
from firmware_protocols.codec import Codec, Role
from firmware_protocols.messages import (
    ChipsInventoried,
    LineFault,
    Message,
    ReaderRefused,
    ReadSoftware,
    SoftwareRead,
    TakeInventory,
)
from firmware_protocols.readings import ChipsSeen, DeviceHealth, HealthState, LineDisturbed, Reading
from simulators.bet_spots import STEADY, BetSpotsSimulator, Flicker
from simulators.wire import NullModem
from tests.devices.plain import PLAIN

MS = 1_000_000
S = 1_000 * MS
READY, LOST, FAULTY = HealthState.READY, HealthState.LOST, HealthState.FAULTY

Zones = dict[tuple[int, int | None], tuple[int, str]]
SEVEN: Zones = {
    (spot, antenna): (spot, zone) for antenna, zone in ((1, "main"), (2, "insurance")) for spot in range(1, 8)
}
ONE: Zones = {(1, 1): (1, "main")}

both_codecs = pytest.mark.parametrize("codec", [PLAIN, feig_obid.CODEC], ids=["plain", "feig_obid"])


def chips(number: int, first: int = 0) -> tuple[str, ...]:
    return tuple(f"E00401{serial:010X}" for serial in range(first, first + number))


class Table:
    """A session and the simulated readers of its bus, joined."""

    def __init__(self, zones: Zones, codec: Codec = PLAIN, *, flicker: Flicker = STEADY, agreeing: int = 2) -> None:
        self.readers = BetSpotsSimulator(codec, zones, flicker=flicker, chance=random.Random(1))
        self.session = BetSpotsSession(codec, zones, agreeing=agreeing)
        self.modem: NullModem[Reading] = NullModem(self.session, self.readers, codec, paced=True)

    def start(self) -> None:
        self.modem.connect()
        self.run(2 * S)
        self.modem.readings.clear()

    def run(self, for_ns: int) -> None:
        self.modem.run_until(self.modem.now_ns + for_ns)

    def seen(self) -> list[tuple[int, str, tuple[str, ...]]]:
        return [(seen.spot, seen.zone, seen.chips) for seen in self.modem.readings if isinstance(seen, ChipsSeen)]

    def health(self, device: str = "bet_spots/1") -> list[HealthState]:
        found = [reading for reading in self.modem.readings if isinstance(reading, DeviceHealth)]
        return [reading.state for reading in found if reading.device == device]


class Bus:
    """A session whose readers are played by hand, one message at a time."""

    def __init__(self, zones: Zones = ONE) -> None:
        self.session = BetSpotsSession(PLAIN, zones)
        self.wire = PLAIN.open(Role.DEVICE)
        self.now_ns = 0
        self.session.connected(0)

    def asked(self) -> Message | None:
        """The next request, waiting for it as long as it takes the session."""
        for _ in range(10):
            messages = self.wire.feed(self.session.bytes_to_send())
            if messages:
                (message,) = messages
                return message
            deadline_ns = self.session.next_deadline()
            assert deadline_ns is not None
            self.now_ns = max(self.now_ns, deadline_ns)
            self.session.handle_deadline(self.now_ns)
        return None

    def answer(self, *messages: Message, after_ns: int = MS) -> tuple[Reading, ...]:
        self.now_ns += after_ns
        self.session.receive(b"".join(map(self.wire.encode, messages)), self.now_ns)
        return self.session.readings()

    def identify(self) -> None:
        assert isinstance(self.asked(), ReadSoftware)
        self.answer(SoftwareRead(1, "0303"))


# --- the ordinary night -----------------------------------------------------------------------------


@both_codecs
def test_every_reader_says_who_it_is_and_every_zone_is_told_once(codec: Codec) -> None:
    table = Table(SEVEN, codec)
    table.readers.lay(3, "main", chips(2))
    table.modem.connect()
    table.run(3 * S)
    expected = dict.fromkeys(SEVEN.values(), chips(0)) | {(3, "main"): chips(2)}
    assert sorted(table.seen()) == sorted((spot, zone, content) for (spot, zone), content in expected.items())
    assert all(table.health(f"bet_spots/{address}") == [READY] for address in range(1, 8))


@both_codecs
def test_chips_laid_and_taken_are_told_sorted(codec: Codec) -> None:
    table = Table(SEVEN, codec)
    table.start()
    table.readers.lay(5, "main", tuple(reversed(chips(3))))
    table.run(2 * S)
    table.readers.lay(5, "main", ())
    table.run(2 * S)
    assert table.seen() == [(5, "main", chips(3)), (5, "main", ())]


@both_codecs
@pytest.mark.parametrize("number", [20, 21, 24, 25, 40])
def test_a_tall_stack_is_read_in_parts(codec: Codec, number: int) -> None:
    table = Table(ONE, codec)
    table.start()
    table.readers.lay(1, "main", chips(number))
    table.run(2 * S)
    assert table.seen() == [(1, "main", chips(number))]


@both_codecs
def test_a_zone_without_antenna_number_is_read(codec: Codec) -> None:
    table = Table({(4, None): (4, "main")}, codec)
    table.start()
    table.readers.lay(4, "main", chips(1))
    table.run(S)
    assert table.seen() == [(4, "main", chips(1))]


def test_zones_are_asked_equally_often() -> None:
    table = Table(SEVEN)
    table.start()
    counts = {table.readers.inventories(*place) for place in table.readers.places}
    assert max(counts) - min(counts) <= 1
    assert min(counts) > 5


def test_requests_keep_the_gap() -> None:
    bus = Bus()
    bus.identify()
    answered_ns = bus.now_ns
    bus.asked()
    assert bus.now_ns == answered_ns + GAP_NS


def test_the_interval_runs_from_request_to_reply() -> None:
    bus = Bus()
    bus.identify()
    for _ in range(2):
        bus.asked()
        bus.answer(ChipsInventoried(1, ()))
    bus.asked()
    old_sent_ns = bus.now_ns
    bus.answer(ChipsInventoried(1, ()), after_ns=30 * MS)
    bus.asked()
    bus.answer(ChipsInventoried(1, ()), after_ns=30 * MS)
    bus.asked()
    assert bus.answer(ChipsInventoried(1, ("AA",)), after_ns=30 * MS) == ()
    first_received_ns = bus.now_ns
    bus.asked()
    assert bus.answer(ChipsInventoried(1, ("AA",)), after_ns=30 * MS) == (
        ChipsSeen(1, "main", ("AA",), old_sent_ns, first_received_ns),
    )


def test_an_inventory_in_parts_begins_with_its_first_request() -> None:
    bus = Bus()
    bus.identify()
    for _ in range(2):
        bus.asked()
        bus.answer(ChipsInventoried(1, ("AA", "BB")))
    bus.asked()
    begun_ns = bus.now_ns
    bus.answer(ChipsInventoried(1, ("BB",), more=True))
    assert bus.asked() == TakeInventory(1, 1, more=True)
    bus.answer(ChipsInventoried(1, ("AA",)))
    gone: list[Reading] = []
    for _ in range(2):
        assert bus.asked() == TakeInventory(1, 1)
        gone += bus.answer(ChipsInventoried(1, ()))
    assert gone == [ChipsSeen(1, "main", (), begun_ns, bus.now_ns)]


# --- radio ------------------------------------------------------------------------------------------


@both_codecs
def test_a_stack_that_flickers_is_told_once(codec: Codec) -> None:
    table = Table(ONE, codec, flicker=Flicker(missed=200, doubtful=100))
    table.start()
    table.readers.lay(1, "main", chips(5))
    table.run(20 * S)
    assert table.seen() == [(1, "main", chips(5))]
    assert table.health() == []


@both_codecs
def test_a_radio_disturbed_for_long_makes_the_reader_faulty_and_moves_no_chip(codec: Codec) -> None:
    table = Table(ONE, codec)
    table.start()
    table.readers.lay(1, "main", chips(3))
    table.run(S)
    table.readers.flicker(Flicker(doubtful=1000, most_in_a_row=1_000_000))
    table.run(S)
    assert table.seen() == [(1, "main", chips(3))]
    assert table.health() == [FAULTY]
    table.readers.flicker(STEADY)
    table.run(S)
    assert table.health() == [FAULTY, READY]


def test_a_few_doubts_are_borne() -> None:
    bus = Bus()
    bus.identify()
    for _ in range(DOUBTS_BORNE - 1):
        bus.asked()
        assert bus.answer(ChipsInventoried(1, ("AA",), doubtful=True)) == ()


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
def test_a_reader_that_returns_is_ready_and_tells_only_what_changed(codec: Codec) -> None:
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


def test_after_a_damaged_answer_the_reader_is_asked_again_soon() -> None:
    bus = Bus()
    bus.identify()
    bus.asked()
    bus.session.receive(b"damaged\n", bus.now_ns)
    (fault,) = bus.session.readings()
    assert isinstance(fault, LineDisturbed)
    damaged_ns = bus.now_ns
    assert isinstance(bus.asked(), ReadSoftware)
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
    wire = feig_obid.CODEC.open(Role.DEVICE)
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


# --- configuration ----------------------------------------------------------------------------------


def test_zones_the_protocol_has_no_words_for_are_refused_at_once() -> None:
    with pytest.raises(ValueError, match="antenna 9"):
        BetSpotsSession(feig_obid.CODEC, {(1, 9): (1, "main")})


def test_a_bus_without_zones_is_refused() -> None:
    with pytest.raises(ValueError, match="no zones"):
        BetSpotsSession(PLAIN, {})


def test_a_session_without_gap_would_spin_and_is_refused() -> None:
    with pytest.raises(ValueError, match="gap_ns"):
        BetSpotsSession(PLAIN, ONE, gap_ns=0)
