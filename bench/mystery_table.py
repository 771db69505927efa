"""A search for the trigger where a running table keeps and says things: the daemon, a real box, and simulated devices.

    python -m bench.mystery_table [--contributions 10000] [--seed 1]

A table with a must-hit-by meter is played over pseudo-terminals, seven wagers a round, until the box has answered so
many contributions without a hit. Most rounds are as short as one can be that contributes (locked, one card, handed to
the floor); each shoe begins with a whole one, and somebody acknowledges the alerts. Then everything the table process
wrote, said or holds is searched for the number that was drawn, for the trigger and for the box's key.
``make campaign-mystery`` runs it.

    python -m bench.mystery_table run TABLE_FILE PROFILE    the daemon, on a profile with wide bounds
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import sys
import tempfile
from collections.abc import AsyncIterator, Iterator, Sequence
from pathlib import Path
from random import Random
from typing import Any, Final, Literal, NamedTuple

import msgspec
import zmq
import zmq.asyncio

from controller.commands.table_program import serve
from controller.core.messages.alerts import CloseRefused
from controller.core.messages.events import BettingClosed, RoundClosed, TableStarted
from controller.core.messages.meter_events import MeterReopened
from controller.core.messages.raised_alerts import AlertRaised
from controller.daemon.recovery import recover
from controller.daemon.startup import marks_of
from controller.formats.replay import state_bytes
from controller.io.files import profile_files
from controller.io.files.key_file import create_key, read_key
from controller.io.files.table_file import load_table
from controller.io.journal.reader import JournalReader
from controller.io.mqtt.broker import mosquitto
from controller.io.mqtt.connection import Broker, connected
from controller.io.system.log import configure_log
from controller.io.system.randomness import SystemEntropy
from controller.reports.audit.mystery_proof import Bounds, trigger_cents
from controller.trigger_box import custody
from controller.trigger_box.sealing import SealContext, Secret
from controller.trigger_box.store import BoxStore
from firmware_protocols import discovery
from firmware_protocols.cards import DECK, Card
from simulators.devices.bet_spots import BetSpotsSimulator
from simulators.devices.keypad import KeypadSimulator
from simulators.devices.shoe import ShoeSimulator
from simulators.devices.sign import SignSimulator
from simulators.devices.wire import Device
from simulators.people.performance import AGAIN_S
from simulators.people.rack import Rack
from simulators.serve import Station
from tests.trigger_box.premises import box_command, noise, running, write_files
from tests.wiring.premises import KEY_OF, PATIENCE_S, TABLE_FILE, TOPICS, Ear, ran

BOUNDS: Final = Bounds(10_000_000, 99_999_999)
"""So wide that the number has eight digits: a shorter one would stand somewhere by chance."""

SPOTS: Final = range(1, 8)
BONUS: Final = "five_card_progressive"
PROFILE: Final = "hollywood-penn-national"
SECTIONS: Final = """
[[meters]]
name = "mystery"
pays = "mystery"
fed_by = ["five_card_progressive"]
rate = [1, 2500]
unreasonable_cents = 200

[trigger]
port = "unix:{folder}/trigger.sock"
pairing_key_file = "pairing.key"

[[signs]]
protocol = "alpha"
port = "{folder}/ports/sign"
meters = ["mystery"]

