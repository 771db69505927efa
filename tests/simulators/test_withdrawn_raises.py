"""Players who lay a double and take it back: their wagers end as they were laid, and no chip is at two places."""

from __future__ import annotations

from itertools import pairwise
from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st

from simulators.people.acts import Act, Draw, Lay, RoundPlayed
from simulators.people.dealer import play
from simulators.people.house import House
from simulators.people.rack import Rack
from simulators.people.simulated_table import MAIN


def acts_of(seed: int, per_mille: int, rack: Rack, rounds: int = 8) -> list[Act]:
    """A night's acts of people who neither double nor split on a whim."""
    house, chance = House(), Random(seed)
    people = play(house, chance, rack, (1, 4), rounds=rounds, whims_per_mille=0, withdraws_per_mille=per_mille)
    return list(people)


@settings(max_examples=30)
@given(st.integers(0, 2**32))
def test_no_chip_lies_at_two_places_and_what_is_settled_lay_there(seed: int) -> None:
    rack = Rack()
    lying = dict[tuple[int, str], tuple[str, ...]]()
    stakes = dict[int, set[int]]()
    for act in acts_of(seed, 500, rack):
        match act:
            case Lay(spot, zone, chips):
                lying[spot, zone] = chips
                everywhere = [chip for zone in lying.values() for chip in zone]
                assert len(set(everywhere)) == len(everywhere)
                stakes.setdefault(spot, set()).add(rack.value_cents(chips) if zone == MAIN else 0)
            case RoundPlayed():
                assert all(one.wager_cents in stakes[one.spot] for one in act.wagers if one.bet == MAIN)
            case _:
                pass


def test_a_double_is_taken_back_before_its_card() -> None:
    laid = [act for act in acts_of(5, 1_000, Rack(), rounds=60) if isinstance(act, Lay | Draw)]
    pairs = [
        (first, then)
        for first, then in pairwise(laid)
        if isinstance(first, Lay) and isinstance(then, Lay) and (first.spot, first.zone) == (then.spot, MAIN)
    ]
    assert sum(set(then.chips) < set(first.chips) for first, then in pairs if then.chips) > len(laid) // 100
