"""The table around the rounds: the lock, chips that puzzle, cards outside a round, keys that mean nothing."""

from __future__ import annotations

import pytest

from controller.core.game.wager import LockedWager
from controller.core.messages.alerts import (
    AssistanceRequested,
    BetDecreasedAfterLock,
    BetIncreasedAfterLock,
    CardOutsideRound,
    ChipSeenTwice,
    ChipsExchanged,
    CloseRefused,
    DeviceAlarm,
    KeyRefused,
    LineErrors,
    RoundIrregular,
    UnknownChip,
)
from controller.core.messages.events import (
    BettingClosed,
    CardBurned,
    CardDrawn,
    CardOpened,
    ChipsChanged,
    HoleCardRevealed,
    RoundClosed,
    WagerSettled,
)
from controller.io.files import profile_files
from firmware_protocols import readings
from firmware_protocols.cards import Card
from firmware_protocols.readings import (
    ChipsConfirmed,
    ChipsSeen,
    DeviceComplained,
    DeviceHealth,
    HealthState,
    KeyPressed,
    LineDisturbed,
)
from tests.core.rig import MS, SPOTS, Rig, penn, rig_with
from tests.core.summaries import summary

KEYED = penn(stand_key="always")
HAND = "Th 9c 6d 8s"


def locked(rig: Rig) -> list[tuple[tuple[int, str, int], ...]]:
    """The wagers of each lock published."""
    return [
        tuple((wager.spot, wager.bet, wager.cents) for wager in event.wagers) for event in rig.events_of(BettingClosed)
    ]


def test_bets_are_locked_by_the_key() -> None:
    rig = Rig(profile_files.load("hollywood-penn-national").rules)
    rig.talk("3 main 10 \n 1 main 25 \n 1 lucky_ladies 5 \n key no_more_bets")
    assert rig.events_of(BettingClosed) == [
        BettingClosed(
            1,
            (LockedWager(1, "main", 2500), LockedWager(1, "lucky_ladies", 500), LockedWager(3, "main", 1000)),
            rig.house.profile_hash,
        )
    ]


def test_bets_are_locked_by_the_first_card() -> None:
    assert locked(rig_with("3 main 10 \n Th")) == [((3, "main", 1000),)]


def test_bets_are_not_locked_twice() -> None:
    assert locked(rig_with(f"1 main 10 \n key no_more_bets \n {HAND}")) == [((1, "main", 1000),)]


def test_no_bets_cannot_be_locked() -> None:
    rig = rig_with("key no_more_bets")
    assert rig.events_of(BettingClosed, KeyRefused) == [
        KeyRefused("P", "no_more_bets", "no wager lies on the layout", "no_wager")
    ]


def test_nor_while_a_round_is_played() -> None:
    rig = rig_with(f"1 main 10 \n {HAND} \n key no_more_bets")
    assert rig.events_of(KeyRefused) == [KeyRefused("P", "no_more_bets", "a round is being played", "round_in_play")]


def test_the_key_of_the_next_lock_closes_a_round_that_is_being_paid() -> None:
    rig = rig_with(f"1 main 10 \n {HAND} \n key stand \n 1 main 20 \n key no_more_bets")
    assert rig.outcomes() == ["settled"]
    assert locked(rig) == [((1, "main", 1000),), ((1, "main", 2000),)]


def test_a_locked_round_without_cards_is_void() -> None:
    rig = rig_with("1 main 10 \n key no_more_bets round_closed")
    assert rig.events_of(RoundClosed) == [RoundClosed(1, (), 0, "void")]


def test_what_is_left_from_the_last_round_is_a_wager_of_the_next() -> None:
    rig = rig_with(f"1 main 10 \n {HAND} \n key stand hole_turned \n 1 main 20 \n key round_closed no_more_bets")
    assert locked(rig)[1] == ((1, "main", 2000),)


def seen(rig: Rig, spot: int, cents: int, when: tuple[int, int]) -> None:
    """A reader reports what it saw; nobody confirms anything yet."""
    chip = f"E0{spot:02}{cents}"
    rig.values[chip] = cents
    rig.give(ChipsSeen(spot, "main", (chip,) if cents else (), *when))


def drawn(rig: Rig, faces: str) -> None:
    for face in faces.split():
        rig.now_ns += 500 * MS
        rig.give(readings.CardDrawn(rig.now_ns, Card(face)))


def confirmed(rig: Rig, *spots: int) -> None:
    rig.now_ns += 1
    rig.give(ChipsConfirmed(spots or SPOTS, rig.now_ns))


