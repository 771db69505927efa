"""A whole house for tests: simulated devices on pseudo-terminals, the daemon as a process, and somebody who listens.

Nothing here waits for time to pass. Waits are for messages, for the readers' polls or for a process to end, and each
gives up after ``PATIENCE_S``.
"""

from __future__ import annotations

import asyncio
import contextlib
import random
import signal
import sys
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from controller.core.messages.alerts import RoundIrregular
from controller.core.messages.events import (
    Event,
    QuestionAsked,
    RoundClosed,
    TableStarted,
    WagerSettled,
    WagerUnresolved,
)
from controller.demo.table import devices
from controller.formats.mqtt.envelope import Published, Topics, read_event
from controller.io.files import profile_files
from controller.io.files.key_file import create_key
from controller.io.journal.reader import JournalReader
from controller.io.mqtt.connection import Broker, ConnectionLost, connected
from controller.io.system.randomness import SystemEntropy
from firmware_protocols.cards import Card
from simulators.devices.bet_spots import BetSpotsSimulator
from simulators.devices.wire import Device
from simulators.people.acts import Act, Draw, Lay, Press, RoundPlayed, by_round
from simulators.people.dealer import play
from simulators.people.house import house_from
from simulators.people.performance import READING_S, perform
from simulators.people.rack import Rack
from simulators.people.simulated_table import StandKey
from simulators.serve import Port, Station
from tests.io.virtual_time import passes

PATIENCE_S = 60.0
"""Far more than anything here takes, on a busy machine too."""

SPEED = 400.0
TOPICS = Topics("harbour", "bj-1")
PROFILE = "hollywood-penn-national"
KEY_OF = {
    "hit": "K",
    "stand": "L",
    "double": "M",
    "no_more_bets": "P",
    "hole_turned": "S",
    "round_closed": "T",
    "yes": "U",
    "no": "V",
}
TABLE_FILE = """\
[table]
site = "harbour"
name = "bj-1"
profile = "hollywood-penn-national"
key_file = "table.key"
journal = "journal.sqlite"
chips = "chips.csv"
reserve_mib = 1

[options]
stand_key = "always"

[broker]
host = "{host}"
port = {port}

[shoe]
protocol = "bee_tek"
port = "{ports}/shoe"

[[bet_spots]]
protocol = "feig_obid"
port = "{ports}/bet_spots"
spots = [1, 2, 3, 4, 5, 6, 7]
antennas = {{main = 1, insurance = 2}}
gap_ms = 1

[keypad]
protocol = "matrix_orbital"
port = "{ports}/keypad"
"""


class Message(NamedTuple):
    """What the broker delivered."""

    topic: str
    payload: bytes
    retained: bool


class Ear:
    """A consumer that writes down every message, in the order it comes (QoS 1)."""

    def __init__(self, *topics: str) -> None:
        self._topics = topics or ("tableside/#",)
        self.messages: list[Message] = []
        self.published: list[Published] = []
        """Events, each seq once, in the order they first came."""
        self.bodies: dict[int, set[bytes]] = {}
        self._arrived = asyncio.Condition()

    @contextlib.asynccontextmanager
    async def listening(self, broker: Broker) -> AsyncIterator[None]:
        """Listen until the end of the block or of the broker."""
        subscribed = asyncio.Event()
        task = asyncio.create_task(self._listen(broker, subscribed))
        try:
            async with asyncio.timeout(PATIENCE_S):
                await subscribed.wait()
            yield
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)

    async def _listen(self, broker: Broker, subscribed: asyncio.Event) -> None:
        with contextlib.suppress(ConnectionLost):
            async with connected(broker, broker.protocols()[0], "") as client:
                await client.subscribe([(topic, 1) for topic in self._topics])
                subscribed.set()
                async for message in client.messages:
                    payload = message.payload
                    assert isinstance(payload, bytes)
                    async with self._arrived:
                        self.hear(Message(str(message.topic), payload, message.retain))
                        self._arrived.notify_all()

    def hear(self, message: Message) -> None:
        self.messages.append(message)
        if "/event/" not in message.topic:
            return
        published = read_event(message.payload)
        if published.seq not in self.bodies:
            self.published.append(published)
        self.bodies.setdefault(published.seq, set()).add(message.payload)

    async def until(self, condition: Callable[[], bool]) -> None:
        async with asyncio.timeout(PATIENCE_S), self._arrived:
            await self._arrived.wait_for(condition)

    def events(self, *kinds: type[Event]) -> list[Any]:
        return [one.event for one in self.published if isinstance(one.event, kinds)]

    async def event(self, kind: type[Event], count: int = 1, **fields: object) -> Any:
        """The ``count``-th event of a kind with these fields."""

        def found() -> list[Any]:
            return [one for one in self.events(kind) if all(getattr(one, key) == fields[key] for key in fields)]

        try:
            await self.until(lambda: len(found()) >= count)
        except TimeoutError:
            last = "\n".join(f"{one.seq} {one.event}" for one in self.published[-40:])
            raise AssertionError(
                f"no {kind.__name__} with {fields} was published; the last events are\n{last}"
            ) from None
        return found()[count - 1]

    def last(self, topic: str) -> bytes | None:
        """The last payload on a topic, None if there was none."""
        return next((one.payload for one in reversed(self.messages) if one.topic == topic), None)

    def due(self) -> dict[tuple[int, int, str], tuple[int, int]]:
        """Wager and due by round, spot and bet, as published."""
        return {(e.round, e.spot, e.bet): (e.wager_cents, e.net_cents) for e in self.events(WagerSettled)}

    def outcomes(self) -> list[str]:
        return [one.outcome for one in self.events(RoundClosed)]


