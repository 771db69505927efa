"""What wagers may be due where plays differ, and every field of what the live table says of side wagers."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from controller.core.analysis.stated_meters import StatedPooledMeter, linked_awards
from controller.core.certainty.side_wagers import sides_of
from controller.core.game.hand import seen
from controller.core.game.position import Box, BoxStatus
from controller.core.game.settlement import DRAWN, NATURAL, DealerEnd, Net
from controller.core.game.side_bet import PUSH, SideNet
from controller.core.game.wager import Basis
from controller.core.inference.dues import (
    Due,
    agreed,
    agreed_drawn,
    dealer_ends,
    even_money_may_come,
    insurance_due,
    main_due,
)
from controller.core.inference.side_dues import SideEvidence, sides
from controller.core.inference.unread_cards import HoleHypothesis, Judgement
from controller.core.messages.events import QuestionAsked, WagerSettled, WagerUnresolved
from controller.core.meters.awards import Winner
from controller.core.table.transaction import Transaction
from controller.io.files import profile_files
from firmware_protocols.cards import DECK, Card
from tests.core.rig import Rig
from tests.core.test_live_side_bets import penn_rig
from tests.core.test_other_tables import PENN, observed
from tests.core.test_side_dues import side_nets

EZ = "Kh 6s 8d Tc 0:ez_bust:500 key:stand 9c"
WITHOUT_EZ = "Kh 6s 8d Tc key:stand 9c"


def faces(talk: str) -> list[Card | None]:
    """The cards of a round in words, in the order drawn."""
    return [None if word == "??" else Card(word) for word in talk.split() if ":" not in word]


def felt(talk: str, wagers: list[int], points: int | None = None, *, closed: bool = False) -> SideEvidence:
    """A round of a dealt hole card as side wagers see it."""
    found = observed(PENN, wagers, talk)
    frontier = found.ends(points) if closed else found.frontier
    return SideEvidence(
        PENN,
        faces(talk),
        len(wagers),
        2 * len(wagers) + 1,
        Judgement((HoleHypothesis(found, frontier, points, 1),), closed),
    )


def test_explanations_of_one_length_are_given_in_the_order_of_their_words() -> None:
    first, second = ("pushes", 18), ("broke", 22)
    net = agreed([Net(-1000, (second, first)), Net(-1000, (first, second))])
    assert net.why == "18 pushes; 22 broke; or: 22 broke; 18 pushes"


def test_three_explanations_are_given_and_four_are_not() -> None:
    def why(most: int) -> str:
        return agreed(Net(0, (("pushes", points),)) for points in range(17, most)).why

    assert why(20) == "17 pushes; or: 18 pushes; or: 19 pushes"
    assert why(21) == "every legal play comes to this due, each in its own way"


def test_a_dealer_who_breaks_has_22_and_no_natural_whatever_the_points() -> None:
    found = observed(PENN, [1000], "Kh 6s 8d Tc key:stand 9c")
    (node,) = found.ends(10)
    assert list(dealer_ends(found.game, node, 10)) == [DealerEnd(natural=False, total=22)]
    (end,) = dealer_ends(found.game, node, 10)
    assert end.natural is False
    (stands,) = observed(PENN, [1000], "Kh 6s 8d Tc key:stand 5c").ends(10)
    assert list(dealer_ends(found.game, stands, 10)) == [DealerEnd(natural=False, total=21)]


def test_insurance_is_open_until_the_table_may_know_of_a_natural() -> None:
    found = observed(PENN, [1000], "Kh As 8d Tc 0:insurance:500 key:hit 2c")
    assert insurance_due(found, found.frontier, 0, None) == Due(frozenset(), known=False)


def test_where_some_plays_have_no_insurance_both_are_said() -> None:
    insured = observed(PENN, [1000], "Kh As 8d Tc 0:insurance:500 key:hit 2c")
    bare = observed(PENN, [1000], "Kh As 8d Tc key:hit 2c")
    due = insurance_due(insured, {**insured.frontier, **bare.frontier}, 0, 9)
    assert due is not None
    assert {(net.cents, net.why) for net in due.nets} == {
        (-500, "insurance loses: the dealer has no natural"),
        (0, "no insurance was made"),
    }


def test_a_natural_is_known_as_soon_as_its_box_has_its_two_cards() -> None:
    found = observed(PENN, [1000, 1000], "Ah Kh 6s Kd")
    assert main_due(found, found.frontier, 0, None) == Due(
        frozenset({Net(1500, (("natural_pays", 3, 2),))}), known=True
    )
    assert main_due(found, found.frontier, 1, None) == Due(frozenset(), known=False)
    waits = observed(PENN, [1000, 1000], "Ah Kh 6s")
    assert main_due(waits, waits.frontier, 0, None) == Due(frozenset(), known=False)
    nine = observed(PENN, [1000, 1000], "Ah Kh 6s 9d")
    assert main_due(nine, nine.frontier, 0, None) == Due(frozenset(), known=False)


def test_the_dealers_cards_are_published_where_every_play_agrees() -> None:
    drawn = observed(PENN, [1000], WITHOUT_EZ)
    other = observed(PENN, [1000], "Kh 6s 8d Tc key:stand 8c")
    ends = drawn.ends(10)
    assert agreed_drawn(ends) == (seen(4, Card("9c")),)
    assert agreed_drawn({**ends, **other.ends(10)}) is None
    assert agreed_drawn({}) is None


def test_a_tenth_of_the_linked_meter_leaves_its_reset_value_alone() -> None:
    awards, after = linked_awards(StatedPooledMeter(1_000_000, 200_000), [Winner(3, (1, 10))], shared=True)
    assert (awards, after) == ({3: 100_000}, StatedPooledMeter(900_000, 200_000))


def test_queens_among_the_faces_of_an_unread_card_leave_the_wager_undecided() -> None:
    unread = felt("Qh As ?? Tc", [1000])
    due = unread.side_due(0, "lucky_ladies", 500)
    assert due is not None
    assert None in due
    assert SideNet(2_000, "lucky_ladies", "any_20") in due
    assert side_nets(unread, 0, "lucky_ladies", 500) == []


def test_with_two_boxes_nothing_is_decided_before_the_fifth_card() -> None:
    for talk in ("Kh Kd 6s", "Kh Kd 6s 9h"):
        assert side_nets(felt(talk, [1000, 1000]), 1, "lucky_ladies", 500) == []
        assert side_nets(felt(talk, [1000, 1000]), 1, "lucky_ladies", 0) is None
        assert felt(talk, [1000, 1000]).rows_of(1, "lucky_ladies") == {None}
    assert side_nets(felt("Kh Kd 6s 9h Kd", [1000, 1000]), 1, "lucky_ladies", 500) == [12_500]


def test_a_wager_that_was_made_is_one_even_where_no_play_is_left() -> None:
    evidence = felt(WITHOUT_EZ, [1000], 10, closed=True)
    (end,) = evidence.judgement.ended
    none_left = evidence._replace(judgement=Judgement((end._replace(frontier={}),), closed=True))
    assert none_left.side_due(0, "lucky_ladies", 500) == set()
    assert none_left.side_due(0, "ez_bust", 0) is None


def test_plays_without_the_wager_made_after_the_deal_return_nothing() -> None:
    evidence = felt(EZ, [1000], 10, closed=True)
    (made,) = evidence.judgement.ended
    bare = observed(PENN, [1000], WITHOUT_EZ).ends(10)
    insured = observed(PENN, [1000], "Kh As 8d Tc key:stand")
    other = HoleHypothesis(insured, insured.frontier, 10, 1)
    both = evidence._replace(
        judgement=Judgement((other, made._replace(frontier={**made.frontier, **bare})), closed=True)
    )
    assert both.side_due(0, "ez_bust", 0) == {SideNet(0, "ez_bust", PUSH), SideNet(500, "ez_bust", "dealer_broke")}


def test_an_unread_card_is_any_of_the_deck_and_an_unread_hole_card_any_of_its_points() -> None:
    unread = felt("?? 6s Kd Tc", [1000], 10)
    assert side_nets(unread, 0, "lucky_ladies", 500) == [-500, 2_000, 5_000, 12_500]
    hole = felt("Kh 6s Kd ??", [1000], 10)
    (end,) = hole.judgement.ended
    assert set(hole.faces_at(end, 3)) == {face for face in DECK if face.value[0] in "TJQK"}


def test_what_side_wagers_come_to_where_a_round_has_ended() -> None:
    evidence = felt(EZ, [1000], 10, closed=True)
    (node,) = evidence.judgement.ended[0].frontier
    at = sides(evidence, {(0, "lucky_ladies"): 500, (0, "ez_bust"): 900}, "ez_bust")
    assert at(node) == ((0, "lucky_ladies", frozenset({-500})), (0, "ez_bust", frozenset({500})))
    broken = replace(node, boxes=(Box(BoxStatus.BROKEN),))
    assert at(broken) == ((0, "lucky_ladies", frozenset({-500})), (0, "ez_bust", frozenset({0})))
    more = replace(node, insured=(700,))
    assert at(more) == ((0, "lucky_ladies", frozenset({-500})), (0, "ez_bust", frozenset({700})))
    assert sides(evidence, {}, "insurance")(node) == ()
    assert sides(evidence, {(0, "blazing7s"): 500}, "insurance")(node) == ((0, "blazing7s", frozenset({-500})),)
    sevens = felt("7d 7d 7d Tc key:stand", [1000], 10, closed=True)
    (node,) = sevens.judgement.ended[0].frontier
    assert sides(sevens, {(0, "blazing7s"): 500}, "insurance")(node) == ((0, "blazing7s", frozenset({None})),)


def settlements(rig: Rig) -> dict[tuple[int, str], WagerSettled]:
    """What the table said of each wager, once."""
    settled = rig.events_of(WagerSettled)
    by_wager = {(event.spot, event.bet): event for event in settled}
    assert len(by_wager) == len(settled)
    return by_wager


def test_every_field_of_a_side_wagers_settlement() -> None:
    rig = penn_rig()
    rig.talk("1 main 10 \n 2 main 20 \n 1 lucky_ladies 5 \n 2 lucky_ladies 10 \n 2 twenty_one_plus_three 5")
    rig.talk("Th Tc 6c 2d 2h Td \n 2 ez_bust 7 \n key stand stand hole_turned \n Kc \n key round_closed")
    settled = settlements(rig)
    deal = settled[1, "lucky_ladies"].readings
    assert len(deal) == 6
    lost = WagerSettled(1, 1, "lucky_ladies", 500, -500, Basis.EVIDENCE, deal, "Lucky Ladies: loses")
    assert settled[1, "lucky_ladies"] == lost
    assert settled[2, "lucky_ladies"] == replace(lost, spot=2, wager_cents=1000, net_cents=-1000)
    assert settled[2, "twenty_one_plus_three"] == replace(lost, spot=2, bet="twenty_one_plus_three", why="21+3: loses")
    ez = settled[2, "ez_bust"]
    assert ez == WagerSettled(
        1, 2, "ez_bust", 700, 700, Basis.EVIDENCE, settled[2, "main"].readings, "EZ Bust: dealer broke"
    )
    # The chips of the second box are among what it rests on, those of nobody else.
    assert set(settled[1, "main"].readings) < set(ez.readings)
    assert (1, "ez_bust") not in settled


def test_a_side_wager_settled_after_an_answer_rests_on_people() -> None:
    rig = Rig(profile_files.load("hollywood-penn-national").rules)
    # The king broke the dealer, or the only hand there was.
    rig.talk("1 main 10 \n 5h 6c 6d Td \n 1 ez_bust 5 \n 9c Kc")
    rig.key("round_closed")
    assert rig.events_of(QuestionAsked)
    rig.answer("3")
    ez = settlements(rig)[1, "ez_bust"]
    assert (ez.net_cents, ez.basis) == (500, Basis.ANSWER)


def test_a_row_of_the_meter_is_left_open_with_its_stake_and_no_amount() -> None:
    rig = penn_rig()
    rig.talk("1 main 10 \n 2 main 20 \n 2 blazing7s 5 \n 9h 7d 7d 9c 7d 8c \n key stand stand hole_turned")
    rig.talk("5c \n key round_closed")
    assert rig.events_of(WagerUnresolved) == [WagerUnresolved(1, 2, "blazing7s", 500, ())]


def test_what_the_open_round_s_side_wagers_come_to_in_each_play() -> None:
    rig = Rig(profile_files.load("hollywood-penn-national").rules)
    rig.talk("1 main 10 \n 2 main 10 \n 1 lucky_ladies 5 \n Kh 5c 6c Kd 5s Td \n 2 ez_bust 5")
    rig.talk("9c \n key hole_turned \n Kc")
    transaction = Transaction(rig.table, rig.stamped[-1])
    at = sides_of(transaction)
    ends = [node for node in transaction.lattice().ends(10) if node.insured == (0, 500)]
    assert ends
    assert {at(node) for node in ends} == {((0, "lucky_ladies", frozenset({2_000})), (1, "ez_bust", frozenset({500})))}


def test_with_two_boxes_one_broken_is_not_both() -> None:
    talk = "Kh Kd 6s 8d 8h Tc 0:ez_bust:500 key:stand key:stand 9c"
    evidence = felt(talk, [1000, 1000], 10, closed=True)
    (node,) = evidence.judgement.ended[0].frontier
    at = sides(evidence, {}, "ez_bust")
    one, both = (replace(node, boxes=(Box(BoxStatus.BROKEN), last)) for last in (node.boxes[1], Box(BoxStatus.BROKEN)))
    assert at(one) == ((0, "ez_bust", frozenset({500})),)
    assert at(both) == ((0, "ez_bust", frozenset({0})),)


def test_even_money_may_come_for_a_natural_against_an_ace_only() -> None:
    rules = replace(PENN, even_money=True)

    def may_come(talk: str) -> set[bool]:
        found = observed(rules, [1000], talk)
        assert found.frontier
        return {even_money_may_come(found.game, node, 0) for node in found.frontier}

    assert True in may_come("Ah As Jc 9d")
    for talk in ("Ah 6s Jc 9d", "Ah 2s Jc 9d", "Kh As 8d 9c"):
        assert may_come(talk) == {False}


def test_a_due_is_certain_only_where_everything_is_known_and_the_cents_agree() -> None:
    win, push = Net(1000, (("dealer_broke", 16),)), Net(0, (("pushes", 17),))
    assert Due(frozenset({win}), known=True).certain() == win
    assert Due(frozenset({win}), known=False).certain() is None
    assert Due(frozenset({win, push}), known=True).certain() is None


def test_a_dealer_dealt_no_hole_card_ends_with_the_up_card_where_nobody_waits() -> None:
    found = observed(replace(PENN, hole_card="none"), [1000], "Kh 6s 8d key:hit 9c")
    assert found.frontier
    for node in found.frontier:
        assert list(dealer_ends(found.game, node, None)) == [DealerEnd(natural=False, total=6)]
        assert next(iter(dealer_ends(found.game, node, None))).natural is False


def test_a_dealers_hand_that_need_not_draw_is_known_while_boxes_play() -> None:
    found = observed(PENN, [1000], "Kh Ts 2d 9c")
    play = found.game
    for node in found.frontier:
        assert set(dealer_ends(play, node, 9)) == {DealerEnd(natural=False, total=19)}
        assert set(dealer_ends(play, node, 6)) == set(DRAWN)
        assert set(dealer_ends(play, node, 1)) == {NATURAL}


@pytest.mark.parametrize("hole", ["Kc", "5c"])
def test_even_money_is_settled_at_once_whatever_the_hole_card(hole: str) -> None:
    rig = Rig(profile_files.load("borgata", {"stand_key": "always"}).rules)
    rig.talk(f"1 main 10 \n 2 main 10 \n Ah 9h As Kd 9c {hole} \n key 1 even_money")
    assert rig.postings() == ["1: spot 1 main +10.00"]


def test_a_natural_and_a_surrender_are_settled_before_it_is_their_turn() -> None:
    natural = penn_rig()
    natural.talk("1 main 10 \n 2 main 10 \n Th Ah 9c 2d Kd 7d")
    assert natural.postings() == ["1: spot 2 main +15.00"]
    given_up = penn_rig()
    given_up.talk("1 main 10 \n 2 main 10 \n Th Th 9c 2d 6d 7d \n 2 main 5 \n key 2 surrender")
    assert given_up.postings() == ["1: spot 2 main -5.00"]
