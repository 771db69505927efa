"""A signed head of a journal as the trigger box keeps it: numbers and bytes, without the names.

The names are the table's own, so a head has 112 bytes whatever they are; whose it is shows in the signature.
"""

from __future__ import annotations

from controller.formats.journal.seals import Sealing
from controller.formats.journal.signed_note import note, signature_by
from controller.formats.journal.tree_heads import TreeHead, read_head
from firmware_protocols.trigger_messages import HeadKept, KeepHead


def head_to_keep(signed: str, sealing: Sealing, epoch: int) -> KeepHead:
    """A signed head of the table's journal of ``epoch``, for the box.

    Raises:
        NoteRefused: it is none.
    """
    verifier = sealing.verifier_of(epoch)
    head = read_head(signed, verifier)
    return KeepHead(epoch, head.size, head.root, signature_by(signed, verifier))


def shown_by_box(kept: HeadKept, sealing: Sealing) -> str:
    """The signed note that the head was, if it is one of this table's; empty if the box keeps none."""
    if not kept.size:
        return ""
    verifier = sealing.verifier_of(kept.epoch)
    return note(TreeHead(verifier.name, kept.size, kept.root).text(), verifier, kept.signature)
