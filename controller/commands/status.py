"""``tableside status``: how a table is and how it has run, out of its journal."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from controller.commands.journal_reader import of_journal, published
from controller.commands.terminal import refuse, say_account_line, say_json

if TYPE_CHECKING:
    from controller.formats.mqtt.envelope import Published
    from controller.io.journal.reader import JournalReader
    from controller.reports.status import TableStatus

LOOK_SECONDS: Final = 0.25
"""Between two looks whether the journal has more."""

UNPAIRED: Final = "whoever reaches its line can make up contributions and answers (tableside keys pairing)"


@click.command("status")
@of_journal
@click.option("--hours", default=8, show_default=True, type=click.IntRange(1), help="Hours that the figures cover.")
@click.option("--shoe", is_flag=True, help="Also what remains in the shoe, and the count. Do not show it at the table.")
@click.option("--follow", is_flag=True, help="Show the table live on the whole screen until Ctrl-C.")
def command(reader: JournalReader, *, as_json: bool, hours: int, shoe: bool, follow: bool) -> None:
    """Show a table's state (round, questions, alerts, devices, shoe) and its pace over the last hours.

    JOURNAL is the table's journal, of a running daemon or of one that stopped; it is only read. The figures end with
    the journal's last event.

    A line to the trigger box that should be paired and is not is named, as in `tableside check`.

    With --follow, each due is marked as certain, open, asked, corrected or in doubt.

    Exit status: 0 nothing waits for a person, 1 a question, an alert or a device does, 2 the journal cannot be read.
    """
    import msgspec

    from controller.reports.status import NOT_RUNNING, standing

    if follow:
        if as_json:
            raise click.UsageError("--json: tableside watch --json follows a table for programs")
        follow_table(reader)
        return
    found = standing(those_needed(reader, hours, with_bets=as_json), hours, with_bets=as_json)
    found = msgspec.structs.replace(found, running=is_running(reader.path))
    if as_json:
        say_json(found if shoe else msgspec.structs.replace(found, remaining={}, running_count=0))
    else:
        for line in lines(found, shoe=shoe):
            say_account_line(line)
        if found.running is False:
            say_account_line(f"daemon      {NOT_RUNNING}")
    raise SystemExit(1 if found.waits() else 0)


def is_running(journal: Path) -> bool | None:
    """Whether a daemon has the journal; None: it cannot be known here."""
    from controller.io.journal.lock import is_locked

    try:
        return is_locked(journal)
    except OSError:
        return None


def follow_table(reader: JournalReader) -> None:
    """Show the table on the whole screen until interrupted."""
    from controller.reports.table_screen import TableScreen

    try:
        from rich.console import Console
        from rich.live import Live

        from controller.io.displays.full_screen import drawn
    except ImportError:
        from controller.io.files.extras import how_to_get

        refuse(f"--follow needs rich; {how_to_get('screen')}")
    console = Console()
    if not console.is_terminal:
        refuse("--follow: expected a terminal; tableside watch follows a table into a file or a pipe")
    screen, seq = TableScreen(), 0
    runs: bool | None = None
    with contextlib.suppress(KeyboardInterrupt), Live(console=console, screen=True, auto_refresh=False) as live:
        while True:
            before, ran = seq, runs
            runs = is_running(reader.path)
            screen.is_stopped = runs is False
            for one in published(reader, seq + 1):
                screen.take(one)
                seq = one.seq
            if (seq, runs) != (before, ran) or not before:
                live.update(drawn(screen.now()), refresh=True)
            time.sleep(LOOK_SECONDS)


def those_needed(reader: JournalReader, hours: int, *, with_bets: bool) -> Iterator[Published]:
    """The events of a journal that its table's state is made of: a small part of them, found by their kinds.

    ``with_bets``: also those that tell what the rounds of the hours took.

    Raises:
        JournalDamaged: the journal cannot be read.
        PayloadRefused: an event is not what this version knows.
    """
    import bisect

    from controller.formats.mqtt.envelope import own_event
    from controller.formats.text.moments import HOUR_NS
    from controller.reports.status import deal_ends, needed

    last = reader.head().seq
    if not last:
        return
    # Events lie in the order of their times, but where the clock was set back.
    since_ns = moment(reader, last) - hours * HOUR_NS
    since = 1 + bisect.bisect_left(range(1, last), since_ns, key=lambda seq: moment(reader, seq))
    shoe, begun = reader.last_named("shoe_begun"), reader.last_named("betting_closed")
    rows = {seq: own_event(reader.event(seq).body) for seq in (since, last)}
    for row in reader.events_named(needed(since, shoe or last, begun or last, with_bets=with_bets)):
        rows[row.seq] = own_event(row.body)
    for position, after, before in deal_ends(list(rows.values())):
        card = reader.first_named_with("card_drawn", "position", position, after, before or last + 1)
        if card is not None:
            rows[card.seq] = own_event(card.body)
    for seq in sorted(rows):
        yield rows[seq]


def moment(reader: JournalReader, seq: int) -> int:
    """When an event was published, in nanoseconds since 1970."""
    from controller.formats.mqtt.envelope import nanoseconds, own_event

    return nanoseconds(own_event(reader.event(seq).body).time)


def round_words(now: TableStatus) -> str:
    """Where the table stands between two rounds, or in one."""
    why = f", irregular ({now.irregular})" if now.irregular else ""
    if now.is_played:
        return f"{now.round}, being played{why}" + (": the floor rules on it" if why else "")
    last = f"{now.round} is closed{why}" if now.round else "none yet"
    return f"{last}; {'no round may begin' if now.closed else 'bets are open for the next'}"


def lines(now: TableStatus, *, shoe: bool) -> list[str]:
    """The table's state for people."""
    from controller.formats.text.printable import many

    lines = [
        f"{now.site}/{now.table}, epoch {now.epoch}: {now.profile}, tableside {now.version}",
        f"last event  {now.seq} at {now.time[:19].replace('T', ' ')} UTC",
        f"round       {round_words(now)}",
        f"questions   {', '.join(now.questions) or 'none'}",
        f"alerts      {now.alerts_waiting} {'waits' if now.alerts_waiting == 1 else 'wait'} to be acknowledged"
        + (f", {now.critical} critical" * bool(now.critical)),
    ]
    lines[3:3] = [f"CLOSED      no round may begin: {reason}" for reason in now.closed]
    lines += [f"device      {name}: {state}" for name, state in now.devices.items()]
    lines += [f"UNPAIRED    {name}: {UNPAIRED}" for name in now.unpaired]
    if now.shoe:
        lines.append(f"shoe        {now.shoe}: {now.drawn} of {now.decks * 52} cards drawn, {now.burned} burned")
    if shoe:
        remains = " ".join(f"{face}:{count}" for face, count in now.remaining.items())
        lines += [f"            running count {now.running_count}", f"            remaining {remains or 'unknown'}"]
    pace = now.pace
    phases = ", ".join(f"{name.replace('_', ' ')} {ms / 1000:.1f} s" for name, ms in pace.phase_ms.items())
    irregular, answer = f"{pace.irregular} irregular", f"{pace.answer_ms / 1000:.1f}"
    lines += [
        f"pace        {many(pace.rounds_per_hour, 'round')} an hour: {pace.rounds} in {pace.seconds} s, {irregular}",
        f"phases      {phases or 'no whole round seen'}",
        f"asked       {many(pace.questions, 'question')}, {pace.questions_open} open; {answer} s to an answer",
        f"alerts      {pace.alerts_per_hour} an hour: "
        + (", ".join(f"{kind} {count}" for kind, count in pace.alerts.items()) or "none"),
    ]
    troubled = [one for one in pace.devices if one.faults or one.down_seconds or one.alarms or one.damaged_messages]
    for one in troubled:
        counts = f"{many(one.faults, 'fault')}, {one.down_seconds} s down, {many(one.alarms, 'alarm')}"
        lines.append(f"faults      {one.device}: {counts}, {many(one.damaged_messages, 'damaged message')}")
    return lines if troubled else [*lines, "faults      none"]
