"""What follows a round that gave way, or whose payment was taken up: the next one is a round like any other."""

from __future__ import annotations

import pytest

from controller.core.messages.alerts import CloseRefused, KeyRefused
from controller.core.messages.events import BettingClosed, DealUnconfirmed, RoundClosed
from controller.io.files import profile_files
from firmware_protocols.cards import Card
from firmware_protocols.readings import CardDrawn
from tests.core.rig import Rig
from tests.core.test_heard_twice import CHIPS, accused
from tests.core.test_next_deal import cards_of, deal, table, unended

GAVE_WAY = (
    "another round began before anything showed that it had ended; "
    "its wagers, locked in no round, would be spot 1 main 10.00"
)


def test_its_deal_is_confirmed_by_its_rhythm_and_the_close_after_it_is_taken() -> None:
    rig = table()
    deal(rig, "Th 9c 9d Ts")
    deal(rig, "5h 6c Td 8s")
    deal(rig, "9h", quiet_ms=1_000)
    rig.pass_ms(1_000)
    rig.talk("1 main 0 \n key round_closed")
    assert unended(rig) == [2]
    assert rig.events_of(DealUnconfirmed, CloseRefused) == []
    assert rig.outcomes() == ["settled", "open", "settled"]


def between_boxes() -> Rig:
    """Nobody knows of which of two boxes a chip was that both antennas heard: all was picked up at once."""
    rig = Rig(profile_files.load("hollywood-penn-national", {"turn_key": "sometimes"}).rules, dict(CHIPS))
    rig.lay(5, "main", ("E4",))
    deal(rig, "Th 9c Kd 8s")
    rig.lay(5, "main", ())
    rig.talk("key round_closed")
    rig.lay(1, "main", ("E1", "E2"))
    rig.lay(2, "main", ("E2",))
    deal(rig, "Th 9c 6d 8s")
    rig.late = True
    rig.lay(1, "main", ())
    rig.lay(2, "main", ())
    rig.late = False
    rig.pass_ms(1_000)
    return rig


def test_a_round_whose_boxes_nobody_knows_any_more_ends_with_the_next_deal() -> None:
    rig = between_boxes()
    rig.talk("key round_closed")
    rig.lay(1, "main", ("E5",))
    deal(rig, "5h 6c Td 8s")
    assert [cards_of(rig, number) for number in (1, 2, 3)] == [4, 4, 4]
    assert unended(rig) == [2]


def test_a_chip_that_two_zones_heard_is_picked_up_and_nobody_has_pinched_it() -> None:
    rig = Rig(profile_files.load("hollywood-penn-national", {"stand_key": "always"}).rules, dict(CHIPS))
    rig.lay(1, "main", ("E5",))
    rig.lay(1, "main", ("E2", "E5"))
    rig.lay(1, "lucky_ladies", ("E2",))
    rig.talk("key no_more_bets \n Th 9c 6d 8s")
    rig.late = True
    rig.lay(1, "lucky_ladies", ())
    rig.lay(1, "main", ("E5",))
    rig.late = False
    rig.talk("key stand hole_turned \n 1 main 0 \n key round_closed")
    assert (rig.outcomes(), rig.postings()) == (["irregular"], [])
    assert accused(rig) == []


def test_a_naturals_payment_that_is_taken_up_leaves_its_wager_for_the_next_round() -> None:
    rig = Rig(profile_files.load("hollywood-penn-national").rules)
    rig.talk("1 main 10 \n key no_more_bets \n Ah 9c Kd 8s \n key hole_turned \n 1 main 25 \n 1 main 10")
    rig.pass_ms(9_000)
    rig.talk("key no_more_bets")
    assert rig.events_of(KeyRefused) == []
    assert rig.postings() == ["1: spot 1 main +15.00"]
    deal(rig, "Th 9c Kd 8s")
    assert [one.round for one in rig.events_of(BettingClosed)] == [1, 2]
    assert [one.outcome for one in rig.events_of(RoundClosed)] == ["settled"]


@pytest.mark.parametrize(
    ("answer", "reasons"),
    [("yes", [GAVE_WAY]), ("no", [])],
)
def test_of_hands_face_down_that_nobody_touched_a_person_says_if_they_give_way(answer: str, reasons: list[str]) -> None:
    """The dealer may have drawn as many cards as a deal has."""
    rig = table("pitch-h17")
    deal(rig, "Qd 3h Tc 2s")
    deal(rig, "3c 5s Ad 8c")
    assert (cards_of(rig, 2), cards_of(rig, 3)) == (8, 0)
    rig.answer(answer)
    assert rig.irregularities() == reasons


def test_hands_face_down_whose_wagers_were_moved_give_way_by_themselves() -> None:
    rig = table("pitch-h17")
    deal(rig, "Qd 3h Tc 2s")
    rig.talk("1 main 0 \n 1 main 20")
    deal(rig, "3c 5s Ad 8c")
    assert (cards_of(rig, 2), cards_of(rig, 3)) == (4, 4)


def test_chips_that_move_once_the_cards_have_begun_to_come_say_nothing_of_whose_they_are() -> None:
    rig = table("pitch-h17")
    deal(rig, "Qd 3h Tc 2s")
    rig.pass_ms(6_000)
    rig.give(CardDrawn(rig.now_ns, Card("3c")))
    rig.chips(2, "main", 1_000)
    for face in ("5s", "Ad", "8c"):
        rig.pass_ms(400)
        rig.give(CardDrawn(rig.now_ns, Card(face)))
    rig.pass_ms(2_600)
    assert (cards_of(rig, 2), cards_of(rig, 3)) == (8, 0)


def test_in_journals_of_before_they_gave_way_by_themselves() -> None:
    rig = table("pitch-h17")
    rig.change_house(deals_by_number=False)
    deal(rig, "Qd 3h Tc 2s")
    deal(rig, "3c 5s Ad 8c")
    assert (cards_of(rig, 2), cards_of(rig, 3)) == (4, 4)
