"""One MQTT connection at a time, with what aiomqtt leaves out.

aiomqtt 2 takes a refused publish for a success, and leaves a publish on a lost connection waiting for its timeout.
``CheckedClient`` corrects both by overriding private methods, which is why the dependency is pinned below 3 and the
tests hold a real broker against it.
"""

from __future__ import annotations

import asyncio
import contextlib
import functools
import logging
import math
import socket
import ssl
import threading
from collections.abc import AsyncIterator, Awaitable
from pathlib import Path
from typing import Any, Final, Literal, Self, TypeVar

import aiomqtt
import msgspec
import paho.mqtt.client as paho
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties
from paho.mqtt.reasoncodes import ReasonCode

from controller.formats.config.table_file import BrokerSection
from controller.io.files.plain_files import named
from controller.io.files.secret_files import SecretRefused, is_kept, open_secret, read_secret
from controller.io.mqtt.intake import ANYTHING, Inbound, ThrottledClient
from controller.io.system.randomness import SystemEntropy

INFLIGHT_LIMIT: Final = 20
"""Messages on the way at once: what Mosquitto accepts as delivered."""

KEEPALIVE_SECONDS: Final = 5
"""A half-open connection is found within one and a half times this."""

CONNECT_SECONDS: Final = 5.0
"""How long a broker may take to greet us; an embedded one of the older protocol says nothing at all."""

PUBLISH_SECONDS: Final = 10.0
"""How long a broker may take to acknowledge a message before the connection counts as dead."""

DROP_SECONDS: Final = 1.0
"""How long it may take until a connection that was let go of is known to be gone."""

_Answer = TypeVar("_Answer")

Protocol = Literal["5", "3.1.1"]

# What paho would log, a lost connection, raises ConnectionLost here.
_UNHEARD: Final = logging.getLogger("tableside.paho")
_UNHEARD.setLevel(logging.CRITICAL + 1)


class ConnectionLost(Exception):  # noqa: N818 - named for what happened
    """There is no connection to the broker (any more); what was not acknowledged must be sent again."""


class NotGreeted(ConnectionLost):
    """No connection came about; ``said_no``: the broker itself hung up or refused it."""

    def __init__(self, reason: str, *, said_no: bool = False) -> None:
        super().__init__(reason)
        self.said_no = said_no


class PublishRefused(Exception):  # noqa: N818
    """The broker will not take this message: an access rule, a quota, a malformed topic."""


class ClosingSocket(ssl.SSLSocket):
    """Closed when its handshake fails: paho forgets it then, and it would stay open until it is collected."""

    def do_handshake(self, block: bool = False) -> None:  # noqa: FBT001, FBT002 - the standard library's signature
        """Shake hands, or hang up."""
        try:
            super().do_handshake(block)
        except BaseException:
            self.close()
            raise


