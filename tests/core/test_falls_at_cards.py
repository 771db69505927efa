"""A double taken back between looks that show its card too is open: it was none, or its player pinched it."""

from __future__ import annotations

import pytest

from controller.core.game.hand import seen
from controller.core.inference.lattice import Lattice
from controller.core.inference.observation import CardObserved, ChipsObserved, DatedObservation
from controller.core.messages.events import RoundStarted, WagerSettled, WagerUnresolved
from controller.core.messages.raised_alerts import AlertKind
from controller.io.files import profile_files
from firmware_protocols.cards import Card
from tests.core.human import HumanRig, keyless
from tests.core.quick_readers import accused, alerts

NEXT = "wait 6 / 2 main 10 / wait 4 / deal Th 9c 9d 8s / wait 6"

TAKEN_BACK = (
    "1 main 10 / wait 5 / deal 7d 2h 3s 8h / wait 6 / 1 main 20 / wait 0.7 / 1 main {back} / wait {before} / 9d"
    f" / wait 5 / 7c / wait 4 / 1 main 20 / wait 2 / 1 main 0 / {NEXT}"
)
"""Ten that was to be doubled gets a nine, and nineteen beats seventeen."""

MADE_LESS = (
    "1 main 10 / wait 5 / deal 5s Qs 6c Kh / wait 6 / 1 main 20 / wait 0.7 / 1 main 15 / wait 0.4 / 4d / wait 5"
    f" / 1 main 0 / {NEXT}"
)
"""Eleven is doubled for less in the end: fifteen loses to twenty."""

PINCHED = (
    "1 main 10 / wait 5 / deal 7d 2h 3s 8h / wait 6 / 1 main 20 / wait 2 / 9d / wait 1.5 / 1 main 10 / wait 5 / 7c"
    f" / wait 4 / 1 main 20 / wait 2 / 1 main 0 / {NEXT}"
)

CLEARED = (
    "1 main 10 / wait 5.84 / deal 8s 8c 8h Tc / wait 4.4 / 1 main 20 / wait 1.41 / 1 main 10 / wait 0.45 / Qc"
    f" / wait 1.44 / 1 main 0 / {NEXT}"
)
"""Sixteen that was to be split breaks and is cleared away, all of it between two looks of a slow reader."""

OF_SPLIT = (
    "5 main 10 / wait 5 / deal 8s 6h 8c 9d / wait 6 / 5 main 20 / wait 2 / Td / wait 3 / 7s / wait 0.3 / 5 main 30"
    " / wait 2.5 / 5 main 20 / wait 3 / 5h / wait 4 / 2h / wait 3 / 5 main 40 / wait 2 / 5 main 0"
    f" / {NEXT}"
)
"""Fifteen, the second of two eights, is to be doubled as soon as it has its seven, and hits: both win against 17."""

IN_PARTS = (
    "6 main 20 / wait 5 / deal Js 4s{stop}5d 8c / wait 5 / 6 main 30 / wait 2 / 6 main 40 / wait 2.6 / 6 main 20"
    f" / wait 0.8 / 8c / wait 2 / 6 main 0 / {NEXT}"
)
"""Fifteen is doubled in two movements, which are taken back in one: it hits and breaks."""

PART_OF_PARTS = (
    "5 main 20 / wait 5.67 / deal 5h 6h Jh / wait 1.5 / deal 8c / wait 4 / 5 main 30 / wait 1.9 / 5 main = 40"
    f" / wait 2.1 / 5 main 30 / wait 2.8 / 6h / wait 5 / 4c / wait 4.2 / 5 main 60 / wait 1.1 / 5 main 0 / {NEXT}"
)
"""In a deal with a stop fifteen is doubled in the end for a half, in other chips, and its 21 wins."""

WON_AS_IT_WAS = (
    "5 main 10 / wait 4.3 / deal 9s 7c 9d 9s / wait 5.5 / 5 main 20 / wait 1.4 / 5 main 10 / wait 4.1 / Jh / wait 4.2"
    f" / 5 main 20 / wait 1.3 / 5 main 0 / {NEXT}"
)
"""Nines that were to be split stand on eighteen against seven, which makes sixteen and breaks."""

NOT_PAID_FOR = (
    "4 main 10 / 5 main 10 / wait 5 / deal 3h 5c Kh 6d 3d 7d / wait 6 / 4 main 20 / wait 2 / 4 main 10 / wait 3 / 7s"
    f" / wait 2 / 6h / wait 2 / 4 main 0 / wait 1 / 7h / wait 2 / 7d / wait 2 / 5 main 0 / {NEXT}"
)
"""Nine that was to be doubled hits and breaks: ten are taken, not twenty."""