class Bench(Station):
    """A station whose lines can be disturbed and unplugged one by one."""

    @property
    def readers(self) -> BetSpotsSimulator:
        """The chip readers, to be switched on and off."""
        return self._bet_spots

    def say(self, name: str, data: bytes) -> None:
        """Bytes of nobody's choosing on a device's line."""
        self._ports[name].say(data)

    def unplug(self, name: str) -> None:
        self._ports[name].close()

    def plug(self, name: str) -> None:
        found: dict[str, Device] = {"shoe": self._shoe, "bet_spots": self._bet_spots, "keypad": self._keypad}
        found |= self._beside
        self._ports[name] = Port(self._directory / name, found[name], self._stir)

    async def looked(self, looks: int = 3) -> None:
        """Wait until the readers have looked at every zone again."""
        before = {place: self.inventories(*place) for place in self.places}
        assert await self.until(lambda: all(self.inventories(*at) >= was + looks for at, was in before.items()))


class Premises:
    """One table's directory, its devices, its people's chips, and its daemon, which may be killed and started again."""

    environment: Mapping[str, str] | None = None
    """The daemon's; None: ours."""

    def __init__(self, directory: Path, broker: Broker, ear: Ear) -> None:
        self.directory = directory
        self.broker = broker
        self.ear = ear
        self.rack = Rack()
        self.truth: list[RoundPlayed] = []
        self.starts = 0
        self.process: asyncio.subprocess.Process | None = None
        self.journal = directory / "journal.sqlite"
        self.key = directory / "table.key"
        self.table_file = directory / "table.toml"
        self.bench = Bench(directory / "ports", patience_s=PATIENCE_S, **self.devices())
        create_key(self.key, SystemEntropy())
        (directory / "chips.csv").write_text(self.rack.registry_csv(), encoding="utf-8")
        self.table_file.write_text(self.table_text(), encoding="utf-8")

    def devices(self) -> dict[str, Any]:
        """The simulated devices."""
        return devices()

    def table_text(self) -> str:
        """The table file."""
        ports = self.directory / "ports"
        return TABLE_FILE.format(host=self.broker.host, port=self.broker.port, ports=ports)

    # --- the daemon -----------------------------------------------------------------------------------

    async def start(self) -> None:
        """Start the daemon and wait until it serves its devices."""
        self.starts += 1
        await self.spawn()
        try:
            await self.ear.until(lambda: len(self.ear.events(TableStarted)) >= self.starts)
        except TimeoutError:
            raise AssertionError(f"the table did not start: {self.log()}") from None
        await self.bench.looked()
        assert await self.bench.ready()

    async def spawn(self) -> None:
        """Start the daemon."""
        command = program("run", str(self.table_file), "--log-format", "json", "--log-level", "debug")
        with (self.directory / "daemon.log").open("ab") as output:
            self.process = await asyncio.create_subprocess_exec(
                *command, stdout=output, stderr=output, env=self.environment
            )

    async def kill(self) -> None:
        """Pull the plug."""
        assert self.process is not None
        self.process.kill()
        assert await self.process.wait() == -signal.SIGKILL

    async def stop(self) -> None:
        """Ask the daemon to stop; does nothing if it has ended."""
        if self.process is None or self.process.returncode is not None:
            return
        self.process.send_signal(signal.SIGTERM)
        try:
            async with asyncio.timeout(PATIENCE_S):
                assert await self.process.wait() == 0, self.log()
        except TimeoutError:
            raise AssertionError(f"the daemon did not stop: {self.log()}") from None
        finally:
            if self.process.returncode is None:
                self.process.kill()
                await self.process.wait()

    def log(self) -> str:
        return (self.directory / "daemon.log").read_text(encoding="utf-8")

    # --- people ---------------------------------------------------------------------------------------

    async def perform(self, acts: Iterable[Act]) -> None:
        """Let people carry out ``acts``; the readers are never waited for in vain."""
        done = await perform(acts, self.bench, SPEED, sleep=asyncio.sleep, on_round=self.truth.append)
        assert not done.impatient

    async def talk(self, text: str) -> None:
        """Carry out what is written: ``1 main 10`` lays dollars, the name of a key presses it, all else is cards.

        A question is read before it is answered with ``yes`` or ``no``.
        """
        if text.startswith(("yes", "no\n")) or text == "no":
            await passes(READING_S)
        await self.perform(self.acts(text))

    def acts(self, text: str) -> Iterator[Act]:
        for line in text.strip().splitlines():
            match line.split():
                case []:
                    pass
                case [spot, zone, dollars] if spot.isdigit():
                    chips = self.bench.content(int(spot), zone)
                    yield Lay(int(spot), zone, self.rack.change_to(chips, 100 * int(dollars)))
                case [name] if name in KEY_OF:
                    yield Press(KEY_OF[name])
                case faces:
                    yield from (Draw(Card(face)) for face in faces)

    # --- what must hold -------------------------------------------------------------------------------

    async def assert_published_once(self) -> None:
        """The journal's events were published byte for byte: none missing, none twice with other bytes, in order."""
        with JournalReader(self.journal) as reader:
            kept = {row.seq: {row.body} for row in reader.events()}
        last = len(kept)
        assert list(kept) == list(range(1, last + 1))
        # The daemon goes on meanwhile; what it says later is none of this account's business.
        await self.ear.until(lambda: last in self.ear.bodies)
        assert {seq: bodies for seq, bodies in self.ear.bodies.items() if seq <= last} == kept
        assert [one.seq for one in self.ear.published if one.seq <= last] == list(kept)

    async def until_published(self) -> None:
        """Wait until everything in the journal has been published."""
        with JournalReader(self.journal) as reader:
            head = reader.head().seq
        await self.ear.until(lambda: head in self.ear.bodies)

    def assert_settled(self, *rounds: int) -> None:
        """These rounds, and no others, were settled, each as it truly was."""
        truth = {
            (played.round, wager.spot, wager.bet): (wager.wager_cents, wager.net_cents)
            for played in self.truth
            if played.round in rounds
            for wager in played.wagers
        }
        due = self.ear.due()
        ended = [str(event) for event in self.ear.events(RoundClosed, RoundIrregular, WagerUnresolved, QuestionAsked)]
        assert due == truth, [*sorted(due.items() ^ truth.items()), *ended]
        assert {number for number, _, _ in truth} == set(rounds)


