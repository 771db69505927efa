"""``tableside ack``: a named person has seen an alert."""

from __future__ import annotations

from typing import Any

import click

from controller.commands.amounts import NUMBER, Numbered
from controller.commands.request import asked_of_table


@click.command("ack", cls=Numbered)
@asked_of_table
@click.argument("alert", type=NUMBER)
@click.option("--note", default="", help="What you found; it is recorded.")
def command(alert: int, note: str) -> tuple[str, dict[str, Any]]:
    """Acknowledge ALERT of TABLE (site/name), by its number: you have seen it, and it leaves the list.

    In the list of tableside alerts the number stands first on an alert's line; its JSON has it as event.alert. The seq
    there is that of the event which raised it.

    Exit status: 0 accepted, 1 refused, 2 no broker or no reply.
    """
    return "ack", {"alert": alert, "note": note}
