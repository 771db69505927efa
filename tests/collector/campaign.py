"""A property in one database: recorded nights sent under many names, and broker, server and collector killed meanwhile.

A few live tables, with daemons, devices and people of their own, play beside them. ``python -m
tests.collector.campaign``; at the end every event that was sent is in the database once, byte for byte.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import random
import signal
import sys
import tempfile
import time
from asyncio.subprocess import DEVNULL, Process
from collections.abc import Sequence
from pathlib import Path
from typing import Final, NamedTuple

from controller.formats.journal.records import Identity
from controller.io.mqtt.broker import find_mosquitto, free_port, mosquitto
from controller.io.mqtt.connection import Broker, ConnectionLost, connected
from tests.collector.conftest import Database, made
from tests.collector.live import CONSUMER, live_tables
from tests.collector.recorded import EPOCH, NIGHTS, RecordedTable, Speaker, after, bodies, renamed
from tests.link.server import Server

ROOT: Final = Path(__file__).parents[2]

EVENTS_A_SECOND: Final = 1.4
"""Of a table at people's pace: fifty-five rounds an hour, some ninety events each."""

TABLES_A_SPEAKER: Final = 50
STEP_SECONDS: Final = 0.5
LATE_TIMES: Final = 2.0
"""What a table could not send at its time, as its broker was away or its last night not held, it sends afterwards: so
many times as fast as else, until it is on time."""

PATIENCE_SECONDS: Final = 1200.0

STRETCH_SECONDS: Final = 30.0
"""The fastest stretch of so long is said beside the whole, at whose end fewer and fewer tables send."""


def tables(count: int, lap: int) -> list[RecordedTable]:
    """So many tables, each with a recorded night, in the epoch of a lap; the next lap has the next night for each."""
    identities = [Identity("harbour", f"bj-{number + 1}", EPOCH + 10_000 * lap) for number in range(count)]
    found = [
        RecordedTable(one, renamed(bodies(NIGHTS[(at + lap) % len(NIGHTS)]), one)) for at, one in enumerate(identities)
    ]
    for one in found:
        one.acknowledged[CONSUMER] = 0
    return found


class Nights:
    """One table's nights, each in an epoch of its own: the next begins once the last is acknowledged to its end."""

    def __init__(self, nights: Sequence[RecordedTable]) -> None:
        self._nights = nights
        self._at = 0

    @property
    def now(self) -> RecordedTable:
        """The night that is sent."""
        return self._nights[self._at]

    def next(self, due: int, most: int) -> list[tuple[str, bytes]]:
        """The next events, ``most`` at the most, of the first ``due`` of all nights."""
        if self.now.acknowledged[CONSUMER] == len(self.now.events) and self._at + 1 < len(self._nights):
            self._at += 1
        sent = sum(night.sent for night in self._nights)
        return self.now.next(min(most, max(0, due - sent)))


class Property:
    """Broker, server and collector, each killed and started again."""

    def __init__(self, database: Database, folder: Path, chance: random.Random) -> None:
        self.database = database
        self.chance = chance
        self.broker = Broker(host="127.0.0.1", port=free_port())
        self.kills = {"broker": 0, "server": 0, "collector": 0}
        self._collector: Process | None = None
        self._file = folder / "harbour.toml"
        self._file.write_text(
            f'[collect]\npostgresql = "{database.collector}"\n\n'
            f'[broker]\nhost = "127.0.0.1"\nport = {self.broker.port}\nprotocol = "5"\n'
        )
        self._serving: contextlib.AsyncExitStack | None = None

    async def start_broker(self) -> None:
        self._serving = contextlib.AsyncExitStack()
        await self._serving.enter_async_context(mosquitto(port=self.broker.port))

    async def start_collector(self) -> None:
        command = (sys.executable, "-m", "controller", "collect", "run", str(self._file))
        self._collector = await asyncio.create_subprocess_exec(*command, cwd=ROOT, stdout=DEVNULL, stderr=DEVNULL)

    async def stop(self) -> int:
        """Stop the collector as its service does; the most memory it took, in KiB."""
        assert self._collector is not None
        status = await asyncio.to_thread(Path(f"/proc/{self._collector.pid}/status").read_text, encoding="utf-8")
        self._collector.send_signal(signal.SIGTERM)
        await self._collector.wait()
        if self._serving is not None:
            await self._serving.aclose()
        return int(status.partition("VmHWM:")[2].split()[0])

    async def kill(self) -> None:
        """Kill one of the three, and start it again."""
        what = self.chance.choice(sorted(self.kills))
        self.kills[what] += 1
        match what:
            case "broker":
                assert self._serving is not None
                await self._serving.aclose()
                await self.start_broker()
            case "server":
                await asyncio.to_thread(self.database.server.kill)
                await asyncio.to_thread(self.database.server.start)
            case _:
                assert self._collector is not None
                self._collector.kill()
                await self._collector.wait()
                await self.start_collector()


