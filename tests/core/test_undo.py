"""The key *undo*: what the dealer can take back, and what stays."""

from __future__ import annotations

import msgspec
import pytest

from controller.core.messages.alerts import (
    AnswerRefused,
    AssistanceRequested,
    CloseRefused,
    KeyRefused,
    RoundIrregular,
)
from controller.core.messages.events import (
    BettingClosed,
    CardBurned,
    CardOpened,
    HandCompleted,
    KeyRead,
    KeyUndone,
    QuestionAsked,
    QuestionWithdrawn,
    RoundClosed,
    WagerAdjusted,
    WagerSettled,
)
from controller.core.messages.floor_events import RoundResumed
from controller.core.messages.inputs import DeclareBox, ShoeChanged, VoidRound
from controller.core.step import step
from controller.core.table.keymap import MEANINGS
from controller.core.table.state import State, restore
from controller.io.files import profile_files
from firmware_protocols.readings import KeyPressed
from tests.core.rig import Rig, penn, rig_with
from tests.core.test_admission import NEWCOMER, pitch

KEYED = penn(stand_key="always")
TWELVE = "1 main 10 \n Th 9c 2d 8s"
NOTHING = "there is nothing to undo"


def refusals(rig: Rig) -> list[str]:
    return [event.reason for event in rig.events_of(KeyRefused)]


def withdrawn(rig: Rig) -> list[str]:
    return [event.meaning for event in rig.events_of(KeyUndone)]


def test_a_stand_that_was_none_is_taken_back_and_the_player_draws() -> None:
    rig = rig_with(f"{TWELVE} \n key stand undo hit \n 9h \n key hole_turned round_closed")
    assert withdrawn(rig) == ["stand"]
    assert rig.outcomes() == ["settled"]
    assert rig.events_of(RoundIrregular) == []
    # The stand had the dealer's seventeen win, and that had been published.
    assert rig.postings() == ["1: spot 1 main -10.00"]
    (adjusted,) = rig.events_of(WagerAdjusted)
    assert isinstance(adjusted, WagerAdjusted)
    assert (adjusted.before_cents, adjusted.net_cents, adjusted.who) == (-1000, 1000, "dealer")
    assert adjusted.why == "key stand taken back"
    assert [event.total for event in rig.events_of(HandCompleted)] == [12, 21]


def test_a_press_is_named_by_its_reading() -> None:
    rig = rig_with(f"{TWELVE} \n key stand")
    number = rig.number
    while not isinstance(rig.stamped[number - 1].input, KeyPressed):
        number -= 1
    rig.key("undo")
    assert rig.events_of(KeyUndone) == [KeyUndone(1, number, "stand")]


def test_before_anything_was_settled_nothing_is_adjusted() -> None:
    rig = rig_with(
        "1 main 10 \n 2 main 10 \n Th 5h 6c 2d 6h Ts \n key stand undo hit \n 9h \n key stand hole_turned \n 5c"
    )
    rig.key("round_closed")
    assert rig.events_of(WagerAdjusted) == []
    assert rig.postings() == ["1: spot 1 main +0.00", "1: spot 2 main -10.00"]


def test_a_card_ends_what_can_be_taken_back() -> None:
    rig = rig_with(f"{TWELVE} \n key hit \n 3h \n key undo")
    assert refusals(rig) == [NOTHING]
    assert withdrawn(rig) == []


def test_pressed_again_it_takes_back_the_press_before() -> None:
    rig = rig_with("1 main 10 \n 2 main 10 \n Th 5h 9c 8d 6h 8s \n key stand stand undo undo undo")
    assert withdrawn(rig) == ["stand", "stand"]
    assert refusals(rig) == [NOTHING]
    rig.talk("key hit \n 3c \n key stand hole_turned round_closed")
    assert rig.outcomes() == ["settled"]
    assert rig.postings()[-1:] == ["1: spot 2 main -10.00"]


def test_a_key_without_a_legal_play_is_cured() -> None:
    rig = rig_with("1 main 10 \n Th 9c Jd 8s \n key split undo")
    assert rig.events_of(RoundIrregular) == []
    rig.talk("key surrender surrender")
    assert len(rig.events_of(RoundIrregular)) == 1
    rig.talk("key undo")
    assert rig.events_of(RoundResumed) == [RoundResumed(1)]
    rig.talk("key hole_turned round_closed")
    assert rig.postings() == ["1: spot 1 main -5.00"]


