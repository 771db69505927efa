"""Boxes that are declared and then taken back or changed before their deal: the dealer may deal to them all the same.

A word that no box is in play shifts every card of the deal as one that a box is, and nothing on the layout contradicts
it. What is settled then rests on that word, and who gave it neither answers for it nor sees to its alerts.
"""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from controller.core.game.rules import Options
from controller.core.messages.events import WagerSettled
from controller.core.messages.inputs import AcknowledgeAlert, DeclareBox, VoidRound
from controller.core.messages.raised_alerts import AlertAcknowledged, AlertKind, AlertRaised
from controller.core.persons import Person
from controller.core.table.alert_list import raise_alert
from controller.core.table.state import restore
from controller.core.table.transaction import Transaction
from controller.formats.replay import read_state, state_bytes
from tests.core.rig import Rig
from tests.core.test_entries_confirmed import table as newcomers
from tests.core.test_stated_deals import FLOOR, OTHER, counted_otherwise, deal, end, rig_of, rules_of, say

HONEST, CROOK = "A. Honest", "M. Crook"
ASKED = "Are the cards of this deal other ones than counted: were some dealt to spot 5?"
ASKED_WITH_BURN = f"{ASKED[:-1]}, or was the card before it dealt, not burned?"

DEALT = {"dealt": "Ts 9d Tc 6h 9h 7d 8c Kc", "none": "Ts 9d Tc 6h 9h 7d 8c"}
"""A deal to spots 1, 2 and 5, which have 19, 16 and 18; the dealer shows a 6."""


def table(hole: str = "dealt", *, traced: bool = True) -> Rig:
    """A table of a house that wants two persons; spots 1 and 2 have bet."""
    rig = rig_of(hole)
    rig.change_house(declarations_traced=traced)
    rig.talk("1 main 100 \n 2 main 100")
    return rig


def declare(rig: Rig, who: str, cents: int, spot: int = 5) -> None:
    rig.give(DeclareBox(rig.now_ns, spot, cents, who, "plays on credit", FLOOR))


def taken_back(hole: str = "dealt", *, by: str = CROOK, traced: bool = True) -> Rig:
    """The box of spot 5 was declared, and somebody has taken it back."""
    rig = table(hole, traced=traced)
    declare(rig, HONEST, 10_000)
    declare(rig, by, 0)
    return rig


def alerts(rig: Rig) -> list[AlertRaised]:
    return [one for one in rig.events if isinstance(one, AlertRaised)]


def bases(rig: Rig) -> set[str]:
    return {str(one.basis) for one in rig.events if isinstance(one, WagerSettled)}


def acknowledged(rig: Rig, who: str) -> set[int]:
    """The alerts that a person may acknowledge: they try each."""
    for one in alerts(rig):
        rig.give(AcknowledgeAlert(rig.now_ns, one.alert, who, "seen", FLOOR))
    return {one.alert for one in rig.events if isinstance(one, AlertAcknowledged) and one.who == who}


# --- dealt to all the same ----------------------------------------------------------------------------------


@pytest.mark.parametrize("by", [CROOK, HONEST])
@pytest.mark.parametrize("hole", ["dealt", "none"])
def test_a_box_taken_back_and_dealt_to_settles_nothing_and_is_asked_about(hole: str, by: str) -> None:
    rig = taken_back(hole, by=by)
    deal(rig, DEALT[hole])
    assert counted_otherwise(rig) == [ASKED]
    deal(rig, "2c")
    end(rig)
    assert not rig.postings()
    (refused,) = say(rig, "no", by)
    assert refused.reason_code == "second_person_needed"
    assert say(rig, "yes", "J. Lee", OTHER) == [refused]
    assert rig.irregularities() == ["the cards of its deal are other ones than counted"]


def test_in_a_journal_of_before_a_box_was_settled_by_anothers_cards_on_the_evidence() -> None:
    rig = taken_back("none", traced=False)
    deal(rig, DEALT["none"])
    assert not counted_otherwise(rig)
    assert (bases(rig), alerts(rig)) == ({"evidence"}, [])