def program(*arguments: str) -> tuple[str, ...]:
    """The command line of ``tableside``."""
    return (sys.executable, "-m", "controller", *arguments)


async def ran(*arguments: str, environment: Mapping[str, str] | None = None) -> tuple[int, str, str]:
    """Run ``tableside`` to its end: exit status, output, errors."""
    process = await asyncio.create_subprocess_exec(
        *program(*arguments),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env=environment,
    )
    try:
        output, errors = await asyncio.wait_for(process.communicate(), PATIENCE_S)
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    assert process.returncode is not None
    return process.returncode, output.decode(), errors.decode()


@contextlib.asynccontextmanager
async def open_house(
    directory: Path, broker: Broker, make: Callable[[Path, Broker, Ear], Premises] = Premises
) -> AsyncIterator[Premises]:
    """A table whose daemon runs, heard by somebody; all of it is put away at the end."""
    ear = Ear()
    async with ear.listening(broker):
        premises = make(directory, broker, ear)
        async with premises.bench:
            try:
                await premises.start()
                yield premises
            finally:
                await premises.stop()


def scripted(rack: Rack, seed: int, rounds: int, boxes: int = 2, stand_key: StandKey = "always") -> list[list[Act]]:
    """Rounds that simulated people play, one list of acts a round."""
    chance = random.Random(seed)
    house = house_from(profile_files.raw(PROFILE))
    acts = play(house, chance, rack, (boxes, boxes), rounds=rounds, stand_key=stand_key)
    return list(by_round(acts))


def flipped(path: Path, at: int) -> None:
    """Flip the lowest bit of one byte of a file."""
    data = bytearray(path.read_bytes())
    data[at] ^= 1
    path.write_bytes(data)


def after(acts: Sequence[Act], count: int, wanted: Callable[[Act], bool]) -> int:
    """How many acts there are up to the ``count``-th wanted one, with it."""
    places = [place for place, act in enumerate(acts, start=1) if wanted(act)]
    return places[count - 1]


def json_of(payload: bytes | None) -> Any:
    return None if payload is None else msgspec.json.decode(payload)
