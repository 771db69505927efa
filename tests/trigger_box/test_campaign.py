"""A smaller, seeded part of `make campaign-mystery`."""

from __future__ import annotations

from random import Random

from bench.mystery import canary, cycles, forms, measure_noise
from controller.reports.audit.mystery_proof import Bounds
from controller.reports.randomness_tests import kolmogorov_distance, kolmogorov_p

BOUNDS = Bounds(25_000, 100_000)


def test_awards_are_uniform_one_hit_a_cycle_and_never_above_the_ceiling() -> None:
    played = list(cycles(400, BOUNDS, Random(5), seed=5))
    assert [one.hits for one in played] == [1] * 400
    assert max(one.award_cents for one in played) <= BOUNDS.ceiling_cents
    assert min(one.award_cents for one in played) >= BOUNDS.reset_cents
    for values in ([one.award_cents for one in played], [one.trigger_cents for one in played]):
        distance = kolmogorov_distance([(value - BOUNDS.reset_cents) / BOUNDS.width for value in values])
        assert kolmogorov_p(distance, len(values)) > 0.01


def test_a_meter_near_its_ceiling_is_hit_at_the_ceiling_at_the_latest() -> None:
    """The last number below the ceiling: a meter of exactly the ceiling always stands above it."""
    played = list(cycles(60, Bounds(300, 304), Random(2), seed=2))
    assert {one.trigger_cents for one in played} == {300, 301, 302, 303}
    assert max(one.award_cents for one in played) == 304


def test_the_same_seed_plays_the_same_cycles() -> None:
    assert list(cycles(5, BOUNDS, Random(3), seed=9)) == list(cycles(5, BOUNDS, Random(3), seed=9))


def test_contributions_posted_as_one_win_what_they_would_have_won_one_by_one() -> None:
    one_by_one, pooled = (list(cycles(40, BOUNDS, Random(3), seed=9, pooled=pooled)) for pooled in (False, True))
    assert one_by_one == pooled


def test_sound_noise_is_not_halted() -> None:
    (verdict,) = measure_noise(2_000_000)
    assert "no halt" in verdict


async def test_the_trigger_is_nowhere_to_be_found() -> None:
    searched = await canary(40)
    assert searched.found == []
    assert set(searched.sizes) == {"wire and its texts", "log", "store", "process"}
    assert min(searched.sizes.values()) > 1_000


def test_the_search_knows_a_number_when_it_sees_one() -> None:
    number = 12_345_678
    for text in (b"at 12345678 cents", b"$123456.78", b"$123,456", b"00BC614E", b"bc614e", bytes.fromhex("4e61bc00")):
        assert any(form in text for form in forms(number)), text
