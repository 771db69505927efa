"""``tableside round``: a round in words, with the evidence for each conclusion."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from controller.commands.amounts import NUMBER, Numbered
from controller.commands.journal_reader import journal_events, of_journal
from controller.commands.suggestions import rounds
from controller.commands.terminal import say, say_json

if TYPE_CHECKING:
    from controller.io.journal.reader import JournalReader


@click.command("round", cls=Numbered)
@of_journal
@click.argument("number", metavar="ROUND", type=NUMBER, shell_complete=rounds)
def command(reader: JournalReader, *, as_json: bool, number: int) -> None:
    """Describe ROUND of JOURNAL: what happened, what was concluded, and from which readings.

    JOURNAL is the table's journal, of a running daemon or of one that stopped; it is only read.
    Each event is checked against its record's chain hash.
    Only opened cards show their faces.

    Exit status: 0 printed, 1 there is no such round, 2 the journal cannot be read.
    """
    from controller.reports.round_narrative import story

    lines = story(journal_events(reader), number)
    if as_json:
        say_json(lines)
    for line in () if as_json else lines:
        readings = " ".join(str(one) for one in line.readings)
        say(f"{line.time[11:23]}  {line.text}   [event {line.seq}; readings {readings}]")
    if not lines:
        say(f"tableside: {reader.path}: there is no round {number}", err=True)
        raise SystemExit(1)
