"""What chips and keys mean while insurance, surrender and even money are offered, and for naturals."""

from __future__ import annotations

from typing import Literal

import pytest
from msgspec.structs import replace

from controller.core.game.rules import Rules
from controller.core.game.wager import Basis
from controller.core.messages.alerts import KeyRefused
from controller.core.messages.events import WagerSettled
from tests.core.houses import rules_of
from tests.core.rig import Rig, penn
from tests.core.summaries import RoundSummary, round_summary, summary

KEYED = penn(stand_key="always")
BORGATA = rules_of("borgata", stand_key="always")
CHIPS = rules_of("borgata", stand_key="always", even_money_shown="chips")

ACE_UP = """
    1 main 20
    9h Ac 8d 7s
"""
TWO_BOXES_NINE_UP = """
    1 main 10
    2 main 10
    Th 8h 9c 6d 7d 8s
"""
THREE_BOXES_NINE_UP = """
    1 main 10
    2 main 10
    3 main 10
    Th 8h 8c 9c 6d 7d 7c 8s
"""
NATURAL_AND_ANOTHER = """
    1 main 10
    2 main 10
    Ah 9h {up} Kd 9d {hole}
"""

INSURANCE: dict[str, tuple[str, RoundSummary]] = {
    "the wager is the content when the offer closes": (
        "1 insurance 5 \n 1 insurance 10 \n key insurance_closed stand hole_turned",
        RoundSummary(["1 insurance -10.00", "1 main -20.00"], [], ["1 insured for 10"], []),
    ),
    "taken back while it is offered it is none": (
        "1 insurance 10 \n 1 insurance 0 \n key insurance_closed stand hole_turned",
        RoundSummary(["1 main -20.00"], [], [], []),
    ),
    "more than the cap counts as the cap": (
        "1 insurance 15 \n key insurance_closed stand hole_turned",
        RoundSummary(["1 insurance -10.00", "1 main -20.00"], [], ["1 insured for 10"], ["InsuranceTooLarge"]),
    ),
    "a fall after the offer withdraws nothing": (
        "1 insurance 10 \n key insurance_closed \n 1 insurance 0 \n key stand hole_turned",
        RoundSummary(["1 insurance -10.00", "1 main -20.00"], [], ["1 insured for 10"], []),
    ),
    "a rise after the offer is dropped": (
        "1 insurance 5 \n key insurance_closed \n 1 insurance 10 \n key stand hole_turned",
        RoundSummary(["1 insurance -5.00", "1 main -20.00"], [], ["1 insured for 5"], ["ChipsUnexplained"]),
    ),
    "a stand does not end the offer, the turn does": (
        "key stand \n 1 insurance 10 \n key hole_turned \n 1 insurance 0",
        RoundSummary(["1 insurance -10.00", "1 main -20.00"], [], ["1 insured for 10"], []),
    ),
    "the first card ends the offer": (
        "1 insurance 10 \n 2c \n 1 insurance 0 \n key stand hole_turned",
        RoundSummary(["1 insurance -10.00", "1 main +20.00"], [], ["1 insured for 10"], []),
    ),
}


@pytest.mark.parametrize("name", INSURANCE)
def test_insurance(name: str) -> None:
    talk, expected = INSURANCE[name]
    assert same(round_summary(KEYED, ACE_UP + talk), expected)


def same(found: RoundSummary, expected: RoundSummary) -> bool:
    assert (sorted(found.settled), sorted(found.open)) == (sorted(expected.settled), sorted(expected.open))
    assert (found.moves, found.alerts) == (expected.moves, expected.alerts)
    return True


def test_insurance_gone_while_its_player_may_have_stood_without_a_sign_stays_open() -> None:
    """Taken back while it was offered, or taken up when the offer was over: five dollars hang on it."""
    talk = "1 main 20 \n 2 main 20 \n Th Tc Ac 9d 8s 6s \n 1 insurance 5 \n 1 insurance 0 \n key 2 stand hole_turned"
    expected = RoundSummary(["1 main +20.00", "2 main +20.00"], ["1 insurance -5.00 or +0.00"], [], [])
    assert same(round_summary(rules_of("borgata"), talk), expected)


def test_once_payment_has_begun_chips_on_an_insurance_line_nobody_used_mean_nothing() -> None:
    talk = (
        "1 main 10 \n 2 main 10 \n Th Tc Ac 9d 9s 8c \n 1 insurance 5 \n key insurance_closed stand stand hole_turned"
    )
    found = round_summary(KEYED, talk + " \n 1 main 20 \n 2 insurance 5 \n 2 insurance 0")
    pushes = ["1 insurance -5.00", "1 main +0.00", "2 main +0.00"]
    assert same(found, RoundSummary(pushes, [], ["1 insured for 5"], ["ChipsUnexplained", "ChipsUnexplained"]))


