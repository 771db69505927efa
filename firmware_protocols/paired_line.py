"""A paired line: two ends that hold one key, and every byte between them under a message authentication code.

Bytes of any protocol go in at one end and come out at the other as they were said, in that order, or not at all: what
somebody between them makes up, changes, turns back or says again is dropped, and reported. What is said can be read by
anybody. docs/reference/mystery-trigger.md has the wire byte by byte.

The host begins with 16 fresh bytes, the device answers with 16 of its own and proves that it has the key. From both and
the key follow two keys, one for each direction, so that nothing said on one pairing, or in one direction, counts on
another. Each frame has a number above that of the frame before.
"""

from __future__ import annotations

import hmac
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Literal, NamedTuple

from firmware_protocols.cobs_frames import END, CobsFrames
from firmware_protocols.codec import LineEnd

KEY_BYTES: Final = 32
NONCE_BYTES: Final = 16
TAG_BYTES: Final = 16
COUNTER_BYTES: Final = 8

PIECE_BYTES: Final = 128
"""The most bytes of the protocol inside that one frame carries: a whole frame of the trigger box's."""

FRAME_LIMIT: Final = 160
"""Longest frame in bytes, with its COBS byte and the 00 behind it; the longest there is has 159."""

HELLO, ANSWER = 0x41, 0xC1
FROM_HOST, FROM_DEVICE = 0x42, 0xC2

_FRAMES: Final = CobsFrames(FRAME_LIMIT, 4, zlib.crc32)
_PURPOSE: Final = b"tableside.pairing.v1"

FrameFault = Literal["noise", "unpaired", "pairing_refused", "forged", "replayed"]
"""Why a frame was dropped.

``noise``: no whole frame; ``unpaired``: one of a line without pairing, or of one this end has forgotten;
``pairing_refused``: the device has another key; ``forged``: its code is wrong; ``replayed``: it has come before.
"""


class Fed(NamedTuple):
    """What came of some bytes: those of the protocol inside, what to answer at once, what was dropped and why.

    ``paired``: a new pairing began with these bytes; what is inside begins anew.
    """

    inside: bytes = b""
    answer: bytes = b""
    refused: tuple[FrameFault, ...] = ()
    paired: bool = False


@dataclass(slots=True)
class _Pairing:
    """Keys of both directions and the last frame's number in each."""

    nonce: bytes
    """The host's."""
    answer: bytes
    says: bytes
    hears: bytes
    said: int = 0
    heard: int = 0


def direction_key(key: bytes, host_nonce: bytes, device_nonce: bytes, kind: int) -> bytes:
    """The key of the frames of type ``kind`` in one pairing."""
    pairing = hmac.digest(key, _PURPOSE + host_nonce + device_nonce, "sha256")
    return hmac.digest(pairing, bytes((kind,)), "sha256")


def tag(direction: bytes, kind: int, content: bytes) -> bytes:
    """The authentication code of a frame."""
    return hmac.digest(direction, bytes((kind,)) + content, "sha256")[:TAG_BYTES]


