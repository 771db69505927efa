"""``tableside meter``: propose what moves a meter, approve it, take it back; reopen one after a long outage."""

from __future__ import annotations

import re
from typing import Any

import click

from controller.commands.amounts import NUMBER, Numbered
from controller.commands.request import asked_of_table, correction

REASONS = ("funding", "equipment_correction", "over_limit_correction", "seed_recovery")


def ratio(ctx: click.Context, param: click.Parameter, value: str) -> tuple[int, int]:
    """``17/100`` as two integers."""
    found = re.fullmatch(r"([0-9]{1,7})/([0-9]{1,7})", value)
    if found is None:
        raise click.BadParameter("expected a part of the wager such as 17/100", ctx, param)
    return int(found[1]), int(found[2])


@click.group("meter")
def command() -> None:
    """Propose what moves a meter, approve what another person proposed, or take it back; reopen one after an outage.

    Exit status of each: 0 accepted, 1 refused, 2 no broker or no reply.
    """


@command.command("adjust", context_settings={"ignore_unknown_options": True})
@correction
@click.argument("meter")
@click.argument("units", type=int)
@click.argument("reason", type=click.Choice(REASONS))
@click.option("--reserve", is_flag=True, help="Move the reserve, not the meter.")
def adjust(meter: str, units: int, reason: str, why: str, *, reserve: bool) -> tuple[str, dict[str, Any]]:
    """Propose to move METER of TABLE (site/name) by UNITS of 1/10,000 cent, for a REASON of the closed list."""
    pool = "reserve" if reserve else "meter"
    move = {"type": "adjustment", "pool": pool, "units": units, "reason": reason}
    return "order-move", {"meter": meter, "move": move, "why": why}


@command.command("change")
@correction
@click.argument("meter")
@click.option("--base-cents", required=True, type=click.IntRange(0))
@click.option("--reset-cents", required=True, type=click.IntRange(0))
@click.option("--rate", required=True, callback=ratio, help="The part of a wager that raises it, such as 17/100.")
@click.option("--hidden-rate", default="0/1", show_default=True, callback=ratio, help="The part for its reserve.")
@click.option("--limit-cents", default=0, show_default=True, type=click.IntRange(0), help="0: none.")
@click.option("--unreasonable-cents", required=True, type=click.IntRange(1))
def change(meter: str, why: str, **parameters: Any) -> tuple[str, dict[str, Any]]:  # noqa: ANN401 - as click has them
    """Propose other parameters for METER of TABLE (site/name); they come into force with its next reset."""
    return "order-move", {"meter": meter, "move": {"type": "new_parameters", "parameters": parameters}, "why": why}


@command.command("approve", cls=Numbered)
@asked_of_table
@click.argument("order", type=NUMBER)
def approve(order: int) -> tuple[str, dict[str, Any]]:
    """Approve ORDER of TABLE (site/name), which is then carried out. The proposer cannot approve it."""
    return "approve-order", {"order": order}


@command.command("withdraw", cls=Numbered)
@correction
@click.argument("order", type=NUMBER)
def withdraw(order: int, why: str) -> tuple[str, dict[str, Any]]:
    """Withdraw ORDER of TABLE (site/name)."""
    return "withdraw-order", {"order": order, "why": why}


@command.command("reopen")
@correction
@click.argument("meter")
def reopen(meter: str, why: str) -> tuple[str, dict[str, Any]]:
    """Let linked METER of TABLE (site/name) be won again after a long outage, once its sign and the link agree."""
    return "reopen-meter", {"meter": meter, "why": why}
