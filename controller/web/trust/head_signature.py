"""Who signed a journal's last head, by the verifier keys at hand."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

from controller.formats.journal.records import Identity
from controller.formats.journal.seals import Seal, signed_head
from controller.formats.journal.signed_note import NoteRefused, Verifier
from controller.formats.journal.tree_heads import epoch_of, origin, read_head

Signature = Literal["none", "unknown", "holds", "wrong"]
"""Nothing is signed; signed by a key that is not known here; by a known one; not by the one it should be."""


class HeadSignature(NamedTuple):
    """What a signature is worth, and by which key it was held against; None: by none."""

    signature: Signature
    verifier: Verifier | None = None


def signed_by(seal: Seal | None, identity: Identity, verifiers: Sequence[Verifier]) -> HeadSignature:
    """Who signed the head that a seal holds."""
    if seal is None:
        return HeadSignature("none")
    own = next((one for one in verifiers if one.name == origin(identity)), None)
    if own is not None:
        return HeadSignature("holds" if _holds(seal, own) else "wrong", own)
    # A table signs every epoch with one key, until the key is changed: one that does not fit says nothing.
    for one in verifiers:
        if epoch_of(one.name, identity) is not None and _holds(seal, one._replace(name=origin(identity))):
            return HeadSignature("holds", one._replace(name=origin(identity)))
    return HeadSignature("unknown")


def _holds(seal: Seal, verifier: Verifier) -> bool:
    try:
        read_head(signed_head(seal, verifier), verifier)
    except NoteRefused:
        return False
    return True
