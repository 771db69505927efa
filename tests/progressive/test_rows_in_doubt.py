"""Rows of a meter the deal does not decide, boxes without the wager, and what is published before an answer comes."""

from __future__ import annotations

from msgspec.structs import replace

from controller.core.game.rules import Rules
from controller.core.messages.events import WagerSettled
from controller.core.messages.inputs import PoolStateRead
from controller.core.messages.meter_events import JackpotHit
from controller.core.messages.pool_events import JackpotClaimed
from controller.core.meters.pooled_meter import PooledTerms
from controller.formats.cases.settle_input import read_case
from controller.formats.cases.settle_output import account_json, settle
from controller.formats.config.profiles import with_options
from controller.io.files import profile_files
from tests.core.rig import Rig
from tests.progressive.live import SEVENS, Box, MeterRig

LADIES = replace(SEVENS, name="ladies", fed_by=("lucky_ladies",))
PAID_BY_METER = {
    "side_bets": ["lucky_ladies", "twenty_one_plus_three", "five_card_progressive"],
    "lucky_ladies.pays": {"queen_hearts_pair": [200, 1], "suited_20": [10, 1], "any_20": [4, 1]},
    "lucky_ladies.meter_shares": {"queen_hearts_pair_and_dealer_natural": [1, 1], "matched_20": [1, 10]},
}


def ladies_rules(**more: object) -> Rules:
    rules = profile_files.load("hollywood-penn-national", {"stand_key": "always"}).rules
    changed, wrong = with_options(rules, {**PAID_BY_METER, **more})
    assert wrong == ()
    return changed


def hits(rig: Rig) -> list[tuple[int, str, int]]:
    return [(one.spot, one.row, one.cents) for one in rig.events_of(JackpotHit)]


def ladies(talk: str, **more: object) -> Rig:
    rig = Rig(ladies_rules(**more), meters=(LADIES,))
    rig.talk(talk)
    return rig


BOTH = "1 main 10 \n 1 lucky_ladies 5 \n 2 main 10 \n 2 lucky_ladies 5 \n key no_more_bets \n"


def test_one_row_in_doubt_keeps_every_winner_of_the_round_waiting() -> None:
    rig = ladies(BOTH + "Kc Qh Ad Kc Qh Td \n key insurance_closed stand")
    assert hits(rig) == []
    rig.talk("key stand hole_turned")
    # The highest spot first: the whole meter, and a tenth of what it starts again from.
    assert hits(rig) == [
        (2, "queen_hearts_pair_and_dealer_natural", 1_000_170),
        (1, "matched_20", 50_000),
    ]


def test_queens_without_the_natural_leave_the_meter_to_the_tenth() -> None:
    rig = ladies(BOTH + "Kc Qh Ad Kc Qh 9d \n key insurance_closed stand stand hole_turned round_closed")
    assert hits(rig) == [(1, "matched_20", 100_017)]
    assert "1: spot 2 lucky_ladies +1000.00" in rig.postings()
    assert rig.outcomes() == ["settled"]


def test_where_no_second_card_comes_the_last_broken_hand_decides_the_row() -> None:
    # Both hands broke, so the dealer, who was dealt no hole card, takes no second card and has no natural.
    talk = BOTH + "Qh Kc Ad Qh Kc \n key insurance_closed hit \n 5c \n key hit"
    rig = ladies(talk, hole_card="none")
    assert hits(rig) == []
    rig.talk("6c")
    assert hits(rig) == [(2, "matched_20", 100_017)]
    rig.key("round_closed")
    assert rig.outcomes() == ["settled"]


def test_a_box_without_the_wager_wins_nothing_of_the_meter() -> None:
    rig = MeterRig()
    rig.talk("1 main 10 \n 1 blazing7s 5 \n 2 main 10 \n 2 lucky_ladies 5 \n 9h 7d 7d 8c 7d Td")
    assert hits(rig) == []
    assert "1: spot 1 blazing7s -5.00" in rig.postings()


def test_a_settled_case_knows_two_winners_of_any_wagers_meter() -> None:
    options = {**PAID_BY_METER, "lucky_ladies.meter_shares": {"matched_20": [1, 1]}}
    round_case = {
        "rules": "hollywood-penn-national",
        "options": options,
        "bets": {"1": {"main": 1000, "lucky_ladies": 500}, "2": {"main": 1000, "lucky_ladies": 500}},
        "shoe": ["Kc", "Kd", "9d", "Kc", "Kd", "9c"],
        "actions": [{"spot": 1, "act": "stand"}, {"spot": 2, "act": "stand"}],
        "blazing_meter_cents": 100_001,
        "blazing_reset_cents": 20_000,
    }
    case = read_case(round_case, lambda name: profile_files.load(name).rules)
    found = account_json(case, settle(case), {})
    assert [found["net_cents"][spot]["lucky_ladies"] for spot in ("1", "2")] == [49_500, 49_500]
    assert found["meters"] == {"blazing_meter_after_cents": 20_001}


def test_a_wager_that_waits_for_the_trigger_box_keeps_no_other_waiting() -> None:
    rig = MeterRig()
    box = Box(rig, [90_000])
    box.up()
    rig.talk("1 main 10 \n 1 five_card_progressive 5 \n 2 main 10 \n 2 lucky_ladies 5 \n 9h Kh 7c 8s Kd Tc")
    assert rig.postings() == ["1: spot 2 lucky_ladies +20.00"]


def test_a_settlement_says_that_the_bonus_is_in_it() -> None:
    rig = MeterRig()
    box = Box(rig, [25_060, 90_000])
    box.up()
    rig.talk("1 main 10 \n 1 five_card_progressive 5 \n 2 main 10 \n 2 five_card_progressive 5 \n 9h 9h 6c 8s 8s Tc")
    assert box.answer() == 2
    settlements = rig.events_of(WagerSettled)
    assert [(event.net_cents, event.why) for event in settlements] == [
        (-500, "Five Card Progressive: loses"),
        (24_600, "Five Card Progressive: loses; must-hit-by mystery"),
    ]


def test_a_pool_pays_rows_of_any_side_wager_and_its_winners_share_it() -> None:
    pool = PooledTerms("pit_ladies", "pit-1", ("lucky_ladies",))
    rig = Rig(ladies_rules(), linked=(pool,))
    rig.give(PoolStateRead(rig.now_ns, pool.name, 1_000_000, ""))
    rig.talk("1 main 10 \n 1 lucky_ladies 5 \n key no_more_bets \n Kc 9c Kc 8c \n key stand hole_turned")
    (claimed,) = rig.events_of(JackpotClaimed)
    assert isinstance(claimed, JackpotClaimed)
    assert (claimed.meter, claimed.rule, [one.spot for one in claimed.winners]) == ("pit_ladies", "share", [1])
