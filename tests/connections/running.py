"""A program of another's while it runs: its output line by line, and waits that end."""

from __future__ import annotations

import asyncio
import contextlib
import os
from asyncio.subprocess import DEVNULL, STDOUT
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from pathlib import Path
from typing import Final

from aiohttp import ClientError

from tests.io.virtual_time import passes

PATIENCE_S: Final = 120.0
LOOK_S: Final = 0.2
END_S: Final = 20.0


def lay(folder: Path, files: Mapping[str, str]) -> None:
    """A folder with these files."""
    folder.mkdir()
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")


@contextlib.asynccontextmanager
async def running(log: Path, *command: str | Path, more: Mapping[str, str] | None = None) -> AsyncIterator[None]:
    """A program that is asked to end at the end; what it says is in ``log``. ``more``: of its environment."""
    with log.open("wb") as output:
        process = await asyncio.create_subprocess_exec(
            *map(str, command), stdin=DEVNULL, stdout=output, stderr=STDOUT, env={**os.environ, **(more or {})}
        )
    try:
        yield
    finally:
        if process.returncode is None:
            process.terminate()
            try:
                async with asyncio.timeout(END_S):
                    await process.wait()
            except TimeoutError:
                process.kill()
                await process.wait()


async def until(condition: Callable[[], Awaitable[object]], what: str) -> None:
    """Ask again and again until it is so; a program that does not answer yet is asked again."""
    try:
        async with asyncio.timeout(PATIENCE_S):
            while True:
                with contextlib.suppress(OSError, ClientError):
                    if await condition():
                        return
                await passes(LOOK_S)
    except TimeoutError:
        raise AssertionError(f"not within {PATIENCE_S:g} s: {what}") from None
