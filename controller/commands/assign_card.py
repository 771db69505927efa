"""``tableside assign-card``: say whose a card is."""

from __future__ import annotations

from typing import Any

import click

from controller.commands.amounts import NUMBER, Numbered
from controller.commands.request import correction


@click.command("assign-card", cls=Numbered)
@correction
@click.argument("card", type=NUMBER)
@click.argument("spot", type=click.IntRange(0))
def command(card: int, spot: int, why: str) -> tuple[str, dict[str, Any]]:
    """Say that CARD (its number in the events) of TABLE (site/name) belongs to SPOT; 0 is the dealer.

    Exit status: 0 accepted, 1 refused, 2 no broker or no reply.
    """
    return "assign-card", {"card": card, "spot": spot, "why": why}
