"""A paired line and whoever stands between its ends: what was said arrives as it was said, or not at all."""

from __future__ import annotations

import hmac
import time
import zlib
from collections.abc import Callable
from itertools import count

import pytest
from cobs import cobs
from hypothesis import given, settings
from hypothesis import strategies as st

from firmware_protocols.codec import LineEnd
from firmware_protocols.paired_line import FRAME_LIMIT, KEY_BYTES, Fed, PairedLine

KEY = bytes(range(KEY_BYTES))
OTHER_KEY = bytes(range(1, 1 + KEY_BYTES))


def numbered(first: int) -> Callable[[], bytes]:
    """Nonces that nobody need believe in."""
    numbers = count(first)
    return lambda: next(numbers).to_bytes(16, "big")


class Pair:
    """Two ends and what passes between them."""

    def __init__(self, key: bytes = KEY) -> None:
        self.host = PairedLine(LineEnd.HOST, KEY, numbered(1_000))
        self.device = PairedLine(LineEnd.DEVICE, key, numbered(2_000))
        self.hello = self.host.hello()
        greeted = self.device.feed(self.hello)
        self.answer = greeted.answer
        self.answered = self.host.feed(self.answer)

    def to_device(self, text: bytes) -> Fed:
        return self.device.feed(self.host.seal(text))

    def to_host(self, text: bytes) -> Fed:
        return self.host.feed(self.device.seal(text))


def test_both_ends_hear_what_the_other_says() -> None:
    pair = Pair()
    assert pair.answered == Fed(paired=True)
    assert pair.to_device(b"contribute") == Fed(b"contribute", paired=True)
    assert pair.to_host(b"no hit") == Fed(b"no hit")
    assert pair.to_device(b"again") == Fed(b"again")


def test_nothing_is_said_before_the_pairing() -> None:
    assert PairedLine(LineEnd.HOST, KEY, numbered(1)).seal(b"contribute") == b""
    device = PairedLine(LineEnd.DEVICE, KEY, numbered(1))
    device.feed(PairedLine(LineEnd.HOST, KEY, numbered(9)).hello())
    # Somebody greeted, but nobody has shown yet that he has the key.
    assert device.seal(b"reveal") == b""


@given(st.lists(st.binary(min_size=1, max_size=400), max_size=6), st.integers(1, 50))
@settings(max_examples=60)
def test_however_the_bytes_are_cut_they_come_out_as_they_were_said(texts: list[bytes], cut: int) -> None:
    pair = Pair()
    wire = b"".join(map(pair.host.seal, texts))
    fed = [pair.device.feed(wire[at : at + cut]) for at in range(0, len(wire), cut)]
    assert b"".join(one.inside for one in fed) == b"".join(texts)
    assert not any(one.refused for one in fed)
    assert max(map(len, wire.split(b"\0"))) < FRAME_LIMIT


Tampering = tuple[str, int, int]
DEEDS = st.tuples(st.sampled_from(["drop", "again", "swap", "flip", "cut", "make"]), st.integers(0), st.integers(0))


def tampered(frames: list[bytes], tamperings: list[Tampering]) -> list[bytes]:
    """What somebody between makes of frames, with their ends."""
    for what, one, other in tamperings:
        if not frames:
            return frames
        at, to = one % len(frames), other % len(frames)
        frame = frames[at]
        match what:
            case "drop":
                del frames[at]
            case "again":
                frames.insert(to, frame)
            case "swap":
                frames[at], frames[to] = frames[to], frames[at]
            case "flip":
                place = other % len(frame)
                frames[at] = frame[:place] + bytes((frame[place] ^ 1 << other % 8,)) + frame[place + 1 :]
            case "cut":
                frames[at] = frame[other % len(frame) :]
            case _:
                # With a check that agrees, as anybody can make it.
                frames.insert(to, framed(cobs_content(frame)[:-4], flip=other))
    return frames


def cobs_content(frame: bytes) -> bytes:
    try:
        content: bytes = cobs.decode(frame.rstrip(b"\0"))
    except cobs.DecodeError:
        return b"BCDEFGHIJKLMNOPQRSTUVWXYZ"
    return content


def framed(content: bytes, flip: int = 0) -> bytes:
    if content:
        place = flip % len(content)
        content = content[:place] + bytes((content[place] ^ 1 << flip % 8,)) + content[place + 1 :]
    whole: bytes = cobs.encode(content + zlib.crc32(content).to_bytes(4, "big"))
    return whole + b"\0"


@given(st.lists(DEEDS, max_size=8), st.integers(1, 8))
@settings(max_examples=200)
def test_whatever_is_done_to_the_frames_only_what_was_said_comes_out_once_and_in_order(
    tamperings: list[Tampering], sent: int
) -> None:
    pair = Pair()
    texts = [b"<%d>" % number for number in range(sent)]
    heard = pair.device.feed(b"".join(tampered([pair.host.seal(text) for text in texts], tamperings))).inside
    numbers = [int(part.strip(b"<>")) for part in heard.replace(b"><", b">,<").split(b",") if part]
    assert numbers == sorted(set(numbers))
    assert set(numbers) <= set(range(sent))


@given(st.binary(max_size=600))
@settings(max_examples=100)
def test_no_bytes_of_a_strangers_come_through(noise: bytes) -> None:
    pair = Pair()
    for end in (pair.host, pair.device):
        assert end.feed(noise + b"\0").inside == b""


