"""A slow reader reports several moves as one change: none of them is left out, and no due rests on fewer."""

from __future__ import annotations

import pytest

from controller.core.messages.events import QuestionAsked, WagerSettled, WagerUnresolved
from controller.core.messages.raised_alerts import AlertKind, AlertRaised
from firmware_protocols.cards import Card
from firmware_protocols.readings import CardDrawn, ChipsSeen
from tests.core.rig import Rig, penn

CHIPS = {"A": 2_500, "B": 2_500, "C": 2_500, "D": 2_500, "E": 1_000}


def seen_late(rig: Rig, chips: tuple[str, ...], card: str, then: str) -> None:
    """A card comes between two looks, and the next before the second of them is reported."""
    since_ns, rig.late = rig.now_ns, True
    rig.talk(card)
    by_ns = rig.now_ns
    rig.talk(then)
    rig.give(ChipsSeen(1, "main", chips, since_ns, by_ns))
    rig.late = False


def dues(rig: Rig) -> set[int]:
    """What the main wager may be due: as it was settled, or what it is open between."""
    settled = {event.net_cents for event in rig.events if isinstance(event, WagerSettled)}
    return settled | {net for e in rig.events if isinstance(e, WagerUnresolved) for net in e.possible_cents}


def test_a_pair_split_dealt_to_and_split_again_between_two_looks_is_three_hands() -> None:
    """Nineteen pushes, twelve doubled loses 50.00 and sixteen 25.00 against nineteen."""
    rig = Rig(penn(no_more_bets="always"), dict(CHIPS))
    rig.lay(1, "main", ("A",))
    rig.talk("key no_more_bets \n 9d 6h 9h 2d")
    seen_late(rig, ("A", "B", "C"), "9s", "Ts")
    rig.talk("2h")
    rig.lay(1, "main", ("A", "B", "C", "D"))
    rig.talk("Ah 7d \n key hole_turned \n 4d 7s \n 1 main 0 \n key round_closed")
    assert -7_500 in dues(rig)
    assert not [
        e for e in rig.events if isinstance(e, WagerSettled) and e.basis == "evidence" and e.net_cents != -7_500
    ]


def test_a_pair_split_and_doubled_between_two_looks_is_no_payment_of_the_round_as_it_might_stand() -> None:
    """A ten and a five after sixes may have broken a hand of two sixes and given the dealer seventeen."""
    rig = Rig(penn(no_more_bets="always"), dict(CHIPS))
    rig.lay(1, "main", ("A",))
    rig.talk("key no_more_bets \n 6d 3h 6h 9h")
    since_ns, rig.late = rig.now_ns, True
    rig.talk("Kc 5s")
    rig.give(ChipsSeen(1, "main", ("A", "B", "C"), since_ns, rig.now_ns))
    rig.late = False
    rig.talk("Kd \n key hole_turned \n 2s Jc \n 1 main 150 \n 1 main 0 \n key round_closed")
    assert dues(rig) == {7_500}


def test_chips_added_between_two_cards_are_still_capping() -> None:
    """No card lies between the looks: no two moves can have been made."""
    rig = Rig(penn(stand_key="always"), dict(CHIPS))
    rig.lay(1, "main", ("A",))
    rig.talk("key no_more_bets \n 9d 6h 9h 2d")
    rig.lay(1, "main", ("A", "B", "C"))
    rig.talk("key stand hole_turned \n 9s \n 1 main 0 \n key round_closed")
    assert AlertKind.CAPPING in {e.kind for e in rig.events if isinstance(e, AlertRaised)}


def test_a_hand_doubled_broken_and_cleared_between_two_looks_is_not_taken_for_the_plain_one() -> None:
    """Nobody presses a key: the hand of fourteen may have been doubled before it broke."""
    rig = Rig(penn(), dict(CHIPS))
    rig.lay(1, "main", ("A",))
    rig.lay(2, "main", ("C",))
    rig.talk("9d Tc 6h 5h 9c 2d")
    seen_late(rig, (), "9s", "Ts")
    rig.lay(2, "main", ("C", "D"))
    rig.lay(2, "main", ())
    rig.lay(3, "main", ("A",))
    rig.talk("8c")
    settled_dues = {event.net_cents for event in rig.events if isinstance(event, WagerSettled) and event.spot == 1}
    assert settled_dues == set()
    (left,) = (event for event in rig.events if isinstance(event, WagerUnresolved) and event.spot == 1)
    assert {-5_000, -2_500} <= set(left.possible_cents)


def broken_between_two_looks(keys: str, *, lies: tuple[str, ...] = (), **options: str) -> Rig:
    """Fourteen, dealt a nine, is broken and cleared away before the reader looks again and finds what ``lies`` then."""
    rig = Rig(penn(**options), dict(CHIPS))
    rig.lay(1, "main", ("A",))
    rig.talk(f"{keys} \n 9d 6h 5h 2d")
    seen_late(rig, lies, "9s", "key hole_turned")
    rig.talk("Ts \n key round_closed")
    return rig


def test_where_every_decision_has_its_key_a_double_would_be_keyed_too() -> None:
    assert dues(broken_between_two_looks("key no_more_bets", stand_key="always")) == {-2_500}