[tap]
socket = "{folder}/tap"
"""
HURRY_S: Final = 5.0
"""How long a round may take to close before it is looked what the table waits for."""

WHOLE: Final = (*(f"T{suit}" for suit in "cdhscdh"), "9c", *(f"9{suit}" for suit in "dhsdhsd"), "8c")
"""Seven boxes with nineteen against seventeen: each stands, and the dealer takes no card."""

BYTE_ORDERS: Final[tuple[Literal["big", "little"], ...]] = ("big", "little")

AMBIGUOUS_BYTES: Final = 4 << 20
"""Four bytes stand by chance once in so many times a thousand; in more than this only longer forms are looked for."""


class Recorded:
    """A device, and every byte the table sent it."""

    def __init__(self, device: Device) -> None:
        self.device = device
        self.heard = bytearray()

    def receive(self, data: bytes) -> bytes:
        self.heard += data
        return self.device.receive(data)

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - whatever the device has
        return getattr(self.device, name)


class Searched(NamedTuple):
    """What was searched, in bytes by place, what was found there, and in which places a number all may know was."""

    contributions: int
    rounds: int
    sizes: dict[str, int]
    found: list[tuple[str, bytes]]
    known: list[str]


def wide_profile() -> str:
    """The profile with bounds as the box of this search has them."""
    text = profile_files.text_of(PROFILE)
    for key, cents in (("mystery_reset_cents", BOUNDS.reset_cents), ("mystery_ceiling_cents", BOUNDS.ceiling_cents)):
        line = next(one for one in text.splitlines() if one.startswith(f"{key} = "))
        text = text.replace(line, f"{key} = {cents}", 1)
    return text


def run_daemon(file: Path, profile: Path) -> None:
    """What ``tableside run`` does, on a profile in a file."""
    configure_log("json", level="debug")
    table = load_table(file)._replace(profile=profile_files.load(str(profile)))
    asyncio.run(serve(table, marks_of(file, table)))


# --- playing ------------------------------------------------------------------------------------------


class Table:
    """One table in a folder, its devices, and who plays there."""

    def __init__(self, folder: Path, broker: Broker, seed: int) -> None:
        self.folder = folder
        self.ear = Ear()
        self.broker = broker
        self.chance = Random(seed)
        self.shoe: list[Card] = []
        self.rounds = self.questions = 0
        self.rack = Rack()
        zones: dict[tuple[int, int | None], tuple[int, str]] = {
            (spot, antenna): (spot, zone) for spot in SPOTS for antenna, zone in ((1, "main"), (2, BONUS))
        }
        self.devices: dict[str, Any] = {
            "shoe": Recorded(ShoeSimulator(discovery.find("shoe", "bee_tek"))),
            "bet_spots": Recorded(BetSpotsSimulator(discovery.find("bet_spots", "feig_obid"), zones)),
            "keypad": Recorded(KeypadSimulator(discovery.find("keypad", "matrix_orbital"))),
        }
        sign = Recorded(SignSimulator(discovery.find("sign", "alpha")))
        self.station = Station(folder / "ports", **self.devices, beside={"sign": sign}, patience_s=PATIENCE_S)
        self.devices["sign"] = sign
        create_key(folder / "table.key", SystemEntropy())
        (folder / "chips.csv").write_text(self.rack.registry_csv(), encoding="utf-8")
        (folder / "profile.toml").write_text(wide_profile(), encoding="utf-8")
        text = TABLE_FILE.format(host=broker.host, port=broker.port, ports=folder / "ports")
        text = text.replace("insurance = 2", f"{BONUS} = 2") + SECTIONS.format(folder=folder)
        text = text.replace("[options]", "[options]\nchip_unit_cents = 500")
        (folder / "table.toml").write_text(text, encoding="utf-8")

    @property
    def journal(self) -> Path:
        return self.folder / "journal.sqlite"

    async def draw(self, card: Card) -> None:
        self.station.draw(card)
        assert await self.station.taken()

    async def press(self, meaning: str) -> None:
        """As people press: the same key again, or a card, only after the time in which contacts bounce."""
        self.station.key_down(KEY_OF.get(meaning, meaning))
        self.station.key_up()
        assert await self.station.taken()
        await asyncio.sleep(AGAIN_S)

    async def bet(self) -> None:
        """Chips are laid once and lie there: content left from the last round is simply content."""
        for spot in SPOTS:
            self.station.lay(spot, "main", self.rack.give(1_000))
            self.station.lay(spot, BONUS, self.rack.give(2_500))
        before = {place: self.station.inventories(*place) for place in self.station.places}
        assert await self.station.until(
            lambda: all(self.station.inventories(*place) >= looks + 4 for place, looks in before.items())
        )

    async def play(self, whole: bool) -> None:  # noqa: FBT001 - which of two kinds of round
        """A round; ``whole``: to its end, else as far as it contributes."""
        self.rounds += 1
        await self.press("no_more_bets")
        await self.ear.event(BettingClosed, round=self.rounds)
        for face in WHOLE if whole else (self.shoe.pop(),):
            await self.draw(Card(face))
        if whole:
            for meaning in (*("stand" for _ in SPOTS), "hole_turned", "round_closed"):
                await self.press(meaning)
        else:
            await self.hand_over()
        await self.ear.event(RoundClosed, round=self.rounds)

    async def hand_over(self) -> None:
        """Close a round that is not over: refused once, then done. A line that was disturbed may have asked first."""
        closed = self.ear.events
        while not closed(RoundClosed):
            refusals = len(closed(CloseRefused))
            if self.station.shown.startswith("Cards drawn meanwhile"):
                self.questions += 1
                await self.press("no")
            await self.press("round_closed")
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(HURRY_S):
                    await self.ear.until(lambda: bool(closed(RoundClosed)) or len(closed(CloseRefused)) > refusals)  # noqa: B023

    async def new_shoe(self) -> None:
        """Eight decks, shuffled, without the cards of a whole round; one is burned."""
        self.shoe = [Card(card) for card in DECK] * 8
        for face in WHOLE:
            self.shoe.remove(Card(face))
        self.chance.shuffle(self.shoe)
        await self.press("X")
        await self.draw(self.shoe.pop())

    async def contribute(self, count: int) -> int:
        """Play until so many contributions were answered; how many there are then."""
        await self.bet()
        async with connected(self.broker, self.broker.protocols()[0], "") as surveillance:
            while (made := 7 * self.rounds) < count:
                whole = len(self.shoe) < 40
                if whole:
                    await self.new_shoe()
                await self.play(whole)
                for alert in self.ear.events(AlertRaised):
                    seen = msgspec.json.encode({"alert": alert.alert, "who": "surveillance: J. Weber"})
                    await surveillance.publish(TOPICS.command("ack"), seen, qos=1)
                self.ear.published.clear()
        return made


@contextlib.asynccontextmanager
async def tapped(path: Path, kept: bytearray) -> AsyncIterator[None]:
    """Keep what a display hears at the tap."""
    context = zmq.asyncio.Context()
    socket = context.socket(zmq.SUB)
    socket.subscribe(b"")
    socket.connect(f"ipc://{path}")

    async def listen() -> None:
        while True:
            for part in await socket.recv_multipart():
                kept.extend(part)

    task = asyncio.create_task(listen())
    try:
        yield
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        context.destroy(linger=0)


# --- searching ----------------------------------------------------------------------------------------


def forms(number: int) -> list[bytes]:
    """How a number of eight digits may be written down, in forms too long to stand anywhere by chance."""
    hexadecimal = f"{number:x}".encode()
    held = (1).to_bytes(8, "little") + number.to_bytes(4, "little")
    # The last is how CPython holds it.
    return [
        str(number).encode(),
        f"{number // 100:,}.{number % 100:02d}".encode(),
        hexadecimal,
        hexadecimal.upper(),
        held,
    ]


def short_forms(number: int) -> list[bytes]:
    """The same in four and eight bytes, of which five may be zeros: among a hundred megabytes they stand by chance."""
    return [number.to_bytes(size, order) for size in (4, 8) for order in BYTE_ORDERS]


def memory_of(pid: int) -> Iterator[bytes]:
    """What a process holds in memory that it may write, region by region; nothing where we may not look."""
    with contextlib.suppress(PermissionError), Path(f"/proc/{pid}/mem").open("rb", 0) as memory:
        for line in Path(f"/proc/{pid}/maps").read_text().splitlines():
            span, rights = line.split()[:2]
            if rights.startswith("rw"):
                first, last = (int(one, 16) for one in span.split("-"))
                with contextlib.suppress(OSError, OverflowError, ValueError):
                    memory.seek(first)
                    yield memory.read(last - first)


Commands = Sequence[tuple[list[str], *tuple[str, ...]]]
"""Words of ``tableside`` before the journal, and options behind it."""

COMMANDS: Final[Commands] = (
    (["status"], "--shoe"), (["status"], "--json"), (["meters"],), (["meters"], "--json"), (["rounds"], "--json"),
    (["alerts"], "--all"), (["alerts"], "--json"), (["export"], "--events"), (["export"], "--rows", "meters"),
    (["export"], "--rows", "wagers"), (["report"], "--rounds", "200"), (["mystery", "verify"],), (["verify"],),
)  # fmt: skip
"""What people type to look at a table."""


async def places(table: Table, pid: int, tap: bytes, commands: Commands) -> dict[str, list[bytes]]:
    """Everything there is to search while the daemon runs, and what its journal opens to."""
    ear, later, folder = table.ear, Ear(), table.folder
    async with later.listening(table.broker):
        await later.until(lambda: later.last(TOPICS.state("meters")) is not None)
    with JournalReader(table.journal) as reader:
        events = b"\n".join(row.body for row in reader.events())
        records = b"\n".join(row.body for row in reader.records())
    answers = [await ran(*command, str(table.journal), *more) for command, *more in commands]
    state = recover(table.journal, read_key(folder / "table.key")).table
    assert state is not None
    process = Path(f"/proc/{pid}")
    return {
        "log": [(folder / "daemon.log").read_bytes()],
        "topics": [one.topic.encode() + b" " + one.payload for one in (*ear.messages, *later.messages)],
        "journal's files": [path.read_bytes() for path in sorted(folder.glob("journal.sqlite*"))],
        "events and records": [events, records],
        "the table a checkpoint keeps": [state_bytes(state.state)],
        "what devices were sent": [bytes(one.heard) for one in table.devices.values()],
        "tap": [tap],
        "commands": [f"{output}{errors}".encode() for _, output, errors in answers],
        "process": [(process / name).read_bytes() for name in ("cmdline", "environ", "status", "stat")],
        "memory": list(memory_of(pid)),
    }


def drawn_in(folder: Path) -> tuple[Secret, int]:
    """What the box held, and the trigger; read from its store with both keys once it has ended."""
    config = custody.load_config(folder / "box.toml")
    sealer = custody.sealer_of(config)
    store = BoxStore(Path(config.box.store), sealer)
    drawn, state = store.drawn(1), store.state
    store.close()
    assert drawn is not None
    assert state.cycle == 1
    secret = sealer.open(SealContext(state.identity(), 1, drawn.commitment), drawn.sealed)
    return secret, trigger_cents(secret.drawn_cents, state.share, state.identity(), 1, BOUNDS)


def look(found_in: dict[str, list[bytes]], wanted: list[bytes], short: list[bytes]) -> list[tuple[str, bytes]]:
    """Where any of the forms stands."""
    found = []
    for place, pieces in found_in.items():
        small = sum(map(len, pieces)) <= AMBIGUOUS_BYTES
        for form in (*wanted, *(short if small else ())):
            if any(form in piece for piece in pieces):
                found.append((place, form))
    return found


async def search(count: int, seed: int, commands: Commands) -> Searched:
    """Play, and search."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        file = write_files(folder, reset_cents=BOUNDS.reset_cents, ceiling_cents=BOUNDS.ceiling_cents)
        create_key(folder / "pairing.key", SystemEntropy())
        paired = file.read_text().replace("[line]", '[line]\npairing_key_file = "pairing.key"')
        file.write_text(paired)
        config = custody.load_config(file)
        custody.begin(config, custody.sealer_of(config), custody.Custodians("ann", "ben"), 0, None)
        tap = bytearray()
        async with mosquitto() as broker, noise(folder), running(*box_command(file)) as box:
            table = Table(folder, broker, seed)
            beside = (table.ear.listening(broker), table.station, tapped(folder / "tap", tap))
            async with beside[0], beside[1], beside[2], daemon(folder) as process:
                await table.ear.event(TableStarted)
                await table.ear.event(MeterReopened, meter="mystery")
                assert await table.station.ready()
                made = await table.contribute(count)
                await table.ear.until(lambda: waiting(table.ear) == 0)
                assert not any(one.topic.endswith("/event/jackpot_hit") for one in table.ear.messages)
                found_in = await places(table, process.pid, bytes(tap), commands)
            box.terminate()
            await box.wait()
        secret, trigger = drawn_in(folder)
    wanted = [*forms(secret.drawn_cents), *forms(trigger), secret.key, secret.key.hex().encode()]
    found = look(found_in, wanted, [*short_forms(secret.drawn_cents), *short_forms(trigger)])
    known = sorted({place for place, _ in look(found_in, forms(BOUNDS.ceiling_cents), [])})
    sizes = {place: sum(map(len, pieces)) for place, pieces in found_in.items()}
    return Searched(made, table.rounds, sizes, found, known)


