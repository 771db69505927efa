"""``tableside verify``: whether a journal is whole."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NoReturn

import click

from controller.commands.journal_reader import counted, counts
from controller.commands.suggestions import journals
from controller.commands.terminal import AS_JSON, refuse, said_each_second, say, say_json
from controller.commands.terminal import progress as bar

if TYPE_CHECKING:
    from controller.formats.journal.check import CheckReport
    from controller.formats.journal.records import Identity

NO_PROOFS: Final = "--operators: expected a journal or its second copy, without --verifier"
"""What is held against the file of operators is a journal's records, for which proofs are not read."""


PROOFS_HERE: Final = (
    "proofs of a round's records, no second copy; give --verifier, the line that tableside verify --key prints"
    " of the table's journal"
)
"""Said of a folder that ``tableside export --proof`` wrote."""

OTHERWISE_SEALED: Final = (
    "whole, but not sealed with this key; give the key that its table file names as key_file. If this is that key, a"
    " program that lacks it wrote the whole journal"
)
"""Said of a key that has sealed nothing: most often it is another table's."""


@click.command("verify")
@click.option("--gently", is_flag=True, help="Take a fifth of a processor at most.")
@click.option("--progress", is_flag=True, help="Say once a second how far it is, on standard error; of a journal.")
@click.option("--key", "key_file", type=click.Path(path_type=Path), help="The file with the table's key.")
@click.option("--verifier", help="The verifier key that the proofs of records in the folder JOURNAL are held against.")
@click.option(
    "--operators",
    "operators_file",
    type=click.Path(path_type=Path),
    help="The file of operators: whether each signed order is signed by who it names, who may.",
)
@AS_JSON
@click.argument("journal", type=click.Path(path_type=Path), shell_complete=journals)
def command(
    journal: Path,
    *,
    gently: bool,
    progress: bool,
    key_file: Path | None,
    verifier: str | None,
    operators_file: Path | None,
    as_json: bool,
) -> None:
    """Check every byte of JOURNAL, or of the second copy in the folder JOURNAL.

    With --verifier, JOURNAL is a folder that `tableside export --proof` wrote: checks that each record in it was in the
    journal whose head the table has signed, and that they are the whole of one round.

    With --key, also checks that every transaction was written with the table's key, and prints the verifier key with
    which others check the journal's signed heads and the proofs of its records.

    Each card that has been opened is held against its commitment. Each signed order is checked again: that it is what
    was signed, for this table and epoch, and was carried out once. With --operators, also that the key
    is that of the person named, and that their roles permit the order.

    Exit status: 0 whole, or proven; 1 damaged, or not proven (also where a record, a proof or all of them are not in
    the folder); 2 no journal or folder there, or none that can be read, a journal with events this version does not
    know, or a key that is none or not this journal's.
    """
    if operators_file is not None and verifier is not None:
        refuse(NO_PROOFS)
    if verifier is not None:
        check_proofs(journal, verifier, as_json=as_json)
    else:
        with said_each_second("read") if progress else bar("records read") as reading:
            check_journal(journal, key_file, operators_file, gently=gently, as_json=as_json, reading=reading)


def check_journal(
    journal: Path,
    key_file: Path | None,
    operators_file: Path | None,
    *,
    gently: bool,
    as_json: bool,
    reading: Callable[[int, int], None],
) -> None:
    """Check a journal or a second copy, say what came of it, and end with a status other than 0 if it is not whole.

    ``reading`` receives how many records of a journal have been read, of how many.
    """
    from controller.formats.journal.seals import Sealing
    from controller.formats.journal.segments import SegmentDamaged
    from controller.formats.mqtt.envelope import PayloadRefused
    from controller.formats.orders.operators import read_signers
    from controller.formats.text.toml_schema import ConfigError
    from controller.io.copies.restore_from_copy import orders_of_copy, verify_copy
    from controller.io.copies.segment_folder import NoCopy
    from controller.io.files.config_files import text_of
    from controller.io.files.key_file import KeyFileRefused, read_key
    from controller.io.journal.errors import NotAJournal
    from controller.io.journal.proofs import PROOF_SUFFIX
    from controller.io.journal.verification import orders, verify
    from controller.io.system.processes import processors

    if journal.is_dir() and any(journal.glob(f"*{PROOF_SUFFIX}")):
        refuse(f"{journal}: {PROOFS_HERE}")
    try:
        key = None if key_file is None else read_key(key_file)
        signers = None if operators_file is None else read_signers(text_of(operators_file), str(operators_file))
        look = verify_copy if journal.is_dir() else partial(verify, reading=reading, jobs=processors())
        report, signed, wrong, refuted = look(journal, key, gently=gently), 0, None, None
        if report.damage is None:
            signed, wrong = (orders_of_copy if journal.is_dir() else orders)(journal, signers)
            refuted = None if wrong is not None or report.identity is None else refuted_in(journal, report.identity)
    except ConfigError as error:
        refuse(*error.lines)
    except PayloadRefused as error:
        refuse(f"{journal}: {error}")
    except (NotAJournal, NoCopy, KeyFileRefused, SegmentDamaged, OSError) as error:
        refuse(error)
    if report.is_otherwise_sealed:
        refuse(f"{key_file}: {journal}: {OTHERWISE_SEALED}")
    if report.damage is not None or report.identity is None:
        end({"whole": False, "damage": report.damage}, f"{journal}: damaged: {report.damage}", as_json=as_json)
    if wrong is not None:
        data = {"whole": True, **counted(report), "wrong_order": wrong}
        end(data, f"{journal}: not as it was ordered: {wrong}", as_json=as_json)
    if refuted is not None:
        data = {"whole": True, **counted(report), "wrong_opening": refuted}
        end(data, f"{journal}: not what was committed to: {refuted}", as_json=as_json)
    verifier = None if key is None else Sealing(key, report.identity).verifier.text()
    say_whole(journal, report, signed, verifier, as_json=as_json)