class Broker(msgspec.Struct, frozen=True):
    """Where the broker is and how to greet it. ``protocol`` auto: 5, and 3.1.1 if that fails."""

    host: str
    port: int
    protocol: Literal["auto", "5", "3.1.1"] = "auto"
    username: str | None = None
    password: str | None = None
    tls_ca_file: str | None = None
    tls_cert_file: str | None = None
    tls_key_file: str | None = None
    is_tls_key_kept: bool = False
    """Whether that key is the service manager's credential."""
    connect_seconds: float = CONNECT_SECONDS

    @classmethod
    def from_section(cls, section: BrokerSection, credentials: str | None = None) -> Self:
        """As a table file says; reads the password file. ``credentials``: where the service manager keeps its own.

        Raises:
            OSError: the password file or the TLS key cannot be used; the message names it and the key it comes from.
        """
        password, keys = None, section.tls_key_file
        try:
            if section.password_file is not None:
                kept = is_kept(section.password_file, credentials)
                content = read_secret(Path(section.password_file), what="the password", kept_by_service=kept)
                password = content.decode().rstrip("\n")
        except SecretRefused as error:
            raise OSError(f"[broker] password_file: {error}") from error
        except UnicodeDecodeError as error:
            raise OSError(f"[broker] password_file: {section.password_file}: expected a password in UTF-8") from error
        is_tls_key_kept = keys is not None and is_kept(keys, credentials)
        try:
            if keys is not None:
                read_secret(Path(keys), what="the TLS key", kept_by_service=is_tls_key_kept)
        except SecretRefused as error:
            raise OSError(f"[broker] tls_key_file: {error}") from error
        return cls(
            host=section.host,
            port=section.port,
            protocol=section.protocol,
            username=section.username,
            password=password,
            tls_ca_file=section.tls_ca_file,
            tls_cert_file=section.tls_cert_file,
            tls_key_file=section.tls_key_file,
            is_tls_key_kept=is_tls_key_kept,
        )

    @property
    def address(self) -> str:
        """Its host and port, for people."""
        return f"{self.host}:{self.port}"

    def protocols(self) -> tuple[Protocol, ...]:
        """The protocols to try, in order."""
        return ("5", "3.1.1") if self.protocol == "auto" else (self.protocol,)

    def protocols_for_long(self) -> tuple[Protocol, ...]:
        """The same for a connection that is to last: 3.1.1 cannot say that a message was refused.

        So a broker that is slow once is asked for 5 again, unless it said no; one that only knows the older may say
        nothing at all.
        """
        return ("5", "5", "3.1.1") if self.protocol == "auto" else (self.protocol,)

    def tls(self) -> ssl.SSLContext | None:
        """The TLS settings, None for a plain connection.

        Raises:
            OSError: a certificate or key cannot be read.
        """
        if self.tls_ca_file is None:
            return None
        with named(self.tls_ca_file) as authority:
            context = ssl.create_default_context(cafile=authority)
        context.sslsocket_class = ClosingSocket
        if self.tls_cert_file is not None and self.tls_key_file is not None:
            # OpenSSL takes paths: those of the descriptors that were judged.
            try:
                kept = self.is_tls_key_kept
                secret = open_secret(Path(self.tls_key_file), what="the TLS key", kept_by_service=kept)
                with named(self.tls_cert_file) as certificate, secret as key:
                    context.load_cert_chain(certificate, f"/proc/self/fd/{key.fileno()}")
            except SecretRefused as error:
                raise OSError(str(error)) from error
        return context


