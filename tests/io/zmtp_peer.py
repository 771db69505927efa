"""Somebody at a role's socket who speaks ZMTP by hand, and so may say what no library would."""

from __future__ import annotations

import contextlib
import socket
from collections.abc import Iterator
from pathlib import Path

MORE = 1
GREETING = b"\xff" + bytes(8) + b"\x7f" + b"\x03\x00" + b"NULL".ljust(20, b"\0") + bytes(32)
PATIENCE_S = 20.0


def frame(body: bytes, flags: int = 0) -> bytes:
    """A frame of ZMTP 3."""
    if len(body) < 256:
        return bytes([flags, len(body)]) + body
    return bytes([flags | 2]) + len(body).to_bytes(8, "big") + body


@contextlib.contextmanager
def speaking(path: Path, kind: bytes = b"DEALER") -> Iterator[socket.socket]:
    """A connection that has shaken hands as a socket of a kind."""
    ready = b"\x05READY" + b"\x0bSocket-Type" + len(kind).to_bytes(4, "big") + kind
    with socket.socket(socket.AF_UNIX) as found:
        found.settimeout(PATIENCE_S)
        found.connect(str(path))
        found.sendall(GREETING)
        heard = b""
        while len(heard) < len(GREETING):
            heard += found.recv(len(GREETING) - len(heard))
        found.sendall(frame(ready, 4))
        assert found.recv(1024)
        yield found


def poured(path: Path, piece: bytes, limit_bytes: int, kind: bytes = b"DEALER") -> int:
    """How many bytes were taken of a piece said again and again, before the connection was closed."""
    count = 0
    with speaking(path, kind) as found, contextlib.suppress(ConnectionError):
        while count < limit_bytes:
            count += found.send(piece)
    return count


def is_closed(found: socket.socket) -> bool:
    """Whether the other end has hung up."""
    found.settimeout(0)
    try:
        while found.recv(1 << 16):
            pass
    except ConnectionError:
        return True
    except BlockingIOError:
        return False
    return True


def until_closed(found: socket.socket) -> None:
    """Wait until the other end hangs up."""
    found.settimeout(PATIENCE_S)
    with contextlib.suppress(ConnectionError):
        while found.recv(1 << 16):
            pass
