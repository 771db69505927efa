"""The brokers' configurations, in real brokers: only addresses and paths are changed."""

from __future__ import annotations

import asyncio
import contextlib
import re
import shutil
import subprocess
import tempfile
from collections.abc import AsyncIterator, Iterable, Iterator
from pathlib import Path
from typing import Final

import msgspec
import pytest

from controller.formats.mqtt.envelope import Topics
from controller.io.mqtt.broker import LOOPBACK, find_mosquitto, free_port, mosquitto, stop
from controller.io.mqtt.connection import Broker, connected
from tests.io.broker_rig import Cuttable, Memory, closed, first_of_each, listening, publishing

CONFIGS: Final = Path(__file__).resolve().parents[2] / "systemd/mosquitto"
PASSWORD: Final = "pass"
TOPICS: Final = Topics("harbour", "bj-1")
PATIENCE_SECONDS: Final = 20

pytestmark = pytest.mark.skipif(
    find_mosquitto() is None or shutil.which("mosquitto_passwd") is None, reason="Mosquitto is not installed"
)


@pytest.fixture
def folder() -> Iterator[Path]:
    """Started by root, Mosquitto works as a user of its own, who may not look into pytest's folders."""
    with tempfile.TemporaryDirectory(prefix="tableside-broker-") as name:
        Path(name).chmod(0o777)
        yield Path(name)


def changed(text: str, changes: dict[str, str]) -> str:
    """Each line that begins with a key, replaced; a value of "" leaves the line out. Every key must be there."""
    for key, value in changes.items():
        text, count = re.subn(rf"^{key} .*$\n", f"{key} {value}\n" if value else "", text, flags=re.MULTILINE)
        assert count == 1, key
    return text


@contextlib.asynccontextmanager
async def table_broker(
    directory: Path, port: int, extra: str = "", *, access: str = "", others: Iterable[str] = ()
) -> AsyncIterator[Broker]:
    """The table's broker as it is installed, with the names table, bridge and floor.

    ``access``: a list in place of the installed one. ``others``: further names.
    """
    passwords = directory / "passwd"
    passwords.touch()
    for name in ("table", "bridge", "floor", *others):
        subprocess.run(["mosquitto_passwd", "-b", str(passwords), name, PASSWORD], check=True)  # noqa: ASYNC221
    passwords.chmod(0o644)
    (directory / "acl").write_text(access or (CONFIGS / "table.acl").read_text())
    (directory / "acl").chmod(0o644)
    changes = {
        "listener": f"{port} {LOOPBACK}",
        "password_file": str(passwords),
        "acl_file": str(directory / "acl"),
    }
    included = directory / "conf.d"
    included.mkdir()
    (included / "tableside.conf").write_text(changed((CONFIGS / "table.conf").read_text(), changes) + extra)
    config = directory / "mosquitto.conf"
    # What Debian's own file says before it includes the folder: the broker refuses an option given twice.
    config.write_text(f"persistence true\npersistence_location {directory}/\nlog_dest none\ninclude_dir {included}\n")
    config.chmod(0o644)
    async with running(config, port):
        yield Broker(host=LOOPBACK, port=port, username="table", password=PASSWORD)


@contextlib.asynccontextmanager
async def running(config: Path, port: int) -> AsyncIterator[None]:
    program = find_mosquitto()
    assert program is not None
    process = await asyncio.create_subprocess_exec(program, "-c", str(config))
    try:
        async with asyncio.timeout(PATIENCE_SECONDS):
            while process.returncode is None:
                with contextlib.suppress(OSError):
                    _, writer = await asyncio.open_connection(LOOPBACK, port)
                    writer.close()
                    break
                await asyncio.sleep(0)
        assert process.returncode is None
        yield
    finally:
        await stop(process)


def as_user(broker: Broker, name: str) -> Broker:
    return msgspec.structs.replace(broker, username=name)


async def test_the_tables_broker_carries_a_table_and_lets_nobody_else_speak_for_it(folder: Path) -> None:
    async with table_broker(folder, free_port()) as broker:
        floor = as_user(broker, "floor")
        async with listening(floor) as heard, publishing(broker, Memory(closed(30))) as publisher:
            async with asyncio.timeout(PATIENCE_SECONDS):
                await publisher.online.wait()
            await heard.until("tableside/v1/harbour/bj-1/event/round_closed", 30)
            assert first_of_each(heard.seqs()) == list(range(1, 31))
            async with connected(floor, "5", "liar") as liar:
                await liar.publish("tableside/v1/harbour/bj-1/cmd/hello", b"{}")
                with contextlib.suppress(Exception):
                    await liar.publish("tableside/v1/harbour/bj-1/event/round_closed", b"a lie")
            assert b"a lie" not in heard.payloads("tableside/v1/harbour/bj-1/event/round_closed")
        with pytest.raises(Exception, match=r"(?i)not authori[sz]ed|hung up|refused"):
            async with connected(msgspec.structs.replace(broker, password="wrong"), "5", "stranger"):
                pass


