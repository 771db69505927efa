"""The programs under the system call filters of their units: what ZeroMQ does in its own threads is let through."""

from __future__ import annotations

import asyncio
import contextlib
import re
import shutil
import signal
import sys
from asyncio.subprocess import PIPE, STDOUT, Process
from collections.abc import AsyncIterator
from ctypes.util import find_library
from pathlib import Path
from typing import Final

import pytest
import zmq
import zmq.asyncio

from controller.io.files.key_file import create_key
from controller.io.files.secret_files import write_secret
from controller.io.mqtt.broker import free_port
from controller.io.operators.channel_client import ChannelAddress, ask
from controller.io.system.randomness import SystemEntropy
from tests.link.premises import BY_TWO
from tests.link.premises import Premises as LinkPremises
from tests.systemd.confined import settings
from tests.systemd.test_files import SYSTEMD
from tests.wiring.premises import TABLE_FILE

PATIENCE_SECONDS: Final = 60
ROOT: Final = SYSTEMD.parent

pytestmark = pytest.mark.skipif(
    shutil.which("systemd-analyze") is None or find_library("seccomp") is None, reason="needs systemd and libseccomp"
)


@pytest.mark.parametrize("unit", sorted(SYSTEMD.glob("*.service")), ids=lambda unit: unit.name)
def test_every_unit_says_how_much_of_the_machine_it_may_take(unit: Path) -> None:
    text = unit.read_text()
    assert settings(text, "MemorySwapMax") == settings(text, "LimitCORE") == ["0"]
    for name in ("MemoryMax", "TasksMax", "LimitNOFILE"):
        (value,) = settings(text, name)
        assert re.fullmatch(r"\d+M?", value)


@contextlib.asynccontextmanager
async def confined(unit: Path, *words: str) -> AsyncIterator[Process]:
    """``tableside`` under the filters of a unit."""
    command = (sys.executable, "-m", "tests.systemd.confined", str(unit), sys.executable, "-m", "controller", *words)
    process = await asyncio.create_subprocess_exec(*command, stdout=PIPE, stderr=STDOUT, cwd=ROOT)
    try:
        yield process
    finally:
        if process.returncode is None:
            process.kill()
        await process.communicate()


def without(folder: Path, name: str, line: str) -> Path:
    """A unit that lacks what was added for ZeroMQ."""
    text, count = re.subn(line, "", (SYSTEMD / name).read_text(), flags=re.MULTILINE)
    assert count == 1
    (folder / name).write_text(text)
    return folder / name


def table(folder: Path) -> Path:
    """A table file with everything that ZeroMQ serves; none of its devices is plugged in, and there is no broker."""
    pair = zmq.curve_keypair()
    write_secret(folder / "operator.key", pair[1] + b"\n")
    create_key(folder / "table.key", SystemEntropy())
    (folder / "chips.csv").write_text("id,value_cents\nE00401502092A101,500\n")
    (folder / "operators.toml").write_text("")
    more = f'\n[tap]\nsocket = "tap"\n\n[operator]\ndirectory = "."\nlisten = "127.0.0.1:{free_port()}"\n'
    more += 'key_file = "operator.key"\noperators = "operators.toml"\n'
    file = folder / "table.toml"
    file.write_text(TABLE_FILE.format(host="127.0.0.1", port=free_port(), ports=folder / "none") + more)
    return file


async def shown(tap: Path) -> bytes:
    """The first topic that a tap shows."""
    context = zmq.asyncio.Context()
    try:
        socket = context.socket(zmq.SUB)
        socket.connect(f"ipc://{tap}")
        socket.subscribe(b"")
        topic, _ = await socket.recv_multipart()
        return bytes(topic)
    finally:
        context.destroy(linger=0)


async def test_a_table_serves_its_tap_and_its_operators_under_its_unit(tmp_path: Path) -> None:
    async with confined(SYSTEMD / "tableside@.service", "run", str(table(tmp_path))) as process:
        async with asyncio.timeout(PATIENCE_SECONDS):
            ended = asyncio.create_task(process.wait())
            first = asyncio.create_task(shown(tmp_path / "tap"))
            await asyncio.wait((ended, first), return_when=asyncio.FIRST_COMPLETED)
            assert process.returncode is None, await process.communicate()
            assert (await first).startswith(b"tableside/v1/harbour/bj-1/")
        where = ChannelAddress(str(tmp_path / "auditor" / "socket"))
        reply = await asyncio.to_thread(ask, where, "harbour/bj-1", "status", {}, PATIENCE_SECONDS)
        assert reply.status == "accepted"
        process.terminate()
        async with asyncio.timeout(PATIENCE_SECONDS):
            await ended
        assert process.returncode == 0


async def test_without_what_was_added_the_kernel_kills_the_table(tmp_path: Path) -> None:
    unit = without(tmp_path, "tableside@.service", "^SystemCallFilter=sched_setscheduler$")
    async with confined(unit, "run", str(table(tmp_path))) as process, asyncio.timeout(PATIENCE_SECONDS):
        await process.communicate()
    assert process.returncode == -signal.SIGSYS


@pytest.mark.parametrize("line", ["", "^SystemCallFilter=sched_setscheduler$"])
async def test_a_link_listens_under_its_unit_and_not_without_what_was_added(tmp_path: Path, line: str) -> None:
    unit = SYSTEMD / "tableside-link@.service"
    if line:
        unit = without(tmp_path, unit.name, line)
    link = LinkPremises(tmp_path, 1)
    assert link.does("begin", *BY_TWO).exit_code == 0
    async with confined(unit, "link", "run", str(link.file)) as process, asyncio.timeout(PATIENCE_SECONDS):
        ended = asyncio.create_task(process.wait())
        async with link.table() as member:
            showing = asyncio.create_task(member.until(closed=False))
            await asyncio.wait((ended, showing), return_when=asyncio.FIRST_COMPLETED)
            is_open = showing.done()
            showing.cancel()
        assert is_open is not bool(line)
    if line:
        assert process.returncode in {-signal.SIGSYS, -signal.SIGABRT}
