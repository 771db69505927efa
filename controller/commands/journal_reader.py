"""What the commands share that read a journal: it is opened read-only, beside a running daemon or after it."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Any, TypeVar

import click

from controller.commands.suggestions import journals
from controller.commands.terminal import AS_JSON, say

if TYPE_CHECKING:
    from controller.formats.journal.check import CheckReport
    from controller.formats.mqtt.envelope import Published
    from controller.io.journal.reader import JournalReader
    from controller.reports.round_narrative import JournalEvent

F = TypeVar("F", bound=Callable[..., Any])


def way_to_verify(journal: Path, key_file: Path | None = None) -> str:
    """What to run where a journal is damaged, as it is copied into a shell."""
    with_key = "" if key_file is None else f" --key {quote(str(key_file))}"
    return f"run: tableside verify{with_key} {quote(str(journal))}"


def of_journal(function: F) -> F:
    """The journal's path and ``--json``; the function is given an open reader and whether JSON is wanted."""

    @functools.wraps(function)
    def read(journal: Path, *, as_json: bool, **given: Any) -> None:  # noqa: ANN401 - as click hands them over
        from controller.formats.mqtt.envelope import PayloadRefused
        from controller.io.journal.errors import JournalDamaged, NotAJournal
        from controller.io.journal.reader import JournalReader

        try:
            with JournalReader(journal) as reader:
                function(reader, as_json=as_json, **given)
        except NotAJournal as error:
            say(f"tableside: {error}", err=True)
            sys.exit(2)
        except (JournalDamaged, PayloadRefused) as error:
            say(f"tableside: {error}; {way_to_verify(journal)}", err=True)
            sys.exit(2)

    wrapped: Any = AS_JSON(read)
    found: F = click.argument("journal", type=click.Path(path_type=Path), shell_complete=journals)(wrapped)
    return found


def journal_events(reader: JournalReader) -> Iterator[JournalEvent]:
    """The journal's events with the numbers of the readings that caused them, each held against its chain hash.

    Raises:
        JournalDamaged: the journal cannot be read, or an event is not what was committed.
        PayloadRefused: an event is not what this version knows.
    """
    from controller.formats.mqtt.envelope import own_event
    from controller.io.journal.stream import every_checked_event
    from controller.reports.round_narrative import JournalEvent

    for row in every_checked_event(reader):
        one = own_event(row.body)
        yield JournalEvent(one.seq, row.number, one.time, one.event)


def published(reader: JournalReader, first: int = 1) -> Iterator[Published]:
    """The journal's events from seq ``first`` on, each held against its record's chain hash.

    Raises:
        JournalDamaged: the journal cannot be read, or an event is not what was committed.
        PayloadRefused: an event is not what this version knows.
    """
    from controller.formats.mqtt.envelope import own_event
    from controller.io.journal.stream import every_checked_event

    for row in every_checked_event(reader, first):
        yield own_event(row.body)


def counted(report: CheckReport) -> dict[str, Any]:
    """Whose a whole journal is and how much it holds, for programs."""
    identity = report.identity
    assert identity is not None, "it is whole"
    whose = {"site": identity.site, "table": identity.table, "epoch": identity.epoch}
    return {**whose, "records": report.records, "events": report.events, "head": report.head}


def counts(report: CheckReport) -> str:
    """The same for people."""
    from controller.formats.text.printable import many

    found = counted(report)
    held = f"{many(found['records'], 'record')}, {many(found['events'], 'event')}"
    return "{site}/{table}/{epoch}, {held}, head {head}".format(**found, held=held)
