"""``tableside probe``: a device's bytes and readings, live."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

import click

from controller.commands.line_probe import (
    AS_DEVICE,
    BAUD,
    SPOTS,
    ProbedDevice,
    bytes_lines,
    drive,
    line_words,
    listening,
    reading_line,
    refuse_misnamed,
    refuse_unserved,
)
from controller.commands.terminal import refuse, say

if TYPE_CHECKING:
    from firmware_protocols.readings import Reading


@click.command("probe")
@click.argument("port")
@AS_DEVICE
@SPOTS
@BAUD
def command(port: str, device: ProbedDevice | None, spots: str, baud: int) -> None:
    """Show what passes on PORT until Ctrl-C: bytes from the device (<) and to it (>), and what they mean (=).

    PORT is a path, usb:VID:PID[:SERIAL], socket://HOST:PORT or rfc2217://HOST:PORT. The daemon must not have it open.

    Exit status: 0 when interrupted, 2 if PORT cannot be opened or is lost.
    """
    import asyncio

    from controller.io.system.log import configure_log

    configure_log("console", level="error")
    numbers = read_spots(spots)
    refuse_misnamed(port)
    if device is not None:
        refuse_unserved(device)
    try:
        with contextlib.suppress(KeyboardInterrupt):
            asyncio.run(probe(port, device, numbers, baud))
    except OSError as error:
        refuse(line_words(port, error))


def read_spots(text: str) -> tuple[int, ...]:
    """``1,2,3``.

    Raises:
        click.BadParameter: it is not that.
    """
    parts = text.split(",")
    if not all(part.isdigit() and 1 <= int(part) <= 7 for part in parts):
        raise click.BadParameter(f"expected spots from 1 to 7 such as 1,2,3, got {text!r}", param_hint="--spots")
    return tuple(int(part) for part in parts)


async def probe(port: str, device: ProbedDevice | None, spots: tuple[int, ...], baud: int) -> None:
    """Show it until cancelled.

    Raises:
        OSError: the port cannot be opened, or was lost.
    """
    from controller.io.lines.line_tools import listen
    from controller.io.system.clock import SystemClock

    clock = SystemClock()
    begin_ns = clock.monotonic_ns()

    def show_bytes(from_device: bool, data: bytes) -> None:  # noqa: FBT001 - as a tap receives it
        for line in bytes_lines(clock.monotonic_ns() - begin_ns, from_device, data):
            say(line)

    def show_reading(reading: Reading) -> None:
        say(reading_line(clock.monotonic_ns() - begin_ns, reading))

    _, opener = listening(port, device, baud)
    if device is None:
        await listen(opener, show_bytes)
    else:
        await drive(opener, device, spots, tap=show_bytes, show=show_reading, clock=clock)
