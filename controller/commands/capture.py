"""``tableside capture``: write down what passes on a port."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

import click

from controller.commands.line_probe import (
    AS_DEVICE,
    BAUD,
    SPOTS,
    ProbedDevice,
    drive,
    line_words,
    listening,
    refuse_misnamed,
    refuse_unserved,
)
from controller.commands.probe import read_spots
from controller.commands.terminal import refuse, say

if TYPE_CHECKING:
    import asyncio


@click.command("capture")
@click.argument("port")
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@AS_DEVICE
@click.option("--through", type=click.Path(path_type=Path), help="Stand between PORT and whoever opens this path.")
@SPOTS
@BAUD
def command(*, port: str, file: Path, device: ProbedDevice | None, through: Path | None, spots: str, baud: int) -> None:
    """Record what passes on PORT in FILE, with times, until Ctrl-C. An existing FILE is not overwritten.

    With --through, a pseudo-terminal is made at that path, and what passes between it and PORT is recorded: name that
    path instead of PORT in the table file.

    Exit status: 0 when interrupted, 2 if PORT or FILE cannot be opened, or PORT is lost.
    """
    import asyncio

    from controller.io.system.log import configure_log

    configure_log("console", level="error")
    numbers = read_spots(spots)
    refuse_misnamed(port)
    if device is not None and through is None:
        refuse_unserved(device)
    if through is not None and (not through.parent.is_dir() or (through.exists() and not through.is_symlink())):
        refuse(f"--through {through}: expected a path where nothing is, in a folder that is there")
    try:
        # What a shoe says has the faces of cards.
        descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    except FileExistsError:
        refuse(f"{file}: is there already, and a capture overwrites nothing; name another FILE, or remove this one")
    except OSError as error:
        refuse(f"{file}: {error.strerror}; name a FILE in a folder that is there and that you may write")
    try:
        with os.fdopen(descriptor, "w", encoding="ascii") as out, contextlib.suppress(KeyboardInterrupt):
            asyncio.run(capture(port, out, device=device, through=through, spots=numbers, baud=baud))
    except OSError as error:
        if not file.stat().st_size:
            file.unlink()
        refuse(line_words(port, error))


async def capture(
    port: str, out: TextIO, *, device: ProbedDevice | None, through: Path | None, spots: tuple[int, ...], baud: int
) -> None:
    """Write it down until cancelled; nothing is written before the port is open.

    Raises:
        OSError: the port or the path cannot be opened, or the line was lost.
    """
    from controller.formats.text.captures import Piece, heading_text, piece_text
    from controller.io.lines.line_tools import between, listen
    from controller.io.lines.pseudo_terminal import serving
    from controller.io.system.clock import SystemClock

    clock = SystemClock()
    begin_ns = clock.monotonic_ns()
    line, opener = listening(port, device, baud)
    is_begun = False

    def begin() -> None:
        nonlocal is_begun
        if not is_begun:
            is_begun = True
            out.write(heading_text(line, f"port {port}"))
            out.flush()
            say(f"capturing {port}; Ctrl-C ends it", err=True)

    async def opened(protocol: asyncio.Protocol) -> asyncio.Transport:
        transport = await opener(protocol)
        begin()
        return transport

    def write(from_device: bool, data: bytes) -> None:  # noqa: FBT001 - as a tap receives it
        begin()
        out.write(piece_text(Piece(clock.monotonic_ns() - begin_ns, from_device, data)))
        # Whoever pulls the plug to see what happens wants to read what happened before.
        out.flush()

    if through is not None:
        await between(opened, serving(through), write)
    elif device is not None:
        await drive(opened, device, spots, tap=write, show=lambda _: None, clock=clock)
    else:
        await listen(opened, write)