STOPPED = (
    "2 main 10 / 3 main 50 / wait 5 / deal 5c Td Kh 6s / wait 0.8 / deal 7c Jh / wait 5 / 2 main = 20 / wait 2"
    f" / 2 main 10 / wait 3 / 2 main 20 / wait 3 / 4h / wait 8 / 2 main 0 / wait 1 / 3 main 0 / {NEXT}"
)
"""The dealer stops in the deal; eleven is doubled in the end and gets a four, and seventeen stands: he has twenty."""

STOPPED_AND_EXCHANGED = (
    "2 main 10 / wait 5 / deal 5h Js 3h / wait 0.4 / deal 2c / wait 6 / 2 main 20 / wait 2 / 2 main = 10 / wait 3 / 8d"
    f" / wait 1 / Qd / wait 1 / 2 main 0 / {NEXT}"
)
"""Eight that was to be doubled hits and breaks; what lies there at its cards are other chips than at the deal."""

STOPPED_AND_PAID = (
    "2 main 10 / wait 5 / deal {first} Js 8h / wait 0.4 / deal 7c / wait 6 / 2 main 20 / wait 2 / 2 main = 10 / wait 6"
    f" / deal Th 9c 9d 8s / wait 6 / 2 main 20 / wait 2 / 2 main 10 / {NEXT}"
)
"""Eighteen wins against seventeen, and its player bets anew in other chips."""

PROFILES = (
    "borgata",
    "hollywood-penn-national",
    "hollywood-perryville",
    "pitch-h17",
    "classic-shoe-and-pitch",
)
PLACES = [(profile, cycle_ms) for profile in PROFILES for cycle_ms in (350, 700, 1_000)]

MISPAID = (AlertKind.MISPAY, AlertKind.WINNING_BET_TAKEN, AlertKind.LOSING_BET_LEFT, AlertKind.DEALER_AGAINST_RULE)


def played(text: str, profile: str, cycle_ms: int, *, heeded: bool = True) -> HumanRig:
    """The acts at a table without keys; not ``heeded``: by a journal of before."""
    rig = keyless(profile, cycle_ms)
    rig.change_house(falls_at_cards=heeded, parts_reckoned=heeded, second_readings_kept=heeded)
    rig.play(text)
    return rig


def left_open(rig: HumanRig) -> set[int]:
    """What the wager that the first round leaves open may be due, in cents."""
    (found,) = (one for one in rig.events_of(WagerUnresolved) if one.round == 1)
    return set(found.possible_cents)


# --- at its card -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("before", [0.2, 0.3, 0.4])
@pytest.mark.parametrize("profile", PROFILES)
def test_a_double_taken_back_at_its_card_is_open(profile: str, before: float) -> None:
    """As it was no double, the seven may have been its player's, too."""
    rig = played(TAKEN_BACK.format(back="10", before=before), profile, 350)
    assert rig.postings_of(1) == set()
    assert left_open(rig) == {-1_000, 1_000, 2_000}
    assert accused(rig) == []


@pytest.mark.parametrize("back", ["10", "= 10"])
@pytest.mark.parametrize("before", [0.2, 0.4, 0.6, 0.8, 1.0, 1.2])
@pytest.mark.parametrize(("profile", "cycle_ms"), PLACES)
def test_it_is_never_settled_as_doubled(profile: str, cycle_ms: int, before: float, back: str) -> None:
    rig = played(TAKEN_BACK.format(back=back, before=before), profile, cycle_ms)
    assert rig.postings_of(1) <= {"spot 1 main +10.00"}
    assert accused(rig) == []
    assert alerts(rig, *MISPAID) == []


@pytest.mark.parametrize(("profile", "cycle_ms"), PLACES)
def test_nor_is_one_that_is_made_less(profile: str, cycle_ms: int) -> None:
    rig = played(MADE_LESS, profile, cycle_ms)
    assert rig.postings_of(1) == set()
    assert accused(rig) == []


@pytest.mark.parametrize("profile", PROFILES)
def test_who_takes_it_back_after_its_card_is_accused(profile: str) -> None:
    rig = played(PINCHED, profile, 350)
    assert rig.postings_of(1) == {"spot 1 main +20.00"}
    assert accused(rig) == [AlertKind.PINCHING]


