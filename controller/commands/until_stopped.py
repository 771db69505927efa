"""How a command ends that runs until stopped."""

from __future__ import annotations

from collections.abc import Coroutine
from typing import Final

STORAGE_FAILED: Final = 70
"""Exit status: the disk failed while the table ran; the next start reads what it has."""


async def until_stopped(work: Coroutine[object, None, object]) -> None:
    """Run ``work`` until it ends or a signal asks to stop; a failure is raised as itself."""
    import asyncio
    import contextlib
    import signal

    from controller.io.system.process_memory import settle

    settle()
    loop = asyncio.get_running_loop()
    task = asyncio.create_task(work, name="program")
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, task.cancel)
    try:
        await task
    except asyncio.CancelledError:
        if not task.cancelled():
            raise
    except ExceptionGroup as group:
        # One task's failure ends the others; the first is the cause.
        raise group.exceptions[0] from group
    finally:
        for number in (signal.SIGTERM, signal.SIGINT):
            with contextlib.suppress(ValueError):
                loop.remove_signal_handler(number)
