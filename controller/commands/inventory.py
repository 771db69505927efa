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
@click.option("--total", type=AMOUNT, help="The amount where no chips were counted, such as a drop of 1234.00.")
@click.option("--slip", default="", help="The number on the paper.")
def command(
    kind: str, chips: tuple[tuple[int, int], ...], total: int | None, slip: str, why: str
) -> tuple[str, dict[str, Any]]:
    """Enter a count at TABLE (site/name): what an OPENER, a CLOSER, a FILL, a CREDIT or the DROP came to.

    CHIPS say how many of each value: 25x40 are forty chips of $25. What was entered is not changed afterwards; an entry
    of negative counts, such as 25x-40, or of a negative total takes it back.

    Exit status: 0 accepted, 1 refused, 2 no broker or no reply.
    """
    if bool(chips) == (total is not None):
        raise click.UsageError("expected either chips, such as 25x40, or --total 1000.00")
    counted: dict[str, int] = {}
    for value, count in chips:
        counted[str(value)] = counted.get(str(value), 0) + count
    cents = sum(value * count for value, count in chips) if total is None else total
    return "inventory", {"kind": kind, "cents": cents, "chips": counted, "slip": slip, "why": why}