def say_whole(journal: Path, report: CheckReport, signed: int, verifier: str | None, *, as_json: bool) -> None:
    """Say that a journal is whole, how many ``signed`` orders it has, and the key with which others check it."""
    from controller.formats.text.printable import many

    if as_json:
        say_json({"whole": True, **counted(report), "signed_orders": signed, "verifier": verifier})
        return
    say(f"{journal}: whole: {counts(report)}")
    if signed:
        carried = "carries its" if signed == 1 else "carry their"
        say(f"{journal}: {many(signed, 'order')} {carried} operator's signature, which holds")
    if verifier is not None:
        say(f"{journal}: every transaction is sealed with this key; verifier key:")
        say(verifier)


def refuted_in(journal: Path, identity: Identity) -> str | None:
    """The first opening in a whole journal or second copy that is not of what was committed to; None: each is.

    Raises:
        NotAJournal, NoCopy, SegmentDamaged, OSError: it cannot be read.
    """
    from controller.formats.mqtt.envelope import own_event
    from controller.io.copies.restore_from_copy import events_of_copy
    from controller.io.journal.reader import JournalReader
    from controller.reports.audit.commitment_check import KINDS, first_refuted

    if journal.is_dir():
        return first_refuted(identity, (own_event(body).event for body in events_of_copy(journal, KINDS)))
    with JournalReader(journal) as reader:
        rows = reader.events_named([(KINDS, 1)])
        return first_refuted(identity, (own_event(row.body).event for row in rows))


def end(data: dict[str, Any], line: str, *, as_json: bool) -> NoReturn:
    """Say what is not whole or not proven, and end."""
    if as_json:
        say_json(data)
    else:
        say(line)
    sys.exit(1)


def check_proofs(folder: Path, verifier: str, *, as_json: bool) -> None:
    """Check the proofs of a folder, say what came of it, and end with a status other than 0 if they do not hold."""
    from controller.formats.journal.signed_note import NoteRefused, Verifier
    from controller.io.journal.proofs import ProofRefused, check

    try:
        known = Verifier.read(verifier)
    except NoteRefused as refused:
        refuse(f"--verifier: {refused}")
    if not folder.is_dir():
        refuse(f"{folder}: expected the folder that tableside export --proof wrote")
    try:
        found = check(folder, known)
    except ProofRefused as refused:
        end({"proven": False, "reason": str(refused)}, f"{folder}: not proven: {refused}", as_json=as_json)
    except OSError as error:
        refuse(f"{folder}: {error}")
    head, is_forged = found.head, any(order.wrong for order in found.orders)
    if as_json:
        records = {"round": found.round, "first": found.first, "last": found.last, "later": found.later}
        orders = [order._asdict() for order in found.orders]
        figures = {"origin": head.origin, "signed_with": head.size, "orders": orders}
        say_json({"proven": not is_forged, **records, **figures})
        sys.exit(1 if is_forged else 0)
    for order in found.orders:
        said = f"does not hold: {order.wrong}" if order.wrong else f"holds, key {order.key}"
        say(f"{folder}: record {order.record}: {order.verb} by {order.who}: the signature {said}")
    if is_forged:
        sys.exit(1)
    which = f"records {found.first} to {found.last} of {head.origin}, signed with record {head.size}"
    later = f", and later ones about it: {', '.join(map(str, found.later))}" if found.later else ""
    say(f"{folder}: proven: {which}: the whole of round {found.round}{later}")
