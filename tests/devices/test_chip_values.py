"""Chips that carry their value themselves: each is asked once, and what it says is reported with it."""

from __future__ import annotations

import pytest

from devices.chips.bet_spots import BetSpotsSession
from devices.chips.chip_values import MOST_REMEMBERED, READ_A_TURN, ChipValues
from firmware_protocols.bet_spots import feig_obid, feig_obid_advanced
from firmware_protocols.codec import Codec, LineEnd
from firmware_protocols.messages import (
    ChipBlocksRead,
    ChipsInventoried,
    LineFault,
    Message,
    ReadChipBlocks,
    ReaderRefused,
    ReadSoftware,
    SoftwareRead,
    TakeInventory,
)
from firmware_protocols.readings import ChipsSeen, DeviceHealth, HealthState, Reading
from simulators.devices.bet_spots import BetSpotsSimulator
from simulators.devices.wire import NullModem
from tests.devices.bus import MS, ONE, SEVEN, S, Zones, chips
from tests.devices.plain import PLAIN

BLANK = ("00000000", "00000000")


def money(cents: int) -> tuple[str, str]:
    return "43485031", f"{cents:08X}"


class Table:
    def __init__(self, zones: Zones, values: dict[str, int], codec: Codec = feig_obid.CODEC) -> None:
        self.readers = BetSpotsSimulator(codec, zones, values=values)
        self.session = BetSpotsSession(codec, zones, values="chip")
        self.modem: NullModem[Reading] = NullModem(self.session, self.readers, codec, paced=True)
        self.modem.connect()

    def run(self, for_ns: int) -> None:
        self.modem.run_until(self.modem.now_ns + for_ns)

    def seen(self) -> list[ChipsSeen]:
        return [reading for reading in self.modem.readings if isinstance(reading, ChipsSeen) and reading.chips]


class Bus:
    """One zone of one reader, played by hand in the reader's own protocol."""

    def __init__(self) -> None:
        self.session = BetSpotsSession(feig_obid.CODEC, ONE, values="chip")
        self.wire = feig_obid.CODEC.open(LineEnd.DEVICE)
        self.now_ns = 0
        self.readings: list[Reading] = []
        self.session.connected(0)
        assert isinstance(self.asked(), ReadSoftware)
        self.answer(SoftwareRead(1, "0303"))

    def asked(self) -> Message:
        """The next request, waiting for it as long as it takes the session."""
        while not (messages := self.wire.feed(self.session.bytes_to_send())):
            deadline_ns = self.session.next_deadline()
            assert deadline_ns is not None
            self.now_ns = max(self.now_ns, deadline_ns)
            self.session.handle_deadline(self.now_ns)
        (message,) = messages
        assert not isinstance(message, LineFault)
        return message

    def answer(self, message: Message) -> None:
        self.now_ns += MS
        self.session.receive(self.wire.encode(message), self.now_ns)
        self.readings += self.session.readings()

    def serve(self, content: tuple[str, ...], memory: dict[str, tuple[str, str]], rounds: int) -> list[str]:
        """Answer for a while; the chips whose memory was asked for, in order."""
        asked_for = []
        for _ in range(rounds):
            match self.asked():
                case ReadChipBlocks(chip=chip):
                    asked_for.append(chip)
                    known = memory.get(chip)
                    refusal = ReaderRefused(1, "read_chip_blocks", 0x83, "")
                    self.answer(ChipBlocksRead(1, known, (0, 0)) if known else refusal)
                case ReadSoftware():
                    self.answer(SoftwareRead(1, "0303"))
                case _:
                    self.answer(ChipsInventoried(1, content))
        return asked_for

    def values(self) -> list[dict[str, int]]:
        return [reading.values for reading in self.readings if isinstance(reading, ChipsSeen) and reading.chips]


@pytest.mark.parametrize("codec", [feig_obid.CODEC, feig_obid_advanced.CODEC], ids=lambda codec: codec.name)
def test_what_chips_say_is_reported_with_them(codec: Codec) -> None:
    values = {chip: 500 * number for number, chip in enumerate(chips(3), start=1)}
    table = Table(SEVEN, values, codec)
    table.run(2 * S)
    table.readers.lay(3, "main", chips(4))
    table.run(2 * S)
    (seen,) = table.seen()
    assert (seen.spot, seen.zone, seen.chips) == (3, "main", chips(4))
    assert seen.values == values


def test_by_default_nobody_asks_chips() -> None:
    readers = BetSpotsSimulator(feig_obid.CODEC, ONE, values={chips(1)[0]: 500})
    session = BetSpotsSession(feig_obid.CODEC, ONE)
    modem: NullModem[Reading] = NullModem(session, readers, feig_obid.CODEC)
    readers.lay(1, "main", chips(1))
    modem.connect()
    modem.run_until(2 * S)
    assert [reading.values for reading in modem.readings if isinstance(reading, ChipsSeen)] == [{}]