def test_chips_that_lay_in_time_are_locked_though_they_are_reported_after_the_cards() -> None:
    rig = rig_with("1 main 10")
    rig.late = True
    before = rig.now_ns
    rig.now_ns += 400 * MS
    drawn(rig, "Th 9c 7d")
    assert locked(rig) == []
    seen(rig, 3, 2500, (before, before + 100 * MS))
    drawn(rig, "6h 8d Ts")
    confirmed(rig)
    rig.late = False
    assert locked(rig) == [((1, "main", 1000), (3, "main", 2500))]
    rig.talk("key stand stand hole_turned round_closed")
    assert sorted(summary(rig).settled) == ["1 main -10.00", "3 main +0.00"]


def test_the_lock_waits_for_every_reader_not_only_those_with_wagers() -> None:
    rig = rig_with("1 main 10")
    rig.late = True
    before = rig.now_ns
    rig.now_ns += 400 * MS
    drawn(rig, "Th")
    confirmed(rig, 1)
    assert locked(rig) == []
    seen(rig, 3, 2500, (before, before + 100 * MS))
    confirmed(rig)
    assert locked(rig) == [((1, "main", 1000), (3, "main", 2500))]


def test_the_lock_does_not_wait_for_a_reader_that_is_lost() -> None:
    rig = rig_with("1 main 10")
    rig.give(DeviceHealth("bet_spots/7", HealthState.LOST, rig.now_ns))
    rig.late = True
    drawn(rig, "Th")
    confirmed(rig, 1, 2, 3, 4, 5, 6)
    assert locked(rig) == [((1, "main", 1000),)]


def test_another_box_makes_another_card_the_hole_card() -> None:
    """Four cards were drawn while one box was known; with two boxes the hole card is the sixth."""
    rig = rig_with("1 main 10")
    rig.late = True
    before = rig.now_ns
    rig.now_ns += 400 * MS
    drawn(rig, "Th Ah 9c 6d")
    seen(rig, 2, 1000, (before, before + 100 * MS))
    drawn(rig, "Kh 8s")
    confirmed(rig)
    rig.late = False
    rig.talk("key stand hole_turned round_closed")
    assert sorted(summary(rig).settled) == ["1 main -10.00", "2 main +15.00"]
    (turned,) = rig.events_of(HoleCardRevealed)
    opened = rig.events_of(CardOpened)
    assert isinstance(turned, HoleCardRevealed)
    assert next(e.face for e in opened if e.card == turned.card) == "8s"
    assert rig.events.index(turned) < rig.events.index(next(e for e in opened if e.card == turned.card))


def test_one_box_less_opens_no_hole_card() -> None:
    rig = rig_with("1 main 10 \n 2 main 10")
    rig.late = True
    before = rig.now_ns
    rig.now_ns += 400 * MS
    drawn(rig, "Th 9c 6d 8s")
    seen(rig, 2, 0, (before, before + 100 * MS))
    confirmed(rig)
    opened = [e.face for e in rig.events_of(CardOpened)]
    assert opened == ["Th", "9c", "6d"]


def test_wagers_taken_away_in_time_leave_cards_without_bets() -> None:
    rig = rig_with("1 main 10")
    rig.late = True
    before = rig.now_ns
    rig.now_ns += 400 * MS
    drawn(rig, "Th")
    seen(rig, 1, 0, (before, before + 100 * MS))
    card = rig.number - 1
    assert rig.outcomes() == []
    rig.late = False
    rig.pass_ms(100)
    assert rig.events_of(CardOutsideRound) == [CardOutsideRound(card)]
    assert rig.outcomes() == ["void"]


def test_late_wagers_and_pinches_leave_the_locked_wager() -> None:
    rig = rig_with("1 main 10 \n Th 9c \n 1 main 15 \n 1 main 5 \n 6d 8s \n key stand hole_turned round_closed")
    assert rig.events_of(BetIncreasedAfterLock) == [BetIncreasedAfterLock(1, 1, "main", 1000, 1500)]
    assert rig.events_of(BetDecreasedAfterLock) == [BetDecreasedAfterLock(1, 1, "main", 1500, 500)]
    assert summary(rig).settled == ["1 main -10.00"]


def test_a_wager_at_a_spot_that_is_not_in_play_is_late() -> None:
    rig = rig_with(f"1 main 10 \n {HAND} \n 5 main 10")
    assert rig.events_of(BetIncreasedAfterLock) == [BetIncreasedAfterLock(1, 5, "main", 0, 1000)]


