"""The Matrix Orbital keypad: keys and texts. Vectors are in the transcript."""

from __future__ import annotations

import pytest

from firmware_protocols.codec import LineEnd
from firmware_protocols.keypad.matrix_orbital import CODEC, KEYS
from firmware_protocols.messages import KeyDown, KeyUp, LineFault, Message, SendKeysAtOnce, ShowText


def test_every_byte_is_one_key_going_down_or_up_or_a_fault() -> None:
    for byte in range(256):
        host = CODEC.open(LineEnd.HOST)
        heard = host.feed(bytes((byte,))) + host.idle()
        letter = chr(byte)
        if letter in KEYS:
            assert heard == (KeyDown(letter),)
        elif letter.upper() in KEYS and byte < 0x80:
            assert heard == (KeyUp(letter.upper()),)
        else:
            assert [type(message) for message in heard] == [LineFault]


def test_the_pad_has_five_rows_of_five() -> None:
    assert len(KEYS) == 25


@pytest.mark.parametrize("key", ["Z", "a", "", "AB", "1"])
def test_other_keys_are_refused(key: str) -> None:
    device = CODEC.open(LineEnd.DEVICE)
    for message in (KeyDown(key), KeyUp(key)):
        with pytest.raises(ValueError, match="no words"):
            device.encode(message)


@pytest.mark.parametrize("text", ["x" * 81, "two\nlines", "caf\N{LATIN SMALL LETTER E WITH ACUTE}", "\xfe", "\x7f"])
def test_texts_the_display_cannot_show_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match="no words"):
        CODEC.open(LineEnd.HOST).encode(ShowText(text))


def test_a_full_display_needs_no_silence_and_what_follows_is_not_its_text() -> None:
    frame = CODEC.open(LineEnd.HOST).encode(ShowText("x" * 80))
    device = CODEC.open(LineEnd.DEVICE)
    heard: tuple[Message, ...] = device.feed(frame + b"y\xfeA")
    assert [type(message) for message in heard] == [ShowText, LineFault, SendKeysAtOnce]
    assert heard[0] == ShowText("x" * 80)
