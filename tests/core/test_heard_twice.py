"""A chip that lies so that two antennas hear it: its wager waits, is never guessed, and nobody is accused of it."""

from __future__ import annotations

import pytest

from controller.core.messages.alerts import (
    BetDecreasedAfterLock,
    BetIncreasedAfterLock,
    ChipsUnexplained,
    RoundIrregular,
)
from controller.core.messages.events import (
    BettingClosed,
    RoundClosed,
    RoundPending,
    SpotSurrendered,
    WagerUnresolved,
)
from controller.core.messages.raised_alerts import AlertKind, AlertRaised, Severity
from controller.core.round import closing
from controller.core.table.transaction import Transaction
from controller.io.files import profile_files
from firmware_protocols.cards import Card
from firmware_protocols.readings import CardDrawn, ChipsSeen
from tests.core.rig import MS, Rig

CHIPS = {"E1": 500, "E2": 500, "E3": 500, "E4": 1500, "E5": 1000}
ACCUSED = {AlertKind.CAPPING, AlertKind.PINCHING, AlertKind.PAST_POSTING, AlertKind.BET_TOUCHED, AlertKind.MISPAY}
DEALT = "Th 9c 6d 8s"
"""Sixteen against a nine."""


def table(*, beside: str = "main", spot: int = 2) -> Rig:
    """Fifteen dollars lie at spot 1, and the antenna beside hears one of their chips too."""
    rig = Rig(profile_files.load("hollywood-penn-national", {"stand_key": "always"}).rules, dict(CHIPS))
    rig.lay(1, "main", ("E1", "E2", "E3"))
    rig.lay(spot, beside, ("E3",))
    return rig


def accused(rig: Rig) -> list[AlertRaised]:
    return [event for event in rig.events if isinstance(event, AlertRaised) and event.kind in ACCUSED]


def locked(rig: Rig) -> list[tuple[int, str, int]]:
    return [(w.spot, w.bet, w.cents) for event in rig.events if isinstance(event, BettingClosed) for w in event.wagers]


def test_the_lock_waits_until_one_antenna_is_left_and_the_wager_is_what_lies_there() -> None:
    rig = table()
    rig.talk(f"key no_more_bets \n {DEALT}")
    assert locked(rig) == []
    assert rig.desired.display == "Chip between zones: spot 1 and 2"
    rig.lay(2, "main", ())
    assert locked(rig) == [(1, "main", 1500)]
    rig.talk("key stand hole_turned \n 1 main 0 \n key round_closed")
    assert rig.postings() == ["1: spot 1 main -15.00"]
    assert accused(rig) == []


def test_a_double_laid_meanwhile_is_a_double_of_the_whole_wager() -> None:
    rig = table()
    rig.talk("key no_more_bets \n 5h 9c 6d 8s")
    rig.lay(1, "main", ("E1", "E2", "E3", "E4"))
    rig.lay(2, "main", ())
    rig.talk("key double \n Th \n key hole_turned")
    assert locked(rig) == [(1, "main", 1500)]
    rig.talk("1 main 60 \n 1 main 0 \n key round_closed")
    assert rig.postings() == ["1: spot 1 main +30.00"]
    assert accused(rig) == []


def test_the_chip_may_turn_out_to_lie_in_the_other_zone() -> None:
    rig = table()
    rig.talk("key no_more_bets")
    rig.lay(1, "main", ("E1", "E2"))
    assert locked(rig) == [(1, "main", 1000), (2, "main", 500)]
    assert accused(rig) == []


def heard_at_insurance(*, cleared: str) -> Rig:
    """The antenna of the insurance line hears a chip of the main wager before its own does."""
    rig = Rig(profile_files.load("hollywood-penn-national", {"stand_key": "always"}).rules, dict(CHIPS))
    rig.lay(1, "insurance", ("E3",))
    rig.lay(1, "main", ("E1", "E2", "E3"))
    rig.talk("key no_more_bets")
    assert locked(rig) == []
    rig.lay(1, cleared, () if cleared == "insurance" else ("E1", "E2"))
    return rig


def test_a_chip_that_the_insurance_line_heard_first_is_part_of_the_main_wager() -> None:
    rig = heard_at_insurance(cleared="insurance")
    assert locked(rig) == [(1, "main", 1500)]
    rig.talk(f"{DEALT} \n key stand hole_turned \n 1 main 0 \n key round_closed")
    assert rig.postings() == ["1: spot 1 main -15.00"]
    assert accused(rig) == []


