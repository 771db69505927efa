"""What a process keeps to itself: its memory, and every file it makes."""

from __future__ import annotations

import contextlib
import os
import resource
from typing import Final

import structlog

_PR_SET_DUMPABLE: Final = 4
"""prctl(2)."""

log = structlog.get_logger(__name__)


def keep_private() -> None:
    """No core dump, no look into this process's memory, and no file of its making that others may open.

    For a process that holds a table's key, concealed faces or a trigger, before it reads them. Another process of the
    same user may then neither trace it nor open its ``/proc/PID/mem`` (proc(5), ptrace(2)); root still may.
    """
    os.umask(0o077)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    # A hardened service may be forbidden the memory that ctypes asks for.
    with contextlib.suppress(ImportError, MemoryError, OSError):
        import ctypes  # noqa: PLC0415

        if ctypes.CDLL(None).prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0) == 0:
            return
    log.warning("other processes of this user may read what is in memory: prctl is not available here")
