"""What a connection to a broker takes in: messages of bounded size, and where it is asked for at a bounded pace.

aiomqtt reads whatever comes and keeps it until somebody asks. Here reading pauses, so that what is too much waits at
the broker; the methods of aiomqtt's that this goes by are private, as ``controller/io/mqtt/connection.py`` says.
"""

from __future__ import annotations

import math
import ssl
import time
from typing import Any, Final, NamedTuple

import aiomqtt
import paho.mqtt.client as paho

from controller.io.system.rate_limits import MESSAGES_PER_SECOND, NANOSECONDS, Allowance

PACKET_LIMIT_BYTES: Final = 2 * 1024 * 1024
"""Of a message that comes in: twice the largest event."""

INBOX_LIMIT: Final = 100
"""Messages that may wait to be worked off where reading is paced or bounded; the rest waits at the broker."""

HELD_SECONDS: Final = 0.02
"""How long nothing is read once too much has been."""


STRETCH_NS: Final = 2_000_000
"""Reading goes on so long at a stretch, and then leaves the loop to everything else."""

MOST_NS: Final = 50_000_000
"""Of what was read, so much is made up for: one long read is no flood."""

SHARE: Final = 20
"""Reading takes at most one part in this many of the loop's time, in the long run."""

LONGEST_SECONDS: Final = 0.5
"""Reading is tried again after so long at the latest, so that a flood is still seen to be one."""


class Inbound(NamedTuple):
    """What may come in on a connection; the rest stays with the broker, or the connection ends."""

    packet_bytes: int = PACKET_LIMIT_BYTES
    """Of one message; a broker of MQTT 5 is informed, a broker that sends more all the same is hung up on."""
    is_paced: bool = False
    """Whether no more is read than ``MESSAGES_PER_SECOND``, and no more than can be worked off."""
    is_bounded: bool = False
    """Whether no more is read than can be worked off. What the broker answers waits too, so it is for those who listen
    and wait for none of its answers."""
    flood_seconds: float = math.inf
    """The connection ends when more came than is read for so long."""


ANYTHING: Final = Inbound()
"""What a client takes that wants everything, at any pace."""

AS_WORKED_OFF: Final = Inbound(is_bounded=True)
"""What a client takes that listens, waits for no answer, and may be slower than what it listens to."""


class Flow:
    """How much of a paced connection is read: a number of messages a second, and a small share of the loop's time.

    On a slow or busy machine reading costs more, and less is read: cards are reported meanwhile. Times are monotonic
    nanoseconds.
    """

    def __init__(self, flood_seconds: float) -> None:
        self._flood_ns = flood_seconds * NANOSECONDS
        self._pace = Allowance(MESSAGES_PER_SECOND, MESSAGES_PER_SECOND // 10)
        self._spent_ns = 0
        self._looked_ns = 0
        self._held_ns: int | None = None

    def spend(self, spent_ns: int) -> None:
        """So long was read."""
        self._spent_ns = min(self._spent_ns + spent_ns, MOST_NS)

    def wait_seconds(self, now_ns: int, *, is_full: bool) -> float:
        """How long nothing more is to be read though something is there; ``is_full``: what was read waits already.

        Raises:
            aiomqtt.MqttError: more came than is read for too long.
        """
        self._spent_ns = max(0, self._spent_ns - (now_ns - self._looked_ns) // SHARE)
        self._looked_ns = now_ns
        if not self._spent_ns and self._pace.is_whole(now_ns):
            self._held_ns = None
        if self._spent_ns <= STRETCH_NS and not is_full and self._pace.take(now_ns):
            return 0
        self._held_ns = now_ns if self._held_ns is None else self._held_ns
        if now_ns - self._held_ns > self._flood_ns:
            text = f"more than {MESSAGES_PER_SECOND} messages a second, or than this machine reads beside its work,"
            raise aiomqtt.MqttError(f"{text} for {self._flood_ns / NANOSECONDS:g} s")
        # Until half of what was spent is made up for.
        return min(LONGEST_SECONDS, max(HELD_SECONDS, self._spent_ns * SHARE / 2 / NANOSECONDS))


class ThrottledClient(aiomqtt.Client):
    """aiomqtt's client, reading no more than ``inbound`` allows."""

    def __init__(self, *args: Any, inbound: Inbound, **keywords: Any) -> None:  # noqa: ANN401 - passed on
        super().__init__(*args, **keywords)
        self._inbound = inbound
        self._flow = Flow(inbound.flood_seconds)

    def _on_socket_open(self, client: paho.Client, userdata: Any, sock: Any) -> None:  # noqa: ANN401, ARG002
        # Called on the thread that connects. aiomqtt's own hands the descriptor's number to the loop, which may be
        # another's by the time the loop comes to it, if the connection was given up.
        self._loop.call_soon_threadsafe(self._begin, client, sock)

    def _begin(self, client: paho.Client, sock: Any) -> None:  # noqa: ANN401
        """Read what comes, and keep the connection alive, unless it was given up as it came about."""
        if sock.fileno() >= 0 and not self._disconnected.done():
            self._misc_task = self._loop.create_task(self._misc_loop())
        self._read_on(client, sock)

    def _read_on(self, client: paho.Client, sock: Any) -> None:  # noqa: ANN401
        """Read when there is something."""
        if sock.fileno() >= 0 and not self._disconnected.done():
            self._loop.add_reader(sock.fileno(), self._read, client, sock)

    def _read(self, client: paho.Client, sock: Any) -> None:  # noqa: ANN401
        """Read a packet, and whatever TLS has decoded beyond it, unless it is too much for now."""
        try:
            self._read_packets(client, sock)
        except Exception as error:  # noqa: BLE001 - whatever breaks here, the connection is lost
            if not self._disconnected.done():
                self._disconnected.set_exception(error)
            # At once, so that the broker forgets what it holds for us.
            client._sock_close()

    def _read_packets(self, client: paho.Client, sock: Any) -> None:  # noqa: ANN401
        more = True
        while more:
            wait_seconds = self._wait_seconds()
            if wait_seconds and sock.fileno() >= 0:
                self._loop.remove_reader(sock.fileno())
                self._loop.call_later(wait_seconds, self._read_again, client, sock)
                return
            # The processor's time: on a busy machine a read that was interrupted is not a long one.
            began_ns = time.thread_time_ns()
            client.loop_read()
            self._flow.spend(time.thread_time_ns() - began_ns)
            # Of one that has come by half, too.
            self._measure(client._in_packet["remaining_length"])
            more = isinstance(sock, ssl.SSLSocket) and sock.fileno() >= 0 and sock.pending() > 0

    def _on_message(self, client: paho.Client, userdata: Any, message: paho.MQTTMessage) -> None:  # noqa: ANN401
        self._measure(len(message.payload))
        super()._on_message(client, userdata, message)

    def _measure(self, size: int) -> None:
        limit = self._inbound.packet_bytes
        if size > limit:
            raise aiomqtt.MqttError(f"the broker sends a message of more than {limit} bytes")

    def _read_again(self, client: paho.Client, sock: Any) -> None:  # noqa: ANN401
        """Go on after a pause; TLS may have decoded what the descriptor no longer tells of."""
        self._read_on(client, sock)
        if sock.fileno() >= 0 and not self._disconnected.done():
            self._read(client, sock)

    def _wait_seconds(self) -> float:
        """How long nothing more is to be read."""
        is_full = self._queue.qsize() >= INBOX_LIMIT
        if self._inbound.is_paced:
            return self._flow.wait_seconds(time.monotonic_ns(), is_full=is_full)
        return HELD_SECONDS if self._inbound.is_bounded and is_full else 0