def test_chips_of_the_same_value_are_change() -> None:
    rig = Rig(KEYED, {"E1": 1000, "E2": 500, "E3": 500})
    rig.lay(1, "main", ("E1",))
    rig.talk("Th")
    rig.lay(1, "main", ("E2", "E3"))
    assert rig.events_of(ChipsExchanged, BetIncreasedAfterLock, BetDecreasedAfterLock) == [
        ChipsExchanged(1, "main", 1000)
    ]


def test_an_unknown_chip_counts_as_nothing_and_is_reported_once() -> None:
    rig = Rig(KEYED, {"E1": 1000})
    rig.lay(1, "main", ("E1", "FF"))
    rig.lay(1, "main", ("FF",))
    assert rig.events_of(UnknownChip) == [UnknownChip(1, "main", "FF")]
    assert [e.after_cents for e in rig.events_of(ChipsChanged)] == [1000, 0]


def test_a_chip_at_two_zones_counts_where_it_lay_until_it_has_left_one() -> None:
    rig = Rig(KEYED, {"E1": 1000, "E2": 500})
    rig.lay(1, "main", ("E1", "E2"))
    rig.lay(2, "main", ("E1",))
    assert rig.events_of(ChipSeenTwice) == [ChipSeenTwice("E1", ("1/main", "2/main"))]
    rig.lay(1, "main", ("E2",))
    rig.talk("key no_more_bets")
    assert locked(rig) == [((1, "main", 500), (2, "main", 1000))]


def test_a_card_with_no_bets_belongs_to_no_round() -> None:
    rig = rig_with("9c")
    assert rig.events_of(CardDrawn, CardOutsideRound, CardOpened) == [
        CardDrawn(None, 2, None, "c2"),
        CardOutsideRound(2),
    ]


def test_a_burned_card_is_announced_by_the_key() -> None:
    rig = rig_with(f"1 main 10 \n key burn \n Ac {HAND} \n key stand hole_turned round_closed")
    assert len(rig.events_of(CardBurned)) == 1
    assert summary(rig).settled == ["1 main -10.00"]


def test_or_by_the_shoe() -> None:
    rig = rig_with("1 main 10")
    rig.give(readings.CardDrawn(rig.now_ns, Card("Ac"), burn=True))
    assert rig.events_of(BettingClosed) == []
    assert len(rig.events_of(CardBurned)) == 1


@pytest.mark.parametrize(
    ("talk", "meaning", "reason"),
    [
        ("key stand", "stand", "no cards have been dealt"),
        ("1 main 10 \n key no_more_bets hole_turned", "hole_turned", "no cards have been dealt"),
        ("key round_closed", "round_closed", "no round is open"),
        ("key yes", "yes", "nothing was asked"),
        (f"1 main 10 \n {HAND} \n key no", "no", "nothing was asked"),
        ("key undo", "undo", "there is nothing to undo"),
    ],
)
def test_a_key_that_means_nothing_now_is_refused(talk: str, meaning: str, reason: str) -> None:
    rig = rig_with(talk)
    (refused,) = rig.events_of(KeyRefused)
    assert isinstance(refused, KeyRefused)
    assert (refused.meaning, refused.reason) == (meaning, reason)
    assert rig.events_of(RoundIrregular) == []


def test_a_key_outside_the_map_is_refused() -> None:
    rig = Rig(KEYED)
    rig.give(KeyPressed(rig.now_ns, "Z"))
    assert rig.events_of(KeyRefused) == [KeyRefused("Z", "", "the key map gives this key no meaning", "no_such_key")]


def test_a_digit_speaks_of_the_next_key_only() -> None:
    rig = rig_with(f"1 main 10 \n {HAND} \n key 3 call_floor stand hole_turned round_closed")
    assert rig.events_of(AssistanceRequested) == [AssistanceRequested(1)]
    assert rig.outcomes() == ["settled"]


def test_complaints_and_noise_are_passed_on() -> None:
    rig = Rig(KEYED)
    rig.give(DeviceComplained("shoe", "E5", "jammed", rig.now_ns))
    rig.give(LineDisturbed("keypad", "noise", b"\xff\x00", rig.now_ns))
    assert rig.events_of(DeviceAlarm, LineErrors) == [
        DeviceAlarm("shoe", "E5", "jammed"),
        LineErrors("keypad", "noise", "ff00"),
    ]


def test_a_round_closed_too_early_goes_to_the_floor() -> None:
    rig = rig_with("1 main 10 \n Th 9c \n key round_closed round_closed")
    assert rig.events_of(RoundIrregular) == [RoundIrregular(1, "the round was closed before it could end")]
    assert rig.outcomes() == ["irregular"]


def test_a_round_closed_before_a_hand_was_finished_goes_to_the_floor() -> None:
    rig = rig_with(f"1 main 10 \n {HAND} \n key round_closed round_closed")
    assert rig.outcomes() == ["irregular"]


