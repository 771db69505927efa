"""Who takes ZeroMQ's sockets at their word: messages that never end, connections without number, another protocol."""

from __future__ import annotations

import asyncio
import contextlib
import random
import socket
from pathlib import Path

import pytest
import zmq

from controller.formats.orders.operators import ChannelUser
from controller.io.operators.channel import MESSAGE_LIMIT_BYTES, SOCKET, TCP_LIMIT, ChannelEndpoints
from controller.io.operators.channel_client import ChannelAddress
from controller.io.system.zmtp_proxy import CONNECTIONS_LIMIT, WINDOW_BYTES, ExcessTraffic, Frames
from tests.io.test_operator_channel import Pair, Table, put, serving
from tests.io.zmtp_peer import GREETING, MORE, frame, is_closed, poured, speaking, until_closed

ENOUGH_BYTES = 16 * 1024 * 1024
"""Many times what anybody may say before they are answered."""

BUFFERED_BYTES = 2 * 1024 * 1024
"""At most what the system's own buffers take."""


@pytest.mark.parametrize("part", [bytes(60_000), b""], ids=["long", "empty"])
async def test_a_message_that_never_ends_is_hung_up_on_and_others_are_answered(tmp_path: Path, part: bytes) -> None:
    piece = frame(part, MORE) * (1 if part else 30_000)
    async with serving(ChannelEndpoints(tmp_path), Table()):
        taken = await asyncio.to_thread(poured, tmp_path / "auditor" / SOCKET, piece, ENOUGH_BYTES)
        assert taken <= WINDOW_BYTES + BUFFERED_BYTES
        floor = ChannelAddress(str(tmp_path / "floor" / SOCKET))
        assert (await put(floor, "void", round=7, who="M. Okafor")).status == "accepted"


async def test_so_is_who_has_a_key(tmp_path: Path) -> None:
    server, okafor = Pair(tmp_path, "server"), Pair(tmp_path, "okafor")
    known = {okafor.public: ChannelUser(frozenset({"floor"}), "M. Okafor")}
    async with serving(ChannelEndpoints(None, "127.0.0.1:0", server.secret, known), Table()) as channel:
        address = f"tcp://127.0.0.1:{channel.port}"
        with zmq.Context() as context, context.socket(zmq.DEALER) as hostile:
            hostile.set(zmq.LINGER, 0)
            hostile.set(zmq.CURVE_SECRETKEY, okafor.secret)
            hostile.set(zmq.CURVE_PUBLICKEY, okafor.public.encode())
            hostile.set(zmq.CURVE_SERVERKEY, server.public.encode())
            gone = hostile.get_monitor_socket(zmq.EVENT_DISCONNECTED)
            hostile.connect(address)
            hostile.send_multipart([bytes(MESSAGE_LIMIT_BYTES // 2)] * 100)
            assert await asyncio.to_thread(gone.poll, 20_000), "a message of 6 MB was taken"
            hostile.disable_monitor()
            gone.close()
        assert (await put(ChannelAddress(address, server.public, okafor.file), "void", round=7)).status == "accepted"


async def test_of_connections_without_number_a_few_are_kept_and_a_request_still_comes_through(tmp_path: Path) -> None:
    path = tmp_path / "dealer" / SOCKET
    async with serving(ChannelEndpoints(tmp_path), Table()):
        with contextlib.ExitStack() as kept:
            opened = [await asyncio.to_thread(kept.enter_context, speaking(path)) for _ in range(3 * CONNECTIONS_LIMIT)]
            assert (await put(ChannelAddress(str(path)), "answer", question=1, who="J. Lee")).status == "accepted"
            assert sum(not is_closed(one) for one in opened) <= CONNECTIONS_LIMIT


async def test_strangers_without_number_do_not_keep_an_operator_out(tmp_path: Path) -> None:
    server, okafor = Pair(tmp_path, "server"), Pair(tmp_path, "okafor")
    known = {okafor.public: ChannelUser(frozenset({"floor"}), "M. Okafor")}
    async with serving(ChannelEndpoints(None, "127.0.0.1:0", server.secret, known), Table()) as channel:
        with contextlib.ExitStack() as kept:
            opened = []
            for _ in range(2 * TCP_LIMIT):
                one = kept.enter_context(socket.create_connection(("127.0.0.1", channel.port)))
                one.sendall(GREETING)
                opened.append(one)
            own = ChannelAddress(f"tcp://127.0.0.1:{channel.port}", server.public, okafor.file)
            assert (await put(own, "void", round=7)).status == "accepted"
            assert sum(not is_closed(one) for one in opened) <= TCP_LIMIT


async def test_a_line_that_was_answered_outlives_strangers(tmp_path: Path) -> None:
    server, okafor = Pair(tmp_path, "server"), Pair(tmp_path, "okafor")
    known = {okafor.public: ChannelUser(frozenset({"floor"}), "M. Okafor")}
    async with serving(ChannelEndpoints(None, "127.0.0.1:0", server.secret, known), Table()) as channel:
        with zmq.Context() as context, context.socket(zmq.DEALER) as operator, contextlib.ExitStack() as kept:
            operator.set(zmq.LINGER, 0)
            operator.set(zmq.RCVTIMEO, 20_000)
            operator.set(zmq.CURVE_SECRETKEY, okafor.secret)
            operator.set(zmq.CURVE_PUBLICKEY, okafor.public.encode())
            operator.set(zmq.CURVE_SERVERKEY, server.public.encode())
            gone = operator.get_monitor_socket(zmq.EVENT_DISCONNECTED)
            operator.connect(f"tcp://127.0.0.1:{channel.port}")
            for number in range(2):
                request = [b"tableside.operator.v1", b"harbour/bj-1", b"ack", b'{"alert": %d}' % number]
                operator.send_multipart(request)
                assert b"accepted" in (await asyncio.to_thread(operator.recv_multipart))[1]
                address = ("127.0.0.1", channel.port)
                strangers = [kept.enter_context(socket.create_connection(address)) for _ in range(2 * TCP_LIMIT)]
                await asyncio.to_thread(until_closed, strangers[0])
            assert not gone.poll(0)
            operator.disable_monitor()
            gone.close()


def test_frames_are_read_in_whatever_pieces_they_come() -> None:
    lengths = [0, 3, 255, 256, 70_000, 0, 1]
    data = GREETING + b"".join(frame(bytes(length), MORE) for length in lengths)
    for seed in range(50):
        chance, frames, at, found = random.Random(seed), Frames(), 0, []
        while at < len(data):
            piece = chance.choice((1, 2, 9, 63, 500, 60_000))
            found += [length for _, length in frames.take(data[at : at + piece])]
            at += piece
        assert found == lengths


@pytest.mark.parametrize("greeting", [b"\x01\x00", GREETING[:10] + b"\x01" + GREETING[11:], b"GET / HTTP/1.1\r\n"])
def test_what_speaks_another_protocol_is_not_passed_on(greeting: bytes) -> None:
    with pytest.raises(ExcessTraffic, match="ZMTP 3"):
        Frames().take(greeting)
