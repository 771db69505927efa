"""People who double early or think better of it: the same rounds with the same cards, and no chip is at two places."""

from __future__ import annotations

from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st

from simulators.people.acts import Act, Draw, Lay
from simulators.people.dealer import play
from simulators.people.house import House
from simulators.people.rack import Rack
from simulators.people.second_thoughts import with_second_thoughts
from simulators.people.simulated_table import MAIN
from tests.simulators.nights import layouts_at_ends, without_chips


def acts_of(seed: int, per_mille: int, rounds: int = 8) -> list[Act]:
    """A night's acts."""
    rack = Rack()
    acts = play(House(), Random(seed), rack, (1, 4), rounds=rounds, stand_key="never")
    return list(with_second_thoughts(acts, Random(~seed), rack, per_mille, []))


@settings(max_examples=30)
@given(st.integers(0, 2**32))
def test_cards_and_rounds_are_the_script_s_and_no_chip_lies_at_two_places(seed: int) -> None:
    acts, plain = acts_of(seed, 500), acts_of(seed, 0)
    assert without_chips(acts) == without_chips(plain)
    assert layouts_at_ends(acts) == layouts_at_ends(plain)


def test_some_are_laid_early_and_some_twice() -> None:
    acts, plain = acts_of(3, 1_000, rounds=60), acts_of(3, 0, rounds=60)
    cards, as_scripted = _cards_before(acts), _cards_before(plain)
    assert any(cards[lay] < as_scripted[lay] for lay in as_scripted)
    assert len(cards) > len(as_scripted)


def test_some_of_those_laid_early_come_in_two_movements_and_some_are_taken_back() -> None:
    acts = acts_of(3, 1_000, rounds=60)
    lying, raised = dict[int, tuple[str, ...]](), dict[int, list[tuple[str, ...]]]()
    parts = taken_back = 0
    for act in acts:
        if isinstance(act, Draw):
            raised.clear()
        if not isinstance(act, Lay) or act.zone != MAIN:
            continue
        lay, lying[act.spot] = lying.get(act.spot, ()), act.chips
        if lay and set(lay) < set(act.chips):
            raised.setdefault(act.spot, []).append(lay)
            parts += len(raised[act.spot]) > 1
        taken_back += act.chips in raised.get(act.spot, ())
    assert parts > 0
    assert taken_back > 0


def _cards_before(acts: list[Act]) -> dict[tuple[int, str, tuple[str, ...]], int]:
    """How many cards have been drawn when the chips of each lay come first."""
    first, cards = dict[tuple[int, str, tuple[str, ...]], int](), 0
    for act in acts:
        cards += isinstance(act, Draw)
        if isinstance(act, Lay):
            first.setdefault((act.spot, act.zone, act.chips), cards)
    return first
