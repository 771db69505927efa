"""Twenty-four hours without a broker, in virtual time: the table goes on, and then everything is caught up.

    python -m tests.campaigns.outage --hours 24

The journal, the publisher, the consumer and, in the end, Mosquitto are the real ones; only waiting takes no time.
Nobody listens where the broker should be; in the last minutes somebody does, who in turn takes connections and says
nothing, greets and then says nothing, or falls silent in the middle of a message. What must hold: each of them is left
and tried again all the time, at a bounded pace; every event reaches the consumer's file once and in order, and the
process holds no more memory in the last hour of the outage than in its first.
"""

from __future__ import annotations

import argparse
import asyncio
import collections
import contextlib
import json
import logging
import os
import re
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

import structlog

from controller.consumer.durable import ConsumerOutput, follow
from controller.formats.journal.records import Identity
from controller.io.journal.consumers import TICK_SECONDS
from controller.io.journal.journal import Journal
from controller.io.mqtt.broker import find_mosquitto
from controller.io.mqtt.connection import Broker
from tests.io.broker_rig import TOPICS, listening
from tests.io.stream_rig import CONSUMER, Table, exported
from tests.io.virtual_time import LoopClock, VirtualLoop, passes, run_virtual
from tests.journal_key import KEY

EVENT_SECONDS: Final = 2.0
"""Between two events: a busy table's pace."""

GROWTH_BYTES: Final = 8 * 1024 * 1024
"""What memory may have grown by during the outage: a few pools of the allocator, nothing that grows with events."""

GREETING: Final = bytes([0x20, 3, 0, 0, 0])
"""CONNACK of MQTT 5: accepted, no properties."""

SILENT: Final = {"takes": b"", "greets": GREETING, "hangs": GREETING + bytes([0x30, 100, 0, 4]) + b"tabl"}
"""What a broker says that then falls silent: nothing, its greeting, or that and a message by half."""

TRY_SECONDS: Final = (0.1, 60.0)
"""Between two connections to such a broker, on average: neither spinning nor giving up."""

GREETINGS: Final = "greetings"
"""Where the broker notes who connects, and how."""

CATCH_UP_SECONDS: Final = 600.0


class OutageLoop(VirtualLoop):
    """Time stands still while a thread works for us: a connection is tried, the disk is written."""

    def __init__(self) -> None:
        super().__init__(limit=100_000_000)
        self.at_work = 0
        self.chooser.is_busy = lambda: self.at_work > 0

    def run_in_executor(  # type: ignore[override]
        self, executor: Any, func: Callable[..., Any], *args: Any
    ) -> asyncio.Future[Any]:
        return self.counted(super().run_in_executor(executor, func, *args))

    def counted(self, future: asyncio.Future[Any]) -> asyncio.Future[Any]:
        self.at_work += 1
        future.add_done_callback(self._done)
        return future

    def _done(self, _: asyncio.Future[Any]) -> None:
        self.at_work -= 1


class CountedJournal(Journal):
    """A journal whose thread counts as work."""

    def _submit(self, work: Any) -> asyncio.Future[Any]:
        loop = asyncio.get_running_loop()
        assert isinstance(loop, OutageLoop)
        return loop.counted(super()._submit(work))


def resident_bytes() -> int:
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


@contextlib.contextmanager
def broker_at(port: int, directory: Path) -> Iterator[None]:
    """A real Mosquitto, started in real time."""
    program = find_mosquitto()
    assert program is not None, "Mosquitto is not installed"
    settings = directory / "mosquitto.conf"
    settings.write_text(
        f"listener {port} 127.0.0.1\nallow_anonymous true\nmax_queued_messages 0\nlog_type notice\nlog_dest stderr\n",
        encoding="ascii",
    )
    for one in (directory, settings):
        one.chmod(0o755)
    with (
        (directory / GREETINGS).open("wb") as noted,
        subprocess.Popen([program, "-c", str(settings)], stderr=noted) as process,
    ):
        try:
            while True:
                assert process.poll() is None, f"{program} ended with status {process.returncode}"
                with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
                    break
            yield
        finally:
            process.kill()


