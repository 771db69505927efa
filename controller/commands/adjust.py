"""``tableside adjust``: rule what a wager is due."""

from __future__ import annotations

from typing import Any

import click

from controller.commands.amounts import AMOUNT, NUMBER
from controller.commands.request import CASE, cased, correction


@click.command("adjust", context_settings={"ignore_unknown_options": True})
@correction
@click.argument("number", metavar="ROUND", type=NUMBER)
@click.argument("spot", type=NUMBER)
@click.argument("bet")
@click.argument("net_cents", metavar="DUE", type=AMOUNT)
@CASE
def command(*, number: int, spot: int, bet: str, net_cents: int, why: str, case: str) -> tuple[str, dict[str, Any]]:
    """Rule that BET (main, insurance, a side wager) at SPOT in ROUND of TABLE (site/name) is due DUE.

    DUE is what the player gains: -10.00 lost ten dollars, 0.00 got the wager back, 15.00 won fifteen dollars.

    A round older than the last 20 needs --case and two persons, at every table.

    Exit status: 0 accepted, 1 refused, 2 no broker or no reply.
    """
    return "adjust", {"round": number, "spot": spot, "bet": bet, "net_cents": net_cents, "why": why, **cased(case)}
