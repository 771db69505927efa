"""The example consumer in another language: its file is what the table's journal says, whatever breaks between them."""

from __future__ import annotations

import asyncio
import contextlib
import shutil
import signal
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Final

import pytest

from controller.io.mqtt.broker import find_mosquitto, mosquitto
from controller.io.mqtt.connection import Broker
from tests.docs.pages import DOCS
from tests.io.broker_rig import PATIENCE_SECONDS, Cuttable
from tests.io.stream_rig import CONSUMER, Table, exported, table, turn

JAVASCRIPT: Final = DOCS / "examples/javascript"
NODE: Final = shutil.which("node")

pytestmark = pytest.mark.skipif(
    find_mosquitto() is None or NODE is None or not (JAVASCRIPT / "node_modules").is_dir(),
    reason="no Mosquitto, no nodejs, or .ci/servers has not run",
)


@contextlib.asynccontextmanager
async def example(path: Path, broker: Broker) -> AsyncIterator[asyncio.subprocess.Process]:
    """The consumer as a process of its own."""
    assert NODE is not None
    url = f"mqtt://{broker.host}:{broker.port}"
    command = (NODE, str(JAVASCRIPT / "consumer.mjs"), url, "harbour/bj-1", CONSUMER, str(path))
    process = await asyncio.create_subprocess_exec(*command, stderr=asyncio.subprocess.DEVNULL)
    try:
        yield process
    finally:
        if process.returncode is None:
            process.send_signal(signal.SIGKILL)
        await process.wait()


def held(path: Path) -> bytes:
    return path.read_bytes() if path.exists() else b""


async def until_equal(path: Path, journal: Path) -> None:
    wanted = exported(journal)
    async with asyncio.timeout(2 * PATIENCE_SECONDS):
        while held(path) != wanted:
            await turn()


async def until_acknowledged(running: Table) -> None:
    async with asyncio.timeout(2 * PATIENCE_SECONDS):
        while not (
            running.stream_states and running.stream_states[-1].consumers[0].last_seq == running.journal.head.seq
        ):
            await turn()


async def test_its_file_is_the_journals_through_a_kill_and_a_cut(tmp_path: Path) -> None:
    journal, path = tmp_path / "journal.sqlite", tmp_path / "events.jsonl"
    async with mosquitto() as target, contextlib.AsyncExitStack() as stack:
        wire = Cuttable(target)
        far = await stack.enter_async_context(wire.open())
        running = await stack.enter_async_context(table(journal, target))
        await running.deal(40)
        async with example(path, far):
            await until_equal(path, journal)
            await running.deal(20)
            wire.cut()
            await running.deal(20)
            await until_equal(path, journal)
        await running.deal(1500)
        # Killed in the middle of a line.
        path.write_bytes(path.read_bytes()[:-7])
        async with example(path, far):
            await until_equal(path, journal)
            await until_acknowledged(running)


async def test_a_new_epoch_begins_a_new_file(tmp_path: Path) -> None:
    path = tmp_path / "events.jsonl"
    async with mosquitto() as broker, example(path, broker):
        old, new = tmp_path / "old.sqlite", tmp_path / "new.sqlite"
        async with table(old, broker, epoch=3) as running:
            await running.deal(10)
            await until_equal(path, old)
        async with table(new, broker, epoch=4) as running:
            await running.deal(5)
            await until_equal(path, new)
        assert (tmp_path / "events.jsonl.3").read_bytes() == exported(old)


async def test_events_that_are_not_the_tables_are_put_aside(tmp_path: Path) -> None:
    journal, path = tmp_path / "journal.sqlite", tmp_path / "events.jsonl"
    async with mosquitto() as broker, table(journal, broker) as running:
        await running.deal(10)
        async with example(path, broker):
            await until_equal(path, journal)
        altered = path.read_bytes().replace(b"settled", b"setlled", 1)
        path.write_bytes(altered)
        async with example(path, broker):
            await until_equal(path, journal)
        assert (tmp_path / "events.jsonl.differs").read_bytes() == altered
