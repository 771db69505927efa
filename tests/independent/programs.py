"""The real programs an independent table talks to: a Mosquitto, and ``tableside run`` with a table file of its own."""

from __future__ import annotations

import asyncio
import contextlib
import os
import secrets
import shutil
import signal
import socket
import sys
from collections.abc import AsyncIterator, Mapping
from pathlib import Path
from typing import Any, Final

PATIENCE_S: Final = 60.0
SITE: Final = "lab"

TABLE_FILE: Final = """\
[table]
site = "lab"
name = "{name}"
profile = "{profile}"
key_file = "table.key"
journal = "journal.sqlite"
chips = "chips.csv"
reserve_mib = 1

[options]
{options}

[broker]
host = "127.0.0.1"
port = {port}

[shoe]
protocol = "bee_tek"
port = "{ports}/shoe"

[[bet_spots]]
protocol = "feig_obid"
port = "{ports}/readers"
{zones}

[keypad]
protocol = "matrix_orbital"
port = "{ports}/keypad"
"""


def mosquitto() -> str | None:
    """The broker's program, also where Debian keeps it."""
    return shutil.which("mosquitto") or shutil.which("mosquitto", path="/usr/sbin:/usr/local/sbin")


async def _pause(seconds: float, nap: Any = asyncio.sleep) -> None:
    await nap(seconds)


async def _listens(port: int) -> bool:
    try:
        _, writer = await asyncio.open_connection("127.0.0.1", port)
    except OSError:
        return False
    writer.close()
    return True


@contextlib.asynccontextmanager
async def broker(folder: Path) -> AsyncIterator[int]:
    """A Mosquitto of this machine; its port."""
    program = mosquitto()
    assert program is not None, "Mosquitto is not installed; run: apt-get install mosquitto"
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = int(free.getsockname()[1])
    settings = folder / "mosquitto.conf"
    settings.write_text(
        f"listener {port} 127.0.0.1\nallow_anonymous true\npersistence false\nmax_queued_messages 100000\n",
        encoding="utf-8",
    )
    with (folder / "mosquitto.log").open("ab") as log:
        process = await asyncio.create_subprocess_exec(program, "-c", str(settings), stdout=log, stderr=log)
    try:
        async with asyncio.timeout(PATIENCE_S):
            while not await _listens(port):
                assert process.returncode is None, (folder / "mosquitto.log").read_text(encoding="utf-8")
                await _pause(0.02)
        yield port
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()


class Daemon:
    """``tableside run`` for one table of a folder."""

    def __init__(self, folder: Path, name: str) -> None:
        self._folder = folder
        self._name = name
        self._process: asyncio.subprocess.Process | None = None

    def write_table(self, profile: str, zones: str, options: Mapping[str, Any], port: int, registry: str) -> None:
        """The table's files; ``zones`` is what the table file says of its readers."""
        written = "\n".join(f"{name} = {_toml(value)}" for name, value in options.items())
        text = TABLE_FILE.format(
            name=self._name, profile=profile, options=written, port=port, ports=self._folder, zones=zones
        )
        (self._folder / "table.toml").write_text(text, encoding="utf-8")
        (self._folder / "chips.csv").write_text(registry, encoding="utf-8")
        key = self._folder / "table.key"
        key.touch(mode=0o600)
        key.write_text(secrets.token_hex(32) + "\n", encoding="utf-8")

    async def start(self) -> None:
        """Start it."""
        program = Path(sys.executable).with_name("tableside")
        with (self._folder / "daemon.log").open("ab") as log:
            self._process = await asyncio.create_subprocess_exec(
                str(program), "run", str(self._folder / "table.toml"), stdout=log, stderr=log, env=dict(os.environ)
            )

    async def stop(self) -> int:
        """Ask it to stop; its exit status."""
        assert self._process is not None
        if self._process.returncode is None:
            self._process.send_signal(signal.SIGTERM)
        try:
            async with asyncio.timeout(PATIENCE_S):
                return await self._process.wait()
        finally:
            if self._process.returncode is None:
                self._process.kill()

    @property
    def has_ended(self) -> bool:
        """Whether it runs no more."""
        return self._process is not None and self._process.returncode is not None

    def log(self) -> str:
        """What it said."""
        return (self._folder / "daemon.log").read_text(encoding="utf-8")


def _toml(value: object) -> str:
    return str(value) if isinstance(value, int) else f'"{value}"'