async def speak(broker: Broker, of: Sequence[Nights], name: str, each: int, done: asyncio.Event) -> None:
    """Tell the events of these tables at their pace until all are held; a lost broker costs time, and no event."""
    clock = asyncio.get_running_loop().time
    began = clock()
    while not done.is_set():
        with contextlib.suppress(ConnectionLost, OSError, ExceptionGroup):
            async with connected(broker, "5", name) as client:
                speaker = Speaker(client, [one.now for one in of])
                task = asyncio.create_task(speaker.run())
                lost = asyncio.create_task(client.until_lost())
                try:
                    due = clock()
                    while not (done.is_set() or lost.done() or task.done()):
                        events = each * (1 + int((clock() - began) / STEP_SECONDS))
                        for table in of:
                            await speaker.send_for(table.now, table.next(events, round(LATE_TIMES * each)))
                        due = max(due + STEP_SECONDS, clock())
                        await after(due - clock())
                finally:
                    for one in (task, lost):
                        one.cancel()
                    await asyncio.gather(task, lost, return_exceptions=True)
        await after(0.2)


def held(database: Database) -> int:
    """How many events of recorded nights are in the database."""
    ((count,),) = database.rows("SELECT coalesce(sum(events), 0) FROM tableside.tables WHERE name LIKE 'bj-%'")
    return int(count)


class Pace(NamedTuple):
    """How fast events came into the database: the seconds that all took, and the most a second over a stretch."""

    seconds: float
    fastest: float


def fastest(samples: Sequence[tuple[float, int]]) -> float:
    """The most events a second over ``STRETCH_SECONDS``, of moments in seconds and what was held then."""
    return max(
        (
            (count - before) / (at - since)
            for number, (since, before) in enumerate(samples)
            for at, count in samples[number:]
            if STRETCH_SECONDS <= at - since < 2 * STRETCH_SECONDS
        ),
        default=0.0,
    )


async def evening(site: Property, of: Sequence[Sequence[RecordedTable]], given: argparse.Namespace) -> Pace:
    """Every night of every table, sent and held; how fast."""
    total = sum(len(night.events) for nights in of for night in nights)
    each = max(1, round(EVENTS_A_SECOND * given.pace * STEP_SECONDS))
    done = asyncio.Event()
    lanes = [Nights(nights) for nights in of]
    groups = [lanes[at : at + TABLES_A_SPEAKER] for at in range(0, len(lanes), TABLES_A_SPEAKER)]
    speakers = [asyncio.create_task(speak(site.broker, one, f"pit-{at}", each, done)) for at, one in enumerate(groups)]
    # Spread over the time that sending alone would take.
    between = total / len(of) / (EVENTS_A_SECOND * given.pace) / (given.kills + 1)
    began, left, due = time.monotonic(), given.kills, between
    samples = [(0.0, 0)]
    async with asyncio.timeout(PATIENCE_SECONDS):
        while (count := await asyncio.to_thread(held_or_none, site.database)) != total:
            passed = time.monotonic() - began
            if count is not None:
                samples.append((passed, count))
            if left and count is not None and passed >= due:
                left -= 1
                due += between * site.chance.uniform(0.5, 1.5)
                await site.kill()
            await after(1)
            sent = sum(night.sent for nights in of for night in nights)
            print(
                f"\r{passed:5.0f} s: {sent} of {total} events sent, {count} held ", end="", file=sys.stderr, flush=True
            )
    print(file=sys.stderr)
    seconds = time.monotonic() - began
    done.set()
    await asyncio.gather(*speakers)
    return Pace(seconds, fastest(samples))


