"""Dealers who pay wrongly and put it right: the same rounds end with the same chips, and none is at two places."""

from __future__ import annotations

from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st

from simulators.people.acts import Act, Lay, Pause, RoundPlayed
from simulators.people.dealer import play
from simulators.people.house import House
from simulators.people.mended_payments import with_payments_mended
from simulators.people.rack import Rack
from simulators.people.simulated_table import MAIN

VALUES = Rack()
"""What each chip is worth; every rack has the same ones."""


def acts_of(seed: int, per_mille: int, rounds: int = 8) -> list[Act]:
    """A night's acts."""
    rack = Rack()
    acts = play(House(), Random(seed), rack, (1, 4), rounds=rounds, stand_key="never")
    return list(with_payments_mended(acts, Random(~seed), rack, per_mille))


def ends(acts: list[Act]) -> list[tuple[dict[tuple[int, str], int], RoundPlayed]]:
    """What lies there at the end of each round, in cents, and what it came to; no chip lies at two places."""
    lying, found = dict[tuple[int, str], tuple[str, ...]](), list[tuple[dict[tuple[int, str], int], RoundPlayed]]()
    for act in acts:
        if isinstance(act, Lay):
            lying[act.spot, act.zone] = act.chips
            chips = [chip for zone in lying.values() for chip in zone]
            assert len(set(chips)) == len(chips)
        elif isinstance(act, RoundPlayed):
            found.append(({place: VALUES.value_cents(zone) for place, zone in lying.items() if zone}, act))
    return found


@settings(max_examples=30)
@given(st.integers(0, 2**32))
def test_cards_keys_and_what_rounds_come_to_are_the_script_s(seed: int) -> None:
    acts, plain = acts_of(seed, 500), acts_of(seed, 0)
    assert [one for one in acts if not isinstance(one, Lay | Pause)] == [
        one for one in plain if not isinstance(one, Lay | Pause)
    ]
    assert ends(acts) == ends(plain)


def test_a_wager_is_taken_and_laid_back_or_paid_twice_before_it_is_paid_right() -> None:
    acts, plain = acts_of(3, 1_000, rounds=60), acts_of(3, 0, rounds=60)
    laid, scripted = ([one for one in night if isinstance(one, Lay) and one.zone == MAIN] for night in (acts, plain))
    assert len(laid) > len(scripted)
    assert sum(not one.chips for one in laid) > sum(not one.chips for one in scripted)
    assert set(map(cents_of, laid)) - set(map(cents_of, scripted))


def cents_of(laid: Lay) -> int:
    """What was laid is worth."""
    return VALUES.value_cents(laid.chips)
