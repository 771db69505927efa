"""A person's end of the operator channel: one request, one reply, or a reason why none came."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

import zmq

from controller.formats.orders.operators import FRAMES, PROTOCOL, request_frames
from controller.formats.orders.requests import Reply
from controller.formats.text.toml_schema import CURVE_KEY, HOST_PORT_PATTERN
from controller.io.files.secret_files import SecretRefused, read_curve_secret
from controller.io.mqtt.request import NoReply, read_reply

MILLISECONDS: Final = 1000

TCP: Final = "tcp://"

_HOST_PORT: Final = re.compile(rf"(?!.*/){HOST_PORT_PATTERN}")


class ChannelAddress(NamedTuple):
    """Where a table listens: a socket's path, or ``tcp://HOST:PORT`` with its public key and our secret one's file."""

    address: str
    server_key: str = ""
    key_file: Path | None = None


def ask(where: ChannelAddress, table: str, verb: str, body: Mapping[str, Any], seconds: float) -> Reply:
    """Put a request and wait for its reply.

    Raises:
        NoReply: it cannot be put, or no reply came within ``seconds``; a handshake that fails is silence too.
    """
    with zmq.Context() as context, context.socket(zmq.DEALER) as socket:
        socket.set(zmq.LINGER, 0)
        socket.set(zmq.SNDTIMEO, round(seconds * MILLISECONDS))
        socket.set(zmq.RCVTIMEO, round(seconds * MILLISECONDS))
        try:
            _connect(socket, where)
            socket.send_multipart(request_frames(table, verb, body))
            frames = socket.recv_multipart()
        except zmq.Again:
            raise NoReply(_silence(where, table, seconds)) from None
        except (zmq.ZMQError, SecretRefused, ValueError) as error:
            raise NoReply(f"{where.address}: {error}") from error
    reply = read_reply(frames[-1]) if len(frames) == FRAMES - 2 and frames[0] == PROTOCOL else None
    if reply is None:
        raise NoReply(f"{where.address}: answered something else than {PROTOCOL.decode()}")
    return reply


def _connect(socket: zmq.Socket[bytes], where: ChannelAddress) -> None:
    if not where.address.startswith(TCP):
        if not Path(where.address).is_socket():
            raise NoReply(f"{where.address}: {_no_socket(where.address)}")
        socket.connect(f"ipc://{where.address}")
        return
    if _HOST_PORT.fullmatch(where.address.removeprefix(TCP)) is None:
        raise NoReply(f"{where.address}: expected {TCP}HOST:PORT")
    if where.key_file is None or not where.server_key:
        raise NoReply(f"{where.address}: over TCP your key file and the table's public key are needed")
    if CURVE_KEY.fullmatch(where.server_key) is None:
        raise NoReply(f"{where.address}: the table's public key: expected 40 characters, as `keys curve` printed them")
    secret = read_curve_secret(where.key_file)
    socket.set(zmq.CURVE_SECRETKEY, secret)
    socket.set(zmq.CURVE_PUBLICKEY, zmq.curve_public(secret))
    socket.set(zmq.CURVE_SERVERKEY, where.server_key.encode())
    socket.connect(where.address)


def _no_socket(address: str) -> str:
    """Why what was named is no socket of a role."""
    if Path(address).is_dir():
        return "expected a role's socket, not a folder: DIRECTORY/ROLE/socket"
    if _HOST_PORT.fullmatch(address):
        return f"no socket here; over TCP it is {TCP}{address}"
    return "no socket here that you may use; is the table running, with [operator]?"


def _silence(where: ChannelAddress, table: str, seconds: float) -> str:
    if where.address.startswith(TCP):
        said = f"{where.address}: no reply within {seconds:g} s: no such table, or one of the keys is not known there"
    else:
        said = f"{where.address}: no reply from {table} within {seconds:g} s"
    return said
