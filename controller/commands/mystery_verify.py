"""``tableside mystery verify``: the proof that the cycles of a must-hit-by meter were honest."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from controller.commands.suggestions import journals
from controller.commands.terminal import AS_JSON, refuse, say

if TYPE_CHECKING:
    from controller.reports.audit.mystery_audit import Audit, CycleFinding
    from controller.reports.audit.mystery_events import TableEvents
    from controller.reports.audit.sequence_audit import HashMark

EVENTS_LIMIT_BYTES: Final = 4 * 1024**3
"""Of a file of events: some weeks of a busy table. What is longer is given in parts, each with --from."""


@click.command("verify")
@click.argument("file", type=click.Path(path_type=Path), shell_complete=journals)
@click.option("--from", "first", type=click.IntRange(1), default=1, metavar="SEQ", help="The event FILE begins with.")
@click.option(
    "--stream-hash",
    "held",
    multiple=True,
    metavar="SEQ:HASH",
    help="The hash of the table's stream after event SEQ, as state/stream gave it or a consumer acknowledged it.",
)
@AS_JSON
def command(file: Path, *, first: int, held: tuple[str, ...], as_json: bool) -> None:
    """Prove every cycle of a must-hit-by meter from published events alone.

    FILE is a table's journal, or events as they were published, a JSON envelope a line (what stands before its first
    brace is passed over). Lines of state/stream among them show that the events are those the table published, and
    that none is cut off. Exit status: 0 nothing is wrong, 1 something is, 2 no events there.
    """
    import json

    from controller.io.journal.errors import JournalDamaged
    from controller.reports.audit.mystery_audit import examine
    from controller.reports.audit.mystery_events import NotEvents

    try:
        table_events, damage = _read_file(file, first, [_mark(text) for text in held])
    except (NotEvents, JournalDamaged, OSError) as error:
        # Some of these name the file themselves.
        refuse(str(error) if str(error).startswith(str(file)) else f"{file}: {error}")
    audit = examine(table_events)
    audit = audit._replace(faults=(*damage, *audit.faults))
    if as_json:
        missing = [[one.first, one.last] for one in audit.missing]
        cycles = [cycle._asdict() for cycle in audit.cycles]
        found = {"table": table_events.identity.text(), **audit._asdict(), "missing": missing, "cycles": cycles}
        say(json.dumps(found))
    else:
        for line in _lines(table_events, audit):
            say(line)
    sys.exit(1 if audit.is_wrong() else 0)


def _mark(text: str) -> HashMark:
    from controller.formats.journal.records import HASH_BYTES
    from controller.reports.audit.sequence_audit import HashMark

    found = re.fullmatch(rf"([1-9][0-9]{{0,17}}):([0-9a-fA-F]{{{2 * HASH_BYTES}}})", text)
    if found is None:
        expected = f"expected an event's number, a colon and {2 * HASH_BYTES} hex digits"
        raise click.BadParameter(f"{text!r}: {expected}", param_hint="--stream-hash")
    return HashMark(None, int(found[1]), bytes.fromhex(found[2]))


def _read_file(file: Path, first: int, held: list[HashMark]) -> tuple[TableEvents, tuple[str, ...]]:
    """The events of a table that a file holds, and the damage of the file itself.

    Raises:
        NotEvents, JournalDamaged, OSError: nothing can be read from it.
    """
    from controller.io.files.plain_files import lines, opened
    from controller.io.journal.errors import NotAJournal
    from controller.io.journal.verification import verify as verify_journal
    from controller.reports.audit.mystery_events import read_lines
    from controller.reports.audit.sequence_audit import HashMark, stream_marks

    try:
        report = verify_journal(file)
    except NotAJournal:
        with opened(file, EVENTS_LIMIT_BYTES) as said:
            marks = [*stream_marks(lines(said, file)), *held]
        with opened(file, EVENTS_LIMIT_BYTES) as said:
            return read_lines(lines(said, file), first=first, marks=marks), ()
    # Of a whole journal the end is known.
    marks = [HashMark(None, report.events, bytes.fromhex(report.stream))] if report.events and not report.damage else []
    damage = () if report.damage is None else (f"the journal is damaged: {report.damage}",)
    return read_lines(_published(file, report.events), first=first, marks=[*marks, *held]), damage


def _published(file: Path, count: int) -> Iterator[bytes]:
    """The first ``count`` events of a journal (0: all), which may go on meanwhile."""
    from controller.io.journal.reader import JournalReader

    with JournalReader(file) as journal:
        for event in journal.events(limit=count or -1):
            yield event.body


def _lines(table_events: TableEvents, audit: Audit) -> Iterator[str]:
    from controller.reports.audit.mystery_audit import CycleFinding
    from controller.reports.audit.sequence_audit import Range

    given = Range(audit.first, audit.last).text() if audit.last >= audit.first else "no events"
    gaps = ", ".join(one.text() for one in audit.missing)
    yield f"given   {given}; missing: {gaps}" if gaps else f"given   {given}, none missing between"
    yield from map(_cycle_line, audit.cycles)
    yield from (f"WRONG   {fault}" for fault in audit.faults)
    yield from (f"unknown {text}" for text in audit.unchecked)
    cycles, proven = len(audit.cycles), sum(map(CycleFinding.proven, audit.cycles))
    yield f"{table_events.identity.text()}: {cycles} cycles, {proven} proven"


def _cycle_line(found: CycleFinding) -> str:
    from controller.formats.text.printable import dollars

    word = "WRONG " if found.faults else "partly" if found.partly else "proven" if found.hit else "open  "
    parts = [f"{word}  cycle {found.cycle}", f"{found.contributions} contributions"]
    if found.trigger_cents is not None:
        parts.append(f"trigger {dollars(found.trigger_cents)}")
    if found.award_cents is not None:
        parts.append(f"award {dollars(found.award_cents)}")
    return "; ".join(part for part in (*parts, found.partly, *found.faults, *found.notes) if part)
