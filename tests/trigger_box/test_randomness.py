"""The statistics of draws: their p-values as published, what they find, and that they leave fair draws alone."""

from __future__ import annotations

import base64
import json
import os
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest
import scipy.stats
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

from controller.commands.rng import command
from controller.reports import randomness_tests as stats
from controller.reports.randomness_tests import (
    ALPHA,
    MOST_CELLS,
    TESTS,
    all_tests,
    chi_square_p,
    kolmogorov_p,
    normal_p,
)
from controller.trigger_box.pool import mix
from simulators.devices.rng import Noise
from tests.devices.test_noise_health import noise as sound
from tests.trigger_box.premises import noise, running
from tests.trigger_box.rig import noises

WIDE = 75_000


@pytest.mark.parametrize(
    ("statistic", "freedom", "p"),
    [
        # NIST/SEMATECH e-Handbook, 1.3.6.7.4: upper critical values of the chi-square distribution.
        (3.841, 1, 0.05),
        (6.635, 1, 0.01),
        (23.209, 10, 0.01),
        (18.307, 10, 0.05),
        (135.807, 100, 0.01),
        (118.498, 100, 0.10),
        (77.929, 100, 0.95),
        (70.065, 100, 0.99),
    ],
)
def test_the_p_value_of_a_chi_square_is_the_published_one(statistic: float, freedom: int, p: float) -> None:
    assert chi_square_p(statistic, freedom) == pytest.approx(p, abs=5e-5)


def test_the_p_value_of_a_distance_and_of_a_normal_value_are_the_published_ones() -> None:
    # Stephens 1970: 1.628 is exceeded once in a hundred, 1.358 once in twenty.
    for x, p in ((1.628, 0.01), (1.358, 0.05), (1.224, 0.10)):
        count = 10_000
        assert kolmogorov_p(x / (100 + 0.12 + 0.11 / 100), count) == pytest.approx(p, rel=0.01)
    assert normal_p(1.959964) == pytest.approx(0.05, abs=1e-6)
    assert normal_p(-2.575829) == pytest.approx(0.01, abs=1e-6)


@given(freedom=st.integers(1, 2_000), p=st.floats(1e-9, 0.999))
def test_the_p_value_of_a_chi_square_is_that_of_scipy(freedom: int, p: float) -> None:
    statistic = float(scipy.stats.chi2.isf(p, freedom))
    assert chi_square_p(statistic, freedom) == pytest.approx(float(scipy.stats.chi2.sf(statistic, freedom)), rel=1e-8)


@given(z=st.floats(-12, 12))
def test_the_p_value_of_a_normal_value_is_that_of_scipy(z: float) -> None:
    assert normal_p(z) == pytest.approx(2 * float(scipy.stats.norm.sf(abs(z))), rel=1e-9)


@given(count=st.integers(100, 20_000), p=st.floats(1e-5, 0.9))
def test_the_p_value_of_a_distance_is_near_that_of_scipy(count: int, p: float) -> None:
    """Stephens' correction is an approximation; scipy computes the distribution itself."""
    distance = float(scipy.stats.kstwo.isf(p, count))
    assert kolmogorov_p(distance, count) == pytest.approx(p, rel=0.05)


@settings(max_examples=30)
@given(limit=st.integers(2, 2_000), seed=st.integers(0, 10**6))
def test_counts_and_distances_are_judged_as_scipy_judges_them(limit: int, seed: int) -> None:
    chance = Random(seed)
    draws = [chance.randrange(limit) for _ in range(12_000)]
    if limit <= MOST_CELLS:
        seen = Counter(draws)
        counts = [seen[number] for number in range(limit)]
        theirs = scipy.stats.chisquare(counts)
        ours = stats.chi_square(draws, limit)
        assert (ours.statistic, ours.p) == pytest.approx((float(theirs.statistic), float(theirs.pvalue)), rel=1e-8)
    distance = scipy.stats.kstest([(draw + 0.5) / limit for draw in draws], "uniform").statistic
    assert stats.equidistribution(draws, limit).statistic == pytest.approx(float(distance), rel=1e-9)


@pytest.mark.parametrize("limit", [2, 3, 7, 100, 1_001, 10_007, WIDE])
def test_fair_draws_are_in_doubt_about_once_in_a_hundred(limit: int) -> None:
    """Thirty runs of eight tests: 2 or 3 of the 240 should doubt; ten times as many would be a wrong test."""
    chance = Random(limit)
    doubts = {test.__name__: 0 for test in TESTS}
    for _ in range(30):
        draws = [chance.randrange(limit) for _ in range(1_200)]
        for test in TESTS:
            doubts[test.__name__] += not test(draws, limit).passed
    assert max(doubts.values()) <= 4, doubts
    assert sum(doubts.values()) <= 14, doubts


def sticky(chance: Random, limit: int) -> list[int]:
    draws = [chance.randrange(limit)]
    for _ in range(9_999):
        draws.append(draws[-1] if chance.randrange(10) == 0 else chance.randrange(limit))
    return draws


def folded(chance: Random, limit: int) -> list[int]:
    """The remainder of seventeen bits: what reject-and-redraw is there to avoid."""
    return [chance.randrange(1 << 17) % limit for _ in range(10_000)]


