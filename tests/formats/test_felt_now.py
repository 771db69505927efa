"""The felt as it was published, for a screen that joins late: events alone make it, and it forgets the round before."""

from __future__ import annotations

from controller.core.messages.events import CardOpened, HandCompleted
from controller.formats.mqtt.retained_layout import CardNow, FeltNow, FeltPicture, HandNow, WagerNow, ZoneNow
from tests.core.accounts import published
from tests.core.rig import Rig, penn


def felt(rig: Rig) -> FeltNow:
    picture = FeltPicture()
    picture.follow(published(rig.events))
    return picture.now()


def faces(now: FeltNow, spot: int | None) -> list[str | None]:
    return [card.face for card in now.cards if card.spot == spot]


def test_cards_lie_at_their_spots_and_the_hole_card_is_a_back() -> None:
    rig = Rig(penn(stand_key="always"))
    rig.talk("1 main 25\n3 main 10\nkey no_more_bets\nTh 9s 7d Qs 9d Td")
    now = felt(rig)
    assert (now.round, now.open) == (1, True)
    assert (faces(now, 1), faces(now, 3), faces(now, 0)) == (["Th", "Qs"], ["9s", "9d"], ["7d", None])
    assert now.zones == (ZoneNow(1, "main", 2500), ZoneNow(3, "main", 1000))
    rig.talk("key stand stand hole_turned round_closed")
    now = felt(rig)
    assert (now.open, faces(now, 0)) == (False, ["7d", "Td"])
    played = [event for event in rig.events if isinstance(event, HandCompleted)]
    assert now.hands == tuple(HandNow(one.spot, one.hand, one.cards, one.total, one.stake_cents) for one in played)


def test_a_card_is_shown_only_once_its_event_is_out() -> None:
    rig = Rig(penn(stand_key="always"))
    rig.talk("1 main 25\nkey no_more_bets\nTh 7d Qs Td\nkey stand hole_turned round_closed")
    picture = FeltPicture()
    opened: set[int] = set()
    for one in published(rig.events):
        picture.take(one.seq, one.event)
        if isinstance(one.event, CardOpened):
            opened.add(one.event.card)
        assert {card.card for card in picture.now().cards if card.face} <= opened


def test_the_next_round_clears_the_cards_and_keeps_the_chips() -> None:
    rig = Rig(penn(stand_key="always"))
    rig.talk("1 main 25\nkey no_more_bets\nTh 7d Qs Td\nkey stand hole_turned\n1 main 50\n1 main 25\nkey round_closed")
    rig.talk("key no_more_bets\n2c")
    now = felt(rig)
    assert (now.round, len(now.cards), now.hands) == (2, 1, ())
    assert now.cards[0] == CardNow(now.cards[0].card, 1, "2c", 0)
    assert now.zones == (ZoneNow(1, "main", 2500),)


def test_where_chips_lay_before_may_be_said() -> None:
    picture = FeltPicture()
    picture.lay(2, "main", 500)
    assert picture.now().zones == (ZoneNow(2, "main", 500),)


def hands_of(now: FeltNow, spot: int) -> list[list[str | None]]:
    mine = [card for card in now.cards if card.spot == spot]
    return [[card.face for card in mine if card.hand == hand] for hand in sorted({card.hand or 0 for card in mine})]


def test_a_split_lays_two_hands_side_by_side_and_each_card_in_its_own() -> None:
    rig = Rig(penn(stand_key="always"))
    rig.talk("1 main 10\nkey no_more_bets\n9s 7d 9d Td")
    rig.talk("1 main 20\nkey split\n2c\nkey hit\n8h\nkey stand\nTc\nkey stand")
    now = felt(rig)
    assert hands_of(now, 1)[0][:2] == ["9s", "2c"]
    rig.talk("key hole_turned round_closed")
    assert hands_of(felt(rig), 1) == [["9s", "2c", "8h"], ["9d", "Tc"]]


def test_a_wager_is_open_until_it_is_settled_and_then_says_why() -> None:
    rig = Rig(penn(stand_key="always"))
    rig.talk("1 main 25\nkey no_more_bets\nTh 7d Qs Td")
    assert felt(rig).wagers == (WagerNow(1, "main", 2500),)
    rig.talk("key stand hole_turned round_closed")
    now = felt(rig)
    (wager,) = now.wagers
    assert (wager.net_cents, wager.basis, wager.why) == (2500, "evidence", "20 beats 17")
    assert (now.outcome, now.legal_plays) == ("settled", 1)


def test_who_joins_late_goes_on_from_the_picture_that_was_kept() -> None:
    rig = Rig(penn(stand_key="always"))
    rig.talk("1 main 25\n3 main 10\nkey no_more_bets\nTh 9s 7d Qs 9d Td\nkey stand stand hole_turned round_closed")
    events = list(published(rig.events))
    whole = FeltPicture()
    for at, one in enumerate(events):
        whole.take(one.seq, one.event)
        late = FeltPicture(whole.now())
        late.follow(events[at + 1 :])
        assert late.now() == felt(rig)
