"""``tableside void``: every wager of a round goes back."""

from __future__ import annotations

from typing import Any

import click

from controller.commands.request import correction


@click.command("void")
@correction
@click.argument("number", metavar="ROUND", type=click.IntRange(1))
def command(number: int, why: str) -> tuple[str, dict[str, Any]]:
    """Void ROUND of TABLE (site/name): every wager goes back. A round that was settled is adjusted.

    Exit status: 0 accepted, 1 refused, 2 no broker or no reply.
    """
    return "void", {"round": number, "why": why}