def bridge_to(port: int) -> str:
    changes = {
        "address": f"{LOOPBACK}:{port}",
        "bridge_cafile": "",
        "bridge_certfile": "",
        "bridge_keyfile": "",
        "bridge_tls_version": "",
        "local_password": PASSWORD,
        "restart_timeout": "1 1",
    }
    return changed((CONFIGS / "bridge.conf").read_text(), changes)


async def test_the_bridge_carries_everything_to_the_property_and_commands_back(folder: Path) -> None:
    async with (
        mosquitto() as hall,
        table_broker(folder, free_port(), bridge_to(hall.port)) as broker,
        listening(hall) as heard,
    ):
        commands: list[tuple[str, bytes]] = []
        await heard.until("tableside/v1/bridge/table-pc-1")
        async with publishing(broker, Memory(closed(20)), commands) as publisher:
            publisher.retain(TOPICS.state("round"), b'{"round": 1}')
            publisher.retain(TOPICS.device("shoe"), b'{"state": "ready"}')
            await heard.until(f"{TOPICS.root}/event/round_closed", 20)
            await heard.until(TOPICS.state("round"))
            await heard.until(TOPICS.device("shoe"))
            await heard.until(TOPICS.status)
            assert first_of_each(heard.seqs()) == list(range(1, 21))
            async with connected(hall, "5", "hall") as asking, asyncio.timeout(PATIENCE_SECONDS):
                while not commands:
                    await asking.publish(TOPICS.command("hello"), b"{}")
                    await asyncio.sleep(0)
        assert commands[0] == ("hello", b"{}")


async def test_what_the_property_could_not_take_waits_in_order(folder: Path) -> None:
    port = free_port()
    async with table_broker(folder, free_port(), bridge_to(port)) as broker:
        memory = Memory(closed(1100))
        async with publishing(broker, memory):
            # More than the thousand a broker keeps unless configured otherwise.
            await memory.until(1100)
        # A consumer without a session of its own must be there before the bridge is: it gets nothing afterwards.
        async with mosquitto() as hall, listening(hall) as heard, Cuttable(hall).open(port):
            await heard.until(f"{TOPICS.root}/event/round_closed", 1100)
            assert first_of_each(heard.seqs()) == list(range(1, 1101))


async def test_23_a_broker_with_a_damaged_store_is_started_anew_and_the_table_goes_on(folder: Path) -> None:
    """The store is a convenience: without it the broker starts, and what is retained comes from the daemon again."""
    port = free_port()
    memory = Memory(closed(10))
    unreached = Broker(host=LOOPBACK, port=port, username="table", password=PASSWORD)
    async with publishing(unreached, memory) as publisher:
        publisher.retain(TOPICS.state("round"), b'{"round": 7}')
        async with table_broker(folder, port) as broker:
            await memory.until(10)
        store = folder / "mosquitto.db"
        data = store.read_bytes()
        store.write_bytes(b"\x00" * 40 + data[40:])
        with pytest.raises(AssertionError):
            async with running(folder / "mosquitto.conf", port):
                pass
        store.unlink()
        async with running(folder / "mosquitto.conf", port), listening(as_user(broker, "floor")) as heard:
            assert (await heard.until(TOPICS.state("round")))[-1] == b'{"round": 7}'
            memory.rows += Memory(closed(13)).rows[10:]
            publisher.wake()
            await heard.until(f"{TOPICS.root}/event/round_closed", 3)
            assert first_of_each(heard.seqs()) == [11, 12, 13]


def test_every_topic_of_the_table_crosses_the_bridge() -> None:
    text = (CONFIGS / "bridge.conf").read_text()
    out = re.findall(r"^topic tableside/v1/\+/\+/(\w+)\S* out 1$", text, re.MULTILINE)
    back = re.findall(r"^topic tableside/v1/\+/\+/(\w+)\S* in 1$", text, re.MULTILINE)
    assert sorted(out) == ["alert", "device", "event", "info", "reply", "state", "status"]
    assert back == ["cmd", "ack"]
