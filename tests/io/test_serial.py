from __future__ import annotations

import asyncio
import contextlib
import os
import pty
import random
import socket
import tty
from collections.abc import AsyncIterator, Callable, Iterator

import pytest

from controller.io.lines.ports import serial_opener
from controller.io.lines.serial import WRITE_LIMIT_BYTES, LineLost
from controller.io.lines.supervisor import LineSupervisor
from controller.io.system.backoff import FIRST_SECONDS, LAST_SECONDS, Backoff
from controller.io.system.clock import SystemClock
from firmware_protocols.codec import Line
from firmware_protocols.readings import DeviceHealth, HealthState, KeyPressed, Reading

PATIENCE_SECONDS = 10.0
LINE = Line(baud=19200)


class Cable:
    """A pseudo-terminal: the device's end, and the path of ours."""

    def __init__(self) -> None:
        self.device, far = pty.openpty()
        tty.setraw(far)
        self.path = os.ttyname(far)
        os.close(far)
        self._plugged = True

    def unplug(self) -> None:
        if self._plugged:
            self._plugged = False
            os.close(self.device)


@pytest.fixture
def cable() -> Iterator[Cable]:
    made = Cable()
    yield made
    made.unplug()


class Ear(asyncio.Protocol):
    """Notes what a transport reports."""

    def __init__(self) -> None:
        self.transport: asyncio.Transport | None = None
        self.data = bytearray()
        self.losses: list[Exception | None] = []
        self._changed = asyncio.Event()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport

    def data_received(self, data: bytes) -> None:
        self.data += data
        self._changed.set()

    def connection_lost(self, exc: Exception | None) -> None:
        self.losses.append(exc)
        self._changed.set()

    async def until(self, done: Callable[[], bool]) -> None:
        async with asyncio.timeout(PATIENCE_SECONDS):
            while not done():
                self._changed.clear()
                await self._changed.wait()


async def opened(path: str) -> tuple[asyncio.Transport, Ear]:
    ear = Ear()
    transport = await serial_opener(path, LINE)(ear)
    return transport, ear


async def test_bytes_pass_both_ways_in_order(cable: Cable) -> None:
    transport, ear = await opened(cable.path)
    sent = random.Random(1).randbytes(30_000)
    taken = bytearray()
    for at in range(0, len(sent), 1000):
        transport.write(sent[at : at + 1000])
    loop = asyncio.get_running_loop()
    whole = loop.create_future()

    def take() -> None:
        taken.extend(os.read(cable.device, 4096))
        if len(taken) == len(sent):
            whole.set_result(None)

    loop.add_reader(cable.device, take)
    async with asyncio.timeout(PATIENCE_SECONDS):
        await whole
    loop.remove_reader(cable.device)
    assert taken == sent
    assert transport.get_write_buffer_size() == 0
    os.write(cable.device, b"reading")
    await ear.until(lambda: ear.data == b"reading")
    transport.close()
    await ear.until(lambda: bool(ear.losses))
    assert ear.losses == [None]


async def test_an_unplugged_device_is_reported_once_and_nothing_is_swallowed_afterwards(cable: Cable) -> None:
    transport, ear = await opened(cable.path)
    cable.unplug()
    await ear.until(lambda: bool(ear.losses))
    assert isinstance(ear.losses[0], OSError)
    with pytest.raises(LineLost):
        transport.write(b"x")
    transport.close()
    transport.abort()
    assert transport.is_closing()
    assert len(ear.losses) == 1


async def test_a_device_that_takes_nothing_is_lost_at_a_bound(cable: Cable) -> None:
    transport, ear = await opened(cable.path)
    with pytest.raises(LineLost):  # noqa: PT012 - it fails at one of many writes
        for _ in range(WRITE_LIMIT_BYTES):
            transport.write(bytes(1000))
            assert transport.get_write_buffer_size() <= WRITE_LIMIT_BYTES
    await ear.until(lambda: bool(ear.losses))
    assert "has not taken" in str(ear.losses[0])


async def test_a_port_is_ours_alone(cable: Cable) -> None:
    transport, _ = await opened(cable.path)
    with pytest.raises(LineLost, match="another program has this port open; end it") as refused:
        await opened(cable.path)
    assert f"{cable.path}: another program has this port open; end it (fuser -v {cable.path} names it)" in str(
        refused.value
    )
    transport.close()


