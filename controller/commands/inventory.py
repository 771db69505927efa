"""``tableside inventory``: enter what was counted of a table's chips and cash."""

from __future__ import annotations

from typing import Any

import click

from controller.commands.amounts import AMOUNT, CHIPS
from controller.commands.request import correction
from controller.core.messages.floor_events import Count


@click.command("inventory", context_settings={"ignore_unknown_options": True})
@correction
@click.argument("kind", type=click.Choice([str(one) for one in Count]))
@click.argument("chips", nargs=-1, type=CHIPS)
@click.option("--total", type=AMOUNT, help="The amount if no chips were counted, such as a drop of 1234.00.")
@click.option("--slip", default="", help="The number on the slip.")
@click.option("--day", default="", metavar="DAY", help="The gaming day it belongs to: 2026-11-21, today, yesterday.")
@click.option("--shift", default="", metavar="NAME", help="The shift of that day, by its name in the table file.")
def command(
    kind: str, chips: tuple[tuple[int, int], ...], *, total: int | None, slip: str, day: str, shift: str, why: str
) -> tuple[str, dict[str, Any]]:
    """Enter a count at TABLE (site/name): an opener, a closer, a fill, a credit or the drop.

    CHIPS give the number of each value: 25x40 is forty chips of $25. An entry is never changed; an entry of negative
    counts, such as 25x-40, or of a negative total takes it back. An entry belongs to the time at which it is made,
    unless --day and --shift name an earlier one, whose account is then restated.

    Exit status: 0 accepted, 1 refused, 2 no broker or no reply.
    """
    if bool(chips) == (total is not None):
        raise click.UsageError("expected either chips, such as 25x40, or --total 1000.00")
    counted: dict[str, int] = {}
    for value, count in chips:
        counted[str(value)] = counted.get(str(value), 0) + count
    cents = sum(value * count for value, count in chips) if total is None else total
    if shift and not day:
        raise click.UsageError("--shift: expected --day with it, such as --day yesterday")
    of_time = {"gaming_day": day, "shift": shift} if day else {}
    return "inventory", {"kind": kind, "cents": cents, "chips": counted, "slip": slip, "why": why, **of_time}
