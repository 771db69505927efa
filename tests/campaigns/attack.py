"""The part of the hostile campaign that goes over the wire, in a process of its own: who is attacked is timed apart.

    python -m tests.campaigns.attack < PLAN.json

The plan is a ``Plan`` as JSON; what was sent, by way, is written to standard output as JSON.
"""

from __future__ import annotations

import asyncio
import collections
import contextlib
import json
import random
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Final

import msgspec
import zmq
import zmq.asyncio

from controller.formats.orders.operators import PROTOCOL, RIGHTS, ROLES
from controller.formats.orders.requests import VERBS
from controller.io.mqtt.connection import Broker, PublishRefused, connected
from controller.pool.wire import PROTOCOL as LINK
from tests.campaigns import well_formed
from tests.campaigns.raw_lines import HTTP, ZMTP, Door, RawLines
from tests.formats.outside import FIELDS, HOSTILE
from tests.wiring.premises import TOPICS

CONSUMER: Final = "surveillance"
INFLIGHT: Final = 20
TOPIC_BYTES: Final = 65_535
"""Of the longest topic that MQTT has."""

RAW_SHARE: Final = 4
RAW_LEAST: Final = 2000
"""Beside the requests over the wire comes a connection for so many of them, and so many connections at least."""

WEB: Final = ("metrics", "web")
"""Doors at which one speaks HTTP."""


class Plan(msgspec.Struct, frozen=True):
    """What is attacked, and how often."""

    requests: int
    seed: int
    epoch: int
    """Of the table's journal."""
    broker_port: int
    sockets: str
    """The folder of the operator channel's sockets."""
    link_port: int
    link_key: str
    """Of the link, public."""
    table_keys: tuple[str, str]
    """Public and secret, of a table of the pool's."""
    ports: dict[str, int]
    """Of the operator channel over TCP, of the link, and of the servers of pages and figures."""


def hostile(chance: random.Random) -> bytes:
    """One request that should not be: of the known ones, or made by chance."""
    match chance.randrange(7):
        case 0:
            return chance.choice(list(HOSTILE.values()))
        case 1:
            depth = chance.choice((1, 31, 32, 33, 999, 1000, 1001, 5000))
            inner = "[" * depth + "]" * depth
            return f'{{"who": "x", "{chance.choice(FIELDS)}": {inner}}}'.encode()
        case 2:
            return chance.randbytes(chance.randrange(300))
        case 3:
            return json.dumps(
                {field: chance.choice((None, -(2**70), 1.5, "\x1b", [], {})) for field in FIELDS}
            ).encode()
        case 4:
            key = chance.choice(FIELDS)
            return f'{{"{key}": 1, "{key}": {"9" * chance.randrange(1, 5000)}}}'.encode()
        case 5:
            return b'{"who": "' + b"a" * chance.randrange(70_000) + b'"}'
        case _:
            whole = bytearray(b'{"alert": 1, "who": "M. Okafor", "note": "seen", "transaction": [1, {"a": "b"}]}')
            whole[chance.randrange(len(whole))] = chance.randrange(256)
            return bytes(whole)


