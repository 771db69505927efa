"""A double that is taken back and laid again before its card is no payment, nor is a split in other chips a bet."""

from __future__ import annotations

import pytest

from controller.core.messages.raised_alerts import AlertKind, AlertRaised
from controller.io.files import profile_files
from tests.core.human import HumanRig, keyless
from tests.core.quick_readers import accused, alerts

NEXT = "wait 6 / deal Th 9c 9d 8s / wait 6"

WITHDRAWN = "6 main 20 / wait 2 / 6 main 10 / wait 2 / 6 main = 20 / wait 1 / 9s / wait 5 / Qd / wait 2 / 6 main 40"

ONE_BOX = (
    f"6 main 10 / wait 4 / deal 5s 8c 6d 4c / wait 5 / {WITHDRAWN} / wait 9 / 6 main 0 / wait 6 / 6 main 10 / {NEXT}"
)

BEHIND_BROKEN = (
    f"3 main 20 / 6 main 10 / wait 4 / deal Qh 5s 8c 3c 6d 4c / wait 6 / 9d / wait 0.4 / 3 main 0 / wait 5"
    f" / {WITHDRAWN} / wait 9 / 6 main 0 / wait 6 / 7 main 10 / {NEXT}"
)

IN_PARTS = (
    "5 main 10 / 7 main 16 / wait 4 / deal 5s 8h 6s 4h Kd 6h / wait 4 / 5 main 20 / wait 1.8 / 5 main 10 / wait 2.3"
    " / 5 main 15 / wait 2.7 / 5 main 20 / wait 1 / Th / wait 4 / 8c / wait 2 / 7 main 0 / wait 2 / 5 main 0 / wait 6"
    f" / 5 main 10 / {NEXT}"
)

SPLIT = (
    "5 main 50 / wait 2 / 8s / wait 0.5 / Kh / wait 0.6 / 8s / wait 1.9 / 9h / wait 4 / 5 main = 100 / wait 1 / 6d"
    " / wait 2.6 / Kh / wait 1.1 / 5 main 50 / wait 1 / 3s / wait 2.2 / 5 main 100 / wait 0.9 / Ts / wait 3.9"
    " / 5 main 200 / wait 2.4 / 5 main 50 / wait 6 / deal 2c 4h 4h Qd / wait 9"
)

SOFT_STANDS = (
    "1 main 4 / wait 5 / deal As 4h 7h 7d / wait 6 / 1 main = 8 / wait 2 / 1 main {back} / wait 6 / 6d / wait 3"
    f" / 1 main 8 / wait 3 / 1 main 0 / wait 6 / 2 main 10 / wait 4 / {NEXT}"
)

ELEVEN = (
    "1 main 10 / wait 5 / deal 5s 4h 6h 7d / wait 6 / {moves} / wait 3 / Ts / wait 6 / 8d / wait 3 / 1 main {paid}"
    f" / wait 3 / 1 main 0 / wait 6 / 2 main 10 / wait 4 / {NEXT}"
)

IN_OTHER_CHIPS = [
    ("1 main = 20 / wait 2 / 1 main 10", 10),
    ("1 main = 20 / wait 2 / 1 main = 10", 10),
    ("1 main = 20 / wait 3 / 1 main 15", 15),
    ("1 main = 20 / wait 3 / 1 main 15 / wait 3 / 1 main 10", 10),
    ("1 main = 20 / wait 3 / 1 main 15 / wait 3 / 1 main 20", 20),
]
"""What is done with a double of ten that is laid as one chip of twenty, and what the hand wins with its card."""

BESIDE_ANOTHER = (
    "3 main 50 / 5 main 6 / wait 5 / deal 7d Ac 6s 4c 7h Qs / wait 6 / 3 main 100 / wait 3 / 3 main 75 / wait 3"
    " / 3 main 50 / wait 4 / 3 main 100 / wait 0.9 / 6h / wait 3 / 5 main 12 / wait 2 / Kh / wait 4 / 8c / wait 3"
    " / 5 main 24 / wait 2 / 3 main 200 / wait 2 / 3 main 0 / wait 2 / 5 main 0 / wait 6 / 2 main 10 / wait 4"
    f" / {NEXT}"
)

