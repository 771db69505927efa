"""Simulated devices on pseudo-terminals: for a program they are serial ports like any other.

The one impure file among the simulators: it owns file descriptors and uses the running event loop's clock.
"""

from __future__ import annotations

import asyncio
import contextlib
import fcntl
import os
import pty
import select
import sys
import termios
import tty
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Final, Protocol, Self

from firmware_protocols.cards import Card
from simulators.devices.bet_spots import BetSpotsSimulator
from simulators.devices.keypad import KeypadSimulator
from simulators.devices.wire import Device
from simulators.people.layout import Layout, SensedBet
from simulators.people.performance import Performance, perform

__all__ = ["PATIENCE_S", "Performance", "Port", "Station", "perform", "pour"]

PATIENCE_S: Final = 10.0
"""Longest wait for the readers: a hundred polls of a busy bus. After that nobody is polling."""

READ_BYTES: Final = 4096
"""Bytes taken from a pseudo-terminal at once: as many as the kernel keeps for one."""

UNREAD_BYTES: Final = 65_536
"""Bytes kept for a host that does not read; what comes then is lost, as on a real line."""

LOOK_S: Final = 0.01
"""How often a port without a host is looked at: a host notices nothing, and it costs next to nothing."""

TAKEN_LOOK_S: Final = 0.001
"""How often it is looked whether the host has read what was sent."""

IDLE_S: Final = 0.2
"""Silence after which a message begun is given up; longer than any codec asks for, for a scheduler may be slow."""


POURED_BYTES: Final = 1024
POUR_S: Final = 0.05
"""What a source sends at once, and how often: 20 kB a second, as a slow noise source does."""


class Shoe(Device, Protocol):
    """A device that cards are drawn from. ``ShoeSimulator`` and ``ReferenceShoeSimulator`` are such."""

    def draw(self, card: Card, *, burn: bool = False) -> bytes:
        """A card leaves the shoe; the bytes it sends of its own accord."""
        ...


class Port:
    """One device on a pseudo-terminal, linked from ``path``."""

    def __init__(self, path: Path, device: Device, on_traffic: Callable[[], None]) -> None:
        self.path = path
        self._device = device
        self._on_traffic = on_traffic
        self._loop = asyncio.get_running_loop()
        self._unwritten = bytearray()
        self._writing = False
        self._silence: asyncio.TimerHandle | None = None
        self._looking: asyncio.TimerHandle | None = None
        self._hang_up = select.poll()
        self._master, slave = pty.openpty()
        try:
            # Raw before anybody opens it, else the line discipline echoes the device's own bytes back to it. The
            # settings outlive the slave's last user as long as the master is open.
            tty.setraw(slave)
            os.set_blocking(self._master, False)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.unlink(missing_ok=True)
            path.symlink_to(os.ttyname(slave))
        except BaseException:
            os.close(self._master)
            raise
        finally:
            os.close(slave)
        self._hang_up.register(self._master, 0)
        self._look()

    def say(self, data: bytes) -> None:
        """Send to the host; what does not fit is lost, and so is everything while no host has the port open."""
        if self._is_heard():
            self._unwritten += data[: UNREAD_BYTES - len(self._unwritten)]
            self._write()

    def is_taken(self) -> bool:
        """Whether the host has read all that was sent; so it has, too, where nobody has the port open."""
        if self._unwritten:
            return False
        slave = os.open(self.path, os.O_RDONLY | os.O_NOCTTY | os.O_NONBLOCK)
        try:
            return not int.from_bytes(fcntl.ioctl(slave, termios.FIONREAD, bytes(4)), sys.byteorder)
        finally:
            os.close(slave)

    def close(self) -> None:
        """Unplug: the host sees the line hang up. Closing twice does no harm."""
        if self._master < 0:
            return
        self._stop_serving()
        for timer in (self._silence, self._looking):
            if timer is not None:
                timer.cancel()
        with contextlib.suppress(FileNotFoundError):
            self.path.unlink()
        os.close(self._master)
        self._master = -1

    def _is_heard(self) -> bool:
        """Whether a host has the port open: without one, the master reports that the line is hung up."""
        return self._master >= 0 and not self._hang_up.poll(0)

    def _look(self) -> None:
        # Nothing wakes a master when its slave is opened, and a reader on one that is hung up would spin.
        if self._is_heard():
            self._looking = None
            self._loop.add_reader(self._master, self._readable)
        else:
            self._looking = self._loop.call_later(LOOK_S, self._look)

    def _hung_up(self) -> None:
        """The host has closed the port: what it did not read is gone."""
        self._stop_serving()
        with contextlib.suppress(OSError, termios.error):
            slave = os.open(self.path, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)
            try:
                termios.tcflush(slave, termios.TCIFLUSH)
            finally:
                os.close(slave)
        self._look()
        self._on_traffic()

    def _stop_serving(self) -> None:
        self._loop.remove_reader(self._master)
        self._loop.remove_writer(self._master)
        self._writing = False
        self._unwritten.clear()

    def _readable(self) -> None:
        try:
            data = os.read(self._master, READ_BYTES)
        except BlockingIOError:
            return
        except OSError:
            self._hung_up()
            return
        if self._silence is not None:
            self._silence.cancel()
        self._silence = self._loop.call_later(IDLE_S, self._silent)
        self.say(self._device.receive(data))
        self._on_traffic()

    def _silent(self) -> None:
        self._silence = None
        self.say(self._device.idle())
        self._on_traffic()

    def _write(self) -> None:
        try:
            while self._unwritten:
                written = os.write(self._master, self._unwritten)
                del self._unwritten[:written]
        except BlockingIOError:
            pass
        if bool(self._unwritten) is not self._writing:
            self._writing = not self._writing
            if self._writing:
                self._loop.add_writer(self._master, self._write)
            else:
                self._loop.remove_writer(self._master)