class Attack:
    """Sends hostile requests over every way there is, says beside them what no library would, and counts both."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.chance = random.Random(plan.seed)
        self.left = plan.requests
        self.raw_left = max(RAW_LEAST, plan.requests // RAW_SHARE)
        self.sent: collections.Counter[str] = collections.Counter()

    async def send_all(self) -> None:
        """Over every way at once, until all is sent."""
        sockets = Path(self.plan.sockets)
        ways = [self.over_mqtt(Broker("127.0.0.1", self.plan.broker_port)), self.on_link()]
        doors = [(Door(f"operator {role}", path=str(sockets / role / "socket")), ZMTP) for role in ROLES]
        doors += [(Door(name, port=port), HTTP if name in WEB else ZMTP) for name, port in self.plan.ports.items()]
        raw = (RawLines(door, utterances, self.chance).talk(self.is_wanted) for door, utterances in doors)
        await asyncio.gather(*ways, *(self.on_socket(sockets / role / "socket", role) for role in ROLES), *raw)

    def is_wanted(self, way: str) -> bool:
        """Whether one more connection is made there; it counts."""
        if self.raw_left <= 0:
            return False
        self.raw_left -= 1
        self.sent[way] += 1
        return True

    def next(self, way: str, verb: str = "") -> bytes | None:
        """The next request, of ``verb`` where it is one of a table's; None if there have been enough."""
        if self.left <= 0:
            return None
        self.left -= 1
        self.sent[way] += 1
        if verb and self.chance.randrange(5) == 0:
            return self.well_formed(verb)
        return hostile(self.chance)

    def well_formed(self, verb: str) -> bytes:
        """As it should be, but for a number."""
        if verb == "replay":
            consumer = self.chance.choice((CONSUMER, "somebody-else"))
            return well_formed.replay(consumer, self.plan.epoch, self.chance)
        if verb == "ack-stream":
            return well_formed.acknowledgement(self.plan.epoch, self.chance)
        return well_formed.order(verb, self.chance)

    async def over_mqtt(self, broker: Broker) -> None:
        """As anybody whom the broker lets write everything: commands, acknowledgements, events in the table's name."""
        root = TOPICS.root
        # A reply's topic is longer than its request's, and the longest of all is as long as any may be.
        longest = ("x" * 60_000, "x" * (TOPIC_BYTES - len(f"{root}/cmd/")))
        # The table's own status belongs to its last will, which the broker keeps to one client; an attack may write it.
        ways = [*(f"cmd/{verb}" for verb in (*VERBS, "replay", "status", *longest)), "status", f"ack/{CONSUMER}"]
        ways += ["event/card_drawn", "event/no_such_event", "state/stream", "reply/replay", "alert/card_drawn"]
        async with connected(broker, "5", "") as client:
            while self.left > 0:
                batch = []
                for _ in range(INFLIGHT):
                    way = self.chance.choice(ways)
                    data = self.next(f"mqtt {way[:24]}", self.verb_of(way))
                    if data is not None:
                        batch.append(client.send(f"{root}/{way}", data))
                for answer in batch:
                    with contextlib.suppress(PublishRefused):
                        await answer

    def verb_of(self, way: str) -> str:
        """What is asked for on a topic, where a table knows it."""
        kind, _, verb = way.partition("/")
        if kind == "ack":
            return "ack-stream"
        return verb if kind == "cmd" and verb in {*VERBS, "replay"} else ""

    async def on_socket(self, path: Path, role: str) -> None:
        """As whoever may open a role's socket, with every verb."""
        async with self._dealer() as socket:
            socket.connect(f"ipc://{path}")
            while self.left > 0:
                verb = self.chance.choice((*RIGHTS, "no-such-verb", "\x1b[2J"))
                data = self.next(f"operator {role}", verb if verb in VERBS else "") or b""
                frames = [PROTOCOL, f"{TOPICS.site}/{TOPICS.table}".encode(), verb.encode(), data]
                await self._exchange(socket, self.chance.choice((frames, frames, frames, [data], [data] * 5)))

    async def on_link(self) -> None:
        """As a table of the pool, with its own key."""
        public, secret = self.plan.table_keys
        async with self._dealer() as socket:
            socket.setsockopt(zmq.CURVE_PUBLICKEY, public.encode())
            socket.setsockopt(zmq.CURVE_SECRETKEY, secret.encode())
            socket.setsockopt(zmq.CURVE_SERVERKEY, self.plan.link_key.encode())
            socket.connect(f"tcp://127.0.0.1:{self.plan.link_port}")
            while (data := self.next("link")) is not None:
                # A message beyond the limit ends its connection, and ZeroMQ makes it anew.
                await self._exchange(socket, self.chance.choice(([LINK, data[:16_000]], [data[:100]])))

    async def _exchange(self, socket: zmq.asyncio.Socket, frames: list[bytes]) -> None:
        await socket.send_multipart(frames)
        if await socket.poll(20):
            while await socket.poll(0):
                await socket.recv_multipart()

    @contextlib.asynccontextmanager
    async def _dealer(self) -> AsyncIterator[zmq.asyncio.Socket]:
        context = zmq.asyncio.Context()
        socket = context.socket(zmq.DEALER)
        socket.set(zmq.LINGER, 0)
        try:
            yield socket
        finally:
            context.destroy(linger=0)


def main() -> None:
    """See the module."""
    attack = Attack(msgspec.json.decode(sys.stdin.buffer.read(), type=Plan))
    asyncio.run(attack.send_all())
    sys.stdout.write(json.dumps(attack.sent))


if __name__ == "__main__":
    main()
