"""A chip of a wager whose tag falls silent in the round, and what is laid beside the rest."""

from __future__ import annotations

import pytest

from controller.core.messages.alerts import ChipsUnexplained
from controller.core.messages.events import HandDoubled, HandsSplit, WagerUnresolved
from controller.core.messages.raised_alerts import AlertKind
from controller.io.files import profile_files
from tests.core.human import HumanRig
from tests.core.quick_readers import alerts

ELEVEN = "1 main 15 / wait 1 / 1 main 20 / wait 3 / key no_more_bets / wait 1 / deal 6s Ks 5s 9d / wait 4"
"""Twenty in two chips; eleven against nineteen."""

SILENT = "1 main 15 / wait 4"
"""The chip of five is not heard any more."""

DOUBLED = "1 main 35 / wait 1 / key double / wait 1 / 4s / wait 3 / key hole_turned / wait 3"
"""Twenty are laid in other chips: fifteen loses."""

TAKEN = "1 main 0 / wait 2 / key round_closed / wait 5"


def played(text: str, *, heard: bool = True, profile: str = "hollywood-penn-national") -> HumanRig:
    """A table whose dealer presses a key for every decision; not ``heard``: by a journal of before."""
    options = {"new_shoe_burns": 0, "stand_key": "always", "turn_key": "always"}
    rig = HumanRig(profile_files.load(profile, options).rules, {})
    rig.change_house(garbled_devices_heard=heard)
    rig.reads_display = False
    rig.play(text)
    return rig


def unkeyed(text: str, *, heard: bool = True, **options: str) -> HumanRig:
    """A table at which no decision has its key."""
    rules = profile_files.load(
        "hollywood-penn-national", {"new_shoe_burns": 0, "turn_key": "sometimes", **options}
    ).rules
    rig = HumanRig(rules, {})
    rig.change_house(garbled_devices_heard=heard)
    rig.reads_display = False
    rig.play(text)
    return rig


def possible(rig: HumanRig) -> list[tuple[int, ...]]:
    """What each wager that was left open may come to."""
    return [one.possible_cents for one in rig.events if isinstance(one, WagerUnresolved)]


@pytest.mark.parametrize("profile", ["hollywood-penn-national", "hollywood-perryville", "borgata"])
def test_all_that_is_laid_may_be_the_double_of_a_wager_that_is_heard_in_part(profile: str) -> None:
    rig = played(f"{ELEVEN} / {SILENT} / {DOUBLED} / {TAKEN}", profile=profile)
    assert rig.postings() == []
    assert possible(rig) == [(-4_000, -3_500)]
    assert alerts(rig, AlertKind.PINCHING, AlertKind.CAPPING) == [AlertKind.PINCHING]


def test_in_a_journal_of_before_only_what_lies_beyond_the_wager_was() -> None:
    rig = played(f"{ELEVEN} / {SILENT} / {DOUBLED} / {TAKEN}", heard=False)
    assert rig.postings() == ["1: spot 1 main -35.00"]


def test_a_chip_that_lay_unheard_while_its_hand_is_doubled_leaves_open_for_how_much() -> None:
    """One look shows the double and the chip gone."""
    rig = played(ELEVEN)
    first = rig.lying[1, "main"][0]
    rig.lay(1, "main", (first, *rig.changed(1, "main", 4_000)[2:]))
    rig.play(f"wait 1.5 / key double / wait 1 / 4s / wait 3 / key hole_turned / wait 3 / {TAKEN}")
    assert rig.postings() == []
    assert possible(rig) == [(-4_000, -3_500)]