@pytest.mark.parametrize("afresh", [False, True])
@pytest.mark.parametrize("by", [CROOK, HONEST])
def test_where_the_dealer_pauses_before_its_cards_what_is_settled_rests_on_that_word(by: str, *, afresh: bool) -> None:
    """Two hands are taken for three: nothing shows it but the payments."""
    rig = taken_back("none", by=by)
    if afresh:
        rig.table = restore(rig.house, read_state(state_bytes(rig.table.state)))
    deal(rig, "Ts 9d Tc 6h 9h")
    deal(rig, "7d 8c")
    deal(rig, "Td")
    assert not counted_otherwise(rig)
    rig.talk("1 main 200 \n 2 main 0")
    rig.leave_lying()
    rig.talk("1 main 0 \n key round_closed \n 1 main 100 \n key no_more_bets")
    rig.pass_ms(4_000)
    assert bases(rig) == {"answer"}
    found = {one.alert for one in alerts(rig) if one.round == 1}
    assert found
    assert not found & acknowledged(rig, by)
    assert found <= acknowledged(rig, "J. Lee")


@pytest.mark.parametrize("more", ["", "key no_more_bets undo", "5 main 10 \n 5 main 0"])
def test_that_the_bets_were_locked_or_chips_lay_there_meanwhile_does_not_hide_it(more: str) -> None:
    rig = taken_back("none")
    rig.talk(more)
    rig.pass_ms(4_000)
    deal(rig, DEALT["none"])
    assert counted_otherwise(rig) == [ASKED]


def test_nor_does_a_card_of_which_somebody_says_that_it_began_no_round() -> None:
    rig = Rig(replace(rules_of("none"), options=Options(no_more_bets="always", stand_key="always")))
    rig.change_house(orders_bounded=True, orders_traced=True, two_persons=True)
    rig.talk("1 main 100 \n 2 main 100")
    declare(rig, HONEST, 10_000)
    declare(rig, CROOK, 0)
    rig.card("2c")
    rig.key("no")
    assert rig.outcomes() == ["void"]
    rig.key("no_more_bets")
    deal(rig, DEALT["none"])
    assert counted_otherwise(rig) == [ASKED_WITH_BURN]
    assert not rig.table.state.undeclared
    assert say(rig, "no", CROOK)


@pytest.mark.parametrize(("cards", "traced", "stands"), [("", True, True), ("", False, False), ("Ts", True, False)])
def test_a_box_of_a_round_that_is_voided_before_its_first_card_is_still_declared(
    cards: str, *, traced: bool, stands: bool
) -> None:
    """Bets that lie there are locked again as they are, and so is a box without chips."""
    rig = table(traced=traced)
    rig.change_house(two_persons=False)
    declare(rig, HONEST, 10_000)
    rig.talk(f"key no_more_bets \n {cards}")
    rig.give(VoidRound(rig.now_ns, 1, CROOK, "misdeal", FLOOR))
    assert rig.outcomes() == ["void"]
    assert [one.spot for one in rig.table.state.declared] == [5] * stands


# --- what is as somebody said -------------------------------------------------------------------------------


def test_a_box_taken_back_and_not_dealt_to_is_not_asked_about_and_the_next_round_is_as_any_other() -> None:
    rig = taken_back("none")
    deal(rig, "Ts 9d 6h 9h 9c")
    deal(rig, "Kc 5d")
    end(rig)
    rig.talk("1 main 100 \n 2 main 100")
    deal(rig, "Ts 9d 6h 9h 9c")
    deal(rig, "Kc 5d")
    end(rig)
    assert not counted_otherwise(rig)
    assert [(one.round, str(one.basis)) for one in rig.events if isinstance(one, WagerSettled)] == [
        *[(1, "answer")] * 2,
        *[(2, "evidence")] * 2,
    ]
    assert not rig.table.state.undeclared


@pytest.mark.parametrize("then", ["declared again", "chips"])
def test_a_box_that_is_in_play_after_all_was_not_denied(then: str) -> None:
    rig = taken_back("none")
    if then == "chips":
        rig.talk("5 main 100")
    else:
        declare(rig, "J. Lee", 10_000)
        assert not rig.table.state.undeclared
    deal(rig, DEALT["none"])
    deal(rig, "2c")
    assert not counted_otherwise(rig)
    assert rig.table.state.round is not None
    assert not rig.table.state.round.boxes_denied()


def test_a_spot_that_was_taken_back_and_then_denied_is_named_once() -> None:
    rig = newcomers()
    declare(rig, HONEST, 10_000, spot=3)
    declare(rig, CROOK, 0, spot=3)
    rig.talk("3 main 10 \n key no_more_bets no")
    deal(rig, "Ts 9d Th 6h 9h 7d 8c Kc")
    assert counted_otherwise(rig) == ["Are the cards of this deal other ones than counted: were some dealt to spot 3?"]


