"""A technician's tools on one line: look at it, write down what passes, play it back."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Final, NamedTuple

from controller.formats.text.captures import Piece
from controller.io.lines.ports import Opener
from controller.io.lines.serial import LineLost

HOST_SECONDS: Final = 10.0
"""How long a playback waits for what the host said when it was captured; then it goes on as if it had been said."""

NANOSECONDS: Final = 1_000_000_000

OnBytes = Callable[[bool, bytes], None]
"""Receives what passes: whether from the device, and the bytes."""


class TappedTransport(asyncio.Transport):
    """A transport that tells what is written to it."""

    def __init__(self, inner: asyncio.Transport, tap: OnBytes) -> None:
        super().__init__()
        self._inner = inner
        self._tap = tap

    def write(self, data: bytes | bytearray | memoryview[Any]) -> None:
        """As the line's own; recorded if the line took it."""
        self._inner.write(data)
        self._tap(False, bytes(data))  # noqa: FBT003 - the tap's signature

    def is_closing(self) -> bool:
        """As the line's own."""
        return self._inner.is_closing()

    def close(self) -> None:
        """As the line's own."""
        self._inner.close()

    def abort(self) -> None:
        """As the line's own."""
        self._inner.abort()


class _Forwarded(asyncio.Protocol):
    """Hands on to a line's host all that the line says."""

    def __init__(self, inner: asyncio.Protocol) -> None:
        self._inner = inner

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._inner.connection_made(transport)

    def data_received(self, data: bytes) -> None:
        self._inner.data_received(data)

    def connection_lost(self, exc: Exception | None) -> None:
        self._inner.connection_lost(exc)


class _TappedProtocol(_Forwarded):
    def __init__(self, inner: asyncio.Protocol, tap: OnBytes) -> None:
        super().__init__(inner)
        self._tap = tap

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        super().connection_made(TappedTransport(transport, self._tap))

    def data_received(self, data: bytes) -> None:
        self._tap(True, data)  # noqa: FBT003 - the tap's signature
        super().data_received(data)


def tapped(open_line: Opener, tap: OnBytes) -> Opener:
    """As ``open_line``, with ``tap`` given every byte that passes."""

    async def opened(protocol: asyncio.Protocol) -> asyncio.Transport:
        return await open_line(_TappedProtocol(protocol, tap))

    return opened


class _WatchedProtocol(_Forwarded):
    """Tells ``on_loss`` how the line was lost; a line that its own host closes is not lost."""

    def __init__(self, inner: asyncio.Protocol, on_loss: Callable[[Exception], None]) -> None:
        super().__init__(inner)
        self._on_loss = on_loss

    def connection_lost(self, exc: Exception | None) -> None:
        if exc is not None:
            self._on_loss(exc)
        super().connection_lost(exc)


def watched(open_line: Opener, on_loss: Callable[[Exception], None]) -> Opener:
    """As ``open_line``, with ``on_loss`` told why an opening failed, or how the line was lost.

    A device that is silent, or another than it should be, is no loss: its host closes the line and opens it anew.
    """

    async def opened(protocol: asyncio.Protocol) -> asyncio.Transport:
        try:
            return await open_line(_WatchedProtocol(protocol, on_loss))
        except OSError as error:
            on_loss(error)
            raise
        except asyncio.CancelledError:
            on_loss(LineLost("the line did not open in time"))
            raise

    return opened


class End(asyncio.Protocol):
    """One end of a line: hands on what comes and knows when it is lost."""

    def __init__(self, on_data: Callable[[bytes], None]) -> None:
        self._on_data = on_data
        self._transport: asyncio.Transport | None = None
        self.opened = asyncio.Event()
        self.lost: asyncio.Future[Exception | None] = asyncio.get_running_loop().create_future()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """The line is open."""
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        self.opened.set()

    def data_received(self, data: bytes) -> None:
        """Bytes came."""
        self._on_data(data)

    def connection_lost(self, exc: Exception | None) -> None:
        """The line is gone."""
        if not self.lost.done():
            self.lost.set_result(exc)

    def write(self, data: bytes) -> None:
        """Send.

        Raises:
            LineLost: the line is closed.
        """
        if self._transport is None:
            raise LineLost("the line is not open")
        self._transport.write(data)

    def close(self) -> None:
        """Close the line, if it is open."""
        if self._transport is not None:
            self._transport.close()