def waiting(ear: Ear) -> int:
    """How many contributions the table has made that the box has not answered, as last published."""
    state = ear.last(TOPICS.state("meters"))
    return -1 if state is None else int(msgspec.json.decode(state)["waiting"])


@contextlib.asynccontextmanager
async def daemon(folder: Path) -> AsyncIterator[asyncio.subprocess.Process]:
    """The daemon at its most talkative."""
    with (folder / "daemon.log").open("wb") as output:
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "bench.mystery_table", "run", str(folder / "table.toml")),
            str(folder / "profile.toml"),
            stdout=output,
            stderr=output,
        )
    try:
        yield process
    finally:
        with contextlib.suppress(ProcessLookupError):
            process.terminate()
        await process.wait()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", nargs="*", help=argparse.SUPPRESS)
    parser.add_argument("--contributions", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    if given.what:
        _, file, profile = given.what
        run_daemon(Path(file), Path(profile))
        return
    searched = asyncio.run(search(given.contributions, given.seed, COMMANDS))
    print(f"table canary: {searched.contributions} contributions in {searched.rounds} rounds")
    for place, size in searched.sizes.items():
        print(f"table canary: {place}: {size} bytes, 0 occurrences" if not searched.found else f"{place}: {size} bytes")
    print(f"table canary: the ceiling, which all may know, is found in: {', '.join(searched.known)}")
    assert not searched.found, searched.found


if __name__ == "__main__":
    main()