def test_a_slip_of_the_finger_neither_closes_a_round_nor_opens_the_hole_card() -> None:
    rig = rig_with(f"1 main 10 \n {HAND} \n key round_closed")
    assert len(rig.events_of(CloseRefused)) == 1
    assert rig.events_of(HoleCardRevealed) == []
    rig.talk("key stand hole_turned round_closed")
    assert rig.outcomes() == ["settled"]


def test_a_round_whose_dealer_must_draw_whatever_the_hole_card_is_not_closed_by_a_slip() -> None:
    rig = rig_with("1 main 10 \n Th 2c 9d 8s \n key stand round_closed")
    assert len(rig.events_of(CloseRefused)) == 1
    assert rig.outcomes() == []
    rig.talk("key hole_turned \n Tc \n key round_closed")
    assert (rig.postings(), rig.outcomes()) == (["1: spot 1 main -10.00"], ["settled"])


def test_cards_after_the_close_belong_to_the_next_round() -> None:
    rig = rig_with(f"1 main 10 \n {HAND} \n key stand round_closed \n {HAND}")
    assert rig.outcomes() == ["settled"]
    rounds = [e.round for e in rig.events_of(CardDrawn)]
    assert rounds == [1] * 4 + [2] * 4


def test_a_next_round_before_the_readers_confirmed_waits_for_them() -> None:
    rig = rig_with(f"1 main 10 \n {HAND}")
    rig.late = True
    rig.talk("key stand round_closed \n Th")
    assert rig.outcomes() == []
    rig.late = False
    rig.pass_ms(100)
    assert rig.outcomes() == ["settled"]
    assert rig.table.state.round is not None
    assert (rig.table.state.round.number, len(rig.table.state.round.cards.drawn)) == (2, 1)


def test_a_next_round_before_the_readers_confirmed_leaves_the_last_to_the_floor_where_more_is_in_doubt() -> None:
    rig = rig_with(f"1 main 10 \n {HAND}")
    rig.late = True
    rig.talk("key stand round_closed \n Th")
    rig.give(DeviceComplained("bet_spots", "slow", "a zone was not looked at", rig.now_ns))
    assert [e.reason for e in rig.events_of(RoundIrregular)] == [
        "the readers had not confirmed the layout when the next round began"
    ]


def test_a_card_reported_before_the_chips_of_its_double_waits_for_them() -> None:
    rig = rig_with("1 main 10 \n 6h 9c 5d 8s \n key double")
    rig.late = True
    before = rig.now_ns
    rig.now_ns += 400 * MS
    drawn(rig, "9d")
    assert rig.events_of(RoundIrregular) == []
    seen(rig, 1, 2000, (before, before + 200 * MS))
    confirmed(rig)
    rig.late = False
    rig.talk("key hole_turned round_closed")
    assert summary(rig).settled == ["1 main +20.00"]


def test_but_not_beyond_the_readers_word_that_there_are_none() -> None:
    rig = rig_with("1 main 10 \n 6h 9c 5d 8s \n key double")
    rig.late = True
    drawn(rig, "9d")
    assert rig.events_of(RoundIrregular) == []
    confirmed(rig)
    assert [event.reason for event in rig.events_of(RoundIrregular)] == ["no legal play explains the evidence"]


def test_a_round_whose_times_leave_too_much_open_goes_to_the_floor() -> None:
    rig = rig_with("\n".join(f"{spot} main 10" for spot in SPOTS) + "\n" + "9h " * 7 + "Ac " + "8h " * 7 + "9s")
    rig.late = True
    before = rig.now_ns
    rig.now_ns += 5_000 * MS
    for content in (100, 200, 300, 400):
        for spot in SPOTS:
            chip = f"E1{spot}{content}"
            rig.values[chip] = content
            rig.give(ChipsSeen(spot, "insurance", (chip,), before, rig.now_ns))
    assert [event.reason for event in rig.events_of(RoundIrregular)] == [
        "the times of the readings leave too many orders open"
    ]


def test_insurance_whose_reader_fell_silent_is_left_to_people() -> None:
    rig = Rig(penn(stand_key="always"))
    rig.talk("1 main 10 \n Th As 9d 6d \n 1 insurance 5")
    rig.give(DeviceHealth("bet_spots/1", HealthState.LOST, rig.now_ns, "no answer"))
    rig.talk("key insurance_closed stand hole_turned \n Kc \n key round_closed")
    assert not [one for one in rig.events if isinstance(one, WagerSettled) and one.bet == "insurance"]
