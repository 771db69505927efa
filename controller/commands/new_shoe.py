"""``tableside new-shoe``: announce a new shoe, and count the old one down."""

from __future__ import annotations

from typing import Any

import click

from controller.commands.request import asked_of_table


@click.command("new-shoe")
@asked_of_table
@click.option("--left", type=click.IntRange(0, 416), help="How many cards were counted in the old shoe.")
def command(left: int | None) -> tuple[str, dict[str, Any]]:
    """Announce a new shoe at TABLE (site/name), between two rounds; the burn key alone does so too.

    The next cards are its burns, as many as the option new_shoe_burns of the table says.

    With --left what was drawn from the old shoe and what was left in it is held against the decks it was loaded with;
    that may also be said once the new shoe has been announced, before its first round.

    Exit status: 0 accepted, 1 refused, 2 no broker or no reply.
    """
    return "new-shoe", {} if left is None else {"left": left}
