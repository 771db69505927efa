"""The aggregate limit at the live table: side wagers' wins are lowered, and published only once final."""

from __future__ import annotations

import json

import pytest
from msgspec.structs import replace

from controller.core.game.rules import Rules
from controller.core.game.side_bet import SideNet
from controller.core.inference.aggregate_limit import is_win, side_dues
from controller.core.inference.side_dues import SideEvidence
from controller.core.inference.unread_cards import HoleHypothesis, Judgement
from controller.core.messages.alerts import BetDecreasedAfterLock, BetIncreasedAfterLock, ChipsUnexplained
from controller.core.messages.events import (
    CardDrawn,
    HoleCardRevealed,
    QuestionAsked,
    WagerAdjusted,
    WagerSettled,
    WagerUnresolved,
)
from controller.core.messages.inputs import SetCard
from controller.core.table.state import restore
from controller.formats.replay import read_state, state_bytes
from controller.io.files import profile_files
from firmware_protocols.cards import Card
from firmware_protocols.readings import DeviceHealth, HealthState
from tests.core.rig import Rig, coded
from tests.core.test_live_side_bets import EITHER_BROKE
from tests.core.test_other_tables import observed
from tests.core.test_reconstruct_command import run
from tests.core.test_restore import replayed

TWENTIES = """
    1 main 10
    1 lucky_ladies 5
    1 twenty_one_plus_three 5
    2 main 10
    2 lucky_ladies 5
    key no_more_bets
"""
"""Spot 1 may win 50 and 25, spot 2 wins 20."""


def limited(dollars: int, **options: str) -> Rules:
    rules = profile_files.load("hollywood-penn-national", {"stand_key": "always", **options}).rules
    return replace(rules, aggregate_limit_cents=100 * dollars)


def side_postings(rig: Rig) -> list[str]:
    """The settlements of side wagers so far."""
    return [line.removeprefix("1: spot ") for line in rig.postings() if " main " not in line]


def at_the_table(dollars: int, talk: str) -> Rig:
    rig = Rig(limited(dollars))
    rig.talk(talk)
    return rig


def test_the_wins_of_a_round_share_the_limit_in_proportion() -> None:
    rig = at_the_table(70, TWENTIES + "Kh Kc 9h Th Td 8s")
    # 50, 25 and 20 are 95: each gets 70 parts of 95, rounded down to the cent.
    assert side_postings(rig) == ["1 lucky_ladies +36.84", "1 twenty_one_plus_three +18.42", "2 lucky_ladies +14.73"]
    rig.talk("key stand stand hole_turned round_closed")
    assert rig.outcomes() == ["settled"]
    first = rig.events_of(WagerSettled)[0]
    assert isinstance(first, WagerSettled)
    assert first.why == "Lucky Ladies: suited 20, held to the aggregate limit of the round"


@pytest.mark.parametrize("dollars", [0, 95])
def test_wins_within_the_limit_are_paid_whole(dollars: int) -> None:
    rig = at_the_table(dollars, TWENTIES + "Kh Kc 9h Th Td 8s")
    assert side_postings(rig) == ["1 lucky_ladies +50.00", "1 twenty_one_plus_three +25.00", "2 lucky_ladies +20.00"]
    assert all("limit" not in event.why for event in rig.events_of(WagerSettled))


def test_a_wager_that_loses_is_settled_at_once_whatever_the_others_win() -> None:
    rig = at_the_table(10, "1 main 10 \n 1 lucky_ladies 5 \n 2 main 10 \n 2 lucky_ladies 5 \n Kh Kc 6d 9h Td 8s")
    assert side_postings(rig) == ["1 lucky_ladies -5.00"]


def test_while_a_wager_may_still_be_laid_no_win_is_settled() -> None:
    rig = at_the_table(1000, TWENTIES + "Kh Kc 6h Th Td Ts")
    assert side_postings(rig) == []
    rig.talk("1 ez_bust 5")
    assert side_postings(rig) == []
    rig.talk("key stand")
    # With the most that EZ Bust may win the limit is far off.
    assert side_postings(rig) == ["1 lucky_ladies +50.00", "1 twenty_one_plus_three +25.00", "2 lucky_ladies +20.00"]


