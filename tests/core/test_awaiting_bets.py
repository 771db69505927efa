"""*No more bets* or a first card before a reader has reported a bet: the table looks before it says that none lies."""

from __future__ import annotations

import pytest

from controller.core.messages.alerts import (
    AssistanceRequested,
    CardOutsideRound,
    ChipsUnexplained,
    KeyRefused,
    RoundIrregular,
    WagerUncertain,
)
from controller.core.messages.events import BettingClosed, CardDealt, CardDrawn, QuestionAsked, RoundClosed
from controller.core.messages.raised_alerts import AlertRaised
from controller.io.files import profile_files
from firmware_protocols.cards import Card
from firmware_protocols.readings import CardDrawn as CardRead
from firmware_protocols.readings import ChipsConfirmed, ChipsSeen, DeviceHealth, HealthState, KeyPressed
from tests.core.rig import KEY_OF, MS, SPOTS, Rig

CHIP, BESIDE = "E004010000000001", "E004010000000002"
VALUES = {CHIP: 2500, BESIDE: 500}


def deal(rig: Rig, faces: str) -> None:
    for face in faces.split():
        rig.now_ns += 400 * MS
        rig.give(CardRead(rig.now_ns, Card(face)))


def looked(rig: Rig) -> None:
    """The readers have looked at everything up to now."""
    rig.late = False
    rig.pass_ms(100)


def seen_late(rig: Rig, zone: str, chip: str, since_ns: int, by_ns: int) -> None:
    rig.now_ns += 100 * MS
    rig.give(ChipsSeen(3, zone, (chip,), since_ns, by_ns))


def table() -> Rig:
    rig = Rig(profile_files.load("hollywood-penn-national", {"stand_key": "always"}).rules, VALUES)
    rig.late = True
    rig.pass_ms(5_000)
    return rig


def test_a_bet_reported_after_the_cards_that_were_dealt_to_it_is_their_wager() -> None:
    rig = table()
    laid_ns = rig.now_ns
    deal(rig, "Th 9c")
    assert rig.events_of(CardDrawn, CardOutsideRound) == []
    assert rig.desired.display == "Reading the bets"
    assert rig.desired.confirm_ns == laid_ns + 400 * MS
    seen_late(rig, "main", CHIP, laid_ns - 1_000 * MS, laid_ns + 500 * MS)
    looked(rig)
    deal(rig, "Kd 8s")
    rig.talk("key stand hole_turned\n3 main 50\n3 main 0\nkey round_closed")
    assert rig.events_of(CardOutsideRound) == []
    assert [one.position for one in rig.events_of(CardDrawn)] == [0, 1, 2, 3]
    assert [one.spot for one in rig.events_of(CardDealt)] == [3, 0, 3, 0]
    assert rig.postings() == ["1: spot 3 main +25.00"]


def test_a_bet_reported_after_no_more_bets_is_locked_by_the_key() -> None:
    rig = table()
    pressed_ns = rig.now_ns
    rig.give(KeyPressed(pressed_ns, KEY_OF["no_more_bets"]))
    number = rig.number
    deal(rig, "Th")
    seen_late(rig, "main", CHIP, pressed_ns - 900 * MS, pressed_ns + 300 * MS)
    looked(rig)
    assert rig.events_of(KeyRefused, CardOutsideRound) == []
    assert rig.table.state.round is not None
    assert (rig.table.state.round.bets.locked_by, rig.table.state.round.bets.lock_ns) == (number, pressed_ns)
    assert len(rig.table.state.round.cards.drawn) == 1


def test_a_card_that_truly_finds_no_chips_is_without_bets_once_the_readers_have_looked() -> None:
    rig = table()
    deal(rig, "Th")
    assert rig.events_of(CardOutsideRound) == []
    looked(rig)
    (drawn,) = rig.events_of(CardDrawn)
    assert isinstance(drawn, CardDrawn)
    assert (drawn.round, drawn.position) == (None, None)
    assert rig.events_of(CardOutsideRound) == [CardOutsideRound(drawn.card)]
    assert rig.table.state.deferred == ()


def test_no_more_bets_on_an_empty_layout_is_refused_once_the_readers_have_looked() -> None:
    rig = table()
    rig.give(KeyPressed(rig.now_ns, KEY_OF["no_more_bets"]))
    assert rig.events_of(KeyRefused) == []
    looked(rig)
    (refused,) = rig.events_of(KeyRefused)
    assert isinstance(refused, KeyRefused)
    assert refused.reason == "no wager lies on the layout"


