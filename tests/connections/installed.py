"""Programs of others, each installed from its registry into a folder of its own, where it installs at all."""

from __future__ import annotations

import asyncio
import shutil
import sys
from asyncio.subprocess import PIPE, STDOUT
from pathlib import Path
from typing import Final

HOME_ASSISTANT: Final = ("homeassistant==2024.3.3", "paho-mqtt==1.6.1", "josepy<2")
"""The last Home Assistant for Python 3.11; a newer josepy does not fit the acme that it takes."""

HOME_ASSISTANT_PYTHON: Final = (3, 11)
NODE_RED: Final = "node-red@4.1.15"
"""The last Node-RED for Node 20."""

SCHEMA: Final = "grafana-foundation-sdk==1769699998!10.1.0"
"""Grafana's own library of its dashboards' schema."""


class NotInstalledError(Exception):
    """A program is not here and could not be had; the text says why."""


async def does(*command: str | Path) -> str:
    """What a command says.

    Raises:
        NotInstalledError: it cannot be run, or fails.
    """
    try:
        process = await asyncio.create_subprocess_exec(*map(str, command), stdout=PIPE, stderr=STDOUT)
    except OSError as error:
        raise NotInstalledError(f"{command[0]}: {error}") from error
    output, _ = await process.communicate()
    printed = output.decode(errors="replace")
    if process.returncode:
        raise NotInstalledError(f"{' '.join(map(str, command))}: {printed.strip().splitlines()[-1:]}")
    return printed


async def python_with(folder: Path, *requirements: str) -> Path:
    """The programs of an environment that has these packages, made unless it is there."""
    ready = folder / ".ready"
    if not ready.exists():
        await does(sys.executable, "-m", "venv", folder)
        await does(folder / "bin/python", "-m", "pip", "install", "-q", "--disable-pip-version-check", *requirements)
        ready.touch()
    return folder / "bin"


async def home_assistant(folder: Path) -> Path:
    """Home Assistant's program."""
    if sys.version_info[:2] != HOME_ASSISTANT_PYTHON:
        raise NotInstalledError(f"{HOME_ASSISTANT[0]} runs on Python 3.11, this is {sys.version.split()[0]}")
    return await python_with(folder, *HOME_ASSISTANT) / "hass"


async def node_red(folder: Path) -> Path:
    """Node-RED's program."""
    program = folder / "node_modules/.bin/node-red"
    if not program.exists():
        quiet = ("--silent", "--ignore-scripts", "--no-audit", "--no-fund")
        await does("npm", "install", *quiet, "--prefix", folder, NODE_RED)
    return program


def prometheus() -> tuple[str, str]:
    """Prometheus and its promtool, as Debian has them."""
    server, tool = shutil.which("prometheus"), shutil.which("promtool")
    if server is None or tool is None:
        raise NotInstalledError("no prometheus; run: apt-get install --no-install-recommends prometheus")
    return server, tool
