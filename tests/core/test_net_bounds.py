"""What a wager could come to at most, and what becomes of an order beyond that."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from controller.core.analysis.net_bounds import net_bounds
from controller.core.game.rules import Rules
from controller.core.messages.alerts import OrderRefused
from controller.core.messages.events import WagerAdjusted
from controller.core.messages.floor_events import RulingProposed
from controller.core.messages.inputs import AdjustWager, ApproveOrder
from controller.core.messages.raised_alerts import AlertKind, AlertRaised
from controller.core.meters.state import Progressives
from controller.core.persons import Authentication
from controller.io.files import profile_files
from tests.core.houses import HABITS, RULES, simulated
from tests.core.rig import Rig, penn, settled
from tests.progressive.live import SEVENS, MeterRig

PENN = profile_files.load("hollywood-penn-national", {}).rules
ROUND = "1 main 10 \n 9h Ts 8d 9c \n key stand hole_turned round_closed"
KEY = Authentication("key", ("floor",))
OTHER = Authentication("socket", ("surveillance",), 1002)


@pytest.mark.parametrize(
    ("rules", "bet", "wager", "least", "most"),
    [
        (penn(), "main", 1000, -6000, 6000),
        (replace(penn(), double_after_split=False), "main", 1000, -3000, 3000),
        (replace(penn(), max_hands=1), "main", 1000, -2000, 2000),
        (replace(penn(), max_hands=1, natural_pays=(5, 2)), "main", 1000, -2000, 2500),
        (penn(), "insurance", 500, -500, 1000),
        (penn(), "insurance", 0, -500, 1000),
        (PENN, "lucky_ladies", 500, -500, 500_000),
    ],
)
def test_what_a_wager_could_come_to(rules: Rules, bet: str, wager: int, least: int, most: int) -> None:
    assert net_bounds(rules, bet, wager, 1000, Progressives()) == (least, most)


def test_a_side_wager_that_a_meter_pays_may_win_all_that_the_meters_hold() -> None:
    rig = MeterRig(SEVENS)
    rig.talk("1 main 10 \n 1 blazing7s 5 \n 7d 7d 7d 8c")
    bounds = net_bounds(rig.house.rules, "blazing7s", 500, 1000, rig.table.state.progressives)
    assert bounds.hold(999_585)


@pytest.mark.parametrize("name", RULES)
@pytest.mark.parametrize("seed", range(4))
def test_no_round_comes_to_more_than_the_bounds(name: str, seed: int) -> None:
    rig, _ = simulated(name, seed, rounds=12, stand_key=HABITS[0], boxes=(1, 7))
    known = settled(rig.events)
    assert known
    for (_, _, bet), (wager, due) in known.items():
        assert net_bounds(rig.house.rules, bet, wager, wager, Progressives()).hold(due)


def adjust(rig: Rig, cents: int, vouched: Authentication = KEY) -> None:
    rig.give(AdjustWager(rig.now_ns, 1, 1, "main", cents, "M. Okafor", "dead hand", vouched))


def test_a_due_that_no_cards_could_give_takes_a_second_person_and_is_alerted() -> None:
    rig = Rig(penn(stand_key="always"))
    rig.talk(ROUND)
    adjust(rig, 100_000_000)
    assert rig.events_of(WagerAdjusted) == []
    (proposed,) = (event for event in rig.events if isinstance(event, RulingProposed))
    (alert,) = (event for event in rig.events if isinstance(event, AlertRaised))
    assert alert.kind is AlertKind.RULING_BEYOND_RULES
    assert alert.text == "M. Okafor proposes: round 1 spot 1 main due 1000000.00, and its rules give -60.00 to 60.00"
    rig.give(ApproveOrder(rig.now_ns, proposed.order, "S. Vance", OTHER))
    assert [e.net_cents for e in rig.events_of(WagerAdjusted)] == [100_000_000]


def test_where_nothing_vouches_for_anybody_such_a_due_is_refused() -> None:
    rig = Rig(penn(stand_key="always"))
    rig.talk(ROUND)
    rig.give(AdjustWager(rig.now_ns, 1, 1, "main", -6100, "M. Okafor", "dead hand"))
    assert rig.events_of(WagerAdjusted) == []
    assert len(rig.events_of(OrderRefused)) == 1


def test_a_due_within_the_rules_takes_one_person_where_the_house_says_so() -> None:
    rig = Rig(penn(stand_key="always"))
    rig.talk(ROUND)
    adjust(rig, 6000)
    assert [e.net_cents for e in rig.events_of(WagerAdjusted)] == [6000]
