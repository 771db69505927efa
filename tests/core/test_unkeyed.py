"""``no_more_bets = "always"``: a card begins or ends no round by itself; the key does, or a person says so."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from controller.core.game.rules import Rules
from controller.core.game.wager import Basis
from controller.core.messages.alerts import (
    AnswerRefused,
    CardOutsideRound,
    KeyRefused,
    RoundIrregular,
    SettlementDisputed,
)
from controller.core.messages.events import (
    BettingClosed,
    CardDealt,
    CardOpened,
    Event,
    QuestionAnswered,
    QuestionAsked,
    QuestionWithdrawn,
    RoundClosed,
    WagerSettled,
)
from controller.core.messages.floor_events import RoundResumed, RoundVoided
from controller.core.messages.inputs import SetCard, VoidRound
from controller.core.step import step
from controller.core.table.state import restore
from controller.formats.mqtt.retained_state import RoundNow, round_bytes
from controller.formats.replay import read_state, state_bytes
from tests.core.houses import simulated
from tests.core.rig import Rig, coded, penn
from tests.core.test_admission import pitch

ASKED = "A card came before the bets were locked: has a new round begun?"
SHOWN = "Bets not locked: new round? yes/no"
DEALT = "1 main 10 \n Th 9c 9d 8s"
"""Nineteen against a nine; nobody has closed anything."""
PLAYED = f"{DEALT} \n key stand hole_turned"
PAID = f"{PLAYED} \n 1 main 20"


def rig_of(talk: str = "", **options: Any) -> Rig:
    rig = Rig(penn(**{"stand_key": "always", "no_more_bets": "always", **options}))
    rig.talk(talk)
    return rig


def reasons(rig: Rig, kind: type[KeyRefused | RoundIrregular]) -> list[str]:
    return [one.reason for one in rig.events_of(kind)]


def bases(rig: Rig) -> list[Basis]:
    return [one.basis for one in rig.events_of(WagerSettled)]


# --- the key is pressed -----------------------------------------------------------------------------------


def test_with_its_key_a_round_is_what_it_is_without_the_option() -> None:
    published: list[list[Event]] = []
    for habit in ("always", "sometimes"):
        rig = Rig(penn(stand_key="always", no_more_bets=habit))
        rig.talk("1 main 10 \n key no_more_bets \n Th 9c 9d 8s \n key stand hole_turned \n 1 main 20 \n 1 main 10")
        rig.talk("key no_more_bets \n Th 9c 9d 8s \n key stand hole_turned round_closed")
        assert rig.outcomes() == ["settled", "settled"]
        published.append(rig.events)
    assert coded(published[0]) == coded(published[1])


def test_dealers_who_press_it_are_sent_nothing_else() -> None:
    def always(rules: Rules, chips: dict[str, int]) -> Rig:
        return Rig(replace(rules, options=replace(rules.options, no_more_bets="always")), chips)

    keyed, truth = simulated("hollywood-penn-national", 77, 12, "sometimes", make=always)
    plain, _ = simulated("hollywood-penn-national", 77, 12, "sometimes")
    assert len(truth) == 12
    assert len(keyed.events_of(WagerSettled)) > 12
    assert coded(keyed.events) == coded(plain.events)


def test_the_key_that_locks_the_next_bets_while_readers_are_late_is_the_key() -> None:
    rig = rig_of("1 main 10 \n key no_more_bets \n Th 9c 9d 8s \n key stand hole_turned")
    rig.late = True
    rig.talk("key round_closed no_more_bets")
    rig.late = False
    rig.pass_ms(100)
    rig.talk("Th 9c 9d 8s \n key stand hole_turned round_closed")
    assert rig.events_of(QuestionAsked) == []
    assert rig.outcomes() == ["settled", "settled"]


def test_a_card_with_no_bets_belongs_to_no_round_as_ever() -> None:
    rig = rig_of("8h")
    assert len(rig.events_of(CardOutsideRound)) == 1
    assert rig.events_of(QuestionAsked) == []


# --- a first card without it ------------------------------------------------------------------------------


def test_without_the_key_a_first_card_asks_and_nothing_of_the_round_is_published() -> None:
    rig = rig_of(DEALT)
    assert rig.events_of(QuestionAsked) == [QuestionAsked(1, 1, None, ASKED, ("yes", "no"))]
    assert rig.desired.display == SHOWN
    assert msgspec.json.decode(round_bytes(rig.house, rig.table.state), type=RoundNow).question == 1
    assert rig.events_of(CardDealt, CardOpened, WagerSettled) == []


def test_by_default_it_locks_the_bets_and_nothing_is_asked() -> None:
    rig = rig_of(f"{PLAYED} \n key round_closed", no_more_bets="sometimes")
    assert rig.events_of(QuestionAsked) == []
    assert rig.postings() == ["1: spot 1 main +10.00"]
    assert bases(rig) == [Basis.EVIDENCE]


@pytest.mark.parametrize("cards", ["Th", "Th 9c", "Th 9c 9d 8s"])
def test_yes_a_round_began_with_it_and_is_settled_on_that_word(cards: str) -> None:
    rig = rig_of("1 main 10")
    rig.talk(cards)
    rig.talk("key yes")
    rig.talk(" ".join(["Th", "9c", "9d", "8s"][len(cards.split()) :]))
    rig.talk("key stand hole_turned round_closed")
    assert rig.events_of(QuestionAnswered) == [QuestionAnswered(1, "yes", "dealer")]
    assert rig.postings() == ["1: spot 1 main +10.00"]
    assert bases(rig) == [Basis.ANSWER]
    assert rig.outcomes() == ["settled"]


def test_no_the_cards_belong_to_no_round_stay_closed_and_bets_are_open() -> None:
    rig = rig_of("1 main 10 \n Th 9c \n key no")
    assert [one.card for one in rig.events_of(CardOutsideRound)] == [
        rig.stamped[2].number,
        rig.stamped[4].number,
    ]
    assert rig.events_of(RoundClosed) == [RoundClosed(1, (), 0, "void")]
    assert rig.events_of(CardOpened) == []
    assert rig.desired.display == "Bets open"
    rig.talk("key no_more_bets \n Th 9c 9d 8s \n key stand hole_turned round_closed")
    assert rig.postings() == ["2: spot 1 main +10.00"]
    assert bases(rig) == [Basis.EVIDENCE]


@pytest.mark.parametrize(("traced", "questions"), [(True, 1), (False, 0)])
def test_who_says_so_from_elsewhere_is_borne_out_by_the_next_deal_or_another_person(
    questions: int, *, traced: bool
) -> None:
    """It began the round: the dealer locks the bets and deals on, and the player's hit passes for the hole card."""
    rig = rig_of()
    rig.change_house(ends_traced=traced, orders_bounded=True)
    rig.talk("1 main 100 \n 2 main 10 \n 2h")
    rig.answer("no")
    rig.talk("key no_more_bets \n 9c Kd 9s Tc Qd")
    rig.pass_ms(3_000)
    rig.talk("8d \n key stand stand hole_turned")
    asked = [one.text for one in rig.events_of(QuestionAsked)][1:]
    assert (
        asked
        == ["Are the cards of this deal other ones than counted: was the card before it dealt, not burned?"] * questions
    )
    assert (rig.postings() == []) is traced