def test_a_key_that_named_an_empty_spot_is_cured_and_nothing_else_cures_it() -> None:
    rig = rig_with(f"{TWELVE} \n key 4 stand")
    assert [event.reason for event in rig.events_of(RoundIrregular)] == ["a key names spot 4, which has no wager"]
    rig.talk("key undo undo \n key 1 stand hole_turned round_closed")
    assert withdrawn(rig) == ["stand", "4"]
    assert rig.events_of(RoundResumed) == [RoundResumed(1)]
    assert rig.postings() == ["1: spot 1 main -10.00"]


def test_a_key_that_named_an_empty_spot_is_not_cured_by_taking_back_a_later_one() -> None:
    rig = rig_with(f"{TWELVE} \n key 4 stand 1 stand undo undo")
    assert withdrawn(rig) == ["stand", "1"]
    assert rig.events_of(RoundResumed) == []
    rig.key("undo")
    assert rig.events_of(RoundResumed) == [RoundResumed(1)]


def test_a_digit_alone_names_no_spot_any_more() -> None:
    rig = rig_with("1 main 10 \n 2 main 10 \n Th 5h 6c 2d 6h Ts \n key 2 undo stand")
    assert rig.events_of(RoundIrregular) == []
    assert withdrawn(rig) == ["2"]


def test_the_close_is_taken_back_while_the_readers_are_awaited() -> None:
    rig = rig_with(f"{TWELVE} \n key stand")
    rig.late = True
    rig.talk("key hole_turned round_closed undo")
    assert rig.table.state.round is not None
    assert not rig.table.state.round.ending.close_refused
    rig.late = False
    rig.pass_ms(100)
    assert withdrawn(rig) == ["round_closed"]
    assert rig.outcomes() == []
    rig.key("round_closed")
    assert rig.outcomes() == ["settled"]


def test_a_close_that_was_refused_is_refused_again_once_it_was_taken_back() -> None:
    rig = rig_with(f"{TWELVE} \n key round_closed undo round_closed")
    assert withdrawn(rig) == ["round_closed"]
    assert len(rig.events_of(CloseRefused)) == 2
    rig.talk("key round_closed")
    assert rig.outcomes() == ["irregular"]


def test_a_second_close_taken_back_leaves_the_first_refused() -> None:
    rig = rig_with(f"{TWELVE} \n key round_closed")
    rig.late = True
    rig.talk("key stand round_closed undo")
    rig.late = False
    rig.pass_ms(100)
    assert withdrawn(rig) == ["round_closed"]
    assert rig.outcomes() == []
    assert rig.table.state.round is not None
    assert rig.table.state.round.ending.close_refused


def test_a_close_is_taken_back_though_a_later_key_that_was_taken_back_has_put_it_off() -> None:
    rig = rig_with(f"{TWELVE} \n key stand")
    rig.late = True
    rig.talk("key hole_turned round_closed hole_turned undo undo")
    assert withdrawn(rig) == ["hole_turned", "round_closed"]


def test_a_closed_round_stays_closed() -> None:
    rig = rig_with(f"{TWELVE} \n key stand hole_turned round_closed undo")
    assert refusals(rig) == ["the round is closed"]
    assert rig.events_of(WagerAdjusted) == []


def test_what_was_pressed_in_a_round_that_the_next_lock_closed_stays() -> None:
    rig = rig_with(f"{TWELVE} \n key stand hole_turned \n 1 main 20 \n key no_more_bets undo undo")
    assert rig.outcomes() == ["settled", "void"]
    assert withdrawn(rig) == ["no_more_bets"]
    assert refusals(rig) == ["the round is closed"]


def test_a_lock_that_waits_for_the_close_is_taken_back_alone() -> None:
    rig = rig_with(f"{TWELVE} \n key stand")
    rig.late = True
    rig.talk("key hole_turned round_closed no_more_bets undo")
    rig.late = False
    rig.pass_ms(100)
    assert withdrawn(rig) == ["no_more_bets"]
    assert rig.outcomes() == ["settled"]
    assert len(rig.events_of(BettingClosed)) == 1