def test_insurance_is_offered_against_an_ace_only() -> None:
    found = round_summary(KEYED, "1 main 20 \n 9h Tc 8d 7s \n 1 insurance 10 \n key stand hole_turned")
    assert found == RoundSummary(["1 main +0.00"], [], [], ["ChipsUnexplained"])


def test_perryville_rounds_half_up_to_the_next_chip() -> None:
    rules = rules_of("hollywood-perryville", stand_key="always", chip_unit_cents=100)
    found = round_summary(rules, "1 main 5 \n 9h As 7d Jd \n 1 insurance 3 \n key insurance_closed stand hole_turned")
    assert same(found, RoundSummary(["1 insurance +6.00", "1 main -5.00"], [], ["1 insured for 3"], []))


SURRENDER: dict[str, tuple[Rules, str, RoundSummary]] = {
    "before its turn while the offers are open": (
        KEYED,
        TWO_BOXES_NINE_UP + "2 main 5 \n key 2 surrender stand hole_turned",
        RoundSummary(["2 main -5.00", "1 main -10.00"], [], ["2 surrendered"], []),
    ),
    "by chips alone": (
        KEYED,
        TWO_BOXES_NINE_UP + "2 main 0 \n key stand hole_turned",
        RoundSummary(["2 main -5.00", "1 main -10.00"], [], ["2 surrendered"], []),
    ),
    "by key alone": (
        KEYED,
        TWO_BOXES_NINE_UP + "key 2 surrender stand hole_turned",
        RoundSummary(["2 main -5.00", "1 main -10.00"], [], ["2 surrendered"], []),
    ),
    "in its own turn as its first decision": (
        KEYED,
        TWO_BOXES_NINE_UP + "key stand \n 2 main 5 \n key 2 surrender hole_turned",
        RoundSummary(["1 main -10.00", "2 main -5.00"], [], ["2 surrendered"], []),
    ),
    "a surrender does not close the offers": (
        KEYED,
        TWO_BOXES_NINE_UP + "1 main 5 \n key 1 surrender \n 2 main 5 \n key 2 surrender hole_turned",
        RoundSummary(["1 main -5.00", "2 main -5.00"], [], ["1 surrendered", "2 surrendered"], []),
    ),
    "not after its first card": (
        KEYED,
        TWO_BOXES_NINE_UP + "key stand hit \n 2c \n 2 main 5 \n key stand hole_turned",
        RoundSummary(["1 main -10.00", "2 main +0.00"], [], [], ["ChipsUnexplained"]),
    ),
    "its key comes before any other": (
        KEYED,
        TWO_BOXES_NINE_UP + "1 main 5 \n key stand \n key 1 surrender",
        RoundSummary(["1 main -5.00", "2 main -10.00"], [], ["1 surrendered"], ["RoundIrregular"]),
    ),
    "and before any card": (
        KEYED,
        TWO_BOXES_NINE_UP + "1 main 5 \n key hit \n 2c \n key 1 surrender",
        RoundSummary(["1 main -5.00"], [], ["1 surrendered"], ["RoundIrregular"]),
    ),
    "not before its turn once the offers are closed": (
        KEYED,
        THREE_BOXES_NINE_UP + "key stand \n 3 main 5 \n key stand stand hole_turned",
        RoundSummary(["1 main -10.00", "2 main -10.00", "3 main -10.00"], [], [], ["ChipsUnexplained"]),
    ),
    "not without a sign where it is always shown": (
        penn(),
        "1 main 10 \n Th 9c 6d 8s \n key hole_turned",
        RoundSummary(["1 main -10.00"], [], [], []),
    ),
    "perhaps without a sign where it is shown sometimes": (
        penn(surrender_shown="sometimes"),
        "1 main 10 \n Th 9c 6d 8s \n key hole_turned",
        RoundSummary([], ["1 main -10.00 or -5.00"], [], []),
    ),
    "not where the card has none": (
        BORGATA,
        TWO_BOXES_NINE_UP + "2 main 5 \n key stand stand hole_turned",
        RoundSummary(["1 main -10.00", "2 main -10.00"], [], [], ["ChipsUnexplained"]),
    ),
    "the whole wager is lost to a natural": (
        KEYED,
        "1 main 10 \n Th Ac 6d Ks \n 1 main 5 \n key 1 surrender hole_turned",
        RoundSummary(["1 main -10.00"], [], ["1 surrendered"], []),
    ),
    "the frozen half is taken after all have played": (
        KEYED,
        TWO_BOXES_NINE_UP.replace("9c", "Tc") + "1 main 5 \n key 1 surrender stand hole_turned \n 1 main 0 \n 2 main 0",
        RoundSummary(["1 main -5.00", "2 main -10.00"], [], ["1 surrendered"], []),
    ),
}