class Silent:
    """Somebody at the broker's port who is none; ``kind`` is of ``SILENT``."""

    def __init__(self) -> None:
        self.kind = ""
        self.met: collections.Counter[str] = collections.Counter()
        self._writers: set[asyncio.StreamWriter] = set()

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Take a connection, say what there is to say, and read on without a word until it is given up."""
        kind = self.kind
        self.met[kind] += 1
        self._writers.add(writer)
        with contextlib.suppress(OSError):
            if await reader.read(4096):
                writer.write(SILENT[kind])
            while await reader.read(4096):
                pass
        self._writers.discard(writer)
        writer.transport.abort()

    def found(self, seconds: float) -> dict[str, Any]:
        """How often each was tried, having been there for so long."""
        return {"connections": dict(self.met), "try_seconds": {one: seconds / max(1, self.met[one]) for one in SILENT}}

    def cut(self) -> None:
        """Whoever is connected is hung up."""
        for writer in self._writers:
            writer.transport.abort()


def protocols(directory: Path) -> list[str]:
    """How those who connected to the broker speak: ``p5``, or ``p2`` for 3.1.1."""
    noted = (directory / GREETINGS).read_text(encoding="utf-8")
    return sorted(set(re.findall(r"New client connected .* \((p[0-9])", noted)))


def phases_before(end: float, seconds: float) -> dict[float, str]:
    """When each silent broker comes, one after the other up to the end; none where they are to stay no time."""
    kinds = reversed(SILENT) if seconds else ()
    return {end - seconds * place: kind for place, kind in enumerate(kinds, start=1)}


async def outage(hours: float, silent_seconds: float, directory: Path, found: dict[str, Any]) -> None:
    """Run it; what was measured goes into ``found``."""
    loop = asyncio.get_running_loop()
    # Kept until the broker comes: else somebody takes the port meanwhile, or one of our own tries is given it as its
    # own end and so connects to itself.
    kept_port = socket.socket()
    # Mosquitto takes the port though connections of before have not quite gone.
    kept_port.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    kept_port.bind(("127.0.0.1", 0))
    port = kept_port.getsockname()[1]
    broker = Broker(host="127.0.0.1", port=port)
    path = directory / "journal.sqlite"
    journal = await CountedJournal.open(path, Identity("harbour", "bj-1", 3), key=KEY)
    running = Table(journal, broker, LoopClock(loop), tick_seconds=TICK_SECONDS)
    tasks = [asyncio.create_task(work()) for work in (running.publisher.run, running.consumers.run)]
    memory: list[int] = []
    end, looked = loop.time() + hours * 3600, loop.time()
    silent, server, phases = Silent(), None, phases_before(end, silent_seconds)
    while loop.time() < end:
        while phases and loop.time() >= min(phases):
            silent.kind = phases.pop(min(phases))
            silent.cut()
            server = server or await asyncio.start_server(silent.serve, sock=kept_port.dup())
        await running.deal(1)
        await passes(EVENT_SECONDS)
        if loop.time() - looked >= 3600 or not memory:
            looked = loop.time()
            memory.append(resident_bytes())
            print(f"{(loop.time() - end) / 3600 + hours:.1f} h: {memory[-1] / 1e6:.1f} MB", flush=True)
    found |= {"events": journal.head.seq, "published_before": running.publisher.reached, "memory": memory}
    found["alarms"] = list(running.stream_states[-1].alarms)
    found |= silent.found(silent_seconds)
    if server is not None:
        silent.cut()
        server.close()
        await passes(1)
    complaints: list[str] = []
    output = ConsumerOutput(lambda _: None, complaints.append)
    kept_port.close()
    with broker_at(port, directory):
        # The consumer asks again for what was published before it listened.
        async with listening(broker) as listener:
            began = time.monotonic()
            kept = asyncio.create_task(follow(broker, TOPICS, CONSUMER, directory / "events", output))
            wanted, over = exported(path), loop.time() + CATCH_UP_SECONDS
            while (directory / "events").stat().st_size < len(wanted) if (directory / "events").exists() else True:
                assert loop.time() < over, "not caught up"
                await passes(0.1)
            found["catch_up_s"] = round(time.monotonic() - began, 1)
            found["protocols"] = protocols(directory)
            found["memory_after"] = resident_bytes()
            found["identical"] = (directory / "events").read_bytes() == wanted
            seqs = listener.seqs()
            found["in_order"] = seqs == sorted(set(seqs))
        for task in [kept, *tasks]:
            task.cancel()
        await asyncio.gather(kept, *tasks, return_exceptions=True)
    found["complaints"] = complaints
    await journal.close()


def campaign(hours: float, silent_seconds: float = 0) -> dict[str, Any]:
    """So many hours, the last with each silent broker for so long; what was measured."""
    found: dict[str, Any] = {}
    with tempfile.TemporaryDirectory(prefix="tableside-outage-") as directory:
        run_virtual(outage(hours, silent_seconds, Path(directory), found), loop=OutageLoop())
    return found


def faults(found: dict[str, Any]) -> list[str]:
    """What must not be."""
    memory = found["memory"]
    wrong = []
    if not found["identical"]:
        wrong.append("the consumer's file is not what the journal has")
    if not found["in_order"]:
        wrong.append("events came out of order or twice on one connection")
    if max(memory[1:], default=0) - memory[min(1, len(memory) - 1)] > GROWTH_BYTES:
        wrong.append(f"memory grew: {memory}")
    for kind, seconds in found["try_seconds"].items():
        if seconds and not TRY_SECONDS[0] <= seconds <= TRY_SECONDS[1]:
            wrong.append(f"a broker that {kind} was tried every {seconds:.3f} s")
    if found["protocols"] != ["p5"]:
        wrong.append(f"after brokers that were slow to greet somebody speaks {found['protocols']}")
    if found["published_before"]:
        wrong.append("something was published with no broker there")
    return wrong


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--hours", type=float, default=24.0)
    parser.add_argument("--silent-seconds", type=float, default=60.0, help="Of each silent broker.")
    given = parser.parse_args()
    # A line for each greeting that fails would be all that is seen.
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.ERROR))
    began = time.monotonic()
    found = campaign(given.hours, given.silent_seconds)
    print(json.dumps(found))
    wrong = faults(found)
    print(f"{given.hours:g} hours in {time.monotonic() - began:.0f} s, {len(wrong)} faults {wrong}")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
