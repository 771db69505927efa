"""The daemon as a service: what its manager hears while devices come and go, and how it gets its key."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import socket
import tempfile
from collections.abc import AsyncIterator, Callable
from pathlib import Path

from controller.io.mqtt.connection import Broker
from tests.wiring.premises import PATIENCE_S, TOPICS, Ear, Premises, json_of, program, ran

WATCHDOG_USEC = 900_000


class Manager:
    """The service manager's end: what it was sent, and the latest status."""

    def __init__(self, address: Path) -> None:
        self.lines: list[str] = []
        self._arrived = asyncio.Event()
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._socket.bind(str(address))
        self._socket.setblocking(False)
        asyncio.get_running_loop().add_reader(self._socket, self._hear)

    def _hear(self) -> None:
        self.lines += self._socket.recv(4096).decode().split("\n")
        self._arrived.set()

    def status(self) -> str:
        return next((line for line in reversed(self.lines) if line.startswith("STATUS=")), "")

    async def until(self, condition: Callable[[], bool]) -> None:
        async with asyncio.timeout(PATIENCE_S):
            while not condition():
                self._arrived.clear()
                await self._arrived.wait()

    def close(self) -> None:
        asyncio.get_running_loop().remove_reader(self._socket)
        self._socket.close()


@contextlib.asynccontextmanager
async def service(premises: Premises) -> AsyncIterator[Manager]:
    """The daemon run as its unit runs it: which is given where its manager and its credentials are."""
    directory = premises.directory
    credentials = directory / "credentials"
    credentials.mkdir()
    premises.key.rename(credentials / "table.key")
    # An access list that lets the service read it shows as a mode that lets its group.
    (credentials / "table.key").chmod(0o440)
    text = premises.table_file.read_text()
    premises.table_file.write_text(text.replace('"table.key"', '"credential:table.key"'))
    manager = Manager(directory / "notify")
    environment = {
        **os.environ,
        "NOTIFY_SOCKET": str(directory / "notify"),
        "WATCHDOG_USEC": str(WATCHDOG_USEC),
        "CREDENTIALS_DIRECTORY": str(credentials),
    }
    command = program("run", str(premises.table_file), "--log-format", "json")
    with (directory / "daemon.log").open("ab") as output:
        premises.process = await asyncio.create_subprocess_exec(*command, stdout=output, stderr=output, env=environment)
    try:
        yield manager
    finally:
        await premises.stop()
        manager.close()


async def test_the_manager_hears_of_life_and_of_each_device_that_is_lost(tmp_path: Path, broker: Broker) -> None:
    ear = Ear()
    async with ear.listening(broker):
        premises = Premises(tmp_path, broker, ear)
        async with premises.bench, service(premises) as manager:
            await manager.until(lambda: "9 devices ready; broker reached" in manager.status())
            before_ready = manager.lines[: manager.lines.index("READY=1")]
            # A start on a busy machine asks for more time first.
            assert all(line.startswith(("EXTEND_TIMEOUT_USEC=", "STATUS=")) for line in before_ready)
            premises.bench.unplug("shoe")
            await manager.until(lambda: "degraded: shoe lost" in manager.status())
            await ear.until(lambda: state(ear, "shoe") == "lost")
            health = json_of(ear.last(TOPICS.device("shoe")))
            assert health["detail"]
            before = manager.lines.count("WATCHDOG=1")
            await manager.until(lambda: manager.lines.count("WATCHDOG=1") >= before + 5)
            premises.bench.plug("shoe")
            await manager.until(lambda: "9 devices ready" in manager.status())
            await ear.until(lambda: state(ear, "shoe") == "ready")
            assert premises.process is not None
            premises.process.send_signal(signal.SIGTERM)
            await manager.until(lambda: "STOPPING=1" in manager.lines)
            assert await premises.process.wait() == 0, premises.log()


def state(ear: Ear, device: str) -> str:
    health = json_of(ear.last(TOPICS.device(device)))
    return health["state"] if health else ""


async def test_a_key_that_only_the_service_has_is_not_missed_by_check(tmp_path: Path, broker: Broker) -> None:
    premises = Premises(tmp_path, broker, Ear())
    text = premises.table_file.read_text()
    premises.table_file.write_text(text.replace('"table.key"', '"credential:table.key"'))
    status, output, errors = await ran("check", str(premises.table_file))
    assert (status, errors) == (0, "")
    assert "credential:table.key exists only within the service: not checked" in output
    status, _, errors = await ran("run", str(premises.table_file))
    assert status == 2
    assert errors.endswith("credential:table.key is there within the service only ($CREDENTIALS_DIRECTORY)\n")
    assert "[table] key_file" in errors


async def test_a_table_whose_devices_are_all_away_runs_and_says_so(broker: Broker) -> None:
    ear = Ear()
    # The manager's line is short, and each device's trouble names its port: a long folder would cut the last off.
    with tempfile.TemporaryDirectory(prefix="t-") as folder:
        premises = Premises(Path(folder), broker, ear)
        async with ear.listening(broker), service(premises) as manager:
            await manager.until(lambda: "READY=1" in manager.lines)
            await manager.until(lambda: "degraded: bet_spots/1, bet_spots/2, " in manager.status())
            await manager.until(lambda: "keypad lost (" in manager.status() and "shoe lost (" in manager.status())
            for device in ("shoe", "keypad", "bet_spots/1", "bet_spots/7"):
                await ear.until(lambda name=device: state(ear, name) == "lost")  # type: ignore[misc]
                assert "No such file" in json_of(ear.last(TOPICS.device(device)))["detail"]
