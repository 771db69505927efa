"""A device in C on a board of pipes (piped.c): for the tests one like the simulated ones, whose time they set.

Cutting its power is killing its process; what it wrote into its memory before is there when it comes back.
"""

from __future__ import annotations

import atexit
import contextlib
import shutil
import subprocess
import tempfile
from functools import cache
from pathlib import Path
from typing import Final

from simulators.devices.mystery_trigger import Bounds

HERE: Final = Path(__file__).parent
FLAGS: Final = ("-std=c99", "-D_XOPEN_SOURCE=700", "-O2", "-Wall", "-Wextra", "-Werror", "-pedantic")


@cache
def built(device: str) -> Path:
    """A device's program, compiled once in a folder that goes when the tests do."""
    program = folder() / device
    subprocess.run(["cc", *FLAGS, "-o", str(program), str(HERE / f"{device}.c"), str(HERE / "piped.c")], check=True)
    return program


def folder() -> Path:
    """A folder that is removed at the end."""
    made = Path(tempfile.mkdtemp())
    atexit.register(shutil.rmtree, made, ignore_errors=True)
    return made


class Piped:
    """A device that has power. One whose power goes in the middle of a write says nothing and is on again at once."""

    def __init__(self, device: str, *words: str, seed: int = 1) -> None:
        self.memory = folder() / "memory"
        self._program = built(device)
        self._seed = seed
        self.words = words
        self.cuts = 0
        self._power()

    def __del__(self) -> None:
        self.close()

    def close(self) -> None:
        """Without power for good."""
        self._process.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                with contextlib.suppress(BrokenPipeError):
                    pipe.close()

    def power_cycle(self) -> None:
        """Without power for a moment."""
        self.close()
        self._power()

    def cut_after(self, count: int) -> None:
        """Let the power go after so many more bytes of memory."""
        self._ask(b"C", bytes((count,)))

    def receive(self, data: bytes) -> bytes:
        """See ``Device``."""
        return self._ask(b"R", data)

    def idle(self) -> bytes:
        """See ``Device``."""
        return self._ask(b"I", b"")

    def event(self, what: bytes, value: int = 0) -> bytes:
        """Let something happen to it; what it says of that."""
        return self._ask(b"E", what + bytes((value,)))

    def _power(self) -> None:
        self._process = subprocess.Popen(
            [str(self._program), str(self.memory), str(self._seed), *self.words],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )

    def _ask(self, letter: bytes, data: bytes) -> bytes:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(letter + len(data).to_bytes(2, "big") + data)
        self._process.stdin.flush()
        length = self._process.stdout.read(2)
        if len(length) < 2:
            assert self._process.wait() == 0, "the device in C has crashed"
            self.cuts += 1
            self.power_cycle()
            return b""
        return self._process.stdout.read(int.from_bytes(length, "big"))


class SensorsInC(Piped):
    """A unit of bet sensors."""

    def __init__(self, address: int = 1) -> None:
        self.covered: set[int] = set()
        super().__init__("sensors", str(address))

    def lay(self, sensor: int) -> None:
        """Put a wager on a sensor."""
        self.covered.add(sensor)
        self._cover()

    def take(self, sensor: int) -> None:
        """Take it away."""
        self.covered.discard(sensor)
        self._cover()

    def restart(self) -> None:
        """Lose power and come back; what lies on it lies on it."""
        self.power_cycle()
        self._cover()

    @property
    def lamps(self) -> set[int]:
        """The lamps that are lit."""
        _, lit = self.event(b"?")
        return {place + 1 for place in range(8) if lit >> place & 1}

    def _cover(self) -> None:
        self.event(b"W", sum(1 << sensor - 1 for sensor in self.covered))


class BoxInC(Piped):
    """A trigger box. Its noise source is a generator of the board's."""

    def __init__(self, bounds: Bounds, *, seed: int, noise: bool) -> None:
        numbers = (bounds.reset_cents, bounds.ceiling_cents, bounds.most_units)
        super().__init__("box", "SIM-TB1", *map(str, numbers), str(int(noise)), seed=seed)

    def noise(self, *, works: bool) -> bytes:
        """The noise source fails or works again."""
        self.words = (*self.words[:-1], str(int(works)))
        return self.event(b"N", works)

    def snapshot(self) -> tuple[bytes]:
        """A copy of its memory."""
        return (self.memory.read_bytes(),)

    def restore(self, image: tuple[bytes]) -> None:
        """An older memory in its place."""
        self.close()
        self.memory.write_bytes(image[0])
        self._power()