def test_what_a_slow_reader_shows_gone_with_all_may_have_been_taken_back() -> None:
    rig = played(CLEARED, "borgata", 1_000)
    assert rig.postings_of(1) == set()
    assert left_open(rig) >= {-2_000, -1_000}


@pytest.mark.parametrize("profile", PROFILES)
def test_a_hand_that_wins_as_it_is_may_have_been_split(profile: str) -> None:
    rig = played(WON_AS_IT_WAS, profile, 350)
    assert rig.postings_of(1) <= {"spot 5 main +10.00"}
    assert accused(rig) == []
    assert alerts(rig, *MISPAID) == []


@pytest.mark.parametrize(("profile", "cycle_ms"), [one for one in PLACES if one[0] != "pitch-h17"])
def test_the_card_before_it_may_lie_between_the_looks_that_show_it_laid(profile: str, cycle_ms: int) -> None:
    """The card of pitch-h17 doubles nine to eleven alone."""
    rig = played(OF_SPLIT, profile, cycle_ms)
    assert rig.postings_of(1) <= {"spot 5 main +20.00"}
    assert accused(rig) == []
    assert alerts(rig, *MISPAID) == []


@pytest.mark.parametrize("stop", [" ", " / wait 0.4 / deal "])
@pytest.mark.parametrize(("profile", "cycle_ms"), [one for one in PLACES if one[0] != "pitch-h17"])
def test_it_may_be_laid_in_parts_and_taken_back_at_once(profile: str, cycle_ms: int, stop: str) -> None:
    rig = played(IN_PARTS.format(stop=stop), profile, cycle_ms)
    assert rig.postings_of(1) <= {"spot 6 main -20.00"}
    assert accused(rig) == []
    assert alerts(rig, *MISPAID) == []


# --- its payment -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(("profile", "cycle_ms"), PLACES)
def test_what_was_taken_back_is_none_of_the_stake(profile: str, cycle_ms: int) -> None:
    rig = played(NOT_PAID_FOR, profile, cycle_ms)
    certain = {"spot 4 main -10.00", "spot 5 main -10.00"}
    assert rig.postings_of(1) == certain if cycle_ms == 350 else rig.postings_of(1) <= certain
    assert accused(rig) == []
    assert alerts(rig, *MISPAID) == []


# --- in a deal that is not confirmed ---------------------------------------------------------------------


@pytest.mark.parametrize(("profile", "cycle_ms"), PLACES)
def test_a_stop_in_the_deal_makes_no_surrender_of_it(profile: str, cycle_ms: int) -> None:
    """Where a hand may be surrendered what lies there may be the next bet, and both stay open."""
    rig = played(STOPPED, profile, cycle_ms)
    certain = {"spot 2 main -20.00", "spot 3 main -50.00"}
    assert rig.postings_of(1) == (set() if profile == "hollywood-penn-national" else certain)
    assert accused(rig) == []
    assert alerts(rig, *MISPAID) == []


@pytest.mark.parametrize(("profile", "cycle_ms"), PLACES)
def test_its_cards_begin_no_round(profile: str, cycle_ms: int) -> None:
    rig = played(STOPPED_AND_EXCHANGED, profile, cycle_ms)
    assert rig.postings_of(1) <= {"spot 2 main -10.00"}
    assert len(rig.events_of(RoundStarted)) == 2
    assert accused(rig) == []
    assert alerts(rig, *MISPAID) == []


@pytest.mark.parametrize(("profile", "cycle_ms"), [one for one in PLACES if one[0] != "pitch-h17"])
def test_what_stays_in_other_chips_of_a_double_in_parts_is_the_wager(profile: str, cycle_ms: int) -> None:
    rig = played(PART_OF_PARTS, profile, cycle_ms)
    assert rig.postings_of(1) <= {"spot 5 main +30.00"}
    assert accused(rig) == []
    assert alerts(rig, *MISPAID) == []


@pytest.mark.parametrize("first", ["Th", "Kc"])
@pytest.mark.parametrize("cycle_ms", [350, 700])
@pytest.mark.parametrize("profile", PROFILES)
def test_a_deal_says_that_other_chips_were_the_next_bet(profile: str, cycle_ms: int, first: str) -> None:
    rig = played(STOPPED_AND_PAID.format(first=first), profile, cycle_ms)
    assert rig.postings_of(1) == {"spot 2 main +10.00"}
    assert [one for one in rig.events_of(WagerSettled) if one.round == 1]
    assert accused(rig) == []