def test_of_two_that_were_taken_back_both_are_named() -> None:
    rig = taken_back("none")
    declare(rig, HONEST, 5_000, spot=6)
    declare(rig, HONEST, 0, spot=6)
    deal(rig, DEALT["none"])
    assert counted_otherwise(rig) == [f"{ASKED[:-1]} or 6?"]
    assert len(say(rig, "no", HONEST)) == len(say(rig, "no", CROOK)) - 1 == 1


# --- who alone changes what another declared ----------------------------------------------------------------


def alone(rig: Rig) -> list[tuple[str, object]]:
    return [(one.text, one.who) for one in alerts(rig) if one.kind is AlertKind.CORRECTED_ALONE]


@pytest.mark.parametrize(
    ("cents", "message"),
    [
        (100_000, "spot 5 is in play for 1000.00, which A. Honest declared for 100.00"),
        (0, "spot 5 is not in play, which A. Honest declared for 100.00"),
        (-1, "spot 5 is not in play, which A. Honest declared for 100.00"),
    ],
)
def test_who_alone_changes_a_box_that_another_declared_is_reported(cents: int, message: str) -> None:
    rig = table()
    declare(rig, HONEST, 10_000)
    declare(rig, CROOK, cents)
    assert alone(rig) == [(f"M. Crook alone: {message}", CROOK)]
    assert [one.name for one in rig.table.state.declarers[0].people] == [CROOK if cents > 0 else HONEST]
    assert not acknowledged(rig, CROOK)
    assert acknowledged(rig, HONEST)


@pytest.mark.parametrize(("who", "cents"), [(HONEST, 20_000), (HONEST, 0), (CROOK, 10_000)])
def test_who_changes_their_own_or_says_the_same_again_is_not(who: str, cents: int) -> None:
    rig = table()
    declare(rig, HONEST, 10_000)
    declare(rig, who, cents)
    assert not alerts(rig)


def test_nor_who_declares_a_box_of_another_spot_or_one_that_was_taken_back() -> None:
    rig = table()
    declare(rig, HONEST, 10_000)
    declare(rig, CROOK, 20_000, spot=6)
    declare(rig, HONEST, 0)
    declare(rig, CROOK, 20_000)
    assert not alerts(rig)


def test_who_says_the_same_first_makes_it_none_of_their_own() -> None:
    rig = table()
    for _ in range(2):
        declare(rig, HONEST, 10_000)
        declare(rig, CROOK, 10_000)
    assert [one.name for one in rig.table.state.declarers[0].people] == [HONEST, CROOK]
    declare(rig, CROOK, 100_000)
    assert [who for _, who in alone(rig)] == [CROOK]


def test_nor_whose_order_is_refused() -> None:
    rig = table()
    declare(rig, HONEST, 10_000)
    declare(rig, CROOK, 10**12)
    assert not alerts(rig)


def test_in_a_journal_of_before_nobody_was_reported() -> None:
    rig = table(traced=False)
    declare(rig, HONEST, 10_000)
    declare(rig, CROOK, 10_000)
    assert [one.name for one in rig.table.state.declarers[0].people] == [CROOK]
    declare(rig, HONEST, 100_000)
    assert not alerts(rig)


# --- alerts about such a round ------------------------------------------------------------------------------


@pytest.mark.parametrize("traced", [True, False])
@pytest.mark.parametrize(
    "kind",
    [
        *(AlertKind.BET_TOUCHED, AlertKind.EZ_BUST_WRONG_UP_CARD, AlertKind.PROCEDURE_LATE),
        *(AlertKind.BURNED_IN_PLAY, AlertKind.ROUND_UNENDED),
    ],
)
def test_what_comes_of_cards_counted_otherwise_is_for_another(kind: AlertKind, *, traced: bool) -> None:
    rig = taken_back(traced=traced)
    transaction = Transaction(rig.table, rig.stamped[-1])
    transaction.rely_on(1, [Person(CROOK, FLOOR)])
    raise_alert(transaction, kind, "", round=1)
    (raised,) = [one for one in transaction.events if isinstance(one, AlertRaised)]
    assert (raised.who == CROOK) == traced