PLACES = [(profile, cycle_ms) for profile in ("borgata", "hollywood-penn-national") for cycle_ms in (350, 700, 1_000)]


def played(text: str, profile: str, cycle_ms: int, *, heeded: bool = True) -> HumanRig:
    rig = keyless(profile, cycle_ms)
    rig.change_house(raises_withdrawn=heeded)
    rig.play(text)
    return rig


def left_to_people(rig: HumanRig) -> bool:
    """Whether nothing of the first round is settled, and an alert says that it has no end that anything shows."""
    return not rig.postings_of(1) and AlertKind.ROUND_UNENDED in alerts(rig, *AlertKind)


@pytest.mark.parametrize(("profile", "cycle_ms"), PLACES)
def test_what_is_laid_again_is_the_double(profile: str, cycle_ms: int) -> None:
    """Eleven gets a nine, and the dealer breaks; a reader that is slow may not show that a double is laid again."""
    rig = played(ONE_BOX, profile, cycle_ms)
    assert rig.postings_of(1) == {"spot 6 main +20.00"} if cycle_ms == 350 else left_to_people(rig)
    assert accused(rig) == []
    assert alerts(rig, AlertKind.DEALER_AGAINST_RULE) == []


@pytest.mark.parametrize(("profile", "cycle_ms"), PLACES)
def test_it_is_behind_a_broken_hand_too(profile: str, cycle_ms: int) -> None:
    rig = played(BEHIND_BROKEN, profile, cycle_ms)
    settled = {"spot 3 main -20.00", "spot 6 main +20.00"}
    assert rig.postings_of(1) == settled if cycle_ms == 350 else left_to_people(rig)
    assert accused(rig) == []


@pytest.mark.parametrize(("profile", "cycle_ms"), PLACES)
def test_it_may_be_laid_again_in_parts(profile: str, cycle_ms: int) -> None:
    rig = played(IN_PARTS, profile, cycle_ms)
    assert rig.postings_of(1) == {"spot 5 main -20.00", "spot 7 main -16.00"}
    assert accused(rig) == []


@pytest.mark.parametrize(
    ("profile", "cycle_ms"), [*PLACES, ("classic-shoe-and-pitch", 350), ("classic-shoe-and-pitch", 700)]
)
def test_what_stays_of_a_split_in_other_chips_is_its_wager(profile: str, cycle_ms: int) -> None:
    """Both hands of eights: one breaks, for which a chip is changed, and the other is doubled and wins.

    It may as well be the next bet, as the next deal comes at once.
    """
    rig = played(SPLIT, profile, cycle_ms)
    assert left_to_people(rig)
    assert accused(rig) == []


@pytest.mark.parametrize("back", ["4", "= 4"])
@pytest.mark.parametrize(("profile", "cycle_ms"), PLACES)
def test_a_soft_hand_stands_that_was_to_be_doubled_in_other_chips(profile: str, cycle_ms: int, back: str) -> None:
    """Soft eighteen against eleven, which gets a six: the card is the dealer's."""
    rig = played(SOFT_STANDS.format(back=back), profile, cycle_ms)
    assert rig.postings_of(1) == {"spot 1 main +4.00"}
    assert alerts(rig, *AlertKind) == []


@pytest.mark.parametrize(("moves", "won"), IN_OTHER_CHIPS)
@pytest.mark.parametrize(("profile", "cycle_ms"), PLACES)
def test_what_lies_there_at_the_card_counts_also_in_other_chips(
    profile: str, cycle_ms: int, moves: str, won: int
) -> None:
    rig = played(ELEVEN.format(moves=moves, paid=2 * won), profile, cycle_ms)
    assert rig.postings_of(1) == {f"spot 1 main +{won}.00"}
    assert accused(rig) == []