def test_chips_of_another_box_do_not_count() -> None:
    """At both boxes the chip of five is not heard any more; seventeen stands beside eleven and loses."""
    rig = played("1 main 15 / wait 1 / 1 main 20 / wait 1 / 2 main 15 / wait 1 / 2 main 20 / wait 3 / key no_more_bets")
    rig.play(
        f"wait 1 / deal 6s Th Ks 5s 7s 9d / wait 4 / {SILENT} / 2 main 15 / wait 4 / 1 main 35 / wait 1 / key double"
    )
    rig.play("wait 1 / 4s / wait 3 / key stand / wait 3 / key hole_turned / wait 3 / 2 main 0 / wait 2")
    rig.play(TAKEN)
    assert rig.postings() == ["1: spot 2 main -20.00"]
    assert possible(rig) == [(-4_000, -3_500)]


def test_what_is_laid_back_in_its_own_chips_is_no_double() -> None:
    rig = played(ELEVEN)
    own = rig.lying[1, "main"]
    rig.play(SILENT)
    rig.lying[1, "main"] = own
    rig.lay(1, "main", rig.changed(1, "main", 4_000))
    rig.play(f"wait 1 / key double / wait 1 / 4s / wait 3 / key hole_turned / wait 3 / {TAKEN}")
    assert rig.postings() == ["1: spot 1 main -40.00"]
    assert [one.cents for one in rig.events if isinstance(one, HandDoubled)] == [2_000]


def test_a_chip_that_is_heard_again_is_missing_no_more() -> None:
    rig = played(ELEVEN)
    own = rig.lying[1, "main"]
    rig.play(SILENT)
    rig.lay(1, "main", own)
    rig.play(f"wait 4 / 1 main 40 / wait 1 / key double / wait 1 / 4s / wait 3 / key hole_turned / wait 3 / {TAKEN}")
    assert rig.postings() == ["1: spot 1 main -40.00"]


def test_a_split_is_one_by_all_that_is_laid() -> None:
    """Eights; as a double for less what lies beyond the wager would need its key."""
    eights = ELEVEN.replace("6s Ks 5s 9d", "8s Ks 8d 9d")
    rig = played(f"{eights} / {SILENT} / 1 main 35 / wait 1 / key split / wait 1 / Ts / wait 2 / key stand / wait 1")
    rig.play(f"Jd / wait 2 / key stand / wait 2 / key hole_turned / wait 3 / {TAKEN}")
    assert rig.postings() == ["1: spot 1 main -40.00"]
    assert [one.hands for one in rig.events if isinstance(one, HandsSplit)] == [2]


def test_in_a_journal_of_before_no_play_explained_it() -> None:
    eights = ELEVEN.replace("6s Ks 5s 9d", "8s Ks 8d 9d")
    rig = played(
        f"{eights} / {SILENT} / 1 main 35 / wait 1 / key split / wait 1 / Ts / wait 2 / key stand / wait 1", heard=False
    )
    assert rig.irregularities() == ["no legal play explains the evidence"]


AHEAD = (
    "1 main 10 / wait 1 / 4 main 15 / wait 1 / 4 main 20 / wait 3 / key no_more_bets / wait 1 / deal 8s 6s Ks"
    " / 4 main 15 / deal 8d 5s 9d / wait 4 / 4 main 35 / wait 5 / 2s / wait 3 / 4s / wait 4 / key hole_turned / wait 3"
    " / 4 main 0 / wait 2 / 1 main 0 / wait 2 / key round_closed / wait 6"
)
"""No decision has its key. A chip falls silent in the deal, and eleven is doubled before the first box has played."""


@pytest.mark.parametrize(
    ("heard", "posted", "dues"),
    [
        pytest.param(True, [], [(-4_000, -3_500)], id="all that is laid, or what lies beyond the wager"),
        pytest.param(False, ["1: spot 4 main -35.00"], [], id="by a journal of before what lies beyond"),
    ],
)
def test_so_may_a_double_be_that_is_laid_before_its_turn(
    posted: list[str], dues: list[tuple[int, ...]], *, heard: bool
) -> None:
    rig = unkeyed(AHEAD, heard=heard)
    assert rig.postings() == ["1: spot 1 main -10.00", *posted]
    assert possible(rig) == dues


