"""A round's records as others check them: each as a leaf of the journal's tree, with a proof that it is in it.

A folder of proofs needs nothing else: of each record the bytes of its leaf (``record-000812``), and beside it a file of
C2SP tlog-proof with the audit path and the signed head. Any checker of that format takes the two and the verifier key.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Final, NamedTuple

from controller.core.messages.events import BettingClosed, RoundClosed
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
from controller.formats.mqtt.envelope import PayloadRefused, read_event
from controller.formats.orders.signed_orders import RecordedOrder, order_in
from controller.formats.text.printable import printable
from controller.formats.text.safe_parse import DataRefused
from controller.io.files.plain_files import FileRefused, content
from controller.io.journal.reader import CELL_LIMIT_BYTES, EventRow, JournalReader

PROOF_SUFFIX: Final = ".tlog-proof"
PROOF_LIMIT_BYTES: Final = 64 * 1024
"""Of a proof: many times what one of a journal of any size needs."""

RECORD: Final = "record-"
"""Begins the name of each file that is a record."""

AS_EXPORTED: Final = "ask for the folder as tableside export --proof wrote it"
"""What to do about a folder that lacks something."""

NAMED_LIMIT: Final = 20
"""So many files that do not belong into a folder are named."""

MODE: Final = 0o600


class ProofRefused(Exception):  # noqa: N818 - named for what happened
    """The records cannot be proven, or are not proven; the text says why."""


class RoundRecords(NamedTuple):
    """The records of a round, from the lock of its bets to its close, and those ``later`` that are about it."""

    own: range
    later: tuple[int, ...] = ()


class ProofResult(NamedTuple):
    """What was proven: records ``first`` to ``last`` of a journal, in the tree of ``head``, all of ``round``.

    ``later`` are records behind them that are about the round: what the floor ruled on it, what was found of its
    payments. ``orders`` are those in all of them that somebody signed.
    """

    head: TreeHead
    first: int
    last: int
    round: int
    later: tuple[int, ...] = ()
    orders: tuple[RecordedOrder, ...] = ()


def records_about(reader: JournalReader, number: int, last: EventRow) -> tuple[int, ...]:
    """The records behind that of event ``last`` that are about round ``number``, in order.

    Raises:
        JournalDamaged, PayloadRefused: the journal cannot be read.
    """
    rows = reader.events_with(b'"round":%d' % number, last.seq)
    found = dict.fromkeys(row.number for row in rows if _names(row.body, number))
    return tuple(one for one in found if one > last.number)


def _names(body: bytes, number: int) -> bool:
    return getattr(read_event(body).event, "round", None) == number


def prove(reader: JournalReader, records: RoundRecords, verifier: Verifier, signed: str, folder: Path) -> TreeHead:
    """Write the proofs of a round's records into a new folder, against a signed head that others keep: that head.

    ``signed`` may be empty: the journal's own last one. Of the later records those that the head has are written.

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
    if head.size < records.own[-1]:
        raise ProofRefused(f"the head is of record {head.size}, and record {records.own[-1]} is to be proven")
    given = (record_leaf(one.number, one.body, events) for one, events in reader.whole_records(1, head.size))
    numbers = [*records.own, *(one for one in records.later if one <= head.size)]
    leaves = Tree(given, frozenset(one - 1 for one in numbers))
    if leaves.root() != head.root:
        raise ProofRefused(f"the head is of record {head.size} with other records up to it than this journal has")
    folder.mkdir(mode=0o700)
    for (number, body, _), events in (one for wanted in numbers for one in reader.whole_records(wanted, wanted)):
        name = f"{RECORD}{number:08}"
        _write(folder / name, leaf_bytes(number, body, events))
        _write(folder / f"{name}{PROOF_SUFFIX}", proof_text(number - 1, leaves.proof(number - 1), signed).encode())
    return head


