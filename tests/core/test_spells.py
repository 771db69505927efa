"""Readers that are lost one after another between two cards: what one sees on its return binds what another misses."""

from __future__ import annotations

import json

from controller.core.inference.unobserved import Outage, outage_periods
from tests.core.test_other_tables import PENN, observed
from tests.core.test_reconstruct_command import run

FACES = "8h As Ts Ah As 8h 8c 8c Ac 8h"
ROUND = """
{"profile": "hollywood-penn-national", "options": {"chip_unit_cents": 500, "hole_card": "none"},
 "wagers": {"1": {"main": 500}, "6": {"main": 1500}, "7": {"main": 500}}}
"""


def test_readers_lost_at_once_are_one_spell_and_those_lost_in_turn_are_several() -> None:
    def spells(*outages: Outage) -> list[tuple[int, set[int], set[int]]]:
        return [(spell.from_ns, {*spell.unwatched}, {*spell.back}) for spell in outage_periods(outages)]

    assert spells() == []
    assert spells(Outage(1, 35, 105)) == [(0, set(), set()), (35, {1}, {1}), (106, set(), set())]
    in_turn = [(0, {0}, {0}), (30, {0, 1}, {0, 1}), (41, {1}, {1}), (51, set(), set()), (60, {1}, set())]
    assert spells(Outage(1, 60), Outage(1, 30, 50), Outage(0, 0, 40)) == in_turn
    # A reader that is lost again at the very moment of its return has seen nothing.
    assert spells(Outage(1, 0, 50), Outage(1, 50)) == [(0, {1}, {1}), (50, {1}, set()), (51, {1}, set())]


def test_a_surrender_settled_unseen_is_over_before_the_next_reader_is_lost() -> None:
    cards = zip(
        ["8h", "As", "Ts", "Ah", "As", "8h", "8c", "8c", "Ac", "8h"], (2, 3, 4, 5, 6, 7, 8, 10, 11, 12), strict=True
    )
    dealt = [{"card": card, "t": t} for card, t in cards]
    chips = [{"spot": spot, "zone": "main", "cents": cents, "t": t} for spot, cents, t in ((6, 3000, 13), (1, 0, 14))]
    lost = [
        {"health": "reader 7", "from": 11, "to": 1_000_000, "t": 16},
        {"health": "reader 6", "from": 3.5, "to": 10.5},
    ]
    double = {"spot": 1, "zone": "main", "cents": 1000, "t": 9}
    lines = [json.loads(ROUND), *dealt[:7], double, *dealt[7:], *chips, *lost, {"close": True}]
    status, answer = run("\n".join(json.dumps(line) for line in lines))
    # Spot 6 is seen with its wager at 10.5: it surrendered only if spot 7 had stood by then, not in its turn after 11.
    assert (status, json.loads(answer)["plays"]) == (0, 7)


def test_a_reader_that_is_not_back_may_still_report_late_what_it_missed() -> None:
    lattice = observed(PENN, [1000], "5c 6d 6h 6s 9h 0:main:2000")
    assert not lattice.frontier
    later = lattice.replayed_with((), (Outage(0, 4),)).frontier
    # Before the dealer has drawn on what he shows it is no payment; for how much it was doubled nobody saw.
    (outcomes,) = next(boxes for node, boxes in later.items() if not node.paying)
    assert {outcome.hands[0].extra_cents for outcome in outcomes} == {1, 1000}


def test_of_a_split_it_may_report_late_that_both_hands_have_their_wager() -> None:
    lattice = observed(PENN, [1000], "8c 6d 8h 6s 3h 0:main:2000").replayed_with((), (Outage(0, 4),))
    assert (1000, 1000) in {tuple(hand.base + hand.extra for hand in node.hands) for node in lattice.frontier}
