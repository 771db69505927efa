"""A round's records as others check them: each as a leaf of the journal's tree, with a proof that it is in it.

A folder of proofs needs nothing else: of each record the bytes of its leaf (``record-000812``), and beside it a file of
C2SP tlog-proof with the audit path and the signed head. Any checker of that format takes the two and the verifier key.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final, NamedTuple

from controller.formats.journal.merkle_tree import Tree
from controller.formats.journal.seals import signed_head
from controller.formats.journal.signed_note import NoteRefused, Verifier
from controller.formats.journal.tree_heads import (
    TreeHead,
    identity_of,
    leaf_bytes,
    leaf_fields,
    origin,
    proof_text,
    proven,
    read_head,
    read_proof,
    record_leaf,
)
from controller.formats.orders.signed_orders import RecordedOrder, order_in
from controller.formats.text.safe_parse import DataRefused
from controller.io.files.plain_files import content
from controller.io.journal.reader import CELL_LIMIT_BYTES, JournalReader

PROOF_SUFFIX: Final = ".tlog-proof"
PROOF_LIMIT_BYTES: Final = 64 * 1024
"""Of a proof: many times what one of a journal of any size needs."""

MODE: Final = 0o600


class ProofRefused(Exception):  # noqa: N818 - named for what happened
    """The records cannot be proven, or are not proven; the text says why."""


class ProofResult(NamedTuple):
    """What was proven: records ``first`` to ``last`` of a journal, in the tree of ``head``.

    ``orders`` are those in them that somebody signed.
    """

    head: TreeHead
    first: int
    last: int
    orders: tuple[RecordedOrder, ...] = ()


def prove(reader: JournalReader, records: range, verifier: Verifier, signed: str, folder: Path) -> ProofResult:
    """Write the proofs of some records into a new folder, against a signed head that others keep.

    ``signed`` may be empty: the journal's own last one.

    Raises:
        ProofRefused: the head is not this journal's, or ends before the records do.
        JournalDamaged: the journal cannot be read.
        OSError: the folder is there, or cannot be written.
    """
    if verifier.name != origin(reader.identity):
        raise ProofRefused(f"the verifier key is of {verifier.name}, and this journal is {origin(reader.identity)}")
    if not signed:
        seal = reader.last_seal()
        if seal is None:
            raise ProofRefused("nothing in this journal is sealed yet")
        signed = signed_head(seal, verifier)
    try:
        head = read_head(signed, verifier)
    except NoteRefused as refused:
        raise ProofRefused(f"the head: {refused}") from refused
    if head.size < records.stop - 1:
        raise ProofRefused(f"the head is of record {head.size}, and record {records.stop - 1} is to be proven")
    given = (record_leaf(one.number, one.body, events) for one, events in reader.whole_records(1, head.size))
    leaves = Tree(given, range(records.start - 1, records.stop - 1))
    if leaves.root() != head.root:
        raise ProofRefused(f"the head is of record {head.size} with other records up to it than this journal has")
    folder.mkdir(mode=0o700)
    for (number, body, _), events in reader.whole_records(records.start, records.stop - 1):
        name = f"record-{number:08}"
        _write(folder / name, leaf_bytes(number, body, events))
        _write(folder / f"{name}{PROOF_SUFFIX}", proof_text(number - 1, leaves.proof(number - 1), signed).encode())
    return ProofResult(head, records.start, records.stop - 1)


def check(folder: Path, verifier: Verifier) -> ProofResult:
    """Check every proof of a folder against one verifier key; all are of one head, and of records in a row.

    Raises:
        ProofRefused: one does not hold; the text says which.
        OSError: it cannot be read.
    """
    found, head, orders = list[int](), None, list[RecordedOrder]()
    for path in sorted(folder.glob(f"*{PROOF_SUFFIX}")):
        leaf = content(path.with_name(path.name.removesuffix(PROOF_SUFFIX)), CELL_LIMIT_BYTES)
        try:
            proof = read_proof(content(path, PROOF_LIMIT_BYTES).decode())
            proven_in = proven(proof, leaf, verifier)
            number, body, _ = leaf_fields(leaf)
            order = order_in(body, identity_of(verifier.name))
        except (NoteRefused, DataRefused, UnicodeDecodeError) as refused:
            raise ProofRefused(f"{path}: {refused}") from refused
        if number != proof.place + 1 or proven_in.origin != verifier.name or proven_in != (head or proven_in):
            raise ProofRefused(f"{path}: not of record {number} of one head of {verifier.name}")
        head = proven_in
        found.append(number)
        orders += [] if order is None else [order]
    if head is None:
        raise ProofRefused(f"{folder}: there are no proofs here")
    if found != list(range(found[0], found[0] + len(found))):
        raise ProofRefused(f"{folder}: of records {found[0]} to {found[-1]} there are only {len(found)}")
    return ProofResult(head, found[0], found[-1], tuple(orders))


def _write(path: Path, data: bytes) -> None:
    path.touch(MODE)
    path.write_bytes(data)
