"""The shared buffer, with a protocol small enough to see through: ``(`` length-digit letters ``)``, blanks between."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from firmware_protocols.framing import FAULT_BYTES, PASS, WAIT, FramedWire, Held, ScanResult, Skip, Take, fault
from firmware_protocols.messages import KeyDown, LineFault, Message

FRAME_LIMIT = 8


def _scan(held: Held, _silent: bool) -> ScanResult:
    if held[0] == ord(" "):
        return PASS
    if held[0] != ord("("):
        return Skip("no bracket")
    if len(held) < 2:
        return WAIT
    if not chr(held[1]).isdigit():
        return Skip("no digit")
    length = held[1] - ord("0") + 3
    if len(held) < length:
        return WAIT
    return Take(length) if held[length - 1] == ord(")") else Skip("not closed")


def _wire() -> FramedWire:
    return FramedWire(_scan, lambda frame: KeyDown(frame.decode()), lambda _: b"", frame_limit=FRAME_LIMIT)


def test_a_message_comes_out_when_its_last_byte_is_in() -> None:
    wire = _wire()
    assert wire.feed(b"(2a") == ()
    assert wire.held() == 3
    assert wire.feed(b"b)(0)") == (KeyDown("(2ab)"), KeyDown("(0)"))
    assert wire.held() == 0


def test_padding_means_nothing_between_messages() -> None:
    wire = _wire()
    assert wire.feed(b"  (0) ") == (KeyDown("(0)"),)
    assert wire.held() == 0


def test_noise_is_reported_as_it_came_before_the_next_message() -> None:
    assert _wire().feed(b"x y(0)") == (LineFault("no bracket", b"x y"), KeyDown("(0)"))


def test_noise_is_reported_at_silence() -> None:
    wire = _wire()
    assert wire.feed(b"xy") == ()
    assert wire.held() == 2
    assert wire.idle() == (LineFault("no bracket", b"xy"),)
    assert wire.held() == 0
    assert wire.idle() == ()


def test_endless_noise_is_reported_in_portions() -> None:
    found = _wire().feed(b"x" * (2 * FAULT_BYTES + 5))
    assert found == (LineFault("no bracket", b"x" * FAULT_BYTES),) * 2


def test_a_length_that_lies_is_given_up_at_silence_and_read_again_from_its_second_byte() -> None:
    wire = _wire()
    assert wire.feed(b"(5(1a)") == ()
    assert wire.idle() == (LineFault("the message was not finished", b"(5"), KeyDown("(1a)"))


def test_a_message_that_would_be_too_long_is_none_even_without_silence() -> None:
    assert _wire().feed(b"(9(2ab)zz") == (LineFault("the message was not finished", b"(9"), KeyDown("(2ab)"))


def test_a_damaged_message_does_not_swallow_the_one_inside_its_length() -> None:
    assert _wire().feed(b"(4(1a)x") == (LineFault("not closed", b"(4"), KeyDown("(1a)"))


def test_a_fault_keeps_no_more_than_its_share() -> None:
    assert fault("long", bytes(200)) == LineFault("long", bytes(FAULT_BYTES))


@given(st.lists(st.sampled_from([b"(", b")", b"0", b"1", b"5", b"9", b"a", b" "]), max_size=60), st.data())
def test_how_bytes_are_cut_into_calls_does_not_matter(bytes_in: list[bytes], data: st.DataObject) -> None:
    whole, cut = _wire(), _wire()
    stream = b"".join(bytes_in)
    expected: list[Message] = [*whole.feed(stream), *whole.idle()]
    heard: list[Message] = []
    while stream:
        length = data.draw(st.integers(1, len(stream)))
        heard += cut.feed(stream[:length])
        assert cut.held() <= cut.limit
        stream = stream[length:]
    assert [*heard, *cut.idle()] == expected


@given(st.binary(max_size=300))
def test_no_byte_is_lost_without_a_word(noise: bytes) -> None:
    noise = noise.translate(None, b" (")
    wire = _wire()
    heard = [*wire.feed(noise), *wire.idle()]
    assert b"".join(message.data for message in heard if isinstance(message, LineFault)) == noise
