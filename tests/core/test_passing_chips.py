"""Chips pushed through a box on their way to another: they make no double of its hand, and accuse nobody."""

from __future__ import annotations

import pytest

from controller.core.messages.events import HoleCardRevealed, QuestionAsked, WagerSettled
from controller.core.messages.floor_events import RoundResumed
from controller.core.messages.raised_alerts import AlertKind, AlertRaised
from controller.io.files import profile_files
from firmware_protocols.cards import Card
from firmware_protocols.readings import CardDrawn, ChipsConfirmed, ChipsSeen
from tests.core.rig import MS, SPOTS, Rig, penn

CHIPS = {"A": 2_500, "B": 2_500, "C": 2_500, "D": 1_000}
ACCUSED = {AlertKind.CAPPING, AlertKind.PINCHING, AlertKind.PAST_POSTING, AlertKind.BET_TOUCHED, AlertKind.MISPAY}


def dealt(**options: str) -> Rig:
    """Eleven at spot 1 and eleven at spot 2, 25.00 each, against a six; nobody presses a key of the play."""
    rig = Rig(penn(**options), dict(CHIPS))
    rig.lay(1, "main", ("A",))
    rig.lay(2, "main", ("B",))
    rig.talk("key no_more_bets \n 6d 6h 6s 5h 5d 9c")
    return rig


def pushed_through(rig: Rig, *, seen_first: int) -> None:
    """Spot 2's double lies for a moment at spot 1, who draws a ten just then; slow readers report it later."""
    rig.late, since_ns = True, rig.now_ns
    rig.pass_ms(1_000)
    rig.give(CardDrawn(rig.now_ns, Card.TS))
    rig.pass_ms(300)
    rig.give(ChipsSeen(1, "main", ("A", "C"), since_ns, rig.now_ns))
    looks = {1: ChipsSeen(1, "main", ("A",), rig.now_ns, rig.now_ns + 600 * MS)}
    looks[2] = ChipsSeen(2, "main", ("B", "C"), rig.now_ns, rig.now_ns + 600 * MS)
    rig.pass_ms(600)
    for spot in (seen_first, 3 - seen_first):
        rig.give(looks[spot])
    rig.late = False
    rig.pass_ms(1_000)


def settled(rig: Rig) -> dict[int, int]:
    return {event.spot: event.net_cents for event in rig.events if isinstance(event, WagerSettled)}


def accused(rig: Rig) -> list[AlertRaised]:
    return [event for event in rig.events if isinstance(event, AlertRaised) and event.kind in ACCUSED]


def played(seen_first: int) -> Rig:
    """Both have twenty-one; the dealer, who has fifteen, gets a five."""
    rig = dealt()
    pushed_through(rig, seen_first=seen_first)
    rig.talk("Th \n key hole_turned \n 5s")
    rig.lay(2, "main", ())
    rig.lay(1, "main", ())
    rig.talk("key round_closed")
    return rig


def test_a_hand_that_drew_meanwhile_was_not_doubled_with_them() -> None:
    """Their new zone is reported first, then that their old one lacks them, or the other way round."""
    for seen_first in (1, 2):
        rig = played(seen_first)
        assert settled(rig) == {1: 2_500, 2: 5_000}
        assert rig.events_of(QuestionAsked) == []
        assert accused(rig) == []


def withdrawn(*, to: int) -> Rig:
    """Chips laid out of turn at spot 2 are taken away again, and lie at a spot or nowhere."""
    rig = dealt(stand_key="always")
    rig.late = True
    rig.lay(2, "main", ("B", "C"))
    rig.lay(2, "main", ("B",))
    if to:
        rig.lay(to, "main", ("A", "C"))
    rig.late = False
    rig.leave_lying()
    return rig


def test_chips_that_leave_at_once_and_lie_nowhere_are_named_and_accuse_nobody() -> None:
    rig = withdrawn(to=0)
    assert accused(rig) == []
    assert [one.kind for one in rig.events if isinstance(one, AlertRaised)] == [AlertKind.CHIPS_UNEXPLAINED]


def test_chips_that_lie_at_another_spot_before_the_readers_have_looked_round_are_not() -> None:
    assert accused(withdrawn(to=1)) == []


