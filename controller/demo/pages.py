"""The demo's pages: the program that serves them, started beside the daemon, and a browser where there is a display."""

from __future__ import annotations

import asyncio
import contextlib
import sys
import webbrowser
from collections.abc import AsyncIterator, Callable, Mapping
from pathlib import Path
from typing import Final, NamedTuple

from controller.demo.table import SITE, TABLE
from controller.io.mqtt.connection import Broker

USUAL_PORT: Final = 8021
"""Tried first where no port was asked for; another demo may have it."""

STARTING_SECONDS: Final = 20.0
ENDING_SECONDS: Final = 5.0

TOLD: Final = "pages at "
"""How the program's first line begins; the address follows."""


LOG: Final = "web.log"
"""What the program logs, in the demo's folder."""


class PagesOptions(NamedTuple):
    """Where pages are wanted: ``port`` None: the usual one, or any that is free; 0: none are served."""

    directory: Path
    broker: Broker
    port: int | None


@contextlib.asynccontextmanager
async def shown_in_a_browser(
    options: PagesOptions, say: Callable[[str], None], environment: Mapping[str, str]
) -> AsyncIterator[None]:
    """Serve the demo's pages meanwhile and say where; what keeps them from being served is said, and ends nothing."""
    if options.port == 0:
        yield
        return
    process, line = await _started(options, USUAL_PORT if options.port is None else options.port)
    if process is None and options.port is None:
        process, line = await _started(options, 0)
    address = f"{line.removeprefix(TOLD)}table/{SITE}/{TABLE}"
    say(f"no pages: {line}" if process is None else f"See it in a browser: {address}")
    if process is not None and (environment.get("DISPLAY") or environment.get("WAYLAND_DISPLAY")):
        await asyncio.to_thread(webbrowser.open, address)
    try:
        yield
    finally:
        if process is not None:
            await _ended(process)


async def _started(options: PagesOptions, port: int) -> tuple[asyncio.subprocess.Process | None, str]:
    """The program and its first line; None where it ended, and its last."""
    where = ["--broker", f"{options.broker.host}:{options.broker.port}", "--listen", f"127.0.0.1:{port}"]
    where += ["--journal", str(options.directory / "journal.sqlite")]
    with (options.directory / LOG).open("wb") as output:
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "controller", "web", *where, "--log-format", "json", f"{SITE}/{TABLE}"),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=output,
            start_new_session=True,
        )
    assert process.stdout is not None, "a pipe was asked for"
    line = b""
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(STARTING_SECONDS):
            line = await process.stdout.readline()
    if line.startswith(TOLD.encode()):
        return process, line.decode().strip()
    await _ended(process)
    said = (options.directory / LOG).read_text(encoding="utf-8", errors="replace").strip()
    last = said.rpartition("\n")[2].removeprefix("tableside: ")
    # The person who runs the demo gave the port by another name.
    return None, last.replace(f"--listen 127.0.0.1:{port}", f"--web {port}")


async def _ended(process: asyncio.subprocess.Process) -> None:
    with contextlib.suppress(ProcessLookupError):
        process.terminate()
    try:
        async with asyncio.timeout(ENDING_SECONDS):
            await process.communicate()
    except TimeoutError:
        process.kill()
        await process.wait()
