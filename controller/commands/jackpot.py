"""``tableside jackpot``: verify, pay, refuse or grant an award of a meter."""

from __future__ import annotations

from typing import Any

import click

from controller.commands.amounts import NUMBER, Numbered
from controller.commands.request import correction


@click.group("jackpot")
def command() -> None:
    """Verify, pay, refuse or grant an award of a meter.

    Exit status of each: 0 accepted, 1 refused, 2 no broker or no reply.
    """


@command.command("verify", cls=Numbered)
@correction
@click.argument("jackpot", type=NUMBER)
def verify(jackpot: int, why: str) -> tuple[str, dict[str, Any]]:
    """Say that JACKPOT of TABLE (site/name) is in order: you have seen cards, wager and amount."""
    return "verify-jackpot", {"jackpot": jackpot, "why": why}


@command.command("pay", cls=Numbered)
@correction
@click.argument("jackpot", type=NUMBER)
def pay(jackpot: int, why: str) -> tuple[str, dict[str, Any]]:
    """Say that JACKPOT of TABLE (site/name) was paid. The person who verified it cannot say so."""
    return "pay-jackpot", {"jackpot": jackpot, "why": why}


@command.command("refuse", cls=Numbered)
@correction
@click.argument("meter")
@click.argument("jackpot", type=NUMBER)
def refuse(meter: str, jackpot: int, why: str) -> tuple[str, dict[str, Any]]:
    """Propose to put JACKPOT of METER back; another person approves with `tableside meter approve`."""
    return "order-move", {"meter": meter, "move": {"type": "refusal", "jackpot": jackpot}, "why": why}


@command.command("grant")
@correction
@click.argument("meter")
@click.argument("number", metavar="ROUND", type=NUMBER)
@click.argument("spot", type=NUMBER)
@click.argument("bet")
@click.argument("row")
def grant(meter: str, why: str, **won: Any) -> tuple[str, dict[str, Any]]:  # noqa: ANN401 - as click has them
    """Propose to award what METER pays for ROW to BET at SPOT in ROUND, which the table could not judge.

    ROW is as the profile names it, such as three_diamonds, or must_hit_by_mystery. Another person approves.
    """
    return "order-move", {"meter": meter, "move": {"type": "grant", "round": won.pop("number"), **won}, "why": why}
