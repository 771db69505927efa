"""``tableside alerts``: list the alerts an operator should see."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from controller.commands.journal_reader import of_journal, published
from controller.commands.terminal import say, say_json

if TYPE_CHECKING:
    from controller.formats.mqtt.retained_alerts import ListedAlert
    from controller.io.journal.reader import JournalReader


@click.command("alerts")
@of_journal
@click.option("--all", "everything", is_flag=True, help="Include acknowledged alerts.")
def command(reader: JournalReader, *, as_json: bool, everything: bool) -> None:
    """List the unacknowledged alerts of JOURNAL, oldest first, with their evidence.

    JOURNAL is the table's journal, of a running daemon or of one that stopped; it is only read.
    Each event is checked against its record's chain hash. Acknowledge with tableside ack.

    Exit status: 0 nothing waits, 1 something does, 2 the journal cannot be read.
    """
    from controller.formats.mqtt.retained_alerts import listed_alerts

    listed = listed_alerts(published(reader))
    waiting = [one for one in listed if not one.acknowledged]
    shown = listed if everything else waiting
    if as_json:
        say_json(shown)
    else:
        for one in shown:
            first, *others = lines(one)
            say(first, style="" if one.acknowledged else "bad" if one.event.severity == "critical" else "warning")
            for line in others:
                say(line)
        say(f"{len(waiting)} of {len(listed)} alerts wait to be acknowledged")
    raise SystemExit(1 if waiting else 0)


def lines(one: ListedAlert) -> list[str]:
    """An alert for people: what, where, on what evidence, and who has seen it."""
    event = one.event
    where = f" round {event.round}" if event.round else ""
    text = [f"{event.alert:>5}  {one.raised[:19].replace('T', ' ')}  {event.severity:<8}  {event.kind}{where}"]
    text.append(f"       {event.text}")
    if event.before or event.after:
        text.append(
            f"       chips before: {' '.join(event.before) or 'none'}; after: {' '.join(event.after) or 'none'}"
        )
    text.append(f"       event {one.seq}, readings {' '.join(str(number) for number in event.readings)}")
    if one.acknowledged:
        note = f": {one.note}" if one.note else ""
        text.append(f"       acknowledged {one.acknowledged[:19].replace('T', ' ')} by {one.who}{note}")
    return text