class PairedLine:
    """One end. ``fresh`` gives ``NONCE_BYTES`` that nobody can foretell.

    Raises:
        ValueError: the key has not ``KEY_BYTES``.
    """

    def __init__(self, role: LineEnd, key: bytes, fresh: Callable[[], bytes]) -> None:
        if len(key) != KEY_BYTES:
            raise ValueError(f"a pairing key has {KEY_BYTES} bytes, not {len(key)}")
        self._role = role
        self._key = key
        self._fresh = fresh
        self._says, self._hears = (FROM_HOST, FROM_DEVICE) if role is LineEnd.HOST else (FROM_DEVICE, FROM_HOST)
        self._held = b""
        self._hello = b""
        self._now: _Pairing | None = None
        self._next: _Pairing | None = None

    def __repr__(self) -> str:
        return f"PairedLine({self._role.value})"

    def hello(self, *, again: bool = False) -> bytes:
        """The host's beginning of a pairing; ``again``: of the same one, where no answer has come.

        The pairing there is stays until the new one is answered.
        """
        assert self._role is LineEnd.HOST, "the device waits to be greeted"
        if not (again and self._hello):
            self._hello = self._fresh()
        return bytes((END,)) + _FRAMES.frame(HELLO, self._hello)

    def seal(self, inside: bytes) -> bytes:
        """Bytes of the protocol inside, in frames; nothing while there is no pairing."""
        if self._now is None:
            return b""
        return b"".join(
            self._sealed(self._now, inside[at : at + PIECE_BYTES]) for at in range(0, len(inside), PIECE_BYTES)
        )

    def feed(self, data: bytes) -> Fed:
        """Take bytes as they came; how they are cut into calls does not matter. Never raises on any bytes."""
        *frames, held = (self._held + data).split(bytes((END,)))
        inside, answer, refused, paired = bytearray(), bytearray(), list[FrameFault](), False
        for frame in filter(None, frames):
            one = self._take(frame)
            if one.paired:
                # What came before a new pairing belongs to the one before it.
                inside.clear()
            inside += one.inside
            answer += one.answer
            refused += one.refused
            paired = paired or one.paired
        self._held = held
        if len(held) >= FRAME_LIMIT:
            self._held = b""
            refused.append("noise")
        return Fed(bytes(inside), bytes(answer), tuple(refused), paired)

    # --- a frame --------------------------------------------------------------------------------------

    def _take(self, frame: bytes) -> Fed:
        content = _FRAMES.content(frame) if len(frame) < FRAME_LIMIT else None
        if content is None:
            return Fed(refused=("noise",))
        kind, body = content[0], content[1:]
        if kind == self._hears:
            return self._open(body)
        if kind == HELLO and self._role is LineEnd.DEVICE and len(body) == NONCE_BYTES:
            return self._greeted(body)
        if kind == ANSWER and self._role is LineEnd.HOST and len(body) == NONCE_BYTES + TAG_BYTES:
            return self._answered(body)
        return Fed(refused=("forged" if kind in (HELLO, ANSWER, self._says) else "unpaired",))

    def _pairing(self, host_nonce: bytes, device_nonce: bytes) -> _Pairing:
        keys = {kind: direction_key(self._key, host_nonce, device_nonce, kind) for kind in (FROM_HOST, FROM_DEVICE)}
        proof = tag(keys[FROM_DEVICE], ANSWER, device_nonce)
        answer = _FRAMES.frame(ANSWER, device_nonce + proof)
        return _Pairing(host_nonce, answer, keys[self._says], keys[self._hears])

    def _greeted(self, nonce: bytes) -> Fed:
        if self._next is None or self._next.nonce != nonce:
            self._next = self._pairing(nonce, self._fresh())
        return Fed(answer=bytes((END,)) + self._next.answer)

    def _answered(self, body: bytes) -> Fed:
        if not self._hello:
            return Fed(refused=("replayed",))
        pairing = self._pairing(self._hello, body[:NONCE_BYTES])
        if not hmac.compare_digest(_FRAMES.frame(ANSWER, body), pairing.answer):
            return Fed(refused=("pairing_refused",))
        self._now, self._hello = pairing, b""
        return Fed(paired=True)

    def _sealed(self, pairing: _Pairing, piece: bytes) -> bytes:
        pairing.said += 1
        content = pairing.said.to_bytes(COUNTER_BYTES, "big") + piece
        return _FRAMES.frame(self._says, content + tag(pairing.says, self._says, content))

    def _open(self, body: bytes) -> Fed:
        content, code = body[:-TAG_BYTES], body[-TAG_BYTES:]
        if self._now is None and self._next is None:
            return Fed(refused=("unpaired",))
        if len(content) < COUNTER_BYTES:
            return Fed(refused=("forged",))
        for pairing in (self._now, self._next):
            if pairing is None or not hmac.compare_digest(tag(pairing.hears, self._hears, content), code):
                continue
            number = int.from_bytes(content[:COUNTER_BYTES], "big")
            if number <= pairing.heard:
                return Fed(refused=("replayed",))
            pairing.heard = number
            begins = pairing is not self._now
            if begins:
                # Only a host that has the key ends the pairing there was.
                self._now, self._next = pairing, None
            return Fed(inside=content[COUNTER_BYTES:], paired=begins)
        return Fed(refused=("forged",))