THREE_BOXES_ACE_UP = "1 main 10 \n 2 main 10 \n 3 main 10 \n Th 9h 5c Ac 9d 9s 6d 8c \n "
INSURED_LATE: dict[str, tuple[str, str, bool]] = {
    "a stand does not end insurance where the card has it until the next card": (
        "hollywood-penn-national",
        "key stand",
        True,
    ),
    "nor does the key of a hit before its card": ("hollywood-penn-national", "key stand stand hit", True),
    "the card does": ("hollywood-penn-national", "key stand stand hit \n 2c", False),
    "a double does": ("hollywood-penn-national", "key stand stand \n 3 main 20", False),
    "so does its key before the chips": ("hollywood-penn-national", "key stand stand double", False),
    "and the key that closes it": ("hollywood-penn-national", "key stand insurance_closed", False),
    "the same at Perryville": ("hollywood-perryville", "key stand", True),
    "and its card": ("hollywood-perryville", "key stand stand hit \n 2c", False),
    "a stand ends it at Borgata": ("borgata", "key stand", False),
    "at the classic game": ("classic-shoe-and-pitch", "key stand", False),
    "and at the pitch game": ("pitch-h17", "key stand", False),
}


@pytest.mark.parametrize("name", INSURED_LATE)
def test_insurance_ends_when_its_card_says(name: str) -> None:
    house, before, counts = INSURED_LATE[name]
    rig = Rig(rules_of(house, stand_key="always"))
    rig.talk(THREE_BOXES_ACE_UP + before + " \n 1 insurance 5")
    alerts = summary(rig).alerts
    assert bool(alerts) is not counts
    if counts:
        rig.talk("key insurance_closed")
        assert "1 insured for 5" in summary(rig).moves


def test_after_a_stand_nobody_surrenders_before_its_turn_though_insurance_lasts() -> None:
    rig = Rig(KEYED)
    rig.talk(THREE_BOXES_ACE_UP + "key stand \n 3 main 5")
    assert summary(rig).alerts == ["ChipsUnexplained"]
    rig.talk("3 main 10 \n 2 main 5 \n key 2 surrender \n 1 insurance 5 \n key insurance_closed")
    assert summary(rig).moves == ["2 surrendered", "1 insured for 5"]


@pytest.mark.parametrize(("until", "taken"), [("card", True), ("decision", False)])
def test_even_money_ends_with_insurance(until: Literal["card", "decision"], taken: bool) -> None:
    rig = Rig(replace(rules_of("borgata", stand_key="always"), insurance_until=until))
    rig.talk("1 main 10 \n 2 main 10 \n Th Ah As 9d Kd 8c \n key stand \n key 2 even_money")
    assert bool(summary(rig).alerts) is not taken


@pytest.mark.parametrize(("turn", "shown"), [("own", False), ("any", True)])
def test_a_box_surrenders_before_its_turn_where_the_house_has_it(turn: Literal["own", "any"], shown: bool) -> None:
    rules = replace(rules_of("borgata", stand_key="always"), surrender="late", surrender_turn=turn)
    early = round_summary(rules, TWO_BOXES_NINE_UP + "2 main 5 \n key stand" + " stand" * (not shown) + " hole_turned")
    assert early.moves == ["2 surrendered"] * shown
    assert bool(early.alerts) is not shown
    in_turn = round_summary(rules, TWO_BOXES_NINE_UP + "key stand \n 2 main 5 \n key 2 surrender hole_turned")
    assert (in_turn.moves, in_turn.alerts) == (["2 surrendered"], [])


@pytest.mark.parametrize("name", SURRENDER)
def test_surrender(name: str) -> None:
    rules, talk, expected = SURRENDER[name]
    assert same(round_summary(rules, talk), expected)


@pytest.mark.parametrize("left", [1250, 1251])
def test_half_of_an_odd_wager_may_be_rounded_either_way(left: int) -> None:
    rig = Rig(KEYED)
    rig.chips(1, "main", 2501)
    rig.talk("Th 9c 6d 8s")
    rig.chips(1, "main", left)
    rig.talk("key hole_turned round_closed")
    assert summary(rig) == RoundSummary(["1 main -12.51"], [], ["1 surrendered"], [])


def test_a_part_that_is_no_half_is_no_surrender() -> None:
    found = round_summary(KEYED, "1 main 10 \n Th 9c 6d 8s \n 1 main 4 \n key stand hole_turned")
    assert same(found, RoundSummary(["1 main -10.00"], [], [], ["ChipsUnexplained"]))


