"""Chips that move while another hand's card, a deal that waits, or the end of the round comes in between."""

from __future__ import annotations

import pytest

from controller.core.messages.events import HandsSplit, SpotSurrendered
from controller.core.messages.raised_alerts import AlertKind
from firmware_protocols.readings import ChipsSeen
from tests.core.quick_readers import accused, alerts, deal, draw, table
from tests.core.rig import MS, Rig

KEYED = {"stand_key": "always", "turn_key": "always", "no_more_bets": "always"}


@pytest.mark.parametrize("gap_ms", [400, 700])
def test_a_second_double_is_gathered_before_the_chips_of_the_first_count(gap_ms: int) -> None:
    rig = table("1 main 10 \n 4 main 20", **KEYED)
    rig.key("no_more_bets")
    deal(rig, "5c 6c 8d 6h 5s 3d")
    rig.late = True
    rig.talk("1 main 20 \n key double")
    draw(rig, "9h")
    rig.talk("4 main 30")
    rig.pass_ms(gap_ms)
    rig.talk("4 main 40")
    rig.late = False
    rig.key("double")
    draw(rig, "Th", gap_ms=1_000)
    rig.pass_ms(3_500)
    rig.key("hole_turned")
    draw(rig, "7h", gap_ms=2_000)
    rig.pass_ms(3_000)
    for paid in ("4 main 80", "4 main 0", "1 main 40", "1 main 0"):
        rig.talk(paid)
        rig.pass_ms(2_500)
    rig.key("round_closed")
    rig.pass_ms(5_000)
    assert rig.postings() == ["1: spot 1 main +20.00", "1: spot 4 main +40.00"]
    assert accused(rig) == []


def test_a_wager_lifted_before_the_chips_of_anothers_double_count_is_not_given_up() -> None:
    rig = table("1 main 10 \n 4 main 20")
    deal(rig, "5c 8c 8d Th 9s 3d")
    rig.talk("1 main 20 \n key double")
    rig.late = True
    draw(rig, "2h")
    chips = rig.lying[4, "main"]
    rig.lay(4, "main", ())
    rig.pass_ms(400)
    rig.lay(4, "main", chips)
    rig.late = False
    rig.pass_ms(7_000)
    draw(rig, "7h")
    rig.pass_ms(3_000)
    rig.talk("4 main 0")
    rig.pass_ms(2_500)
    rig.talk("1 main 0")
    rig.pass_ms(3_000)
    rig.key("round_closed")
    rig.pass_ms(6_000)
    assert not [one for one in rig.events if isinstance(one, SpotSurrendered)]
    assert sorted(rig.postings()) == ["1: spot 1 main -20.00", "1: spot 4 main -20.00"]


@pytest.mark.parametrize("gap_ms", [600, 1_000])
def test_four_cards_that_the_dealer_draws_evenly_are_no_deal_where_no_key_is_missing(gap_ms: int) -> None:
    """Sixteen stood; the dealer draws to twenty-five."""
    rig = table("6 main 25")
    for _ in range(3):
        draw(rig, "Th", "8c", "Kd", "9s")
        rig.pass_ms(6_000)
        rig.talk("6 main 50")
        rig.pass_ms(2_500)
        rig.talk("6 main 0")
        rig.pass_ms(6_000)
        rig.talk("6 main 25")
        rig.pass_ms(6_000)
    draw(rig, "6d", "2h", "Ks", "3d")
    rig.pass_ms(6_500)
    draw(rig, "2c", "3h", "5c", "Jc", gap_ms=gap_ms)
    rig.pass_ms(1_500)
    rig.talk("6 main 50")
    rig.pass_ms(2_600)
    rig.talk("6 main 0")
    rig.pass_ms(7_500)
    rig.talk("6 main 10")
    rig.pass_ms(6_000)
    draw(rig, "9c", "8d", "Td", "9h")
    rig.pass_ms(6_000)
    assert rig.postings()[3] == "4: spot 6 main +25.00"
    assert accused(rig) == []


