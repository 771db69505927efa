"""The whole house with displays beside it: the tap says what MQTT says, the line feed says it in lines."""

from __future__ import annotations

import asyncio
import contextlib
import socket
from collections.abc import AsyncIterator
from pathlib import Path

import zmq
import zmq.asyncio

from controller.core.messages.events import RoundClosed
from controller.io.mqtt.connection import Broker
from controller.reports.video_overlay import LINE_LIMIT
from tests.wiring.premises import PATIENCE_S, TOPICS, Ear, Premises, json_of, open_house, scripted

SEED = 7


class ShownPremises(Premises):
    """A table with a tap and a line feed."""

    def __init__(self, directory: Path, broker: Broker, ear: Ear) -> None:
        super().__init__(directory, broker, ear)
        self.tap = directory / "table.tap"
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port: int = free.getsockname()[1]
        text = self.table_file.read_text(encoding="utf-8")
        more = f'[tap]\nsocket = "table.tap"\n\n[line_feed]\nport = {self.port}\n\n[shoe]'
        self.table_file.write_text(text.replace("[shoe]", more), encoding="utf-8")


@contextlib.asynccontextmanager
async def display(path: Path) -> AsyncIterator[zmq.asyncio.Socket]:
    """A display that listens to everything."""
    context = zmq.asyncio.Context()
    try:
        screen = context.socket(zmq.SUB)
        screen.connect(f"ipc://{path}")
        screen.subscribe(b"")
        yield screen
    finally:
        context.destroy(linger=0)


async def test_what_mqtt_says_is_said_at_the_tap_and_in_lines(tmp_path: Path, broker: Broker) -> None:
    async with open_house(tmp_path, broker, make=ShownPremises) as house:
        assert isinstance(house, ShownPremises)
        async with asyncio.timeout(PATIENCE_S), display(house.tap) as screen:
            reader, writer = await asyncio.open_connection("127.0.0.1", house.port)
            # What is retained comes to a display that has just come: the sign that it is heard.
            seen: dict[str, bytes] = {}
            while TOPICS.state("round") not in seen or TOPICS.info not in seen:
                topic, payload = await screen.recv_multipart()
                seen[topic.decode()] = payload
            assert json_of(seen[TOPICS.info])["profile"] == "hollywood-penn-national"
            (acts,) = scripted(house.rack, SEED, 1)
            await house.perform(acts)
            await house.ear.event(RoundClosed, round=1)
            last = next(one.seq for one in house.ear.published if isinstance(one.event, RoundClosed))
            bodies: list[bytes] = []
            while not bodies or json_of(bodies[-1])["seq"] < last:
                topic, payload = await screen.recv_multipart()
                if b"/event/" in topic:
                    bodies.append(payload)
            published = [next(iter(house.ear.bodies[json_of(body)["seq"]])) for body in bodies]
            assert bodies == published
            lines = [await reader.readline()]
            while b"R1 CLOSED" not in lines[-1]:
                lines.append(await reader.readline())
            writer.close()
        assert all(line.endswith(b"\r\n") and len(line) <= LINE_LIMIT + 2 for line in lines)
        settled = [line for line in lines if b" R1 S" in line and b"$" in line]
        assert len(settled) == len(house.ear.due())


async def test_the_socket_is_for_the_group_and_goes_with_the_daemon(tmp_path: Path, broker: Broker) -> None:
    async with open_house(tmp_path, broker, make=ShownPremises) as house:
        assert isinstance(house, ShownPremises)
        assert house.tap.stat().st_mode & 0o777 == 0o660
        await house.stop()
        assert not house.tap.exists()
