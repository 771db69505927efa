"""A round that nothing has shown to be over gives way to the next deal, known by the quiet before it and its rhythm."""

from __future__ import annotations

import pytest

from controller.core.messages.alerts import CloseRefused, KeyRefused, RoundIrregular
from controller.core.messages.events import (
    BettingClosed,
    CardDrawn,
    CardOpened,
    HoleCardRevealed,
    QuestionAsked,
    WagerSettled,
    WagerUnresolved,
)
from controller.core.messages.raised_alerts import AlertKind, AlertRaised
from controller.io.files import profile_files
from firmware_protocols.cards import Card
from firmware_protocols.readings import CardDrawn as CardRead
from firmware_protocols.readings import (
    ChipsConfirmed,
    ChipsSeen,
    DeviceComplained,
    DeviceHealth,
    HealthState,
    KeyPressed,
)
from tests.core.rig import KEY_OF, MS, SPOTS, Rig


def table(profile: str = "hollywood-penn-national", *, keys: str = "", **options: str) -> Rig:
    """A table without any key (or with these), whose dealer has dealt one round: a card every 0.4 seconds."""
    rig = Rig(profile_files.load(profile, {"turn_key": "sometimes", **options}).rules)
    rig.talk("1 main 10")
    deal(rig, "Th 9c Kd 8s")
    rig.talk(f"{keys} \n 1 main 20 \n 1 main 10")
    return rig


def of_before(rig: Rig) -> Rig:
    """The table by a journal of before, where unevenness alone said that cards are no deal."""
    rig.change_house(deals_by_number=False)
    return rig


def deal(rig: Rig, faces: str, quiet_ms: int = 6_000) -> None:
    """Cards as a dealer deals them, after a quiet time; then everybody looks at them."""
    rig.pass_ms(quiet_ms)
    for face in faces.split():
        rig.pass_ms(400)
        rig.give(CardRead(rig.now_ns, Card(face)))
    rig.pass_ms(2_600)


def cards_of(rig: Rig, number: int) -> int:
    """How many cards the table has taken for a round's."""
    return sum(event.round == number for event in rig.events_of(CardDrawn))


def unended(rig: Rig) -> list[int | None]:
    """The rounds of which it was alerted that nothing showed them to be over."""
    return [one.round for one in rig.events_of(AlertRaised) if one.kind is AlertKind.ROUND_UNENDED]


def test_a_push_whose_chips_are_let_lie_is_open_and_the_next_deal_is_no_hit_of_its_hand() -> None:
    rig = table()
    deal(rig, "Th 9c 9d Ts")
    deal(rig, "5h 6c Td 8s")
    assert [cards_of(rig, number) for number in (1, 2, 3)] == [4, 4, 4]
    assert unended(rig) == [2]
    assert rig.outcomes() == ["settled", "open"]
    assert rig.events_of(WagerUnresolved) == [WagerUnresolved(2, 1, "main", 1000, ())]
    assert 2 not in {one.round for one in rig.events_of(WagerSettled)}


@pytest.mark.parametrize(("zone", "cards"), [("insurance", "Th Ac 9d Ts"), ("ez_bust", "Th 6c 9d Ts")])
def test_a_wager_made_after_the_deal_of_a_round_that_gives_way_is_open_too(zone: str, cards: str) -> None:
    rig = table()
    deal(rig, cards)
    rig.talk(f"1 {zone} 5")
    rig.pass_ms(3_000)
    deal(rig, "5h 6c Td 8s")
    assert rig.events_of(WagerUnresolved) == [
        WagerUnresolved(2, 1, "main", 1000, ()),
        WagerUnresolved(2, 1, zone, 500, ()),
    ]


def test_the_hole_card_of_a_round_that_gives_way_stays_closed() -> None:
    rig = table()
    deal(rig, "Th 9c 9d Ts")
    deal(rig, "5h 6c Td 8s")
    drawn = rig.events_of(CardDrawn)
    hole = [one.card for one in drawn if (one.round, one.position) == (2, 3)]
    shown = [one.card for one in rig.events if isinstance(one, CardOpened | HoleCardRevealed)]
    assert len(hole) == 1
    assert hole[0] not in shown