@pytest.mark.parametrize("cycle_ms", [350, 700, 1_000])
def test_a_hand_may_not_have_been_surrendered_alone(cycle_ms: int) -> None:
    """Half of the double is taken back in other chips, which a surrender and the next bet explain too."""
    rig = played(BESIDE_ANOTHER, "hollywood-penn-national", cycle_ms)
    assert rig.postings_of(1) == {"spot 3 main +100.00", "spot 5 main +12.00"}
    assert accused(rig) == []


@pytest.mark.parametrize(("moves", "paid"), [(IN_OTHER_CHIPS[0][0], 20), (IN_OTHER_CHIPS[2][0], 30)])
def test_in_journals_of_before_all_of_the_double_counted(moves: str, paid: int) -> None:
    rig = played(ELEVEN.format(moves=moves, paid=paid), "borgata", 350, heeded=False)
    assert rig.postings_of(1) == {"spot 1 main +20.00"}


@pytest.mark.parametrize("text", [ONE_BOX, BEHIND_BROKEN, SPLIT])
def test_in_journals_of_before_it_was_a_payment_or_the_next_bet(text: str) -> None:
    rig = played(text, "borgata", 350, heeded=False)
    assert accused(rig)


@pytest.mark.parametrize("moves", ["6 main 20 / wait 2 / 6 main 10", "6 main = 20 / wait 2 / 6 main = 10"])
def test_a_payment_picked_up_is_one_where_nobody_doubles(moves: str) -> None:
    """Eighteen stands and the dealer has seventeen: nobody doubles a hard eighteen."""
    rig = keyless("borgata", 350)
    rig.play(f"6 main 10 / wait 4 / deal Ts 8c 8d 9c / wait 5 / {moves} / {NEXT}")
    assert rig.postings_of(1) == {"spot 6 main +10.00"}
    assert [one.text for one in rig.events if isinstance(one, AlertRaised)] == []


TWICE = (
    "3 main 25 / wait 4 / deal 7h 7h Ac 3h / wait 2.5 / 3 main 50 / wait 4 / 3 main 25 / wait 2 / 3 main 50 / wait 4.7"
    f" / 3 main 25 / wait 2.5 / Th / wait 2 / 3 main 0 / wait 6 / 2 main 10 / wait 4 / {NEXT}"
)


@pytest.mark.parametrize(("profile", "cycle_ms"), PLACES)
def test_it_may_be_taken_back_twice_though_the_hand_would_win(profile: str, cycle_ms: int) -> None:
    """Soft eighteen stands against seven, and the card is the dealer's ten, who has twenty."""
    rig = played(TWICE, profile, cycle_ms)
    assert rig.postings_of(1) <= {"spot 3 main -25.00"}
    assert accused(rig) == []
    assert alerts(rig, AlertKind.DEALER_AGAINST_RULE) == []


def test_in_journals_of_before_the_second_was_a_payment() -> None:
    rig = keyless("borgata", 350)
    rig.change_house(falls_at_cards=False)
    rig.play(TWICE)
    assert alerts(rig, AlertKind.DEALER_AGAINST_RULE)


KEYED = (
    "1 main 10 / wait 4 / key no_more_bets / deal 5s 9c 6h 8d / wait 3 / {laid} / wait 3 / 1 main 10 / wait 2"
    " / key hit / wait 1 / 2c / wait 3 / key stand / wait 3 / key hole_turned / wait 2 / 1 main 0 / wait 1"
    " / key round_closed / wait 8"
)


@pytest.mark.parametrize("laid", ["key double / wait 0.3 / 1 main 20", "1 main 20 / wait 0.2 / key double"])
@pytest.mark.parametrize("cycle_ms", [350, 700])
def test_one_that_was_keyed_stands_and_the_floor_rules_if_the_next_key_says_otherwise(cycle_ms: int, laid: str) -> None:
    options = {"stand_key": "always", "new_shoe_burns": 0}
    rig = HumanRig(profile_files.load("hollywood-perryville", options).rules, {}, cycle_ms=cycle_ms)
    rig.play(KEYED.format(laid=laid))
    assert rig.postings_of(1) == set()
    assert rig.outcomes() == ["irregular"]
    assert accused(rig) == []
