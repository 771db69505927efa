"""The cable to the broker is pulled: no packet arrives and nothing is refused. Play goes on, and all is published."""

from __future__ import annotations

import asyncio
import contextlib
import os
import shutil
import subprocess
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace

from controller.core.messages.events import CardDrawn
from controller.io.journal.reader import JournalReader
from controller.io.journal.verification import verify
from controller.io.mqtt.connection import Broker
from tests.wiring.premises import TOPICS, Ear, Premises, json_of, open_house, program

DEAL = "1 main 25\nno_more_bets\nTh 7d Qs"
REST = "Td\nstand\nhole_turned\n1 main 50\n1 main 0\nround_closed"


def free_net(first: int) -> str:
    """The first three numbers of addresses that no interface has: a test that was killed leaves its cable behind."""
    taken = subprocess.run(("ip", "-o", "-4", "addr"), check=True, capture_output=True, text=True).stdout
    nets = (f"10.254.{(first + one) % 256}" for one in range(256))
    return next(net for net in nets if f" {net}." not in taken)


class Cable:
    """A pair of network interfaces, the far one in a network of its own, where the daemon runs."""

    def __init__(self) -> None:
        self.name = f"ts{os.getpid()}"
        net = free_net(os.getpid())
        self.near, far = f"{net}.1", f"{net}.2"
        self.ip("netns", "add", self.name)
        self.ip("link", "add", f"{self.name}n", "type", "veth", "peer", "name", "far", "netns", self.name)
        self.ip("addr", "add", f"{self.near}/30", "dev", f"{self.name}n")
        self.ip("link", "set", f"{self.name}n", "up")
        self.far("addr", "add", f"{far}/30", "dev", "far")
        self.far("link", "set", "lo", "up")
        self.plug()

    def ip(self, *words: str) -> None:
        subprocess.run(("ip", *words), check=True)

    def far(self, *words: str) -> None:
        """The same at the daemon's end."""
        self.ip("-n", self.name, *words)

    def plug(self) -> None:
        self.far("link", "set", "far", "up")

    def pull(self) -> None:
        self.far("link", "set", "far", "down")

    def remove(self) -> None:
        self.ip("netns", "del", self.name)


@pytest.fixture
def cable() -> Iterator[Cable]:
    if os.geteuid() != 0 or shutil.which("ip") is None:
        pytest.skip("no network of its own may be made here")
    made = Cable()
    yield made
    made.remove()


class FarAway(Premises):
    """A table whose daemon runs at the far end of a cable."""

    cable: Cable

    async def spawn(self) -> None:
        command = program("run", str(self.table_file), "--log-format", "json", "--log-level", "debug")
        with (self.directory / "daemon.log").open("ab") as output:
            self.process = await asyncio.create_subprocess_exec(
                *("ip", "netns", "exec", self.cable.name), *command, stdout=output, stderr=output, env=self.environment
            )


@contextlib.asynccontextmanager
async def carried(cable: Cable, broker: Broker) -> AsyncIterator[Broker]:
    """The broker as it is reached over the cable."""

    async def carry(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        to_broker = await asyncio.open_connection(broker.host, broker.port)

        async def copy(source: asyncio.StreamReader, target: asyncio.StreamWriter) -> None:
            with contextlib.suppress(OSError):
                while data := await source.read(65_536):
                    target.write(data)
                    await target.drain()
            target.close()

        await asyncio.gather(copy(reader, to_broker[1]), copy(to_broker[0], writer))

    server = await asyncio.start_server(carry, cable.near, 0)
    async with server:
        yield replace(broker, host=cable.near, port=server.sockets[0].getsockname()[1])


def closed_in(journal: Path) -> bool:
    """Whether the journal has the end of a round."""
    with JournalReader(journal) as reader:
        return any(b"tableside.round_closed" in row.body for row in reader.events())


async def test_a_round_is_played_out_while_the_cable_is_pulled_and_published_once_it_is_back(
    tmp_path: Path, broker: Broker, cable: Cable
) -> None:
    async with carried(cable, broker) as there:

        def far_away(directory: Path, _: Broker, ear: Ear) -> Premises:
            premises = FarAway(directory, there, ear)
            premises.cable = cable
            return premises

        async with open_house(tmp_path, broker, far_away) as house:
            await house.talk(DEAL)
            await house.ear.event(CardDrawn, 3)
            cable.pull()
            # What the table cannot say itself its last will says.
            await house.ear.until(lambda: json_of(house.ear.last(TOPICS.status))["state"] == "offline")
            heard = len(house.ear.published)
            await house.talk(REST)
            assert await house.bench.until(lambda: closed_in(house.journal))
            assert len(house.ear.published) == heard
            cable.plug()
            await house.ear.until(lambda: house.ear.outcomes() == ["settled"])
            await house.ear.until(lambda: json_of(house.ear.last(TOPICS.status))["state"] == "online")
            assert house.ear.due() == {(1, 1, "main"): (2500, 2500)}
            assert [one.seq for one in house.ear.published] == list(range(1, len(house.ear.published) + 1))
            assert all(len(bodies) == 1 for bodies in house.ear.bodies.values())
    assert verify(house.journal).damage is None
