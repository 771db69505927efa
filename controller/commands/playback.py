"""``tableside playback``: play the device's part of a capture."""

from __future__ import annotations

import contextlib
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from controller.commands.terminal import AS_JSON, say, say_json

if TYPE_CHECKING:
    from controller.formats.text.captures import Capture
    from controller.io.lines.line_tools import PlayedLine

CAPTURE_LIMIT_BYTES: Final = 256 * 1024 * 1024
"""Of a capture: days of a busy line."""


@click.command("playback")
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--serve", type=click.Path(path_type=Path), help="Make a pseudo-terminal at this path.")
@click.option("--port", help="Play into this port instead, as the device at its other end.")
@click.option("--fast", is_flag=True, help="As fast as the host takes it, not at the recorded speed.")
@click.option(
    "--after", default=2.0, show_default=True, type=click.FloatRange(0, 3600), help="Seconds to wait before the start."
)
@click.option("--stay", is_flag=True, help="Stay open at the end, until Ctrl-C.")
@AS_JSON
def command(
    file: Path, serve: Path | None, port: str | None, *, fast: bool, after: float, stay: bool, as_json: bool
) -> None:
    """Play the device's part of the capture in FILE, to a program that opens the path given with --serve.

    It waits wherever the host sent bytes in the capture, and compares what the host sends now. Opening a serial port
    discards what came before: --after leaves a program time to open it.

    Exit status: 0 played and the host sent the same bytes, 1 it sent other bytes, 2 it cannot be played.
    """
    import asyncio

    from controller.formats.text.captures import CaptureRefused, read_capture
    from controller.io.files.plain_files import FileRefused, content

    if (serve is None) is (port is None):
        raise click.UsageError("expected --serve PATH or --port PORT, and not both")
    try:
        capture = read_capture(content(file, CAPTURE_LIMIT_BYTES).decode("ascii").splitlines())
        played = asyncio.run(playback(capture, serve, port, fast=fast, after=after, stay=stay))
    except (OSError, UnicodeDecodeError, CaptureRefused) as error:
        said = error.strerror if isinstance(error, FileRefused) else error
        say(f"tableside: {file}: {said}", err=True)
        sys.exit(2)
    except KeyboardInterrupt:
        sys.exit(0)
    if as_json:
        say_json(played._asdict())
        sys.exit(1 if played.otherwise else 0)
    say(f"{played.sent_bytes} bytes played; the host said {played.as_captured} pieces as captured")
    if played.otherwise:
        say(f"{played.otherwise} pieces of the host were different or did not come", err=True)
        sys.exit(1)


async def playback(
    capture: Capture, serve: Path | None, port: str | None, *, fast: bool, after: float, stay: bool
) -> PlayedLine:
    """Play it.

    Raises:
        OSError: the port cannot be opened or the path not be made, or the line was lost.
    """
    import asyncio

    from controller.io.lines.line_tools import Playback
    from controller.io.lines.ports import serial_opener
    from controller.io.lines.pseudo_terminal import serving
    from controller.io.lines.serial import LineLost

    if serve is not None:
        opener = serving(serve)
    else:
        if capture.line is None or port is None:
            raise LineLost("the capture does not say how the line is set; add: line 9600 8N1")
        opener = serial_opener(port, capture.line)

    async def linger() -> None:
        if stay:
            with contextlib.suppress(asyncio.CancelledError):
                await asyncio.Event().wait()
        else:
            await asyncio.sleep(after)

    player = Playback(capture.pieces, None if fast else asyncio.sleep)
    return await player.play(opener, begin=lambda: asyncio.sleep(after), linger=linger)
