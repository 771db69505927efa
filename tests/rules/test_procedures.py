"""The named situations of the table and their rulings."""

from __future__ import annotations

from msgspec.structs import replace

from controller.core.game.procedures import RULINGS, Situation, refused_wager
from tests.rules.cases import WORKED, case, settled
from tests.rules.scripted_rounds import PROFILES

FATES = {
    "P01": ("discarded", "stands", "goes_on"),
    "P02": ("used_next", "stands", "goes_on"),
    "P03": ("used_next", "stands", "goes_on"),
    "P04": ("burned", "stands", "goes_on"),
    "P05": ("dealt_later", "stands", "goes_on"),
    "P06": ("none", "returned", "goes_on"),
    "P07": ("dealt_later", "stands", "goes_on"),
    "P08": ("none", "stands", "goes_on_from_discards"),
    "P09": ("put_aside", "stands", "goes_on_then_shuffle"),
    "P10": ("burned", "stands", "goes_on"),
    "P11": ("none", "refused", "goes_on"),
    "P12": ("none", "refused", "goes_on"),
    "P13": ("withheld", "stands", "goes_on"),
    "P14": ("none", "settled_in_full", "goes_on"),
}


def test_every_worked_situation_has_a_name_and_a_ruling() -> None:
    worked = {row["id"]: row for row in WORKED["procedure_cases"]}
    assert {situation.value for situation in Situation} == set(worked) == set(FATES)
    assert set(RULINGS) == set(Situation)
    for situation, ruling in RULINGS.items():
        assert (ruling.card, ruling.wager, ruling.round) == FATES[situation.value]
        assert ruling.sentence
        assert ruling.source


def test_in_the_middle_of_a_shoe_the_pitch_game_takes_no_newcomer() -> None:
    pitch = PROFILES["pitch-h17"]
    refused = refused_wager(pitch, 1000, sat_out=True, in_mid_shoe=True)
    assert refused is not None
    assert refused.rule == "mid_shoe_entry"
    assert refused_wager(pitch, 1000, sat_out=True, in_mid_shoe=False) is None
    assert refused_wager(pitch, 1000, sat_out=False, in_mid_shoe=True) is None
    assert refused_wager(PROFILES["borgata"], 1000, sat_out=True, in_mid_shoe=True) is None


def test_a_newcomer_in_mid_shoe_gets_no_cards() -> None:
    bets = {"2": {"main": 1000}, "5": {"main": 1000}}
    round_case = case("Kh 6d 9d 9c 5h", "2 stand", "pitch-h17", bets, entered_mid_shoe=[5])
    found = settled(round_case)
    assert found["net_cents"] == {"2": {"main": -1000}}
    assert found["rejected_bets"] == {"5": ["main"]}
    assert "next shuffle" in found["why"]["5"]["main"]


def test_the_tables_sign_limits_what_may_be_laid() -> None:
    house = PROFILES["borgata"]
    sign = replace(house, options=replace(house.options, minimum_cents=500, maximum_cents=5000, side_maximum_cents=100))

    def rule(cents: int, *, main: bool = True) -> str:
        refused = refused_wager(sign, cents, sat_out=False, in_mid_shoe=True, main=main)
        return refused.rule if refused else ""

    assert [rule(cents) for cents in (400, 500, 5000, 5001)] == ["minimum_cents", "", "", "maximum_cents"]
    assert [rule(cents, main=False) for cents in (50, 100, 101)] == ["", "", "side_maximum_cents"]


def test_what_was_accepted_above_the_maximum_is_settled_in_its_entirety() -> None:
    round_case = case("Kh 6c 9d Td 9h", "1 stand", options={"maximum_cents": 500})
    found = settled(round_case)
    assert found["net_cents"] == {"1": {"main": 1000}}
    assert "in its entirety" in found["why"]["1"]["main"]


def test_side_wagers_above_their_limit_were_accepted_too() -> None:
    bets = {"1": {"main": 1000, "lucky_ladies": 600, "twenty_one_plus_three": 500}}
    round_case = case("Kh 6c 9d Td 9h", "1 ez_bust 501, 1 stand", bets=bets, options={"side_maximum_cents": 500})
    why = settled(round_case)["why"]["1"]
    outside = {bet for bet, sentence in why.items() if "in its entirety [COMAR 36.05.03.14 C]" in sentence}
    assert outside == {"lucky_ladies", "ez_bust"}
