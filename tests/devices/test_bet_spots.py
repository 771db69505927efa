"""A bus of chip readers on an ordinary night: asked in turn, weighed, reported."""

from __future__ import annotations

import pytest

from controller.io.lines.talk_limit import BYTES_PER_SECOND
from devices.chips.bet_spots import DOUBTS_BORNE, GAP_NS, BetSpotsSession
from firmware_protocols.bet_spots import feig_obid, feig_obid_advanced
from firmware_protocols.codec import Codec
from firmware_protocols.messages import (
    ChipsInventoried,
    SoftwareRead,
    TakeInventory,
)
from firmware_protocols.readings import ChipsSeen, Reading
from simulators.devices.bet_spots import STEADY, BetSpotsSimulator, Flicker
from simulators.devices.wire import NullModem
from tests.devices.bus import FAULTY, MS, ONE, READY, SEVEN, Bus, S, Table, both_codecs, chips
from tests.devices.plain import PLAIN


class Counted:
    """Readers whose bytes are counted."""

    def __init__(self, readers: BetSpotsSimulator) -> None:
        self._readers = readers
        self.bytes = 0

    def receive(self, data: bytes) -> bytes:
        sent = self._readers.receive(data)
        self.bytes += len(sent)
        return sent

    def idle(self) -> bytes:
        return self._readers.idle()


# --- the ordinary night -----------------------------------------------------------------------------


@both_codecs
def test_every_reader_says_who_it_is_and_every_zone_is_reported_once(codec: Codec) -> None:
    table = Table(SEVEN, codec)
    table.readers.lay(3, "main", chips(2))
    table.modem.connect()
    table.run(3 * S)
    expected = dict.fromkeys(SEVEN.values(), chips(0)) | {(3, "main"): chips(2)}
    assert sorted(table.seen()) == sorted((spot, zone, content) for (spot, zone), content in expected.items())
    assert all(table.health(f"bet_spots/{address}") == [READY] for address in range(1, 8))


@both_codecs
def test_chips_laid_and_taken_are_reported_sorted(codec: Codec) -> None:
    table = Table(SEVEN, codec)
    table.start()
    table.readers.lay(5, "main", tuple(reversed(chips(3))))
    table.run(2 * S)
    table.readers.lay(5, "main", ())
    table.run(2 * S)
    assert table.seen() == [(5, "main", chips(3)), (5, "main", ())]


@pytest.mark.parametrize(
    "codec", [PLAIN, feig_obid.CODEC, feig_obid_advanced.CODEC], ids=["plain", "feig_obid", "feig_obid_advanced"]
)
@pytest.mark.parametrize("most_per_answer", [20, 24, 25, 40])
@pytest.mark.parametrize("number", [1, 20, 21, 24, 25, 26, 40])
def test_a_stack_of_any_height_is_read_whole_or_in_parts(codec: Codec, number: int, most_per_answer: int) -> None:
    readers = BetSpotsSimulator(codec, ONE, most_per_answer=most_per_answer)
    modem: NullModem[Reading] = NullModem(BetSpotsSession(codec, ONE), readers, codec, paced=True)
    readers.lay(1, "main", chips(number))
    modem.connect()
    modem.run_until(2 * S)
    assert [reading.chips for reading in modem.readings if isinstance(reading, ChipsSeen)] == [chips(number)]


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


def test_the_line_must_have_been_silent_for_the_gap() -> None:
    bus = Bus()
    bus.identify()
    bus.answer(SoftwareRead(1, "0303"), after_ns=GAP_NS - 1)
    said_again_ns = bus.now_ns
    bus.asked()
    assert bus.now_ns == said_again_ns + GAP_NS


@pytest.mark.parametrize("number", [0, 3, 40])
def test_a_line_without_a_rate_is_not_asked_until_it_talks_too_much(number: int) -> None:
    readers = BetSpotsSimulator(feig_obid.CODEC, ONE)
    readers.lay(1, "main", chips(number))
    line = Counted(readers)
    session = BetSpotsSession(feig_obid.CODEC, ONE, gap_ns=1)
    modem: NullModem[Reading] = NullModem(session, line, feig_obid.CODEC)
    modem.connect()
    modem.run_until(S)
    assert 0 < line.bytes < BYTES_PER_SECOND


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
def test_a_stack_that_flickers_is_reported_once(codec: Codec) -> None:
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
