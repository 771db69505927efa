"""Shoes in C on a pseudo-terminal before the session of the table, with a journal that outlives it, and all mishaps.

The board has no clock, so the session's time may run faster than the wall's: ``PACE`` times.
"""

from __future__ import annotations

import os
import random
import select
import signal
import subprocess
import time
import tty
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from msgspec.structs import replace

from devices.shoes.shoe import ShoeSession
from firmware_protocols.cards import DECK, Card, Rank, Suit
from firmware_protocols.readings import CardDrawn, DeviceComplained, DeviceHealth, Reading, ShoeDraws, ShoeNumbering
from firmware_protocols.shoe import reference

HERE: Final = Path(__file__).parent
PACE: Final = 10
PATIENCE_S: Final = 20.0
CARD_BYTES: Final = {face: (list(Rank).index(face.rank) + 1) << 4 | list(Suit).index(face.suit) for face in DECK}


def built(directory: Path) -> Path:
    """The board's program, compiled here."""
    program = directory / "board"
    command = ["cc", "-std=c99", "-O2", "-Wall", "-Wextra", "-Werror", "-pedantic", "-o", str(program)]
    subprocess.run([*command, str(HERE / "shoe.c"), str(HERE / "board.c")], check=True)
    return program


@dataclass
class Left:
    """A card that left a shoe. ``sure``: its report cannot be missing; else the table must have said that it may."""

    face: Card
    sure: bool = True
    readable: bool = True

    def may_be(self, face: Card | None) -> bool:
        """Whether the table may have been sent ``face`` of it."""
        return face is self.face or (face is None and not self.readable)


@dataclass
class Shoe:
    """One shoe: its memory, and the cards that left it."""

    program: Path
    serial: str
    memory: Path
    left: list[Left] = field(default_factory=list)
    process: subprocess.Popen[bytes] | None = None
    control: int = -1
    answers: int = -1

    def power(self, line: int) -> None:
        """It gets power, and its line is that of the table."""
        asking, self.control = os.pipe()
        self.answers, answering = os.pipe()
        self.process = subprocess.Popen(
            [str(self.program), str(self.memory), self.serial, str(asking), str(answering)],
            stdin=line,
            stdout=line,
            pass_fds=(asking, answering),
        )
        os.close(asking)
        os.close(answering)

    def cut_power(self) -> None:
        """Its power is gone, whatever it was doing."""
        if self.process is not None:
            self.process.send_signal(signal.SIGKILL)
            self.process.wait()
            os.close(self.control)
            os.close(self.answers)
            self.process = None

    def act(self, what: bytes, value: int) -> int | None:
        """Let something happen at the board; 1 done, 0 held back, None: its power went meanwhile."""
        try:
            os.write(self.control, what + bytes((value,)))
        except BrokenPipeError:
            return None
        answer = os.read(self.answers, 1)
        return answer[0] if answer else None

    def draw(self, face: Card) -> bool:
        """A card leaves it, if it is not locked; whether it still has power then."""
        answer = self.act(b"D", CARD_BYTES[face])
        if answer:
            self.left.append(Left(face))
        if answer is None:
            self.left.append(Left(face, sure=False, readable=False))
        return answer is not None


