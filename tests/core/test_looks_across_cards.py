"""A look that began before a card and ended after it may show what came before the card, or what came of it."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from controller.core.messages.events import BettingClosed, RoundStarted, WagerSettled
from controller.core.messages.raised_alerts import AlertKind
from controller.io.files import profile_files
from tests.core.quick_readers import QuickReaders, accused, alerts, draw, table
from tests.core.test_slow_looks import perform

SPLIT = (
    *((0, "Ac"), (63, "8d"), (103, "1 -200 3 50"), (265, "Td"), (303, "1 0 203 60"), (423, "Td")),
    *((703, "1 200 703 25 50"), (1003, "1 800 1003 25")),
)
"""Hundredths of a second from the first card after a split on, as ``perform`` takes them."""


@pytest.mark.parametrize("quiet_ms", [3_000, 3_600, 5_200])
def test_a_card_that_follows_another_at_once_begins_no_round_by_the_look_that_spans_it(quiet_ms: int) -> None:
    """Tens are split, the second hand is doubled for 10, and the dealer breaks no hand: one wins, one loses its 35.

    After a longer quiet time the cards wait for their deal, and what is laid between them is no one move all the same.
    """
    rig = table("1 main 25")
    draw(rig, "Tc", "8d", "Td", "8c")
    rig.pass_ms(quiet_ms)
    perform(rig, SPLIT)
    rig.pass_ms(30_000)
    assert [one.round for one in rig.events if isinstance(one, RoundStarted)] == [1]
    assert [one.net_cents for one in rig.events if isinstance(one, WagerSettled)] in ([], [-1_000])
    assert accused(rig) == []


def test_in_journals_of_before_it_was_one_move_while_they_waited() -> None:
    rig = table("1 main 25")
    rig.change_house(deals_by_number=False)
    draw(rig, "Tc", "8d", "Td", "8c")
    rig.pass_ms(5_200)
    perform(rig, SPLIT)
    rig.pass_ms(30_000)
    assert [one.net_cents for one in rig.events if isinstance(one, WagerSettled)] == [2_500]


DOUBLED = (
    *((0, "6d"), (76, "1 -226 -24 20"), (213, "4d"), (246, "9d"), (276, "1 -26 176 25"), (427, "7d"), (566, "double")),
    *((635, "3c"), (676, "1 374 676 30 15"), (698, "hole_turned"), (747, "2 444 647 35"), (782, "Th")),
    *((997, "round_closed"), (1047, "2 844 1047 0"), (1076, "1 774 976 30")),
)


def test_a_double_that_broke_is_not_passed_over_as_another_box_doubles_unseen_meanwhile() -> None:
    """Box 1 splits tens and doubles both hands for 5; the second breaks, and its 15 are taken before the next look."""
    rig = table("1 main 10 \n 2 main 25 \n key no_more_bets")
    draw(rig, "Td", "6c", "3h", "Ts", "3c", "6s")
    rig.pass_ms(2_500)
    perform(rig, DOUBLED)
    rig.pass_ms(9_000)
    assert [one.net_cents for one in rig.events if isinstance(one, WagerSettled) and one.spot == 1] in ([], [0])


LOST = (
    *((0, "7c"), (78, "Ad"), (84, "4 -219 -16 50"), (227, "hole_turned"), (261, "Ac")),
    *((584, "4 181 584 0 25"), (1_500, "no_more_bets")),
)


def test_a_lock_that_is_reported_once_its_wager_is_gone_has_the_next_bet_for_none_that_was_left() -> None:
    """Aces are split, both hands lose and are taken, and 25 are laid anew before a reader has confirmed the lock."""
    rig = table("4 main 25")
    rig.late = True
    rig.talk("key no_more_bets")
    draw(rig, "Ad", "5d", "Ac", "5s")
    rig.pass_ms(2_500)
    perform(rig, LOST)
    rig.pass_ms(300)
    draw(rig, "7c", "As", "7h", "Th")
    rig.pass_ms(4_000)
    assert [one.round for one in rig.events if isinstance(one, BettingClosed)] == [1, 2]
    assert [one.net_cents for one in rig.events if isinstance(one, WagerSettled)] == [-5_000]
    assert alerts(rig, AlertKind.LOSING_BET_LEFT) == []


RESPLIT = (
    *((0, "5d"), (100, "1 -203 0 6"), (163, "9s"), (283, "7h"), (386, "stand"), (400, "1 -3 300 9"), (451, "2d")),
    *((641, "Ah"), (741, "2h"), (800, "1 497 700 12"), (877, "2 575 777 24"), (904, "hit"), (910, "Qs")),
    *((1031, "stand"), (1062, "9d"), (1146, "stand"), (1283, "5c"), (1309, "3d"), (1346, "Kd")),
    *((1577, "2 1275 1477 48"), (1600, "1 1297 1500 24"), (2000, "1 1497 2000 0"), (2077, "2 1775 1977 0")),
)


def two_boxes(profile: str, cards: str, acts: tuple[tuple[int, str], ...]) -> QuickReaders:
    """A deal to two boxes, where no hole card is dealt, and what follows it."""
    rules = profile_files.load(profile, {"turn_key": "sometimes"}).rules
    rig = QuickReaders(replace(rules, hole_card="none", hole_check="none"))
    rig.talk("1 main 3 \n 2 main 12")
    rig.pass_ms(3_000)
    draw(rig, *cards.split())
    rig.pass_ms(2_500)
    perform(rig, acts)
    rig.pass_ms(20_000)
    return rig


def test_a_double_that_only_another_boxs_later_chips_explain_counts() -> None:
    """Box 1 splits nines twice and doubles its last hand for 3; the split of box 2's fives is reported after that."""
    rig = two_boxes("pitch-h17", "9h 5c 5h 9c 5d", RESPLIT)
    rig.talk("1 main 5")
    rig.pass_ms(5_000)
    draw(rig, "9h", "As", "Th")
    rig.pass_ms(5_000)
    assert [one.net_cents for one in rig.events if isinstance(one, WagerSettled) and one.spot == 1] in ([], [1_200])
    assert accused(rig) == []


DOUBLED_FIRST = (
    *((0, "Ah"), (100, "2h"), (159, "1 -144 59 6"), (236, "2 -66 136 24"), (263, "hit"), (269, "Qs"), (390, "stand")),
    *((421, "9d"), (505, "stand"), (642, "5c"), (668, "3d"), (705, "Kd")),
    *((936, "2 634 836 48"), (959, "1 656 859 12"), (1359, "1 856 1359 0"), (1436, "2 1134 1336 0")),
)


@pytest.mark.parametrize("profile", ["pitch-h17", "hollywood-penn-national"])
def test_such_a_double_accuses_nobody_whether_or_not_the_cards_lie_open(profile: str) -> None:
    """Box 1 doubles for 3; box 2's split of fives is reported after that."""
    rig = two_boxes(profile, "5c 5s 5h 4d 5d", DOUBLED_FIRST)
    assert [one.net_cents for one in rig.events if isinstance(one, WagerSettled) and one.spot == 1] in ([], [600])
    assert accused(rig) == []
