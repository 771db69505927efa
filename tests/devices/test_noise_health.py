"""The health tests of a noise source: their cut-offs as published, and what they find."""

from __future__ import annotations

import hashlib
from fractions import Fraction
from math import comb

import pytest
from hypothesis import given
from hypothesis import strategies as st

from devices.trigger.noise_health import WINDOW, CutOffs, NoiseHealth, cut_offs


def noise(count: int, seed: int = 0) -> bytes:
    """Sound noise: SHA-256 of a counter."""
    blocks = (hashlib.sha256(b"%d %d" % (seed, block)).digest() for block in range(count // 32 + 1))
    return b"".join(blocks)[:count]


@pytest.mark.parametrize(
    ("claimed_bits", "alpha_bits", "repetition", "proportion"),
    [
        # Go's crypto/internal/entropy and the nRF54's data sheet for 2^-20; jitterentropy-library for H = 1, 2^-30.
        (8, 20, 4, 13),
        (1, 30, 31, 325),
        # By the formulas of SP 800-90B 4.4.1 and 4.4.2, in exact fractions.
        (1, 20, 21, 311),
        (2, 30, 16, 190),
        (4, 20, 6, 62),
        (4, 40, 11, 78),
        (6, 20, 5, 25),
        (6, 30, 6, 31),
        (7, 30, 6, 22),
        (7.5, 30, 5, 19),
        (8, 30, 5, 16),
        (8, 40, 6, 19),
    ],
)
def test_the_cut_offs_are_the_published_ones(
    claimed_bits: float, alpha_bits: int, repetition: int, proportion: int
) -> None:
    assert cut_offs(claimed_bits, alpha_bits) == CutOffs(repetition, proportion)


@pytest.mark.parametrize("claimed_bits", range(1, 9))
@pytest.mark.parametrize("alpha_bits", [20, 30])
def test_a_source_as_good_as_claimed_reaches_the_proportion_as_rarely_as_promised(
    claimed_bits: int, alpha_bits: int
) -> None:
    """The definition itself, in fractions: the cut-off less one is exceeded rarely enough, one less is not."""
    chance, cut = Fraction(1, 2**claimed_bits), cut_offs(claimed_bits, alpha_bits).proportion

    def exceeded(successes: int) -> Fraction:
        ways = (comb(WINDOW, n) * chance**n * (1 - chance) ** (WINDOW - n) for n in range(successes + 1, WINDOW + 1))
        return sum(ways, Fraction(0))

    assert exceeded(cut - 1) <= Fraction(1, 2**alpha_bits) < exceeded(cut - 2)


@pytest.mark.parametrize("claimed_bits", [0, -1, 8.1])
def test_an_impossible_claim_is_refused(claimed_bits: float) -> None:
    with pytest.raises(ValueError, match="min-entropy"):
        cut_offs(claimed_bits, 20)


def test_six_equal_bytes_fail_and_five_warn() -> None:
    five, six = NoiseHealth(6), NoiseHealth(6)
    five.feed(b"\x01" + b"\xaa" * 5 + b"\x02")
    six.feed(b"\x01" + b"\xaa" * 6 + b"\x02")
    assert (five.failure, five.warnings) == (None, 1)
    assert six.failure is not None
    assert six.failure.test == "repetition_count"
    assert six.failure.text == "the byte AA came 6 times in a row"


def spread(count: int) -> bytes:
    """A window whose first byte comes ``count`` times and no other byte more than twice, none beside itself."""
    others = bytes(1 + place % 255 for place in range(WINDOW - count))
    woven = b"".join(b"\0" + others[2 * place : 2 * place + 2] for place in range(count))
    return woven + others[2 * count :]


def test_31_of_512_fail_30_and_25_warn_and_24_do_not() -> None:
    found = {}
    for count in (24, 25, 30, 31):
        health = NoiseHealth(6)
        health.feed(spread(count))
        found[count] = (health.failure.test if health.failure else None, health.warnings)
    assert found == {24: (None, 0), 25: (None, 1), 30: (None, 1), 31: ("adaptive_proportion", 1)}


def test_windows_do_not_overlap() -> None:
    """Thirty at the end of one window and thirty at the start of the next accuse nobody twice over."""
    health = NoiseHealth(6)
    health.feed(spread(30) + spread(30))
    assert (health.failure, health.proportion_warnings) == (None, 2)


@given(
    data=st.binary(max_size=600) | st.lists(st.sampled_from([b"\0" * 5, b"\0" * 9, b"ab"]), max_size=90).map(b"".join),
    cuts=st.lists(st.integers(1, 70), min_size=1),
)
def test_how_the_stream_is_cut_does_not_matter(data: bytes, cuts: list[int]) -> None:
    whole, cut = NoiseHealth(6), NoiseHealth(6)
    whole.feed(data)
    at, turn = 0, 0
    while at < len(data):
        size = cuts[turn % len(cuts)]
        cut.feed(data[at : at + size])
        at, turn = at + size, turn + 1
    assert (whole.failure is None) == (cut.failure is None)
    assert whole.repetition_warnings == cut.repetition_warnings
    assert whole.proportion_warnings == cut.proportion_warnings
    assert whole.samples == cut.samples == len(data)


def test_a_million_sound_bytes_pass() -> None:
    health = NoiseHealth(6)
    health.feed(noise(1_000_000))
    assert (health.failure, health.samples) == (None, 1_000_000)


def test_a_claim_no_source_keeps_is_found_out() -> None:
    """Sound bytes of six bits do not have the eight that are claimed for them."""
    health = NoiseHealth(8)
    health.feed(bytes(byte & 0x3F for byte in noise(200_000)))
    assert health.failure is not None
