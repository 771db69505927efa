"""Random rounds with random irregularities, orders and keys: not a byte may depend on what lies face down.

``make campaign-secrecy N=100000 SEED=1``. Of seven cases four have a card of every rank in the hole: a round of
simulated people in one of the houses, with one irregularity of its deal or none, now and then a player who draws at
once, and up to two orders, keys, moved chips or losses of the keypad at any moment before the dealer's turn. In one
the round goes on while people make the table believe that others follow it. One has a burned card of every rank before
two such rounds, where a hole card is dealt or none is. One has two trigger boxes that drew different numbers, with
somebody on their line who says whatever may be said there, or before two tables. Compared are the events, what is
wished of the devices, and every picture that is retained: round, advice, alerts, felt, meters and pace. A case that
fails is printed so that a test can be made of it.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from functools import partial
from random import Random
from typing import Any, Final, get_args

import click

from simulators.people.simulated_table import StandKey
from tests.core import burned_rounds, feigned_rounds
from tests.core.hole_doings import DOINGS
from tests.core.hole_rounds import DRAWS, IRREGULARITIES, PROFILES, Case, assert_secret
from tests.trigger_box import number_rounds

SHOWN = 20
"""Failures after which it is enough."""

TABLE_ROUNDS: Final = 6
"""Of two tables before their boxes."""


def random_case(rng: Random) -> Case:
    """A case. Chips are moved only before a dealer who keys the turn: docs/reference/threat-model.md."""
    irregularity = rng.choice(list(IRREGULARITIES))
    turn_key = rng.choice(("always", "sometimes"))
    if rng.randrange(3) == 0:
        irregularity = f"{irregularity} and {rng.choice(list(DRAWS))}"
    may = [name for name in DOINGS if name != "touch" or turn_key == "always"]
    doings = tuple(rng.choice(may) for _ in range(rng.randrange(3)))
    habit: StandKey = rng.choice(get_args(StandKey))
    boxes = rng.choice(((1, 1), (1, 2), (2, 4), (4, 7)))
    return Case(rng.choice(PROFILES), irregularity, doings, rng.randrange(1 << 30), habit, turn_key, boxes)


def hole(rng: Random) -> tuple[Any, Callable[[], object]]:
    """A card in the hole."""
    case = random_case(rng)
    return case, partial(assert_secret, case)


def burned(rng: Random) -> tuple[Any, Callable[[], object]]:
    """A burned card."""
    case = burned_rounds.random_case(rng)
    return case, partial(burned_rounds.assert_closed, case)


def feigned(rng: Random) -> tuple[Any, Callable[[], object]]:
    """A card in the hole of a round that is feigned to be others."""
    case = feigned_rounds.random_case(rng)
    return case, partial(feigned_rounds.assert_stays_closed, case)


def number(rng: Random) -> tuple[Any, Callable[[], object]]:
    """What a trigger box drew."""
    case = number_rounds.random_case(rng)
    if rng.randrange(4) == 0:
        return case.boxes, partial(number_rounds.assert_table_reveals_no_number, case.boxes, TABLE_ROUNDS)
    return case, partial(number_rounds.assert_number_closed, case)


SECRETS: Final = {"hole": hole, "burned": burned, "feigned": feigned, "number": number}
MIXED: Final = (hole, hole, hole, hole, burned, feigned, number)


@click.command()
@click.option("--count", default=20_000, show_default=True)
@click.option("--seed", default=1, show_default=True)
@click.option("--secret", type=click.Choice(list(SECRETS)), help="Of this kind only.")
def main(count: int, seed: int, secret: str | None) -> None:
    """Play cases and say what was found."""
    rng, failed, begun = Random(seed), 0, time.monotonic()
    for place in range(1, count + 1):
        case, check = (SECRETS[secret] if secret else rng.choice(MIXED))(rng)
        try:
            check()
        except AssertionError:
            failed += 1
            click.echo(f"failed: {case}")
        if failed >= SHOWN:
            break
        if place % 1000 == 0:
            click.echo(f"{place} cases, {failed} failed, {time.monotonic() - begun:.0f} s", err=True)
    click.echo(f"{place} cases, {failed} failed")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
