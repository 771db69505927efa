"""``tableside void``: every wager of a round goes back."""

from __future__ import annotations

from typing import Any

import click

from controller.commands.amounts import NUMBER, Numbered
from controller.commands.request import CASE, cased, correction


@click.command("void", cls=Numbered)
@correction
@click.argument("number", metavar="ROUND", type=NUMBER)
@CASE
def command(number: int, why: str, case: str) -> tuple[str, dict[str, Any]]:
    """Void ROUND of TABLE (site/name): every wager is returned, also in a settled round.

    A round older than the last 20 needs --case and two persons, at every table.

    Exit status: 0 accepted, 1 refused, 2 no broker or no reply.
    """
    return "void", {"round": number, "why": why, **cased(case)}
