"""Journal records: what is stepped, as bytes that keep the faces of cards closed.

A record's body is JSON. For a card the face and the 32 random bytes of its stamp are sealed together (AES-256-GCM,
NIST SP 800-38D) and left out of the clear part, which keeps a commitment instead: HMAC-SHA-256 (RFC 2104) keyed with
those random bytes. So whoever has the table's key replays everything; everybody else replays every card whose
``CardOpened`` was published, and can check that the table never changed its mind about a face.

The table's key is 32 bytes. It is used for nothing but deriving one key per purpose, so a sealed card can never be
passed off as a sealed checkpoint.
"""

from __future__ import annotations

import functools
import hashlib
import hmac
import struct
from collections.abc import Iterable, Mapping
from typing import Final

import msgspec
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from controller.core.messages.events import CardOpened
from controller.core.messages.inputs import Input, SignedOrder, StampedInput
from controller.formats.text.safe_parse import DataRefused, own_json
from firmware_protocols.cards import Card
from firmware_protocols.readings import CardDrawn, LineDisturbed
from firmware_protocols.values import Value

NONCE_BYTES: Final = 32
"""Random bytes of a stamp."""

KEY_BYTES: Final = 32
"""Length of the table's key."""

HASH_BYTES: Final = 32
"""Length of a chain hash (SHA-256)."""

UNREAD: Final = "??"
"""Stands for the face of a card that could not be read, as long as any other face."""

GCM_NONCE_BYTES: Final = 12
DISTURBED_BYTES: Final = 512
"""Bytes of a shoe's that could not be read are padded to this: their length must not tell a face.

What any codec keeps of a fault fits; what is longer all the same is padded to this times a power of two.
"""

SHOE: Final = "shoe"
"""The device whose bytes may be a card that must not be known yet, even where they could not be read."""

CHECKPOINT_STEP_BYTES: Final = 1024
"""Checkpoints are padded to a multiple of this, so that their length says little about what they hold."""

NUMBER_BYTES: Final = 8
"""Length of a number in what a hash covers."""

eight_bytes: Final = struct.Struct(">Q").pack
"""A number as 8 bytes, the highest first."""

_three_numbers: Final = struct.Struct(">QQQ").pack

EMPTY_HASH: Final = hashlib.sha256()
"""To be copied: OpenSSL takes longer to begin a hash than to copy a begun one, by as much as 50 bytes take to hash."""

Openings = Mapping[int, tuple[Card | None, bytes]]
"""Face and random bytes by the number of the record that brought the card."""


class RecordDamaged(ValueError):  # noqa: N818 - named for what happened
    """A record, a checkpoint or an opening is not what it was sealed as; the text says what is wrong with it."""


class Identity(Value, frozen=True, tag="identity"):
    """Whose journal it is. ``epoch`` changes only when a journal is begun anew."""

    site: str
    table: str
    epoch: int

    def text(self) -> str:
        """``site/table/epoch``: unambiguous, as names hold only lower-case letters, digits and hyphens."""
        return f"{self.site}/{self.table}/{self.epoch}"


