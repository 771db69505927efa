"""What every transaction of a journal is closed with, so that only who has the table's key can go on with it.

A seal covers the chain hash of the transaction's last record, and through it everything before. It has the root of the
Merkle tree over the records (``tree_heads``), an HMAC-SHA-256 (RFC 2104) over both, and an Ed25519 signature of the
tree's head that everybody can check. Both keys are derived from the table's by HKDF-SHA-256 (RFC 5869).
"""

from __future__ import annotations

import hashlib
import hmac
from typing import Final, NamedTuple

import msgspec
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from controller.formats.journal.records import KEY_BYTES, Identity
from controller.formats.journal.signed_note import NoteSigner, Verifier, note
from controller.formats.journal.tree_heads import TreeHead, origin

_MAC: Final = b"tableside.journal.mac.v1 "
_SIGNATURE: Final = b"tableside.journal.signature.v1 "


class Seal(NamedTuple):
    """The seal of a transaction that ends with record ``number``; the columns of a row of ``seals``."""

    number: int
    root: bytes
    mac: bytes
    signature: bytes
    digest: bytes


class Sealing:
    """Makes and checks the seals of one journal."""

    def __init__(self, key: bytes, identity: Identity) -> None:
        self._identity = identity
        self._mac_key = _derived(key, _MAC + identity.text().encode())
        whose = f"{identity.site}/{identity.table}".encode()
        self._signer = NoteSigner(origin(identity), _derived(key, _SIGNATURE + whose))

    def __repr__(self) -> str:
        return f"Sealing({self._identity.text()})"

    @property
    def verifier(self) -> Verifier:
        """By what others check the journal's signed heads."""
        return self._signer.verifier

    def verifier_of(self, epoch: int) -> Verifier:
        """By what they check those of another journal of the same table."""
        return self.verifier._replace(name=origin(msgspec.structs.replace(self._identity, epoch=epoch)))

    def seal(self, number: int, chain_hash: bytes, root: bytes) -> Seal:
        """The seal of a transaction whose last record is ``number``."""
        mac = self._mac(number, chain_hash, root)
        signature = self._signature(number, root)
        return Seal(number, root, mac, signature, seal_digest(number, root, mac, signature))

    def is_ours(self, seal: Seal, chain_hash: bytes) -> bool:
        """Whether a seal was made with the table's key, for a record with this chain hash."""
        return hmac.compare_digest(seal.mac, self._mac(seal.number, chain_hash, seal.root))

    def is_signed(self, seal: Seal) -> bool:
        """Whether a seal has the signature by which others check its head: of a key and a text there is but one."""
        return seal.signature == self._signature(seal.number, seal.root)

    def _signature(self, number: int, root: bytes) -> bytes:
        return self._signer.sign(TreeHead(origin(self._identity), number, root).text())

    def _mac(self, number: int, chain_hash: bytes, root: bytes) -> bytes:
        return hmac.new(self._mac_key, number.to_bytes(8, "big") + chain_hash + root, hashlib.sha256).digest()


def seal_digest(number: int, root: bytes, mac: bytes, signature: bytes) -> bytes:
    """The digest stored beside a seal, so that damage shows without the key."""
    return hashlib.sha256(f"seal {number} ".encode() + root + mac + signature).digest()


def signed_head(seal: Seal, verifier: Verifier) -> str:
    """The signed note that a seal holds, given the key it was signed with."""
    return note(TreeHead(verifier.name, seal.number, seal.root).text(), verifier, seal.signature)


def _derived(key: bytes, purpose: bytes) -> bytes:
    if len(key) != KEY_BYTES:
        raise ValueError(f"the table's key has {KEY_BYTES} bytes, got {len(key)}")
    return HKDF(SHA256(), KEY_BYTES, salt=None, info=purpose).derive(key)