def test_picked_up_before_anybody_knew_it_leaves_the_round_to_the_floor() -> None:
    """The insurance line's antenna lost it before that of the main wager looked again, and by then all was taken."""
    rig = Rig(profile_files.load("hollywood-penn-national", {"stand_key": "always"}).rules, dict(CHIPS))
    rig.lay(1, "insurance", ("E3",))
    rig.lay(1, "main", ("E1", "E2", "E3"))
    rig.late = True
    rig.talk(f"key no_more_bets \n {DEALT} \n key stand hole_turned")
    rig.lay(1, "insurance", ())
    rig.lay(1, "main", ())
    rig.late = False
    rig.talk("key round_closed")
    assert rig.postings() == []
    assert rig.outcomes() == ["irregular"]
    assert accused(rig) == []


def test_one_that_lies_on_that_line_alone_is_no_wager() -> None:
    rig = heard_at_insurance(cleared="main")
    assert locked(rig) == [(1, "main", 1000)]
    assert accused(rig) == []


def test_a_side_wager_too() -> None:
    rig = table(beside="lucky_ladies", spot=1)
    rig.talk(f"key no_more_bets \n {DEALT}")
    rig.lay(1, "main", ("E1", "E2"))
    assert locked(rig) == [(1, "main", 1000), (1, "lucky_ladies", 500)]
    assert rig.postings() == ["1: spot 1 lucky_ladies -5.00"]
    assert accused(rig) == []


def test_the_antenna_that_is_reported_after_the_lock_had_heard_it_before_too() -> None:
    """The chip lay on the side wager's line; its neighbour's antenna is reported first, and no amount changes then."""
    rig = Rig(profile_files.load("hollywood-penn-national", {"stand_key": "always"}).rules, dict(CHIPS))
    rig.lay(1, "main", ("E1", "E2", "E3"))
    rig.late, before_ns = True, rig.now_ns
    rig.talk("key no_more_bets")
    rig.give(ChipsSeen(1, "lucky_ladies", ("E3",), before_ns - 1_000 * MS, before_ns))
    rig.late = False
    rig.talk(DEALT)
    assert locked(rig) == []
    rig.lay(1, "main", ("E1", "E2"))
    assert locked(rig) == [(1, "main", 1000), (1, "lucky_ladies", 500)]
    assert rig.postings() == ["1: spot 1 lucky_ladies -5.00"]
    assert accused(rig) == []


def test_picked_up_before_it_is_known_the_floor_rules_on_the_main_wager() -> None:
    rig = table()
    rig.talk(f"key no_more_bets \n {DEALT} \n key stand hole_turned")
    rig.lay(1, "main", ())
    rig.lay(2, "main", ())
    rig.talk("key round_closed")
    assert rig.outcomes() == ["irregular"]
    assert rig.postings() == []
    assert {(event.spot, event.bet) for event in rig.events if isinstance(event, WagerUnresolved)} >= {(1, "main")}


def test_one_chip_picked_up_from_under_both_antennas_is_no_wager_of_the_slower_one() -> None:
    rig = Rig(profile_files.load("hollywood-penn-national", {"stand_key": "always"}).rules, dict(CHIPS))
    rig.lay(1, "main", ("E5",))
    rig.lay(3, "main", ("E4",))
    rig.lay(2, "main", ("E5",))
    rig.talk("key no_more_bets \n Th 9h 9c 6d 7s 8s \n key stand stand hole_turned")
    rig.late = True
    rig.lay(1, "main", ())
    rig.lay(2, "main", ())
    rig.late = False
    rig.talk("key round_closed")
    assert rig.outcomes() == ["irregular"]
    assert rig.postings() == []


def test_of_side_wagers_it_leaves_these_open_between_both_amounts_and_settles_the_rest() -> None:
    rig = Rig(profile_files.load("hollywood-penn-national", {"stand_key": "always"}).rules, dict(CHIPS))
    rig.lay(1, "main", ("E5",))
    rig.lay(1, "lucky_ladies", ("E1", "E2"))
    rig.lay(1, "twenty_one_plus_three", ("E2",))
    rig.talk(f"key no_more_bets \n {DEALT} \n key stand")
    rig.lay(1, "lucky_ladies", ())
    rig.lay(1, "twenty_one_plus_three", ())
    rig.talk("key hole_turned \n 1 main 0 \n key round_closed")
    opened = {event.bet: event.possible_cents for event in rig.events if isinstance(event, WagerUnresolved)}
    assert opened == {"lucky_ladies": (-1000, -500), "twenty_one_plus_three": (-500, 0)}
    assert rig.postings() == ["1: spot 1 main -10.00"]
    assert accused(rig) == []


