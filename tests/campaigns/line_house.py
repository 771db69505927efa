"""A table with every kind of line, each on a terminal or behind a device server, that may fail one by one."""

from __future__ import annotations

import asyncio
import contextlib
import random
import time
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Final, Literal, NamedTuple

from controller.core.messages.events import DeviceStatusChanged, KeyRead
from controller.demo.table import DemoOptions, devices, script, sevens_meter, table_file
from controller.io.mqtt.connection import Broker
from firmware_protocols.readings import HealthState
from simulators.devices.mystery_trigger import TriggerBoxSimulator
from simulators.devices.wire import Device
from simulators.people.acts import Act
from simulators.people.performance import perform
from simulators.serve import Port
from tests.campaigns.device_server import DeviceServer
from tests.campaigns.hostile import TimedBench, TimedEar
from tests.io.virtual_time import passes
from tests.wiring.premises import Ear, Message, Premises

CONSUMER: Final = "surveillance"
TABLE: Final = "demo/bj1"
PATIENCE_S: Final = 0.7
"""How long people wait for readers that nobody asks; then they play on unseen."""

SPEED: Final = 40.0
"""Of the people: a round in a second or two."""

SAMPLE_BYTES: Final = 4096


Way = Literal["terminal", "socket", "rfc2217"]
"""How a line may be reached."""


class Line(NamedTuple):
    """A line: what the table calls it, its port, how it may be reached, and whether it is asked all the time."""

    name: str
    port: str
    ways: tuple[Way, ...]
    polled: bool


ANY: Final[tuple[Way, ...]] = ("terminal", "socket", "rfc2217")
LINES: Final = (
    Line("shoe", "shoe", ANY, polled=True),
    Line("keypad", "keypad", ANY, polled=False),
    Line("bet_spots", "bet_spots", ANY, polled=True),
    Line("sign", "sign", ANY, polled=True),
    Line("bet_sensors", "sensors_sevens", ANY, polled=True),
    Line("bet_sensors2", "sensors_bonus", ANY, polled=True),
    Line("mystery_trigger", "trigger", ("terminal", "socket"), polled=True),
)


class HeardPort(Port):
    """Remembers what its device last said: valid bytes to babble with."""

    sample = b""
    messages = 0
    """How often it has said something."""

    def say(self, data: bytes) -> None:
        self.messages += bool(data)
        self.sample = (self.sample + data)[-SAMPLE_BYTES:]
        super().say(data)

    def is_taken(self) -> bool:
        """Nothing waits on a line that is unplugged."""
        return self._master < 0 or super().is_taken()

    def babble(self, data: bytes) -> None:
        """Bytes that are not the device's."""
        super().say(data)


class LinesBench(TimedBench):
    """Notes when keys went down too, and hears every line."""

    def __init__(self, *args: Any, **keywords: Any) -> None:
        super().__init__(*args, **keywords)
        self.pressed: list[float] = []

    def open(self) -> None:
        found: dict[str, Device] = {"shoe": self._shoe, "bet_spots": self._bet_spots, "keypad": self._keypad}
        for name, device in (found | self._beside).items():
            self._ports[name] = HeardPort(self._directory / name, device, self._stir)

    @property
    def beside(self) -> Mapping[str, object]:
        """The devices beside shoe, readers and keypad."""
        return self._beside

    def replug(self, name: str) -> None:
        """Plug a device in again."""
        found: dict[str, Device] = {"shoe": self._shoe, "bet_spots": self._bet_spots, "keypad": self._keypad}
        device = (found | self._beside)[name]
        self._ports[name] = HeardPort(self._directory / name, device, self._stir)

    def key_down(self, key: str) -> None:
        self.pressed.append(time.monotonic())
        super().key_down(key)

    def heard(self, name: str) -> HeardPort:
        """The port of a device."""
        port = self._ports[name]
        assert isinstance(port, HeardPort)
        return port


class LinesEar(TimedEar):
    """Notes when each key was published too, and what each device last was."""

    def __init__(self) -> None:
        super().__init__()
        self.keys: list[float] = []
        self.states: dict[str, str] = {}

    def hear(self, message: Message) -> None:
        before = len(self.published)
        super().hear(message)
        for one in self.published[before:]:
            if isinstance(one.event, KeyRead):
                self.keys.append(time.monotonic())
            elif isinstance(one.event, DeviceStatusChanged):
                self.states[one.event.device] = one.event.state


