"""A few interruptions of what looks after a journal; the whole: ``make campaign-interrupted``."""

from __future__ import annotations

import pytest

from tests.campaigns import interrupted, io


@pytest.mark.skipif(bool(io.is_able()), reason=io.is_able())
def test_a_restore_that_was_killed_a_look_that_was_starved_and_a_disk_that_hangs() -> None:
    count, wrong = interrupted.campaign(1, seed=1, works=("restore-folder",), calls=("ftruncate",), most=2)
    assert wrong == []
    assert count == 3
