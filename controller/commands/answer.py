"""``tableside answer``: answer a question of the table's."""

from __future__ import annotations

from typing import Any

import click

from controller.commands.amounts import NUMBER, Numbered
from controller.commands.request import asked_of_table


@click.command("answer", cls=Numbered)
@asked_of_table
@click.argument("question", type=NUMBER)
@click.argument("words", metavar="ANSWER")
def command(question: int, words: str) -> tuple[str, dict[str, Any]]:
    """Answer QUESTION of TABLE (site/name) with ANSWER, one of its choices, in any case.

    Exit status: 0 accepted, 1 refused, 2 no broker or no reply.
    """
    return "answer", {"question": question, "answer": words}
