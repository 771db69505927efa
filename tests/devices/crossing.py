"""Cards on their way from a reference shoe into a journal, byte by byte, with everything unplugged now and then."""

from __future__ import annotations

import random
from collections.abc import Callable

from devices.shoe import ShoeSession
from firmware_protocols.cards import DECK, Card
from firmware_protocols.messages import ShoeIdentified
from firmware_protocols.readings import CardDrawn, DeviceComplained, DeviceHealth, HealthState, Reading
from firmware_protocols.shoe import reference
from simulators.reference_shoe import ReferenceShoeSimulator
from simulators.wire import NullModem

MS = 1_000_000
S = 1_000 * MS


class Crossing:
    """Shoe, line, session and journal. What is drawn must end in the journal, once and in order.

    A daemon that crashes forgets what it had not committed and begins again from the journal's last number.
    """

    def __init__(self, first_number: int = 0) -> None:
        self.shoe = ReferenceShoeSimulator(reference.CODEC, first_number=first_number)
        self.drawn: list[Card | None] = []
        self.journal: list[CardDrawn] = []
        self.uncommitted: list[CardDrawn] = []
        self.readings: list[Reading] = []
        self.now_ns = 1
        self.to_host = bytearray()
        self.to_shoe = bytearray()
        self.plugged = False
        self.lines_lost = 0
        self._shoe_heard_ns = 0
        self.session = ShoeSession(reference.CODEC)

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

    def crash(self) -> None:
        """The daemon ends at once and starts again; the line was shut for a moment."""
        self._lose_bytes()
        self.uncommitted.clear()
        last = self.journal[-1].sequence if self.journal else None
        self.session = ShoeSession(reference.CODEC, last_sequence=last)
        if self.plugged:
            self.session.connected(self.now_ns)
            self.collect()

    def power_cycle(self) -> None:
        self._lose_bytes()
        self.shoe.power_cycle()

    def commit(self, count: int, *, crash_before_acknowledging: bool = False) -> None:
        stored, self.uncommitted = self.uncommitted[:count], self.uncommitted[count:]
        self.journal += stored
        if crash_before_acknowledging:
            self.crash()
            return
        for card in stored:
            assert card.sequence is not None
            self.session.acknowledge(card.sequence)
        self.collect()

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
            self.commit(len(self.uncommitted))
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
        self.uncommitted += [reading for reading in found if isinstance(reading, CardDrawn)]
        said = self.session.bytes_to_send()
        if self.plugged:
            self.to_shoe += said


class Table:
    """A session and a shoe on a line with its own speed."""

    def __init__(self, shoe: ReferenceShoeSimulator, session: ShoeSession | None = None) -> None:
        self.shoe = shoe
        self.session = session or ShoeSession(reference.CODEC)
        self.modem: NullModem[Reading] = NullModem(self.session, shoe, reference.CODEC, paced=True)

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
    return ShoeIdentified(0, "Tableside", "Sim-1", serial, "1.0")


def started(crossing: Crossing) -> Crossing:
    crossing.plug()
    assert crossing.run(lambda: crossing.states()[-1:] == [HealthState.READY])
    crossing.run(lambda: False, 100 * MS)
    return crossing