class CheckedClient(ThrottledClient):
    """aiomqtt's client for one connection: a refusal raises, and a lost connection fails all that waits, at once."""

    def __init__(self, *args: Any, **keywords: Any) -> None:  # noqa: ANN401 - passed on
        super().__init__(*args, **keywords)
        self.said_no = False
        """Whether the broker hung up, or refused, instead of greeting us."""
        self._waiting: dict[int, asyncio.Future[None]] = {}
        self._thread = threading.get_ident()
        self._has_unwritten = False
        """Whether paho wants to be informed when its socket can be written to."""
        self._is_let_go = False
        # Above ten waiting calls aiomqtt warns on each; our window is the limit.
        self.pending_calls_threshold = 10 * INFLIGHT_LIMIT

    async def __aenter__(self) -> Self:
        """Connect.

        Raises:
            aiomqtt.MqttError: no connection, or the broker refused it.
        """
        lost = self._disconnected
        try:
            await super().__aenter__()
        except aiomqtt.MqttCodeError:
            self.said_no = True
            raise
        # aiomqtt forgets a loss that comes with the greeting, and would wait for messages without end.
        if lost.done() and not lost.cancelled() and lost.exception() is not None:
            raise aiomqtt.MqttError(f"the connection was lost as it came about: {lost.exception()}")
        self._disconnected.add_done_callback(self._fail_waiting)
        return self

    async def publish(  # type: ignore[override]
        self,
        /,
        topic: str,
        payload: bytes = b"",
        qos: int = 1,
        retain: bool = False,  # noqa: FBT001, FBT002 - aiomqtt's signature
    ) -> None:
        """Publish and wait for the broker's answer.

        Raises:
            PublishRefused: the broker refused it.
            ConnectionLost: no answer came.
        """
        await self.send(topic, payload, qos=qos, retain=retain)

    def send(
        self, topic: str, payload: bytes, *, qos: int = 1, retain: bool = False, content_type: str = ""
    ) -> asyncio.Future[None]:
        """Hand a message over at once, in order; the future has the broker's answer, as ``publish`` describes.

        What MQTT cannot carry is refused as a broker would. ``content_type`` goes with it where MQTT 5 is spoken; 3.1.1
        has no room for it.
        """
        answer: asyncio.Future[None] = self._loop.create_future()
        # The sender may have been cancelled since; then the answer is not asked for.
        answer.add_done_callback(lambda done: None if done.cancelled() else done.exception())
        if self._disconnected.done():
            answer.set_exception(ConnectionLost("the connection to the broker is down"))
            return answer
        try:
            described = _described(content_type) if self._client.protocol == paho.MQTTv5 else None
            info = self._client.publish(topic, payload, qos, retain, described)
        except ValueError as error:
            # A topic or a message that no packet of the protocol can hold never leaves.
            answer.set_exception(PublishRefused(str(error)))
            return answer
        if info.rc != paho.MQTT_ERR_SUCCESS:
            answer.set_exception(ConnectionLost(paho.error_string(info.rc)))
        elif info.is_published():
            answer.set_result(None)
        else:
            self._waiting[info.mid] = answer
            self._write_now()
            timer = self._loop.call_later(PUBLISH_SECONDS, self._give_up, info.mid)
            answer.add_done_callback(lambda _: timer.cancel())
        return answer

    def let_go(self) -> None:
        """Take the connection off the event loop and close it: paho would when it is collected, maybe after the loop.

        One that is still being made by a thread is closed there.
        """
        self._is_let_go = True
        inner = self._client
        inner.on_socket_open = inner.on_socket_close = None
        inner.on_socket_register_write = inner.on_socket_unregister_write = None
        left: Any = inner.socket()
        if left is not None and left.fileno() >= 0:
            self._loop.remove_reader(left)
            self._loop.remove_writer(left)
            left.close()

    def _client_connect(self) -> None:
        super()._client_connect()
        left: Any = self._client.socket()
        if self._is_let_go and left is not None:
            left.close()

    async def _wait_for(self, fut: Awaitable[_Answer], timeout: float | None) -> _Answer:  # noqa: ASYNC109 - its signature
        # aiomqtt's own asks asyncio.wait_for, which loses a cancellation that comes in the same turn as the answer
        # (before Python 3.12): a table asked to stop just then would run on.
        patience_s = self.timeout if timeout is None else timeout
        try:
            async with asyncio.timeout(None if patience_s == math.inf else patience_s):
                return await fut
        except TimeoutError:
            raise aiomqtt.MqttError("Operation timed out") from None

    async def until_lost(self) -> None:
        """Wait until the connection is gone.

        Raises:
            ConnectionLost: always, unless cancelled.
        """
        await asyncio.wait((self._disconnected,))
        reason = None if self._disconnected.cancelled() else self._disconnected.exception()
        raise ConnectionLost(f"the connection to the broker was lost: {reason or 'closed'}")

    async def drop(self) -> None:
        """Let go of the connection without a word, so that the broker tells our last will."""
        left: Any = self._client.socket()
        if left is not None and not self._disconnected.done():
            with contextlib.suppress(OSError):
                left.shutdown(socket.SHUT_RDWR)
            await asyncio.wait((self._disconnected,), timeout=DROP_SECONDS)

    def _give_up(self, mid: int) -> None:
        answer = self._waiting.pop(mid, None)
        if answer is not None and not answer.done():
            answer.set_exception(ConnectionLost(f"no answer within {PUBLISH_SECONDS:.0f} s"))

    def _fail_waiting(self, disconnected: asyncio.Future[None]) -> None:
        reason = None if disconnected.cancelled() else disconnected.exception()
        waiting, self._waiting = self._waiting, {}
        for answer in waiting.values():
            if not answer.done():
                answer.set_exception(ConnectionLost(f"the connection to the broker was lost: {reason or 'closed'}"))

    def _on_publish(
        self,
        client: paho.Client,  # noqa: ARG002
        userdata: Any,  # noqa: ARG002, ANN401
        mid: int,
        reason_code: ReasonCode,
        properties: Properties,  # noqa: ARG002
    ) -> None:
        answer = self._waiting.pop(mid, None)
        if answer is None or answer.done():
            return
        if reason_code.is_failure:
            answer.set_exception(PublishRefused(str(reason_code)))
        else:
            answer.set_result(None)

    def _on_disconnect(
        self,
        client: paho.Client,
        userdata: Any,  # noqa: ANN401
        flags: paho.DisconnectFlags,
        reason_code: ReasonCode,
        properties: Properties | None = None,
    ) -> None:
        # A broker that hangs up instead of greeting us need not be waited for.
        if not self._connected.done():
            self.said_no = True
            self._connected.set_exception(aiomqtt.MqttError(f"the broker hung up: {reason_code}"))
        super()._on_disconnect(client, userdata, flags, reason_code, properties)

    def _write_now(self) -> None:
        """Write what waits as far as the socket takes it; the loop writes the rest."""
        try:
            self._client.loop_write()
        except Exception as error:  # noqa: BLE001 - whatever breaks here, the connection is lost
            if not self._disconnected.done():
                self._disconnected.set_exception(error)

    def _on_socket_register_write(self, client: paho.Client, userdata: Any, sock: Any) -> None:  # noqa: ANN401, ARG002
        def register() -> None:
            # What waited may have been written since, and the connection been lost: a closed socket has no descriptor.
            if self._has_unwritten and sock.fileno() >= 0:
                self._loop.add_writer(sock.fileno(), self._write_now)

        self._has_unwritten = True
        # Called on the thread that connects, too; there the loop must be woken.
        is_ours = threading.get_ident() == self._thread
        (self._loop.call_soon if is_ours else self._loop.call_soon_threadsafe)(register)

    def _on_socket_unregister_write(self, client: paho.Client, userdata: Any, sock: Any) -> None:  # noqa: ANN401, ARG002
        self._has_unwritten = False
        if sock.fileno() >= 0:
            self._loop.remove_writer(sock.fileno())


