"""The list of a program's files: SHA-256 and path, a line each as ``sha256sum`` writes it, and who vouches for it.

Lines that begin with ``#`` are remarks, which ``sha256sum -c`` passes over. A signed list ends with one of them: who
signed, and the signature (Ed25519, RFC 8032) over every byte before that line. The key is kept off the table PC, so
that nobody who may write there can make a list for another program.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple, Self

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

PURPOSE: Final = b"tableside.software.v1\x00"
"""Goes before what is signed, so that the signature can be taken for nothing else."""

REMARK: Final = "#"
SIGNED: Final = "# signed ed25519"
"""Begins the line with public key and signature, both in hex."""


class ListRefused(Exception):  # noqa: N818 - named for what happened
    """No list of files, or not vouched for by whom it should be; the text says what is wrong."""


class SoftwareList(NamedTuple):
    """A list as it was read. ``signed_by``: the public key (hex) whose signature is right, empty without one."""

    files: dict[str, str]
    signed_by: str

    @classmethod
    def read(cls, text: str, public: str | None) -> Self:
        """A list; with ``public``, a public key in hex, only one that this key has signed.

        Raises:
            ListRefused: it is none, or its signature is missing, wrong, or another's.
        """
        signed_by = _signer(text)
        if public is not None and not signed_by:
            raise ListRefused(f"it is not signed, and {public} should have signed it")
        if public is not None and signed_by != public:
            raise ListRefused(f"it is signed by {signed_by}, and {public} should have signed it")
        files: dict[str, str] = {}
        for number, line in enumerate(text.splitlines(), start=1):
            digest, gap, name = line.partition("  ")
            if line.startswith(REMARK) or not line:
                continue
            if not gap or not name or len(digest) != 64 or digest.strip("0123456789abcdef") or name in files:
                raise ListRefused(f"line {number}: expected a SHA-256 in hex, two spaces and a path of its own")
            files[name] = digest
        if not files:
            raise ListRefused("it names no file")
        return cls(files, signed_by)


def listed(found: Mapping[str, str]) -> str:
    """A list, not signed: a line for each file, as ``sha256sum`` writes it."""
    return "".join(f"{digest}  {name}\n" for name, digest in sorted(found.items()))


def signed(text: str, seed: bytes) -> str:
    """A list with a signature; ``seed`` is the private key, 32 bytes."""
    private = Ed25519PrivateKey.from_private_bytes(seed)
    signature = private.sign(PURPOSE + text.encode()).hex()
    return f"{text}{SIGNED} {public_of(seed)} {signature}\n"


def public_of(seed: bytes) -> str:
    """The public key, in hex, of the private key ``seed``."""
    return Ed25519PrivateKey.from_private_bytes(seed).public_key().public_bytes_raw().hex()


def _signer(text: str) -> str:
    """Whose signature is under a list, empty for none.

    Raises:
        ListRefused: it is not right, or something follows it.
    """
    at = text.find(f"\n{SIGNED} ") + 1
    if not at:
        return ""
    words = text[at:].split()
    try:
        public, signature = bytes.fromhex(words[3]), bytes.fromhex(words[4])
        Ed25519PublicKey.from_public_bytes(public).verify(signature, PURPOSE + text[:at].encode())
    except (IndexError, ValueError, InvalidSignature):
        raise ListRefused("its signature is not right: it was changed since, or signed for something else") from None
    if len(words) != 5 or not text.endswith("\n"):
        raise ListRefused("something follows its signature")
    return public.hex()
