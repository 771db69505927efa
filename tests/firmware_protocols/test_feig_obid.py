"""FEIG readers: what is peculiar to their frames. Vectors are in the transcript."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmware_protocols.bet_spots.feig_obid import CODEC, FRAME_LIMIT, STATUS_TEXTS
from firmware_protocols.checksums import MCRF4XX
from firmware_protocols.codec import LineEnd, Wire
from firmware_protocols.messages import (
    ChipsInventoried,
    LineFault,
    Message,
    ReaderRefused,
    ReadSoftware,
    ResetField,
    SoftwareRead,
    TakeInventory,
)

ONE_CHIP = bytes.fromhex("11 01 B0 00 01 03 00 E0 04 01 50 20 92 2C 6E D9 EA")
EMPTY = bytes.fromhex("06 01 B0 01 80 39")
ADVANCED_VERSION = bytes.fromhex("02 00 0F 00 65 00 03 03 00 44 53 0D 30 74 69")


def _chip(number: int) -> str:
    return f"E00401{number:010X}"


def _chips(count: int) -> tuple[str, ...]:
    return tuple(map(_chip, range(count)))


def _with_crc(frame: bytes) -> bytes:
    return frame + MCRF4XX.of(frame).to_bytes(2, "little")


def _host_having_asked(question: Message) -> Wire:
    host = CODEC.open(LineEnd.HOST)
    host.encode(question)
    return host


def _not_faults(messages: tuple[Message, ...]) -> list[Message]:
    return [message for message in messages if not isinstance(message, LineFault)]


@pytest.mark.parametrize("bit", range(len(ONE_CHIP) * 8))
def test_no_single_wrong_bit_passes_for_an_answer(bit: int) -> None:
    damaged = bytearray(ONE_CHIP)
    damaged[bit // 8] ^= 1 << bit % 8
    host = _host_having_asked(TakeInventory(1))
    heard = host.feed(bytes(damaged)) + host.idle()
    assert _not_faults(heard) == []
    assert heard
    assert host.feed(ONE_CHIP) == (ChipsInventoried(1, ("E0040150 20922C6E".replace(" ", ""),)),)


@pytest.mark.parametrize("frame", [ADVANCED_VERSION[:-1] + b"\x68", ADVANCED_VERSION[:2] + b"\x0e" + b"\0" * 11])
def test_damaged_advanced_frames_are_no_answers(frame: bytes) -> None:
    host = _host_having_asked(ReadSoftware(255))
    assert _not_faults(host.feed(frame) + host.idle()) == []


@pytest.mark.parametrize("length", [*range(18, 256)])
def test_a_length_that_is_too_long_swallows_nothing_once_the_line_is_silent(length: int) -> None:
    host = _host_having_asked(TakeInventory(1))
    lying = bytes((length,)) + ONE_CHIP[1:]
    assert _not_faults(host.feed(lying + EMPTY) + host.idle()) == [ChipsInventoried(1, ())]


def test_an_advanced_length_that_is_too_long_swallows_nothing_either() -> None:
    host = _host_having_asked(TakeInventory(1))
    lying = b"\x02\x0f\xff" + ONE_CHIP[1:]
    assert host.feed(lying + EMPTY) == ()
    assert _not_faults(host.idle()) == [ChipsInventoried(1, ())]


def test_a_stray_byte_does_not_delay_the_answer_behind_it() -> None:
    for stray in {*range(256)} - {0x02}:
        host = _host_having_asked(TakeInventory(1))
        assert host.feed(bytes((stray,)) + EMPTY)[-1:] == (ChipsInventoried(1, ()),), f"{stray:02X}"


@pytest.mark.parametrize(("count", "first_bytes"), [(1, "11"), (24, "F7"), (25, "02 01 03"), (40, "02 01 99")])
def test_twenty_four_chips_are_the_most_in_a_standard_frame(count: int, first_bytes: str) -> None:
    host, device = _host_having_asked(TakeInventory(3)), CODEC.open(LineEnd.DEVICE)
    answer = ChipsInventoried(3, _chips(count))
    frame = device.encode(answer)
    assert frame.startswith(bytes.fromhex(first_bytes))
    assert host.feed(frame) == (answer,)


@pytest.mark.parametrize(("last_chip", "first_bytes"), [("AABBCCDDEE", "FF 03"), ("AABBCCDDEEFF", "02 01 02")])
def test_a_standard_frame_holds_255_bytes_and_not_one_more(last_chip: str, first_bytes: str) -> None:
    host, device = _host_having_asked(TakeInventory(3)), CODEC.open(LineEnd.DEVICE)
    answer = ChipsInventoried(3, (*_chips(24), last_chip))
    frame = device.encode(answer)
    assert frame.startswith(bytes.fromhex(first_bytes))
    assert host.feed(frame) == (answer,)


@pytest.mark.parametrize("begin", [b"\x04", b"\x02\x00\x06"])
def test_what_is_too_short_for_a_frame_is_none_though_its_checksum_agrees(begin: bytes) -> None:
    for address in range(256):
        device = CODEC.open(LineEnd.DEVICE)
        heard = device.feed(_with_crc(begin + bytes((address,)))) + device.idle()
        assert _not_faults(heard) == []


@pytest.mark.parametrize("more", ["00", "03", "03 00"])
def test_an_answer_longer_than_its_records_is_not_read(more: str) -> None:
    body = ONE_CHIP[1:-2] + bytes.fromhex(more)
    heard = _host_having_asked(TakeInventory(1)).feed(_with_crc(bytes((len(body) + 3,)) + body))
    assert [type(message) for message in heard] == [LineFault]


def test_no_reader_answers_as_any_reader() -> None:
    host = _host_having_asked(ResetField(255))
    assert [type(message) for message in host.feed(_with_crc(bytes.fromhex("06 FF 69 00")))] == [LineFault]


def test_all_chips_that_a_count_byte_can_announce_fit() -> None:
    host, device = _host_having_asked(TakeInventory(3)), CODEC.open(LineEnd.DEVICE)
    answer = ChipsInventoried(3, _chips(255))
    frame = device.encode(answer)
    assert len(frame) < FRAME_LIMIT
    assert host.feed(frame) == (answer,)
    with pytest.raises(ValueError, match="256 chips"):
        device.encode(ChipsInventoried(3, _chips(256)))
    with pytest.raises(ValueError, match="longer than"):
        device.encode(ChipsInventoried(3, tuple(f"{number:060X}" for number in range(255))))


def test_who_asks_in_an_advanced_frame_is_answered_in_one() -> None:
    device = CODEC.open(LineEnd.DEVICE)
    device.feed(bytes.fromhex("02 00 07 FF 65 6E 61"))
    assert device.encode(SoftwareRead(0, "03030044530D30")) == ADVANCED_VERSION
    device.feed(bytes.fromhex("05 FF 65 E5 CB"))
    assert device.encode(SoftwareRead(0, "03030044530D30"))[0] == 0x0D


@pytest.mark.parametrize("antenna", range(1, 9))
def test_an_antenna_is_one_bit_of_the_selection(antenna: int) -> None:
    frame = CODEC.open(LineEnd.HOST).encode(TakeInventory(7, antenna))
    assert frame[:5] == bytes.fromhex("08 07 B0 01 10")
    assert frame[5] == 2 ** (antenna - 1)
    assert CODEC.open(LineEnd.DEVICE).feed(frame) == (TakeInventory(7, antenna),)


@pytest.mark.parametrize("selection", ["", "00", "03", "81", "01 01"])
def test_other_selections_are_not_understood(selection: str) -> None:
    body = bytes.fromhex("07 B0 01 10" + selection)
    heard = CODEC.open(LineEnd.DEVICE).feed(_with_crc(bytes((len(body) + 3,)) + body))
    assert [type(message) for message in heard] == [LineFault]


@pytest.mark.parametrize("status", [status for status in STATUS_TEXTS if status not in (0x00, 0x01, 0x84, 0x94)])
def test_every_error_status_refuses_an_inventory_in_words(status: int) -> None:
    host = _host_having_asked(TakeInventory(2))
    heard = host.feed(_with_crc(bytes((6, 2, 0xB0, status))))
    assert heard == (ReaderRefused(2, "take_inventory", status, STATUS_TEXTS[status]),)


@pytest.mark.parametrize("status", sorted(set(STATUS_TEXTS) - {0x00}))
def test_every_status_but_done_refuses_a_reset(status: int) -> None:
    host = _host_having_asked(ResetField(2))
    heard = host.feed(_with_crc(bytes((6, 2, 0x69, status))))
    assert heard == (ReaderRefused(2, "reset_field", status, STATUS_TEXTS[status]),)


@pytest.mark.parametrize("status", [0x00, 0x94])
def test_an_answer_with_chips_must_have_them(status: int) -> None:
    host = _host_having_asked(TakeInventory(2))
    assert [type(message) for message in host.feed(_with_crc(bytes((6, 2, 0xB0, status))))] == [LineFault]


def test_a_disturbed_answer_without_chips_leaves_the_spot_in_doubt() -> None:
    host = _host_having_asked(TakeInventory(2))
    assert host.feed(_with_crc(bytes((6, 2, 0xB0, 0x84)))) == (ChipsInventoried(2, (), doubtful=True),)


def test_seven_readers_share_a_bus() -> None:
    host, device = CODEC.open(LineEnd.HOST), CODEC.open(LineEnd.DEVICE)
    for spot in range(1, 8):
        assert device.feed(host.encode(TakeInventory(spot))) == (TakeInventory(spot),)
        answer = ChipsInventoried(spot, _chips(spot))
        assert host.feed(device.encode(answer)) == (answer,)


@pytest.mark.parametrize(
    "message",
    [
        TakeInventory(256),
        TakeInventory(-1),
        TakeInventory(1, 0),
        TakeInventory(1, 9),
        ReadSoftware(300),
    ],
)
def test_the_host_end_refuses_what_is_out_of_range(message: Message) -> None:
    with pytest.raises(ValueError, match="is not"):
        CODEC.open(LineEnd.HOST).encode(message)


@pytest.mark.parametrize(
    "message",
    [
        ChipsInventoried(255, ()),
        ChipsInventoried(1, ("e004",)),
        ChipsInventoried(1, ("E0 04",)),
        ChipsInventoried(1, ("",)),
        ChipsInventoried(1, ("XY",)),
        ChipsInventoried(1, ("E004",), more=True, doubtful=True),
        SoftwareRead(1, ""),
        SoftwareRead(1, "0a"),
        ReaderRefused(1, "take_inventory", 0x01, ""),
        ReaderRefused(1, "take_inventory", 0x94, ""),
        ReaderRefused(1, "reset_field", 0, ""),
        ReaderRefused(1, "open_lid", 0x80, ""),
    ],
)
def test_the_device_end_refuses_what_would_arrive_otherwise(message: Message) -> None:
    with pytest.raises(ValueError, match=r".+"):
        CODEC.open(LineEnd.DEVICE).encode(message)


@given(st.binary(max_size=60), st.booleans())
def test_records_are_read_to_the_last_byte_or_not_at_all(data: bytes, by_antenna: bool) -> None:
    host = _host_having_asked(TakeInventory(1, 1 if by_antenna else None))
    body = bytes((1, 0xB0, 0)) + data
    heard = host.feed(_with_crc(bytes((len(body) + 3,)) + body))
    match heard:
        case (ChipsInventoried(chips=chips, doubtful=doubtful, nameless=nameless),):
            assert len(chips) + len(nameless) == data[0] or (doubtful and nameless)
            assert all(chip in data.hex().upper() for chip in chips)
        case _:
            assert [type(message) for message in heard] == [LineFault]


@pytest.mark.parametrize("record", ["09 00 00", "84 00 00", "09 00", "06 E0 04 01 50 20 92 2C", "11 01 02 03"])
def test_a_chip_without_an_id_or_cut_short_is_not_read(record: str) -> None:
    body = bytes((1, 0xB0, 0, 1)) + bytes.fromhex(record)
    heard = _host_having_asked(TakeInventory(1)).feed(_with_crc(bytes((len(body) + 3,)) + body))
    assert [type(message) for message in heard] == [LineFault]


def _heard_of_antenna_1(data: str) -> tuple[Message, ...]:
    body = bytes((1, 0xB0, 0)) + bytes.fromhex(data)
    return _host_having_asked(TakeInventory(1, 1)).feed(_with_crc(bytes((len(body) + 3,)) + body))


@pytest.mark.parametrize("block", ["01 00 FF 00 00 00 00", "01 00 FF 00 00 00 00 00"])
def test_gen2_records_may_carry_seven_or_eight_bytes_for_an_antenna(block: str) -> None:
    two_chips = f"02 00 84 00 01 AA 01 {block} 00 84 00 01 BB 01 {block}"
    assert _heard_of_antenna_1(two_chips) == (ChipsInventoried(1, ("AA", "BB")),)


@pytest.mark.parametrize("record", ["", "00 84 00 01", "00 84 00 01 AA", "00 84 00 01 AA 01 01 00 FF 00 00 00"])
def test_gen2_records_cut_short_are_not_read(record: str) -> None:
    assert [type(heard) for heard in _heard_of_antenna_1("01" + record)] == [LineFault]


def test_gen2_records_that_can_be_read_two_ways_are_not_read() -> None:
    # With seven bytes the second chip is 01BB, with eight it is BB; both readings end with the answer.
    both = "02 00 84 00 01 AA 01 01 00 FF 00 00 00 00 00 84 84 02 01 BB 00"
    assert [type(heard) for heard in _heard_of_antenna_1(both)] == [LineFault]