EZ_BUST = {
    "the dealer breaks": (
        "Kc",
        ["1 ez_bust +4.95", "1 lucky_ladies +49.50", "1 twenty_one_plus_three +24.75", "2 lucky_ladies +19.80"],
    ),
    "the dealer stands": (
        "3c",
        ["1 ez_bust -5.00", "1 lucky_ladies +50.00", "1 twenty_one_plus_three +25.00", "2 lucky_ladies +20.00"],
    ),
}


@pytest.mark.parametrize("name", EZ_BUST)
def test_wins_wait_for_a_wager_that_could_take_them_over_the_limit(name: str) -> None:
    drawn, expected = EZ_BUST[name]
    rig = at_the_table(99, TWENTIES + "Kh Kc 6h Th Td Ts \n 1 ez_bust 5 \n key stand stand hole_turned")
    assert side_postings(rig) == []
    rig.card(drawn)
    rig.key("round_closed")
    assert sorted(side_postings(rig)) == expected
    assert rig.outcomes() == ["settled"]


def test_the_last_dollar_of_the_limit_needs_no_waiting() -> None:
    rig = at_the_table(100, TWENTIES + "Kh Kc 6h Th Td Ts \n 1 ez_bust 5 \n key stand")
    assert side_postings(rig) == ["1 lucky_ladies +50.00", "1 twenty_one_plus_three +25.00", "2 lucky_ladies +20.00"]


QUEENS = "1 main 10 \n 1 lucky_ladies 5 \n 2 main 10 \n 2 twenty_one_plus_three 5 \n key no_more_bets \n"


def test_queens_of_hearts_that_wait_for_the_turn_keep_the_other_wins_waiting() -> None:
    rig = at_the_table(1_000, QUEENS + "Qh 3h Ah Qh 2h Td \n key insurance_closed stand")
    assert side_postings(rig) == []
    rig.talk("key stand hole_turned")
    # 5,000 and 150 held to 1,000.
    assert side_postings(rig) == ["1 lucky_ladies +970.87", "2 twenty_one_plus_three +29.12"]


def before_the_turn(hole: Card) -> list[bytes]:
    rig = at_the_table(1_100, QUEENS + f"Qh 3h Ah Qh 2h {hole} \n key insurance_closed stand stand")
    rig.talk("key hole_turned")
    place = next(index for index, event in enumerate(rig.events) if isinstance(event, HoleCardRevealed))
    return [coded(event) for event in rig.events[:place]]


def test_nothing_published_before_the_turn_hangs_on_the_hole_card() -> None:
    assert before_the_turn(Card("Td")) == before_the_turn(Card("5c")) == before_the_turn(Card("Ac"))


STRAIGHT_FLUSH = "1 main 10 \n 1 twenty_one_plus_three 5 \n 5h 6h 7h Td \n 1 ez_bust 5 \n key insurance_closed"


def test_what_plays_leave_different_after_the_limit_is_asked_and_not_settled() -> None:
    rig = Rig(replace(limited(100), options=limited(0, stand_key="sometimes").options))
    rig.talk(STRAIGHT_FLUSH)
    rig.talk("Kc \n key round_closed")
    # The king broke the player, and EZ Bust is returned; or it broke the dealer, and EZ Bust takes a part of the limit.
    assert side_postings(rig) == []
    left = {event.bet: event.possible_cents for event in rig.events_of(WagerUnresolved)}
    assert left["twenty_one_plus_three"] == (9_677, 10_000)
    assert left["ez_bust"] == (0, 322)
    (asked,) = rig.events_of(QuestionAsked)
    assert isinstance(asked, QuestionAsked)
    rig.answer("2")
    assert sorted(side_postings(rig)) == ["1 ez_bust +3.22", "1 twenty_one_plus_three +96.77"]


