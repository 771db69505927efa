"""``tableside declare-box``: a box without chips is in play."""

from __future__ import annotations

from typing import Any

import click

from controller.commands.amounts import AMOUNT, NUMBER, Numbered
from controller.commands.request import correction


@click.command("declare-box", cls=Numbered)
@correction
@click.argument("spot", type=NUMBER)
@click.argument("cents", metavar="AMOUNT", type=AMOUNT)
def command(spot: int, cents: int, why: str) -> tuple[str, dict[str, Any]]:
    """Say that SPOT of TABLE (site/name) plays for AMOUNT without chips: cash, a match play, a lammer.

    Best before the first card, where 0.00 takes it back; later the round is reconstructed again with it.

    Exit status: 0 accepted, 1 refused, 2 no broker or no reply.
    """
    return "declare-box", {"spot": spot, "cents": cents, "why": why}
