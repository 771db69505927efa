"""Heads of a journal's tree as other programs know them: C2SP tlog-checkpoint, and proofs in C2SP tlog-proof.

A journal is a transparency log: a Merkle tree of RFC 6962 whose leaves are its records with their events, in order, so
that record 1 is leaf 0. ``tree`` heads are called checkpoints there (https://c2sp.org/tlog-checkpoint); a checkpoint of
ours is something else, the state of the table, and so these are heads here. https://c2sp.org/tlog-proof has the proof.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from controller.formats.journal.merkle_tree import NODE_BYTES, leads_to, leaf_hash
from controller.formats.journal.records import Identity, record_fields
from controller.formats.journal.signed_note import NoteRefused, Verifier, opened

PREFIX: Final = "tableside/"
"""Begins the name of every journal's log."""

PROOF: Final = "c2sp.org/tlog-proof@v1"
_NUMBER: Final = re.compile(r"0|[1-9][0-9]{0,18}", re.ASCII)


class TreeHead(NamedTuple):
    """How many records a journal had, and the root of the tree over them. ``origin`` says whose journal."""

    origin: str
    size: int
    root: bytes

    def text(self) -> str:
        """What is signed."""
        return f"{self.origin}\n{self.size}\n{base64.b64encode(self.root).decode()}\n"


def origin(identity: Identity) -> str:
    """The name of the log that a journal is."""
    return f"{PREFIX}{identity.text()}"


def identity_of(name: str) -> Identity:
    """Whose journal a log is, given its name.

    Raises:
        NoteRefused: it is no journal of ours.
    """
    site, _, rest = name.removeprefix(PREFIX).partition("/")
    table, _, epoch = rest.partition("/")
    if not name.startswith(PREFIX) or not _NUMBER.fullmatch(epoch):
        raise NoteRefused(f"{name[:80]!r}: expected {PREFIX}SITE/TABLE/EPOCH")
    return Identity(site, table, int(epoch))


def epoch_of(name: str, identity: Identity) -> int | None:
    """The epoch of another journal of the same table, given the name of its log; None if it is another table's."""
    head = f"{PREFIX}{identity.site}/{identity.table}/"
    epoch = name.removeprefix(head)
    return int(epoch) if name.startswith(head) and _NUMBER.fullmatch(epoch) else None


def read_head(signed: str, verifier: Verifier) -> TreeHead:
    """The head that a signed note holds.

    Raises:
        NoteRefused: it is none, or not signed with this key.
    """
    lines = opened(signed, verifier).split("\n")
    try:
        name, size, encoded = lines[:3]
        root = base64.b64decode(encoded, validate=True)
    except (ValueError, binascii.Error) as error:
        raise NoteRefused("no tree head: expected a name, a size and a root, a line each") from error
    if not name or not _NUMBER.fullmatch(size) or len(root) != NODE_BYTES:
        raise NoteRefused("no tree head: expected a name, a size and a root, a line each")
    return TreeHead(name, int(size), root)


def name_in(signed: str) -> str:
    """The name of the log that a signed note claims to be of; nothing is checked."""
    return signed.partition("\n")[0]


def claimed(signed: str, site: str, table: str) -> tuple[int, int] | None:
    """The epoch and size that a signed head of a table claims; None if it claims none. Nothing is checked."""
    name, _, rest = signed.partition("\n")
    epoch = epoch_of(name, Identity(site, table, 0))
    size = rest.partition("\n")[0]
    return None if epoch is None or not _NUMBER.fullmatch(size) else (epoch, int(size))


def leaf_bytes(number: int, body: bytes, events: Iterable[bytes]) -> bytes:
    """A record as a leaf: its number (8 bytes), its body and its events, each field led by its length in 8 bytes."""
    return record_fields(number, body, events)


def record_leaf(number: int, body: bytes, events: Iterable[bytes]) -> bytes:
    """The hash of a record as a leaf."""
    return leaf_hash(leaf_bytes(number, body, events))


def leaf_fields(data: bytes) -> tuple[int, bytes, tuple[bytes, ...]]:
    """The number, the body and the events of a record, of the bytes of its leaf.

    Raises:
        NoteRefused: they are no record's.
    """
    fields, at = list[bytes](), 0
    while at < len(data):
        end = at + 8 + int.from_bytes(data[at : at + 8], "big")
        if at + 8 > len(data) or end > len(data):
            raise NoteRefused("no leaf of a journal: a field is cut short")
        fields.append(data[at + 8 : end])
        at = end
    if len(fields) < 2 or len(fields[0]) != 8:
        raise NoteRefused("no leaf of a journal: expected a number, a body and events")
    return int.from_bytes(fields[0], "big"), fields[1], tuple(fields[2:])


class Proof(NamedTuple):
    """That leaf ``place`` is in the tree of the signed head ``signed``: its audit path, and the head itself."""

    place: int
    path: tuple[bytes, ...]
    signed: str


def read_proof(text: str) -> Proof:
    """A proof as ``proof_text`` writes it.

    Raises:
        NoteRefused: it is none.
    """
    above, blank, signed = text.partition("\n\n")
    kind, *lines = above.split("\n")
    index = lines[0].removeprefix("index ") if lines else ""
    if kind != PROOF or not blank or not lines[0].startswith("index ") or not _NUMBER.fullmatch(index):
        raise NoteRefused(f"no proof: expected {PROOF}, an index, the audit path, a blank line and a signed head")
    try:
        path = tuple(base64.b64decode(line, validate=True) for line in lines[1:])
    except (binascii.Error, ValueError) as error:
        raise NoteRefused("no proof: a hash of its audit path is not base64") from error
    if any(len(node) != NODE_BYTES for node in path):
        raise NoteRefused(f"no proof: a hash of its audit path has not {NODE_BYTES} bytes")
    return Proof(int(index), path, signed)


def proven(proof: Proof, leaf: bytes, verifier: Verifier) -> TreeHead:
    """The signed head that ``leaf``, given by its bytes, is proven to be in.

    Raises:
        NoteRefused: the head is not signed with this key, or the proof does not lead to it.
    """
    head = read_head(proof.signed, verifier)
    if not leads_to(leaf_hash(leaf), proof.place, head.size, proof.path, head.root):
        raise NoteRefused(f"leaf {proof.place} is not in the tree of the signed head: it or the proof was changed")
    return head


def proof_text(index: int, path: Sequence[bytes], signed: str) -> str:
    """That leaf ``index`` is in the tree of a signed head, in one file that needs no other."""
    return "\n".join((PROOF, f"index {index}", *(base64.b64encode(one).decode() for one in path), "", signed))