def test_a_corrected_card_adjusts_every_win_that_shares_the_limit() -> None:
    rig = at_the_table(70, TWENTIES + "Kh Kc 9h Th Td 8s")
    second = [event.card for event in rig.events_of(CardDrawn)][4]
    rig.give(SetCard(rig.now_ns, second, Card("9d"), "floor", "misread"))
    rig.talk("key stand stand hole_turned round_closed")
    adjusted = {
        (event.spot, event.bet): (event.before_cents, event.net_cents) for event in rig.events_of(WagerAdjusted)
    }
    assert adjusted == {
        (1, "lucky_ladies"): (3_684, 4_666),
        (1, "twenty_one_plus_three"): (1_842, 2_333),
        (2, "lucky_ladies"): (1_473, -500),
    }


LOST_READER = {
    "the dealer breaks": ("Kc", []),
    "the dealer stands": ("3c", ["1 lucky_ladies +50.00", "1 twenty_one_plus_three +25.00", "2 lucky_ladies +20.00"]),
}


@pytest.mark.parametrize("name", LOST_READER)
def test_no_win_is_settled_while_a_wager_that_a_lost_reader_may_have_missed_could_have_won(name: str) -> None:
    drawn, expected = LOST_READER[name]
    rig = at_the_table(1_000, TWENTIES + "Kh Kc 6h Th Td Ts")
    rig.give(DeviceHealth("bet_spots/2", HealthState.LOST, rig.now_ns, "unplugged"))
    rig.talk("key stand stand hole_turned")
    assert side_postings(rig) == []
    rig.talk(f"{drawn} \n key round_closed")
    assert side_postings(rig) == expected


def test_a_win_paid_while_its_amount_is_open_is_no_past_posting() -> None:
    rig = at_the_table(1_000, TWENTIES + "Kh Kc 6h 9h Td Ts \n 2 lucky_ladies 25 \n 2 lucky_ladies 0")
    assert rig.events_of(ChipsUnexplained, BetIncreasedAfterLock, BetDecreasedAfterLock) == []
    touched = at_the_table(1_000, QUEENS + "Qh 3h Ah Qh 2h Td \n 1 lucky_ladies 0")
    assert len(touched.events_of(ChipsUnexplained)) == 1


def test_a_round_held_to_the_limit_replays_and_restarts_exactly() -> None:
    rig = at_the_table(99, TWENTIES + "Kh Kc 6h Th Td Ts \n 1 ez_bust 5 \n key stand stand hole_turned")
    rig.talk("Kc \n key round_closed")
    straight = replayed(rig.house, rig.stamped)
    assert [coded(event) for stepped in straight for event in stepped.events] == [coded(each) for each in rig.events]
    for cut in range(1, len(straight)):
        table = restore(rig.house, read_state(state_bytes(straight[cut - 1].table.state)))
        assert coded(table.state) == coded(straight[cut - 1].table.state)


def test_what_a_large_insurance_would_add_is_not_what_queens_may_win() -> None:
    rig = at_the_table(2_000, QUEENS + "Qh 3h Ah Qh 2h Td \n 1 insurance 1 \n key insurance_closed stand")
    assert side_postings(rig) == []


def test_plays_that_differ_in_who_broke_are_not_one() -> None:
    rules = limited(1_000, stand_key="sometimes")
    rig = Rig(rules)
    rig.talk(EITHER_BROKE)
    rig.key("round_closed")
    left = rig.events_of(WagerUnresolved)
    assert [(event.bet, event.possible_cents) for event in left] == [("ez_bust", (-500, 0))]


# --- as the command reconstructs the evidence ------------------------------------------------------------------------

LIMIT = '{"profile": "hollywood-penn-national", "options": {"aggregate_limit_cents": 7000}, "wagers": %s}'
TWO_TWENTIES = (
    '{"1": {"main": 1000, "lucky_ladies": 500, "twenty_one_plus_three": 500}, "2": {"main": 1000, "lucky_ladies": 500}}'
)


def reconstructed(cards: str) -> dict[str, dict[str, list[int]]]:
    rows = [LIMIT % TWO_TWENTIES, *(json.dumps({"card": card}) for card in cards.split())]
    status, output = run("\n".join([*rows, *['{"key": "stand"}'] * 2, '{"close": true}']))
    assert status == 0
    possible: dict[str, dict[str, list[int]]] = json.loads(output)["possible_cents"]
    return possible


