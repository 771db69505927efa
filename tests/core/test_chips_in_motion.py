"""Chips that move twice within a moment: one double, one wager, and nobody's offence."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from controller.core.messages.events import ChipsChanged, HandDoubled, HandsSplit, SpotSurrendered, WagerSettled
from controller.core.messages.inputs import AcknowledgeAlert, AnswerQuestion, DaemonStarted, SetCard, VoidRound
from controller.core.messages.raised_alerts import AlertKind
from controller.core.table.state import restore
from controller.formats.replay import read_state, state_bytes
from firmware_protocols.cards import Card
from firmware_protocols.readings import CardDrawn, ChipsConfirmed, ChipsSeen, DeviceHealth, HealthState, KeyPressed
from tests.core.quick_readers import accused, alerts, deal, draw, table
from tests.core.rig import KEY_OF, MS, Rig

PROFILES = ["hollywood-penn-national", "hollywood-perryville", "borgata", "classic-shoe-and-pitch", "pitch-h17"]
KEYED = {"stand_key": "always", "turn_key": "always"}
CHANGED_HANDS = (HandDoubled, HandsSplit, SpotSurrendered)


def lift(rig: Rig, spot: int, milliseconds: int, *, same: bool = True) -> None:
    """A wager leaves its place and is laid back, in its own chips or in another."""
    chips = rig.lying[spot, "main"]
    cents = sum(rig.values[chip] for chip in chips)
    rig.lay(spot, "main", ())
    rig.pass_ms(milliseconds)
    if same:
        rig.lay(spot, "main", chips)
    else:
        rig.exchange(spot, "main", cents)


def lay(rig: Rig, spot: int, *dollars: int, gap_ms: int = 400) -> None:
    """Chips come to a box in several movements."""
    for amount in dollars:
        rig.talk(f"{spot} main {amount}")
        rig.pass_ms(gap_ms)


def draw_at_once(rig: Rig, card: str) -> None:
    """A card before any reader has looked again."""
    rig.now_ns += 200 * MS
    rig.give(CardDrawn(rig.now_ns, Card(card)))


def end(rig: Rig, *acts: str) -> None:
    """The wagers are taken and paid, and the next deal begins."""
    for act in acts:
        rig.talk(act)
        rig.pass_ms(1_300)
    rig.pass_ms(5_000)
    rig.talk("1 main 25 \n 7 main 25 \n 9s 8s 9d 9c 7d Td")
    rig.pass_ms(3_000)


@pytest.mark.parametrize("same", [True, False], ids=["the same chips", "others"])
@pytest.mark.parametrize("profile", PROFILES[:3])
def test_a_wager_lifted_and_laid_back_is_neither_surrendered_nor_doubled(profile: str, *, same: bool) -> None:
    rig = table("1 main 5 \n 7 main 100 \n 8h 7s Kh Kd 6s 9h", profile)
    lift(rig, 1, 300 if same else 50, same=same)
    rig.pass_ms(2_000)
    rig.talk("key 7 hit \n 4s \n key hole_turned")
    end(rig, "7 main 0", "1 main 0", "key round_closed")
    assert rig.events_of(*CHANGED_HANDS) == []
    assert "1: spot 1 main -5.00" in rig.postings()
    assert accused(rig) == []


def test_it_may_be_away_while_another_hand_draws() -> None:
    rig = table("1 main 5 \n 7 main 100 \n 8h 7s Kh Kd 6s 9h", **KEYED)
    chips = rig.lying[1, "main"]
    rig.talk("key stand \n 1 main 0 \n key 7 hit \n 4s")
    rig.lay(1, "main", chips)
    rig.pass_ms(3_000)
    rig.talk("key stand hole_turned")
    end(rig, "7 main 0", "1 main 0", "key round_closed")
    assert rig.postings() == ["1: spot 1 main -5.00", "1: spot 7 main -100.00"]
    assert (rig.events_of(*CHANGED_HANDS), accused(rig)) == ([], [])


def test_what_stays_away_is_a_surrender() -> None:
    rig = table("1 main 10 \n 7 main 100 \n Th 7s 9d 6d 6s 9h", **KEYED)
    rig.talk("1 main 5")
    rig.pass_ms(2_000)
    assert [one.after_cents for one in rig.events if isinstance(one, ChipsChanged)] == [1_000, 10_000]
    rig.pass_ms(1_000)
    assert [one.after_cents for one in rig.events if isinstance(one, ChipsChanged)] == [1_000, 10_000, 500]
    rig.talk("key hit \n 4s \n key stand hole_turned")
    end(rig, "7 main 0", "1 main 0", "key round_closed")
    assert rig.postings() == ["1: spot 1 main -5.00", "1: spot 7 main -100.00"]


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize("gap_ms", [100, 400, 1_100])
@pytest.mark.parametrize("keys", [KEYED, {}], ids=["keys", "no keys"])
def test_a_double_laid_in_two_movements_is_one_double(profile: str, gap_ms: int, keys: dict[str, str]) -> None:
    rig = table("1 main 50 \n 9s Jh 2c 9d", profile, **keys)
    lay(rig, 1, 75, 100, gap_ms=gap_ms)
    if keys:
        rig.talk("key double")
    rig.talk("Th")
    rig.pass_ms(4_500)
    if keys:
        rig.talk("key hole_turned")
    end(rig, "1 main 200", "1 main 0", *(["key round_closed"] if keys else []))
    assert [one.cents for one in rig.events if isinstance(one, HandDoubled) and one.round == 1] == [5_000]
    assert rig.postings()[0] == "1: spot 1 main +100.00"
    assert accused(rig) == []


def test_so_it_is_where_the_reader_takes_as_long_for_a_look() -> None:
    rig = table("1 main 50 \n 9s Jh 2c 9d", **KEYED)
    rig.chips(1, "main", 7_500, spread_ms=1_550)
    rig.pass_ms(1)
    rig.chips(1, "main", 10_000, spread_ms=1_550)
    rig.talk("Th")
    rig.pass_ms(4_500)
    assert contents(rig, 1) == [50, 100]


def test_a_split_laid_in_two_movements_is_one_split() -> None:
    rig = table("1 main 50 \n 8s Jh 8c 9d", **KEYED)
    lay(rig, 1, 75, 100)
    rig.talk("key split \n Th \n key stand \n Kd \n key stand hole_turned")
    end(rig, "1 main 0", "key round_closed")
    assert len(rig.events_of(HandsSplit)) == 1
    assert (rig.postings()[0], accused(rig)) == ("1: spot 1 main -100.00", [])


def test_a_chip_too_many_that_is_handed_back_is_none_of_the_double() -> None:
    rig = table("1 main 50 \n 4 main 30 \n 9s 3h Jh 2c 6h 4d")
    lay(rig, 1, 101, 100, gap_ms=1_000)
    rig.talk("Th")
    rig.pass_ms(2_000)
    lay(rig, 4, 60)
    rig.talk("Kh")
    rig.pass_ms(2_500)
    rig.talk("8s")
    end(rig, "4 main 120", "1 main 200", "1 main 0", "4 main 0")
    assert sorted(rig.postings())[:2] == ["1: spot 1 main +100.00", "1: spot 4 main +60.00"]
    assert accused(rig) == []


def test_a_double_lifted_to_be_proved_is_a_double_still() -> None:
    rig = table("5 main 25 \n 4h 8d 7c Qs", "classic-shoe-and-pitch")
    lay(rig, 5, 50)
    lift(rig, 5, 800)
    rig.talk("Ts")
    rig.pass_ms(4_500)
    end(rig, "5 main 100", "5 main 0")
    assert rig.postings()[0] == "1: spot 5 main +50.00"


def test_a_key_of_before_does_not_say_that_a_hand_is_off_what_came_after_it() -> None:
    """The wager is lifted and laid back, the double is keyed, and its chips come in two movements after that."""
    rig = table("1 main 50 \n 9s Jh 2c 9d", **KEYED)
    lift(rig, 1, 200)
    rig.talk("key double")
    lay(rig, 1, 75, 100, gap_ms=700)
    rig.talk("Th")
    rig.pass_ms(4_500)
    rig.talk("key hole_turned")
    end(rig, "1 main 200", "1 main 0", "key round_closed")
    assert rig.postings()[0] == "1: spot 1 main +100.00"
    assert accused(rig) == []


@pytest.mark.parametrize(("cents", "kind"), [(9_000, AlertKind.CAPPING), (100, AlertKind.PINCHING)])
def test_chips_that_stay_changed_where_no_play_explains_it_are_an_offence(cents: int, kind: AlertKind) -> None:
    rig = table("1 main 10 \n Th Ts 9d 7c", **KEYED)
    rig.chips(1, "main", cents)
    rig.pass_ms(4_000)
    rig.talk("key stand hole_turned")
    end(rig, "1 main 0", "key round_closed")
    assert kind in accused(rig)


@pytest.mark.parametrize("ending", ["key round_closed", "reader lost", "restart"])
def test_the_wait_ends_with_the_round_and_with_the_reader(ending: str) -> None:
    rig = table("1 main 50 \n 9s Jh 2c 9d", **KEYED)
    rig.talk("1 main 75")
    assert [one.after_cents for one in rig.events if isinstance(one, ChipsChanged)] == [5_000]
    if ending == "reader lost":
        rig.give(DeviceHealth("bet_spots/1", HealthState.LOST, rig.now_ns))
    elif ending == "restart":
        rig.give(DaemonStarted(rig.now_ns, "test", rig.house))
    else:
        rig.talk(ending)
    assert [one.after_cents for one in rig.events if isinstance(one, ChipsChanged)] == [5_000, 7_500]


def test_chips_that_carry_their_value_come_and_leave_as_those_of_the_registry_do() -> None:
    rig = table("1 main 50 \n 9s Jh 2c 9d", **KEYED)
    with_another = (*rig.lying[1, "main"], "E0040000000000AA")
    rig.give(ChipsSeen(1, "main", with_another, rig.now_ns - 100 * MS, rig.now_ns, {"E0040000000000AA": 2_500}))
    rig.pass_ms(1_600)
    assert [one.after_cents for one in rig.events if isinstance(one, ChipsChanged)] == [5_000, 7_500]


def test_a_checkpoint_keeps_chips_that_move() -> None:
    rig = table("1 main 50 \n 9s Jh 2c 9d", **KEYED)
    rig.talk("1 main 75")
    again = restore(rig.house, read_state(state_bytes(rig.table.state)))
    assert again.state == rig.table.state
    assert [one.spot for one in again.state.moving] == [1]


def test_the_next_bet_of_a_box_that_broke_is_no_exchange() -> None:
    rig = table("1 main 50 \n 4 main 30 \n Ts 3h Jh 6c 6h 4d", **KEYED)
    rig.talk("key hit \n Kc \n 1 main 0")
    rig.pass_ms(300)
    rig.exchange(1, "main", 2_500)
    rig.talk("key stand hole_turned")
    assert rig.postings()[0] == "1: spot 1 main -50.00"
    assert accused(rig) == []


@pytest.mark.parametrize("profile", PROFILES)
def test_how_long_chips_wait_says_nothing_of_the_hole_card(profile: str) -> None:
    """A player has twenty; the dealer's hand is complete with a ten below it and not with a five."""
    seen: set[tuple[Any, ...]] = set()
    for hole in ("Td", "5d", "9d"):
        rig = table(f"1 main 10 \n Th 9s Td {hole}", profile)
        for dollars in (0, 10, 20):
            rig.talk(f"1 main {dollars}")
            rig.pass_ms(300)
        published = tuple(type(event).__name__ for event in rig.events)
        seen.add((published, rig.desired.deadline_ns, rig.desired.confirm_ns, len(rig.table.state.moving)))
    assert len(seen) == 1