def check(folder: Path, verifier: Verifier) -> ProofResult:
    """Check every proof of a folder against one verifier key: all are of one head, and of one whole round.

    Without the records at a round's end each of the others would hold, and the round would seem to have come to
    something else. A file that is none of these would seem to be proven as they are.

    Raises:
        ProofRefused: one does not hold; the text says which.
        OSError: it cannot be read.
    """
    found, head, orders = dict[int, tuple[bytes, ...]](), None, list[RecordedOrder]()
    _refuse_unproven(folder)
    for path in sorted(folder.glob(f"*{PROOF_SUFFIX}")):
        leaf = _exported(path.with_name(path.name.removesuffix(PROOF_SUFFIX)), CELL_LIMIT_BYTES)
        given = _exported(path, PROOF_LIMIT_BYTES)
        try:
            proof = read_proof(given.decode())
            proven_in = proven(proof, leaf, verifier)
            number, body, events = leaf_fields(leaf)
            order = order_in(body, identity_of(verifier.name))
        except (NoteRefused, DataRefused, UnicodeDecodeError) as refused:
            raise ProofRefused(f"{path}: {refused}") from refused
        if number != proof.place + 1 or proven_in.origin != verifier.name or proven_in != (head or proven_in):
            raise ProofRefused(f"{path}: not of record {number} of one head of {verifier.name}")
        if found and number <= max(found):
            raise ProofRefused(f"{path}: record {number} stands behind record {max(found)}")
        head = proven_in
        found[number] = events
        orders += [] if order is None else [order]
    if head is None:
        raise ProofRefused(f"{folder}: there are no proofs here")
    try:
        return _whole_round(folder, found, head)._replace(orders=tuple(orders))
    except PayloadRefused as refused:
        raise ProofRefused(f"{folder}: {refused}") from refused


def _exported(path: Path, limit_bytes: int) -> bytes:
    """A record or a proof of a folder, where others may have put or taken anything.

    Raises:
        ProofRefused: nothing, or no file that was exported, is there.
        OSError: it is, and cannot be read.
    """
    try:
        return content(path, limit_bytes)
    except FileRefused as refused:
        if not (refused.is_absent or isinstance(refused.__cause__, IsADirectoryError | None)):
            raise
        why = f"{path}: is not there, and its proof is" if refused.is_absent else str(refused)
        raise ProofRefused(f"{why}; {AS_EXPORTED}") from refused


def _whole_round(folder: Path, found: Mapping[int, tuple[bytes, ...]], head: TreeHead) -> ProofResult:
    """What the records of a folder are of, given the events of each.

    Raises:
        ProofRefused: not one whole round, and records that are about it.
        PayloadRefused: an event is not what this version knows.
    """
    first, numbers = next(iter(found)), list(found)
    begun = next(_rounds(found[first], BettingClosed), None)
    if begun is None:
        raise ProofRefused(f"{folder}: record {first}, the first, does not begin a round; {AS_EXPORTED}")
    last = next((one for one in numbers if begun in _rounds(found[one], RoundClosed)), None)
    if last is None:
        raise ProofRefused(f"{folder}: no record closes round {begun}, which record {first} begins; {AS_EXPORTED}")
    count = numbers.index(last) + 1
    if count != last - first + 1:
        raise ProofRefused(f"{folder}: of records {first} to {last} there are only {count}")
    for one in numbers[count:]:
        if not any(_names(body, begun) for body in found[one]):
            raise ProofRefused(f"{folder}: record {one} is not about round {begun}")
    return ProofResult(head, first, last, begun, tuple(numbers[count:]))


def _rounds(bodies: Iterable[bytes], kind: type[BettingClosed | RoundClosed]) -> Iterator[int]:
    """The rounds of the events of a kind in a record."""
    return (event.round for event in (read_event(body).event for body in bodies) if isinstance(event, kind))


def _refuse_unproven(folder: Path) -> None:
    """Refuse what lies among the records and their proofs without a proof, to be taken for one of them."""
    names = {path.name for path in folder.iterdir()}
    proofs = {name for name in names if name.endswith(PROOF_SUFFIX) and name != PROOF_SUFFIX}
    unproven = sorted(names - proofs - {name.removesuffix(PROOF_SUFFIX) for name in proofs})
    if unproven:
        first, *others = map(printable, unproven[:NAMED_LIMIT])
        more = [f"{len(unproven) - NAMED_LIMIT} more"] if len(unproven) > NAMED_LIMIT else []
        also = f", like {', '.join([*others, *more])}" if others else ""
        raise ProofRefused(f"{folder / first}: is there without its proof{also}; {AS_EXPORTED}")


def _write(path: Path, data: bytes) -> None:
    path.touch(MODE)
    path.write_bytes(data)