def test_a_hit_after_long_thought_is_a_hit() -> None:
    rig = table()
    deal(rig, "Th 9c 2d Ts")
    deal(rig, "3h")
    rig.pass_ms(1_000)
    assert cards_of(rig, 2) == 5
    assert unended(rig) == []


def test_more_or_fewer_cards_than_a_deal_has_begin_no_round() -> None:
    rig = table()
    deal(rig, "2h 9c 2d Ts")
    deal(rig, "2c 3h 4s 2s 3c")
    assert cards_of(rig, 2) == 9
    assert unended(rig) == []


def test_cards_as_slow_as_hits_are_dealt_begin_no_round() -> None:
    rig = table()
    deal(rig, "2h 9c 2d Ts")
    rig.pass_ms(6_000)
    for face in ("2c", "3h", "4s", "2s"):
        rig.pass_ms(750)
        rig.give(CardRead(rig.now_ns, Card(face)))
    rig.pass_ms(2_000)
    assert cards_of(rig, 2) == 8


@pytest.mark.parametrize(("late_ms", "begun"), [((400, 900), True), ((900, 900), False), ((400, 1_300), False)])
def test_in_a_deal_to_two_boxes_the_dealer_may_falter_once(late_ms: tuple[int, int], *, begun: bool) -> None:
    rig = of_before(table())
    deal(rig, "Th 9c 9d Ts")
    rig.talk("2 main 10")
    rig.pass_ms(6_000)
    first_ms, second_ms = late_ms
    for face, pause_ms in {"5h": 400, "6c": 400, "Td": first_ms, "8s": 400, "3h": second_ms, "4d": 400}.items():
        rig.pass_ms(pause_ms)
        rig.give(CardRead(rig.now_ns, Card(face)))
    rig.pass_ms(2_000)
    assert cards_of(rig, 3) == (6 if begun else 0)


def test_a_second_box_makes_the_deal_two_cards_longer() -> None:
    rig = table()
    deal(rig, "Th 9c 9d Ts")
    rig.talk("4 main 25")
    deal(rig, "5h 2c 6c Td 3s 8s")
    assert [cards_of(rig, number) for number in (2, 3)] == [4, 6]
    assert rig.table.state.round is not None
    assert rig.table.state.round.bets.spots == (1, 4)


def test_a_key_among_the_cards_says_that_they_are_the_open_rounds() -> None:
    rig = table()
    deal(rig, "2h 9c 2d Ts")
    rig.pass_ms(6_000)
    for face in ("2c", "3h"):
        rig.give(CardRead(rig.now_ns, Card(face)))
        rig.now_ns += 400 * MS
    rig.key("hit")
    for face in ("4s", "2s"):
        rig.now_ns += 400 * MS
        rig.give(CardRead(rig.now_ns, Card(face)))
    rig.pass_ms(2_000)
    assert cards_of(rig, 2) == 8


def test_a_keypad_that_goes_or_comes_back_among_its_cards_makes_the_deal_no_hits() -> None:
    rig = table()
    deal(rig, "Th 9c 9d Ts")
    rig.pass_ms(3_000)
    rig.give(DeviceHealth("keypad", HealthState.LOST, rig.now_ns))
    rig.pass_ms(3_000)
    for face in ["5h", "6c", "Td", "8s"]:
        rig.pass_ms(400)
        rig.give(CardRead(rig.now_ns, Card(face)))
        rig.give(DeviceHealth("keypad", HealthState.READY, rig.now_ns))
    rig.pass_ms(2_000)
    assert [cards_of(rig, number) for number in (1, 2, 3)] == [4, 4, 4]
    assert unended(rig) == [2]


