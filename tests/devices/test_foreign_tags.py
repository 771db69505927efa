"""Tags among the chips that are none: cards in a pocket, phones. They cost nobody his chips."""

from __future__ import annotations

import pytest

from devices.chips.bet_spots import DOUBTS_BORNE
from firmware_protocols.bet_spots import feig_obid
from firmware_protocols.checksums import MCRF4XX
from firmware_protocols.codec import LineEnd
from firmware_protocols.messages import ChipsInventoried, LineFault, Message, TakeInventory
from firmware_protocols.readings import DeviceHealth, LineDisturbed, Reading
from tests.devices.bus import FAULTY, ONE, READY, Bus, S, Table, Zones, chips

CHIP = "03 00 E0 04 01 50 20 92 2C 6E"
OTHER = "03 00 E0 04 01 00 15 CB E5 3E"
IDS = ("E004015020922C6E", "E004010015CBE53E")
SINGLE: Zones = {(1, None): (1, "main")}

FOREIGN = {
    "icode_1": ("00 00 11 22 33 44 55 66 77 88", "1122334455667788", None),
    "iso_14443_a": ("04 00 00 04 11 22 33 44 55 66", "", 0x04),
    "iso_14443_a_long": ("04 04 00 04 11 22 33 44 55 66 77 88 99", "", 0x04),
    "iso_14443_b": ("05 00 00 00 00 00 11 22 33 44", "", 0x05),
    "icode_epc": ("06 11 22 33 44 55 66 77 88", "1122334455667788", None),
    "icode_uid": ("07 00 00 00 00 00 00 00 00 00 00 00 00 00 00 11 22 33 44 55", "1122334455", None),
    "jewel": ("08 00 00 00 00 11 22 33 44", "11223344", None),
    "sr176": ("0A 00 11 22 33 44 55 66 77 88", "1122334455667788", None),
    "srixx": ("0B 00 11 22 33 44 55 66 77 88", "1122334455667788", None),
    "innovatron": ("10 11 22 33 44 55 66 77 88 00 00 02 AA BB", "", 0x10),
    "unknown": ("11 01 11 22 33 44", "", 0x11),
}


def answered(*records: str, antenna: int | None = None) -> Message:
    host = feig_obid.CODEC.open(LineEnd.HOST)
    host.encode(TakeInventory(1, antenna))
    data = bytes((len(records),)) + b"".join(map(bytes.fromhex, records))
    frame = bytes((len(data) + 6, 1, 0xB0, 0)) + data
    (message,) = host.feed(frame + MCRF4XX.of(frame).to_bytes(2, "little"))
    return message


@pytest.mark.parametrize("antenna", [None, 1])
@pytest.mark.parametrize("place", range(3))
@pytest.mark.parametrize("name", FOREIGN)
def test_a_foreign_tag_costs_no_chip(name: str, place: int, antenna: int | None) -> None:
    record, own_id, kind = FOREIGN[name]
    records, ids = [CHIP, OTHER], list(IDS)
    records.insert(place, record)
    if own_id:
        ids.insert(place, own_id)
    nameless = () if kind is None else (kind,)
    assert answered(*records, antenna=antenna) == ChipsInventoried(1, tuple(ids), nameless=nameless)


@pytest.mark.parametrize("block", [7, 8])
def test_any_record_is_read_as_a_reader_sends_it_that_was_asked_for_an_antenna(block: int) -> None:
    heard = f"01 {'01' + '00' * (block - 1)}"
    records = [f"00 {record} {heard}" for record in (CHIP, OTHER, FOREIGN["icode_epc"][0])]
    assert answered(*records, antenna=1) == ChipsInventoried(1, (*IDS, "1122334455667788"))


def test_what_hides_behind_a_tag_of_unknown_length_is_no_evidence() -> None:
    # Behind it lies a chip of ISO 15693 whose DSFID is 08, or, if it is a byte longer, a Jewel.
    hidden = answered(CHIP, "11 AA AA AA AA", CHIP.replace("03 00", "03 08"))
    assert hidden == ChipsInventoried(1, IDS[:1], doubtful=True, nameless=(0x11,))


def test_a_reader_whose_chips_are_hidden_is_faulty_until_the_tag_is_taken_away() -> None:
    bus = Bus(ONE)
    bus.identify()
    readings: list[Reading] = []
    for hidden in (*(True for _ in range(DOUBTS_BORNE)), False):
        assert isinstance(bus.asked(), TakeInventory)
        nameless = (0x11,) if hidden else ()
        readings += bus.answer(ChipsInventoried(1, chips(1), doubtful=hidden, nameless=nameless))
    faulty, ready = (one for one in readings if isinstance(one, DeviceHealth))
    assert (faulty.state, faulty.detail) == (FAULTY, "a tag of a kind nobody knows hides others on spot 1 main")
    assert ready.state is READY


def test_an_answer_cut_short_in_a_chip_is_still_a_fault() -> None:
    assert isinstance(answered(FOREIGN["icode_epc"][0], CHIP[:-3]), LineFault)
    assert isinstance(answered(CHIP, CHIP[:-3]), LineFault)


@pytest.mark.parametrize("zones", [ONE, SINGLE], ids=["antenna", "single"])
@pytest.mark.parametrize("kinds", [(0x04,), (0x05, 0x04), (0x10,), (0x11,), (0x04, 0x04)])
def test_phones_that_give_another_number_each_time_blind_no_zone(zones: Zones, kinds: tuple[int, ...]) -> None:
    table = Table(zones, feig_obid.CODEC)
    table.start()
    table.readers.lay(1, "main", chips(3))
    table.readers.lay_strangers(1, "main", kinds)
    table.run(2 * S)
    names = tuple(f"F0{kind:02X}0100{order:02X}" for order, kind in enumerate(kinds, start=1))
    assert table.seen() == [(1, "main", tuple(sorted((*chips(3), *names))))]
    table.readers.lay_strangers(1, "main", ())
    table.run(2 * S)
    assert table.seen()[1:] == [(1, "main", chips(3))]
    assert not [reading for reading in table.modem.readings if isinstance(reading, LineDisturbed)]
    assert table.health() == []