def test_the_reconstruction_holds_wins_to_the_limit() -> None:
    possible = reconstructed("Kh Kc 9h Th Td 8s")
    assert (possible["1"]["lucky_ladies"], possible["2"]["lucky_ladies"]) == ([3_684], [1_473])


def test_an_unread_card_is_the_same_card_for_every_wager() -> None:
    possible = reconstructed("Kh Kc 9h ?? Td 8s")
    # The king of hearts again: 125, 25 and 20 share 70; ten or queen of hearts: 50, 25 and 20 do. Another heart makes
    # the flush alone, another ten the twenty alone, and neither comes near the limit.
    assert possible["1"]["lucky_ladies"] == [-500, 2_000, 3_684, 5_147]
    assert possible["1"]["twenty_one_plus_three"] == [-500, 1_029, 1_842, 2_500]
    assert possible["2"]["lucky_ladies"] == [823, 1_473, 2_000]


def test_an_unread_hole_card_is_no_card_before_its_turn_and_any_card_after_it() -> None:
    rows = [LIMIT % TWO_TWENTIES, *(json.dumps({"card": card}) for card in ("Kh", "Kc", "9h", "Th", "Td", "??"))]
    status, output = run("\n".join([*rows, *['{"key": "stand"}'] * 2]), "--each")
    assert status == 0
    for line in output.splitlines()[6:]:
        possible = json.loads(line)["possible_cents"]
        assert (possible["1"]["lucky_ladies"], possible["2"]["lucky_ladies"]) == ([3_684], [1_473])


def so_far(wagers: str, cards: str) -> dict[str, dict[str, list[int]]]:
    rows = [LIMIT % wagers, *(json.dumps({"card": card}) for card in cards.split())]
    status, output = run("\n".join(rows))
    assert status == 0
    possible: dict[str, dict[str, list[int]]] = json.loads(output)["possible_cents"]
    return possible


def test_a_loss_is_due_with_its_own_two_cards_and_a_win_once_no_other_can_lower_it() -> None:
    lost, won = so_far(TWO_TWENTIES, "9c Kc Jh Qh"), so_far(TWO_TWENTIES, "Kh Kc 9h Th")
    assert lost["1"] == {"main": [], "lucky_ladies": [-500], "twenty_one_plus_three": [-500]}
    assert (won["1"]["lucky_ladies"], won["1"]["twenty_one_plus_three"]) == ([], [])
    assert won["2"] == {"main": [], "lucky_ladies": []}


def test_a_win_waits_where_a_wager_may_still_be_laid_after_the_deal() -> None:
    alone = '{"1": {"main": 1000, "lucky_ladies": 500}}'
    assert so_far(alone, "Kh 9h Th")["1"]["lucky_ladies"] == [5_000]
    assert so_far(alone, "Kh 5h Th")["1"]["lucky_ladies"] == []
    assert so_far(alone, "Kh 5h Th 8c")["1"]["lucky_ladies"] == []


def test_a_wager_that_may_still_be_laid_lowers_nothing_where_the_dealer_stands_already() -> None:
    stands = LIMIT.replace("7000", '7000, "soft_17": "stand"') % '{"1": {"main": 1000, "lucky_ladies": 500}}'
    possible = []
    for up, hole in (("6c", "Ad"), ("5c", "Ad")):
        cards = [json.dumps({"card": card}) for card in ("Kh", up, "Th", hole)]
        status, output = run("\n".join([stands, *cards, '{"spot": 1, "zone": "ez_bust", "cents": 500}']))
        assert status == 0
        possible.append(json.loads(output)["possible_cents"]["1"]["lucky_ladies"])
    # Soft 17 stands and EZ Bust cannot win; soft 16 draws, and EZ Bust may win as much as somebody lays.
    assert possible == [[5_000], []]


# --- what counts ----------------------------------------------------------------------------------------


def dues_of(
    talk: str, staked: dict[tuple[int, str], int], dollars: int, awards: dict[tuple[int, str], int] | None = None
) -> dict[str, int | None]:
    rules = limited(dollars)
    cards = [Card(word) for word in talk.split() if ":" not in word]
    found = observed(rules, [1000], talk)
    judgement = Judgement((HoleHypothesis(found, found.frontier, None, 1),), closed=False)
    felt = SideEvidence(rules, [*cards], 1, 3, judgement, awards)
    nets = side_dues(felt, staked)
    return {bet: only.cents if (only := one(nets[box, bet])) else None for box, bet in nets}


