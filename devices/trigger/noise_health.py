"""Health tests of a noise source: NIST SP 800-90B, section 4.4, on samples of one byte.

Both tests compare what comes with what a source would send that has no more than the claimed min-entropy. The cut-offs
follow from that claim and from how often a source that keeps it may be accused:

- repetition count: ``1 + ceil(alpha / H)`` equal samples in a row;
- adaptive proportion: the first sample of a window of 512 comes ``1 + critbinom(512, 2**-H, 1 - 2**-alpha)`` times
  in it.

A run or a window at the cut-off of 2^-30 is a failure: no output until somebody has looked. One at that of 2^-20 is
counted as a warning; a source just as good as claimed and no better gives one every million samples.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import Final

FAILURE_BITS: Final = 30
"""A sound source fails once in 2^30 samples at worst: every six hours at 50 kB a second, if it is no better."""

WARNING_BITS: Final = 20
"""A warning once in 2^20 samples at worst."""

WINDOW: Final = 512
"""Samples of a window of the adaptive proportion test, for samples of more than one bit."""

STARTUP_SAMPLES: Final = 1024
"""Samples that have to pass before any is used."""

MOST_BITS: Final = 8
"""Min-entropy of a byte at most."""


@dataclass(frozen=True, slots=True)
class CutOffs:
    """Equal samples in a row, and equal samples in a window, that accuse a source."""

    repetition: int
    proportion: int


def cut_offs(claimed_bits: float, alpha_bits: int) -> CutOffs:
    """The cut-offs for ``claimed_bits`` of min-entropy a byte at a false alarm rate of ``2**-alpha_bits``.

    Raises:
        ValueError: the claim is not above 0 and at most 8 bits.
    """
    if not 0 < claimed_bits <= MOST_BITS:
        raise ValueError(f"a byte has more than 0 and at most {MOST_BITS} bits of min-entropy, got {claimed_bits}")
    # The quotient may come out a hair above a whole number: 30 / 0.3.
    repetition = 1 + math.ceil(round(alpha_bits / claimed_bits, 9))
    return CutOffs(repetition, 1 + _critical(WINDOW, 2**-claimed_bits, 2.0**-alpha_bits))


def _critical(trials: int, chance: float, alpha: float) -> int:
    """The smallest number of successes that is exceeded with a probability of at most ``alpha`` (binomial)."""
    tail = 0.0
    for successes in range(trials, 0, -1):
        ways = math.lgamma(trials + 1) - math.lgamma(successes + 1) - math.lgamma(trials - successes + 1)
        failures = (trials - successes) * math.log1p(-chance) if successes < trials else 0.0
        tail += math.exp(ways + successes * math.log(chance) + failures)
        if tail > alpha:
            return successes
    return 0


@dataclass(frozen=True, slots=True)
class NoiseFailure:
    """Which test failed, and how, for people."""

    test: str
    text: str


class NoiseHealth:
    """The two continuous tests. ``failure`` stays once it is there; ``samples`` and ``warnings`` are counted."""

    def __init__(self, claimed_bits: float) -> None:
        self.failing = cut_offs(claimed_bits, FAILURE_BITS)
        self.warning = cut_offs(claimed_bits, WARNING_BITS)
        self.samples = 0
        self.repetition_warnings = 0
        self.proportion_warnings = 0
        self.failure: NoiseFailure | None = None
        self._run_found = re.compile(rb"(.)\1{%d,}" % (self.warning.repetition - 1), re.DOTALL)
        self._run = b""
        self._first = b""
        self._matches = 0
        self._left = 0

    @property
    def warnings(self) -> int:
        """Runs and windows that were suspicious."""
        return self.repetition_warnings + self.proportion_warnings

    def feed(self, data: bytes) -> None:
        """Test samples, in order; how they are cut into calls does not matter to what is found."""
        self.samples += len(data)
        self._count_repetitions(data)
        self._count_proportions(data)

    def _count_repetitions(self, data: bytes) -> None:
        if not data:
            return
        before = len(self._run)
        text = self._run + data
        for found in self._run_found.finditer(text):
            length = found.end() - found.start()
            if found.start() > 0 or before < self.warning.repetition:
                self.repetition_warnings += 1
            if length >= self.failing.repetition:
                self._fail("repetition_count", f"the byte {found[1].hex().upper()} came {length} times in a row")
        tail = text[-self.failing.repetition :]
        self._run = tail[len(tail.rstrip(tail[-1:])) :]

    def _count_proportions(self, data: bytes) -> None:
        at = 0
        while at < len(data):
            if not self._left:
                self._first, self._matches, self._left = data[at : at + 1], 0, WINDOW
            before = self._matches
            self._matches += data.count(self._first, at, at + self._left)
            taken = min(self._left, len(data) - at)
            self._left -= taken
            at += taken
            if before < self.warning.proportion <= self._matches:
                self.proportion_warnings += 1
            if self._matches >= self.failing.proportion:
                text = f"the byte {self._first.hex().upper()} came {self._matches} times in {WINDOW - self._left} bytes"
                self._fail("adaptive_proportion", text)

    def _fail(self, test: str, text: str) -> None:
        if self.failure is None:
            self.failure = NoiseFailure(test, text)