def test_a_splits_chips_that_wait_with_its_card_are_what_a_lifted_wager_comes_back_to() -> None:
    rig = table("1 main 100")
    draw(rig, "Th", "Jc", "Qd", "4s")
    rig.pass_ms(5_500)
    rig.talk("1 main 200")
    rig.pass_ms(900)
    draw(rig, "8s", gap_ms=1)
    rig.pass_ms(1_500)
    assert rig.table.state.deferred
    chips = rig.lying[1, "main"]
    rig.lay(1, "main", ())
    draw(rig, "8h", gap_ms=400)
    rig.pass_ms(400)
    rig.lay(1, "main", chips)
    rig.pass_ms(5_400)
    draw(rig, "Ah", "Jd", gap_ms=800)
    rig.pass_ms(1_600)
    rig.talk("1 main 400")
    rig.pass_ms(2_300)
    rig.talk("1 main 0")
    rig.pass_ms(2_000)
    rig.key("round_closed")
    rig.pass_ms(6_000)
    assert len([one for one in rig.events if isinstance(one, HandsSplit)]) == 1
    assert accused(rig) == []


def add_seen_late(rig: Rig, since_ns: int, until_ns: int, *cents: int) -> None:
    """A look that was slow to come shows more chips at box 2."""
    chips = (*rig.lying[2, "main"], *(f"E0040000000000{one:02X}" for one in range(len(rig.values), 99)))
    new = chips[len(rig.lying[2, "main"]) :][: len(cents)]
    lie = (*rig.lying[2, "main"], *new)
    rig.values.update(zip(new, cents, strict=True))
    rig.give(ChipsSeen(2, "main", tuple(sorted(lie)), since_ns, until_ns))
    rig.lying[2, "main"] = lie


def test_a_payment_reported_after_the_close_and_the_next_bet_are_two_changes() -> None:
    rig = table("2 main 100", **KEYED)
    rig.key("no_more_bets")
    deal(rig, "5h 5s Ad 3h")
    rig.late = True
    rig.key("stand")
    rig.pass_ms(1_500)
    rig.key("hole_turned")
    draw(rig, "7s", "Jh", gap_ms=1_500)
    rig.pass_ms(2_700)
    paid_ns = rig.now_ns
    rig.pass_ms(2_800)
    rig.key("round_closed")
    rig.pass_ms(200)
    add_seen_late(rig, paid_ns - 3_000 * MS, paid_ns + 1_530 * MS, 10_000)
    rig.pass_ms(4_300)
    add_seen_late(rig, paid_ns + 1_500 * MS, paid_ns + 6_000 * MS, 500)
    rig.late = False
    next_deal(rig)
    assert rig.postings()[0] == "1: spot 2 main +100.00"
    assert alerts(rig, AlertKind.MISPAY) == []


def test_nor_is_the_next_bet_of_a_payment_that_one_look_shows_across_the_close() -> None:
    rig = table("2 main 15")
    deal(rig, "Th 7s 9d Td")
    rig.talk("key stand")
    rig.pass_ms(1_000)
    rig.key("hole_turned")
    rig.pass_ms(2_500)
    rig.late, looked_ns = True, rig.now_ns
    rig.pass_ms(1_500)
    rig.key("round_closed")
    rig.pass_ms(2_700)
    add_seen_late(rig, looked_ns - 800 * MS, rig.now_ns - 1_500 * MS, 1_500, 500)
    rig.late = False
    next_deal(rig)
    assert rig.postings()[0] == "1: spot 2 main +15.00"
    assert alerts(rig, AlertKind.MISPAY) == []


def next_deal(rig: Rig) -> None:
    rig.pass_ms(5_000)
    rig.talk("1 main 20")
    rig.pass_ms(4_000)
    if rig.table.house.rules.options.no_more_bets == "always":
        rig.key("no_more_bets")
    draw(rig, "9c", "9h", "8c", "Td", "7h", "Ts")
    rig.pass_ms(6_000)
