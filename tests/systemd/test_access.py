"""The access lists, cell by cell, in a real broker: who may say what, and who hears it."""

from __future__ import annotations

import asyncio
import contextlib
import re
import tempfile
from collections.abc import AsyncIterator, Iterable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Final, NamedTuple

import msgspec
import pytest

from controller.io.mqtt.broker import LOOPBACK, find_mosquitto, free_port
from controller.io.mqtt.connection import Broker, ConnectionLost, PublishRefused, connected
from controller.io.operators.certificates import make_authority, make_certificate, paths
from tests.systemd.test_mosquitto import CONFIGS, PATIENCE_SECONDS, changed, running
from tests.wiring.premises import ran

pytestmark = pytest.mark.skipif(find_mosquitto() is None, reason="Mosquitto is not installed")

OWN, OTHER = "tableside/v1/harbour/bj-1", "tableside/v1/harbour/bj-2"
TOPICS: Final = (
    *(
        f"{OWN}/{rest}"
        for rest in ("event/round_closed", "alert/bet_increased_after_lock", "status", "info", "state/round")
    ),
    *(f"{OWN}/{rest}" for rest in ("device/shoe/status", "reply/void", "reply/replay")),
    *(f"{OWN}/{rest}" for rest in ("cmd/answer", "cmd/ack", "cmd/void", "cmd/adjust", "cmd/replay")),
    *(
        f"{OWN}/{rest}"
        for rest in (
            "ack/surveillance",
            "ack/accounting",
            "ack/collector",
            "reply/replay/collector",
            "reply/replay/accounting",
        )
    ),
    f"{OTHER}/event/round_closed",
    f"{OTHER}/cmd/answer",
    "tableside/v1/bridge/table-pc-1",
    "tableside/v2/harbour/bj-1/status",
    "elsewhere",
)
USERS: Final = ("table-pc-1", "surveillance", "accounting", "collector", "pages", "pit", "stranger")


class Cell(NamedTuple):
    """One question to the list."""

    user: str
    does: str
    topic: str


def allowed(user: str, does: str, topic: str) -> bool:
    """What the house means, written without the list: the test's own opinion."""
    rest = topic.removeprefix(f"{OWN}/").removeprefix(f"{OTHER}/")
    known = topic.startswith("tableside/v1/")
    match user, does:
        case "table-pc-1", "write":
            return topic.startswith(f"{OWN}/") or topic == "tableside/v1/bridge/table-pc-1"
        case "table-pc-1", "read":
            return topic.startswith((f"{OWN}/cmd/", f"{OWN}/ack/"))
        case "surveillance" | "pit", "read":
            return known
        case "surveillance", "write":
            return rest in {"ack/surveillance", "cmd/replay"}
        case "accounting", "read":
            return (known and rest.split("/")[0] in {"event", "status", "info", "state"}) or (
                rest in {"reply/replay", "reply/replay/accounting"}
            )
        case "accounting", "write":
            return rest in {"ack/accounting", "cmd/replay"}
        case "collector", "read":
            heard = known and rest.split("/")[0] in {"event", "status", "info", "state", "device"}
            return heard or rest in {"reply/replay", "reply/replay/collector"}
        case "collector", "write":
            return rest in {"ack/collector", "cmd/replay"}
        case "pages", "read":
            heard = known and rest.split("/")[0] in {"event", "status", "info", "state", "device"}
            return heard or rest in {"reply/void", "reply/replay"}
        case "pages", "write":
            return known and rest.startswith("cmd/")
        case "pit", "write":
            return rest in {"cmd/answer", "cmd/ack"}
        case _:
            return False


class Property(NamedTuple):
    """The property's broker, and where its certificates lie."""

    broker: Broker
    directory: Path

    def known_as(self, name: str) -> Broker:
        own = paths(self.directory, name)
        return msgspec.structs.replace(self.broker, tls_cert_file=str(own.certificate), tls_key_file=str(own.key))


@pytest.fixture
def folder() -> Iterator[Path]:
    """Started by root, Mosquitto works as a user of its own, who may not look into pytest's folders."""
    with tempfile.TemporaryDirectory(prefix="tableside-broker-") as name:
        Path(name).chmod(0o777)
        yield Path(name)


@contextlib.asynccontextmanager
async def the_property(directory: Path, access: str, others: Iterable[str] = ()) -> AsyncIterator[Property]:
    """The property's broker with a list, and a certificate for everybody in it; ``others``: further names."""
    now, port = datetime.now(UTC), free_port()
    make_authority(directory, now)
    make_certificate(directory, "broker", (LOOPBACK,), now)
    for name in (*USERS, *others):
        make_certificate(directory, name, (), now)
    own = paths(directory, "broker")
    for path in (own.certificate, own.key, directory / "ca.pem"):
        path.chmod(0o644)
    (directory / "acl").write_text(access)
    (directory / "acl").chmod(0o644)
    changes = {
        "listener": f"{port} {LOOPBACK}",
        "cafile": str(directory / "ca.pem"),
        "certfile": str(own.certificate),
        "keyfile": str(own.key),
        "acl_file": str(directory / "acl"),
    }
    config = directory / "mosquitto.conf"
    config.write_text("log_dest none\n" + changed((CONFIGS / "property.conf").read_text(), changes))
    config.chmod(0o644)
    async with running(config, port):
        yield Property(Broker(host=LOOPBACK, port=port, protocol="5", tls_ca_file=str(directory / "ca.pem")), directory)


