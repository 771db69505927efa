"""What is plugged in: each port is opened, and each protocol that has a question for it asks who is there.

Only protocols with a question for that are tried, each at its own line settings; a shoe or a keypad that only speaks
stays unknown, for asking the wrong device something may change it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import structlog

from controller.io.lines.ports import Opener
from controller.io.lines.serial import LineLost
from firmware_protocols import discovery
from firmware_protocols.codec import Codec, Line, LineEnd, Wire
from firmware_protocols.messages import IdentifyShoe, Message, ReadSoftware, ShoeIdentified, SoftwareRead

ANSWER_SECONDS: Final = 0.3
"""How long a device may take to say who it is; a chip reader needs a few milliseconds."""

ADDRESSES: Final = range(1, 8)
"""Addresses of chip readers that are asked: a reader's address is its spot where nothing else is configured."""

TOKEN: Final = 0x5441
"""Repeated by a shoe that answers; any number would do."""

log = structlog.get_logger(__name__)


@dataclass(frozen=True)
class DeviceIdentity:
    """What answered: kind and protocol as a table file names them, addresses on a bus, and how it calls itself."""

    kind: str
    protocol: str
    text: str
    addresses: tuple[int, ...] = ()


def questions() -> Iterator[tuple[str, Codec, tuple[Message, ...]]]:
    """Kind, codec and what to ask, for every protocol that has a question for who somebody is."""
    for kind, vendors in discovery.codecs().items():
        for vendor in vendors:
            try:
                codec = discovery.find(kind, vendor)
            except discovery.BrokenCodecError as error:
                log.warning("protocol not asked", reason=str(error))
                continue
            if ReadSoftware in codec.vocabulary:
                yield kind, codec, tuple(ReadSoftware(address) for address in ADDRESSES)
            elif IdentifyShoe in codec.vocabulary:
                yield kind, codec, (IdentifyShoe(TOKEN),)


async def identify(open_at: dict[Line, Opener], answer_seconds: float = ANSWER_SECONDS) -> DeviceIdentity | None:
    """The device that answers on a port, None if no device does.

    ``open_at`` opens it with the settings of each line that ``questions`` asks on.

    Raises:
        OSError: the port cannot be opened, or was lost.
    """
    for kind, codec, asked in questions():
        wire = codec.open(LineEnd.HOST)
        answers: list[Message] = []
        ear = _Ear()
        transport = await open_at[codec.line](ear)
        try:
            for question in asked:
                transport.write(wire.encode(question))
                answer = await _answer(ear, wire, answer_seconds)
                if answer is not None:
                    answers.append(answer)
                wire.idle()
        finally:
            transport.close()
            # Only then is the port's lock free for the next question.
            await ear.closed.wait()
        if answers:
            return _identity_of(kind, codec.name, answers)
    return None


def _identity_of(kind: str, protocol: str, answers: Sequence[Message]) -> DeviceIdentity:
    readers = [one for one in answers if isinstance(one, SoftwareRead)]
    shoes = [one for one in answers if isinstance(one, ShoeIdentified)]
    if shoes:
        shoe = shoes[0]
        return DeviceIdentity(
            kind, protocol, f"{shoe.vendor} {shoe.model}, serial {shoe.serial}, firmware {shoe.firmware}"
        )
    text = ", ".join(f"reader {one.address} (software {one.version})" for one in readers)
    return DeviceIdentity(kind, protocol, text, tuple(one.address for one in readers))


class _Ear(asyncio.Protocol):
    def __init__(self) -> None:
        self.data = bytearray()
        self.came = asyncio.Event()
        self.closed = asyncio.Event()
        self.error: Exception | None = None

    def data_received(self, data: bytes) -> None:
        self.data += data
        self.came.set()

    def connection_lost(self, exc: Exception | None) -> None:
        self.error = exc
        self.came.set()
        self.closed.set()


async def _answer(ear: _Ear, wire: Wire, seconds: float) -> Message | None:
    try:
        async with asyncio.timeout(seconds):
            while True:
                heard = wire.feed(bytes(ear.data))
                ear.data.clear()
                found = next((one for one in heard if isinstance(one, SoftwareRead | ShoeIdentified)), None)
                if found is not None:
                    return found
                if ear.error is not None:
                    raise ear.error
                if ear.closed.is_set():
                    raise LineLost("the line was closed")
                ear.came.clear()
                await ear.came.wait()
    except TimeoutError:
        return None