def test_a_flood_at_the_broker_or_a_sign_that_fails_makes_the_deal_no_hits() -> None:
    rig = table()
    deal(rig, "Th 9c 9d Ts")
    rig.pass_ms(6_000)
    for face in ["5h", "6c", "Td", "8s"]:
        rig.pass_ms(400)
        rig.give(CardRead(rig.now_ns, Card(face)))
        rig.give(DeviceComplained("requests", "too_many", "more is asked than people ask", rig.now_ns))
        rig.give(DeviceHealth("sign", HealthState.LOST, rig.now_ns))
    rig.pass_ms(2_000)
    assert [cards_of(rig, number) for number in (1, 2, 3)] == [4, 4, 4]


@pytest.mark.parametrize(("faces", "begun"), [("5h 6c Td 8s", 4), ("5h 6c Td", 0)], ids=["whole", "a card short"])
def test_a_whole_deal_is_one_although_the_shoe_is_unplugged_before_its_pause_is_over(faces: str, begun: int) -> None:
    rig = table()
    deal(rig, "Th 9c 9d Ts")
    rig.pass_ms(6_000)
    for face in faces.split():
        rig.pass_ms(400)
        rig.give(CardRead(rig.now_ns, Card(face)))
    rig.pass_ms(200)
    for state in (HealthState.LOST, HealthState.READY):
        rig.give(DeviceHealth("shoe", state, rig.now_ns))
    rig.pass_ms(2_000)
    assert cards_of(rig, 3) == begun
    assert unended(rig) == [2][: bool(begun)]


def test_bets_that_are_reported_only_while_they_are_dealt_to_are_those_of_the_deal() -> None:
    """A natural was paid and taken, so that nothing lay there when the next round's first cards came."""
    rig = table()
    deal(rig, "Ac 2c Ks Kc")
    rig.talk("1 main 25 \n 1 main 0")
    rig.pass_ms(6_000)
    since_ns = rig.now_ns - 3_000 * MS
    rig.values["E0040100000000FF"] = 1_000
    for face in ("Th", "8d", "Qc", "Ad"):
        rig.pass_ms(400)
        rig.give(CardRead(rig.now_ns, Card(face)))
        if face == "8d":
            rig.give(ChipsSeen(1, "main", ("E0040100000000FF",), since_ns, rig.now_ns - 600 * MS))
    rig.pass_ms(2_000)
    assert [cards_of(rig, number) for number in (2, 3)] == [4, 4]


def test_a_chip_that_the_next_spot_hears_too_makes_no_box_of_it() -> None:
    rig = table()
    deal(rig, "Th 9c 9d Ts")
    (chip,) = rig.lying[1, "main"]
    since_ns = rig.now_ns
    rig.pass_ms(6_000)
    for face in ("5h", "6c", "Td", "8s"):
        rig.pass_ms(400)
        rig.give(CardRead(rig.now_ns, Card(face)))
        if face == "6c":
            rig.give(ChipsSeen(2, "main", (chip,), since_ns, rig.now_ns))
    rig.pass_ms(2_000)
    assert [cards_of(rig, number) for number in (2, 3)] == [4, 4]


def test_where_the_key_of_the_turn_must_come_no_rhythm_begins_a_round_before_payment_is_seen() -> None:
    rig = table(turn_key="always", keys="key hole_turned")
    deal(rig, "Th 9c 9d Ts")
    deal(rig, "5h 6c Td 8s")
    assert unended(rig) == []
    assert [cards_of(rig, number) for number in (2, 3)] == [8, 0]


@pytest.mark.parametrize("paid", ["1 main 20 \n 1 main 10", "1 main 0 \n 1 main 20"], ids=["let ride", "bet anew"])
def test_a_dealer_who_forgot_turn_close_and_lock_deals_the_next_round_all_the_same(paid: str) -> None:
    rig = table(turn_key="always", keys="key hole_turned")
    deal(rig, "Th 9c 9d 7s")
    rig.talk(f"key stand \n {paid}")
    deal(rig, "5h 6c Td 8s")
    assert (unended(rig), rig.outcomes()) == ([2], ["settled", "irregular"])
    assert [cards_of(rig, number) for number in (2, 3)] == [4, 4]
    assert len(rig.events_of(HoleCardRevealed)) == 1


