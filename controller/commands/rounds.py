"""``tableside rounds``: the rounds of a journal, one line each."""

from __future__ import annotations

import click
import msgspec

from controller.commands.journal_reading import of_journal, published
from controller.commands.terminal import say
from controller.core.raising import money
from controller.formats.round_story import rounds, signed
from controller.formats.takings import takings
from controller.io.journal import JournalReader

HEAD = "round  locked               outcome    boxes    staked       due  settled  open  void  adjusted  alerts"


@click.command("rounds")
@of_journal
@click.option("--last", default=20, show_default=True, type=click.IntRange(1), help="How many, the latest last.")
def command(reader: JournalReader, *, as_json: bool, last: int) -> None:
    """List the rounds of JOURNAL: what was staked, what it came to, how it ended.

    JOURNAL is the table's journal, of a running daemon or of one that stopped; it is only read.

    Exit status: 0, 2 the journal cannot be read.
    """
    found = rounds(takings(published(reader)))[-last:]
    if as_json:
        say(msgspec.json.encode(found))
        return
    say(HEAD)
    for one in found:
        when = one.locked[:19].replace("T", " ")
        amounts = f"{money(one.staked_cents):>9} {signed(one.due_cents):>9}"
        counts = f"{one.settled:>8} {one.open:>5} {one.void:>5} {one.adjusted:>9} {one.alerts:>7}"
        say(f"{one.round:>5}  {when}  {one.outcome:<9}  {one.boxes:>5} {amounts} {counts}")
