"""What the tests of linked meters share."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.progressive.live import Pit, pool


@pytest.fixture
def pit(tmp_path: Path) -> Pit:
    """A pool whose ledger is a file of its own."""
    return pool(tmp_path / "ledger.sqlite")
