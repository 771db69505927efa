"""One opening of the line between the trigger box and whoever calls: who that is, and what they say.

On a local socket the kernel says which user's process calls (``SO_PEERCRED``); that they are the table itself is shown
by the pairing, there as on a serial line.
"""

from __future__ import annotations

import asyncio
import socket
import struct
from typing import TYPE_CHECKING, Final

import structlog

from firmware_protocols.codec import LineEnd, Wire
from firmware_protocols.messages import LineFault
from firmware_protocols.paired_line import PairedLine
from firmware_protocols.trigger_messages import TriggerCommand, TriggerReport

if TYPE_CHECKING:
    from controller.trigger_box.service import TriggerBoxService

PAIRING_SECONDS: Final = 5.0
"""Who has not shown by then, on a local socket, that they are the table is hung up: the table takes milliseconds."""

UNPAIRED_BYTES: Final = 4096
"""Many times what a pairing takes; who says more without one, on a local socket, is hung up."""

UNREAD_BYTES: Final = 256 * 1024
"""Answers that may wait for whoever does not read them."""

TOO_MUCH: Final = "it says too much"
"""Why the table's line is closed for a while."""

_PEER: Final = struct.Struct("3i")
"""``struct ucred``: process, user and group (unix(7), ``SO_PEERCRED``)."""

log = structlog.get_logger(__name__)


class TriggerLine(asyncio.Protocol):
    """One opening of the line to the table."""

    def __init__(self, service: TriggerBoxService) -> None:
        self._service = service
        self._wire: Wire = service.codec.open(LineEnd.DEVICE)
        self._paired = service.paired_line()
        self._transport: asyncio.Transport | None = None
        self._silence: asyncio.TimerHandle | None = None
        self._patience: asyncio.TimerHandle | None = None
        self._welcome = False
        self._unpaired_bytes = UNPAIRED_BYTES
        self.lost: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        """Done when the line is gone."""

    def say(self, reports: tuple[TriggerReport, ...]) -> None:
        """Send, in order."""
        if self._transport is not None and not self._transport.is_closing():
            data = b"".join(self._wire.encode(report) for report in reports)
            self._transport.write(data if self._paired is None else self._paired.seal(data))
            if self._transport.get_write_buffer_size() > UNREAD_BYTES:
                self._service.refuse("it does not read its answers", "line")
                self.hang_up()

    def hang_up(self) -> None:
        """Close the line; nothing more is taken of it."""
        self._welcome = False
        if self._transport is not None:
            self._transport.abort()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """See ``asyncio.Protocol``."""
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        user = peer_user(transport.get_extra_info("socket"))
        if user is not None and user not in self._service.users:
            self._service.refuse(f"user {user} is not the table's", "caller")
        else:
            self._welcome = self._service.opened(self)
        if not self._welcome:
            self.hang_up()
        elif user is not None and self._paired is not None:
            loop = asyncio.get_running_loop()
            self._patience = loop.call_later(PAIRING_SECONDS, self._stayed_unpaired)

    def _stayed_unpaired(self) -> None:
        if self._service.line is not self:
            self._service.refuse("not paired in time", "caller")
            self.hang_up()

    def data_received(self, data: bytes) -> None:
        """See ``asyncio.Protocol``."""
        if not self._welcome or not self._is_within_bounds(len(data)):
            return
        if self._silence is not None:
            self._silence.cancel()
            self._silence = None
        self._hear(self._wire.feed(data if self._paired is None else self._authentic(self._paired, data)))
        if self._wire.held():
            loop = asyncio.get_running_loop()
            self._silence = loop.call_later(self._service.codec.idle_ns / 1e9, self._fell_silent)

    def _is_within_bounds(self, count: int) -> bool:
        """Whether this many more bytes may come; else the line is hung up."""
        if self._service.line is self or self._patience is None:
            bears = self._service.bears(count)
        else:
            self._unpaired_bytes -= count
            bears = self._unpaired_bytes >= 0
            if not bears:
                self._service.refuse("too much before the pairing", "caller")
        if not bears:
            self.hang_up()
        return bears

    def _authentic(self, paired: PairedLine, data: bytes) -> bytes:
        """What the table said, out of what came on a paired line."""
        fed = paired.feed(data)
        for why in fed.refused:
            self._service.refuse(why)
        if fed.paired:
            self._wire = self._service.codec.open(LineEnd.DEVICE)
            self._service.take_line(self)
        if fed.answer and self._transport is not None:
            self._transport.write(fed.answer)
        return fed.inside

    def connection_lost(self, exc: Exception | None) -> None:
        """See ``asyncio.Protocol``."""
        del exc
        for timer in (self._silence, self._patience):
            if timer is not None:
                timer.cancel()
        self._service.closed(self)
        if not self.lost.done():
            self.lost.set_result(None)

    def _fell_silent(self) -> None:
        self._hear(self._wire.idle())

    def _hear(self, messages: tuple[object, ...]) -> None:
        for message in messages:
            if self._service.line is not self or not self._welcome:
                return
            if isinstance(message, TriggerCommand):
                try:
                    reports = self._service.answer(message)
                except Exception as error:  # noqa: BLE001 - asyncio would only close the line
                    self._service.fail(error)
                    self.hang_up()
                    return
                self.say(reports)
            elif isinstance(message, LineFault):
                log.warning("line disturbed", reason=message.reason)


def peer_user(reached: socket.socket | None) -> int | None:
    """The user, by number, whose process is at the other end of a local socket; None for any other line."""
    if reached is None or reached.family != socket.AF_UNIX:
        return None
    found = reached.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _PEER.size)
    _, user, _ = _PEER.unpack(found)
    return int(user)
