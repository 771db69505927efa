"""Signed notes: text with signatures below it that everybody can check who has a line of text, the verifier key.

The format is C2SP's signed-note (https://c2sp.org/signed-note), as Go's checksum database and transparency logs use it.
Which algorithm a key is for is the first byte of what stands for it, so that another can be taken in beside Ed25519.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
from collections.abc import Mapping
from typing import Final, NamedTuple, Protocol, Self

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

ED25519: Final = 1
"""The algorithm byte of Ed25519 (RFC 8032)."""

KEY_ID_BYTES: Final = 4
_DASH: Final = "\N{EM DASH} "


class NoteRefused(ValueError):  # noqa: N818 - named for what happened
    """It is no signed note, or not signed with this key; the text says which."""


class Checks(Protocol):
    """Whether ``signature`` is that of ``message`` under ``public``."""

    def __call__(self, public: bytes, signature: bytes, message: bytes) -> bool: ...  # noqa: D102


def _ed25519(public: bytes, signature: bytes, message: bytes) -> bool:
    try:
        Ed25519PublicKey.from_public_bytes(public).verify(signature, message)
    except (InvalidSignature, ValueError):
        return False
    return True


ALGORITHMS: Final[Mapping[int, Checks]] = {ED25519: _ed25519}
"""What checks signatures, by the algorithm byte."""


class Verifier(NamedTuple):
    """A public key and the name of who signs with it."""

    name: str
    algorithm: int
    public: bytes

    @classmethod
    def read(cls, text: str) -> Self:
        """A verifier key: ``NAME+8 hex digits+BASE64``.

        Raises:
            NoteRefused: it is none, or for an algorithm that is not known here.
        """
        name, _, rest = text.partition("+")
        key_id, _, encoded = rest.partition("+")
        try:
            data = base64.b64decode(encoded, validate=True)
        except (binascii.Error, ValueError) as error:
            raise NoteRefused(f"{text[:80]!r}: expected a verifier key, NAME+8 hex digits+BASE64") from error
        if not name or not data or data[0] not in ALGORITHMS:
            raise NoteRefused(f"{text[:80]!r}: expected a verifier key for Ed25519, NAME+8 hex digits+BASE64")
        found = cls(name, data[0], data[1:])
        if found.key_id().hex() != key_id:
            raise NoteRefused(f"{text[:80]!r}: the verifier key's name or bytes are not those its {key_id} was made of")
        return found

    def text(self) -> str:
        """What ``read`` takes."""
        return f"{self.name}+{self.key_id().hex()}+{base64.b64encode(self._data()).decode()}"

    def key_id(self) -> bytes:
        """Tells, before a signature, which key it is for."""
        return hashlib.sha256(self.name.encode() + b"\n" + self._data()).digest()[:KEY_ID_BYTES]

    def _data(self) -> bytes:
        return bytes([self.algorithm]) + self.public


class NoteSigner:
    """Signs notes under a name, with an Ed25519 key made of a 32-byte seed."""

    def __init__(self, name: str, seed: bytes) -> None:
        self._key = Ed25519PrivateKey.from_private_bytes(seed)
        self.verifier = Verifier(name, ED25519, self._key.public_key().public_bytes_raw())

    def __repr__(self) -> str:
        return f"Signer({self.verifier.name})"

    def sign(self, text: str) -> bytes:
        """The signature of a text: 64 bytes."""
        return self._key.sign(text.encode())


def note(text: str, verifier: Verifier, signature: bytes) -> str:
    """A text and its signature as one note.

    Raises:
        ValueError: the text does not end with a line feed, which the signature covers.
    """
    if not text.endswith("\n"):
        raise ValueError("the text of a signed note ends with a line feed")
    return f"{text}\n{_DASH}{verifier.name} {base64.b64encode(verifier.key_id() + signature).decode()}\n"


def opened(signed: str, verifier: Verifier) -> str:
    """The text of a note that ``verifier`` has signed; signatures of others are passed over.

    Raises:
        NoteRefused: it is no signed note, or has no signature of this key that holds.
    """
    return _opened(signed, verifier)[0]


def signature_by(signed: str, verifier: Verifier) -> bytes:
    """The signature of ``verifier`` below a note, which holds.

    Raises:
        NoteRefused: as ``opened``.
    """
    return _opened(signed, verifier)[1]


def _opened(signed: str, verifier: Verifier) -> tuple[str, bytes]:
    text, blank, below = signed.rpartition("\n\n")
    lines = below.split("\n")
    if not blank or lines[-1] or not lines[:-1] or not all(line.startswith(_DASH) for line in lines[:-1]):
        raise NoteRefused("no signed note: expected a text, a blank line, and signatures that begin with a dash")
    text += "\n"
    for line in lines[:-1]:
        name, _, encoded = line.removeprefix(_DASH).partition(" ")
        try:
            data = base64.b64decode(encoded, validate=True)
        except (binascii.Error, ValueError) as error:
            raise NoteRefused("no signed note: a signature is not base64") from error
        if name == verifier.name and data[:KEY_ID_BYTES] == verifier.key_id():
            if ALGORITHMS[verifier.algorithm](verifier.public, data[KEY_ID_BYTES:], text.encode()):
                return text, data[KEY_ID_BYTES:]
            raise NoteRefused(f"the signature of {name} does not hold: the text is not what was signed")
    raise NoteRefused(f"not signed by {verifier.name} with the key of this verifier")
