"""The bench of replaying reckons the time of a replay that is not divided, too."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from bench.replay import kept, recorded, seconds_of_processes


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_replay_takes_processor_time_with_any_number_of_jobs(tmp_path: Path, jobs: int) -> None:
    asyncio.run(kept(tmp_path / "journal.sqlite", recorded(2, (1, 1), "always", 1).entries))
    spent, elapsed = seconds_of_processes(tmp_path / "journal.sqlite", jobs)
    assert spent > 0
    assert elapsed > 0