def one(nets: set[SideNet | None]) -> SideNet | None:
    (net,) = nets
    return net


def test_what_a_meter_pays_is_not_held_and_counts_for_nothing() -> None:
    staked = {(0, "blazing7s"): 500, (0, "twenty_one_plus_three"): 500}
    awards = {(0, "blazing7s"): 1_000_000}
    assert dues_of("7d 7d 7d 8c key:stand", staked, 100, awards=awards) == {
        "blazing7s": 999_500,
        "twenty_one_plus_three": 10_000,
    }
    assert dues_of("7d 7d 7d 8c key:stand", staked, 50, awards=awards)["twenty_one_plus_three"] == 5_000


def test_a_fixed_award_counts_for_what_it_leaves_above_its_stake() -> None:
    staked = {(0, "blazing7s"): 500, (0, "lucky_ladies"): 500}
    # Two sevens of other colours: 125 dollars for one.
    assert dues_of("7d 9c 7s 8c key:stand", staked, 60) == {"blazing7s": 6_000, "lucky_ladies": -500}


def test_what_a_meter_is_still_to_pay_keeps_no_win_waiting() -> None:
    staked = {(0, "blazing7s"): 500, (0, "twenty_one_plus_three"): 500}
    assert dues_of("7d 7d 7d 8c key:stand", staked, 50) == {"blazing7s": None, "twenty_one_plus_three": 5_000}


def test_another_box_may_win_no_more_than_some_second_card_gives_it() -> None:
    wagers = '{"1": {"main": 1000, "twenty_one_plus_three": 500}, "2": {"main": 1000, "%s": 500}}'
    # Spot 1 wins 25 of 70: a two makes no twenty and no straight with the nine, an eight may make one of 50.
    assert so_far(wagers % "lucky_ladies", "Kh 2c 9h Th")["1"]["twenty_one_plus_three"] == [2_500]
    assert so_far(wagers % "twenty_one_plus_three", "Kh 2c 9h Th")["1"]["twenty_one_plus_three"] == [2_500]
    assert so_far(wagers % "twenty_one_plus_three", "Kh 8c 9h Th")["1"]["twenty_one_plus_three"] == []


def test_one_cent_is_a_win_and_nothing_is_none() -> None:
    rules = limited(100)
    assert is_win(rules, SideNet(1, "ez_bust", "dealer_broke"))
    assert not is_win(rules, SideNet(0, "ez_bust", "push"))


def test_before_the_deal_is_complete_no_wager_is_decided() -> None:
    assert dues_of("7d 9c", {(0, "blazing7s"): 500}, 60) == {"blazing7s": None}


def test_plays_that_differ_in_who_has_played_are_not_one_before_the_close() -> None:
    # The ten broke spot 1, which leaves spot 2 to play, or spot 2, and then the dealer's seventeen stands.
    rules = limited(1_000, stand_key="sometimes")
    found = observed(rules, [1000, 1000], "Js 7d 6c 8s Qd As 1:ez_bust:500 Td")
    judgement = Judgement((HoleHypothesis(found, found.frontier, 1, 1),), closed=False)
    felt = SideEvidence(rules, [*map(Card, ["Js", "7d", "6c", "8s", "Qd", "As", "Td"])], 2, 5, judgement)
    assert {None if net is None else net.cents for net in side_dues(felt, {})[1, "ez_bust"]} == {None, -500}


def test_a_wager_may_still_be_laid_where_the_only_box_has_surrendered() -> None:
    wagers = '{"1": {"main": 1000, "blazing7s": 500}}'
    rows = [LIMIT % wagers, *(json.dumps({"card": card}) for card in ["7h", "4h", "4d", "7s"])]
    status, output = run("\n".join([*rows, '{"key": "surrender"}']))
    assert (status, json.loads(output)["due_cents"]["1"]) == (0, {"main": -500, "blazing7s": None})