def test_a_lock_that_came_with_the_close_is_taken_back_while_no_card_is_out() -> None:
    rig = rig_with(f"{TWELVE} \n key stand")
    rig.late = True
    rig.talk("key hole_turned round_closed no_more_bets")
    rig.late = False
    rig.pass_ms(100)
    rig.key("undo")
    assert (refusals(rig), withdrawn(rig)) == ([], ["no_more_bets"])
    assert rig.table.state.round is None


def test_a_lock_whose_round_the_floor_has_voided_stays() -> None:
    rig = rig_with("1 main 10 \n key no_more_bets")
    rig.give(VoidRound(rig.now_ns, 1, "floor", "a chip fell"))
    rig.key("undo")
    assert refusals(rig) == ["the round is closed"]


def test_bets_are_open_again() -> None:
    rig = rig_with("1 main 10 \n key no_more_bets undo \n 2 main 20 \n key no_more_bets")
    assert withdrawn(rig) == ["no_more_bets"]
    assert rig.events_of(RoundClosed) == [RoundClosed(1, (), 0, "void")]
    locked = rig.events_of(BettingClosed)[-1]
    assert [wager.spot for wager in locked.wagers] == [1, 2]
    assert rig.events_of(QuestionWithdrawn) == []


def locks(rig: Rig) -> list[list[tuple[int, str, int]]]:
    return [[(wager.spot, wager.bet, wager.cents) for wager in event.wagers] for event in rig.events_of(BettingClosed)]


def test_a_box_without_chips_is_declared_still_when_bets_are_open_again() -> None:
    rig = Rig(profile_files.load("hollywood-penn-national", {"stand_key": "always"}).rules)
    rig.talk("1 main 10 \n 4 lucky_ladies 5")
    rig.give(DeclareBox(rig.now_ns, 4, 2500, "floor", "cash plays"))
    rig.talk("key no_more_bets undo \n 1 main 0 \n key no_more_bets")
    cash = [(4, "main", 2500), (4, "lucky_ladies", 500)]
    assert locks(rig) == [[(1, "main", 1000), *cash], cash]


def test_a_lock_by_the_first_card_stays() -> None:
    rig = rig_with("1 main 10 \n Th \n key undo")
    assert refusals(rig) == [NOTHING]


def test_a_lock_taken_back_asks_no_more_about_a_newcomer_and_lets_nobody_in() -> None:
    rig = pitch()
    rig.talk(f"{NEWCOMER} \n key undo no_more_bets")
    assert rig.events_of(QuestionAsked, QuestionWithdrawn) == [
        QuestionAsked(1, 2, 4, "Spot 4 came in mid shoe: dealt in?", ("yes", "no")),
        QuestionWithdrawn(1),
        QuestionAsked(2, 3, 4, "Spot 4 came in mid shoe: dealt in?", ("yes", "no")),
    ]


def test_a_burn_that_has_not_come_is_taken_back() -> None:
    rig = rig_with("1 main 10 \n key burn undo \n Th 9c 2d 8s \n key stand hole_turned round_closed")
    assert withdrawn(rig) == ["burn"]
    assert rig.events_of(CardBurned) == []
    assert rig.outcomes() == ["settled"]


def test_a_burn_pressed_after_its_card_has_come_stays() -> None:
    rig = Rig(penn(stand_key="always", new_shoe_burns=1))
    rig.give(ShoeChanged(rig.now_ns, -1, "floor"))
    rig.talk("5h \n key burn undo")
    assert len(rig.events_of(CardBurned)) == 1
    assert (refusals(rig), withdrawn(rig)) == (["the burn has come"], [])


def test_a_shoe_that_was_not_new_stays_the_one_in_use() -> None:
    rig = pitch()
    rig.talk(NEWCOMER.replace("key no_more_bets \n Th", "key no_more_bets \n Th", 1))
    rig.talk("key no undo")
    assert refusals(rig) == ["an answer stands until the floor corrects it"]
    other = pitch()
    first, _, second = NEWCOMER.partition("\n 4 main 25")
    other.talk(f"{first} \n key burn undo \n 4 main 25 {second}")
    assert len(other.events_of(QuestionAsked)) == 1


@pytest.mark.parametrize(("key", "reason"), [("call_floor", "the floor has been called"), ("no", NOTHING)])
def test_what_is_not_taken_back(key: str, reason: str) -> None:
    rig = rig_with(f"{TWELVE} \n key {key} undo")
    assert refusals(rig)[-1] == reason
    assert withdrawn(rig) == []