def uneven(rig: Rig, faces: str, gaps_ms: tuple[int, ...]) -> None:
    """Cards after a quiet time with these gaps between them."""
    rig.pass_ms(6_000)
    for face, gap_ms in zip(faces.split(), (0, *gaps_ms), strict=True):
        rig.pass_ms(gap_ms)
        rig.give(CardRead(rig.now_ns, Card(face)))
    rig.pass_ms(2_000)


def long_known(rig: Rig) -> None:
    """The dealer deals ten rounds at the pace of the first."""
    for _ in range(10):
        deal(rig, "Th 9c Kd 8s")
        rig.talk("1 main 0 \n 1 main 10")


@pytest.mark.parametrize(
    ("gaps_ms", "begun"),
    [((690, 690, 690), True), ((400, 710, 400), False)],
    ids=["slow throughout", "one too late"],
)
def test_of_a_dealer_whose_rhythm_is_hardly_known_yet_a_deal_may_be_slower(
    gaps_ms: tuple[int, ...], *, begun: bool
) -> None:
    rig = of_before(table())
    deal(rig, "Th 9c 9d Ts")
    uneven(rig, "5h 6c Td 8s", gaps_ms)
    assert cards_of(rig, 3) == (4 if begun else 0)


@pytest.mark.parametrize(("gaps_ms", "begun"), [((590, 590, 590), True), ((400, 610, 400), False)])
def test_of_one_who_has_dealt_for_a_while_it_may_not(gaps_ms: tuple[int, ...], *, begun: bool) -> None:
    rig = of_before(table())
    long_known(rig)
    deal(rig, "Th 9c 9d Ts")
    uneven(rig, "5h 6c Td 8s", gaps_ms)
    assert cards_of(rig, 13) == (4 if begun else 0)


def test_unless_round_closed_was_pressed_and_refused() -> None:
    rig = table()
    long_known(rig)
    uneven(rig, "Th 9c 9d Ts", (400, 700, 700))
    rig.talk("key round_closed")
    assert len(rig.events_of(CloseRefused)) == 1
    uneven(rig, "5h 6c Td 8s", (400, 690, 400))
    assert cards_of(rig, 13) == 4


def test_or_no_more_bets_was() -> None:
    rig = table()
    long_known(rig)
    uneven(rig, "Th 9c 9d Ts", (400, 700, 700))
    rig.talk("key no_more_bets")
    assert len(rig.events_of(KeyRefused)) == 1
    uneven(rig, "5h 6c Td 8s", (400, 690, 400))
    assert cards_of(rig, 13) == 4


def test_an_irregular_round_gives_way_to_the_next_deal() -> None:
    rig = table()
    deal(rig, "Th 9c 9d Ts")
    rig.talk("Kh 3c 5d 6h 2c")
    rig.pass_ms(4_000)
    deal(rig, "5h 6c Td 8s")
    assert rig.outcomes() == ["settled", "irregular"]
    assert cards_of(rig, 3) == 4


@pytest.mark.parametrize("heard", ["Th 9c 9d Ts", "Th 9c 9d"], ids=["dealt", "a card of the deal unheard"])
def test_a_round_of_which_nobody_says_whether_cards_are_missing_gives_way_too(heard: str) -> None:
    rig = table()
    deal(rig, heard)
    for state in (HealthState.LOST, HealthState.READY):
        rig.give(DeviceHealth("shoe", state, rig.now_ns))
    deal(rig, "5h 6c Td 8s")
    assert [cards_of(rig, number) for number in (1, 2, 3)] == [4, len(heard.split()), 4]
    assert (unended(rig), rig.outcomes()) == ([2], ["settled", "irregular"])


def test_nobody_is_accused_in_the_round_after_it() -> None:
    rig = table()
    deal(rig, "Th 9c 9d Ts")
    for state in (HealthState.LOST, HealthState.READY):
        rig.give(DeviceHealth("shoe", state, rig.now_ns))
    deal(rig, "5h 6c Td 8s")
    assert rig.table.state.round is not None
    assert rig.table.state.round.evidence.unheard


