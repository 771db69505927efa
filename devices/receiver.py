"""The host's end of a line: whole messages out of pieces, and the silence that ends a message begun."""

from __future__ import annotations

from firmware_protocols.codec import Codec, LineEnd, Wire
from firmware_protocols.messages import LineFault, Message
from firmware_protocols.readings import LineDisturbed


class Listener:
    """Wraps a ``Wire`` with the time of its last byte, so that ``Wire.idle`` is called when it should be."""

    def __init__(self, codec: Codec) -> None:
        self._codec = codec
        self._wire: Wire | None = None
        self._heard_ns = 0
        self._idle_ns: int | None = None

    @property
    def is_open(self) -> bool:
        """Whether the line is open."""
        return self._wire is not None

    @property
    def heard_ns(self) -> int:
        """When bytes last came; meaningless before the first."""
        return self._heard_ns

    def open(self) -> None:
        """Begin afresh; bytes held from an earlier connection are forgotten."""
        self._wire = self._codec.open(LineEnd.HOST)
        self._idle_ns = None

    def close(self) -> tuple[Message, ...]:
        """The line is gone: what the bytes still held can be read as, in order. Closing twice does no harm."""
        wire, self._wire = self._wire, None
        self._idle_ns = None
        return wire.idle() if wire is not None and wire.held() else ()

    def hear(self, data: bytes, now_ns: int) -> tuple[Message, ...]:
        """The messages completed by ``data``; none while the line is closed."""
        if self._wire is None or not data:
            return ()
        self._heard_ns = now_ns
        messages = self._wire.feed(data)
        self._arm(self._wire, now_ns)
        return messages

    def deadline(self) -> int | None:
        """When a message begun is to be given up, or None when nothing is held."""
        return self._idle_ns

    def expire(self, now_ns: int) -> tuple[Message, ...]:
        """Give up a message begun if its silence is over; what its bytes can be read as was heard at ``heard_ns``."""
        if self._wire is None or self._idle_ns is None or now_ns < self._idle_ns:
            return ()
        messages = self._wire.idle()
        self._arm(self._wire, now_ns)
        return messages

    def encode(self, message: Message) -> bytes:
        """The bytes of a command; empty while the line is closed.

        Raises:
            ValueError: the protocol has no words for it, or a field is out of range.
        """
        return b"" if self._wire is None else self._wire.encode(message)

    def _arm(self, wire: Wire, now_ns: int) -> None:
        self._idle_ns = now_ns + self._codec.idle_ns if wire.held() else None


def disturbed(device: str, fault: LineFault, at_ns: int) -> LineDisturbed:
    """A line fault as the table is informed of it."""
    return LineDisturbed(device=device, reason=fault.reason, data=fault.data, at_ns=at_ns)


def stray(device: str, message: Message, at_ns: int) -> LineDisturbed:
    """A whole message that was not asked for or that this kind of device should not send."""
    return LineDisturbed(device=device, reason=f"unexpected {type(message).__name__}", data=b"", at_ns=at_ns)
