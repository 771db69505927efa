"""Cards on their way from a reference shoe into a journal, byte by byte, with everything unplugged now and then."""

from __future__ import annotations

import random
from collections.abc import Callable

from msgspec.structs import replace

from devices.shoes.expected_shoe import ExpectedShoe
from devices.shoes.shoe import ShoeSession
from firmware_protocols.cards import DECK, Card
from firmware_protocols.messages import ShoeIdentified
from firmware_protocols.readings import (
    CardDrawn,
    DeviceComplained,
    DeviceHealth,
    HealthState,
    Reading,
    ShoeDraws,
    ShoeNumbering,
)
from firmware_protocols.shoe import reference
from simulators.devices.reference_shoe import ReferenceShoeSimulator
from simulators.devices.wire import NullModem

MS = 1_000_000
S = 1_000 * MS
NEW_SERIES = 0xC0FFEE42
"""The series of a memory begun anew."""


class Crossing:
    """Shoe, line, session and journal. What is drawn must end in the journal, once and in order.

    A daemon that crashes forgets what it had not committed and begins again from what the journal has of shoes.
    """

    def __init__(self, first_number: int = 0, *, frees_late: bool = False, serials: tuple[str, ...] = ()) -> None:
        self.shoe = ReferenceShoeSimulator(reference.CODEC, first_number=first_number, frees_late=frees_late)
        self.drawn: list[Card | None] = []
        self.journal: list[CardDrawn] = []
        self.shoes: dict[tuple[str, int], ShoeDraws] = {}
        self.queue: list[CardDrawn | ShoeNumbering] = []
        self.readings: list[Reading] = []
        self.now_ns = 1
        self.to_host = bytearray()
        self.to_shoe = bytearray()
        self.plugged = False
        self.lines_lost = 0
        self._shoe_heard_ns = 0
        self._expected = ExpectedShoe(serials=serials)
        self.session = ShoeSession(reference.CODEC, expected=self._expected)

    # --- what happens ---------------------------------------------------------------------------------

    def draw(self, face: Card | None = None) -> None:
        if not self.shoe.locked:
            face = face or DECK[len(self.drawn) % len(DECK)]
            self.drawn.append(face)
            self.say(self.shoe.draw(face))

    def plug(self) -> None:
        if not self.plugged:
            self.plugged = True
            self.session.connected(self.now_ns)
            self.collect()

    def unplug(self) -> None:
        if self.plugged:
            self.plugged = False
            self.lines_lost += 1
            self._lose_bytes()
            self.session.disconnected(self.now_ns)
            self.collect()

    def exchange(self, shoe: ReferenceShoeSimulator) -> None:
        """Another shoe is put in its place; this one loses its power and is laid aside."""
        self.unplug()
        self.shoe.power_cycle()
        self.shoe = shoe

    def crash(self) -> None:
        """The daemon ends at once and starts again; the line was shut for a moment."""
        self._lose_bytes()
        self.queue.clear()
        self.session = ShoeSession(reference.CODEC, expected=self._expected, known=tuple(self.shoes.values()))
        if self.plugged:
            self.session.connected(self.now_ns)
            self.collect()

    def power_cycle(self) -> None:
        self._lose_bytes()
        self.shoe.power_cycle()

    @property
    def uncommitted(self) -> list[CardDrawn]:
        return [one for one in self.queue if isinstance(one, CardDrawn)]

    def commit(self, count: int, *, crash_before_acknowledging: bool = False) -> None:
        stored, self.queue = self.queue[:count], self.queue[count:]
        for reading in stored:
            self._store(reading)
        if crash_before_acknowledging:
            self.crash()
            return
        for reading in stored:
            report_stored(self.session, reading, self.now_ns)
        self.collect()

    def commit_numbering(self, reading: CardDrawn | ShoeNumbering) -> bool:
        """Store whose draws come, ahead of the cards before it; whether ``reading`` is that."""
        if isinstance(reading, CardDrawn):
            return False
        self._store(reading)
        report_stored(self.session, reading, self.now_ns)
        self.collect()
        return True

    def _store(self, reading: CardDrawn | ShoeNumbering) -> None:
        if isinstance(reading, ShoeNumbering):
            key = reading.shoe.serial, reading.shoe.series
            self.shoes.pop(key, None)
            self.shoes[key] = reading.shoe
            return
        self.journal.append(reading)
        key = next(reversed(self.shoes))
        assert reading.sequence is not None
        self.shoes[key] = replace(self.shoes[key], last=reading.sequence)

    def carry(self, count: int) -> None:
        """Up to so many bytes travel, in each direction."""
        to_shoe, to_host = bytes(self.to_shoe[:count]), bytes(self.to_host[:count])
        del self.to_shoe[:count], self.to_host[:count]
        if to_shoe:
            self._shoe_heard_ns = self.now_ns
            self.say(self.shoe.receive(to_shoe))
        if to_host:
            self.session.receive(to_host, self.now_ns)
            self.collect()

    def damage(self, chance: random.Random) -> None:
        """One bit of what is on its way is changed, or one byte is lost."""
        line = chance.choice((self.to_host, self.to_shoe))
        if line:
            at = chance.randrange(len(line))
            if chance.randrange(2):
                line[at] ^= 1 << chance.randrange(8)
            else:
                del line[at]

    def wait(self, for_ns: int) -> None:
        self.now_ns += for_ns
        if self.now_ns - self._shoe_heard_ns > reference.IDLE_NS:
            self.say(self.shoe.idle())
        deadline_ns = self.session.next_deadline()
        if deadline_ns is not None and deadline_ns <= self.now_ns:
            self.session.handle_deadline(self.now_ns)
        self.collect()

    # --- the end --------------------------------------------------------------------------------------

    def calm_down(self) -> None:
        """Everything is plugged in and stays so, for five seconds."""
        self.plug()
        self.run(lambda: False)

    def run(self, done: Callable[[], bool], most_ns: int = 5_000 * MS) -> bool:
        """Let bytes travel and time pass; whether ``done`` came true."""
        end_ns = self.now_ns + most_ns
        while self.now_ns < end_ns and not done():
            self.carry(4096)
            self.commit(len(self.queue))
            self.wait(20 * MS)
        return done()

    def arrived(self) -> list[Card | None]:
        return [card.face for card in self.journal]

    def complaints(self) -> list[str]:
        return [reading.code for reading in self.readings if isinstance(reading, DeviceComplained)]

    def states(self) -> list[HealthState]:
        return [reading.state for reading in self.readings if isinstance(reading, DeviceHealth)]

    def say(self, data: bytes) -> None:
        if self.plugged:
            self.to_host += data

    def _lose_bytes(self) -> None:
        self.to_host.clear()
        self.to_shoe.clear()

    def collect(self) -> None:
        found = self.session.readings()
        self.readings += found
        self.queue += [reading for reading in found if isinstance(reading, CardDrawn | ShoeNumbering)]
        sent = self.session.bytes_to_send()
        if self.plugged:
            self.to_shoe += sent


