"""A burn in a round whose card a hand may have been waiting for: an alert, and the floor rules on the round."""

from __future__ import annotations

import pytest

from controller.core.game.rules import Rules
from controller.core.game.wager import Basis
from controller.core.messages.events import CardBurned, WagerSettled
from controller.core.messages.inputs import AdjustWager, SetCard
from controller.core.messages.raised_alerts import AlertKind, AlertRaised, Severity
from controller.core.table.state import restore
from controller.formats.replay import read_state, state_bytes
from firmware_protocols.cards import Card
from firmware_protocols.readings import CardDrawn, KeyPressed
from tests.core.human import keyless
from tests.core.rig import KEY_OF, Rig, penn

SIXTEEN = "1 main 100 \n 9h Ts 7d 8c"
REST = "key stand hole_turned round_closed"
KEYED = penn(stand_key="always")


def dealt(talk: str = SIXTEEN, rules: Rules = KEYED, *, checked: bool = True) -> Rig:
    rig = Rig(rules)
    rig.change_house(orders_bounded=True, shoe_claims_checked=checked)
    rig.talk(talk)
    return rig


def burn(rig: Rig, how: str, face: str = "Kd") -> None:
    """A card is burned: the key tapped, the key held as by a new dealer, or the shoe in its burn mode."""
    if how == "mode":
        rig.give(CardDrawn(rig.now_ns, Card(face), burn=True))
        return
    rig.give(KeyPressed(rig.now_ns, KEY_OF["burn"], held=how == "held"))
    rig.card(face)


def accused(rig: Rig) -> list[AlertRaised]:
    return [one for one in rig.events if isinstance(one, AlertRaised) and one.kind is AlertKind.BURNED_IN_PLAY]


@pytest.mark.parametrize("how", ["tapped", "held", "mode"])
def test_a_burn_in_place_of_a_hit_is_an_alert_and_settles_nothing(how: str) -> None:
    rig = dealt()
    burn(rig, how)
    rig.talk(REST)
    (alert,) = accused(rig)
    assert alert.text == "a card was burned in round 1 while spot 1 may have been waiting for it"
    assert (alert.severity, alert.round, alert.spot) == (Severity.CRITICAL, 1, 1)
    assert (rig.postings(), rig.outcomes()) == ([], ["irregular"])
    assert [one.kind for one in rig.events if isinstance(one, AlertRaised)] == [AlertKind.BURNED_IN_PLAY]


def test_in_a_journal_of_before_it_is_settled_as_if_nothing_had_come() -> None:
    rig = dealt(checked=False)
    burn(rig, "tapped")
    rig.talk(REST)
    assert (accused(rig), rig.postings()) == ([], ["1: spot 1 main -100.00"])


def test_the_floor_rules_on_such_a_round() -> None:
    rig = dealt()
    burn(rig, "tapped")
    rig.talk(REST)
    rig.give(AdjustWager(rig.now_ns, 1, 1, "main", -10_000, "M. Okafor", "recording: he drew the king"))
    (settled,) = rig.events_of(WagerSettled)
    assert (settled.net_cents, settled.basis) == (-10_000, Basis.FLOOR)


@pytest.mark.parametrize(
    ("talk", "hand", "spot"),
    [
        ("1 main 100 \n 9h Ts", "the deal", None),
        ("1 main 100 \n 2 main 100 \n 9h 8h Ts 7d 8d 8c \n key stand", "spot 2", 2),
        ("1 main 100 \n 8h 6s 8d Tc \n 1 main 200 \n key split \n 3c \n key stand", "spot 1, hand 2", 1),
        ("1 main 100 \n 9h 6s 8d Tc \n key stand", "the dealer's hand", None),
        ("1 main 100 \n 9h 6s 8d Tc \n key stand hole_turned", "the dealer's hand", None),
    ],
)
def test_the_alert_names_the_hand_where_it_is_known(talk: str, hand: str, spot: int | None) -> None:
    rig = dealt(talk)
    burn(rig, "tapped")
    (alert,) = accused(rig)
    assert alert.text == f"a card was burned in round 1 while {hand} may have been waiting for it"
    assert alert.spot == spot


def test_where_a_player_may_have_stopped_without_a_key_no_hand_is_named() -> None:
    rig = dealt("1 main 100 \n 2 main 100 \n 9h 8h Ts 7d 8d 8c", penn())
    burn(rig, "tapped")
    (alert,) = accused(rig)
    assert alert.text == "a card was burned in round 1 while a hand may have been waiting for it"
    assert alert.spot is None


@pytest.mark.parametrize("how", ["tapped", "held", "mode"])
@pytest.mark.parametrize(
    "talk",
    [
        "1 main 100",
        "1 main 100 \n key no_more_bets",
        SIXTEEN + "\n key stand hole_turned round_closed",
        SIXTEEN + "\n key stand hole_turned",
        SIXTEEN + "\n Kd \n key hole_turned",
        SIXTEEN + "\n key stand hole_turned \n 1 main 0",
    ],
)
def test_a_burn_before_any_card_or_once_no_hand_takes_one_accuses_nobody(talk: str, how: str) -> None:
    rig = dealt(talk)
    burn(rig, how)
    assert len(rig.events_of(CardBurned)) == 1
    assert (accused(rig), rig.irregularities()) == ([], [])


