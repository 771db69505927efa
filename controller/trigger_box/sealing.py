"""What is kept secret at rest: AES-256-GCM (NIST SP 800-38D) under a key that takes two people's keys to make.

The operations' key and surveillance's key together give one key per purpose; either alone gives nothing. What is
sealed is bound to its table, epoch, cycle and commitment, so that no other cycle's secret can be put in its place.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Iterable
from typing import Final, NamedTuple

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from controller.formats.journal.records import KEY_BYTES, Identity

NONCE_BYTES: Final = 12
"""Random bytes before each seal."""

_DRAWN_BYTES: Final = 8


class SealBroken(ValueError):  # noqa: N818 - named for what happened
    """A seal does not open: other keys, or somebody changed what was kept."""


class Secret(NamedTuple):
    """A cycle's number and the key of its commitment. Never shown."""

    drawn_cents: int
    key: bytes

    def __repr__(self) -> str:
        return "Secret(...)"


class SealContext(NamedTuple):
    """What a seal is bound to."""

    identity: Identity
    cycle: int
    commitment: bytes

    def bound(self) -> bytes:
        """The authenticated data."""
        return f"tableside.trigger-box.v1\n{self.identity.text()}\n{self.cycle}\n{self.commitment.hex()}".encode()


class Sealer:
    """Seals and opens with the keys of two roles, 32 bytes each.

    Raises:
        ValueError: a key has another length, or both are the same.
    """

    def __init__(self, operations_key: bytes, surveillance_key: bytes) -> None:
        if {len(operations_key), len(surveillance_key)} != {KEY_BYTES}:
            raise ValueError(f"a key has {KEY_BYTES} bytes")
        if hmac.compare_digest(operations_key, surveillance_key):
            raise ValueError("the two roles have the same key: one person could open the box")
        self._root = hmac.digest(operations_key, b"tableside.trigger-box.v1" + surveillance_key, hashlib.sha256)
        self._secrets = AESGCM(self._derived(b"secret"))
        self._pools = AESGCM(self._derived(b"pool"))
        self._rows = self._derived(b"rows")

    def __repr__(self) -> str:
        return "Sealer(...)"

    def seal(self, place: SealContext, secret: Secret, nonce: bytes) -> bytes:
        """A cycle's secret, sealed; always of the same length. ``nonce`` is fresh random bytes."""
        plain = secret.drawn_cents.to_bytes(_DRAWN_BYTES, "big") + secret.key
        return nonce + self._secrets.encrypt(nonce, plain, place.bound())

    def open(self, place: SealContext, sealed: bytes) -> Secret:
        """What ``seal`` was given.

        Raises:
            SealBroken: other keys, another cycle's, or changed.
        """
        plain = _opened(self._secrets, place, sealed)
        return Secret(int.from_bytes(plain[:_DRAWN_BYTES], "big"), plain[_DRAWN_BYTES:])

    def seal_pool(self, place: SealContext, pool: bytes, nonce: bytes) -> bytes:
        """The pool, sealed as it is after the draw of a cycle."""
        return nonce + self._pools.encrypt(nonce, pool, place.bound())

    def open_pool(self, place: SealContext, sealed: bytes) -> bytes:
        """What ``seal_pool`` was given.

        Raises:
            SealBroken: as ``open``.
        """
        return _opened(self._pools, place, sealed)

    def mark(self, previous: bytes, fields: Iterable[bytes]) -> bytes:
        """The mark of a row of the store: without both keys no row is changed, added, dropped or moved unnoticed."""
        message = b"".join(len(field).to_bytes(8, "big") + field for field in (previous, *fields))
        return hmac.digest(self._rows, message, hashlib.sha256)

    def _derived(self, purpose: bytes) -> bytes:
        return hmac.digest(self._root, purpose, hashlib.sha256)


def _opened(cipher: AESGCM, place: SealContext, sealed: bytes) -> bytes:
    try:
        return cipher.decrypt(sealed[:NONCE_BYTES], sealed[NONCE_BYTES:], place.bound())
    except (InvalidTag, ValueError) as error:
        raise SealBroken(f"the seal of cycle {place.cycle} does not open with these keys") from error
