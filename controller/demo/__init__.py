"""The demo: a table with simulated devices and people, its broker and its pool, judged against what truly happened."""

from __future__ import annotations

from typing import Final

PROFILE: Final = "hollywood-penn-national"
"""The house that is played unless another is wanted."""
