"""The search's own lattice keeps less than the table's; whether there is a legal play both say alike."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

import pytest
from msgspec.structs import replace

from bench.irregularities import EDITS
from controller.core.game.hand import points_of
from controller.core.inference.fault_search import Search, may_have_moved_before, single_fault
from controller.core.inference.faults import ObservedRound, fault_hypotheses
from controller.core.inference.lattice import Lattice
from controller.core.inference.observation import CardObserved, ChipsObserved
from controller.core.messages.alerts import RoundIrregular
from controller.core.round.irregular import observed_round
from simulators.people.acts import by_round
from simulators.people.dealer import play
from simulators.people.offenders import Contents, Script
from simulators.people.rack import Rack
from simulators.people.simulated_table import StandKey
from tests.core.houses import DEALERS, chips_of, rules_of
from tests.core.human import HumanRig

NAME = "hollywood-penn-national"
KEYPADS: tuple[StandKey, ...] = ("always", "never")


def accounts(kind: str, keypad: StandKey) -> Iterator[ObservedRound]:
    """What a table searches for the cause of, in rounds of three boxes with an irregularity in each."""
    rack, rng = Rack(), Random(kind)
    rules = rules_of(NAME, stand_key="always" if keypad == "always" else "sometimes")
    rig = HumanRig(rules, chips_of(rack))
    for acts in by_round(play(DEALERS[NAME], rng, rack, (3, 3), rounds=8, stand_key=keypad)):
        for each in EDITS[kind](Script(acts, Contents()), rng) or acts:
            rig.events.clear()
            before = rig.table.state.round
            rig.perform([each])
            round_now = rig.table.state.round or before
            if rig.events_of(RoundIrregular) and round_now is not None:
                yield observed_round(rules, round_now)


def is_legal(account: ObservedRound) -> bool:
    """Whether the table's own lattice explains an account, piece by piece."""
    found = Lattice.begin(account.rules, account.wagers, account.lying, account.answers)
    place, hole = 0, 0
    for index, (observation, rank) in enumerate(account.pieces):
        dated = observation
        if rank is not None:
            hidden = place == account.hole_place()
            if not rank and not hidden:
                return False
            hole = rank if hidden else hole
            dated = replace(observation, item=CardObserved(place << 4 | (0 if hidden else rank)))
            place += 1
        after = found.observe(dated)
        if after.frontier or not found.frontier or not isinstance(dated.item, ChipsObserved):
            found = after
            if not found.frontier and not may_have_moved_before(account, index):
                return False
    known = hole if account.turned else 0
    if not account.closed:
        return any(not known or node.hole >> points_of(known) & 1 for node in found.frontier)
    dealt = place >= found.game.deal_cards
    return dealt and any(found.ends(points) for points in ([points_of(known)] if known else range(1, 11)))


@pytest.mark.parametrize("keypad", KEYPADS)
@pytest.mark.parametrize("kind", EDITS)
def test_both_lattices_say_alike_whether_an_account_is_legal(kind: str, keypad: StandKey) -> None:
    rng = Random(kind)
    judged: list[bool] = []
    for account in accounts(kind, keypad):
        for stated in (account, account._replace(closed=True, turned=True)):
            changes = list(fault_hypotheses(stated))
            for change in rng.sample(changes, min(9, len(changes))):
                legal = is_legal(change.account)
                assert Search(100_000).explains(change.account) == legal, change.text
                judged.append(legal)
    assert len(judged) >= 9


def test_a_kind_is_named_exactly_if_it_alone_makes_some_account_legal() -> None:
    named: set[bool] = set()
    for account in accounts("missed card", "always"):
        if len(account.pieces) > 20:
            continue
        stems = Search(100_000).stems(account)
        kinds = {one.kind for one in fault_hypotheses(account) if one.at < len(stems) and is_legal(one.account)}
        fault = single_fault(account, Search(100_000))
        assert (fault != "") == (len(kinds) == 1)
        named.add(fault != "")
    assert True in named


def test_a_search_that_others_wait_for_ends_when_its_work_is_done() -> None:
    account = next(one for one in accounts("missed card", "always") if single_fault(one, Search(100_000)))
    assert single_fault(account, Search(100_000, work=500)) == ""