def test_a_wager_made_later_beside_a_chip_of_the_main_wager_is_what_its_own_chips_come_to() -> None:
    rig = Rig(profile_files.load("hollywood-penn-national", {"stand_key": "always"}).rules, dict(CHIPS))
    rig.lay(1, "main", ("E3", "E4"))
    rig.talk("key no_more_bets \n 7s 4s 5c 4h")
    rig.late = True
    rig.lay(1, "ez_bust", ("E3",))
    rig.lay(1, "ez_bust", ("E1", "E3"))
    rig.talk("key stand hole_turned \n Ac")
    rig.lay(1, "ez_bust", ())
    rig.lay(1, "main", ())
    rig.late = False
    rig.talk("key round_closed")
    assert rig.postings() == ["1: spot 1 main -20.00", "1: spot 1 ez_bust -5.00"]
    assert accused(rig) == []


def test_a_surrender_whose_lock_is_published_only_as_its_round_waits_for_an_answer_was_not_left_lying() -> None:
    rig = Rig(profile_files.load("hollywood-penn-national", {"turn_key": "sometimes"}).rules, dict(CHIPS))
    rig.lay(1, "main", ("E5",))
    rig.lay(2, "main", ("E4",))
    rig.lay(1, "lucky_ladies", ("E3",))
    rig.lay(1, "twenty_one_plus_three", ("E3",))
    rig.talk("key no_more_bets \n Th 9h 9c 6d 7s 3s")
    rig.late = True
    rig.lay(1, "lucky_ladies", ())
    rig.lay(1, "twenty_one_plus_three", ())
    rig.late = False
    rig.talk("key surrender")
    rig.lay(1, "main", ())
    rig.talk("2s 5s")
    rig.lay(2, "main", (), spread_ms=600)
    rig.lay(1, "main", ("E1", "E2"))
    rig.talk("key no_more_bets \n Th 9h 9c 6d")
    assert len(rig.events_of(RoundPending)) == 1
    assert locked(rig) == [(1, "main", 1000), (2, "main", 1500), (1, "main", 1000)]
    assert AlertKind.LOSING_BET_LEFT not in {event.kind for event in rig.events if isinstance(event, AlertRaised)}
    assert accused(rig) == []


def test_a_side_wager_taken_after_the_deal_while_a_chip_may_make_a_box_of_the_neighbour_accuses_nobody() -> None:
    """With a box at spot 2 four cards would be no whole deal, and nothing could be lost yet."""
    rig = Rig(profile_files.load("hollywood-penn-national", {"stand_key": "always"}).rules, dict(CHIPS))
    rig.lay(2, "main", ("E3",))
    rig.lay(1, "main", ("E2", "E3"))
    rig.lay(1, "twenty_one_plus_three", ("E1",))
    rig.late = True
    rig.talk("key no_more_bets")
    rig.lay(2, "main", ())
    rig.talk(DEALT)
    rig.lay(1, "twenty_one_plus_three", ())
    rig.late = False
    rig.talk("key stand hole_turned \n 1 main 0 \n key round_closed")
    assert locked(rig) == [(1, "main", 1000), (1, "twenty_one_plus_three", 500)]
    assert accused(rig) == []


def test_heard_by_a_neighbour_in_the_middle_of_the_round_it_counts_where_it_lies() -> None:
    rig = Rig(profile_files.load("hollywood-penn-national", {"stand_key": "always"}).rules, dict(CHIPS))
    rig.lay(1, "main", ("E1", "E2"))
    rig.talk(f"key no_more_bets \n {DEALT}")
    rig.lay(2, "main", ("E2",))
    rig.lay(2, "main", ())
    assert rig.events_of(SpotSurrendered, BetDecreasedAfterLock, BetIncreasedAfterLock, ChipsUnexplained) == []
    rig.talk("key stand hole_turned \n 1 main 0 \n key round_closed")
    assert rig.postings() == ["1: spot 1 main -10.00"]
    assert accused(rig) == []