def test_wagers_whose_lock_still_waits_for_a_chip_between_two_zones_are_open() -> None:
    rig = table()
    rig.talk("1 lucky_ladies 5")
    (chip,) = rig.lying[1, "lucky_ladies"]
    rig.lay(1, "insurance", (chip,))
    deal(rig, "Th 9c 9d Ts")
    assert [event.round for event in rig.events_of(BettingClosed)] == [1]
    deal(rig, "5h 6c Td 8s")
    opened = [(one.round, one.bet, one.wager_cents) for one in rig.events_of(WagerUnresolved)]
    assert (opened, unended(rig)) == ([(2, "main", 1000), (2, "lucky_ladies", 500)], [2])


def test_so_are_both_that_such_a_chip_may_be_of() -> None:
    rig = table()
    (chip,) = rig.lying[1, "main"]
    rig.lay(1, "lucky_ladies", (chip,))
    deal(rig, "Th 9c 9d Ts")
    deal(rig, "5h 6c Td 8s")
    opened = [(one.bet, one.wager_cents) for one in rig.events_of(WagerUnresolved)]
    assert opened == [("main", 1000), ("lucky_ladies", 1000)]


def test_so_is_a_main_wager_that_such_a_chip_is_of() -> None:
    rig = table()
    (chip,) = rig.lying[1, "main"]
    rig.lay(1, "insurance", (chip,))
    deal(rig, "Th 9c 9d Ts")
    deal(rig, "5h 6c Td 8s")
    assert (unended(rig), rig.outcomes()) == ([2], ["settled", "open"])
    assert [one.bet for one in rig.events_of(WagerUnresolved)] == ["main"]


def back_and_gone(rig: Rig) -> None:
    """The shoe is pulled and plugged in again."""
    for state in (HealthState.LOST, HealthState.READY):
        rig.give(DeviceHealth("shoe", state, rig.now_ns))


def test_cards_after_it_that_are_no_deal_may_be_the_rest_of_one_and_are_asked_about_again() -> None:
    rig = table()
    deal(rig, "Th 9c 9d Ts")
    back_and_gone(rig)
    rig.talk("1 main 0 \n 1 main 20")
    deal(rig, "3s Kh")
    rig.pass_ms(1_000)
    assert [cards_of(rig, number) for number in (2, 3)] == [4, 2]
    assert len(rig.events_of(QuestionAsked)) == 2
    rig.talk("1 main 0 \n 1 main 10")
    deal(rig, "5h 6c Td 8s")
    assert [cards_of(rig, number) for number in (2, 3, 4)] == [4, 2, 4]
    assert len(rig.events_of(QuestionAsked)) == 2
    assert 3 not in {one.round for one in rig.events_of(WagerSettled)}


def test_a_deal_after_it_is_one_and_asked_about_no_more() -> None:
    rig = table()
    deal(rig, "Th 9c 9d Ts")
    back_and_gone(rig)
    rig.talk("1 main 0 \n 1 main 20")
    deal(rig, "5h 6c Td 8s")
    assert [cards_of(rig, number) for number in (2, 3)] == [4, 4]
    assert len(rig.events_of(QuestionAsked)) == 1


def test_so_does_one_whose_dealer_is_known_to_have_drawn_once_more() -> None:
    rig = table()
    deal(rig, "Td 9c 7d 2s")
    rig.talk("key hole_turned \n 4c")
    for state in (HealthState.LOST, HealthState.READY):
        rig.give(DeviceHealth("shoe", state, rig.now_ns))
    deal(rig, "5h 6c Td 8s")
    assert [cards_of(rig, number) for number in (1, 2, 3)] == [4, 5, 4]
    assert rig.outcomes() == ["settled", "irregular"]


def test_its_own_next_card_is_its_own() -> None:
    rig = table()
    deal(rig, "Th 2c")
    for state in (HealthState.LOST, HealthState.READY):
        rig.give(DeviceHealth("shoe", state, rig.now_ns))
    deal(rig, "5h")
    rig.pass_ms(1_000)
    assert [cards_of(rig, number) for number in (1, 2, 3)] == [4, 3, 0]


