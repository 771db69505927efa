"""Dealers who pay wrongly and put it right: the same rounds end with the same chips, and none is at two places."""

from __future__ import annotations

from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st

from simulators.people.acts import Act, Lay
from simulators.people.dealer import play
from simulators.people.house import House
from simulators.people.mended_payments import with_payments_mended
from simulators.people.rack import Rack
from simulators.people.simulated_table import MAIN
from tests.simulators.nights import RACK, without_chips, worth_at_ends


def acts_of(seed: int, per_mille: int, rounds: int = 8) -> list[Act]:
    """A night's acts."""
    rack = Rack()
    acts = play(House(), Random(seed), rack, (1, 4), rounds=rounds, stand_key="never")
    return list(with_payments_mended(acts, Random(~seed), rack, per_mille))


@settings(max_examples=30)
@given(st.integers(0, 2**32))
def test_cards_keys_and_what_rounds_come_to_are_the_script_s(seed: int) -> None:
    acts, plain = acts_of(seed, 500), acts_of(seed, 0)
    assert without_chips(acts) == without_chips(plain)
    assert worth_at_ends(acts) == worth_at_ends(plain)


def test_a_wager_is_taken_and_laid_back_or_paid_twice_before_it_is_paid_right() -> None:
    acts, plain = acts_of(3, 1_000, rounds=60), acts_of(3, 0, rounds=60)
    laid, scripted = ([one for one in night if isinstance(one, Lay) and one.zone == MAIN] for night in (acts, plain))
    assert len(laid) > len(scripted)
    assert sum(not one.chips for one in laid) > sum(not one.chips for one in scripted)
    assert set(map(cents_of, laid)) - set(map(cents_of, scripted))


def cents_of(laid: Lay) -> int:
    """What was laid is worth."""
    return RACK.value_cents(laid.chips)