def test_without_keys_a_burn_after_the_payment_accuses_nobody() -> None:
    rig = dealt(SIXTEEN + "\n 1 main 0", penn())
    rig.pass_ms(3000)
    burn(rig, "held")
    assert accused(rig) == []


def test_where_no_key_ends_a_round_a_burn_long_after_its_cards_accuses_nobody_and_still_settles_nothing() -> None:
    rig = dealt("1 main 100 \n 9h Ts 9d 8c", penn())
    rig.pass_ms(8000)
    burn(rig, "held")
    assert accused(rig) == []
    assert rig.irregularities() == ["a card was burned, and it is not known whether the round was over"]
    rig.talk("key stand hole_turned round_closed")
    assert (rig.postings(), rig.outcomes()) == ([], ["irregular"])


def test_a_hand_that_no_key_has_stopped_waits_however_long() -> None:
    rig = dealt()
    rig.pass_ms(8000)
    burn(rig, "held")
    assert len(accused(rig)) == 1


def test_a_burn_key_taken_back_before_its_card_accuses_nobody() -> None:
    rig = dealt()
    rig.key("burn")
    rig.key("undo")
    rig.card("Kd")
    rig.talk("key hole_turned round_closed")
    assert (accused(rig), rig.postings()) == ([], ["1: spot 1 main -100.00"])


def test_a_close_that_is_refused_hides_no_burn() -> None:
    rig = dealt()
    rig.late = True
    rig.key("round_closed")
    burn(rig, "tapped")
    assert len(accused(rig)) == 1


def test_no_correction_of_another_card_and_no_key_taken_back_settles_the_round() -> None:
    rig = dealt()
    burn(rig, "tapped")
    place = rig.table.state.round
    assert place is not None
    rig.key("stand")
    rig.key("undo")
    rig.give(SetCard(rig.now_ns, place.cards.drawn[0].number, Card("9h"), "M. Okafor", "seen"))
    rig.talk(REST)
    assert (rig.postings(), rig.outcomes()) == ([], ["irregular"])


def test_nor_does_it_where_another_cause_had_left_the_round_to_the_floor_before() -> None:
    rig = dealt()
    rig.talk("key 5 stand")
    burn(rig, "tapped")
    rig.give(SetCard(rig.now_ns, 3, Card("9h"), "M. Okafor", "seen"))
    rig.talk(REST)
    assert (len(accused(rig)), rig.postings(), rig.outcomes()) == (1, [], ["irregular"])


def test_it_is_remembered_over_a_restart() -> None:
    rig = dealt()
    burn(rig, "tapped")
    rig.table = restore(rig.house, read_state(state_bytes(rig.table.state)))
    rig.talk(REST)
    assert (rig.postings(), rig.outcomes()) == ([], ["irregular"])


def test_what_was_settled_before_it_is_to_be_confirmed() -> None:
    rig = dealt("1 main 100 \n 2 main 100 \n Ah 9h 6s Kd 7d 8c \n 1 main 250")
    burn(rig, "tapped")
    kinds = [one.kind for one in rig.events if isinstance(one, AlertRaised)]
    assert AlertKind.BURNED_IN_PLAY in kinds
    assert rig.irregularities() == ["a card was burned in round 1 while spot 2 may have been waiting for it"]


def burned_after_push(burn_s: float, *, lifted: bool, heeded: bool = True) -> Rig:
    """Both boxes have eighteen, as the dealer; one takes up what it bet, and a new shoe burns a card then."""
    rig = keyless("borgata")
    rig.change_house(shoe_claims_checked=True, burns_after_payment=heeded)
    rig.play("2 main 100 / 5 main 5 / wait 6 / deal 8s 4h 9c Qc 5h 3s / wait 2.2 / 9d / wait 1.8 / 6d / wait 0.8")
    rig.play(f"{'2 main 0 / ' if lifted else ''}wait {burn_s}")
    burn(rig, "mode", "Jh")
    return rig


@pytest.mark.parametrize("burn_s", [2.8, 4])
def test_a_shoe_that_is_changed_soon_after_a_push_was_taken_up_accuses_nobody(burn_s: float) -> None:
    rig = burned_after_push(burn_s, lifted=True)
    assert (accused(rig), rig.postings()) == ([], [])
    assert rig.table.state.round is not None
    assert rig.table.state.round.evidence.trouble == "a card was burned, and it is not known whether the round was over"


def test_where_all_lies_as_it_did_a_hand_may_have_been_waiting() -> None:
    assert len(accused(burned_after_push(2.8, lifted=False))) == 1
    assert len(accused(burned_after_push(2, lifted=True))) == 1


def test_in_journals_of_before_it_was_an_offence() -> None:
    assert len(accused(burned_after_push(2.8, lifted=True, heeded=False))) == 1
