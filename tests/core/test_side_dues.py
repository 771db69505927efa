"""What side wagers may be due while plays still differ, a card is unread, or no hole card is dealt."""

from __future__ import annotations

from msgspec.structs import replace

from controller.core.game.rules import Rules
from controller.core.inference.side_dues import SideEvidence, nets_listed
from controller.core.inference.unread_cards import HoleHypothesis, Judgement
from firmware_protocols.cards import Card
from tests.core.test_other_tables import PENN, observed

OPEN_HOLE = replace(PENN, hole_card="none")


def side_nets(felt: SideEvidence, box: int, bet: str, wager_cents: int) -> list[int] | None:
    """The nets a side wager may have; none where it is not decided yet; None: there is no wager."""
    nets = felt.side_due(box, bet, wager_cents)
    return None if nets is None else nets_listed(nets)


def nets(
    rules: Rules,
    wagers: list[int],
    talk: str,
    bet: str,
    cents: int = 0,
    *,
    points: int | None = None,
    closed: bool = False,
) -> list[int] | None:
    """What the side wager of the first box may be due; ``points``: of the hole card, once it is turned."""
    found = observed(rules, wagers, talk)
    faces = [None if word == "??" else Card(word) for word in talk.split() if ":" not in word]
    frontier = found.ends(points) if closed and points is not None else found.frontier
    hole = 2 * len(wagers) + 1 if rules.hole_card == "dealt" else -1
    judgement = Judgement((HoleHypothesis(found, frontier, points, 1),), closed)
    return side_nets(SideEvidence(rules, faces, len(wagers), hole, judgement), 0, bet, cents)


def test_without_a_hole_card_queens_wait_for_the_second_card() -> None:
    assert nets(OPEN_HOLE, [1000], "Qh As Qh key:stand", "lucky_ladies", 500) == []
    assert nets(OPEN_HOLE, [1000], "Qh As Qh key:stand Kd", "lucky_ladies", 500) == [500_000]
    assert nets(OPEN_HOLE, [1000], "Qh As Qh key:stand 9d", "lucky_ladies", 500) == [100_000]


def test_without_a_hole_card_ez_bust_looks_at_all_that_was_drawn() -> None:
    played = "Kh 6s 8d 0:ez_bust:500 key:stand Kd"
    assert nets(OPEN_HOLE, [1000], played, "ez_bust") == []
    for closed in (False, True):
        assert nets(OPEN_HOLE, [1000], played + " 9c", "ez_bust", closed=closed) == [500]
        assert nets(OPEN_HOLE, [1000], played + " 5c", "ez_bust", closed=closed) == [-500]


def test_what_lies_there_while_it_is_offered_is_no_wager_yet() -> None:
    assert nets(PENN, [1000], "Kh 6s 8d Tc 0:ez_bust:500", "ez_bust") is None
    assert nets(PENN, [1000], "Kh 6s 8d Tc 0:ez_bust:500 key:stand", "ez_bust") == []


def test_before_the_deal_is_complete_nothing_is_decided_and_what_was_not_made_is_no_wager() -> None:
    assert nets(PENN, [1000], "Kh", "lucky_ladies", 500) == []
    assert nets(PENN, [1000], "Kh", "lucky_ladies") is None
    assert nets(PENN, [1000], "Kh", "ez_bust") is None
    assert nets(PENN, [1000], "Kh 6s 8d Tc key:stand", "ez_bust") is None
    assert nets(PENN, [1000], "Kh As 8d Tc 0:insurance:500", "ez_bust") is None


def test_a_row_of_the_meter_is_for_the_progressive_to_say() -> None:
    assert nets(PENN, [1000], "7d 7d 7d 2c", "blazing7s", 500) == []
    assert nets(PENN, [1000], "7d 7d 7s 2c", "blazing7s", 500) == [99_500]


def test_where_every_hand_broke_ez_bust_is_returned_with_the_last_of_them() -> None:
    broke = "Kh 6s 8d Tc 0:ez_bust:500 key:hit"
    assert nets(PENN, [1000], broke, "ez_bust") == []
    assert nets(PENN, [1000], broke + " 9c", "ez_bust") == [0]
    assert nets(PENN, [1000], broke + " 9c", "ez_bust", points=10, closed=True) == [0]
    two = "Kh Kh 6s 8d 8d Tc 0:ez_bust:500 key:hit 9c"
    assert nets(PENN, [1000, 1000], two, "ez_bust") == []
    assert nets(PENN, [1000, 1000], two + " key:hit 9c", "ez_bust") == [0]


def test_a_card_nobody_read_may_be_any_of_the_rank_the_plays_take_for_it() -> None:
    found = observed(PENN, [1000], "Kh 6s Kd Tc key:stand")
    judgement = Judgement((HoleHypothesis(found, found.frontier, None, 1),), closed=False)
    faces: list[Card | None] = [Card("Kh"), Card("6s"), None, Card("Tc")]
    assert side_nets(SideEvidence(PENN, faces, 1, 3, judgement), 0, "lucky_ladies", 500) == [2_000, 12_500]
    assert side_nets(SideEvidence(PENN, faces, 1, 3, judgement), 0, "twenty_one_plus_three", 500) == [-500]


def test_an_unread_hole_card_is_any_card_of_the_points_people_said() -> None:
    assert nets(PENN, [1000], "Qh As Qh ?? key:stand", "lucky_ladies", 500, points=10, closed=True) == [500_000]
    assert nets(PENN, [1000], "Qh As Qh ?? key:stand", "lucky_ladies", 500, points=9, closed=True) == [100_000]


def test_a_card_of_which_nothing_is_known_may_be_any_of_the_deck() -> None:
    assert nets(PENN, [1000], "?? 6s Kd Tc", "lucky_ladies", 500) == [-500, 2_000, 5_000, 12_500]


def test_before_the_deal_is_complete_a_row_of_the_meter_may_still_come() -> None:
    found = observed(PENN, [1000], "7d")
    judgement = Judgement((HoleHypothesis(found, found.frontier, None, 1),), closed=False)
    assert SideEvidence(PENN, [Card("7d")], 1, 3, judgement).rows_of(0, "blazing7s") == {None}