EVEN_MONEY: dict[str, tuple[Rules, str, str, RoundSummary]] = {
    "by key naming the spot": (
        BORGATA,
        "Kc",
        "key 1 even_money insurance_closed stand hole_turned",
        RoundSummary(["1 main +10.00", "2 main -10.00"], [], [], []),
    ),
    "not after the offers": (
        BORGATA,
        "Kc",
        "key insurance_closed \n key 1 even_money",
        RoundSummary([], [], [], ["RoundIrregular"]),
    ),
    "not for a hand that is no natural": (
        BORGATA,
        "Kc",
        "key 2 even_money",
        RoundSummary([], [], [], ["RoundIrregular"]),
    ),
    "not where the card has none": (KEYED, "Kc", "key 1 even_money", RoundSummary([], [], [], ["RoundIrregular"])),
    "by chips while others play": (
        CHIPS,
        "Kc",
        "1 main 20 \n key stand hole_turned",
        RoundSummary(["1 main +10.00", "2 main -10.00"], [], [], []),
    ),
    "by chips only for the whole wager": (
        CHIPS,
        "Kc",
        "1 main 15 \n key stand hole_turned",
        RoundSummary(["1 main +0.00", "2 main -10.00"], [], [], ["ChipsUnexplained"]),
    ),
    "chips alone leave it open where the key is wanted": (
        BORGATA,
        "Kc",
        "1 main 20 \n key stand hole_turned",
        RoundSummary(["2 main -10.00"], ["1 main +0.00 or +10.00"], [], []),
    ),
}


@pytest.mark.parametrize("name", EVEN_MONEY)
def test_even_money(name: str) -> None:
    rules, hole, talk, expected = EVEN_MONEY[name]
    deal = NATURAL_AND_ANOTHER.format(up="As", hole=hole)
    assert same(round_summary(rules, deal + talk), expected)


def test_chips_that_rise_once_all_have_played_are_even_money_or_the_payment() -> None:
    rig = Rig(CHIPS)
    rig.talk(NATURAL_AND_ANOTHER.format(up="As", hole="8c") + "key stand \n 1 main 20")
    assert summary(rig).settled == ["2 main -10.00"]
    rig.talk("key round_closed")
    rig.pass_ms(100)
    (as_paid,) = (event for event in rig.events_of(WagerSettled) if event.spot == 1)
    assert (as_paid.net_cents, as_paid.basis) == (1000, Basis.PAID)


def test_against_two_to_nine_a_natural_is_settled_at_once_and_its_chips_are_its_payment() -> None:
    rig = Rig(KEYED)
    rig.talk(NATURAL_AND_ANOTHER.format(up="9c", hole="9s"))
    assert summary(rig) == RoundSummary(["1 main +15.00"], [], [], [])
    rig.talk("1 main 25 \n 1 main 0 \n key stand hole_turned round_closed")
    assert same(summary(rig), RoundSummary(["1 main +15.00", "2 main +0.00"], [], [], []))


@pytest.mark.parametrize("up", ["As", "Ts"])
def test_against_an_ace_or_a_ten_a_natural_waits_until_all_have_played(up: str) -> None:
    rig = Rig(KEYED)
    rig.talk(NATURAL_AND_ANOTHER.format(up=up, hole="8c"))
    rig.talk("1 main 25")
    assert summary(rig) == RoundSummary([], [], [], ["ChipsUnexplained"])
    rig.talk("1 main 10 \n key stand \n 1 main 25 \n key round_closed")
    assert summary(rig).settled[0] == "1 main +15.00"
    assert summary(rig).alerts == ["ChipsUnexplained"] * 2


def test_two_naturals_push() -> None:
    found = round_summary(KEYED, NATURAL_AND_ANOTHER.format(up="As", hole="Jc") + "key stand hole_turned")
    assert same(found, RoundSummary(["1 main +0.00", "2 main -10.00"], [], [], []))


def test_a_lone_natural_against_an_ace_waits_for_the_offers() -> None:
    rig = Rig(BORGATA)
    rig.talk("1 main 10 \n Ah As Kd Jc")
    assert summary(rig).settled == []
    rig.talk("key 1 even_money hole_turned round_closed")
    assert summary(rig).settled == ["1 main +10.00"]


def test_even_money_names_its_spot() -> None:
    rig = Rig(BORGATA)
    rig.talk("1 main 10 \n Ah As Kd Jc \n key even_money")
    (refused,) = (event for event in rig.events_of(KeyRefused))
    assert (refused.meaning, refused.reason) == (
        "even_money",
        "even money names its spot: the spot's digit first, then this key",
    )
    rig.talk("key hole_turned round_closed")
    assert summary(rig).settled == ["1 main +0.00"]