def test_the_key_pressed_too_late_is_no_answer() -> None:
    """It may speak of a round that the card began, or of one that begins now: only yes and no say which."""
    rig = rig_of("1 main 10 \n Th \n key no_more_bets")
    assert reasons(rig, KeyRefused) == ["say first whether a new round has begun: yes or no"]
    assert rig.desired.display == SHOWN


def test_the_floor_may_answer_and_other_words_are_refused() -> None:
    rig = rig_of("1 main 10 \n Th")
    rig.answer("perhaps")
    assert rig.events_of(AnswerRefused) == [AnswerRefused(1, "perhaps", "the answers are yes and no", "not_a_choice")]
    rig.answer("yes")
    assert rig.events_of(QuestionAnswered) == [QuestionAnswered(1, "yes", "floor")]


def test_a_round_of_which_nobody_said_that_it_began_goes_to_the_floor() -> None:
    rig = rig_of(f"{PLAYED} \n key round_closed no_more_bets \n Th")
    assert reasons(rig, RoundIrregular) == ["nobody said whether its first card began it"]
    assert rig.outcomes() == ["irregular"]
    assert rig.events_of(WagerSettled) == []


def test_a_void_round_asks_no_more() -> None:
    rig = rig_of("1 main 10 \n Th")
    rig.give(VoidRound(rig.now_ns, 1, "M. Okafor", "misdeal"))
    assert rig.events_of(QuestionWithdrawn) == [QuestionWithdrawn(1)]
    assert len(rig.events_of(RoundVoided)) == 1
    assert rig.desired.display == "Bets open"


