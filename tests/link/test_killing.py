"""A small part of the campaign: link, tables and PostgreSQL killed while tables post."""

from __future__ import annotations

from pathlib import Path

from tests.link.killing import killed
from tests.link.server import Server


async def test_whatever_is_killed_the_sums_are_exact(tmp_path: Path, postgresql: Server) -> None:
    found = await killed(postgresql, tmp_path, kills=6, seed=3)
    assert (found.wrong, found.kills) == ((), 6)
    assert found.entries == 400
