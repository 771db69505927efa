"""Random rounds with random irregularities, orders and keys: not a byte may depend on the hole card before its turn.

``make campaign-secrecy N=100000 SEED=1``. Each case is a round of simulated people in one of the houses, with one
irregularity of its deal or none, now and then a player who draws at once, and up to two orders, keys, moved chips or
losses of the keypad at any moment before the dealer's turn, played with a face of every rank in the hole. A case that
fails is printed so that a test can be made of it.
"""

from __future__ import annotations

import sys
import time
from random import Random
from typing import get_args

import click

from simulators.people.felt import StandKey
from tests.core.hole_rounds import DOINGS, DRAWS, IRREGULARITIES, PROFILES, Case, assert_secret

SHOWN = 20
"""Failures after which it is enough."""


def random_case(rng: Random) -> Case:
    """A case. Chips are moved only in honest deals before a dealer who keys the turn: docs/threat-model.md."""
    irregularity = rng.choice(list(IRREGULARITIES))
    turn_key = rng.choice(("always", "sometimes"))
    if rng.randrange(3) == 0:
        irregularity = f"{irregularity} and {rng.choice(list(DRAWS))}"
    may = [name for name in DOINGS if name != "touch" or (irregularity == "honest" and turn_key == "always")]
    doings = tuple(rng.choice(may) for _ in range(rng.randrange(3)))
    habit: StandKey = rng.choice(get_args(StandKey))
    boxes = rng.choice(((1, 1), (1, 2), (2, 4), (4, 7)))
    return Case(rng.choice(PROFILES), irregularity, doings, rng.randrange(1 << 30), habit, turn_key, boxes)


@click.command()
@click.option("--count", default=20_000, show_default=True)
@click.option("--seed", default=1, show_default=True)
def main(count: int, seed: int) -> None:
    """Play cases and say what was found."""
    rng, failed, begun = Random(seed), 0, time.monotonic()
    for number in range(1, count + 1):
        case = random_case(rng)
        try:
            assert_secret(case)
        except AssertionError:
            failed += 1
            click.echo(f"failed: {case}")
        if failed >= SHOWN:
            break
        if number % 1000 == 0:
            click.echo(f"{number} cases, {failed} failed, {time.monotonic() - begun:.0f} s", err=True)
    click.echo(f"{number} cases, {failed} failed")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