class Bench:
    """A table with two shoes in turn. What its journal has survives the session."""

    def __init__(self, directory: Path, program: Path, chance: random.Random) -> None:
        self.chance = chance
        self.far, near = os.openpty()
        tty.setraw(near)
        self.port = os.ttyname(near)
        self._held = near
        self.near = -1
        self.shoes = [Shoe(program, serial, directory / serial) for serial in ("C0001", "C0002")]
        self.shoe = self.shoes[0]
        self.journal: list[tuple[str, int, CardDrawn]] = []
        self.known: dict[tuple[str, int], ShoeDraws] = {}
        self.complaints: list[str] = []
        self.states: list[str] = []
        self.queue: list[Reading] = []
        self.drawn = 0
        self.session = self._session()
        self.shoe.power(self.far)

    def _session(self) -> ShoeSession:
        return ShoeSession(reference.CODEC, known=tuple(self.known.values()))

    @property
    def now_ns(self) -> int:
        return time.monotonic_ns() * PACE

    # --- what happens ---------------------------------------------------------------------------------

    def plug(self) -> None:
        if self.near < 0:
            self.near = os.open(self.port, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)
            self.session.connected(self.now_ns)

    def unplug(self) -> None:
        if self.near >= 0:
            os.close(self.near)
            self.near = -1
            self.session.disconnected(self.now_ns)
            self._collect()

    def kill(self) -> None:
        """The daemon ends at once: what it had not committed it has never heard."""
        if self.near >= 0:
            os.close(self.near)
            self.near = -1
        self.queue.clear()
        self.session = self._session()

    def power_cycle(self) -> None:
        self.shoe.cut_power()
        self.shoe.power(self.far)

    def exchange(self) -> None:
        self.shoe.cut_power()
        self.shoe = self.shoes[1 - self.shoes.index(self.shoe)]
        self.shoe.power(self.far)

    def fail_memory(self) -> None:
        """All that the shoe's memory held is noise; what it kept is lost."""
        self.shoe.cut_power()
        size = self.shoe.memory.stat().st_size if self.shoe.memory.exists() else 0
        self.shoe.memory.write_bytes(self.chance.randbytes(size))
        for card in self.unjournaled(self.shoe):
            card.sure = False
        self.shoe.power(self.far)

    def fail_record(self) -> None:
        """One record of the shoe's memory is noise."""
        self.shoe.cut_power()
        if self.shoe.memory.exists() and (content := bytearray(self.shoe.memory.read_bytes())):
            slot = 16 + 9 * self.chance.randrange(128)
            if slot + 8 <= len(content) and any(byte != 0xFF for byte in content[slot : slot + 8]):
                content[slot + self.chance.randrange(8)] ^= 1 << self.chance.randrange(8)
                self.shoe.memory.write_bytes(content)
                for card in self.unjournaled(self.shoe):
                    card.readable = False
        self.shoe.power(self.far)

    def draw(self) -> None:
        face = DECK[self.drawn % len(DECK)]
        self.drawn += 1
        if not self.shoe.draw(face):
            self.power_cycle()

    def brown_out(self) -> None:
        """A card leaves the shoe, and its power goes after some bytes of the record."""
        if self.shoe.act(b"C", self.chance.randrange(10)) is None:
            self.power_cycle()
        self.draw()
        self.power_cycle()

    # --- the table's end ------------------------------------------------------------------------------

    def step(self, wait_s: float = 0.002) -> None:
        """Bytes travel, time passes, what came is committed."""
        if self.near < 0:
            return
        self._send()
        if select.select([self.near], [], [], wait_s)[0]:
            try:
                data = os.read(self.near, 4096)
            except OSError:
                data = b""
            self.session.receive(data, self.now_ns)
        deadline = self.session.next_deadline()
        if deadline is not None and deadline <= self.now_ns:
            self.session.handle_deadline(self.now_ns)
        self._collect()

    def commit(self, count: int) -> None:
        """The journal has so many more readings for good, and the session hears of it."""
        stored, self.queue = self.queue[:count], self.queue[count:]
        for reading in stored:
            self._store(reading)
        for reading in stored:
            if isinstance(reading, ShoeNumbering):
                self.session.entered(reading.shoe, self.now_ns)
            elif isinstance(reading, CardDrawn) and reading.sequence is not None:
                self.session.acknowledge(reading.sequence)

    def _store(self, reading: Reading) -> None:
        match reading:
            case ShoeNumbering(shoe):
                self.known.pop((shoe.serial, shoe.series), None)
                self.known[shoe.serial, shoe.series] = shoe
            case CardDrawn(sequence=int(sequence)):
                key = next(reversed(self.known))
                assert sequence == self.known[key].last + 1
                self.known[key] = replace(self.known[key], last=sequence)
                self.journal.append((*key, reading))
            case DeviceComplained(code=code):
                self.complaints.append(code)
            case DeviceHealth(state=state):
                self.states.append(state)
            case _:
                pass

    def _collect(self) -> None:
        self.queue += self.session.readings()

    def _send(self) -> None:
        data = self.session.bytes_to_send()
        if data:
            try:
                os.write(self.near, data)
            except BlockingIOError:
                return

    def calm_down(self) -> None:
        """Each shoe is plugged in until it keeps nothing and says so."""
        for _ in self.shoes:
            self.exchange()
            self.settle()

    def settle(self) -> None:
        """The shoe in place is plugged in until it has reported all that it keeps."""
        self.unplug()
        self.plug()
        end = time.monotonic() + PATIENCE_S
        quiet_ns = 0
        while time.monotonic() < end and quiet_ns < 1_000_000_000:
            before, begin_ns = len(self.journal), self.now_ns
            self.step()
            self.commit(len(self.queue))
            ready = self.states[-1:] == ["ready"] and len(self.journal) == before
            quiet_ns = quiet_ns + self.now_ns - begin_ns if ready else 0

    def close(self) -> None:
        """Everything is switched off."""
        self.kill()
        for shoe in self.shoes:
            shoe.cut_power()
        os.close(self.far)
        os.close(self._held)

    # --- what must be true ----------------------------------------------------------------------------

    def unjournaled(self, shoe: Shoe) -> list[Left]:
        """The cards that left a shoe and that the journal does not have (yet)."""
        journaled = sum(serial == shoe.serial for serial, _, _ in self.journal)
        return shoe.left[journaled + self._compared(shoe, [])[0] :]

    def _compared(self, shoe: Shoe, wrong: list[str]) -> tuple[int, int]:
        """How many cards of a shoe are missing before the last one reported, and how many behind it."""
        missed = at = 0
        for face in [card.face for serial, _, card in self.journal if serial == shoe.serial]:
            while at < len(shoe.left) and not shoe.left[at].may_be(face):
                if shoe.left[at].sure:
                    wrong.append(f"{shoe.serial}: {shoe.left[at].face} is missing before {face}")
                missed += 1
                at += 1
            if at == len(shoe.left):
                wrong.append(f"{shoe.serial}: {face} never left it there")
            at += 1
        wrong += [f"{shoe.serial}: {card.face} is missing at the end" for card in shoe.left[at:] if card.sure]
        return missed, len(shoe.left[at:])

    def findings(self) -> list[str]:
        """What was lost, reported twice, reported wrongly or out of order, though nobody said that it might be."""
        keys = Counter((serial, series, card.sequence) for serial, series, card in self.journal)
        wrong = [f"reported twice: {key}" for key, count in keys.items() if count > 1]
        missed = sum(sum(self._compared(shoe, wrong)) for shoe in self.shoes)
        # Power lost in a draw, and then another shoe: the table hears of the other shoe alone, and asks.
        if missed and not {"draws_missing", "shoe_restarted", "shoe_exchanged"}.intersection(self.complaints):
            wrong.append(f"{missed} cards are missing and nothing was said")
        return wrong