class House(Premises):
    """A table with a numbering shoe or another, readers, sensors, keypad, sign and trigger box."""

    def __init__(self, directory: Path, broker: Broker, ear: Ear, ways: Mapping[str, Way], seed: int) -> None:
        shoe = random.Random(seed).choice(("reference", "reference", "bee_tek"))
        self.wanted = DemoOptions(
            directory, None, seed, 1.0, (2, 3), keypad=True, broker=broker, shoe=shoe, jackpots=True, sensors=True
        )
        self.ways: dict[str, Way] = {line.name: ways.get(line.name, "terminal") for line in LINES}
        self.servers: dict[str, DeviceServer] = {}
        for line in LINES:
            way = self.ways[line.name]
            if way != "terminal":
                self.servers[line.port] = DeviceServer(directory / "ports" / line.port, way)
        super().__init__(directory, broker, ear)
        self.lines = LinesBench(directory / "ports", patience_s=PATIENCE_S, **self.devices())
        self.bench = self.lines
        self._store = self._blank = self.box.snapshot()

    def devices(self) -> dict[str, Any]:
        return devices(self.wanted.shoe, wanted=self.wanted)

    def table_text(self) -> str:
        text = table_file(self.directory, self.broker, keypad=True, shoe=self.wanted.shoe, wanted=self.wanted)
        for name, server in self.servers.items():
            text = text.replace(f'"{(self.directory / "ports").resolve() / name}"', f'"{server.url}"')
        port = f"port = {self.broker.port}\n"
        return text.replace(port, f'{port}consumers = ["{CONSUMER}"]\n', 1)

    @contextlib.asynccontextmanager
    async def serving(self) -> Any:
        """Serve the lines that are behind device servers."""
        async with contextlib.AsyncExitStack() as stack:
            for server in self.servers.values():
                await server.open()
                stack.callback(server.close)
            yield

    def say(self, line: Line, data: bytes) -> None:
        """Bytes that are not the device's, on its line."""
        if line.port in self.servers:
            self.servers[line.port].say(data)
        else:
            self.lines.heard(line.port).babble(data)

    @property
    def box(self) -> TriggerBoxSimulator:
        """The trigger box."""
        found = self.lines.beside["trigger"]
        assert isinstance(found, TriggerBoxSimulator)
        return found

    def begin(self, what: str, line: Line) -> None:
        """Let it befall a line; what is said there meanwhile is said by others."""
        server = self.servers.get(line.port)
        match what:
            case "power_off" if server is not None:
                server.power_off()
            case "blink" if server is not None:
                server.blink()
            case "deaf" if server is not None:
                server.is_deaf = True
            case "hang_up" if server is not None:
                server.hang_up()
            case "hang_up":
                self.lines.unplug(line.port)
            case "set_back":
                self._store = self.box.snapshot()
                self.box.restore(self._blank)
            case "other_table":
                self._store = self.box.snapshot()
                (memory,) = self.box.snapshot()
                self.box.restore((replace(memory, name="other/table/1"),))  # type: ignore[type-var]
            case _:
                pass

    def end(self, what: str, line: Line) -> None:
        """Let it be over."""
        server = self.servers.get(line.port)
        match what:
            case "power_off" if server is not None:
                server.power_on()
            case "deaf" if server is not None:
                server.is_deaf = False
                # What was taken and not answered it has forgotten.
                server.hang_up()
            case "hang_up" if server is None:
                self.lines.replug(line.port)
            case "set_back" | "other_table":
                self.box.restore(self._store)
            case _:
                pass

    def script(self) -> Iterator[Act]:
        """What people do, for ever."""
        return script(self.wanted, self.rack, sevens_meter())


def devices_of(line: Line, states: dict[str, str]) -> list[str]:
    """What the table calls the devices of a line."""
    return [name for name in states if is_of(name, line)]


def is_of(device: str, line: Line) -> bool:
    """Whether a device, as the table calls it, is on a line, or the line itself."""
    return device == line.name or device.startswith(f"{line.name}/")


def is_ready(line: Line, states: dict[str, str]) -> bool:
    """Whether every device of a line is."""
    found = devices_of(line, states)
    return bool(found) and all(states[name] == HealthState.READY for name in found)


class People:
    """Play without end; they may be held between two acts."""

    def __init__(self, house: House) -> None:
        self._house = house
        self._may = asyncio.Event()
        self._still = asyncio.Event()
        self._playing = asyncio.create_task(self._play())

    async def _play(self) -> None:
        # Readers that nobody asks are waited for in vain.
        await perform(self._house.script(), self._house.bench, SPEED, sleep=self._pause)

    def leave(self) -> None:
        """They go."""
        self._playing.cancel()

    async def _pause(self, seconds: float) -> None:
        if not self._may.is_set():
            self._still.set()
            await self._may.wait()
        self._still.clear()
        await passes(seconds)

    def go_on(self) -> None:
        """Let them."""
        self._may.set()

    async def hold(self) -> None:
        """Hold them, and wait until nobody moves.

        Raises:
            Exception: what has kept them from playing.
        """
        self._may.clear()
        still = asyncio.create_task(self._still.wait())
        await asyncio.wait((still, self._playing), return_when=asyncio.FIRST_COMPLETED)
        if self._playing.done():
            still.cancel()
            self._playing.result()