async def test_a_port_that_is_not_there_is_an_error() -> None:
    with pytest.raises(OSError, match="no-such-port"):
        await opened("/dev/no-such-port")


class Parrot:
    """A session that repeats bytes, speaks when its deadline comes, and reports its health."""

    def __init__(self) -> None:
        self.calls: list[str] = []
        self._out = bytearray()
        self._readings: list[Reading] = []
        self._deadline: int | None = None
        self.changed = asyncio.Event()

    def _note(self, call: str) -> None:
        self.calls.append(call)
        self.changed.set()

    def connected(self, now_ns: int) -> None:
        self._note("connected")
        self._readings.append(DeviceHealth(device="parrot", state=HealthState.READY, at_ns=now_ns))
        self._out += b"hello "
        self._deadline = now_ns

    def disconnected(self, now_ns: int) -> None:
        self._note("disconnected")
        self._deadline = None
        self._readings.append(DeviceHealth(device="parrot", state=HealthState.LOST, at_ns=now_ns))

    def receive(self, data: bytes, now_ns: int) -> None:
        self._note(f"received {data.decode()}")
        self._readings.append(KeyPressed(at_ns=now_ns, key=data.decode()))

    def next_deadline(self) -> int | None:
        return self._deadline

    def handle_deadline(self, now_ns: int) -> None:
        del now_ns
        self._deadline = None
        self._note("deadline")
        self._out += b"still here"

    def bytes_to_send(self) -> bytes:
        data, self._out = bytes(self._out), bytearray()
        return data

    def readings(self) -> tuple[Reading, ...]:
        found, self._readings = tuple(self._readings), []
        return found

    async def until(self, call: str, times: int = 1) -> None:
        async with asyncio.timeout(PATIENCE_SECONDS):
            while self.calls.count(call) < times:
                self.changed.clear()
                await self.changed.wait()


@contextlib.asynccontextmanager
async def supervised(path: str, parrot: Parrot, delivered: list[Reading]) -> AsyncIterator[None]:
    line = LineSupervisor(
        "parrot",
        serial_opener(path, LINE),
        parrot,
        clock=SystemClock(),
        chance=random.Random(1),
        deliver=delivered.append,
    )
    task = asyncio.create_task(line.run())
    try:
        yield
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


async def test_a_supervisor_drives_its_session(cable: Cable) -> None:
    parrot, delivered = Parrot(), list[Reading]()
    async with supervised(cable.path, parrot, delivered):
        await parrot.until("deadline")
        os.write(cable.device, b"K")
        await parrot.until("received K")
        assert os.read(cable.device, 100) == b"hello still here"
        assert isinstance(delivered[-1], KeyPressed)
    assert parrot.calls[-1] == "disconnected"
    assert isinstance(delivered[-1], DeviceHealth)


async def test_a_link_comes_back_to_a_device_that_was_away() -> None:
    parrot, delivered = Parrot(), list[Reading]()
    server = socket.create_server(("127.0.0.1", 0))
    server.setblocking(False)
    loop = asyncio.get_running_loop()
    path = f"socket://127.0.0.1:{server.getsockname()[1]}"
    async with supervised(path, parrot, delivered), asyncio.timeout(PATIENCE_SECONDS):
        for times in (1, 2):
            device, _ = await loop.sock_accept(server)
            await parrot.until("connected", times)
            device.close()
            await parrot.until("disconnected", times)
    server.close()
    states = [one.state for one in delivered if isinstance(one, DeviceHealth)]
    assert states[:4] == [HealthState.READY, HealthState.LOST] * 2


async def test_a_supervisor_without_a_port_keeps_trying() -> None:
    parrot, delivered = Parrot(), list[Reading]()
    async with supervised("/dev/no-such-port", parrot, delivered):
        await parrot.until("disconnected", 2)
    assert "connected" not in parrot.calls


def test_pauses_grow_to_a_bound_and_begin_again() -> None:
    for seed in range(50):
        backoff = Backoff(random.Random(seed))
        pauses = [backoff.next_seconds() for _ in range(10)]
        for pause, whole in zip(pauses, [0.5, 1, 2, 4, 8, 10, 10, 10, 10, 10], strict=True):
            assert 0.75 * whole <= pause <= whole <= LAST_SECONDS
        backoff.reset()
        assert backoff.next_seconds() <= FIRST_SECONDS