def test_a_frame_that_comes_again_is_reported() -> None:
    pair = Pair()
    frame = pair.host.seal(b"contribute")
    assert pair.device.feed(frame).inside == b"contribute"
    assert pair.device.feed(frame) == Fed(refused=("replayed",))


def test_a_lost_frame_leaves_those_after_it() -> None:
    pair = Pair()
    pair.host.seal(b"lost")
    assert pair.to_device(b"heard").inside == b"heard"


def test_a_changed_answer_is_reported_though_its_check_agrees() -> None:
    pair = Pair()
    pair.to_device(b"greet")
    content = cobs_content(pair.device.seal(b"no hit"))[:-4]
    changed = content.replace(b"no hit", b"is hit")
    assert pair.host.feed(cobs.encode(changed + zlib.crc32(changed).to_bytes(4, "big")) + b"\0") == Fed(
        refused=("forged",)
    )


def test_what_one_end_said_is_nothing_it_can_hear() -> None:
    pair = Pair()
    assert pair.host.feed(pair.host.seal(b"contribute")) == Fed(refused=("forged",))


def test_a_device_with_another_key_is_refused_and_hears_nothing() -> None:
    pair = Pair(OTHER_KEY)
    assert pair.answered == Fed(refused=("pairing_refused",))
    assert pair.host.seal(b"contribute") == b""


def test_a_line_without_pairing_is_reported() -> None:
    pair = Pair()
    plain = framed(b"\x84" + bytes(33))
    assert pair.host.feed(plain) == Fed(refused=("unpaired",))
    assert PairedLine(LineEnd.DEVICE, KEY, numbered(1)).feed(pair.host.seal(b"greet")).refused == ("unpaired",)


def test_a_pairing_from_another_day_opens_nothing() -> None:
    before = Pair()
    frames = before.host.seal(b"contribute")
    now = Pair.__new__(Pair)
    now.host, now.device = (PairedLine(role, KEY, numbered(5_000)) for role in (LineEnd.HOST, LineEnd.DEVICE))
    now.host.hello()
    # The whole of what passed then is said again, to both.
    assert now.host.feed(before.answer).refused == ("pairing_refused",)
    now.device.feed(before.hello)
    assert now.device.feed(frames).refused == ("forged",)


def test_a_hello_of_a_strangers_does_not_end_the_pairing() -> None:
    pair = Pair()
    pair.to_device(b"greet")
    stranger = PairedLine(LineEnd.HOST, OTHER_KEY, numbered(9_000))
    answer = pair.device.feed(stranger.hello()).answer
    assert pair.to_host(b"still here").inside == b"still here"
    assert pair.to_device(b"so am I").inside == b"so am I"
    assert pair.host.feed(answer).refused == ("replayed",)


def test_a_host_that_was_started_again_pairs_anew() -> None:
    pair = Pair()
    pair.to_device(b"greet")
    pair.host = PairedLine(LineEnd.HOST, KEY, numbered(7_000))
    hello = pair.host.hello()
    assert pair.host.hello(again=True) == hello
    pair.device.feed(hello)
    pair.host.feed(pair.device.feed(hello).answer)
    assert pair.to_device(b"greet") == Fed(b"greet", paired=True)


def test_the_frames_are_those_of_the_page() -> None:
    """Made here from the page's words, with nothing of ours but the standard library."""
    pair = Pair()
    host_nonce, device_nonce = (number.to_bytes(16, "big") for number in (1_000, 2_000))
    pairing = hmac.digest(KEY, b"tableside.pairing.v1" + host_nonce + device_nonce, "sha256")
    from_table, from_box = (hmac.digest(pairing, bytes((kind,)), "sha256") for kind in (0x42, 0xC2))
    proof = hmac.digest(from_box, b"\xc1" + device_nonce, "sha256")[:16]
    one = (1).to_bytes(8, "big")
    assert pair.hello == b"\0" + framed_as_is(b"\x41" + host_nonce)
    assert pair.answer == b"\0" + framed_as_is(b"\xc1" + device_nonce + proof)
    signed = b"\x42" + one + b"check"
    assert pair.host.seal(b"check") == framed_as_is(signed + hmac.digest(from_table, signed, "sha256")[:16])


def framed_as_is(content: bytes) -> bytes:
    whole: bytes = cobs.encode(content + zlib.crc32(content).to_bytes(4, "big"))
    return whole + b"\0"


def test_what_never_ends_is_given_up() -> None:
    pair = Pair()
    assert pair.device.feed(b"x" * 1_000).refused == ("noise",)
    assert pair.to_device(b"lost with it").inside == b"lost with it"


def test_keys_of_another_length_are_refused() -> None:
    with pytest.raises(ValueError, match="32 bytes"):
        PairedLine(LineEnd.HOST, b"short", numbered(1))


def test_noise_is_dropped_in_a_time_that_grows_with_its_length_and_no_faster() -> None:
    """What a line may say in a second took longer than that second to drop, and everybody else waited for it."""

    def fastest(count: int) -> float:
        noise, times = b"x\0" * count, list[float]()
        for _ in range(3):
            device = Pair().device
            began = time.process_time()
            assert device.feed(noise).refused == ("noise",) * count
            times.append(time.process_time() - began)
        return min(times)

    assert fastest(20_000) < 24 * fastest(2_500), "eight times as much, and far more than eight times as long"