def test_a_double_that_the_neighbour_hears_first_is_known_once_it_hears_it_no_more() -> None:
    rig = Rig(profile_files.load("hollywood-penn-national", {"stand_key": "always"}).rules, dict(CHIPS))
    rig.lay(1, "main", ("E5",))
    rig.talk("key no_more_bets \n 5h 9c 6d 8s")
    rig.lay(1, "insurance", ("E1",))
    rig.lay(1, "main", ("E5", "E1"))
    rig.talk("Th")
    assert rig.events_of(RoundIrregular) == []
    rig.lay(1, "insurance", ())
    rig.talk("key hole_turned \n 1 main 30 \n key round_closed")
    assert rig.events_of(RoundIrregular) == []
    assert rig.postings() == ["1: spot 1 main +15.00"]


def test_a_chip_carried_on_before_the_first_card_is_a_wager_where_it_was_carried_to() -> None:
    rig = Rig(profile_files.load("hollywood-penn-national", {"stand_key": "always"}).rules, dict(CHIPS))
    rig.lay(1, "main", ("E5", "E1"))
    rig.lay(3, "main", ("E1",))
    rig.late = True
    rig.key("no_more_bets")
    rig.give(ChipsSeen(1, "main", ("E5",), 0, rig.now_ns))
    rig.late = False
    rig.pass_ms(100)
    assert locked(rig) == [(1, "main", 1000), (3, "main", 500)]


def test_a_double_of_which_one_chip_was_heard_beside_is_never_settled_as_one_for_less() -> None:
    rig = Rig(profile_files.load("hollywood-penn-national", {}).rules, dict(CHIPS))
    rig.lay(1, "main", ("E4",))
    rig.talk("key no_more_bets \n 5h 9c 6d 8s")
    rig.lay(1, "lucky_ladies", ("E3",))
    rig.lay(1, "main", ("E1", "E2", "E3", "E4"))
    rig.talk("Th")
    rig.lay(1, "lucky_ladies", ())
    rig.pass_ms(1_000)
    rig.talk("key hole_turned \n 1 main 60 \n 1 main 0 \n key round_closed")
    assert accused(rig) == []
    assert rig.postings() in ([], ["1: spot 1 main +30.00"])


def doubled_beside() -> Rig:
    """Sixteen doubles for its 15.00 and breaks; an empty spot's antenna heard one of these chips before its own did."""
    rig = Rig(profile_files.load("hollywood-penn-national", {"stand_key": "always"}).rules, dict(CHIPS))
    rig.lay(1, "main", ("E4",))
    rig.talk(f"key no_more_bets \n {DEALT} \n key double")
    rig.late = True
    rig.lay(2, "main", ("E3",))
    rig.lay(1, "main", ("E1", "E2", "E3", "E4"))
    rig.talk("Kh")
    return rig


@pytest.mark.parametrize("order", [(1, 2), (2, 1)], ids=["the box first", "the neighbour first"])
def test_taken_before_anybody_knew_where_that_chip_lay_it_is_not_settled_as_one_for_less(
    order: tuple[int, int],
) -> None:
    rig = doubled_beside()
    for spot in order:
        rig.lay(spot, "main", ())
    rig.late = False
    rig.talk("key hole_turned round_closed")
    assert rig.postings() == []
    (opened,) = rig.events_of(WagerUnresolved)
    assert isinstance(opened, WagerUnresolved)
    assert (opened.wager_cents, -3000 in opened.possible_cents) == (1500, True)
    assert [one for one in accused(rig) if one.severity is not Severity.NOTICE] == []


def test_a_chip_that_an_empty_spot_heard_until_only_its_own_zone_did_accuses_nobody() -> None:
    rig = doubled_beside()
    rig.lay(2, "main", ())
    rig.lay(1, "main", ())
    rig.late = False
    rig.talk("key hole_turned round_closed")
    assert accused(rig) == []


