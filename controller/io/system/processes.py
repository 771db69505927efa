"""Work given to processes of their own, so that it takes all the processors there are."""

from __future__ import annotations

import multiprocessing
import os
from concurrent.futures import Executor, ProcessPoolExecutor

from controller.io.system.process_memory import settle


def processes(jobs: int) -> Executor:
    """A pool of this many processes, which share nothing with this one but what they are given."""
    context = multiprocessing.get_context("spawn")
    return ProcessPoolExecutor(jobs, mp_context=context, initializer=settle)


def processors() -> int:
    """The processors that this process may use."""
    return len(os.sched_getaffinity(0))