def test_a_chip_is_asked_once_wherever_it_lies_later() -> None:
    bus = Bus()
    one, two = chips(2)
    memory = {one: money(500), two: money(2_500)}
    assert bus.serve((one,), memory, 8) == [one]
    assert bus.serve((), memory, 6) == []
    assert bus.serve((two, one), memory, 8) == [two]
    assert bus.values() == [{one: 500}, {one: 500, two: 2_500}]


def test_a_chip_without_a_mark_has_no_value_and_is_asked_again_only_when_it_returns() -> None:
    bus = Bus()
    (foreign,) = chips(1)
    memory = {foreign: BLANK}
    assert bus.serve((foreign,), memory, 12) == [foreign]
    assert bus.serve((), memory, 6) == []
    assert bus.serve((foreign,), memory, 6) == [foreign]
    assert bus.values() == [{}, {}]


def test_a_chip_that_cannot_be_read_is_given_up_after_three_times_and_reported_without_value() -> None:
    bus = Bus()
    (chip,) = chips(1)
    assert bus.serve((chip,), {}, 20) == [chip] * 3
    assert bus.values() == [{}]
    assert [reading.state for reading in bus.readings if isinstance(reading, DeviceHealth)] == [HealthState.READY]


def test_a_chip_whose_reading_is_never_answered_does_not_keep_its_zone_from_being_reported() -> None:
    bus = Bus()
    (chip,) = chips(1)
    silences = 0
    for _ in range(40):
        match bus.asked():
            case ReadChipBlocks():
                silences += 1
            case ReadSoftware():
                bus.answer(SoftwareRead(1, "0303"))
            case _:
                bus.answer(ChipsInventoried(1, (chip,)))
    assert silences == 3
    assert bus.values() == [{}]


def test_after_so_many_chips_it_is_the_next_zones_turn() -> None:
    bus = Bus()
    memory = dict.fromkeys(chips(20), money(500))
    turns = [len(bus.serve(chips(20), memory, 1 + READ_A_TURN)) for _ in range(2)]
    assert turns == [READ_A_TURN] * 2
    assert len(bus.serve(chips(20), memory, 8)) == 20 - 2 * READ_A_TURN
    assert [len(values) for values in bus.values()] == [20]


def test_between_so_many_chips_the_other_zones_are_asked() -> None:
    table = Table(SEVEN, dict.fromkeys(chips(40), 500))
    table.run(2 * S)
    table.readers.lay(1, "main", chips(40))
    before = {place: table.readers.inventories(*place) for place in table.readers.places}
    table.run(3 * S)
    (seen,) = table.seen()
    assert len(seen.values) == 40
    turns = 40 // READ_A_TURN
    assert all(table.readers.inventories(*place) - before[place] > turns for place in table.readers.places)


def test_a_change_is_dated_by_its_inventories_and_not_by_the_reading_of_its_chips() -> None:
    table = Table(ONE, dict.fromkeys(chips(20), 500))
    table.run(S)
    laid_ns = table.modem.now_ns
    table.readers.lay(1, "main", chips(20))
    table.run(5 * S)
    (seen,) = table.seen()
    assert seen.after_ns <= laid_ns <= seen.by_ns


def test_ids_the_protocol_cannot_ask_for_are_reported_without_value() -> None:
    bus = Bus()
    mode_3 = "3034257BF400B7800004CB2F"
    assert bus.serve((mode_3,), {}, 5) == []
    assert bus.values() == [{}]


def test_unplugged_while_a_chip_is_read_it_is_read_after_all() -> None:
    bus = Bus()
    (chip,) = chips(1)
    assert isinstance(bus.asked(), TakeInventory)
    bus.answer(ChipsInventoried(1, (chip,)))
    assert isinstance(bus.asked(), ReadChipBlocks)
    bus.session.disconnected(bus.now_ns)
    bus.session.connected(bus.now_ns)
    assert bus.serve((chip,), {chip: money(500)}, 8) == [chip]
    assert bus.values() == [{chip: 500}]


def test_a_protocol_without_words_for_memory_is_refused_at_once() -> None:
    with pytest.raises(ValueError, match="plain cannot read the memory"):
        BetSpotsSession(PLAIN, ONE, values="chip")


def test_what_is_remembered_of_chips_is_bounded() -> None:
    values = ChipValues()
    everybody = chips(MOST_REMEMBERED + 3)
    for chip in everybody:
        values.take(chip, None)
        values.take(chip, money(500))
    assert values.unread(everybody) == everybody[:3]
    assert len(values.of(everybody)) == MOST_REMEMBERED