def test_one_that_is_reported_only_when_the_round_is_over_accuses_nobody() -> None:
    """Face down, what happened in a round is published at its end: by then the chip has been in both zones a while."""
    options = {"turn_key": "sometimes", "new_shoe_burns": 0, "even_money_shown": "chips"}
    rig = Rig(profile_files.load("pitch-h17", options).rules, dict(CHIPS))
    rig.lay(1, "main", ("E5",))
    rig.talk("key no_more_bets \n Ac Qh 5c Qc 9s")
    rig.lay(1, "main", ())
    rig.lay(1, "insurance", ("E3",))
    rig.lay(1, "main", ("E1", "E3"))
    rig.talk("key no_more_bets")
    assert [event.zone for event in rig.events if isinstance(event, ChipsUnexplained)] == ["insurance"]
    rig.lay(1, "insurance", ())
    rig.talk("Th 9c 6d 8s")
    assert locked(rig) == [(1, "main", 1000), (1, "main", 1000)]
    assert accused(rig) == []


def test_one_that_has_settled_before_the_round_is_over_is_not_reported_at_all() -> None:
    options = {"turn_key": "sometimes", "new_shoe_burns": 0, "even_money_shown": "chips"}
    rig = Rig(profile_files.load("pitch-h17", options).rules, dict(CHIPS))
    rig.lay(1, "main", ("E5",))
    rig.talk("key no_more_bets \n Ac Qh 5c Qc 9s")
    rig.lay(1, "main", ())
    rig.late = True
    rig.lay(1, "insurance", ("E3",))
    rig.lay(1, "main", ("E3",))
    rig.late = False
    rig.lay(1, "insurance", ())
    rig.talk("key no_more_bets \n Th 9c 6d 8s")
    assert rig.events_of(ChipsUnexplained) == []
    assert locked(rig) == [(1, "main", 1000), (1, "main", 500)]
    assert accused(rig) == []


def test_a_chip_that_leaves_the_one_antenna_and_stays_with_the_other_is_said_and_accuses_nobody() -> None:
    rig = Rig(profile_files.load("hollywood-penn-national", {"stand_key": "always"}).rules, dict(CHIPS))
    rig.lay(1, "main", ("E1", "E2", "E3"))
    rig.talk(f"key no_more_bets \n {DEALT}")
    rig.lay(1, "twenty_one_plus_three", ("E3",))
    rig.leave_lying()
    rig.lay(1, "main", ("E1", "E2"))
    rig.talk("key stand hole_turned \n 1 main 0 \n key round_closed")
    assert accused(rig) == []
    alerts = [event.kind for event in rig.events if isinstance(event, AlertRaised)]
    assert alerts == [AlertKind.DUPLICATED_CHIP, AlertKind.CHIPS_UNEXPLAINED, AlertKind.CHIPS_UNEXPLAINED]
    assert rig.postings() == ["1: spot 1 main -15.00"]


def test_a_chip_that_only_the_main_zone_heard_and_that_is_moved_is_pinching() -> None:
    rig = Rig(profile_files.load("hollywood-penn-national", {"stand_key": "always"}).rules, dict(CHIPS))
    rig.lay(1, "main", ("E1", "E2", "E3"))
    rig.talk(f"key no_more_bets \n {DEALT}")
    rig.lay(1, "main", ("E1", "E2"))
    rig.lay(1, "twenty_one_plus_three", ("E3",))
    rig.talk("key stand hole_turned \n 1 main 0 \n key round_closed")
    rig.leave_lying()
    assert {event.kind for event in accused(rig)} == {AlertKind.PINCHING, AlertKind.PAST_POSTING}


def test_a_natural_paid_while_nobody_knows_how_many_boxes_are_dealt_to_is_no_capping() -> None:
    rig = Rig(profile_files.load("pitch-h17", {"turn_key": "sometimes"}).rules, dict(CHIPS))
    rig.lay(4, "main", ("E1",))
    rig.lay(5, "main", ("E1", "E2"))
    rig.talk("6 main 30 \n 5d Ad Ks 7c As 4d")
    rig.talk("6 main 75")
    rig.lay(4, "main", ())
    rig.talk("6 main 0")
    assert accused(rig) == []