async def may_write(somebody: Broker, topics: Iterable[str] = TOPICS) -> set[str]:
    """The topics on which the broker takes a message from somebody; it hangs up on who was refused."""
    taken: set[str] = set()
    for topic in topics:
        async with connected(somebody, "5", "") as client:
            with contextlib.suppress(PublishRefused):
                await client.publish(topic, b"")
                taken.add(topic)
    return taken


async def may_read(
    somebody: Broker, speaker: Broker, topics: Iterable[str] = TOPICS, filters: Iterable[str] = ("#",)
) -> set[str]:
    """The topics whose messages the broker brings to somebody who asks for all, from a speaker who may say all."""
    heard: set[str] = set()
    async with connected(somebody, "5", "") as client, connected(speaker, "5", "") as saying:
        for asked in filters:
            await client.subscribe(asked, qos=1)
        for topic in (*topics, "end"):
            await saying.publish(topic, b"heard")
        async with asyncio.timeout(PATIENCE_SECONDS):
            async for message in client.messages:
                if str(message.topic) == "end":
                    break
                heard.add(str(message.topic))
    return heard


def with_speaker(text: str) -> str:
    """The list, with somebody who may say everything and a last word that everybody hears."""
    heard = re.sub(r"^(user .*)$", r"\1\ntopic read end", text, flags=re.MULTILINE)
    return f"{heard}\nuser stranger\ntopic read end\n\nuser everybody\ntopic write #\n"


async def test_every_cell_of_the_propertys_list(folder: Path) -> None:
    text = (CONFIGS / "property.acl").read_text()
    assert set(re.findall(r"^user (\S+)$", text, re.MULTILINE)) == set(USERS) - {"stranger"}
    found: dict[Cell, bool] = {}
    async with the_property(folder, with_speaker(text), ("everybody",)) as house:
        for user in USERS:
            known = house.known_as(user)
            written, read = await may_write(known), await may_read(known, house.known_as("everybody"))
            found.update({Cell(user, "write", topic): topic in written for topic in TOPICS})
            found.update({Cell(user, "read", topic): topic in read for topic in TOPICS})
    wanted = {cell: allowed(*cell) for cell in found}
    assert {cell: verdict for cell, verdict in found.items() if verdict != wanted[cell]} == {}
    assert len(found) == 2 * len(USERS) * len(TOPICS)


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
async def test_nobody_comes_in_without_a_certificate_of_the_house(folder: Path) -> None:
    async with the_property(folder, (CONFIGS / "property.acl").read_text()) as house:
        stranger = folder / "elsewhere"
        stranger.mkdir()
        make_authority(stranger, datetime.now(UTC))
        make_certificate(stranger, "surveillance", (), datetime.now(UTC))
        forged = Property(house.broker, stranger).known_as("surveillance")
        server = house.known_as("broker")
        for wrong in (house.broker, forged, server):
            with pytest.raises((ConnectionLost, OSError)):
                async with connected(wrong, "5", "wrong") as client:
                    await client.publish(TOPICS[0], b"")
        async with connected(house.known_as("surveillance"), "5", "right") as client:
            await client.subscribe("#", qos=1)


# paho leaves the socket of a handshake that failed to the garbage collector, which says so.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
async def test_a_client_refuses_a_broker_that_is_not_the_houses(folder: Path) -> None:
    async with the_property(folder, (CONFIGS / "property.acl").read_text()) as house:
        elsewhere = folder / "elsewhere"
        elsewhere.mkdir()
        make_authority(elsewhere, datetime.now(UTC))
        misled = msgspec.structs.replace(house.known_as("surveillance"), tls_ca_file=str(elsewhere / "ca.pem"))
        with pytest.raises((ConnectionLost, OSError)):
            async with connected(misled, "5", "misled"):
                pass


def test_every_file_of_a_broker_is_in_the_documentation() -> None:
    text = (CONFIGS.parents[1] / "docs/guide/devices-and-tools.md").read_text()
    assert [path.name for path in CONFIGS.iterdir() if f"{path.name}`" not in text] == []


async def test_the_commands_come_in_with_a_certificate_and_say_what_is_lacking_without(folder: Path) -> None:
    async with the_property(folder, (CONFIGS / "property.acl").read_text()) as house:
        own = paths(folder, "surveillance")
        where = ("--broker", f"{house.broker.host}:{house.broker.port}", "--tls-ca", str(folder / "ca.pem"))
        mine = ("--tls-cert", str(own.certificate), "--tls-key", str(own.key))
        ask = ("answer", "harbour/bj-1", "1", "yes", "--who", "J. Reyes", *where)
        bare = await ran("watch", *where)
        assert (bare[0], bare[2].strip().endswith("does it want a certificate? --tls-cert and --tls-key")) == (2, True)
        assert "does it want a certificate?" in (await ran(*ask))[2]
        # Known, and heard: this name may order nothing.
        known = await ran(*ask, *mine)
        assert (known[0], "certificate" in known[2]) == (2, False)
    for half, missing in ((mine[:2], "go together"), (mine[2:], "go together")):
        refusal = await ran("watch", *where, *half)
        assert (refusal[0], missing in refusal[2]) == (2, True)
    assert "--tls-cert needs --tls-ca" in (await ran("watch", *mine))[2]
