"""``tableside meters``: what a journal's meters come to, added up again from what was published."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from controller.commands.journal_reader import of_journal, published
from controller.commands.terminal import say_account_line, say_text

if TYPE_CHECKING:
    from controller.io.journal.reader import JournalReader
    from controller.reports.audit.meter_audit import AwardAccount, MeterAccount, MeterBook
    from controller.reports.audit.pool_meter_audit import LinkedAccount


@click.command("meters")
@of_journal
def command(reader: JournalReader, *, as_json: bool) -> None:
    """Show the meters and jackpots of JOURNAL, every unit accounted for.

    The journal is opened read-only and may be in use. It reads only published events, so it needs no key; each is
    checked against its record's chain hash.

    Exit status: 0 everything adds up, 1 something does not, 2 the journal cannot be read.
    """
    import msgspec

    from controller.reports.audit.meter_audit import meter_book

    book = meter_book(one.event for one in published(reader))
    if as_json:
        say_text(msgspec.json.format(msgspec.json.encode(book), indent=1))
    else:
        for line in meter_lines(book):
            say_account_line(line)
    sys.exit(0 if book.reconciled() else 1)


def meter_lines(book: MeterBook) -> list[str]:
    """The lines that show the book: meters, linked meters, awards, then open orders."""
    if not book.meters and not book.linked:
        return ["no meters"]
    lines: list[str] = []
    for meter in book.meters.values():
        lines += _own_meter_lines(meter)
    for linked in book.linked.values():
        lines += _linked_meter_lines(linked)
    lines += [_award_line(one) for one in book.awards.values()]
    for order in book.orders.values():
        kind = order["move"]["type"].replace("_", " ")
        lines.append(f"order {order['order']}: {kind} of {order['meter']}, proposed by {order['who']}: {order['why']}")
    return lines


def _own_meter_lines(line: MeterAccount) -> list[str]:
    """One meter."""
    from controller.formats.text.printable import dollars, many

    closed = f"closed: {line.closed}" if line.closed else "open"
    wagered = f"{many(line.wagers, 'wager')} of {dollars(line.wagered_cents)}"
    refused = f", {line.refused_wagers} refused as unreasonable" if line.refused_wagers else ""
    return [
        f"{line.meter}  {dollars(line.shown_cents)}  {closed}",
        (
            f"  put in       house {exact(line.funded_units - line.recovered_units)}, {wagered}{refused} gave"
            f" {exact(line.contributed_units)}, reserve {exact(line.reserve_moved_units)},"
            f" corrections {exact(line.adjusted_units)}"
        ),
        (
            f"  taken out    {many(line.hits, 'award')} {exact(line.won_units - line.returned_units)},"
            f" {many(line.resets, 'reset')}"
        ),
        (
            f"  stands at    {exact(line.meter_units)}, reserve {exact(line.reserve_units)}"
            f" of {exact(line.reserved_units)} contributed"
        ),
        *(f"  WRONG        {wrong}" for wrong in line.wrong),
        *([] if line.wrong else ["  reconciled   to the unit"]),
    ]


def _linked_meter_lines(line: LinkedAccount) -> list[str]:
    """One linked meter: what of it went through this table."""
    from controller.formats.text.printable import dollars, many

    closed = f"closed: {line.closed}" if line.closed else f"last at {dollars(line.shown_cents)}  open"
    owed = f", {len(line.owed)} wait for the link" if line.owed else ""
    refused = f", {many(line.refused_wagers, 'wager')} refused" if line.refused_wagers else ""
    declined = f", {line.declined} declined" if line.declined else ""
    return [
        f"{line.meter}  pool {line.pool}  {closed}",
        f"  postings     {line.posted}, {line.entered} entered, the last as {line.entry}{owed}{declined}{refused}",
        (
            f"  put in       {many(line.wagers, 'wager')} of {dollars(line.wagered_cents)} gave"
            f" {exact(line.contributed_units)}, reserve {exact(line.reserved_units)}"
        ),
        f"  taken out    {many(line.hits, 'award')} {dollars(line.won_cents - line.returned_cents)}",
        *(f"  WRONG        {wrong}" for wrong in line.wrong),
        *([] if line.wrong else ["  in order     none missing, none twice; the pool is reconciled at its link"]),
    ]


def _award_line(one: AwardAccount) -> str:
    """One award."""
    from controller.formats.text.printable import dollars

    by = f" by {one.who}" if one.who else ""
    place = f"round {one.round} spot {one.spot}"
    return f"jackpot {one.jackpot}: {dollars(one.cents)} of {one.meter}, {place}, {one.row}: {one.standing}{by}"


def exact(units: int) -> str:
    """An amount to the unit: ``$1,234.500000`` dollars and parts, six decimals."""
    whole, rest = divmod(abs(units), 1_000_000)
    return f"{'-' if units < 0 else ''}${whole:,}.{rest:06d}"
