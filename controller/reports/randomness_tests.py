"""Statistical tests of numbers as they are used: draws from 0 to ``limit`` - 1, each as likely. Exact where it can be.

Eight of the tests that 25 CFR 547.14 names, each after Knuth, The Art of Computer Programming 2, 3.3.1 and 3.3.2, with
the p-value of its statistic. That of a chi-square comes from the regularised incomplete gamma function (Abramowitz and
Stegun 6.5.29 and 6.5.31), of a Kolmogorov-Smirnov distance from its series with Stephens' correction.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final, NamedTuple

MOST_CELLS: Final = 1000
"""Cells of a chi-square over the whole range; a wider range is cut into equal parts of it."""

LEAST_EXPECTED: Final = 5
"""Fewer expected in a cell, and cells are put together: the usual rule for a chi-square."""

HAND: Final = 5
"""Draws of a poker hand."""

FACES: Final = 10
"""Parts of the range that poker hands and coupons are made of."""

ALPHA: Final = 0.01
"""99 % confidence: 25 CFR 547.14(b)(2)."""

DAMNING: Final = 1e-6
"""A p-value so small is no bad luck among a handful of tests, and needs no second look."""


class RandomnessResult(NamedTuple):
    """One test: its statistic, the probability of one as extreme from fair draws, and what was counted."""

    name: str
    statistic: float
    p: float
    detail: str

    @property
    def passed(self) -> bool:
        """Whether it passes at 99 %."""
        return self.p >= ALPHA


def chi_square_p(statistic: float, freedom: int) -> float:
    """The probability that a chi-square with ``freedom`` degrees exceeds ``statistic``."""
    return _gamma_above(freedom / 2, statistic / 2) if statistic > 0 else 1.0


def _gamma_above(a: float, x: float) -> float:
    """The regularised upper incomplete gamma function Q(a, x)."""
    scale = math.exp(-x + a * math.log(x) - math.lgamma(a))
    if x < a + 1:
        term = total = 1 / a
        n = a
        while abs(term) > abs(total) * 1e-15:
            n += 1
            term *= x / n
            total += term
        return max(0.0, 1 - float(total * scale))
    tiny = 1e-300
    b, c = x + 1 - a, 1 / tiny
    d = 1 / b
    fraction = d
    for i in range(1, 100_000):
        step = -i * (i - a)
        b += 2
        d = 1 / (step * d + b or tiny)
        c = b + step / c or tiny
        fraction *= d * c
        if abs(d * c - 1) < 1e-15:
            break
    return float(fraction * scale)


def normal_p(z: float) -> float:
    """The probability that a standard normal value lies further from 0 than ``z``."""
    return math.erfc(abs(z) / math.sqrt(2))


def kolmogorov_p(distance: float, count: int) -> float:
    """The probability of a Kolmogorov-Smirnov distance of at least ``distance`` from ``count`` fair values."""
    root = math.sqrt(count)
    x = (root + 0.12 + 0.11 / root) * distance
    if x < 0.2:
        return 1.0
    terms = (math.exp(-2 * k * k * x * x) * (1 if k % 2 else -1) for k in range(1, 101))
    return min(1.0, max(0.0, 2 * sum(terms)))


def kolmogorov_distance(values: Sequence[float]) -> float:
    """The greatest distance of values in [0, 1] from uniform."""
    count = len(values)
    placed = enumerate(sorted(values))
    return max((max((place + 1) / count - value, value - place / count) for place, value in placed), default=0.0)


def _cells(name: str, counts: Sequence[int], chances: Sequence[float], detail: str, due: float = 0) -> RandomnessResult:
    """A chi-square of cells, those with too little expected put together with their neighbours.

    ``due``: how many there should be in all; less than half of many is a failure of its own.
    """
    total = sum(counts)
    if due > 20 and 2 * total < due:
        return RandomnessResult(name, 0.0, 0.0, f"{detail}, {due:.0f} expected")
    cells: list[tuple[float, float]] = []
    seen = expected = 0.0
    for count, chance in zip(counts, chances, strict=True):
        seen, expected = seen + count, expected + chance * total
        if expected >= LEAST_EXPECTED:
            cells.append((seen, expected))
            seen = expected = 0.0
    if cells and expected:
        cells[-1] = (cells[-1][0] + seen, cells[-1][1] + expected)
    statistic = sum((one - due) ** 2 / due for one, due in cells)
    freedom = len(cells) - 1
    if freedom < 1:
        return RandomnessResult(name, 0.0, 1.0, "too few draws")
    return RandomnessResult(
        name, statistic, chi_square_p(statistic, freedom), f"{detail}, {freedom} degrees of freedom"
    )


def chi_square(draws: Sequence[int], limit: int) -> RandomnessResult:
    """Every number, or every equal part of a wide range, as often as the others."""
    parts = min(limit, MOST_CELLS)
    counts = Counter(draw * parts // limit for draw in draws)
    edges = [-(-part * limit // parts) for part in range(parts + 1)]
    chances = [(high - low) / limit for low, high in pairwise(edges)]
    return _cells("chi-square", [counts[part] for part in range(parts)], chances, f"{parts} cells")


def equidistribution(draws: Sequence[int], limit: int) -> RandomnessResult:
    """Kolmogorov-Smirnov: no part of the range, however cut, gets more than its share."""
    distance = kolmogorov_distance([(draw + 0.5) / limit for draw in draws])
    p = kolmogorov_p(max(0.0, distance - 0.5 / limit), len(draws))
    return RandomnessResult("equidistribution", distance, p, "Kolmogorov-Smirnov distance")


def serial_correlation(draws: Sequence[int], limit: int) -> RandomnessResult:
    """A draw does not follow the one before: the circular coefficient is normal about -1 / (n - 1)."""
    count = len(draws)
    total, squares = sum(draws), sum(draw * draw for draw in draws)
    products = sum(one * other for one, other in pairwise([*draws, draws[0]]))
    spread = count * squares - total * total
    if not spread:
        return RandomnessResult("serial correlation", 1.0, 0.0, "all draws are the same")
    coefficient = (count * products - total * total) / spread
    deviation = math.sqrt(count * count / ((count - 1) ** 2 * (count - 2)))
    del limit
    return RandomnessResult(
        "serial correlation", coefficient, normal_p((coefficient + 1 / (count - 1)) / deviation), "lag 1"
    )


def runs(draws: Sequence[int], limit: int) -> RandomnessResult:
    """Changes between the lower and the upper half, after Wald and Wolfowitz."""
    halves = [2 * draw >= limit for draw in draws if 2 * draw + 1 != limit]
    high = sum(halves)
    low = len(halves) - high
    if not high or not low:
        return RandomnessResult("runs", 0.0, 0.0, "one half of the range never came")
    found = 1 + sum(one != other for one, other in pairwise(halves))
    both = high + low
    mean = 1 + 2 * high * low / both
    variance = (mean - 1) * (mean - 2) / (both - 1)
    return RandomnessResult("runs", found, normal_p((found - mean) / math.sqrt(variance)), f"{mean:.1f} expected")


def gap(draws: Sequence[int], limit: int) -> RandomnessResult:
    """How long it takes until the lowest tenth of the range comes again."""
    share = max(1, limit // FACES)
    chance, longest = share / limit, 50
    gaps: Counter[int] = Counter()
    since = 0
    for draw in draws:
        if draw < share:
            gaps[min(since, longest)] += 1
            since = 0
        else:
            since += 1
    chances = [chance * (1 - chance) ** length for length in range(longest)]
    chances.append((1 - chance) ** longest)
    counts = [gaps[length] for length in range(longest + 1)]
    return _cells("gap", counts, chances, f"{sum(counts)} gaps", chance * len(draws))


def _faces(draws: Sequence[int], limit: int) -> tuple[Iterator[int], int]:
    """Draws as equal faces; what does not fill a last whole face is left out, so that all are as likely."""
    faces = min(FACES, limit)
    size = limit // faces
    return (draw // size for draw in draws if draw < faces * size), faces


def poker(draws: Sequence[int], limit: int) -> RandomnessResult:
    """How many different faces there are in each five draws."""
    stream, faces = _faces(draws, limit)
    hands: Counter[int] = Counter()
    for hand in zip(*[stream] * HAND, strict=False):
        hands[len(set(hand))] += 1
    chances = [math.perm(faces, different) * _heaps(HAND, different) / faces**HAND for different in range(1, HAND + 1)]
    counts = [hands[different] for different in range(1, HAND + 1)]
    return _cells("poker", counts, chances, f"{sum(counts)} hands")


def coupon_collector(draws: Sequence[int], limit: int) -> RandomnessResult:
    """How many draws it takes until every face has come."""
    stream, faces = _faces(draws, limit)
    longest = 8 * faces
    lengths: Counter[int] = Counter()
    seen: set[int] = set()
    length = 0
    for face in stream:
        seen.add(face)
        length += 1
        if len(seen) == faces:
            lengths[min(length, longest)] += 1
            seen, length = set(), 0
    chances = [math.factorial(faces) * _heaps(n - 1, faces - 1) / faces**n for n in range(faces, longest)]
    chances.append(max(0.0, 1 - sum(chances)))
    counts = [lengths[n] for n in range(faces, longest + 1)]
    due = len(draws) / (faces * sum(1 / face for face in range(1, faces + 1)))
    return _cells("coupon collector", counts, chances, f"{sum(counts)} sets of {faces}", due)


def _heaps(count: int, parts: int) -> int:
    """Ways to put ``count`` things into ``parts`` non-empty heaps (Stirling's numbers of the second kind)."""
    signs = ((-1) ** (parts - k) * math.comb(parts, k) * k**count for k in range(parts + 1))
    ways: int = sum(signs) // math.factorial(parts)
    return ways


def permutation(draws: Sequence[int], limit: int) -> RandomnessResult:
    """Each order of three draws in a row as often as the others; equal ones are passed over."""
    stream = iter(draws)
    orders: Counter[tuple[bool, bool, bool]] = Counter()
    for one, two, three in zip(stream, stream, stream, strict=False):
        if len({one, two, three}) == 3:
            orders[one < two, two < three, one < three] += 1
    counts = sorted(orders.values()) + [0] * (6 - len(orders))
    due = len(draws) / 3 * (1 - 1 / limit) * max(0, 1 - 2 / limit)
    return _cells("permutation", counts, [1 / 6] * 6, f"{sum(counts)} triples", due)


TESTS: Final = (
    chi_square,
    equidistribution,
    serial_correlation,
    runs,
    gap,
    poker,
    coupon_collector,
    permutation,
)


def all_tests(draws: Sequence[int], limit: int) -> tuple[RandomnessResult, ...]:
    """Every test of draws from 0 to ``limit`` - 1.

    Raises:
        ValueError: fewer than 100 draws, ``limit`` below 2, or a draw outside.
    """
    if len(draws) < 100 or limit < 2 or not 0 <= min(draws) <= max(draws) < limit:
        raise ValueError(f"expected at least 100 draws from 0 to {limit - 1}")
    return tuple(test(draws, limit) for test in TESTS)