def close_pending(rig: Rig, faces: str = "Th 9c 9d Ts") -> None:
    """After a deal that its rhythm did not confirm *round closed* is pressed, and the readers have still to look."""
    *first, last = faces.split()
    uneven(rig, " ".join(first), (400, 700))
    rig.late = True
    rig.pass_ms(100)
    rig.give(CardRead(rig.now_ns, Card(last)))
    rig.pass_ms(2_000)
    rig.talk("key round_closed")
    assert rig.events_of(CloseRefused) == []


@pytest.mark.parametrize("cards", [1, 2, 3, 4])
def test_a_close_refused_only_while_the_next_deals_cards_wait_leaves_them_to_its_rhythm(cards: int) -> None:
    rig = table()
    close_pending(rig)
    rig.pass_ms(6_000)
    for number, face in enumerate(["5h", "6c", "Td", "8s"], start=1):
        rig.pass_ms(400)
        rig.give(CardRead(rig.now_ns, Card(face)))
        if number == cards:
            rig.give(ChipsConfirmed(SPOTS, rig.now_ns))
            assert len(rig.events_of(CloseRefused)) == 1
    rig.late = False
    rig.pass_ms(2_000)
    assert [cards_of(rig, number) for number in (1, 2, 3)] == [4, 4, 4]
    assert unended(rig) == [2]


def test_a_card_that_waited_for_a_close_that_is_refused_and_begins_no_deal_is_the_rounds_own() -> None:
    rig = table()
    close_pending(rig, "2h 9c 2d Ts")
    deal(rig, "3h")
    rig.late = False
    rig.pass_ms(100)
    rig.pass_ms(2_000)
    assert [cards_of(rig, number) for number in (1, 2, 3)] == [4, 5, 0]
    assert len(rig.events_of(CloseRefused)) == 1


@pytest.mark.parametrize("cards", [1, 2, 4])
def test_round_closed_pressed_late_among_the_next_deals_cards_closes_the_round_before(cards: int) -> None:
    rig = table()
    deal(rig, "Th 9c 9d Ts")
    rig.pass_ms(6_000)
    for number, face in enumerate(["5h", "6c", "Td", "8s"], start=1):
        rig.pass_ms(400)
        rig.give(CardRead(rig.now_ns, Card(face)))
        if number == cards:
            rig.give(KeyPressed(rig.now_ns, KEY_OF["round_closed"]))
    rig.pass_ms(2_000)
    assert [cards_of(rig, number) for number in (1, 2, 3)] == [4, 4, 4]
    assert (unended(rig), rig.outcomes()) == ([], ["settled", "settled"])
    assert rig.postings() == ["1: spot 1 main +10.00", "2: spot 1 main +0.00"]


def test_after_one_card_that_no_deal_follows_it_closes_the_round_with_that_card() -> None:
    rig = table()
    deal(rig, "Th 9c 9d Ts")
    rig.pass_ms(6_000)
    rig.give(CardRead(rig.now_ns, Card("2h")))
    rig.give(KeyPressed(rig.now_ns, KEY_OF["round_closed"]))
    rig.pass_ms(4_000)
    assert [cards_of(rig, number) for number in (1, 2, 3)] == [4, 5, 0]
    assert rig.postings() == ["1: spot 1 main +10.00", "2: spot 1 main +10.00"]


