"""A broker for demos and tests: Mosquitto as a child process, else one inside our own event loop."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import secrets
import shutil
import socket
import tempfile
from collections.abc import AsyncIterator, Mapping
from pathlib import Path
from typing import Any, Final

from controller.io.mqtt.connection import Broker

LOOPBACK: Final = "127.0.0.1"
START_TRIES: Final = 5
"""Ports tried: one that was free a moment ago may be taken."""

START_SECONDS: Final = 5.0
"""How long a broker may take to listen; Mosquitto needs 8 ms."""

PORTS: Final = range(20_000, 32_000)
"""Below those that Linux gives to outgoing connections: a client that tries a broker again and again while it is down
could else be given the broker's own port, and keep it."""

PORT_TRIES: Final = 100

POLL_SECONDS: Final = 0.02
STOP_SECONDS: Final = 2.0
"""How long a broker may take to end before it is killed: Mosquitto may miss a signal sent right after its start."""


class NoBroker(Exception):  # noqa: N818 - named for what happened
    """No broker could be started; the text says what to do."""


def find_mosquitto() -> str | None:
    """The path of Mosquitto's program, also where Debian keeps it; None if there is none."""
    return shutil.which("mosquitto") or shutil.which("mosquitto", path="/usr/sbin:/usr/local/sbin")


@contextlib.asynccontextmanager
async def running_broker(given: Broker | None = None) -> AsyncIterator[Broker]:
    """A broker to use: ``given`` if there is one, else Mosquitto, else amqtt (MQTT 3.1.1 only).

    Raises:
        NoBroker: neither is installed, or it does not start.
    """
    if given is not None:
        yield given
    elif find_mosquitto() is not None:
        async with mosquitto() as broker:
            yield broker
    else:
        async with embedded() as broker:
            yield broker


@contextlib.asynccontextmanager
async def mosquitto(settings: Mapping[str, str] | None = None, port: int | None = None) -> AsyncIterator[Broker]:
    """Mosquitto on a loopback port, remembering nothing. ``settings`` are added to its configuration.

    Raises:
        NoBroker: it is not installed, or does not start.
    """
    program = find_mosquitto()
    if program is None:
        raise NoBroker("Mosquitto is not installed; run: apt-get install mosquitto")
    with tempfile.TemporaryDirectory(prefix="tableside-broker-") as directory:
        # Started by root, Mosquitto reads its files as a user of its own.
        Path(directory).chmod(0o755)  # noqa: ASYNC240 - one call on a fresh directory
        process, chosen = await start_mosquitto(program, Path(directory), settings or {}, port)
        try:
            yield Broker(host=LOOPBACK, port=chosen)
        finally:
            await stop(process)


@contextlib.asynccontextmanager
async def embedded() -> AsyncIterator[Broker]:
    """A broker in this event loop (amqtt), MQTT 3.1.1 only.

    Raises:
        NoBroker: the extra ``demo`` is not installed.
    """
    try:
        from amqtt.broker import Broker as Embedded  # noqa: PLC0415 - an optional extra
    except ImportError as error:
        raise NoBroker("no broker here: apt-get install mosquitto, or name one with --broker HOST:PORT") from error
    # It logs each connection at warning level.
    logging.getLogger("amqtt").setLevel(logging.CRITICAL)
    logging.getLogger("transitions").setLevel(logging.CRITICAL)
    port = free_port()
    config: dict[str, Any] = {
        "listeners": {"default": {"type": "tcp", "bind": f"{LOOPBACK}:{port}"}},
        "plugins": {"amqtt.plugins.authentication.AnonymousAuthPlugin": {"allow_anonymous": True}},
    }
    broker = Embedded(config)
    await broker.start()
    try:
        yield Broker(host=LOOPBACK, port=port, protocol="3.1.1")
    finally:
        await broker.shutdown()


async def start_mosquitto(
    program: str, directory: Path, settings: Mapping[str, str], port: int | None
) -> tuple[asyncio.subprocess.Process, int]:
    """A Mosquitto that listens, and its port (a free one if ``port`` is None); its configuration is in ``directory``.

    Raises:
        NoBroker: it does not start.
    """
    for _ in range(START_TRIES):
        chosen = port if port is not None else free_port()
        lines = {
            "listener": f"{chosen} {LOOPBACK}",
            "allow_anonymous": "true",
            "persistence": "false",
            "max_queued_messages": "0",
            "set_tcp_nodelay": "true",
            "log_dest": "none",
            **settings,
        }
        config = directory / "mosquitto.conf"
        config.write_text("".join(f"{key} {value}\n" for key, value in lines.items()), encoding="utf-8")
        config.chmod(0o644)
        process = await asyncio.create_subprocess_exec(
            program, "-c", str(config), stdout=asyncio.subprocess.DEVNULL, stderr=asyncio.subprocess.DEVNULL
        )
        if await _listens(process, chosen):
            return process, chosen
        await stop(process)
    raise NoBroker(f"{program} does not start; try: {program} -v")


async def _listens(process: asyncio.subprocess.Process, port: int) -> bool:
    loop = asyncio.get_running_loop()
    end = loop.time() + START_SECONDS
    while process.returncode is None and loop.time() < end:
        try:
            _, writer = await asyncio.open_connection(LOOPBACK, port)
        except OSError:
            await asyncio.sleep(POLL_SECONDS)
        else:
            writer.close()
            return True
    return False


async def stop(process: asyncio.subprocess.Process) -> None:
    """End a broker, by force if it does not listen."""
    if process.returncode is not None:
        return
    with contextlib.suppress(ProcessLookupError):
        process.terminate()
    try:
        async with asyncio.timeout(STOP_SECONDS):
            await process.wait()
    except TimeoutError:
        with contextlib.suppress(ProcessLookupError):
            process.kill()
        await process.wait()


def free_port() -> int:
    """A port of this machine that is free now.

    Raises:
        NoBroker: hardly any port is free.
    """
    for _ in range(PORT_TRIES):
        port = secrets.choice(PORTS)
        with socket.socket() as probe, contextlib.suppress(OSError):
            probe.bind((LOOPBACK, port))
            return port
    raise NoBroker(f"no port from {PORTS.start} to {PORTS.stop - 1} is free")
