"""A wager in its player's hand again and again, or just before it is taken; and another in its place."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from controller.core.inference.observation import ChipsObserved
from controller.core.messages.events import HandDoubled, QuestionAsked
from controller.core.messages.raised_alerts import AlertKind
from controller.core.table.state import Table
from controller.io.files import profile_files
from tests.core.human import HumanRig, keyless
from tests.core.quick_readers import QuickReaders, accused, alerts, deal, draw, table
from tests.core.test_slow_looks import dues, next_deal

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


def laid_back(more: int, cards: str, *, reconsidered: bool = True) -> QuickReaders:
    """A wager of ten is away for five seconds, against a five, and laid back with so much more; there are no keys."""
    rig = table("1 main 10", "borgata")
    rig.table = Table(replace(rig.house, moves_reconsidered=reconsidered), rig.table.state)
    deal(rig, cards)
    own = rig.lying[1, "main"]
    rig.lay(1, "main", ())
    rig.pass_ms(5_000)
    rig.lying[1, "main"] = own
    rig.lay(1, "main", rig.changed(1, "main", 1_000 + more))
    rig.pass_ms(5_000)
    draw(rig, "6c")
    rig.pass_ms(3_000)
    return rig


def test_a_wager_that_is_laid_back_late_is_no_double() -> None:
    """Fourteen gets the six, or the dealer does."""
    rig = laid_back(0, "6h 5d 8c Td")
    assert [one for one in rig.events if isinstance(one, HandDoubled)] == []
    assert rig.irregularities() == []
    assert alerts(rig, *AlertKind) == [AlertKind.PINCHING, AlertKind.BET_TOUCHED]
    next_deal(rig)
    assert dues(rig) == {-1_000}


def test_in_journals_of_before_it_was() -> None:
    rig = laid_back(0, "6h 5d 8c Td", reconsidered=False)
    assert [one.cents for one in rig.events if isinstance(one, HandDoubled)] == [1_000]


@pytest.mark.parametrize("more", [1_000, 400])
def test_what_is_laid_back_beside_it_is_the_double(more: int) -> None:
    rig = laid_back(more, "6h 5d 5c Td")
    assert [one.cents for one in rig.events if isinstance(one, HandDoubled)] == [more]
    assert AlertKind.CAPPING not in alerts(rig, *AlertKind)


def test_another_boxs_wager_that_is_away_does_not_count() -> None:
    rig = table("1 main 10 \n 2 main 30", "borgata")
    deal(rig, "6h 8h 5d 5c 9h Td")
    rig.lay(2, "main", ())
    rig.pass_ms(5_000)
    rig.talk("1 main 20")
    rig.pass_ms(5_000)
    draw(rig, "6c")
    rig.pass_ms(3_000)
    assert [(one.spot, one.cents) for one in rig.events if isinstance(one, HandDoubled)] == [(1, 1_000)]


def test_nor_do_chips_of_another_zone() -> None:
    """Insurance that comes too late, just before its box doubles."""
    rig = table("1 main 10 \n 2 main 10", "borgata")
    deal(rig, "6h 5h Ad 5c 6d Td")
    draw(rig, "Tc")
    rig.pass_ms(2_000)
    rig.talk("2 insurance 5")
    rig.pass_ms(5_000)
    rig.talk("2 main 20")
    rig.pass_ms(5_000)
    assert rig.table.state.round is not None
    moved = [one.item for one in rig.table.state.round.evidence.observations if isinstance(one.item, ChipsObserved)]
    assert [(one.zone, one.before, one.after) for one in moved] == [("insurance", 0, 500), ("main", 1_000, 2_000)]


def test_nor_is_it_one_before_a_slow_reader() -> None:
    """Fourteen gets the three, or the dealer does; he breaks."""
    rig = HumanRig(profile_files.load("borgata", {"turn_key": "sometimes"}).rules, {}, cycle_ms=1_000)
    rig.reads_display = False
    rig.play("1 main 10 / wait 6 / deal 6h 5d 8c Td / wait 3")
    own = rig.lying[1, "main"]
    rig.lay(1, "main", ())
    rig.play("wait 5")
    rig.lay(1, "main", own)
    rig.play("wait 2.5 / 3h / wait 3 / 9s / wait 1.5 / 1 main 20 / wait 2 / 1 main 0 / wait 3 / 1 main 10 / wait 6")
    rig.play("deal Ts 8s 8c Td / wait 10")
    assert "1: spot 1 main +20.00" not in rig.postings()


def test_in_a_round_that_no_play_explains_it_says_nothing_more() -> None:
    rig = table("1 main 10", "borgata")
    deal(rig, "6h 5d 8c Td")
    own = rig.lying[1, "main"]
    rig.lay(1, "main", ())
    rig.pass_ms(3_000)
    rig.talk("key split")
    rig.pass_ms(1_000)
    rig.lay(1, "main", own)
    rig.pass_ms(5_000)
    assert rig.irregularities() == ["no legal play explains the evidence"]
    assert alerts(rig, *AlertKind) == [AlertKind.PINCHING, AlertKind.ROUND_IRREGULAR]


def test_what_was_taken_does_not_lie_there_any_more() -> None:
    """A hand breaks, its wager is taken, and its player bets again while the next box plays."""
    rig = table("1 main 10 \n 2 main 10", "borgata")
    deal(rig, "Th 9h 5d 6c 8h Td")
    draw(rig, "Kd")
    for cents in (0, 20):
        rig.pass_ms(5_000)
        rig.talk(f"1 main {cents}")
    rig.pass_ms(6_000)
    draw(rig, "2c")
    rig.pass_ms(3_000)
    assert alerts(rig, *AlertKind) == []


def lifted_at_penn(away_s: int, cycle_ms: int, back: int = 0) -> HumanRig:
    """Fifteen against a dealer's five, whose wager is away for a while; the next box draws, and the dealer breaks.

    ``back``: other chips come in place of the wager, in dollars; 0: its own do.
    """
    rules = profile_files.load("hollywood-penn-national", {"turn_key": "sometimes"}).rules
    rig = HumanRig(rules, {}, cycle_ms=cycle_ms)
    rig.reads_display = False
    rig.play("1 main 10 / 2 main 10 / wait 6 / deal Th 6h 5d Kc 5s Td / wait 3")
    own = rig.lying[1, "main"]
    rig.lay(1, "main", ())
    rig.play(f"wait {away_s}")
    if back:
        rig.play(f"1 main {back}")
    else:
        rig.lay(1, "main", own)
    rig.play("wait 2 / 7h / wait 3 / 9s / wait 4 / 2 main 20 / 1 main 20 / wait 4")
    rig.play("2 main 0 / 1 main 0 / wait 6 / 1 main 10 / wait 6 / deal 2c 3c 4c 5c / wait 6")
    return rig


@pytest.mark.parametrize("cycle_ms", [350, 1_000])
@pytest.mark.parametrize("away_s", [3, 5])
def test_one_that_is_laid_back_whole_was_not_surrendered(away_s: int, cycle_ms: int) -> None:
    rig = lifted_at_penn(away_s, cycle_ms)
    assert rig.postings() == ["1: spot 2 main +10.00"]
    assert [event.text for event in rig.events if isinstance(event, QuestionAsked)] == [
        "Spot 1: how many cards in hand 1?"
    ]


def test_other_chips_in_its_place_may_be_the_next_bet_of_who_surrendered() -> None:
    """After seven seconds nobody still changes the chips of his wager; sooner he may."""
    assert lifted_at_penn(7, 350, back=10).postings() == ["1: spot 1 main -5.00"]


@pytest.mark.parametrize("cycle_ms", [350, 1_000])
def test_or_his_wager_in_other_chips(cycle_ms: int) -> None:
    assert lifted_at_penn(3, cycle_ms, back=10).postings() == ["1: spot 2 main +10.00"]


def changed_in_play(profile: str, back: int = 20, *, heeded: bool = True) -> HumanRig:
    """Five gets a queen, takes its wager up for two seconds, lays other chips and gets a four; nineteen loses to 21.

    The first box, with seventeen, may be a push as long as the hole card is closed.
    """
    rig = HumanRig(profile_files.load(profile, {"turn_key": "sometimes"}).rules, {})
    rig.change_house(exchanges_in_play=heeded)
    rig.reads_display = False
    rig.play("1 main 30 / 4 main 20 / wait 3 / deal As 2h Kh 6s 3s 2d / wait 3.5 / Qh / wait 2.3 / 4 main 0")
    rig.play(f"wait 1.8 / 4 main {back} / wait 1.7 / 4d / wait 4 / 9c / wait 3 / 1 main 0 / 4 main 0 / wait 1")
    rig.play("4 main 20 / wait 8 / deal Th 9c 8c 8d / wait 10")
    return rig


@pytest.mark.parametrize("profile", profile_files.names())
def test_a_wager_changed_for_other_chips_in_play_was_not_taken(profile: str) -> None:
    rig = changed_in_play(profile)
    assert rig.postings() == []
    assert rig.irregularities() == []
    assert accused(rig) == []


@pytest.mark.parametrize("cycle_ms", [350, 500, 700, 1_000])
@pytest.mark.parametrize("profile", profile_files.names())
def test_a_wager_changed_and_doubled_at_once_was_not_taken(profile: str, cycle_ms: int) -> None:
    """Eleven takes its wager up, lays other chips, doubles and gets a nine; twenty beats nineteen."""
    rig = keyless(profile, cycle_ms)
    rig.play("1 main 10 / 2 main 10 / wait 6 / deal 6h Kc 9s 5c Td Ts / wait 4 / 1 main 0 / wait 2.5 / 1 main 10")
    rig.play(
        "wait 1.5 / 1 main 20 / wait 1 / 9h / wait 5 / 1 main 40 / wait 1 / 2 main 20 / wait 1 / 1 main 10 / 2 main 10"
    )
    rig.play("wait 6 / deal Th 9c 8c 9d 8d Td / wait 10")
    assert rig.postings() in ([], ["1: spot 1 main +20.00", "1: spot 2 main +10.00"])
    assert (profile == "borgata") <= bool(rig.postings())
    assert accused(rig) == []


def test_in_journals_of_before_its_round_was_over() -> None:
    assert changed_in_play("borgata", heeded=False).postings()[0] == "1: spot 1 main +30.00"


def test_chips_for_less_are_the_next_bet() -> None:
    assert changed_in_play("borgata", back=10).postings() == ["1: spot 1 main +30.00", "1: spot 4 main +20.00"]


def bare(played: str) -> HumanRig:
    """Two boxes and nineteen and five against a six; five gets a king, and then this is played."""
    rig = HumanRig(profile_files.load("borgata", {"turn_key": "sometimes"}).rules, {})
    rig.reads_display = False
    rig.play(f"1 main 30 / 2 main 20 / wait 6 / deal Th 2h 6d 9s 3c Td / wait 3 / Kh / wait 3 / {played}")
    rig.play("1 main 30 / wait 7 / deal Th 9c 8c 8d 7d 6s / wait 10")
    return rig


def test_other_chips_are_the_next_bet_once_the_other_wager_is_taken() -> None:
    rig = bare("5d / wait 2 / 1 main 0 / wait 0.6 / 2 main 0 / wait 1.5 / 2 main 20 / wait 3")
    assert rig.postings() == ["1: spot 1 main -30.00", "1: spot 2 main -20.00"]


def test_and_where_no_hand_may_be_dealt_to_any_more() -> None:
    """The five, with its king, gets a nine and breaks; or the dealer does, and a nine more is his or its."""
    rig = bare(
        "9d / wait 2 / 9c / wait 2 / 2 main 0 / wait 1.5 / 2 main 20 / wait 3 / 1 main 60 / wait 2 / 1 main 0 / wait 4"
    )
    asked = [event.text for event in rig.events if isinstance(event, QuestionAsked)]
    assert asked == ["How many cards lie at spots 1,2?"]


@pytest.mark.parametrize("cycle_ms", [350, 500])
def test_as_much_in_the_place_of_a_surrendered_wager_is_not_that_wager(cycle_ms: int) -> None:
    """Eleven surrendered, which is said, and lays the next bet; the dealer breaks against fourteen."""
    rig = keyless("hollywood-penn-national", cycle_ms)
    rig.play("3 main 50 / 4 main 10 / wait 6 / deal 5d Qc 2s 6d 4h 7h / wait 5 / 3 main 0 / wait 3 / 4c / wait 1")
    rig.play("3 main 50 / wait 1 / Th / wait 2 / 4 main 20 / wait 2.5 / deal Ts Tc Ah 6d Qh 7d / wait 10")
    assert rig.postings() == ["1: spot 3 main -25.00", "1: spot 4 main +10.00"]
    assert accused(rig) == []