# --- in journals of before -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "profile", "settled", "kinds"),
    [
        (TAKEN_BACK.format(back="10", before=0.4), "borgata", {"spot 1 main +20.00"}, {AlertKind.PINCHING}),
        (MADE_LESS, "borgata", {"spot 1 main -20.00"}, set()),
        (
            NOT_PAID_FOR,
            "borgata",
            {"spot 4 main -10.00", "spot 5 main -10.00"},
            {AlertKind.MISPAY},
        ),
        (
            STOPPED,
            "hollywood-penn-national",
            {"spot 2 main -5.00", "spot 3 main +50.00"},
            {AlertKind.WINNING_BET_TAKEN},
        ),
    ],
)
def test_in_journals_of_before_it_was_certain(
    text: str, profile: str, settled: set[str], kinds: set[AlertKind]
) -> None:
    rig = played(text, profile, 350, heeded=False)
    assert rig.postings_of(1) == settled
    assert set(alerts(rig, AlertKind.PINCHING, *MISPAID)) == kinds


@pytest.mark.parametrize("text", [STOPPED_AND_EXCHANGED, OF_SPLIT, PART_OF_PARTS, IN_PARTS.format(stop=" ")])
def test_in_journals_of_before_its_player_was_accused(text: str) -> None:
    assert accused(played(text, "borgata", 350, heeded=False))


# --- the plays -------------------------------------------------------------------------------------------


Move = tuple[int, int] | str
"""What lies there in dollars before and after, or a card."""

Hands = tuple[tuple[int, int], ...]
"""Of each hand how many cards it has, and what was laid for its double, in cents."""


def plays(*moves: Move, spots: int = 1, ahead: bool = False) -> Lattice:
    """Fives against nine, and what follows at the last of one box or two: what falls there may be taken back."""
    cards = "5c 9d 5d 7h" if spots == 1 else "Th 5c 9d 6s 5d 7h"
    found, place, now_ns = Lattice.begin(profile_files.load("borgata", {}).rules, (1_000,) * spots), 0, 0
    for move in (*cards.split(), *moves):
        now_ns += 10
        if isinstance(move, str):
            item: CardObserved | ChipsObserved = CardObserved(seen(place, Card(move)))
            place += 1
        else:
            before, after = move
            item = ChipsObserved(spots - 1, "main", before * 100, after * 100, takes_back=after < before, waits=ahead)
        found = found.observe(DatedObservation(now_ns, now_ns, item, now_ns))
    return found


def in_play(found: Lattice) -> set[Hands]:
    """The hands of the box in play, in each play."""
    return {tuple((len(hand.cards), hand.extra) for hand in node.hands) for node in found.frontier if node.hands}


def test_before_its_card_a_double_or_split_is_taken_back_whole_or_made_less() -> None:
    assert in_play(plays((10, 20))) == {((2, 1_000),), ((1, 0), (1, 0))}
    assert in_play(plays((10, 20), (20, 10))) == {((2, 0),)}
    assert in_play(plays((10, 20), (20, 15))) == {((2, 500),)}
    assert in_play(plays((10, 20), (20, 15), (15, 10))) == {((2, 0),)}
    assert in_play(plays((10, 20), (20, 5))) == set()


def test_after_its_card_nothing_is() -> None:
    doubled = plays((10, 20), "Tc")
    assert {node.acting for node in doubled.frontier} == {0, 1}
    assert set(plays((10, 20), "Tc", (20, 10)).frontier) >= set(doubled.frontier)


def test_nor_before_its_turn_but_what_lies_ahead() -> None:
    laid = plays((10, 20), spots=2, ahead=True)
    assert {node.boxes[1].ahead for node in laid.frontier if node.acting == 0} == {1_000}
    taken = plays((10, 20), (20, 10), spots=2, ahead=True)
    assert {node.boxes[1].ahead for node in taken.frontier if node.acting == 0} == {0}


def test_a_key_among_them_says_what_it_says() -> None:
    """Where the double is keyed it stands, and what is taken back after its card is pinched."""
    rig = keyless("borgata", 350)
    rig.play(
        "1 main 10 / wait 5 / deal 7d 2h 3s 8h / wait 6 / 1 main 20 / wait 0.7 / key double / 1 main 10 / wait 0.4 / 9d"
        f" / wait 5 / 7c / wait 4 / 1 main 20 / wait 2 / 1 main 0 / {NEXT}"
    )
    assert rig.postings_of(1) == {"spot 1 main +20.00"}