class Station:
    """A table's devices, as ``shoe``, ``bet_spots`` and ``keypad`` under ``directory``; ``beside`` are others by name.

    ``sensed`` are the side bets that units of sensors among these see.

    An asynchronous context manager; it needs a running event loop. It is the ``Stage`` that ``perform`` acts upon.
    """

    def __init__(
        self,
        directory: Path,
        *,
        shoe: Shoe,
        bet_spots: BetSpotsSimulator,
        keypad: KeypadSimulator,
        beside: Mapping[str, Device] | None = None,
        sensed: Sequence[SensedBet] = (),
        patience_s: float = PATIENCE_S,
    ) -> None:
        self._directory = directory
        self._shoe = shoe
        self._bet_spots = bet_spots
        self._keypad = keypad
        self._beside = dict(beside or {})
        self._layout = Layout(bet_spots, sensed)
        self._patience_s = patience_s
        self._stirred = asyncio.Event()
        self._release = b""
        self._ports: dict[str, Port] = {}

    async def __aenter__(self) -> Self:
        """Open the ports."""
        self.open()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the ports."""
        self.close()

    def open(self) -> None:
        """Make the pseudo-terminals and their links.

        Raises:
            OSError: there is no pseudo-terminal to be had, or the directory is not ours to write.
        """
        devices: dict[str, Device] = {"shoe": self._shoe, "bet_spots": self._bet_spots, "keypad": self._keypad}
        devices |= self._beside
        try:
            for name, device in devices.items():
                self._ports[name] = Port(self._directory / name, device, self._stir)
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Unplug everything and remove the links."""
        for port in self._ports.values():
            port.close()
        self._ports.clear()
        self._stir()

    async def ready(self, looks: int = 1, patience_s: float | None = None) -> bool:
        """Wait until every zone has been inventoried ``looks`` times and the keypad is set up; false if not in time.

        Nobody can tell from a shoe's end of the line whether somebody listens to it.
        """
        return await self.until(lambda: not self.unpolled(looks), patience_s)

    def unpolled(self, looks: int = 1) -> tuple[str, ...]:
        """What keeps people from playing, in words: the keypad, each zone inventoried fewer than ``looks`` times."""
        zones = tuple(f"spot {spot} {zone}" for spot, zone in self.places if self.inventories(spot, zone) < looks)
        return zones if self._keypad.is_set_up else ("the keypad", *zones)

    # --- the stage ------------------------------------------------------------------------------------

    @property
    def places(self) -> tuple[tuple[int, str], ...]:
        """Every (spot, zone) that is read."""
        return self._layout.places

    def draw(self, card: Card, *, burn: bool = False) -> None:
        """A card leaves the shoe."""
        self._ports["shoe"].say(self._shoe.draw(card, burn=burn))

    def key_down(self, key: str) -> None:
        """A key goes down."""
        down, self._release = self._keypad.press(key)
        self._ports["keypad"].say(down)

    def key_up(self) -> None:
        """The key last pressed comes up."""
        released, self._release = self._release, b""
        self._ports["keypad"].say(released)

    @property
    def shown(self) -> str:
        """What the keypad's display shows."""
        return self._keypad.shown

    def lay(self, spot: int, zone: str, chips: tuple[str, ...]) -> None:
        """A zone's content changes.

        Raises:
            ValueError: neither an antenna nor a sensor is there.
        """
        self._layout.lay(spot, zone, chips)

    def content(self, spot: int, zone: str) -> tuple[str, ...]:
        """A zone's content.

        Raises:
            ValueError: neither an antenna nor a sensor is there.
        """
        return self._layout.content(spot, zone)

    def inventories(self, spot: int, zone: str) -> int:
        """How often a zone has been inventoried."""
        return self._layout.inventories(spot, zone)

    def steady(self, spot: int, zone: str) -> int:
        """How many of these in a row were complete and showed the present content."""
        return self._layout.steady(spot, zone)

    async def taken(self) -> bool:
        """Wait until the host has read what shoe and keypad have sent; false after ``patience_s`` or when closed.

        Nothing tells when a host reads, so it is looked at again and again.
        """
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(self._patience_s):
                while self._ports:
                    if self._ports["shoe"].is_taken() and self._ports["keypad"].is_taken():
                        return True
                    await asyncio.sleep(TAKEN_LOOK_S)
        return False

    async def until(self, condition: Callable[[], bool], patience_s: float | None = None) -> bool:
        """Wait until traffic on the lines has made ``condition`` true; false after ``patience_s`` or when closed.

        Without it, the station's own patience.
        """
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(self._patience_s if patience_s is None else patience_s):
                while not condition():
                    if not self._ports:
                        return False
                    self._stirred.clear()
                    await self._stirred.wait()
        return condition()

    def _stir(self) -> None:
        self._stirred.set()


async def pour(port: Port, emit: Callable[[int], bytes], *, count: int = POURED_BYTES, every_s: float = POUR_S) -> None:
    """Let a source that sends of its own accord do so, ``count`` bytes at a time, until cancelled."""
    while True:
        port.say(emit(count))
        await asyncio.sleep(every_s)
