"""A pseudo-terminal of our own, for a program that wants a serial port: we are the device at its other end."""

from __future__ import annotations

import asyncio
import contextlib
import os
import pty
import tty
from collections.abc import Callable
from pathlib import Path

from controller.io.lines.ports import Opener
from controller.io.lines.serial import DescriptorTransport


def serving(link: Path) -> Opener:
    """Opens a pseudo-terminal and makes ``link`` name its far end; closing removes both.

    The opener raises ``OSError`` if there is something else at ``link`` or no pseudo-terminal is free.
    """

    async def opened(protocol: asyncio.Protocol) -> asyncio.Transport:
        near, shut = _made(link)
        return DescriptorTransport(asyncio.get_running_loop(), protocol, near, shut)

    return opened


def _made(link: Path) -> tuple[int, Callable[[], None]]:
    near, far = pty.openpty()
    try:
        # Raw before anybody opens it, else it echoes. Our own end of the far side stays open, so that a program that
        # closes and opens again finds the line as it was.
        tty.setraw(far)
        if link.is_symlink():
            link.unlink()
        try:
            link.symlink_to(os.ttyname(far))
        except OSError as error:
            raise OSError(error.errno, error.strerror, str(link)) from error
    except BaseException:
        os.close(near)
        os.close(far)
        raise

    def shut() -> None:
        with contextlib.suppress(FileNotFoundError):
            link.unlink()
        os.close(near)
        os.close(far)

    return near, shut