@pytest.mark.parametrize("beside", ["insurance", "lucky_ladies"])
@pytest.mark.parametrize("lies_at_main", [True, False])
def test_a_main_wager_heard_first_beside_it_is_dealt_to(beside: str, *, lies_at_main: bool) -> None:
    """The only chip of the main wager: the cards that come are the round's, published once its place is known."""
    rig = Rig(profile_files.load("hollywood-penn-national", {"stand_key": "always"}).rules, dict(CHIPS))
    rig.lay(1, beside, ("E4",))
    rig.lay(1, "main", ("E4",))
    rig.talk(f"key no_more_bets \n {DEALT}")
    assert locked(rig) == []
    rig.lay(1, beside if lies_at_main else "main", ())
    assert locked(rig) == ([(1, "main", 1500)] if lies_at_main else [])
    rig.talk("key stand hole_turned \n 1 main 0 \n key round_closed")
    assert rig.postings() == (["1: spot 1 main -15.00"] if lies_at_main else [])
    assert rig.outcomes() == (["settled"] if lies_at_main else ["void"])
    assert accused(rig) == []


def test_nobody_is_accused_where_the_lock_was_published_at_the_end_of_its_round() -> None:
    """The losing bet was taken, and the next one of as much lies there when the next card ends the round."""
    rig = Rig(profile_files.load("hollywood-penn-national", {"turn_key": "sometimes"}).rules, {**CHIPS, "F": 1000})
    rig.lay(1, "main", ("E5",))
    rig.lay(1, "lucky_ladies", ("E1",))
    rig.lay(1, "twenty_one_plus_three", ("E1", "E2"))
    rig.talk(DEALT)
    rig.late = True
    rig.lay(1, "lucky_ladies", ())
    rig.lay(1, "twenty_one_plus_three", ())
    rig.talk("7s")
    rig.late = False
    for chips in ((), ("F",)):
        rig.pass_ms(4_000)
        rig.lay(1, "main", chips)
    rig.talk("Ts 9d 6s 8c")
    rig.talk("key no_more_bets \n 1 main 0 \n 1 main 20 \n Ts 9d 6s 8c")
    assert rig.postings()[:1] == ["1: spot 1 main -10.00"]
    assert {event.kind for event in rig.events if isinstance(event, AlertRaised)} == {AlertKind.DUPLICATED_CHIP}


def test_a_card_in_a_pocket_that_leaves_with_the_chip_says_nothing() -> None:
    """An antenna hears a tag of nobody's beside the shared chip, and loses both in one look."""
    rig = Rig(profile_files.load("hollywood-penn-national", {"stand_key": "always"}).rules, dict(CHIPS))
    rig.lay(1, "main", ("E1", "E2", "E3", "E0161000DEADBEE6"))
    rig.lay(2, "main", ("E3",))
    rig.talk(f"key no_more_bets \n {DEALT}")
    assert locked(rig) == []
    rig.lay(1, "main", ("E1", "E2"))
    assert locked(rig) == [(1, "main", 1000), (2, "main", 500)]
    assert accused(rig) == []


@pytest.mark.parametrize("beside", ["insurance", "lucky_ladies"])
def test_the_only_chip_of_a_box_picked_up_before_anybody_knew_it_leaves_the_round_to_the_floor(beside: str) -> None:
    rig = Rig(profile_files.load("hollywood-penn-national", {"stand_key": "always"}).rules, dict(CHIPS))
    rig.lay(1, beside, ("E4",))
    rig.lay(1, "main", ("E4",))
    rig.late = True
    rig.talk(f"key no_more_bets \n {DEALT} \n key stand hole_turned")
    rig.lay(1, beside, ())
    rig.lay(1, "main", ())
    rig.late = False
    rig.talk("key round_closed")
    assert rig.postings() == []
    assert rig.outcomes() == ["irregular"]
    assert (1, "main") in {(one.spot, one.bet) for one in rig.events if isinstance(one, WagerUnresolved)}
    assert accused(rig) == []


@pytest.mark.parametrize("confirmed", [False, True])
def test_a_payment_that_the_insurance_line_hears_until_it_is_picked_up_accuses_nobody(*, confirmed: bool) -> None:
    """Its own antenna hears it later and loses it first. What lies there alone for a look round does lie there."""
    rig = Rig(profile_files.load("hollywood-penn-national", {"stand_key": "always"}).rules, dict(CHIPS))
    rig.lay(1, "main", ("E1",))
    rig.talk("key no_more_bets \n Th 9c Kd 8s \n key stand hole_turned")
    rig.late = True
    rig.lay(1, "insurance", ("E2",))
    rig.lay(1, "main", ("E1", "E2"))
    rig.lay(1, "main", ())
    rig.late = not confirmed
    rig.pass_ms(5_000)
    rig.late = True
    rig.lay(1, "insurance", ())
    rig.late = False
    rig.pass_ms(2_000)
    assert [one.kind for one in accused(rig)] == [AlertKind.PAST_POSTING] * confirmed


