"""The reference shoe's frames: what is peculiar to them, and the examples of its specification."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from cobs import cobs
from hypothesis import given
from hypothesis import strategies as st

from firmware_protocols.cards import DECK
from firmware_protocols.checksums import IBM_3740
from firmware_protocols.codec import LineEnd
from firmware_protocols.messages import (
    AcknowledgeDraw,
    CardRead,
    CheckShoe,
    Command,
    IdentifyShoe,
    LineFault,
    Message,
    SendDraws,
    ShoeAlarm,
    ShoeIdentified,
    ShoeStatus,
)
from firmware_protocols.shoe.reference import CODEC, DRAWS_KEPT, FRAME_LIMIT
from tests.firmware_protocols.transcript import Step, parse, play

DOCUMENT = Path(__file__).parent.parent.parent / "docs" / "reference" / "reference-shoe.md"
EXAMPLES = re.findall(r"^```transcript\n(.*?)^```$", DOCUMENT.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
SERIES = 0x5A01C3F7
EIGHT = CardRead(DECK[DECK.index("8h")], sequence=5, series=SERIES)
DRAW = CODEC.open(LineEnd.DEVICE).encode(EIGHT)


def frame(content: bytes) -> bytes:
    whole: bytes = cobs.encode(content + IBM_3740.of(content).to_bytes(2, "big")) + b"\0"
    return whole


def heard(role: LineEnd, data: bytes) -> list[Message]:
    wire = CODEC.open(role)
    return [*wire.feed(data), *wire.idle()]


def not_faults(messages: list[Message]) -> list[Message]:
    return [message for message in messages if not isinstance(message, LineFault)]


# --- the specification ------------------------------------------------------------------------------


def test_the_specification_has_examples_of_every_word() -> None:
    steps: list[Step] = [step for example in EXAMPLES for step in parse(example)]
    assert {type(message) for step in steps if step.ours for message in step.heard} == set(CODEC.vocabulary)


@pytest.mark.parametrize("example", EXAMPLES)
def test_the_examples_of_the_specification_are_true(example: str) -> None:
    steps = 0
    for step, messages in play(CODEC, parse(example), None):
        assert step.is_as_expected(tuple(messages)), f"line {step.line_number}: heard as {messages}"
        steps += 1
    assert steps


def test_the_numbers_in_the_specification_are_ours() -> None:
    text = DOCUMENT.read_text(encoding="utf-8")
    assert f"room for exactly {DRAWS_KEPT} draws" in text
    assert f"at most {FRAME_LIMIT} bytes" in text
    assert f"`{IBM_3740.of(b'123456789'):X}`" in text


# --- frames -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("bit", range(len(DRAW) * 8))
def test_no_single_wrong_bit_passes_for_a_draw(bit: int) -> None:
    damaged = bytearray(DRAW)
    damaged[bit // 8] ^= 1 << bit % 8
    assert not_faults(heard(LineEnd.HOST, bytes(damaged))) == []
    assert not_faults(heard(LineEnd.HOST, bytes(damaged) + DRAW))[-1:] == [EIGHT]


@given(st.binary(max_size=61))
def test_a_frame_is_of_a_known_type_and_length_or_no_message(content: bytes) -> None:
    for role in LineEnd:
        messages = heard(role, frame(content)) if len(frame(content)) <= FRAME_LIMIT else []
        for message in not_faults(messages):
            other = LineEnd.DEVICE if role is LineEnd.HOST else LineEnd.HOST
            assert CODEC.open(other).encode(message) == frame(content)


@pytest.mark.parametrize(
    ("role", "content"),
    [
        (LineEnd.HOST, "82 00 01 5A 01 C3 F7 10 00 00 00 05 00"),
        (LineEnd.HOST, "82 00 01 5A 01 C3 F7 00 00 00 00 05 79"),
        (LineEnd.HOST, "82 00 01 5A 01 C3 F7 00 00 00 00 05"),
        (LineEnd.HOST, "82 00 01 00 05 00"),
        (LineEnd.HOST, "83 05 00 82"),
        (LineEnd.HOST, "83 5A 01 C3 F7 00 00 00 05 00"),
        (LineEnd.HOST, "81 00 01 01 41 01 41 01 41 01 41 01 5A 01 C3 F7"),
        (LineEnd.HOST, "81 00 01 01 41 01 41 01 41 01 41 02 5A 01 C3"),
        (LineEnd.HOST, "81 00 01 01 41 01 41 01 41 00"),
        (LineEnd.HOST, "81 00 01 01 41 01 41 01 41 01 41 00"),
        (LineEnd.HOST, "81 00 01 01 41 01 41 01 41 02 41"),
        (LineEnd.HOST, "81 00 01 01 0A 01 41 01 41 01 41"),
        (LineEnd.HOST, "84"),
        (LineEnd.HOST, "84 00 00"),
        (LineEnd.HOST, "03 5A 01 C3 F7"),
        (LineEnd.HOST, "85 00"),
        (LineEnd.DEVICE, "01 00"),
        (LineEnd.DEVICE, "02 00 00"),
        (LineEnd.DEVICE, "03"),
        (LineEnd.DEVICE, "03 5A 01 C3"),
        (LineEnd.DEVICE, "04 05"),
        (LineEnd.DEVICE, "04 5A 01 C3 F7 05"),
        (LineEnd.DEVICE, "05 02"),
        (LineEnd.DEVICE, "06 00"),
        (LineEnd.DEVICE, "07 00"),
        (LineEnd.DEVICE, "83 5A 01 C3 F7 00 00 00 05 00 82"),
    ],
)
def test_a_body_that_is_none_is_a_fault(role: LineEnd, content: str) -> None:
    assert [type(message) for message in heard(role, frame(bytes.fromhex(content)))] == [LineFault]


def test_every_card_has_a_byte_of_its_own() -> None:
    shoe, host = CODEC.open(LineEnd.DEVICE), CODEC.open(LineEnd.HOST)
    frames = {face: shoe.encode(CardRead(face, sequence=7, series=SERIES)) for face in (None, *DECK)}
    assert len(set(frames.values())) == 53
    for face, data in frames.items():
        assert host.feed(data) == (CardRead(face, sequence=7, series=SERIES),)


@pytest.mark.parametrize("flags", [0x00, 0x01, 0x02, 0x80, 0xFF])
@pytest.mark.parametrize("card", range(256))
def test_whatever_a_draw_says_of_its_card_a_card_has_left(card: int, flags: int) -> None:
    content = bytes.fromhex("83 5A 01 C3 F7 00 00 00 05") + bytes((flags, card))
    (draw,) = heard(LineEnd.HOST, frame(content))
    assert isinstance(draw, CardRead)
    assert (draw.sequence, draw.series, draw.burn) == (5, SERIES, bool(flags & 1))
    is_card = 1 <= card >> 4 <= 13 and card & 15 < 4
    assert (draw.face is not None, draw.unknown) == (is_card, 0 if is_card or not card else card)


def test_the_longest_frames_fit() -> None:
    shoe = CODEC.open(LineEnd.DEVICE)
    names = ShoeIdentified(0xFFFF, "V" * 12, "M" * 12, "S" * 16, "F" * 12, 0xFFFFFFFF)
    alarm = ShoeAlarm("C" * 8, "T" * 48)
    for message in (names, alarm):
        data = shoe.encode(message)
        assert len(data) <= FRAME_LIMIT
        assert CODEC.open(LineEnd.HOST).feed(data) == (message,)


@pytest.mark.parametrize(
    "message",
    [
        CardRead(None),
        CardRead(None, sequence=5),
        CardRead(None, sequence=1 << 32, series=SERIES),
        CardRead(None, sequence=5, series=1 << 32),
        CardRead(None, sequence=5, series=SERIES, unknown=0x82),
        CardRead(None, sequence=5, series=SERIES, unknown=0x100),
        ShoeStatus(1, SERIES, 1 << 32, 0),
        ShoeStatus(1, 1 << 32, 0, 0),
        ShoeStatus(1, SERIES, 0, DRAWS_KEPT + 1),
        ShoeStatus(0x10000, SERIES, 0, 0),
        ShoeIdentified(1, "V", "M", "S", "F", 1 << 32),
        ShoeIdentified(1, "V", "M", "S", "F", SERIES, 0),
        ShoeIdentified(1, "", "M", "S", "F"),
        ShoeIdentified(1, "V", "M" * 13, "S", "F"),
        ShoeIdentified(1, "V", "M", "S" * 17, "F"),
        ShoeIdentified(1, "V", "M", "S", "\n"),
        ShoeAlarm("", "text"),
        ShoeAlarm("C" * 9, ""),
        ShoeAlarm("C", "T" * 49),
        IdentifyShoe(0x10000),
        CheckShoe(0),
        CheckShoe(-1),
        AcknowledgeDraw(SERIES, 1 << 32),
        AcknowledgeDraw(1 << 32, 0),
        SendDraws(1 << 32),
    ],
)
def test_what_the_protocol_cannot_say_is_refused(message: Message) -> None:
    role = LineEnd.HOST if isinstance(message, Command) else LineEnd.DEVICE
    with pytest.raises(ValueError, match=r"no words|is not"):
        CODEC.open(role).encode(message)


def test_a_stray_nul_costs_nothing_but_itself() -> None:
    command = CODEC.open(LineEnd.HOST).encode(SendDraws(SERIES))
    assert heard(LineEnd.DEVICE, b"\0" + command) == [LineFault("an empty frame", b"\0"), SendDraws(SERIES)]