def test_a_key_without_effect_shields_the_one_before() -> None:
    rig = rig_with(f"{TWELVE} \n key stand yes undo")
    assert refusals(rig) == ["nothing was asked", NOTHING]


def test_a_key_that_stays_shields_the_one_before() -> None:
    rig = rig_with(f"{TWELVE} \n key stand call_floor undo undo")
    assert refusals(rig) == ["the floor has been called"] * 2
    assert withdrawn(rig) == []


def test_a_turn_taken_back_closes_the_cards_that_come_to_hands_dealt_face_down() -> None:
    dealt = "1 main 10 \n 2 main 10 \n Th 5h 9c 2d 6h 4s"
    rig = Rig(profile_files.load("pitch-h17", {"stand_key": "always"}).rules)
    rig.talk(f"{dealt} \n key hole_turned undo hit \n 3h")
    assert withdrawn(rig) == ["hole_turned"]
    assert "3h" not in opened(rig)
    turned = Rig(rig.house.rules)
    turned.talk(f"{dealt} \n key stand stand hole_turned stand undo \n 3h")
    assert withdrawn(turned) == ["stand"]
    assert "3h" in opened(turned)


def opened(rig: Rig) -> list[str]:
    return [event.face for event in rig.events_of(CardOpened)]


def test_after_a_turn_by_mistake_the_players_play_on_and_what_was_opened_stays_open() -> None:
    rig = rig_with(f"{TWELVE} \n key hole_turned undo hit \n 9h \n key hole_turned round_closed")
    assert withdrawn(rig) == ["hole_turned"]
    assert rig.outcomes() == ["settled"]
    assert rig.postings() == ["1: spot 1 main +10.00"]


def test_each_key_of_the_map_is_published_and_no_other() -> None:
    rig = rig_with(f"{TWELVE} \n key 4 call_floor yes undo")
    rig.give(KeyPressed(rig.now_ns, "Z"))
    read = [event.meaning for event in rig.events_of(KeyRead)]
    assert read == ["4", "call_floor", "yes", "undo"]


def test_zero_answers_ten() -> None:
    rig = Rig(profile_files.load("hollywood-penn-national").rules)
    rig.talk("1 main 10 \n Th 6c 8d 7s 5c \n key 0")
    (refused,) = rig.events_of(AnswerRefused)
    assert isinstance(refused, AnswerRefused)
    assert refused.answer == "10"


def test_it_lives_through_a_checkpoint() -> None:
    straight = rig_with(f"{TWELVE} \n key 1 stand undo undo hit \n 9h \n key hole_turned round_closed")
    table = Rig(KEYED).table
    for stamped in straight.stamped[1:]:
        state = msgspec.json.decode(msgspec.json.encode(table.state), type=State)
        table = step(restore(straight.house, state), stamped).table
    assert table.state == straight.table.state


def test_at_a_table_that_asks_an_answer_by_key_stays() -> None:
    rig = Rig(profile_files.load("hollywood-penn-national").rules)
    rig.talk("1 main 10 \n Th 6c 8d 7s 5c")
    assert len(rig.events_of(QuestionAsked)) == 1
    rig.talk("key 2 undo")
    assert refusals(rig) == ["an answer stands until the floor corrects it"]
    assert [event.basis.value for event in rig.events_of(WagerSettled)] == ["answer"]


def test_a_cut_card_that_has_not_come_is_taken_back() -> None:
    rig = Rig(KEYED)
    rig.talk(f"{TWELVE} \n key cut_card undo")
    assert (withdrawn(rig), rig.table.state.shoe.cut_card) == (["cut_card"], -1)
    rig.talk("5s \n key cut_card")
    assert (rig.table.state.shoe.cut_card, refusals(rig)) == (5, [])


@pytest.mark.parametrize("meaning", sorted(MEANINGS - {"undo", "0"}))
@pytest.mark.parametrize("talk", ["", TWELVE])
def test_every_key_has_its_own_meaning_and_is_taken_back_or_says_why_not(meaning: str, talk: str) -> None:
    rig = Rig(KEYED)
    rig.talk(talk)
    before = len(refusals(rig)) + len(withdrawn(rig))
    rig.key(meaning)
    assert bool(rig.events_of(AssistanceRequested)) == (meaning == "call_floor")
    rig.key("undo")
    assert len(refusals(rig)) + len(withdrawn(rig)) > before