def contents(rig: Rig, spot: int) -> list[int]:
    """What was published of a box's main zone, in dollars."""
    changes = (one for one in rig.events if isinstance(one, ChipsChanged) and (one.spot, one.zone) == (spot, "main"))
    return [one.after_cents // 100 for one in changes]


def test_chips_that_came_count_once_their_reader_has_looked_after_the_card() -> None:
    rig = table("1 main 50 \n 9s Jh 2c 9d", **KEYED)
    rig.talk("key double \n 1 main 100")
    rig.give(CardDrawn(rig.now_ns, Card("Th")))
    assert contents(rig, 1) == [50]
    rig.give(ChipsConfirmed(rig.watched(), rig.now_ns))
    assert contents(rig, 1) == [50, 100]


def test_half_a_wager_that_is_left_and_then_taken_is_a_surrender() -> None:
    rig = table("1 main 10 \n 7 main 100 \n Th 7s 9d 6d 6s 9h", **KEYED)
    rig.talk("1 main 5")
    rig.pass_ms(1_000)
    rig.talk("1 main 0")
    rig.pass_ms(3_000)
    assert contents(rig, 1) == [10, 5, 0]
    rig.talk("key hit \n 4s \n key stand hole_turned")
    end(rig, "7 main 0", "key round_closed")
    assert rig.postings()[0] == "1: spot 1 main -5.00"


def test_in_the_deal_chips_that_come_count_at_once_and_chips_that_leave_may_come_back() -> None:
    rig = table("1 main 10 \n 7 main 100 \n key no_more_bets \n Th 7s")
    rig.talk("1 main 20")
    assert contents(rig, 1) == [10, 20]
    chips = rig.lying[7, "main"]
    rig.lay(7, "main", ())
    rig.lay(7, "main", chips)
    rig.pass_ms(3_000)
    assert contents(rig, 7) == [100]


@pytest.mark.parametrize("profile", PROFILES)
def test_once_the_hole_card_lies_open_and_payment_has_begun_every_change_counts_at_once(profile: str) -> None:
    rig = table("1 main 10 \n Th 9s Td 9d", profile, **KEYED)
    rig.talk("key stand hole_turned")
    rig.pass_ms(1_000)
    rig.talk("1 main 0")
    assert contents(rig, 1) == [10, 0]


def test_so_does_every_change_at_a_box_that_broke() -> None:
    rig = table("1 main 50 \n 4 main 30 \n key no_more_bets", **KEYED)
    deal(rig, "Ts 3h Jh 6c 6h 4d")
    rig.talk("key hit \n Kc")
    rig.pass_ms(500)
    rig.talk("1 main 0")
    assert contents(rig, 1) == [50, 0]


@pytest.mark.parametrize("profile", PROFILES[:3])
@pytest.mark.parametrize("looked", [True, False], ids=["looked", "not looked"])
@pytest.mark.parametrize("gap_ms", [300, 700, 1_000])
@pytest.mark.parametrize(("laid", "then"), [(55, 100), (100, 50), (100, 55)], ids=["more", "none", "less"])
def test_a_double_is_not_changed_once_its_card_is_seen(
    profile: str, laid: int, then: int, gap_ms: int, *, looked: bool
) -> None:
    rig = table("1 main 50 \n key no_more_bets", profile, **KEYED)
    deal(rig, "5h Ts 6d 9c")
    own = rig.lying[1, "main"]
    rig.talk(f"key double \n 1 main {laid}")
    draw_at_once(rig, "Th")
    rig.late = not looked
    rig.pass_ms(gap_ms)
    if then == 50:
        rig.lay(1, "main", own)
    else:
        rig.talk(f"1 main {then}")
    rig.late = False
    rig.pass_ms(5_000)
    rig.talk("key hole_turned")
    rig.pass_ms(4_000)
    rig.talk("key round_closed")
    assert contents(rig, 1) == [50, laid, then]
    assert rig.postings() == []
    assert alerts(rig, AlertKind.ROUND_IRREGULAR)


def test_what_a_look_across_the_card_shows_may_have_moved_before_it() -> None:
    rig = table("1 main 50 \n key no_more_bets", **KEYED)
    deal(rig, "5h Ts 6d 9c")
    rig.talk("key double \n 1 main 75")
    looked_ns = rig.now_ns
    draw_at_once(rig, "Th")
    rig.late, rig.now_ns = True, rig.now_ns + 400 * MS
    more = "E0040000000000AA"
    chips = (*rig.lying[1, "main"], more)
    rig.give(ChipsSeen(1, "main", tuple(sorted(chips)), looked_ns, rig.now_ns, {more: 2_500}))
    rig.late, rig.lying[1, "main"] = False, chips
    rig.pass_ms(5_000)
    assert contents(rig, 1) == [50, 100]


@pytest.mark.parametrize("turn_key", ["always", "sometimes"])
@pytest.mark.parametrize("before_turn_ms", [100, 700, 1_400])
def test_a_wager_raised_just_before_the_dealers_turn_is_no_payment(turn_key: str, before_turn_ms: int) -> None:
    """The dealer pays for what lies there, 200.00 on 200.00; 100.00 was locked and is what is due."""
    rig = table("1 main 100 \n 2 main 10 \n key no_more_bets", stand_key="always", turn_key=turn_key)
    deal(rig, "Th 9s Ts Td 9c 9d")
    rig.talk("key stand")
    rig.pass_ms(1_000)
    rig.talk("1 main 200")
    rig.pass_ms(before_turn_ms)
    rig.talk("key stand")
    rig.pass_ms(200)
    rig.talk("key hole_turned")
    rig.pass_ms(3_000)
    end(rig, "1 main 400", "2 main 0", "key round_closed", "1 main 0")
    assert rig.postings()[:2] == ["1: spot 1 main +100.00", "1: spot 2 main -10.00"]
    assert accused(rig) == [AlertKind.CAPPING]


@pytest.mark.parametrize("before_turn_ms", [100, 700, 1_400])
def test_one_raised_between_the_last_stand_and_the_turn_is_for_the_floor(before_turn_ms: int) -> None:
    """A dealer who pays before he keys the turn looks the same, so it accuses nobody."""
    rig = table("1 main 100 \n 2 main 10 \n key no_more_bets", **KEYED)
    deal(rig, "Th 9s Ts Td 9c 9d")
    rig.talk("key stand stand \n 1 main 200")
    rig.pass_ms(before_turn_ms)
    rig.talk("key hole_turned")
    rig.pass_ms(3_000)
    end(rig, "1 main 400", "2 main 0", "key round_closed", "1 main 0")
    assert alerts(rig, AlertKind.ROUND_IRREGULAR)
    assert accused(rig) == []


def test_chips_that_come_to_the_insurance_line_after_the_turn_are_reported_as_such() -> None:
    rig = table("1 main 100 \n 2 main 10 \n key no_more_bets", **KEYED)
    deal(rig, "Th 9s Td 8d 9c 9d")
    rig.talk("key stand stand hole_turned")
    rig.pass_ms(3_000)
    rig.talk("1 insurance 50")
    rig.pass_ms(6_000)
    assert alerts(rig, *AlertKind) == [AlertKind.PAST_POSTING]


@pytest.mark.parametrize("left", [0, 50])
@pytest.mark.parametrize("before_turn_ms", [100, 1_000, 2_000])
def test_a_wager_lowered_between_the_last_stand_and_the_turn_is_an_alert(left: int, before_turn_ms: int) -> None:
    """It accuses no player, for a dealer may key the turn once he has begun to take."""
    rig = table("1 main 50 \n 2 main 10 \n 1 main 100 \n key no_more_bets", **KEYED)
    deal(rig, "Th 9s Ts 8d 9c Td")
    rig.talk(f"key stand stand \n 1 main {left}")
    rig.pass_ms(before_turn_ms)
    rig.talk("key hole_turned")
    rig.pass_ms(3_000)
    end(rig, "1 main 0", "2 main 0", "key round_closed")
    assert alerts(rig, AlertKind.CHIPS_UNEXPLAINED)
    assert accused(rig) == []


def test_a_wager_lifted_and_laid_back_across_the_turn_is_no_alert() -> None:
    rig = table("1 main 100 \n 2 main 10 \n key no_more_bets", **KEYED)
    deal(rig, "Th 9s Ts 8d 9c Td")
    chips = rig.lying[1, "main"]
    rig.talk("key stand stand \n 1 main 0")
    rig.pass_ms(500)
    rig.talk("key hole_turned")
    rig.lay(1, "main", chips)
    rig.pass_ms(3_000)
    end(rig, "1 main 0", "2 main 0", "key round_closed")
    assert rig.postings()[:2] == ["1: spot 1 main -100.00", "1: spot 2 main -10.00"]
    assert alerts(rig, *AlertKind) == []


BESIDE: dict[str, AnswerQuestion | SetCard | AcknowledgeAlert | DeviceHealth | str] = {
    "a refused answer": AnswerQuestion(0, 999, "no", "M. Okafor"),
    "a refused order": SetCard(0, 99_999, None, "M. Okafor", "misread"),
    "an acknowledgement": AcknowledgeAlert(0, 99_999, "M. Okafor", "seen"),
    "call_floor": "call_floor",
    "undo": "undo",
    "yes": "yes",
    "a key without a meaning": "ZZ",
    "cut_card": "cut_card",
    "a spot": "1",
    "another reader": DeviceHealth("bet_spots/5", HealthState.LOST, 0),
}


@pytest.mark.parametrize("beside", BESIDE)
def test_a_double_is_one_whatever_is_pressed_or_ordered_between_its_movements(beside: str) -> None:
    rig = table("1 main 50 \n key no_more_bets", **KEYED)
    deal(rig, "5h Ts 6d 9c")
    lay(rig, 1, 75, gap_ms=300)
    match BESIDE[beside]:
        case str(key):
            rig.give(KeyPressed(rig.now_ns, KEY_OF.get(key, key)))
        case other:
            rig.give(replace(other, at_ns=rig.now_ns))
    rig.pass_ms(300)
    lay(rig, 1, 100)
    rig.pass_ms(3_000)
    rig.talk("Kd")
    rig.pass_ms(2_000)
    rig.talk("key hole_turned")
    end(rig, "1 main 200", "key round_closed", "1 main 0")
    assert rig.postings()[0] == "1: spot 1 main +100.00"
    assert accused(rig) == []


def test_chips_that_never_rest_are_reported_as_they_move() -> None:
    rig = table("1 main 50 \n 9s Jh 2c 9d", **KEYED)
    lay(rig, 1, *range(51, 61), gap_ms=800)
    assert contents(rig, 1)[1:2] == [58]


def test_while_one_boxs_chips_move_the_readers_of_the_others_are_believed() -> None:
    rig = table("1 main 50 \n 4 main 30 \n 9s 3h Jh 2c 6h 4d", **KEYED)
    rig.talk("4 main 0")
    rig.give(ChipsConfirmed(rig.watched(), rig.now_ns))
    assert rig.table.state.confirmed["1"] == rig.now_ns > rig.table.state.confirmed["4"]


def test_a_wager_that_was_lifted_hides_no_payment() -> None:
    """Nothing is said of too little paid where a reader looks seldom; this one has looked all the time."""
    rig = table("1 main 10 \n Th Ts 9d 7c", **KEYED)
    lift(rig, 1, 700)
    rig.talk("key stand hole_turned")
    rig.pass_ms(1_500)
    end(rig, "1 main 15", "key round_closed", "1 main 0")
    assert alerts(rig, AlertKind.MISPAY)


def test_how_long_chips_wait_says_nothing_of_a_doubled_hand_against_any_hole_card() -> None:
    """Twenty-one was doubled: with a ten below it the dealer's hand is complete, and with a five it is not."""
    seen: set[tuple[Any, ...]] = set()
    for hole in ("Td", "5d", "9d"):
        rig = table(f"1 main 10 \n 6h 9s 5c {hole} \n 1 main 20 \n Th")
        rig.pass_ms(2_000)
        rig.talk("1 main 0")
        rig.pass_ms(300)
        seen.add((tuple(contents(rig, 1)), rig.desired.deadline_ns, len(rig.table.state.moving)))
    assert len(seen) == 1


def test_nor_of_hands_that_lie_face_down() -> None:
    """Twenty-six broke; sixteen may draw."""
    seen: set[tuple[Any, ...]] = set()
    for card in ("Tc", "2c"):
        rig = table(f"1 main 10 \n 4 main 10 \n Th 9h 8s 6c 9c Ts \n {card}", "pitch-h17")
        rig.pass_ms(2_000)
        rig.talk("1 main 0")
        rig.pass_ms(300)
        seen.add((tuple(contents(rig, 1)), rig.desired.deadline_ns, len(rig.table.state.moving)))
    assert len(seen) == 1


@pytest.mark.parametrize("left", [0, 5])
def test_a_surrender_that_its_reader_reports_after_the_close_is_no_hand_that_was_played(left: int) -> None:
    """The dealer's nineteen beats sixteen, and no key says whether the player gave up before that."""
    rig = table("1 main 10 \n key no_more_bets", stand_key="sometimes")
    deal(rig, "6h Jd Js 9d")
    looked_ns, rig.late = rig.now_ns, True
    rig.pass_ms(2_000)
    rig.talk("key round_closed round_closed")
    assert rig.postings() == []
    chip = "E0040000000000AA"
    chips, values = ((chip,), {chip: 500}) if left else ((), {})
    rig.give(ChipsSeen(1, "main", chips, looked_ns, rig.now_ns, values))
    rig.lying[1, "main"], rig.late = chips, False
    rig.pass_ms(4_000)
    assert rig.postings() in ([], ["1: spot 1 main -5.00"])


def test_a_split_and_the_doubles_after_it_are_not_one_raise_however_slow_their_reader_is() -> None:
    """The first hand is doubled for less and pushes, the second for as much and wins.

    What the second look shows may also be the rest of the first double with one for less: it may be left open.
    """
    rig = table("1 main 25 \n 4d 9h 4s 6d")
    rig.late = True
    since_ns = rig.now_ns
    for cents, cards in ((2_500, ("7c",)), (450, ("7h", "7h")), (2_500, ("Qs",))):
        rig.pass_ms(700)
        looked_ns = rig.now_ns
        rig.lying[1, "main"] = (*rig.lying[1, "main"], f"E00400000000000{len(rig.values):X}")
        rig.values[rig.lying[1, "main"][-1]] = cents
        draw(rig, *cards, gap_ms=400)
        rig.give(ChipsSeen(1, "main", rig.lying[1, "main"], since_ns, looked_ns))
        since_ns = looked_ns
    rig.late = False
    rig.pass_ms(2_000)
    draw(rig, "3s")
    rig.pass_ms(2_000)
    end(rig, "1 main 129", "1 main 0")
    assert rig.postings()[:1] in ([], ["1: spot 1 main +50.00"])
    assert accused(rig) == []


def test_chips_that_move_when_their_round_is_voided_move_on_without_it() -> None:
    rig = table("1 main 50 \n 9s Jh 2c 9d", **KEYED)
    rig.talk("1 main 75")
    rig.give(VoidRound(rig.now_ns, 1, "floor", "misdeal"))
    rig.talk("1 main 100 \n 1 main 0")
    rig.pass_ms(3_000)
    assert [one.after_cents for one in rig.events if isinstance(one, ChipsChanged)][-2:] == [10_000, 0]


@pytest.mark.parametrize("back_ms", [1_500, 9_000])
def test_a_wager_that_is_lifted_as_its_reader_is_lost_is_not_pinched(back_ms: int) -> None:
    rig = table("1 main 25 \n 8s Jh 8c 9d", **KEYED)
    rig.talk("1 main 50 \n key split \n Td")
    rig.pass_ms(3_000)
    reader, lying = "bet_spots/1", rig.lying[1, "main"]
    rig.talk("1 main 0")
    rig.pass_ms(300)
    rig.give(DeviceHealth(reader, HealthState.LOST, rig.now_ns))
    lost_ns = rig.now_ns
    rig.pass_ms(back_ms)
    rig.give(DeviceHealth(reader, HealthState.READY, rig.now_ns))
    rig.lying[1, "main"] = lying
    rig.give(ChipsSeen(1, "main", lying, lost_ns, rig.now_ns))
    rig.pass_ms(3_000)
    rig.talk("key stand \n Tc \n key stand \n key hole_turned")
    rig.pass_ms(3_000)
    rig.talk("1 main 0 \n key round_closed")
    rig.pass_ms(8_000)
    assert alerts(rig, AlertKind.PINCHING, AlertKind.CHIPS_UNEXPLAINED) == []
    assert all(one.net_cents == -5_000 for one in rig.events if isinstance(one, WagerSettled))