def held_or_none(database: Database) -> int | None:
    """As ``held``; None while the server does not answer."""
    try:
        return held(database)
    except OSError:
        return None
    except Exception as error:
        if type(error).__module__.startswith("psycopg"):
            return None
        raise


def differences(database: Database, of: Sequence[RecordedTable]) -> int:
    """Events that are not in the database once, byte for byte."""
    wrong = 0
    for one in of:
        where = f"name = '{one.identity.table}' AND epoch = {one.identity.epoch}"
        rows = database.rows(f"SELECT body FROM tableside.events WHERE {where} ORDER BY seq")
        wrong += [bytes(row[0]) for row in rows] != one.events
    return wrong


class Held(NamedTuple):
    """What the campaign came to: events sent by recorded tables, tables of which the database holds something else."""

    events: int
    wrong: int


async def sent_and_held(site: Property, given: argparse.Namespace) -> Held:
    """Every night of every table, held against what was sent."""
    nights = [tables(given.tables, number) for number in range(given.nights)]
    pace = await evening(site, list(zip(*nights, strict=True)), given)
    events = sum(len(one.events) for of in nights for one in of)
    usual = given.tables * EVENTS_A_SECOND
    print(
        f"{events} events of {given.tables} tables in {pace.seconds:.1f} s, {events / pace.seconds:.0f} a second, "
        f"{events / pace.seconds / usual:.1f} times people's pace; {pace.fastest / usual:.1f} times over the fastest "
        f"{STRETCH_SECONDS:.0f} s",
        flush=True,
    )
    return Held(events, sum(differences(site.database, of) for of in nights))


def verdict(database: Database, recorded: Held, live_events: int) -> bool:
    """Say what the database holds; whether it is every event once and every opened card is right."""
    ((rows, size),) = database.rows("SELECT count(*), pg_database_size(current_database()) FROM tableside.events")
    ((found,),) = database.rows("SELECT count(*) FROM tableside.events WHERE name LIKE 'bj-%'")
    ((drawn, opened, cards_wrong),) = database.rows(
        "SELECT sum(cards_drawn), sum(cards_opened), sum(cards_wrong) FROM tableside.tables"
    )
    print(
        f"{found} events held of {recorded.events}, {recorded.wrong} tables differ; {rows - found} of live tables, "
        f"whose journals held {live_events}; {opened} of {drawn} cards opened, {cards_wrong} wrong; "
        f"{size // max(1, rows)} bytes an event"
    )
    # A live table's daemon goes on until the end: what it says of itself meanwhile is held too.
    return (found, recorded.wrong, cards_wrong) == (recorded.events, 0, 0) and rows - found >= live_events


async def campaign(given: argparse.Namespace) -> int:
    """Run it; the exit status."""
    with tempfile.TemporaryDirectory(prefix="tableside-pg-") as name, tempfile.TemporaryDirectory() as folder:
        server = Server(Path(name))
        server.start()
        try:
            database = made(server)
            site = Property(database, Path(folder), random.Random(given.seed))
            await site.start_broker()
            await site.start_collector()
            async with live_tables(Path(folder), site.broker, given.live, given.seed, given.pace) as live:
                recorded = await sent_and_held(site, given)
                async with asyncio.timeout(PATIENCE_SECONDS):
                    rounds, live_events = await live.held(database)
                print(f"{given.live} live tables: {rounds} rounds, {live_events} events", flush=True)
                is_right = verdict(database, recorded, live_events)
            most = await site.stop()
        finally:
            server.stop()
    print(f"kills: {site.kills}; the collector took at most {most // 1024} MiB")
    return 0 if is_right else 1


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--tables", type=int, default=300)
    parser.add_argument("--live", type=int, default=3, help="live tables beside them")
    parser.add_argument("--pace", type=float, default=10.0, help="times people's")
    parser.add_argument("--nights", type=int, default=len(NIGHTS), help="of each table, one after the other")
    parser.add_argument("--kills", type=int, default=12, help="of broker, server and collector in all")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    if find_mosquitto() is None:
        sys.exit("the campaign needs Mosquitto")
    sys.exit(asyncio.run(campaign(given)))


if __name__ == "__main__":
    main()