def report_stored(session: ShoeSession, reading: CardDrawn | ShoeNumbering, now_ns: int) -> None:
    """Let a session know that the journal has what it reported."""
    if isinstance(reading, ShoeNumbering):
        session.entered(reading.shoe, now_ns)
    elif reading.sequence is not None:
        session.acknowledge(reading.sequence)


class Journaling:
    """A shoe's session beside a journal that keeps at once what it is sent of shoes, and of cards too if ``cards``."""

    def __init__(self, session: ShoeSession, *, cards: bool = False) -> None:
        self._session = session
        self._cards = cards
        self._now_ns = 0
        self.disconnected = session.disconnected
        self.next_deadline = session.next_deadline
        self.bytes_to_send = session.bytes_to_send

    def connected(self, now_ns: int) -> None:
        self._now_ns = now_ns
        self._session.connected(now_ns)

    def receive(self, data: bytes, now_ns: int) -> None:
        self._now_ns = now_ns
        self._session.receive(data, now_ns)

    def handle_deadline(self, now_ns: int) -> None:
        self._now_ns = now_ns
        self._session.handle_deadline(now_ns)

    def readings(self) -> tuple[Reading, ...]:
        found: list[Reading] = []
        while taken := self._session.readings():
            for reading in taken:
                if isinstance(reading, ShoeNumbering) or (self._cards and isinstance(reading, CardDrawn)):
                    report_stored(self._session, reading, self._now_ns)
            found += taken
        return tuple(found)


class Table:
    """A session and a shoe on a line with its own speed."""

    def __init__(self, shoe: ReferenceShoeSimulator, session: ShoeSession | None = None) -> None:
        self.shoe = shoe
        self.session = session or ShoeSession(reference.CODEC)
        self.modem: NullModem[Reading] = NullModem(Journaling(self.session), shoe, reference.CODEC, paced=True)

    def run(self, for_ns: int) -> None:
        self.modem.run_until(self.modem.now_ns + for_ns)

    def start(self) -> None:
        self.modem.connect()
        self.run(100 * MS)

    def draw(self, face: Card) -> None:
        self.modem.say(self.shoe.draw(face))

    def cards(self) -> list[CardDrawn]:
        return [reading for reading in self.modem.readings if isinstance(reading, CardDrawn)]

    def health(self) -> list[tuple[HealthState, str]]:
        return [(one.state, one.detail) for one in self.modem.readings if isinstance(one, DeviceHealth)]

    def complaints(self) -> list[tuple[str, str]]:
        return [(one.code, one.text) for one in self.modem.readings if isinstance(one, DeviceComplained)]


def shoe(first_number: int = 0) -> ReferenceShoeSimulator:
    return ReferenceShoeSimulator(reference.CODEC, first_number=first_number)


def identity(serial: str) -> ShoeIdentified:
    return ShoeIdentified(0, "Tableside", "Sim-1", serial, "2.0")


def started(crossing: Crossing) -> Crossing:
    crossing.plug()
    assert crossing.run(lambda: crossing.states()[-1:] == [HealthState.READY])
    crossing.run(lambda: False, 100 * MS)
    return crossing


def assert_nothing_lost(crossing: Crossing) -> None:
    crossing.calm_down()
    assert crossing.arrived() == crossing.drawn
    assert crossing.shoe.waiting == 0
    assert crossing.states()[-1] is HealthState.READY
    assert "draws_missing" not in crossing.complaints()
