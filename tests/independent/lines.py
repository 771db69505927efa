"""Pseudo-terminals at whose other ends an independent table's devices sit: plugged, unplugged, read and written."""

from __future__ import annotations

import asyncio
import contextlib
import os
import tty
from collections.abc import Callable
from pathlib import Path


class Line:
    """One device's line under a name that stays; ``take`` is given what comes."""

    def __init__(self, name: Path, take: Callable[[bytes], None]) -> None:
        self._name = name
        self._take = take
        self._ends: tuple[int, int] | None = None

    @property
    def plugged(self) -> bool:
        """Whether anything said here arrives."""
        return self._ends is not None

    def plug(self) -> None:
        """Connect it."""
        assert self._ends is None
        near, far = os.openpty()
        tty.setraw(far)
        os.set_blocking(near, False)
        self._ends = near, far
        new = self._name.with_name(self._name.name + ".new")
        new.symlink_to(os.ttyname(far))
        new.rename(self._name)
        asyncio.get_running_loop().add_reader(near, self._readable)

    def unplug(self) -> None:
        """Pull the cable: the other end hangs up."""
        if self._ends is None:
            return
        near, far = self._ends
        self._ends = None
        asyncio.get_running_loop().remove_reader(near)
        self._name.unlink()
        os.close(near)
        os.close(far)

    def say(self, data: bytes) -> None:
        """Bytes to the table PC; lost if nothing is plugged."""
        if self._ends is not None and data:
            with contextlib.suppress(BlockingIOError):
                os.write(self._ends[0], data)

    def _readable(self) -> None:
        if self._ends is None:
            return
        with contextlib.suppress(BlockingIOError):
            self._take(os.read(self._ends[0], 4096))