@pytest.mark.parametrize(
    ("name", "make", "found_by"),
    [
        ("a remainder", folded, {"chi-square", "equidistribution"}),
        ("repeats", sticky, {"serial correlation", "runs"}),
        (
            "a ramp",
            lambda _, limit: [turn * 7 % limit for turn in range(10_000)],
            {"permutation", "serial correlation"},
        ),
        ("one value", lambda _, __: [5] * 10_000, {"chi-square", "runs", "coupon collector", "permutation"}),
        ("no low tenth", lambda c, limit: [limit // 10 + c.randrange(limit * 9 // 10) for _ in range(10_000)], {"gap"}),
        ("few faces", lambda c, limit: [c.randrange(8) * limit // 10 for _ in range(10_000)], {"poker"}),
    ],
)
def test_unfair_draws_are_found(name: str, make: Callable[[Random, int], list[int]], found_by: set[str]) -> None:
    failed = {test.name for test in all_tests(make(Random(name), WIDE), WIDE) if test.p < stats.DAMNING}
    assert found_by <= failed, failed


@pytest.mark.parametrize(("draws", "limit"), [([1] * 99, 10), ([10] * 200, 10), ([-1] * 200, 10), ([0] * 200, 1)])
def test_what_are_no_draws_is_refused(draws: list[int], limit: int) -> None:
    with pytest.raises(ValueError, match="at least 100 draws"):
        all_tests(draws, limit)


@pytest.mark.parametrize(("reset", "ceiling"), [(25_000, 100_000), (500, 1_000), (25_000, 25_100), (100, 8_292)])
def test_the_draw_of_the_trigger_passes(reset: int, ceiling: int) -> None:
    """RNG-3: the draw as it is used, at several bounds; seeded, so the same bits on every run."""
    pool, source = bytes(64), noises(reset)
    draws = []
    for _ in range(6_000):
        pool, mixed = mix(pool, next(source))
        draws.append(mixed.below(ceiling - reset))
    assert [test.name for test in all_tests(draws, ceiling - reset) if test.p < ALPHA / len(TESTS)] == []


# --- the command --------------------------------------------------------------------------------------


def run(*arguments: object) -> tuple[int, str]:
    done = CliRunner().invoke(command, ["report", *map(str, arguments)])
    return done.exit_code, done.output


def test_a_sound_file_passes_and_says_so_twice(tmp_path: Path) -> None:
    file = tmp_path / "noise.bin"
    file.write_bytes(sound(300_000, seed=2))
    status, printed = run("--file", file, "--draws", 1_500)
    assert (status, printed.count("pass  ")) == (0, len(TESTS)), printed
    status, printed = run("--file", file, "--draws", 1_500, "--json")
    parsed = json.loads(printed)
    assert [row["passed"] for row in parsed["tests"]] == [True] * len(TESTS)
    assert parsed["health"]["failure"] == ""


def test_mixed_with_the_system_s_generator_the_verdict_is_that_of_all_its_tests(tmp_path: Path) -> None:
    """What the system gives is never the same: one run in a thousand is bad luck twice."""
    file = tmp_path / "noise.bin"
    file.write_bytes(sound(300_000, seed=2))
    status, printed = run("--file", file, "--draws", 1_500, "--json", "--mixed")
    parsed = json.loads(printed)
    assert len(parsed["tests"]) == len(TESTS)
    assert status == (0 if all(row["passed"] for row in parsed["tests"]) else 1)
    assert all(row["p"] > 1e-12 for row in parsed["tests"])
    assert parsed["health"]["failure"] == ""


def test_a_stuck_file_fails_its_health_test(tmp_path: Path) -> None:
    file = tmp_path / "stuck.bin"
    file.write_bytes(b"\x55" * 100_000)
    status, printed = run("--file", file, "--draws", 1_000)
    assert status == 1
    assert "FAILED repetition_count" in printed


def test_a_file_of_one_number_fails_its_tests_too(tmp_path: Path) -> None:
    file = tmp_path / "zero.bin"
    file.write_bytes(bytes(100_000))
    status, printed = run("--file", file, "--draws", 1_000)
    assert status == 1
    assert printed.count("FAIL  ") == len(TESTS)


@pytest.mark.parametrize("as_text", [base64.encodebytes, lambda data: data.hex().encode()], ids=["base64", "hex"])
def test_a_recording_as_text_is_refused_and_not_tested(tmp_path: Path, as_text: Callable[[bytes], bytes]) -> None:
    file = tmp_path / "noise.txt"
    file.write_bytes(as_text(os.urandom(200_000)))
    done = CliRunner().invoke(command, ["report", "--file", str(file)])
    assert done.exit_code == 2
    assert f"{file}: text, not noise" in done.output
    assert len(done.output.splitlines()) == 1


def test_a_device_that_cannot_be_opened_is_one_line(tmp_path: Path) -> None:
    done = CliRunner().invoke(command, ["report", "--device", str(tmp_path / "none")])
    assert done.exit_code == 2
    assert "could not open port" in done.output
    assert len(done.output.splitlines()) == 1


def test_too_short_a_file_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "short.bin"
    file.write_bytes(sound(1_000))
    status, printed = run("--file", file)
    assert status == 2
    assert "lower --draws" in printed


@pytest.mark.parametrize(("mode", "status"), [(Noise.HEALTHY, 0), (Noise.ASCII, 2), (Noise.STUCK, 2)])
async def test_a_device_is_read_as_the_box_reads_it(tmp_path: Path, mode: Noise, status: int) -> None:
    async with noise(tmp_path) as source:
        source.noise = mode
        command = ("-m", "controller", "rng", "report", "--device", str(tmp_path / "rng"), "--draws", "1000")
        async with running(*command) as process:
            printed, complaint = await process.communicate()
    assert process.returncode == status, (printed, complaint)
    words = {Noise.ASCII: b"no noise: text, not noise", Noise.STUCK: b"repetition_count", Noise.HEALTHY: b""}
    assert words[mode] in complaint