@pytest.mark.parametrize(
    ("up_and_hole", "settled_dues"), [("Jh Ac", {-2_500}), ("6h Td", {-5_000})], ids=["natural", "sixteen"]
)
def test_a_keyed_double_whose_chips_no_look_found_ends_with_its_round(up_and_hole: str, settled_dues: set[int]) -> None:
    """The dealer's natural takes the original wager alone; else how much was laid is the floor's to say."""
    up, hole = up_and_hole.split()
    rig = Rig(penn(stand_key="always"), dict(CHIPS))
    rig.lay(1, "main", ("A",))
    rig.talk(f"key no_more_bets \n 9d {up} 5h {hole} \n key double")
    seen_late(rig, (), "9s", "key hole_turned")
    rig.talk("key round_closed")
    assert rig.outcomes() != []
    assert dues(rig) >= settled_dues


def test_that_the_bets_are_locked_by_key_says_nothing_of_the_keys_of_the_play() -> None:
    rig = broken_between_two_looks("key no_more_bets")
    assert dues(rig) == set()
    assert [event.text for event in rig.events if isinstance(event, QuestionAsked)] == ["Did spot 1 double?"]


@pytest.mark.parametrize("bet", [("E",), ("D", "E"), ("D",)], ids=["smaller", "larger", "equal"])
def test_so_is_one_at_whose_spot_the_next_bet_lies_when_the_reader_looks_again(bet: tuple[str, ...]) -> None:
    rig = broken_between_two_looks("key no_more_bets", lies=bet)
    assert [event for event in rig.events if isinstance(event, WagerSettled)] == []
    assert dues(rig) >= {-5_000, -2_500}
    assert [event.text for event in rig.events if isinstance(event, QuestionAsked)] == ["Did spot 1 double?"]


def test_chips_exchanged_for_equal_ones_with_no_card_between_mean_nothing() -> None:
    rig = Rig(penn(), dict(CHIPS))
    rig.lay(1, "main", ("A",))
    rig.talk("key no_more_bets \n 9d 6h 5h 2d \n 9s")
    rig.lay(1, "main", ("B",))
    rig.talk("key hole_turned \n Ts \n 1 main 0 \n key round_closed")
    assert [event for event in rig.events if isinstance(event, QuestionAsked)] == []
    assert dues(rig) == {-2_500}


def test_nor_do_they_where_the_hand_they_were_dealt_to_is_not_broken() -> None:
    """Twenty against eighteen is paid for the chips that lie there."""
    rig = Rig(penn(), dict(CHIPS))
    rig.lay(1, "main", ("A",))
    rig.talk("key no_more_bets \n 9d 6h 2h 2d")
    seen_late(rig, ("B",), "9s", "key hole_turned")
    rig.talk("Ts \n 1 main 50 \n 1 main 0 \n key round_closed")
    assert dues(rig) == {2_500}


def test_a_broken_hand_taken_and_another_doubled_with_equal_chips_between_two_looks_is_a_double() -> None:
    """Eights: 24 loses 25.00, 21 wins 25.00 or, doubled, 50.00 against seventeen."""
    rig = Rig(penn(), dict(CHIPS))
    rig.lay(1, "main", ("A",))
    rig.talk("key no_more_bets \n 8d 6h 8h 2d")
    rig.lay(1, "main", ("A", "B"))
    rig.talk("6s Ts")
    seen_late(rig, ("B", "C"), "3c", "Tc")
    rig.talk("key hole_turned \n 9s \n key round_closed")
    assert [event for event in rig.events if isinstance(event, WagerSettled)] == []
    assert dues(rig) == {0, 2_500}
    assert [event.text for event in rig.events if isinstance(event, QuestionAsked)] == ["Did spot 1 double?"]


def test_where_no_more_than_the_wager_lies_a_part_of_it_that_was_exchanged_means_nothing() -> None:
    rig = Rig(penn(), {**CHIPS, "A": 1_500, "B": 1_500})
    rig.lay(1, "main", ("A", "E"))
    rig.talk("key no_more_bets \n 9d 6h 2h 2d")
    seen_late(rig, ("B", "E"), "9s", "key hole_turned")
    rig.talk("Ts \n 1 main 50 \n 1 main 0 \n key round_closed")
    assert [event for event in rig.events if isinstance(event, QuestionAsked)] == []
    assert dues(rig) == {2_500}


def test_chips_of_the_wager_that_are_left_say_that_it_was_not_cleared_away() -> None:
    rig = Rig(penn(), {**CHIPS, "A": 1_500})
    rig.lay(1, "main", ("A", "E"))
    rig.talk("key no_more_bets \n 9d 6h 5h 2d")
    seen_late(rig, ("E",), "9s", "key hole_turned")
    assert [event for event in rig.events if isinstance(event, QuestionAsked)] == []


def test_no_hand_is_doubled_broken_and_cleared_in_the_time_of_one_movement() -> None:
    rig = Rig(penn(), dict(CHIPS))
    rig.lay(1, "main", ("A",))
    rig.talk("9d 6h 5h 2d")
    rig.pass_ms(500)
    since_ns, rig.late = rig.now_ns, True
    rig.pass_ms(200)
    rig.give(CardDrawn(rig.now_ns, Card.S9))
    rig.pass_ms(1_000)
    rig.give(ChipsSeen(1, "main", (), since_ns, rig.now_ns))
    rig.late = False
    rig.talk("key hole_turned \n Ts \n key round_closed")
    assert dues(rig) == {-2_500}
