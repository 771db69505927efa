"""A correction that leaves more open than the table can follow in time makes the round the floor's."""

from __future__ import annotations

import cProfile
from collections.abc import Sequence

from controller.core.certainty import rebuild
from controller.core.messages.events import CardDrawn, WagerSettled
from controller.core.messages.floor_events import CardSet
from controller.core.messages.inputs import DeclareBox, SetCard
from controller.core.persons import Authentication
from controller.io.files import profile_files
from firmware_protocols.cards import Card
from firmware_protocols.readings import ChipsSeen, DeviceHealth, HealthState
from tests.core.rig import MS, SPOTS, Rig

FLOOR = Authentication("key", ("floor",))
DEAL = "Tc 6d Ks 4d 8s 5d Qc 5h 9h 9s Td 3h 6c 8h 9c Td"
UNREAD = 11
"""Which of the cards dealt is not read."""
LOST = (2, 6, 7)
HITS = """
9c Jh \n key stand \n As \n key stand \n 9h \n key stand \n Kc 4d \n key stand
6h 4c 3c \n key stand \n 5c \n key stand \n Qs Ac 3d Ah
"""
FOLLOWED = ["no legal play explains the evidence"]
"""These cards, once all of them are known."""
TOO_MUCH = ["the times of the readings leave too many orders open"]


def unread_at_a_full_table(
    slack: int, *, bounded: bool = True, unread: int = UNREAD, spots: Sequence[int] = SPOTS, late: bool = False
) -> Rig:
    """Wagers at ``spots``, whose house forgives keys that are pressed ``slack`` cards late.

    Three readers are lost in the deal, one of whose cards is not read (``unread`` 0: each is). ``late``: the others
    have not yet told what lay there at the lock.
    """
    rig = Rig(profile_files.load("hollywood-penn-national", {"key_slack": slack}).rules)
    rig.change_house(corrections_bounded=bounded)
    for spot in spots:
        rig.chips(spot, "main", 1_000)
    rig.late = late
    rig.key("no_more_bets")
    for place, face in enumerate(DEAL.split(), start=1):
        rig.card(None if place == unread else face)
        if place == 4:
            for spot in LOST:
                rig.give(DeviceHealth(f"bet_spots/{spot}", HealthState.LOST, rig.now_ns))
    rig.talk(HITS)
    return rig


def name(rig: Rig, face: str) -> list[str]:
    """Why the round is irregular once the floor has named the card that was not read."""
    unread = rig.events_of(CardDrawn)[UNREAD - 1].card
    rig.give(SetCard(rig.now_ns, unread, Card(face), "M. Floor", "seen", vouched=FLOOR))
    assert [one.card for one in rig.events_of(CardSet)] == [unread]
    return rig.irregularities()


def test_too_much_is_left_open() -> None:
    rig = unread_at_a_full_table(1)
    assert name(rig, "5h") == TOO_MUCH
    assert rig.events_of(WagerSettled) == []
    rig.talk("key hole_turned \n 3c \n key round_closed")
    assert rig.outcomes() == ["irregular"]
    assert rig.events_of(WagerSettled) == []


def test_the_same_where_a_key_is_pressed_in_its_time_is_followed() -> None:
    assert name(unread_at_a_full_table(0), "5h") == FOLLOWED


def test_a_journal_of_before_is_replayed_as_it_was() -> None:
    assert name(unread_at_a_full_table(1, bounded=False), "5h") == FOLLOWED


def test_an_order_that_is_tried_out_first_is_followed_once() -> None:
    rig = unread_at_a_full_table(0)
    rig.change_house(orders_bounded=True, two_persons=True)
    profile = cProfile.Profile()
    profile.runcall(name, rig, "5h")
    followed = rebuild.rebuild_corrected.__code__
    assert [one.callcount for one in profile.getstats() if one.code is followed] == [1]


def test_a_box_that_is_declared_late_is_followed_no_further() -> None:
    rig = unread_at_a_full_table(1, unread=0, spots=SPOTS[1:])
    rig.give(DeclareBox(rig.now_ns, SPOTS[0], 1_000, "M. Floor", "seen", vouched=FLOOR))
    assert rig.irregularities() == FOLLOWED + TOO_MUCH


def test_bets_that_a_reader_tells_late_are_followed_no_further() -> None:
    rig = unread_at_a_full_table(1, unread=0, spots=SPOTS[1:], late=True)
    assert rig.irregularities() == []
    rig.values["E0FF"] = 1_000
    rig.give(ChipsSeen(SPOTS[0], "main", ("E0FF",), 0, 500 * MS))
    assert rig.irregularities() == TOO_MUCH
