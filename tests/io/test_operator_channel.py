"""The operator channel on real sockets: role by role on this machine, key by key over TCP."""

from __future__ import annotations

import asyncio
import contextlib
import os
import pwd
import re
import tempfile
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import msgspec
import pytest
import zmq

from controller.core.persons import Authentication, Person, not_second_reason
from controller.daemon.operator_orders import listening
from controller.formats.config.table_file import OperatorSection
from controller.formats.orders.epoch_authorization import OrderSigner
from controller.formats.orders.operators import ROLES, ChannelRequest, ChannelUser
from controller.formats.orders.requests import Reply
from controller.io.files.secret_files import write_secret
from controller.io.mqtt.request import NoReply
from controller.io.operators.channel import (
    OVERFLOW_USER,
    SOCKET,
    ChannelEndpoints,
    ChannelFailed,
    OperatorChannel,
    has_account,
)
from controller.io.operators.channel_client import ChannelAddress, ask
from controller.io.system.clock import SystemClock
from controller.io.system.rate_limits import REQUESTS_AT_ONCE, RequestLimit

TABLE = "harbour/bj-1"
PATIENCE_S = 20.0
SILENCE_S = 0.3


class Table:
    """Accepts what it is asked, and writes it down."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, dict[str, object]]] = []
        self.vouched: list[Authentication] = []
        self.floods: list[str] = []
        self.limit = RequestLimit(SystemClock(), self.floods.append)

    def ask(self, request: ChannelRequest, answer: Callable[[bytes], None]) -> None:
        self.vouched.append(request.vouched)
        body = msgspec.json.decode(request.payload, type=dict[str, object])
        self.asked.append((request.verb, body))
        answer(msgspec.json.encode(Reply("accepted", "", body.get("transaction"))))


@contextlib.asynccontextmanager
async def serving(where: ChannelEndpoints, table: Table) -> AsyncIterator[OperatorChannel]:
    channel = OperatorChannel(where, TABLE, table.ask, SystemClock(), table.limit)
    task = asyncio.create_task(channel.run())
    try:
        async with asyncio.timeout(PATIENCE_S):
            await channel.bound.wait()
            yield channel
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


async def put(where: ChannelAddress, verb: str, seconds: float = PATIENCE_S, **body: object) -> Reply:
    return await asyncio.to_thread(ask, where, TABLE, verb, body, seconds)


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    return tmp_path


class Pair:
    """A CURVE key pair whose secret half lies in a file."""

    def __init__(self, directory: Path, name: str) -> None:
        public, secret = zmq.curve_keypair()
        self.public, self.secret = public.decode(), secret
        self.file = directory / f"{name}.key"
        write_secret(self.file, secret + b"\n")


async def test_the_socket_says_the_role(directory: Path) -> None:
    table = Table()
    async with serving(ChannelEndpoints(directory), table):
        floor, auditor = (ChannelAddress(str(directory / role / SOCKET)) for role in ("floor", "auditor"))
        assert await put(floor, "void", round=7, who="M. Okafor", transaction="a") == Reply("accepted", "", "a")
        refused = await put(auditor, "void", round=7, who="M. Okafor")
        assert (refused.status, refused.text) == ("refused", "void is for floor; you are auditor")
        assert table.asked == [("void", {"round": 7, "who": "M. Okafor", "transaction": "a"})]
        # The kernel says whose process it was.
        assert table.vouched == [Authentication("socket", ("floor",), os.getuid())]


async def test_whose_user_has_no_account_is_no_person_in_particular(directory: Path) -> None:
    """As by the numbers that an account has for its containers (``newuidmap``): no second person comes of them."""
    table = Table()
    where = ChannelEndpoints(directory, is_account=lambda user: user != os.getuid())
    async with serving(where, table):
        floor = ChannelAddress(str(directory / "floor" / SOCKET))
        await put(floor, "approve-order", order=1, who="R. Stone")
    assert table.vouched == [Authentication("socket", ("floor",), None)]
    proposed = Person("T. Cole", Authentication("socket", ("floor",), 1001))
    assert not_second_reason(proposed, Person("R. Stone", table.vouched[0]), "proposed it") is not None


def test_accounts_are_those_of_this_machine() -> None:
    free = next(user for user in range(100_000, 2**31) if user not in {one.pw_uid for one in pwd.getpwall()})
    assert [has_account(user) for user in (0, free, OVERFLOW_USER)] == [True, False, False]


async def test_at_a_socket_nobody_gives_the_name_of_somebody_with_a_key(directory: Path) -> None:
    known = {"a key": ChannelUser(frozenset({"surveillance"}), "S. Vance")}
    table = Table()
    async with serving(ChannelEndpoints(directory, operators=known), table):
        floor = ChannelAddress(str(directory / "floor" / SOCKET))
        for who in ("S. Vance", "s. vance\u200b", "Ѕ. Vance"):
            refused = await put(floor, "approve-order", order=1, who=who)
            assert (refused.status, refused.text[:20]) == ("refused", "S. Vance has a key, ")
        assert table.asked == []


async def test_nor_the_name_of_somebody_who_has_a_key_to_sign_and_none_to_connect(directory: Path) -> None:
    file = directory / "operators.toml"
    file.write_text(
        f'[[operator]]\nname = "M. Okafor"\nroles = ["floor"]\nsigns = ["{OrderSigner(b"o" * 40).public}"]\n'
    )
    table = Table()
    async with serving(listening(OperatorSection(directory=str(directory), operators=str(file))), table):
        floor = ChannelAddress(str(directory / "floor" / SOCKET))
        refused = await put(floor, "void", round=7, who="M. Okafor", why="foul deal")
        assert (refused.status, refused.text[:21]) == ("refused", "M. Okafor has a key, ")
        assert table.asked == []


async def test_every_role_has_a_socket_for_its_group_and_none_stays(directory: Path) -> None:
    async with serving(ChannelEndpoints(directory), Table()):
        sockets = {role: directory / role / SOCKET for role in ROLES}
        assert {role: oct(path.stat().st_mode & 0o777) for role, path in sockets.items()} == dict.fromkeys(
            ROLES, "0o660"
        )
    assert not any(path.exists() for path in sockets.values())


async def test_over_tcp_the_key_says_who_asks(directory: Path) -> None:
    server, okafor, stranger = (Pair(directory, name) for name in ("server", "okafor", "stranger"))
    known = {okafor.public: ChannelUser(frozenset({"floor"}), "M. Okafor")}
    table = Table()
    async with serving(ChannelEndpoints(None, "127.0.0.1:0", server.secret, known), table) as channel:
        address = f"tcp://127.0.0.1:{channel.port}"
        own = ChannelAddress(address, server.public, okafor.file)
        assert (await put(own, "void", round=7)).status == "accepted"
        assert (await put(own, "void", round=7, who="J. Lee")).text.startswith("your key is M. Okafor's")
        assert (await put(own, "ack", alert=1, who="M. Okafor")).status == "accepted"
        assert [(verb, body["who"]) for verb, body in table.asked] == [("void", "M. Okafor"), ("ack", "M. Okafor")]
        assert table.vouched == [Authentication("key", ("floor",))] * 2
        # A handshake that fails is silence.
        with pytest.raises(NoReply, match="one of the keys is not known"):
            await put(ChannelAddress(address, server.public, stranger.file), "void", SILENCE_S, round=7)
        with pytest.raises(NoReply, match="one of the keys is not known"):
            await put(ChannelAddress(address, stranger.public, okafor.file), "void", SILENCE_S, round=7)
        assert len(table.asked) == 2


async def test_a_person_with_two_roles_may_what_either_may(directory: Path) -> None:
    server, lee = Pair(directory, "server"), Pair(directory, "lee")
    known = {lee.public: ChannelUser(frozenset({"surveillance", "dealer"}), "J. Lee")}
    async with serving(ChannelEndpoints(None, "127.0.0.1:0", server.secret, known), Table()) as channel:
        own = ChannelAddress(f"tcp://127.0.0.1:{channel.port}", server.public, lee.file)
        assert (await put(own, "ack", alert=1)).status == "accepted"
        assert (await put(own, "answer", question=1)).status == "accepted"
        assert (await put(own, "void", round=1)).status == "refused"


async def test_plain_tcp_gets_nothing(directory: Path) -> None:
    server = Pair(directory, "server")
    table = Table()
    async with serving(ChannelEndpoints(None, "127.0.0.1:0", server.secret, {}), table) as channel:
        with zmq.Context() as context, context.socket(zmq.DEALER) as bare:
            bare.set(zmq.LINGER, 0)
            bare.set(zmq.RCVTIMEO, round(SILENCE_S * 1000))
            bare.connect(f"tcp://127.0.0.1:{channel.port}")
            bare.send_multipart([b"tableside.operator.v1", TABLE.encode(), b"status", b"{}"])
            with pytest.raises(zmq.Again):
                await asyncio.to_thread(bare.recv_multipart)
        assert table.asked == []


async def test_a_key_that_others_may_read_is_not_used(directory: Path) -> None:
    pair = Pair(directory, "okafor")
    pair.file.chmod(0o640)
    with pytest.raises(NoReply, match="chmod 600"):
        await put(ChannelAddress("tcp://127.0.0.1:9", pair.public, pair.file), "void", SILENCE_S)


async def test_what_cannot_be_reached_is_said_at_once(directory: Path) -> None:
    with pytest.raises(NoReply, match="no socket here that you may use"):
        await put(ChannelAddress(str(directory / "floor" / SOCKET)), "void")
    with pytest.raises(NoReply, match="key file and the table's public key"):
        await put(ChannelAddress("tcp://127.0.0.1:9"), "void")
    own = Pair(directory, "okafor")
    for where, message in (
        (ChannelAddress(str(directory)), "expected a role's socket, not a folder: DIRECTORY/ROLE/socket"),
        (ChannelAddress("127.0.0.1:9"), "no socket here; over TCP it is tcp://127.0.0.1:9"),
        (ChannelAddress("tcp://127.0.0.1", own.public, own.file), "expected tcp://HOST:PORT"),
        (ChannelAddress("tcp://127.0.0.1:9", "okafor", own.file), "the table's public key: expected 40 characters"),
    ):
        with pytest.raises(NoReply, match=re.escape(f"{where.address}: {message}")):
            await put(where, "void")


async def test_a_port_that_is_taken_ends_the_channel(directory: Path) -> None:
    server = Pair(directory, "server")
    async with serving(ChannelEndpoints(None, "127.0.0.1:0", server.secret, {}), Table()) as channel:
        second = OperatorChannel(
            ChannelEndpoints(None, f"127.0.0.1:{channel.port}", server.secret, {}), TABLE, Table().ask, SystemClock()
        )
        with pytest.raises(ChannelFailed, match=f"tcp://127.0.0.1:{channel.port}"):
            await second.run()


async def test_who_asks_too_much_is_refused_and_keeps_nobody_else_from_asking(directory: Path) -> None:
    table = Table()
    async with serving(ChannelEndpoints(directory), table):
        floor, dealer = (str(directory / role / SOCKET) for role in ("floor", "dealer"))
        answers: list[str] = []
        async with flooding(floor, [b"void", b'{"round": 7, "who": "M. Okafor"}'], 500, answers):
            assert (await put(ChannelAddress(dealer), "answer", question=1, who="J. Lee")).status == "accepted"
            # What the same people ask of another verb is another matter.
            assert (await put(ChannelAddress(floor), "ack", alert=1, who="M. Okafor")).status == "accepted"
        asked = [verb for verb, _ in table.asked]
        assert REQUESTS_AT_ONCE <= asked.count("void") < 2 * REQUESTS_AT_ONCE
        assert {asked.count("answer"), asked.count("ack")} == {1}
        assert table.floods == [
            f"void by floor at the socket (user {os.getuid()}): more than 10 a second; what is beyond is refused"
        ]
        refused = [text for text in answers if "too many requests" in text]
        assert 0 < len(refused) < 100


@contextlib.asynccontextmanager
async def flooding(path: str, request: list[bytes], count: int, answers: list[str]) -> AsyncIterator[None]:
    """``count`` requests at once on a role's socket, before anything else is done; what came back, at the end."""
    with zmq.Context() as context, context.socket(zmq.DEALER) as socket:
        socket.set(zmq.LINGER, 0)
        socket.connect(f"ipc://{path}")
        for _ in range(count):
            await asyncio.to_thread(socket.send_multipart, [b"tableside.operator.v1", TABLE.encode(), *request])
        yield
        while await asyncio.to_thread(socket.poll, 500):
            answers.append(socket.recv_multipart()[1].decode())


async def test_without_a_folder_for_its_own_sockets_the_channel_says_so(directory: Path) -> None:
    before = tempfile.tempdir
    tempfile.tempdir = str(directory / "none")
    try:
        with pytest.raises(ChannelFailed, match="no folder for its own sockets: No such file or directory"):
            await OperatorChannel(ChannelEndpoints(directory), TABLE, Table().ask, SystemClock()).run()
    finally:
        tempfile.tempdir = before