class Record(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """The body of a record. ``sealed`` is empty unless the input is a card, ``nonce`` is empty if it is one.

    ``order`` is there where the input was made of an order that somebody signed.
    """

    number: int
    at_ns: int
    wall_ns: int
    nonce: bytes
    input: Input
    commitment: str
    sealed: bytes
    order: SignedOrder | None = None


def stamp(
    given: Input,
    identity: Identity,
    number: int,
    *,
    at_ns: int,
    wall_ns: int,
    nonce: bytes,
    order: SignedOrder | None = None,
) -> StampedInput:
    """An input with its stamp; a card with its commitment. ``nonce`` is 32 random bytes, fresh for each input."""
    if len(nonce) != NONCE_BYTES:
        raise ValueError(f"a stamp needs {NONCE_BYTES} random bytes, got {len(nonce)}")
    commitment = commit(given.face, nonce, identity, number) if isinstance(given, CardDrawn) else ""
    return StampedInput(number, at_ns, wall_ns, nonce, given, commitment, order=order)


def commit(face: Card | None, nonce: bytes, identity: Identity, number: int) -> str:
    """The commitment to a face, in hex: without ``nonce`` the face cannot be found, nor a second face with another one.

    HMAC-SHA-256 keyed with ``nonce`` over the text ``tableside.card.v1``, ``site/table/epoch``, the record's number and
    the face (``??`` if it could not be read), joined by line feeds.
    """
    message = "\n".join(("tableside.card.v1", identity.text(), str(number), _face_text(face)))
    return hmac.new(nonce, message.encode(), hashlib.sha256).hexdigest()


def opens(commitment: str, face: Card | None, nonce: bytes, identity: Identity, number: int) -> bool:
    """Whether ``face`` and ``nonce`` open the commitment that record ``number`` made."""
    return hmac.compare_digest(commitment, commit(face, nonce, identity, number))


def openings(opened: Iterable[CardOpened]) -> dict[int, tuple[Card | None, bytes]]:
    """What published openings say, by the number of the card's record.

    Raises:
        RecordDamaged: a face or a hex string in them is none.
    """
    found: dict[int, tuple[Card | None, bytes]] = {}
    for event in opened:
        try:
            found[event.card] = _face(event.face), bytes.fromhex(event.nonce)
        except ValueError as error:
            raise RecordDamaged(f"the opening of card {event.card} cannot be read: {error}") from error
    return found


def closed_length(size: int) -> int:
    """The size that bytes are padded to before they are sealed: ``DISTURBED_BYTES``, or it doubled until they fit."""
    closed = DISTURBED_BYTES
    while closed < size:
        closed *= 2
    return closed


def seal(stamped: StampedInput, key: bytes, identity: Identity) -> bytes:
    """The body of the record of ``stamped``. The length does not depend on a card's face.

    Raises:
        ValueError: the stamp is closed (its face is not there to be sealed) or lacks its random bytes.
    """
    if stamped.closed or len(stamped.nonce) != NONCE_BYTES:
        raise ValueError(f"input {stamped.number} cannot be sealed: face and random bytes are withheld")
    given, nonce, sealed = stamped.input, stamped.nonce, b""
    if isinstance(given, LineDisturbed) and given.device == SHOE:
        plain = msgspec.json.encode((given.reason, given.data))
        plain = plain.ljust(closed_length(len(plain)))
        sealed = _cipher(key, b"line").encrypt(_gcm_nonce(nonce), plain, _place(identity, stamped.number))
        sealed = _gcm_nonce(nonce) + sealed
        given = msgspec.structs.replace(given, reason="", data=b"")
    if isinstance(given, CardDrawn):
        plain = _face_text(given.face).encode() + nonce
        sealed = _cipher(key, b"card").encrypt(_gcm_nonce(nonce), plain, _place(identity, stamped.number))
        sealed = _gcm_nonce(nonce) + sealed
        given, nonce = msgspec.structs.replace(given, face=None), b""
    record = Record(
        number=stamped.number,
        at_ns=stamped.at_ns,
        wall_ns=stamped.wall_ns,
        nonce=nonce,
        input=given,
        commitment=stamped.commitment,
        sealed=sealed,
        order=stamped.order,
    )
    return msgspec.json.encode(record)


def unseal(body: bytes, key: bytes | None, known: Openings, identity: Identity) -> StampedInput:
    """What was sealed. Without ``key`` a card shows its face only if ``known`` has its opening; else it is ``closed``.

    Raises:
        RecordDamaged: the body is not JSON of a record, its seal is broken, the key is another table's, or the opening
            does not open the commitment.
    """
    try:
        record: Record = own_json(body, Record)
    except DataRefused as error:
        raise RecordDamaged(f"a record cannot be read: {error}") from error
    given, nonce, closed = record.input, record.nonce, False
    if isinstance(given, LineDisturbed) and record.sealed:
        closed = key is None
        if key is not None:
            reason, data = _open_line(record, key, identity)
            given = msgspec.structs.replace(given, reason=reason, data=data)
    if isinstance(given, CardDrawn):
        found = _open_card(record, key, identity) if key is not None else known.get(record.number)
        face, nonce = found if found is not None else (None, b"")
        closed = found is None
        if found is not None and not opens(record.commitment, face, nonce, identity, record.number):
            raise RecordDamaged(f"record {record.number}: this face does not open the card's commitment")
        given = msgspec.structs.replace(given, face=face)
    return StampedInput(
        number=record.number,
        at_ns=record.at_ns,
        wall_ns=record.wall_ns,
        nonce=nonce,
        input=given,
        commitment=record.commitment,
        closed=closed,
        order=record.order,
    )


def genesis(identity: Identity) -> bytes:
    """The chain hash before the first record."""
    return hashlib.sha256(_fields((b"tableside.journal.v1", identity.text().encode()))).digest()


def chain(previous: bytes, number: int, body: bytes, event_bodies: Iterable[bytes]) -> bytes:
    """The chain hash of a record: SHA-256 over the previous one, the number, the body and the events, in order.

    Every field is led by its length in 8 bytes, so that no two different records feed the hash the same bytes.
    """
    return chained(previous, record_fields(number, body, event_bodies))


def record_fields(number: int, body: bytes, event_bodies: Iterable[bytes]) -> bytes:
    """A record as its hashes cover it: its number, its body and its events, each led by its length in 8 bytes."""
    parts = [record_lead(number, len(body)), body]
    for event in event_bodies:
        parts += (eight_bytes(len(event)), event)
    return b"".join(parts)


def record_lead(number: int, size: int) -> bytes:
    """What stands in ``record_fields`` before a body of ``size`` bytes: the number behind its length, and the size."""
    return _three_numbers(NUMBER_BYTES, number, size)


def chained(previous: bytes, fields: bytes) -> bytes:
    """The chain hash of a record, given by its ``record_fields``."""
    begun = EMPTY_HASH.copy()
    begun.update(eight_bytes(len(previous)) + previous + fields)
    return begun.digest()


def seal_checkpoint(checkpoint: bytes, key: bytes, number: int, chain_hash: bytes) -> bytes:
    """A checkpoint taken after record ``number``, sealed and bound to the chain hash of that record."""
    plain = len(checkpoint).to_bytes(8, "big") + checkpoint
    plain += bytes(-len(plain) % CHECKPOINT_STEP_BYTES)
    own = _derived(key, b"checkpoint")
    bound = number.to_bytes(8, "big") + chain_hash
    # The nonce depends on the content too: the same place sealed twice with other content must not repeat a nonce.
    nonce = hmac.new(own, b"nonce" + bound + plain, hashlib.sha256).digest()[:GCM_NONCE_BYTES]
    return nonce + AESGCM(own).encrypt(nonce, plain, bound)


def open_checkpoint(sealed: bytes, key: bytes, number: int, chain_hash: bytes) -> bytes:
    """What ``seal_checkpoint`` was given.

    Raises:
        RecordDamaged: it is damaged, of another place in the journal, or the key is another table's.
    """
    nonce, rest = sealed[:GCM_NONCE_BYTES], sealed[GCM_NONCE_BYTES:]
    bound = number.to_bytes(8, "big") + chain_hash
    try:
        plain = _cipher(key, b"checkpoint").decrypt(nonce, rest, bound)
    except (InvalidTag, ValueError) as error:
        said = (
            f"the checkpoint after record {number} does not open with this key, or is damaged: see `tableside verify`"
        )
        raise RecordDamaged(said) from error
    length = int.from_bytes(plain[:8], "big")
    return plain[8 : 8 + length]


def _open_card(record: Record, key: bytes, identity: Identity) -> tuple[Card | None, bytes]:
    nonce, rest = record.sealed[:GCM_NONCE_BYTES], record.sealed[GCM_NONCE_BYTES:]
    try:
        plain = _cipher(key, b"card").decrypt(nonce, rest, _place(identity, record.number))
        return _face(plain[:2].decode()), plain[2:]
    except (InvalidTag, ValueError) as error:
        raise RecordDamaged(f"record {record.number}: the card's seal does not open with this key") from error


def _open_line(record: Record, key: bytes, identity: Identity) -> tuple[str, bytes]:
    nonce, rest = record.sealed[:GCM_NONCE_BYTES], record.sealed[GCM_NONCE_BYTES:]
    try:
        plain = _cipher(key, b"line").decrypt(nonce, rest, _place(identity, record.number))
        opened: tuple[str, bytes] = own_json(plain, tuple[str, bytes])
    except (InvalidTag, DataRefused) as error:
        raise RecordDamaged(f"record {record.number}: the seal of these bytes does not open with this key") from error
    return opened


def _face_text(face: Card | None) -> str:
    return UNREAD if face is None else face.value


def _face(text: str) -> Card | None:
    return None if text == UNREAD else Card(text)


def _place(identity: Identity, number: int) -> bytes:
    return f"{identity.text()}/{number}".encode()


def _gcm_nonce(nonce: bytes) -> bytes:
    return hashlib.sha256(b"gcm" + nonce).digest()[:GCM_NONCE_BYTES]


def key_mark(key: bytes) -> str:
    """Tells one key from another and gives none away: a journal keeps it, so that a wrong key is noticed at once."""
    return _derived(key, b"mark").hex()[:16]


@functools.lru_cache(maxsize=16)
def _cipher(key: bytes, purpose: bytes) -> AESGCM:
    """What seals with the key derived from the table's for a purpose."""
    return AESGCM(_derived(key, purpose))


def _derived(key: bytes, purpose: bytes) -> bytes:
    if len(key) != KEY_BYTES:
        raise ValueError(f"the table's key has {KEY_BYTES} bytes, got {len(key)}")
    return hmac.new(key, b"tableside.key.v1 " + purpose, hashlib.sha256).digest()


def _fields(fields: Iterable[bytes]) -> bytes:
    parts: list[bytes] = []
    for field in fields:
        parts += (eight_bytes(len(field)), field)
    return b"".join(parts)