def test_chips_that_came_and_went_before_a_card_or_key_are_no_double_of_the_one_that_follows() -> None:
    """A natural's payment, say, that lay in the zone for a moment and was in the player's hand before it was seen."""
    rig = dealt(stand_key="always")
    rig.late = True
    rig.lay(1, "main", ("A", "D"))
    rig.lay(1, "main", ("A",))
    rig.late = False
    rig.talk("key double")
    rig.lay(1, "main", ("A", "C"))
    rig.talk("Ts Th \n key hole_turned \n 5s \n key round_closed")
    assert settled(rig) == {1: 5_000, 2: 2_500}
    assert accused(rig) == []
    assert AlertKind.CHIPS_UNEXPLAINED in {one.kind for one in rig.events if isinstance(one, AlertRaised)}


def test_chips_that_left_only_after_the_card_were_a_double() -> None:
    rig = dealt(stand_key="always")
    rig.lay(1, "main", ("A", "D"))
    rig.talk("Ts")
    rig.lay(1, "main", ("A",))
    rig.talk("Th \n key hole_turned \n 5s \n key round_closed")
    assert settled(rig) == {1: 3_500, 2: 2_500}
    assert {alert.kind for alert in accused(rig)} == {AlertKind.PINCHING}


HOLE_CARD_HOUSES = tuple(name for name in profile_files.names() if profile_files.load(name).rules.hole_card == "dealt")
KEYLESS = {"turn_key": "sometimes", "stand_key": "sometimes", "no_more_bets": "sometimes"}


def keyless(profile: str, deal: str) -> Rig:
    """Two boxes of 25.00 where no key says when the hole card is turned; these cards are dealt to them."""
    rig = Rig(profile_files.load(profile, KEYLESS).rules, dict(CHIPS))
    rig.lay(1, "main", ("A",))
    rig.lay(2, "main", ("B",))
    rig.pass_ms(3_000)
    for face in deal.split():
        rig.pass_ms(450)
        rig.give(CardDrawn(rig.now_ns, Card(face)))
    rig.pass_ms(3_000)
    return rig


def passed_a_stopped_hand(profile: str, *, waits_ms: int) -> Rig:
    """Twelve at spot 1 after a hit, soft eighteen at spot 2, against a six; then spot 1 asks for another card.

    Spot 2's double lies at spot 1 meanwhile. A hand of three cards is not doubled, so that they look like its payment,
    and eighteen may have been a push.
    """
    rig = keyless(profile, "5h Ah 6c 4d 7d Ts")
    rig.talk("3c")
    rig.pass_ms(1_000)
    rig.lay(1, "main", ("A", "C"))
    rig.pass_ms(waits_ms)
    rig.talk("2d")
    return rig


@pytest.mark.parametrize("waits_ms", [600, 3_000])
@pytest.mark.parametrize("profile", HOLE_CARD_HOUSES)
def test_chips_that_pass_a_hand_that_has_stopped_turn_no_hole_card(profile: str, waits_ms: int) -> None:
    rig = passed_a_stopped_hand(profile, waits_ms=waits_ms)
    rig.pass_ms(1_000)
    assert (rig.events_of(HoleCardRevealed), settled(rig), rig.table.state.rounds) == ([], {}, 1)


def test_heard_where_they_belong_the_hand_plays_on_and_is_settled() -> None:
    """The dealer has sixteen and breaks."""
    rig = passed_a_stopped_hand("classic-shoe-and-pitch", waits_ms=600)
    rig.lay(1, "main", ("A",))
    rig.lay(2, "main", ("B", "C"))
    rig.talk("Kd")
    assert rig.events_of(HoleCardRevealed) == []
    rig.talk("9s \n key round_closed")
    assert len(rig.events_of(RoundResumed)) == 1
    assert settled(rig) == {1: 2_500, 2: 5_000}


def test_a_payment_ends_the_round_once_time_for_other_bets_has_passed() -> None:
    rig = passed_a_stopped_hand("classic-shoe-and-pitch", waits_ms=6_000)
    assert (len(rig.events_of(HoleCardRevealed)), rig.table.state.rounds) == (1, 2)


@pytest.mark.parametrize("profile", HOLE_CARD_HOUSES)
def test_nor_do_they_say_that_the_card_before_them_was_the_dealers(profile: str) -> None:
    """Thirteen at both spots against a five, which must draw: spot 2's ten would be the dealer's if spot 1 was paid."""
    rig = keyless(profile, "5d 9h 5c 8s 4s As")
    rig.talk("Td")
    rig.pass_ms(1_000)
    rig.lay(1, "main", ("A", "C"))
    rig.give(ChipsConfirmed(SPOTS, rig.now_ns))
    assert (rig.events_of(HoleCardRevealed), settled(rig)) == ([], {})
