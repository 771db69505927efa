"""The draw: device noise, the operating system's randomness and a pool that remembers, mixed; numbers without bias.

Each source alone would do. The pool is stored with every draw, so that a power cycle does not bring an earlier state
back, and two boxes cloned from one store go different ways with their next draw.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Callable
from typing import NamedTuple

POOL_BYTES = 64
"""Length of the pool."""

NOISE_BYTES = 64
"""Fresh bytes of the device, and as many of the operating system, in each draw: 512 bits from each."""


class Noise(NamedTuple):
    """Fresh randomness from both sources, ``NOISE_BYTES`` each."""

    device: bytes
    system: bytes

    def __repr__(self) -> str:
        return "Noise(...)"


class RandomStream:
    """Random bytes without end from one mixing; HMAC-SHA-512 in counter mode (NIST SP 800-108)."""

    def __init__(self, root: bytes) -> None:
        self._root = root
        self._count = 0
        self._left = b""

    def __repr__(self) -> str:
        return "Mixed(...)"

    def take(self, count: int) -> bytes:
        """``count`` bytes, none of them given before."""
        while len(self._left) < count:
            self._count += 1
            self._left += hmac.digest(self._root, b"tableside.draw.v1" + self._count.to_bytes(8, "big"), hashlib.sha512)
        taken, self._left = self._left[:count], self._left[count:]
        return taken

    def below(self, limit: int) -> int:
        """As ``draw_below``."""
        return draw_below(self.take, limit)


def draw_below(take: Callable[[int], bytes], limit: int) -> int:
    """A number from 0 to ``limit`` - 1, each as likely: as many bits as needed, and drawn again if too large.

    Raises:
        ValueError: ``limit`` is below 1.
    """
    if limit < 1:
        raise ValueError(f"no number lies below {limit}")
    bits = (limit - 1).bit_length()
    while True:
        raw = int.from_bytes(take((bits + 7) // 8), "big") & ((1 << bits) - 1)
        if raw < limit:
            return raw


def mix(pool: bytes, noise: Noise) -> tuple[bytes, RandomStream]:
    """The next pool, and the bytes to draw from. Neither tells the other, nor the pool before.

    Raises:
        ValueError: a source gave too few bytes, or both gave the same.
    """
    if len(pool) != POOL_BYTES or min(map(len, noise)) < NOISE_BYTES or noise.device == noise.system:
        raise ValueError("a draw needs the pool and fresh bytes of both sources")
    message = b"".join(len(part).to_bytes(8, "big") + part for part in noise)
    root = hmac.digest(pool, b"tableside.mix.v1" + message, hashlib.sha512)
    return hmac.digest(root, b"tableside.pool.v1", hashlib.sha512), RandomStream(root)
