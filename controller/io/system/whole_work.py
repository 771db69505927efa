"""Work in a thread that is over before its caller goes on, also when the caller is cancelled."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")


async def in_thread(work: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
    """As ``asyncio.to_thread``; cancelled, it is over only when the work is.

    A thread cannot be cancelled: who closed a file behind its back would have it write to another one, or find the file
    still in use.
    """
    working = asyncio.ensure_future(asyncio.to_thread(work, *args, **kwargs))
    try:
        return await asyncio.shield(working)
    except asyncio.CancelledError:
        await asyncio.wait((working,))
        raise
