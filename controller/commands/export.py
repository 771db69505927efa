"""``tableside export``: what a journal holds, for other programs."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import IO, TYPE_CHECKING, Final

import click

from controller.commands.journal_reader import way_to_verify
from controller.commands.suggestions import journals
from controller.commands.terminal import lose_output, refuse, say

if TYPE_CHECKING:
    from controller.reports.revenue_rows import ExportRow, Takings

KINDS: Final = ("rounds", "hands", "wagers", "alerts", "meters", "sums", "video")
"""Rows by name."""


@click.command("export")
@click.option("--events", is_flag=True, help="The events, each on a line exactly as it was published.")
@click.option("--rows", "kind", type=click.Choice(KINDS), help="Rows made of them, for accounting and video.")
@click.option(
    "--format", "form", type=click.Choice(["jsonl", "csv"]), default="jsonl", show_default=True, help="Of rows."
)
@click.option("--first", default=1, show_default=True, type=click.IntRange(min=1), help="The first event's seq.")
@click.option("--last", type=click.IntRange(min=1), help="The last event's seq. Default: the last of the journal.")
@click.option("--output", type=click.Path(path_type=Path), help="A file, instead of standard output.")
@click.option("--proof", type=click.IntRange(min=1), help="A closed round, with the proof that it is in the journal.")
@click.option("--verifier", help="With --proof: the verifier key, as tableside verify --key prints it.")
@click.option(
    "--head", type=click.Path(dir_okay=False, path_type=Path), help="With --proof: a signed head that others keep."
)
@click.argument("journal", type=click.Path(path_type=Path), shell_complete=journals)
def command(
    *,
    journal: Path,
    output: Path | None,
    first: int,
    last: int | None,
    events: bool,
    kind: str | None,
    form: str,
    proof: int | None,
    verifier: str | None,
    head: Path | None,
) -> None:
    """Write the events of JOURNAL, or rows made of them; no key is needed, and a daemon may be writing.

    --proof ROUND writes each record of a round into the new folder --output, with the proof (C2SP tlog-proof) that it
    is in the journal whose head the table has signed: its last, or the one that a consumer keeps (--head FILE.head).
    Later records about the round, such as a ruling on it, are written too.

    Each event is checked against its record's chain hash before it is used. --rows says which rows;
    docs/guide/accounting.md describes their columns.

    Exit status: 0 written, 1 the journal is damaged (events written before are whole), 2 no journal there, or the
    output cannot be written.
    """
    from controller.formats.mqtt.envelope import PayloadRefused, own_event
    from controller.io.journal.errors import JournalDamaged, NotAJournal
    from controller.io.journal.proofs import ProofRefused
    from controller.io.journal.reader import JournalReader
    from controller.io.journal.stream import every_checked_event
    from controller.reports.revenue_rows import takings

    if last is not None and last < first:
        raise click.UsageError(f"--last {last}: expected {first} or more, the seq of --first")
    if [events, kind is not None, proof is not None].count(True) != 1:
        raise click.UsageError("expected either --events, --rows or --proof")
    try:
        if proof is not None:
            export_proof(journal, proof, verifier, head, output)
            return
        with JournalReader(journal) as reader, click.open_file("-" if output is None else output, "wb") as file:
            if first > (end := reader.head().seq):
                say(f"tableside: {journal}: nothing from event {first} on; its last event is {end}", err=True)
            bodies = (row.body for row in every_checked_event(reader, first, last))
            if kind is None:
                file.writelines(body + b"\n" for body in bodies)
            else:
                write_rows(file, kind, form, takings(own_event(body) for body in bodies))
    except (NotAJournal, ProofRefused) as error:
        refuse(error)
    except PayloadRefused as error:
        refuse(f"{journal}: {error}; use the version of the program that wrote it")
    except JournalDamaged as error:
        say(f"tableside: {error}; {way_to_verify(journal)}", err=True)
        sys.exit(1)
    except OSError as error:
        if output is None:
            lose_output(error)
        refuse(f"{output}: {error.strerror}")


def export_proof(journal: Path, number: int, verifier: str | None, head: Path | None, output: Path | None) -> None:
    """Write the proof of a round into the folder ``output``, and say what it is of.

    Raises:
        ProofRefused: it cannot be proven.
        NotAJournal, JournalDamaged: the journal cannot be read.
        OSError: the folder cannot be written.
    """
    from controller.formats.journal.signed_note import NoteRefused, Verifier
    from controller.io.files.plain_files import content
    from controller.io.journal.proofs import ProofRefused, RoundRecords, prove, records_about
    from controller.io.journal.reader import LAST_SEQ, JournalReader

    if verifier is None or output is None:
        raise click.UsageError("--proof needs --verifier, the line that tableside verify --key prints, and --output")
    if output.exists():
        raise ProofRefused(f"--output {output}: is there already; give a new folder")
    try:
        known = Verifier.read(verifier)
    except NoteRefused as refused:
        raise ProofRefused(f"--verifier: {refused}") from refused
    try:
        signed = "" if head is None else content(head).decode()
    except (OSError, UnicodeDecodeError) as error:
        why = "no text" if isinstance(error, UnicodeDecodeError) else error.strerror
        raise ProofRefused(f"--head {head}: expected a signed head, as a consumer keeps in FILE.head: {why}") from error
    with JournalReader(journal) as reader:
        reader.connection.execute("BEGIN")
        # Where they are wrong, so is the root of the tree, and nothing is proven.
        ends = (
            reader.first_named_with(kind, "round", number, 0, LAST_SEQ) for kind in ("betting_closed", "round_closed")
        )
        first, last = ends
        if first is None or last is None:
            raise ProofRefused(f"{journal}: round {number} is not there, or not closed")
        later = records_about(reader, number, last)
        round_records = RoundRecords(range(first.number, last.number + 1), later)
        proven_in = prove(reader, round_records, known, signed, output)
    records = f"records {first.number} to {last.number} of {proven_in.origin}, signed with record {proven_in.size}"
    say(f"{output}: {records}")
    for said, which in (
        ("with them, later ones about the round", [one for one in later if one <= proven_in.size]),
        (
            "not in it, as that head lacks them, later ones about the round",
            [one for one in later if one > proven_in.size],
        ),
    ):
        if which:
            say(f"{output}: {said}: {', '.join(map(str, which))}")


def write_rows(file: IO[bytes], kind: str, form: str, found: Takings) -> None:
    """Rows of a kind in a form."""
    from controller.formats.text.tabular import as_csv, as_json_lines

    row, listed = rows_of(kind, found)
    file.write(as_csv(row, listed) if form == "csv" else as_json_lines(listed))


def rows_of(kind: str, found: Takings) -> tuple[type[ExportRow], Sequence[ExportRow]]:
    """Rows of one of the ``KINDS``, and their class."""
    from controller.reports import revenue_rows as rows

    match kind:
        case "rounds":
            return rows.RoundRow, found.rounds
        case "hands":
            return rows.HandRow, found.hands
        case "wagers":
            return rows.WagerRow, found.wagers
        case "alerts":
            return rows.AlertRow, found.alerts
        case "meters":
            return rows.MeterRow, found.meters
        case "sums":
            return rows.SumRow, found.sums()
        case _:
            return rows.VideoRow, found.video()