async def listen(open_line: Opener, tap: OnBytes) -> None:
    """Open a line and only listen, until it is lost.

    Raises:
        OSError: it could not be opened, or how it was lost.
    """
    end = End(lambda data: tap(True, data))  # noqa: FBT003 - the tap's signature
    await open_line(end)
    try:
        error = await end.lost
    finally:
        end.close()
    raise error if isinstance(error, OSError) else LineLost("the line was closed")


async def between(device: Opener, host: Opener, tap: OnBytes) -> None:
    """Stand between a device and its host, handing on what passes and telling ``tap``, until either is lost.

    Raises:
        OSError: a line could not be opened, or how it was lost.
    """
    ends: dict[str, End] = {}

    def passing(towards: str, from_device: bool) -> Callable[[bytes], None]:  # noqa: FBT001 - the tap's signature
        def hand_on(data: bytes) -> None:
            tap(from_device, data)
            # The other end may not be open yet, or no longer; then this ends in a moment.
            with contextlib.suppress(LineLost):
                ends[towards].write(data)

        return hand_on

    ends["host"], ends["device"] = End(passing("device", False)), End(passing("host", True))  # noqa: FBT003
    try:
        await device(ends["device"])
        await host(ends["host"])
        done, _ = await asyncio.wait((ends["host"].lost, ends["device"].lost), return_when=asyncio.FIRST_COMPLETED)
        error = next(iter(done)).result()
    finally:
        for end in ends.values():
            end.close()
    raise error if isinstance(error, OSError) else LineLost("the line was closed")


class PlayedLine(NamedTuple):
    """What came of a playback: bytes sent as the device, pieces the host said as captured, and otherwise."""

    sent_bytes: int
    as_captured: int
    otherwise: int


class Playback:
    """Plays the device's part of a capture on a line.

    What the host said when it was captured is waited for, by its length, for a device answers; what it says now is
    compared. Between two pieces the time of the capture passes (``sleep``), or none where ``sleep`` is None.
    """

    def __init__(
        self,
        pieces: Sequence[Piece],
        sleep: Callable[[float], Awaitable[None]] | None,
        host_seconds: float = HOST_SECONDS,
    ) -> None:
        self._pieces = pieces
        self._sleep = sleep
        self._host_seconds = host_seconds
        self._from_host = bytearray()
        self._arrived = asyncio.Event()

    async def play(
        self, open_line: Opener, begin: Callable[[], Awaitable[None]], linger: Callable[[], Awaitable[None]]
    ) -> PlayedLine:
        """Open the line, await ``begin``, play all of it, await ``linger``, close.

        A host that opens its end forgets what came before, and what it has not read when we close is lost.

        Raises:
            OSError: the line could not be opened, or was lost.
        """
        end = End(self._received)
        await open_line(end)
        await end.opened.wait()
        await begin()
        sent, right, wrong, before_ns = 0, 0, 0, None
        try:
            for piece in self._pieces:
                if piece.from_device:
                    if before_ns is not None and self._sleep is not None:
                        await self._sleep((piece.at_ns - before_ns) / NANOSECONDS)
                    end.write(piece.data)
                    sent += len(piece.data)
                elif await self._host_sends(piece.data):
                    right += 1
                else:
                    wrong += 1
                before_ns = piece.at_ns
            await linger()
        finally:
            end.close()
        return PlayedLine(sent, right, wrong)

    def _received(self, data: bytes) -> None:
        self._from_host += data
        self._arrived.set()

    async def _host_sends(self, wanted: bytes) -> bool:
        try:
            async with asyncio.timeout(self._host_seconds):
                while len(self._from_host) < len(wanted):
                    self._arrived.clear()
                    await self._arrived.wait()
        except TimeoutError:
            return False
        said = bytes(self._from_host[: len(wanted)])
        del self._from_host[: len(wanted)]
        return said == wanted