def test_it_is_asked_before_who_was_let_in_and_no_withdraws_that() -> None:
    found = pitch().house.rules
    rig = Rig(replace(found, options=replace(found.options, no_more_bets="always")))
    rig.talk("1 main 10 \n key no_more_bets \n Th 9c 9d 8s \n key stand hole_turned round_closed")
    rig.talk("4 main 10 \n Th")
    shown = [one.text for one in rig.events_of(QuestionAsked)]
    assert shown == [ASKED, "Spot 4 came in mid shoe: dealt in?"]
    assert rig.desired.display == SHOWN
    rig.talk("key no")
    assert rig.events_of(QuestionWithdrawn) == [QuestionWithdrawn(2)]
    assert rig.desired.display == "Bets open"


def test_a_restart_goes_on_asking_and_the_answer_settles_the_same() -> None:
    rig = rig_of(DEALT)
    held = restore(rig.house, read_state(state_bytes(rig.table.state)))
    stepped, published = len(rig.stamped), len(rig.events)
    rig.talk("key yes stand hole_turned round_closed")
    again: list[Event] = []
    for stamped in rig.stamped[stepped:]:
        after = step(held, stamped)
        held = after.table
        again.extend(after.events)
    assert coded(again) == coded(rig.events[published:])
    assert rig.postings() == ["1: spot 1 main +10.00"]


# --- a card after payment ---------------------------------------------------------------------------------


def doubled_after_three_cards(**options: Any) -> Rig:
    """As if the shoe had reported a card twice: only payment explains chips that come after it, for 10 against 17."""
    rig = rig_of("1 main 10 \n key no_more_bets \n 5h 9c 3d 8s 2c", stand_key="sometimes", **options)
    rig.values["E004CAFE"] = 1000
    rig.lay(1, "main", (*rig.lying[1, "main"], "E004CAFE"))
    return rig


def test_a_late_card_of_the_round_settles_nothing_wrongly_and_leaves_nothing_to_doubt() -> None:
    """Without the option the card ends the round, its wager is settled as lost, and doubted only if the next is odd."""
    rig = doubled_after_three_cards()
    rig.talk("Kc \n key stand")
    assert reasons(rig, RoundIrregular) == ["no legal play explains the evidence"]
    assert rig.events_of(WagerSettled, SettlementDisputed) == []
    without = doubled_after_three_cards(no_more_bets="sometimes")
    without.talk("Kc \n key stand")
    assert without.postings() == ["1: spot 1 main -10.00"]
    assert len(without.events_of(SettlementDisputed)) == 1


def test_a_card_after_payment_is_the_open_rounds_and_not_a_new_one() -> None:
    rig = rig_of("1 main 10 \n key no_more_bets \n Th 9c 9d 8s \n key stand hole_turned \n 1 main 20 \n 5h")
    assert rig.outcomes() == []
    assert reasons(rig, RoundIrregular) == ["no legal play explains the evidence"]
    assert [one.round for one in rig.events_of(BettingClosed)] == [1]
    stray = rig.table.state.round
    assert stray is not None
    rig.give(SetCard(rig.now_ns, stray.cards.drawn[-1].number, None, "M. Okafor", "pushed out of the shoe"))
    rig.pass_ms(100)
    assert len(rig.events_of(RoundResumed)) == 1
    rig.talk("1 main 10 \n key no_more_bets \n Th 9c 9d 8s \n key stand hole_turned round_closed")
    assert rig.outcomes() == ["settled", "settled"]
