"""What the service manager hears, and that it hears nothing of life when a part of the table stands still."""

from __future__ import annotations

import asyncio
import os
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from controller.io.mqtt.broker import find_mosquitto, mosquitto
from controller.io.system.notify import STATUS_LIMIT, Notifier
from controller.io.system.watchdog import EXTEND_SECONDS, IDLE_SECONDS, SIGNS, Watchdog, WatchedWork, patiently
from tests.io.broker_rig import Memory, closed, publishing
from tests.io.virtual_time import LoopClock, becomes, passes, run_virtual

ALLOWED_SECONDS = 9


class Manager:
    """The service manager's end."""

    def __init__(self, address: str) -> None:
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._socket.bind(address)
        self._socket.setblocking(False)

    def heard(self) -> list[str]:
        found: list[str] = []
        while True:
            try:
                found += self._socket.recv(4096).decode().split("\n")
            except BlockingIOError:
                return found

    def close(self) -> None:
        self._socket.close()


@pytest.fixture
def manager(tmp_path: Path) -> Iterator[Manager]:
    made = Manager(str(tmp_path / "notify"))
    yield made
    made.close()


def watched_by(tmp_path: Path, seconds: float = ALLOWED_SECONDS) -> Notifier:
    return Notifier({"NOTIFY_SOCKET": str(tmp_path / "notify"), "WATCHDOG_USEC": str(int(seconds * 1_000_000))})


# --- the protocol -----------------------------------------------------------------------------------


def test_the_manager_hears_what_it_knows(manager: Manager, tmp_path: Path) -> None:
    notifier = watched_by(tmp_path)
    notifier.ready("3 devices\nready")
    notifier.alive("still")
    notifier.status("x" * 2 * STATUS_LIMIT)
    notifier.stopping()
    assert manager.heard() == [
        "READY=1",
        "STATUS=3 devices ready",
        "WATCHDOG=1",
        "STATUS=still",
        f"STATUS={'x' * STATUS_LIMIT}",
        "STOPPING=1",
    ]


def test_an_abstract_address_begins_with_a_nul() -> None:
    name = f"tableside-test-{os.getpid()}"
    manager = Manager(f"\0{name}")
    Notifier({"NOTIFY_SOCKET": f"@{name}"}).alive("")
    assert manager.heard() == ["WATCHDOG=1", "STATUS="]
    manager.close()


@pytest.mark.parametrize("address", ["", "relative", "/nowhere/at/all", "/" + "x" * 300])
def test_nobody_to_notify_is_no_error(address: str) -> None:
    Notifier({"NOTIFY_SOCKET": address}).alive("")


@pytest.mark.parametrize(
    ("environment", "seconds"),
    [
        ({}, None),
        ({"WATCHDOG_USEC": "0"}, None),
        ({"WATCHDOG_USEC": "ten"}, None),
        ({"WATCHDOG_USEC": "10000000"}, 10.0),
        ({"WATCHDOG_USEC": "10000000", "WATCHDOG_PID": str(os.getpid())}, 10.0),
        ({"WATCHDOG_USEC": "10000000", "WATCHDOG_PID": "1"}, None),
    ],
)
def test_the_watchdogs_time_is_ours_only_if_it_says_so(environment: dict[str, str], seconds: float | None) -> None:
    assert Notifier(environment).watchdog_seconds == seconds


# --- the watchdog -----------------------------------------------------------------------------------


class Table:
    """Parts that can be made to stand still."""

    def __init__(self) -> None:
        self.stepped = 0
        self.waiting = False
        self.disk = "answers"

    async def ask(self) -> None:
        if self.disk == "hangs":
            await asyncio.Event().wait()
        if self.disk == "fails":
            raise OSError(28, "No space left on device")

    def watchdog(self, notifier: Notifier) -> Watchdog:
        work = WatchedWork("stepping", lambda: self.stepped, lambda: not self.waiting, 5)
        clock = LoopClock(asyncio.get_running_loop())
        return Watchdog(notifier, clock, [work], [("journal", self.ask)], lambda: "all well")


async def heard_for(manager: Manager, seconds: float) -> list[str]:
    """What the manager hears in so much time; it listens all the while, as the kernel keeps ten messages only."""
    found = manager.heard()
    for _ in range(int(seconds)):
        await passes(1)
        found += manager.heard()
    return found