@pytest.mark.parametrize("heard", [True, False])
def test_less_than_left_that_is_laid_beside_the_rest_makes_the_wager_whole_again(*, heard: bool) -> None:
    text = f"{ELEVEN.replace('15', '5')} / 1 main 5 / wait 4 / 1 main 15 / wait 4"
    rig = played(text, heard=heard)
    unexplained = [(one.before_cents, one.after_cents) for one in rig.events if isinstance(one, ChipsUnexplained)]
    assert unexplained == [(2_000, 500)]


BETS = "1 main 15 / wait 1 / 1 main 20 / wait 1"

LOCK = "key no_more_bets / wait 1"

NINETEEN = "deal 9c 2d Kc 7c / wait 0.5"

UNHEARD = "1 main 15 / wait 4"
"""The chip of five is not heard."""

TEN_MORE = "wait 5 / Tc / wait 3 / key hole_turned / wait 3 / 1 main 0 / wait 2 / key round_closed / wait 6"
"""A ten that is the dealer's, or breaks a hand that was doubled."""

DOUBTED = "what spot 1 had bet is not known: a part of it may have lain there unheard"


def heard_again(until: str, *, heard: bool = True, **options: str) -> HumanRig:
    """A chip is not heard at some moment, and the same chips as before lie there after all this."""
    rig = unkeyed(BETS, heard=heard, **options)
    own = rig.lying[1, "main"]
    rig.play(until)
    rig.lay(1, "main", own)
    rig.play(TEN_MORE)
    return rig


def test_what_lay_there_before_the_lock_and_lies_again_after_the_deal_may_be_the_wager() -> None:
    rig = heard_again(f"{UNHEARD} / {LOCK} / {NINETEEN}")
    assert rig.postings() == []
    assert rig.irregularities() == [DOUBTED]


def test_by_a_journal_of_before_it_was_a_double_for_less() -> None:
    assert heard_again(f"{UNHEARD} / {LOCK} / {NINETEEN}", heard=False).postings() == ["1: spot 1 main -20.00"]


def test_where_every_decision_has_its_key_that_says_that_it_is_none() -> None:
    rig = heard_again(f"{UNHEARD} / {LOCK} / {NINETEEN}", stand_key="always")
    assert DOUBTED not in rig.irregularities()


@pytest.mark.parametrize(("heard", "kind"), [(True, AlertKind.CHIPS_UNEXPLAINED), (False, AlertKind.CAPPING)])
def test_nobody_capped_a_bet_with_chips_that_lay_there_until_just_before_the_lock(
    kind: AlertKind, *, heard: bool
) -> None:
    rig = unkeyed(BETS, heard=heard, stand_key="always")
    own = rig.lying[1, "main"]
    rig.play(f"{UNHEARD} / {LOCK} / {NINETEEN}")
    rig.lay(1, "main", own)
    rig.play(f"wait 1 / key stand / {TEN_MORE}")
    assert alerts(rig, AlertKind.CHIPS_UNEXPLAINED, AlertKind.CAPPING) == [kind]


def test_who_took_it_off_long_before_doubles_with_it() -> None:
    rig = heard_again(f"{UNHEARD} / wait 5 / {LOCK} / {NINETEEN}")
    assert rig.irregularities() == []
    assert [one.cents for one in rig.events if isinstance(one, HandDoubled)] == [500]


def test_so_does_who_lays_another_chip() -> None:
    rig = unkeyed(f"{BETS} / {UNHEARD} / {LOCK} / {NINETEEN} / 1 main 20 / {TEN_MORE}")
    assert rig.irregularities() == []
    assert [one.cents for one in rig.events if isinstance(one, HandDoubled)] == [500]


def test_what_is_not_heard_once_the_bets_are_locked_is_unexplained_and_lies_there_still() -> None:
    rig = heard_again(f"{LOCK} / wait 1 / deal 9c 2d / {UNHEARD.replace('wait 4', 'wait 0.4')} / deal Kc 7c / wait 2.5")
    assert rig.irregularities() == []
    assert [one for one in rig.events if isinstance(one, HandDoubled)] == []
