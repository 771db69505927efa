"""``tableside set-card``: name the face of a card, or strike it."""

from __future__ import annotations

from typing import Any

import click

from controller.commands.amounts import NUMBER, Numbered
from controller.commands.request import correction


@click.command("set-card", cls=Numbered)
@correction
@click.argument("card", type=NUMBER)
@click.argument("face")
def command(card: int, face: str, why: str) -> tuple[str, dict[str, Any]]:
    """Say that CARD (its number in the events) of TABLE (site/name) is FACE, such as 8h, Th or 10h, in any case.

    FACE none: it is not a card of the round (read twice, drawn back, put aside). The round is reconstructed again.

    Exit status: 0 accepted, 1 refused, 2 no broker or no reply.
    """
    return "set-card", {"card": card, "face": face, "why": why}
