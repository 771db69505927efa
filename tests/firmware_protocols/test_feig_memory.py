"""FEIG readers: requests for a chip's memory and their answers, where they do not add up."""

from __future__ import annotations

import pytest

from firmware_protocols.bet_spots.feig_obid import CODEC
from firmware_protocols.checksums import MCRF4XX
from firmware_protocols.codec import LineEnd
from firmware_protocols.messages import ChipBlocksRead, LineFault, Message, ReadChipBlocks, ReaderRefused

CHIP = "E004015020922C6E"
TWO_BLOCKS = "02 04 00 43 48 50 31 00 00 00 00 64"


def framed(body: str) -> bytes:
    content = bytes.fromhex(body)
    data = bytes((len(content) + 3,)) + content
    return data + MCRF4XX.of(data).to_bytes(2, "little")


def answered(data: str, status: str = "00") -> tuple[Message, ...]:
    host = CODEC.open(LineEnd.HOST)
    host.encode(ReadChipBlocks(1, CHIP, 0, 2))
    return host.feed(framed(f"01 B0 {status} {data}"))


def test_blocks_are_read_with_their_security() -> None:
    assert answered(TWO_BLOCKS) == (ChipBlocksRead(1, ("43485031", "00000064"), (0, 0)),)
    assert answered("02 01 01 AA 00 BB") == (ChipBlocksRead(1, ("AA", "BB"), (1, 0)),)


@pytest.mark.parametrize(
    "data",
    ["", "02", "01 04 00 43 48 50 31", "03 01 00 AA 00 BB 00 CC", "02 00 00 00", TWO_BLOCKS + "00", TWO_BLOCKS[:-3]],
)
def test_an_answer_with_other_blocks_than_asked_for_is_not_read(data: str) -> None:
    assert [type(message) for message in answered(data)] == [LineFault]


@pytest.mark.parametrize("status", ["83", "84", "94", "95"])
def test_blocks_under_any_other_status_are_a_refusal(status: str) -> None:
    (message,) = answered(TWO_BLOCKS, status)
    assert isinstance(message, ReaderRefused)
    assert message.command == "read_chip_blocks"


@pytest.mark.parametrize(
    "request_body",
    [
        f"01 B0 23 00 {CHIP} 00 02",
        f"01 B0 23 02 {CHIP} 00 02",
        f"01 B0 23 11 {CHIP} 00 02",
        f"01 B0 23 01 {CHIP} 00 00",
        f"01 B0 23 01 {CHIP} 00 21",
        f"01 B0 23 01 {CHIP} 00",
        f"01 B0 23 01 {CHIP} 00 02 00",
        "01 B0 23",
    ],
)
def test_other_requests_for_memory_are_not_understood(request_body: str) -> None:
    device = CODEC.open(LineEnd.DEVICE)
    assert [type(message) for message in device.feed(framed(request_body))] == [LineFault]


@pytest.mark.parametrize(
    "request_message",
    [
        ReadChipBlocks(1, CHIP[:-2], 0, 2),
        ReadChipBlocks(1, CHIP.lower(), 0, 2),
        ReadChipBlocks(1, CHIP, 256, 2),
        ReadChipBlocks(1, CHIP, -1, 2),
        ReadChipBlocks(1, CHIP, 0, 0),
        ReadChipBlocks(1, CHIP, 0, 33),
        ReadChipBlocks(256, CHIP, 0, 2),
    ],
)
def test_what_is_out_of_range_is_not_asked(request_message: ReadChipBlocks) -> None:
    with pytest.raises(ValueError, match="is not"):
        CODEC.open(LineEnd.HOST).encode(request_message)


@pytest.mark.parametrize(
    "answer",
    [
        ChipBlocksRead(1, (), ()),
        ChipBlocksRead(1, ("AA", "BBCC"), (0, 0)),
        ChipBlocksRead(1, ("aa",), (0,)),
        ChipBlocksRead(1, ("",), (0,)),
        ChipBlocksRead(1, ("AA", "BB"), (0,)),
        ChipBlocksRead(1, ("AA",), (256,)),
        ChipBlocksRead(1, ("AA",) * 33, (0,) * 33),
        ChipBlocksRead(1, ("AA" * 5,) * 26, (0,) * 26),
    ],
)
def test_the_reader_refuses_to_say_what_would_arrive_otherwise(answer: ChipBlocksRead) -> None:
    with pytest.raises(ValueError, match=r"blocks"):
        CODEC.open(LineEnd.DEVICE).encode(answer)
