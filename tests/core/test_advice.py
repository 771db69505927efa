"""What the dealer is advised to take and pay: in order, to the chip, and never before it may be said."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from controller.core.game.rules import Options
from controller.core.messages.advice import AdviceLine, DealerAction, PaymentAdvised, Stack
from controller.core.messages.events import Event, HoleCardRevealed, WagerSettled
from controller.core.surveillance.pay_advice import in_chips
from controller.io.files import profile_files
from firmware_protocols.cards import DECK
from tests.core.houses import DEALERS, simulated
from tests.core.rig import Rig, penn

RACK = (10000, 2500, 500, 250, 100, 50)


def at_table(**options: object) -> Rig:
    rules = penn(stand_key="always", **options)
    rig = Rig(rules)
    rig.house = replace(rig.house, denominations=RACK)
    rig.table = replace(rig.table, house=rig.house)
    return rig


def lines(events: Iterable[Event]) -> list[AdviceLine]:
    return [line for event in events if isinstance(event, PaymentAdvised) for line in event.lines]


def advice_lines(events: Iterable[Event]) -> list[str]:
    found = []
    for line in lines(events):
        hand = f".{line.hand + 1}" if line.hand is not None else ""
        chips = " ".join(f"{stack.count}x{stack.value_cents / 100:g}" for stack in line.chips)
        found.append(f"{line.spot}{hand} {line.bet} {line.move} {line.cents / 100:g}: {chips}")
    return found


def test_wagers_are_taken_and_paid_from_the_dealers_right_to_the_left() -> None:
    rig = at_table()
    rig.talk("1 main 25\n3 main 10\n5 main 40\nkey no_more_bets\nTh 9h 8h 7d Qs Ts 9d Td")
    rig.talk("key stand stand stand hole_turned")
    assert advice_lines(rig.events) == ["5 main leave 0: ", "3 main pay 10: 2x5", "1 main pay 25: 1x25"]


def test_a_natural_is_paid_at_once_to_the_chip_and_before_the_others() -> None:
    rig = at_table()
    rig.talk("1 main 25\n2 main 25\nkey no_more_bets\nAh 9h 7d Ks Ts Td")
    assert advice_lines(rig.events) == ["1 main pay 37.5: 1x25 2x5 1x2.5"]
    rig.talk("key stand hole_turned")
    assert advice_lines(rig.events)[1:] == ["2 main pay 25: 1x25"]


def test_insurance_comes_first() -> None:
    rig = at_table()
    rig.talk("1 main 20\n2 main 20\nkey no_more_bets\nTh 9h As 9d 8s Kd\n1 insurance 10\nkey insurance_closed")
    rig.talk("key stand stand hole_turned")
    assert advice_lines(rig.events) == ["1 insurance pay 20: 4x5", "2 main take 20: 4x5", "1 main take 20: 4x5"]


def test_the_hands_of_a_split_are_advised_one_by_one_from_right_to_left() -> None:
    rig = at_table()
    rig.talk(
        "1 main 10\nkey no_more_bets\n8h 7d 8s Td\n1 main 20\nkey split\nTh\nkey stand\n2d Tc\nkey stand hole_turned"
    )
    assert advice_lines(rig.events) == ["1.2 main pay 10: 2x5", "1.1 main pay 10: 2x5"]
    assert sum(event.net_cents for event in rig.events if isinstance(event, WagerSettled)) == 2000


def test_half_of_a_surrendered_wager_is_taken() -> None:
    rig = at_table()
    rig.talk("1 main 25\nkey no_more_bets\nTh 9d 6s 8d\n1 main 12\nkey surrender hole_turned")
    rig.talk("key round_closed")
    (line,) = lines(rig.events)
    assert (line.move, line.cents) == (DealerAction.TAKE, 1250)


def test_the_keypad_shows_it_where_the_table_wants_that() -> None:
    for where, shown in (("screen", "Round 1: take and pay"), ("keypad", "5 = 3 +10 1 +25 take and pay")):
        rig = at_table(pay_advice=where)
        rig.talk("1 main 25\n3 main 10\n5 main 40\nkey no_more_bets\nTh 9h 8h 7d Qs Ts 9d Td")
        rig.talk("key stand stand stand hole_turned")
        assert rig.desired.display == shown
    rig.talk("key round_closed\n1 main 10\nkey no_more_bets")
    assert rig.table.state.advice.lines == ()


def test_it_shows_take_and_pay_once_a_wager_made_after_the_deal_is_settled_too() -> None:
    rig = Rig(profile_files.load("hollywood-penn-national", {"stand_key": "always"}).rules)
    rig.talk("1 main 25 \n key no_more_bets \n Qs 3h Kc Qh \n 1 ez_bust 5 \n key stand hole_turned")
    assert rig.desired.display == "Round 1"
    rig.talk("5s")
    assert rig.postings() == ["1: spot 1 main +25.00", "1: spot 1 ez_bust -5.00"]
    assert rig.desired.display == "Round 1: take and pay"


@pytest.mark.parametrize("name", DEALERS)
def test_what_is_advised_for_a_wager_is_what_it_is_due(name: str) -> None:
    rig, _ = simulated(name, 5, 40, "always")
    due = {(e.round, e.spot, e.bet): e.net_cents for e in rig.events if isinstance(e, WagerSettled)}
    sign = {DealerAction.PAY: 1, DealerAction.TAKE: -1, DealerAction.LEAVE: 0}
    advised: dict[tuple[int, int, str], int] = {}
    for event in rig.events:
        if isinstance(event, PaymentAdvised):
            for line in event.lines:
                place = (event.round, line.spot, line.bet)
                advised[place] = advised.get(place, 0) + sign[line.move] * line.cents
    assert advised == due
    assert any(line.hand for line in lines(rig.events))


def before_the_turn(hole: str) -> list[Event]:
    rig = at_table()
    rig.talk(f"1 main 25\n2 main 25\nkey no_more_bets\nAh 9h 7d Ks Ts {hole}\nkey stand")
    turned = next(at for at, event in enumerate(rig.events) if isinstance(event, HoleCardRevealed))
    return [event for event in rig.events[:turned] if isinstance(event, PaymentAdvised)]


def test_nothing_advised_before_the_turn_depends_on_the_hole_card() -> None:
    others = [str(card) for card in DECK if str(card) not in {"Ah", "9h", "7d", "Ks", "Ts"}]
    advice = [before_the_turn(hole) for hole in others]
    assert len(advice[0]) == 1
    assert all(one == advice[0] for one in advice)


@given(st.integers(0, 100_000), st.sets(st.sampled_from((10000, 5000, 2500, 2000, 500, 250, 200, 100)), max_size=5))
def test_chips_make_the_amount_or_as_much_of_it_as_chips_can(cents: int, values: set[int]) -> None:
    stacks, short = in_chips(cents, tuple(values))
    assert sum(stack.value_cents * stack.count for stack in stacks) + short == cents
    assert short >= 0
    assert all(stack.count > 0 for stack in stacks)
    assert [stack.value_cents for stack in stacks] == sorted((stack.value_cents for stack in stacks), reverse=True)
    if values and 50 not in values:
        assert short < max(values)


@pytest.mark.parametrize("cents", range(0, 2000, 100))
def test_an_amount_that_small_chips_make_is_made_where_the_largest_first_would_not(cents: int) -> None:
    makeable = any(500 * five + 200 * two == cents for five, two in product(range(5), range(11)))
    _, short = in_chips(cents, (500, 200))
    assert (short == 0) == makeable


def test_dealers_cut_out_the_largest_first() -> None:
    assert in_chips(3750, RACK) == ((Stack(2500, 1), Stack(500, 2), Stack(250, 1)), 0)
    assert in_chips(3, RACK) == ((), 3)
    assert in_chips(100, ()) == ((), 100)
    assert Options().pay_advice == "screen"