def test_a_round_that_ends_before_its_lock_is_known_and_had_no_wager_after_all_is_void() -> None:
    """The box's only chip turns out to lie on a side wager's line; another side wager may have come after the lock."""
    rig = Rig(profile_files.load("hollywood-penn-national", {"stand_key": "always"}).rules, dict(CHIPS))
    rig.lay(1, "lucky_ladies", ("E4",))
    rig.lay(1, "main", ("E4",))
    since_ns, rig.late = rig.now_ns, True
    rig.talk(f"key no_more_bets \n {DEALT}")
    rig.give(ChipsSeen(1, "twenty_one_plus_three", ("E1",), since_ns, rig.now_ns))
    rig.lay(1, "main", ())
    ending = Transaction(rig.table, rig.stamped[-1])
    closing.settle_round(ending)
    assert ending.state.round is None
    assert [event.outcome for event in ending.events if isinstance(event, RoundClosed)] == ["void"]


def test_what_is_kept_back_of_a_chip_that_lies_at_another_zone_is_forgotten() -> None:
    """The deal is closed when an EZ Bust wager is laid, of which a side bet's antenna reports first."""
    rig = Rig(profile_files.load("hollywood-penn-national", {"turn_key": "sometimes"}).rules, dict(CHIPS))
    rig.lay(1, "main", ("E1", "E2"))
    rig.pass_ms(6_000)
    rig.talk("Th 5c 8d \n 2 main 5 \n 2 main 0 \n Kh")
    assert rig.table.state.round is not None
    assert rig.table.state.round.hides_faces()
    for zone, chips in (("blazing7s", ("E3",)), ("ez_bust", ("E3",)), ("blazing7s", ())):
        rig.lay(1, zone, chips)
    assert rig.table.state.round.cards.kept_back == ()
    rig.talk("4h \n key hole_turned round_closed round_closed")
    assert not [alert for alert in accused(rig) if alert.zone == "blazing7s"]


@pytest.mark.parametrize(("then", "kinds"), [((), []), (("E5",), [AlertKind.CAPPING])], ids=["the chip", "another"])
def test_a_chip_lost_between_two_zones_is_no_pinching_and_another_that_comes_is_capping(
    then: tuple[str, ...], kinds: list[AlertKind]
) -> None:
    rig = Rig(profile_files.load("classic-shoe-and-pitch", {"stand_key": "always"}).rules, dict(CHIPS))
    rig.lay(1, "main", ("E1", "E3"))
    rig.lay(2, "main", ("E2", "E3"))
    rig.talk("key no_more_bets \n 9s 5d 5s 2d As 8s")
    rig.lay(1, "main", ("E1",))
    rig.lay(2, "main", ("E2",))
    if then:
        rig.lay(2, "main", ("E2", *then))
    rig.pass_ms(6_000)
    rig.talk("key round_closed round_closed")
    rig.pass_ms(6_000)
    assert [alert.kind for alert in accused(rig)] == kinds


@pytest.mark.parametrize("habits", [{"turn_key": "sometimes"}, {"no_more_bets": "sometimes"}])
def test_a_payment_overheard_by_the_next_box_is_no_wager_of_its_as_the_cards_come(habits: dict[str, str]) -> None:
    """It has been picked up; the antenna that overheard it says that it is gone after the first card has come."""
    rig = Rig(profile_files.load("hollywood-penn-national", habits).rules, {**CHIPS, "P": 10_000})
    rig.lay(2, "main", ("P",))
    rig.lay(1, "main", ("E1", "P"))
    rig.pass_ms(1_000)
    rig.late = True
    rig.lying[2, "main"] = ()
    rig.pass_ms(1_500)
    now_ns = rig.now_ns
    rig.give(ChipsSeen(2, "main", (), now_ns - 900 * MS, now_ns - 600 * MS))
    rig.give(CardDrawn(now_ns, Card("Ts")))
    rig.give(ChipsSeen(1, "main", ("E1",), now_ns - 700 * MS, now_ns - 400 * MS))
    rig.late = False
    rig.talk("9d 6s 8c")
    assert locked(rig) == [(1, "main", CHIPS["E1"])]
