"""Work given to processes of their own, so that it takes all the processors there are."""

from __future__ import annotations

import multiprocessing
import os
from concurrent.futures import Executor, ProcessPoolExecutor


def processes(jobs: int) -> Executor:
    """So many processes, which have nothing of this one but what they are given."""
    return ProcessPoolExecutor(jobs, mp_context=multiprocessing.get_context("spawn"))


def processors() -> int:
    """The processors that this process may use."""
    return len(os.sched_getaffinity(0))