def test_chips_laid_only_after_the_first_card_are_no_bet() -> None:
    rig = table()
    deal(rig, "Th")
    drawn_ns = rig.now_ns
    seen_late(rig, "main", CHIP, drawn_ns, drawn_ns + 50 * MS)
    looked(rig)
    assert len(rig.events_of(CardOutsideRound)) == 1
    assert rig.events_of(BettingClosed, RoundClosed) == []


def test_a_card_after_one_without_bets_waits_for_its_own_look() -> None:
    """The first was a burn nobody announced; before the second the bet was laid."""
    rig = table()
    deal(rig, "Th 9c")
    second_ns = rig.now_ns
    rig.give(ChipsConfirmed(SPOTS, second_ns - 200 * MS))
    assert len(rig.events_of(CardOutsideRound)) == 1
    assert [one.number for one in rig.table.state.deferred if isinstance(one.input, CardRead)] == [3]
    seen_late(rig, "main", CHIP, second_ns - 300 * MS, second_ns + 100 * MS)
    looked(rig)
    assert len(rig.events_of(CardOutsideRound)) == 1
    assert rig.table.state.round is not None
    assert len(rig.table.state.round.cards.drawn) == 1


def test_a_side_bet_seen_around_the_first_card_stays_open_and_accuses_nobody() -> None:
    rig = table()
    laid_ns = rig.now_ns
    deal(rig, "Th 9c")
    seen_late(rig, "main", CHIP, laid_ns - 1_000 * MS, laid_ns + 300 * MS)
    seen_late(rig, "lucky_ladies", BESIDE, laid_ns - 1_000 * MS, laid_ns + 600 * MS)
    looked(rig)
    assert rig.events_of(WagerUncertain) == [WagerUncertain(1, 3, "lucky_ladies", (0, 500))]
    assert rig.events_of(ChipsUnexplained, AlertRaised) == []


def raised(by_ms: int) -> Rig:
    """A bet, the cards dealt to it, and more chips beside it, reported in an interval from before the first card."""
    rig = table()
    laid_ns = rig.now_ns
    deal(rig, "5h 9c 6d 8s")
    rig.pass_ms(1_500)
    deal(rig, "Th")
    rig.give(ChipsSeen(3, "main", (CHIP,), laid_ns - 1_000 * MS, laid_ns + 300 * MS))
    rig.give(ChipsSeen(3, "main", (CHIP, BESIDE), laid_ns + 200 * MS, laid_ns + by_ms * MS))
    looked(rig)
    return rig


def test_chips_that_are_a_raise_before_the_deal_or_a_double_after_it_settle_nothing() -> None:
    (irregular,) = raised(by_ms=2_400).events_of(RoundIrregular)
    assert isinstance(irregular, RoundIrregular)
    assert irregular.reason == (
        "what spot 3 had bet is not known: its chips were changed before the first card, or after the deal"
    )


def test_chips_reported_before_a_hand_could_be_played_were_laid_before_the_deal() -> None:
    rig = raised(by_ms=1_500)
    assert rig.events_of(RoundIrregular) == []
    assert rig.table.state.round is not None
    assert rig.table.state.round.main_wagers() == (3000,)


def test_where_a_reader_is_lost_the_wait_ends() -> None:
    rig = table()
    deal(rig, "Th")
    rig.give(DeviceHealth("bet_spots", HealthState.LOST, rig.now_ns))
    assert len(rig.events_of(CardOutsideRound)) == 1


def test_a_burn_a_closed_table_and_a_layout_that_is_known_wait_for_nothing() -> None:
    rig = table()
    rig.give(CardRead(rig.now_ns, Card("Th"), burn=True))
    assert rig.table.state.deferred == ()
    rig.give(ChipsConfirmed(SPOTS, rig.now_ns + 1_000 * MS))
    deal(rig, "9c")
    assert len(rig.events_of(CardOutsideRound)) == 1


def test_keys_meanwhile_are_heard_after_the_card() -> None:
    rig = table()
    deal(rig, "Th")
    rig.key("call_floor")
    assert rig.events_of(AssistanceRequested) == []
    looked(rig)
    assert [type(event) for event in rig.events_of(CardOutsideRound, AssistanceRequested)] == [
        CardOutsideRound,
        AssistanceRequested,
    ]


