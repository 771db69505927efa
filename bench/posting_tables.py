"""Tables that post to a link as fast as it answers, in a process of their own; ``bench.link`` starts several.

A table here is a DEALER socket with a key of its own and a wager that is posted again, under its next number, when the
last is answered. What a real table does besides (its session, the proxy before its socket) costs it more than the link
spends on a posting, so that few machines could play enough of them to keep a link busy.

Reads a ``Work`` as JSON from its input, and prints how long each answer took.
"""

from __future__ import annotations

import selectors
import sys
import time

import msgspec
import zmq

from controller.core.meters.pool_postings import WagerPosting
from controller.pool.wire import PostingAnswer, PostingRequest, frames, from_link

WAGER = WagerPosting(500, 9, 3, "blazing_7s")
PATIENCE_S = 60.0


class Work(msgspec.Struct, frozen=True):
    """Where to post, with whose keys, and for how long once every table has been answered."""

    address: str
    server_key: bytes
    secret_keys: list[bytes]
    seconds: float


class Times(msgspec.Struct):
    """Nanoseconds that each answer took within those seconds."""

    took_ns: list[int]


class PostingTable:
    """One table's socket, and its posting under way."""

    def __init__(self, context: zmq.Context[zmq.Socket[bytes]], work: Work, secret_key: bytes) -> None:
        self.socket = context.socket(zmq.DEALER)
        self.socket.set(zmq.LINGER, 0)
        self.socket.set(zmq.CURVE_SECRETKEY, secret_key)
        self.socket.set(zmq.CURVE_PUBLICKEY, zmq.curve_public(secret_key))
        self.socket.set(zmq.CURVE_SERVERKEY, work.server_key)
        self.socket.connect(f"tcp://{work.address}")
        self.seq = 0
        self.posted_ns = 0

    def post(self) -> None:
        """The next wager."""
        self.seq += 1
        self.posted_ns = time.monotonic_ns()
        self.socket.send_multipart(frames(PostingRequest(1, self.seq, WAGER)))

    def answered(self) -> bool:
        """Whether the posting under way has its answer."""
        try:
            message = from_link(self.socket.recv_multipart(zmq.DONTWAIT))
        except zmq.Again:
            return False
        assert isinstance(message, PostingAnswer)
        assert message.seq == self.seq
        return True


def posted(work: Work) -> Times:
    """Post, until the time is over and every posting is answered."""
    context: zmq.Context[zmq.Socket[bytes]] = zmq.Context(io_threads=1)
    tables = [PostingTable(context, work, key) for key in work.secret_keys]
    took_ns: list[int] = []
    silent = set(tables)
    end_s = time.monotonic() + PATIENCE_S
    under_way = len(tables)
    with selectors.DefaultSelector() as selector:
        for table in tables:
            selector.register(table.socket.fileno(), selectors.EVENT_READ, table)
            table.post()
        while under_way:
            for key, _ in selector.select(PATIENCE_S):
                table = key.data
                # ZeroMQ reports what comes once, and posting may swallow that.
                while table.answered():
                    now_ns, now_s = time.monotonic_ns(), time.monotonic()
                    if silent:
                        silent.discard(table)
                        end_s = now_s + (PATIENCE_S if silent else work.seconds)
                    elif now_s < end_s:
                        took_ns.append(now_ns - table.posted_ns)
                    if now_s >= end_s:
                        under_way -= 1
                        break
                    table.post()
    context.destroy(linger=0)
    return Times(took_ns)


if __name__ == "__main__":
    times = posted(msgspec.json.decode(sys.stdin.buffer.read(), type=Work))
    sys.stdout.buffer.write(msgspec.json.encode(times))
