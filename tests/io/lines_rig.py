"""Lines that misbehave on request, for supervisors under test; no bytes leave the process."""

from __future__ import annotations

import asyncio
import errno
import os
import pty
import random
import tempfile
import tty
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol

from controller.daemon.wiring import bet_spots
from controller.formats.config.table_file import BetSpotsSection
from controller.io.lines.ports import Opener
from controller.io.lines.supervisor import LIVENESS_NS, LineSupervisor
from devices.session import Session
from firmware_protocols import discovery
from firmware_protocols.readings import DeviceHealth, HealthState, Reading
from simulators.devices.bet_spots import BetSpotsSimulator
from tests.io.virtual_time import LoopClock, becomes, passes

FEIG = discovery.find("bet_spots", "feig_obid")
BEE_TEK = discovery.find("shoe", "bee_tek")
KEYPAD = discovery.find("keypad", "matrix_orbital")


class Device(Protocol):
    def receive(self, data: bytes) -> bytes: ...


class Place:
    """A place where a device may be plugged in; ``open`` is what a supervisor opens."""

    def __init__(self, device: Device | None = None) -> None:
        self.device = device
        self.mute = False
        """Whether nothing comes from the device any more, and nothing reports it."""
        self.fate: Callable[[], str] = lambda: ""
        """Where an opening fails: ``refused``, ``breaks``, ``opened``, ``written``, ``answered``, or nowhere."""
        self.opened_at: list[float] = []
        """When, in seconds of the loop's time."""
        self.written: list[bytes] = []
        self.line: FakeLine | None = None

    @property
    def openings(self) -> int:
        return len(self.opened_at)

    async def open(self, protocol: asyncio.Protocol) -> asyncio.Transport:
        self.opened_at.append(asyncio.get_running_loop().time())
        step = self.fate()
        if self.device is None or step == "refused":
            raise OSError(errno.ENOENT, "not plugged in")
        if step == "breaks":
            raise RuntimeError("the driver has a fault of its own")
        self.line = FakeLine(self, protocol, step)
        asyncio.get_running_loop().call_soon(self.line.begin)
        return self.line

    async def until_opened(self, times: int) -> None:
        """Wait until it has been opened so often, and the session knows it."""
        await becomes(lambda: self.openings >= times)
        await passes(0.1)


class FakeLine(asyncio.Transport):
    def __init__(self, place: Place, protocol: asyncio.Protocol, step: str) -> None:
        super().__init__()
        self._place = place
        self._protocol = protocol
        self._step = step
        self._gone = False

    def begin(self) -> None:
        self._protocol.connection_made(self)
        if self._step == "opened":
            self.cut()

    def write(self, data: bytes | bytearray | memoryview[Any]) -> None:
        if self._step == "written":
            self.cut()
            raise OSError(errno.EIO, "the line went as it was written to")
        self._place.written.append(bytes(data))
        assert self._place.device is not None
        answer = self._place.device.receive(bytes(data))
        if answer and not self._place.mute:
            asyncio.get_running_loop().call_later(0.01, self.say, answer)

    def say(self, data: bytes) -> None:
        if self._gone:
            return
        self._protocol.data_received(data)
        if self._step == "answered":
            self.cut()

    def cut(self) -> None:
        if not self._gone:
            self._gone = True
            asyncio.get_running_loop().call_soon(self._protocol.connection_lost, OSError(errno.EIO, "hung up"))

    def is_closing(self) -> bool:
        return self._gone

    def close(self) -> None:
        if not self._gone:
            self._gone = True
            asyncio.get_running_loop().call_soon(self._protocol.connection_lost, None)

    abort = close


class Delivered:
    """Readings as a supervisor delivers them."""

    def __init__(self) -> None:
        self.readings: list[Reading] = []
        self._arrived = asyncio.Event()

    def deliver(self, reading: Reading) -> None:
        self.readings.append(reading)
        self._arrived.set()

    def of(self, kind: type[Any]) -> list[Any]:
        return [one for one in self.readings if isinstance(one, kind)]

    def states(self) -> list[HealthState]:
        return [one.state for one in self.of(DeviceHealth)]

    async def until(self, condition: Callable[[], bool], seconds: float = 3600) -> None:
        async with asyncio.timeout(seconds):
            while not condition():
                self._arrived.clear()
                await self._arrived.wait()


def readers(*spots: int) -> tuple[BetSpotsSimulator, Session]:
    """Simulated chip readers and the session that serves them."""
    section = BetSpotsSection(protocol="feig_obid", port="/dev/null", spots=spots, antennas={"main": 1})
    simulator = BetSpotsSimulator(FEIG, {(spot, 1): (spot, "main") for spot in spots}, chance=random.Random(spots[0]))
    return simulator, bet_spots(section, "bet_spots")


def supervised(
    open_line: Opener,
    session: Session,
    delivered: Delivered,
    *,
    name: str = "bet_spots",
    seed: int = 1,
    polled: bool = True,
) -> LineSupervisor:
    return LineSupervisor(
        name,
        open_line,
        session,
        clock=LoopClock(asyncio.get_running_loop()),
        chance=random.Random(seed),
        deliver=delivered.deliver,
        liveness_ns=LIVENESS_NS if polled else None,
    )


class Cable:
    """A pseudo-terminal: the device's end, and the path of ours, which is gone once it is unplugged.

    The path is a link: the number of a terminal that is gone is soon that of somebody else's.
    """

    def __init__(self, directory: Path) -> None:
        self.device, far = pty.openpty()
        tty.setraw(far)
        link = directory / "port"
        link.symlink_to(os.ttyname(far))
        os.close(far)
        self.path = str(link)
        self._link = link
        self._plugged = True

    def unplug(self) -> None:
        if self._plugged:
            self._plugged = False
            self._link.unlink()
            os.close(self.device)


@contextmanager
def plugged() -> Iterator[Cable]:
    with tempfile.TemporaryDirectory(prefix="tableside-cable-") as directory:
        made = Cable(Path(directory))
        try:
            yield made
        finally:
            made.unplug()


class OtherShoe:
    """Says that it is somebody else, and would deal cards."""

    def receive(self, data: bytes) -> bytes:
        del data
        return b"?"


class Picky:
    """A session that learns who answers, and wants somebody else."""

    def __init__(self) -> None:
        self.right = False
        self._readings: list[Reading] = []

    def connected(self, now_ns: int) -> None:
        del now_ns

    def disconnected(self, now_ns: int) -> None:
        self._readings.append(DeviceHealth(device="shoe", state=HealthState.LOST, at_ns=now_ns))

    def receive(self, data: bytes, now_ns: int) -> None:
        state, detail = (
            (HealthState.READY, "") if self.right else (HealthState.FAULTY, f"expected SH-1; this is {data.decode()}")
        )
        self._readings.append(DeviceHealth(device="shoe", state=state, at_ns=now_ns, detail=detail))

    def next_deadline(self) -> int | None:
        return None

    def handle_deadline(self, now_ns: int) -> None:
        del now_ns

    def bytes_to_send(self) -> bytes:
        return b""

    def readings(self) -> tuple[Reading, ...]:
        taken, self._readings = tuple(self._readings), []
        return taken
