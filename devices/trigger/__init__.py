"""The mystery trigger box and the hardware random number generator, as the table talks with them."""

from __future__ import annotations

from typing import Final

CLAIMED_BITS: Final = 6.0
"""Min-entropy claimed for a byte unless something else is known: a quarter less than a perfect source."""