PUSH = "1 main 10 \n key no_more_bets \n Th 9c 8h 9d"
"""18 against 18 without a key of the play: nothing shows that the player stands and lets his wager lie."""


def pushed(talk: str) -> Rig:
    rig = Rig(profile_files.load("hollywood-penn-national", {"stand_key": "sometimes"}).rules)
    rig.talk(f"{PUSH} \n {talk}")
    return rig


def test_in_journals_of_before_the_question_names_no_wagers() -> None:
    rig = Rig(profile_files.load("hollywood-penn-national", {"stand_key": "sometimes"}).rules)
    rig.change_house(next_wagers_named=False)
    rig.talk(f"{PUSH} \n key no_more_bets \n 6s")
    assert [one.text for one in rig.events if isinstance(one, QuestionAsked)] == [
        "No more bets was pressed in this round and then a card came: has another round begun?"
    ]


def test_a_card_after_a_refused_no_more_bets_may_be_the_next_rounds_and_nothing_is_settled_on_it() -> None:
    rig = pushed("key no_more_bets \n 6s")
    assert [one.reason for one in rig.events_of(KeyRefused)] == ["a round is being played"]
    (asked,) = rig.events_of(QuestionAsked)
    assert isinstance(asked, QuestionAsked)
    assert asked.text == (
        "No more bets was pressed in this round and then a card came: has another round begun?"
        " Its wagers would be what lies there: spot 1 main 10.00"
    )
    assert rig.desired.display == "Another round begun? yes/no"
    assert rig.postings() == []


PAID_UNSEEN = "1 main 10 \n key no_more_bets \n Tc Th Qs 4c \n key stand hole_turned \n 8d"
"""The dealer breaks; the payment is laid and picked up between two looks, and the wager stays for the next round."""


@pytest.mark.parametrize(("pause_s", "rounds"), [(6, 2), (0, 1)])
def test_a_card_after_it_that_no_play_can_take_begins_the_next_round(pause_s: int, rounds: int) -> None:
    """Nobody pressed *round closed*. At once after the last card both may be slips: then the question is asked."""
    rig = Rig(profile_files.load("hollywood-penn-national", {"stand_key": "always"}).rules)
    rig.talk(PAID_UNSEEN)
    assert rig.postings() == ["1: spot 1 main +10.00"]
    rig.pass_ms(1_000 * pause_s)
    rig.talk("key no_more_bets \n Ad 5c 9s 5s")
    assert rig.table.state.round is not None
    assert rig.table.state.round.number == rounds
    assert len(rig.events_of(QuestionAsked)) == 2 - rounds
    if rounds == 2:
        rig.talk("key stand hole_turned \n Qd \n 1 main 0 \n key round_closed")
        assert rig.postings() == ["1: spot 1 main +10.00", "2: spot 1 main +0.00"]
        assert rig.outcomes() == ["settled", "settled"]


def test_answered_that_none_has_begun_the_card_is_the_players() -> None:
    rig = pushed("key no_more_bets \n 6s \n key no")
    assert rig.postings() == ["1: spot 1 main -10.00"]


def test_answered_that_one_has_begun_the_round_goes_to_the_floor() -> None:
    rig = pushed("key no_more_bets \n 6s \n key yes")
    (irregular,) = rig.events_of(RoundIrregular)
    assert isinstance(irregular, RoundIrregular)
    began = "another round began before anything showed that it had ended"
    assert irregular.reason == f"{began}; its wagers, locked in no round, would be spot 1 main 10.00"
    assert rig.postings() == []


def test_where_nobody_answers_the_round_ends_once_its_chips_are_gone_and_the_next_begins() -> None:
    rig = pushed("key no_more_bets \n 6s \n 1 main 0 \n 1 main 20 \n key no_more_bets")
    assert rig.outcomes() == ["irregular"]
    (irregular,) = rig.events_of(RoundIrregular)
    unsaid = "nobody said whether another round had begun; its wagers, locked in no round, would be"
    assert irregular.reason == f"{unsaid} spot 1 main 10.00"
    assert rig.table.state.round is not None
    assert rig.table.state.round.number == 2


def test_without_a_card_a_slip_of_the_finger_asks_nothing() -> None:
    rig = pushed("key no_more_bets")
    assert rig.events_of(QuestionAsked) == []
    assert rig.desired.display == "Round 1"