@pytest.mark.parametrize("begun_by", ["card", "key"])
def test_pressed_while_what_ends_the_round_waits_for_the_readers_it_is_of_that_round(begun_by: str) -> None:
    rig = Rig(profile_files.load("hollywood-penn-national", {"stand_key": "always"}).rules)
    rig.talk("1 main 10 \n key no_more_bets \n Th 9c Kd 8s \n key stand hole_turned \n 1 main 20 \n 1 main 10")
    rig.pass_ms(6_000)
    rig.late = True
    rig.pass_ms(1_000)
    rig.lay(1, "main", ())
    rig.values["E0040100000000FF"] = 2_500
    laid_ns = rig.now_ns
    rig.pass_ms(1_000)
    rig.give(KeyPressed(rig.now_ns, KEY_OF["no_more_bets"]) if begun_by == "key" else CardRead(rig.now_ns, Card("5h")))
    rig.pass_ms(300)
    rig.give(KeyPressed(rig.now_ns, KEY_OF["round_closed"]))
    rig.give(ChipsSeen(1, "main", ("E0040100000000FF",), laid_ns, laid_ns + 900 * MS))
    rig.late = False
    rig.pass_ms(100)
    rig.talk("5h 6c Td 8s" if begun_by == "key" else "6c Td 8s")
    assert rig.events_of(CloseRefused, KeyRefused) == []
    assert rig.outcomes() == ["settled"]
    assert rig.table.state.round is not None
    assert (rig.table.state.round.number, rig.table.state.round.ending.closing) == (2, False)
    assert cards_of(rig, 2) == 4


def paid_late_key(rig: Rig, key: str) -> None:
    """Twenty against nineteen is paid, which looks like a split of tens, and much later a key is pressed."""
    uneven(rig, "Th 9d Tc Td", (316, 443, 375))
    rig.talk("1 main 20")
    rig.pass_ms(12_000)
    rig.talk(f"key {key}")


def test_no_more_bets_long_after_the_deal_may_be_meant_for_the_next_bets_which_the_next_deal_shows() -> None:
    rig = Rig(profile_files.load("hollywood-penn-national", {"turn_key": "sometimes"}).rules)
    rig.talk("1 main 10")
    paid_late_key(rig, "no_more_bets")
    assert [one.reason for one in rig.events_of(KeyRefused)] == ["a round is being played"]
    rig.pass_ms(500)
    for face, gap_ms in {"Qs": 0, "4h": 487, "2s": 577, "Js": 358}.items():
        rig.pass_ms(gap_ms)
        rig.give(CardRead(rig.now_ns, Card(face)))
    rig.pass_ms(2_000)
    assert [cards_of(rig, number) for number in (1, 2)] == [4, 4]
    assert (unended(rig), rig.outcomes()) == ([1], ["open"])


def test_a_card_after_it_that_begins_no_deal_is_asked_about() -> None:
    rig = Rig(profile_files.load("hollywood-penn-national", {"turn_key": "sometimes"}).rules)
    rig.talk("1 main 10")
    paid_late_key(rig, "no_more_bets")
    rig.talk("Qs")
    rig.pass_ms(4_000)
    assert rig.desired.display == "Another round begun? yes/no"
    rig.talk("key no")
    assert rig.events_of(RoundIrregular) == []


def test_unless_a_key_has_said_that_the_round_is_played_on() -> None:
    rig = Rig(profile_files.load("hollywood-penn-national", {"turn_key": "sometimes"}).rules)
    rig.talk("1 main 10")
    paid_late_key(rig, "no_more_bets split")
    rig.talk("Qs")
    rig.pass_ms(2_000)
    assert rig.events_of(QuestionAsked) == []


def test_soon_after_the_deal_it_still_says_that_the_deal_is_done() -> None:
    rig = Rig(profile_files.load("hollywood-penn-national", {"turn_key": "sometimes"}).rules)
    rig.talk("1 main 10")
    uneven(rig, "Th 9d Tc Td", (316, 443, 375))
    rig.talk("key no_more_bets")
    assert rig.events_of(KeyRefused) == []


def test_a_spot_whose_antenna_hears_a_chip_of_its_neighbour_is_no_box_of_the_next_deal() -> None:
    """The neighbour's antenna hears it first, so that it counts there; the deal is to one box all the same."""
    rig = table()
    deal(rig, "Th 9c 9d Ts")
    pushed = rig.lying[1, "main"]
    rig.values["CAFE"] = 500
    rig.lay(2, "main", ("CAFE",))
    rig.lay(1, "main", (*pushed, "CAFE"))
    deal(rig, "5h 6c Td 8s")
    rig.lay(2, "main", ())
    rig.pass_ms(2_000)
    assert [cards_of(rig, number) for number in (1, 2, 3)] == [4, 4, 4]