async def lives(manager: Manager, seconds: float) -> int:
    return (await heard_for(manager, seconds)).count("WATCHDOG=1")


def test_a_table_that_lives_says_so_three_times_in_the_time_allowed(manager: Manager, tmp_path: Path) -> None:
    async def scenario() -> None:
        task = asyncio.ensure_future(Table().watchdog(watched_by(tmp_path)).run())
        await passes(0.1)
        assert manager.heard() == ["READY=1", "STATUS=all well", "WATCHDOG=1", "STATUS=all well"]
        assert await lives(manager, 10 * ALLOWED_SECONDS) == 10 * SIGNS
        task.cancel()

    run_virtual(scenario())


def test_a_long_start_asks_for_more_time_as_long_as_it_lasts(manager: Manager, tmp_path: Path) -> None:
    async def scenario() -> None:
        notifier, done = watched_by(tmp_path), asyncio.get_running_loop().create_future()
        starting = asyncio.ensure_future(patiently(notifier, "stepping the journal", done))
        heard = await heard_for(manager, EXTEND_SECONDS - 1)
        asked = [line for line in heard if line.startswith("EXTEND_TIMEOUT_USEC=")]
        assert asked == [f"EXTEND_TIMEOUT_USEC={int(EXTEND_SECONDS * 1_000_000)}"] * SIGNS
        assert "STATUS=stepping the journal" in heard
        assert "READY=1" not in heard
        done.set_result("the table")
        assert await starting == "the table"
        assert await heard_for(manager, EXTEND_SECONDS) == []

    run_virtual(scenario())


def test_without_a_manager_it_looks_now_and_then() -> None:
    async def scenario() -> None:
        assert Table().watchdog(Notifier({})).period_seconds == IDLE_SECONDS

    run_virtual(scenario())


@pytest.mark.parametrize(("disk", "message"), [("hangs", "journal does not answer"), ("fails", "No space left")])
def test_a_journal_that_does_not_answer_is_no_life(disk: str, message: str, manager: Manager, tmp_path: Path) -> None:
    async def scenario() -> None:
        table = Table()
        task = asyncio.ensure_future(table.watchdog(watched_by(tmp_path)).run())
        assert await lives(manager, ALLOWED_SECONDS) >= SIGNS
        table.disk = disk
        heard = await heard_for(manager, ALLOWED_SECONDS)
        assert heard.count("WATCHDOG=1") <= 1
        assert any(message in line for line in heard)
        table.disk = "answers"
        assert await lives(manager, 2 * ALLOWED_SECONDS) >= SIGNS
        task.cancel()

    run_virtual(scenario())


def test_it_is_not_ready_before_everything_answered_once(manager: Manager, tmp_path: Path) -> None:
    async def scenario() -> None:
        table = Table()
        table.disk = "hangs"
        task = asyncio.ensure_future(table.watchdog(watched_by(tmp_path)).run())
        assert "READY=1" not in await heard_for(manager, 30)
        table.disk = "answers"
        assert (await heard_for(manager, 10)).count("READY=1") == 1
        task.cancel()

    run_virtual(scenario())


def test_readings_that_wait_and_are_not_stepped_are_no_life(manager: Manager, tmp_path: Path) -> None:
    async def scenario() -> None:
        table = Table()
        task = asyncio.ensure_future(table.watchdog(watched_by(tmp_path)).run())
        assert await lives(manager, 60) >= 18
        table.waiting = True
        heard = await heard_for(manager, 30)
        assert heard.count("WATCHDOG=1") <= SIGNS
        assert "STATUS=STUCK: stepping; all well" in heard
        # Slow is not stuck.
        signs = 0
        for _ in range(10):
            table.stepped += 1
            signs += await lives(manager, 4)
        assert signs >= 10
        task.cancel()

    run_virtual(scenario())


@pytest.mark.skipif(find_mosquitto() is None, reason="Mosquitto is not installed")
async def test_a_publisher_that_does_not_heed_a_wake_is_not_at_rest() -> None:
    memory = Memory(closed(1))
    async with mosquitto() as broker, publishing(broker, memory) as publisher:
        await memory.until(1)
        await becomes(lambda: publisher.at_rest)
        turns = publisher.turns
        publisher.wake()
        assert not publisher.at_rest
        await becomes(lambda: publisher.at_rest)
        assert publisher.turns > turns
