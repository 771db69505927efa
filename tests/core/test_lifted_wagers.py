"""A wager in its player's hand again and again, or just before it is taken; and another in its place."""

from __future__ import annotations

import pytest

from controller.core.messages.events import QuestionAsked
from controller.core.messages.raised_alerts import AlertKind
from tests.core.quick_readers import QuickReaders, accused, alerts, deal, table

KEYED = {"stand_key": "always", "turn_key": "always"}


def dealt(cards: str) -> QuickReaders:
    """Two boxes whose hands are in play."""
    rig = table("1 main 100 \n 2 main 100 \n key no_more_bets", **KEYED)
    deal(rig, cards)
    return rig


@pytest.mark.parametrize(
    ("sees_it_gone", "kinds"),
    [
        pytest.param(False, [AlertKind.CHIPS_UNEXPLAINED], id="no two looks agree"),
        pytest.param(True, [AlertKind.PINCHING, AlertKind.BET_TOUCHED], id="it stays away"),
    ],
)
def test_a_wager_lifted_again_and_again_is_pinched_once_its_reader_sees_it_gone(
    kinds: list[AlertKind], *, sees_it_gone: bool
) -> None:
    rig = dealt("Th 9h 6s 7d Kd Tc")
    own = rig.lying[1, "main"]
    rig.talk("key stand")
    rig.lay(1, "main", ())
    rig.late = not sees_it_gone
    rig.pass_ms(3_000)
    rig.lay(1, "main", own)
    rig.late = False
    rig.pass_ms(5_000)
    assert alerts(rig, *AlertKind) == kinds


@pytest.mark.parametrize(
    ("card_after_ms", "kinds"),
    [
        pytest.param(200, [AlertKind.CHIPS_UNEXPLAINED], id="it may have been laid back unseen"),
        pytest.param(2_000, [AlertKind.PINCHING], id="it was away for too long"),
    ],
)
def test_a_wager_lifted_just_before_it_is_taken_as_lost_accuses_nobody(
    card_after_ms: int, kinds: list[AlertKind]
) -> None:
    """The dealer turns fifteen and draws a four; between the look that shows the wager gone and the next it is lost."""
    rig = dealt("Th 9h 6s 7d 8d 9c")
    rig.talk("key stand stand hole_turned")
    rig.lay(1, "main", (), spread_ms=1_000)
    rig.pass_ms(card_after_ms)
    rig.talk("4h")
    rig.pass_ms(4_000)
    rig.talk("2 main 0 \n key round_closed")
    assert rig.postings() == ["1: spot 1 main -100.00", "1: spot 2 main -100.00"]
    assert alerts(rig, *AlertKind) == kinds


def test_one_of_which_a_part_is_gone_was_not_taken_as_lost() -> None:
    rig = dealt("Th 9h 6s 7d 8d 9c")
    rig.talk("key stand stand hole_turned")
    rig.chips(1, "main", 2_500, spread_ms=1_000)
    rig.pass_ms(600)
    rig.talk("4h")
    rig.pass_ms(4_000)
    assert accused(rig) == [AlertKind.PINCHING]


def test_one_that_has_won_was_not_taken_as_lost() -> None:
    """Seventeen against fifteen; the dealer breaks just after the player has taken his wager home."""
    rig = dealt("Th 9h 6s 7d 8d 9c")
    rig.talk("key stand stand hole_turned")
    rig.lay(1, "main", (), spread_ms=1_000)
    rig.pass_ms(200)
    rig.talk("Kh")
    rig.pass_ms(4_000)
    assert accused(rig) == [AlertKind.PINCHING]


def changed_for_as_much(*, keyed: bool) -> QuickReaders:
    """Seven against a six; other chips lie there at once, the second box draws to twenty-one, and the dealer breaks."""
    rig = table("1 main 30 \n 2 main 10", **(KEYED if keyed else {}))
    deal(rig, "5s Th 6d 2h 2d Jh")
    rig.lay(1, "main", (), spread_ms=600)
    rig.pass_ms(100)
    rig.exchange(1, "main", 3_000)
    acts = ("key stand hit", "9c", "key hole_turned", "Kc") if keyed else ("9c", "Kc")
    for act in (*acts, "2 main 20", "2 main 0", "key round_closed"):
        rig.pass_ms(1_500)
        rig.talk(act)
    rig.pass_ms(4_000)
    return rig


def test_other_chips_for_as_much_may_be_the_next_bet_of_who_surrendered() -> None:
    rig = changed_for_as_much(keyed=False)
    assert rig.postings() == ["1: spot 2 main +10.00"]
    assert [one.text for one in rig.events if isinstance(one, QuestionAsked)] == ["Did spot 1 surrender?"]
    rig.answer("yes")
    assert rig.postings() == ["1: spot 2 main +10.00", "1: spot 1 main -15.00"]


def test_where_every_decision_has_its_key_they_are_the_wager() -> None:
    rig = changed_for_as_much(keyed=True)
    assert rig.postings() == ["1: spot 1 main +30.00", "1: spot 2 main +10.00"]
    assert accused(rig) == []