class _Packed(Properties):
    """Properties that never change: packed once, and not for every message again."""

    def __init__(self, content_type: str) -> None:
        super().__init__(PacketTypes.PUBLISH)  # type: ignore[no-untyped-call]
        self.ContentType = content_type
        object.__setattr__(self, "_packed", super().pack())  # type: ignore[no-untyped-call]

    def pack(self) -> bytes:
        """As they go over the wire."""
        packed: bytes = self._packed  # type: ignore[attr-defined]
        return packed


@functools.cache
def _described(content_type: str) -> Properties | None:
    """The properties of a message whose payload is of this type; empty: none are said."""
    return _Packed(content_type) if content_type else None


def own_identifier(name: str) -> str:
    """A client's name at the broker that no other client can give.

    A broker hangs up on a client when another comes under its name.
    """
    return f"{name}-{SystemEntropy().take(8).hex()}"


@contextlib.asynccontextmanager
async def connected(
    broker: Broker,
    protocol: Protocol,
    identifier: str,
    will: aiomqtt.Will | None = None,
    inbound: Inbound = ANYTHING,
) -> AsyncIterator[CheckedClient]:
    """A connection with a clean session: commands sent while the daemon was away are not carried out later.

    Raises:
        NotGreeted: no connection came about.
        ConnectionLost: it was lost while in use.
        OSError: a certificate or key cannot be read.
    """
    is_5 = protocol == "5"
    properties = None
    if is_5:
        properties = Properties(PacketTypes.CONNECT)  # type: ignore[no-untyped-call]
        properties.SessionExpiryInterval = 0
        properties.ReceiveMaximum = INFLIGHT_LIMIT
        properties.MaximumPacketSize = inbound.packet_bytes
    client = CheckedClient(
        broker.host,
        broker.port,
        protocol=aiomqtt.ProtocolVersion.V5 if is_5 else aiomqtt.ProtocolVersion.V311,
        identifier=identifier,
        username=broker.username,
        password=broker.password,
        clean_session=None if is_5 else True,
        clean_start=True if is_5 else paho.MQTT_CLEAN_START_FIRST_ONLY,
        properties=properties,
        keepalive=KEEPALIVE_SECONDS,
        timeout=broker.connect_seconds,
        logger=_UNHEARD,
        max_inflight_messages=INFLIGHT_LIMIT,
        # A second small message would wait for the answer to the first.
        socket_options=((socket.IPPROTO_TCP, socket.TCP_NODELAY, 1),),
        will=will,
        tls_context=broker.tls(),
        inbound=inbound,
    )
    greeted = False
    try:
        async with client:
            greeted = True
            yield client
    except aiomqtt.MqttError as error:
        if greeted:
            raise ConnectionLost(str(error.__cause__ or error)) from error
        raise NotGreeted(str(error), said_no=client.said_no) from error
    finally:
        client.let_go()
