"""The live table where no hole card is dealt, and where a device looks at it before play."""

from __future__ import annotations

import csv
import io
from random import Random
from typing import Any, Final

import pytest
from msgspec.structs import replace

from controller.core.messages.alerts import ChipsUnexplained, RoundIrregular
from controller.core.messages.events import CardDealt, CardOpened, HoleCardRevealed, RoundClosed
from controller.io.files import profile_files
from simulators.people.acts import RoundPlayed
from simulators.people.dealer import play
from simulators.people.house import house_from
from simulators.people.rack import Rack
from simulators.people.simulated_table import StandKey
from tests.core.houses import HABITS
from tests.core.rig import Rig, settled
from tests.core.test_truth import assert_account, assert_facts, true_account

HOUSES: Final[dict[str, dict[str, Any]]] = {
    "no hole card": {"hole_card": "none"},
    "a device": {"hole_check": "device"},
    "a device, naturals paid with the others": {"hole_check": "device", "naturals_paid": "after_play"},
    "naturals paid with the others": {"naturals_paid": "after_play"},
    "six to five": {"natural_pays": (6, 5), "win_pays": (1, 1), "double_for_less": False},
    "ties lose": {"tie": "loses", "natural_against_natural": "loses"},
    "drawn 21 counts less": {"drawn_21": "pushes", "natural_against_drawn_21": "pushes"},
    "21 pushes a natural": {"drawn_21_against_natural": "pushes", "split_21": "beats_drawn_21"},
    "all is lost to a natural": {"extra_wagers_against_natural": "all", "surrender_against_natural": "half"},
    "broken bets are lost": {"busted_bets_lost": True},
    "split aces are played on": {"split_ace_cards": "any", "double_split_aces": True, "resplit_aces": True},
    "only the third card is split again": {"resplit_on": "third_card"},
    "A-8 is nine": {"double_on": "nine_to_eleven", "double_count": "hard_or_best"},
}
"""Rules beside Penn National's: every dimension on which money hangs, the other way."""


def rules_of(house: dict[str, Any], **options: Any) -> Any:
    return replace(profile_files.load("hollywood-penn-national", options).rules, **house)


def dealt(house: dict[str, Any], seed: int, rounds: int, stand_key: StandKey) -> tuple[Rig, list[RoundPlayed]]:
    """Rounds of simulated people who know the house by its plain data."""
    rack = Rack()
    chips = {row["id"]: int(row["value_cents"]) for row in csv.DictReader(io.StringIO(rack.registry_csv()))}
    rig = Rig(rules_of(house, stand_key="always" if stand_key == "always" else "sometimes"), chips)
    raw = profile_files.raw("hollywood-penn-national")
    people = house_from({**raw, "rules": {**raw["rules"], **house}})
    return rig, rig.perform(play(people, Random(seed), rack, rounds=rounds, stand_key=stand_key))


@pytest.mark.parametrize("stand_key", HABITS)
@pytest.mark.parametrize("name", list(HOUSES)[:3])
def test_nothing_is_settled_or_published_but_the_truth(name: str, stand_key: StandKey) -> None:
    rig, rounds = dealt(HOUSES[name], 5, 40, stand_key)
    assert_account(rig, rounds)
    assert_facts(rig, rounds)
    assert rig.events_of(ChipsUnexplained) == []


@pytest.mark.parametrize("name", HOUSES)
def test_with_a_key_for_each_decision_everything_is_settled_as_it_truly_was(name: str) -> None:
    rig, rounds = dealt(HOUSES[name], 8, 60, "always")
    assert settled(rig.events) == true_account(rounds)
    assert rig.outcomes() == ["settled"] * 60


# --- no hole card -----------------------------------------------------------------------------------


def none(talk: str, **options: Any) -> Rig:
    rig = Rig(rules_of({"hole_card": "none"}, stand_key="always", **options))
    rig.talk(talk)
    return rig


def faces(rig: Rig) -> dict[int, str]:
    return {event.card: event.face for event in rig.events_of(CardOpened)}


def dealers(rig: Rig) -> list[str]:
    (closed,) = rig.events_of(RoundClosed)
    assert isinstance(closed, RoundClosed)
    assert closed.legal_plays == 1
    return [faces(rig)[card] for card in closed.dealer]


def test_there_is_nothing_to_turn_and_every_card_is_opened_at_once() -> None:
    rig = none("1 main 10 \n Th 9c 9d \n key stand \n 8s")
    assert list(faces(rig).values()) == ["Th", "9c", "9d", "8s"]
    assert rig.postings() == ["1: spot 1 main +10.00"]
    rig.key("round_closed")
    assert dealers(rig) == ["9c", "8s"]
    assert rig.events_of(HoleCardRevealed) == []


def test_the_second_card_is_published_as_the_dealers() -> None:
    rig = none("1 main 10 \n Th 6c 9d \n key stand \n 8s 9h \n key round_closed")
    owners = {faces(rig)[e.card]: e.spot for e in rig.events_of(CardDealt)}
    assert owners == {"Th": 1, "6c": 0, "9d": 1, "8s": 0, "9h": 0}
    assert dealers(rig) == ["6c", "8s", "9h"]


def test_nobody_waits_for_a_second_card_when_everybody_broke() -> None:
    rig = none("1 main 10 \n Th 6c 9d \n 1 main 20 \n key double \n 8s \n 1 main 0 \n key round_closed")
    assert rig.postings() == ["1: spot 1 main -20.00"]
    assert dealers(rig) == ["6c"]


def test_a_broken_double_against_an_ace_loses_all_where_nobody_draws_the_second_card() -> None:
    rig = none("1 main 10 \n Th As 5d \n 1 main 20 \n key double \n 8s \n 1 main 0 \n key round_closed")
    assert rig.postings() == ["1: spot 1 main -20.00"]


def test_a_late_natural_takes_the_original_wager_only() -> None:
    rig = none("1 main 10 \n 2 main 10 \n 6h Th Ks 5d 9d \n 1 main 20 \n key double \n Ts \n key stand \n Ad")
    rig.key("round_closed")
    assert rig.postings() == ["1: spot 1 main -10.00", "1: spot 2 main -10.00"]


def test_insurance_is_decided_by_the_second_card() -> None:
    rig = none("1 main 10 \n Th As 9d \n 1 insurance 5 \n key insurance_closed stand \n Kd \n key round_closed")
    assert sorted(rig.postings()) == ["1: spot 1 insurance +10.00", "1: spot 1 main -10.00"]


def test_queens_of_hearts_wait_for_the_second_card_and_no_longer() -> None:
    rig = none("1 main 10 \n 1 lucky_ladies 5 \n Qh Kc Qh \n key stand \n As \n key round_closed")
    assert sorted(rig.postings()) == ["1: spot 1 lucky_ladies +5000.00", "1: spot 1 main -10.00"]


def test_the_pad_shows_take_and_pay_once_all_is_settled() -> None:
    rig = none("1 main 10 \n Th 9c 9d \n key stand")
    assert rig.desired.display == "Round 1"
    rig.talk("8s")
    assert rig.desired.display == "Round 1: take and pay"


# --- surrender on any hand ---------------------------------------------------------------------------

LATER = {
    "a drawn hand": ("1 main 10 \n Th 9c 2d 8s \n key hit \n 4c \n key surrender hole_turned", -500),
    "a split hand": (
        "1 main 10 \n 8h 9c 8d 8s \n 1 main 20 \n key split \n 3c \n key surrender \n 2d \n key stand hole_turned",
        -1500,
    ),
}


@pytest.mark.parametrize("name", LATER)
def test_where_any_hand_may_be_surrendered_its_key_says_so(name: str) -> None:
    talk, net_cents = LATER[name]
    rig = Rig(rules_of({"surrender_on": "any_hand"}, stand_key="always"))
    rig.talk(f"{talk} \n key round_closed")
    assert settled(rig.events) == {(1, 1, "main"): (1000, net_cents)}
    first = Rig(rules_of({}, stand_key="always"))
    first.talk(talk)
    assert len(first.events_of(RoundIrregular)) == 1


# --- a device ---------------------------------------------------------------------------------------


def checked(talk: str) -> Rig:
    rig = Rig(rules_of({"hole_check": "device"}, stand_key="always"))
    rig.talk(talk)
    return rig


def test_a_natural_found_ends_the_round_before_anybody_plays() -> None:
    rig = checked("1 main 10 \n 2 main 5 \n Ah Th Ks Kh 6d Ad \n key hole_turned")
    assert rig.postings() == ["1: spot 1 main +0.00", "1: spot 2 main -5.00"]
    rig.key("round_closed")
    assert rig.outcomes() == ["settled"]


def test_a_natural_found_is_shown_by_the_taking_too() -> None:
    rig = checked("1 main 10 \n 2 main 5 \n Ah Th Ks Kh 6d Ad \n 2 main 0 \n 1 main 0 \n key round_closed")
    assert rig.postings() == ["1: spot 1 main +0.00", "1: spot 2 main -5.00"]
    assert rig.events_of(ChipsUnexplained) == []


def test_a_natural_paid_before_play_says_that_the_device_found_none() -> None:
    rig = checked("1 main 10 \n 2 main 5 \n Ah Th Ks Kh 6d 9d \n 1 main 25")
    assert rig.events_of(ChipsUnexplained, HoleCardRevealed) == []
    assert rig.postings() == [], "the player may as well have picked up a push"
    rig.talk("key hit")
    assert rig.postings() == ["1: spot 1 main +15.00"]
    rig.talk("5c \n key hole_turned round_closed")
    assert rig.postings()[1:] == ["1: spot 2 main +5.00"]


def test_a_dealer_who_played_on_with_a_natural_goes_to_the_floor() -> None:
    rig = checked(
        "1 main 10 \n 2 main 5 \n 9h Th Ks 9d 6d Ad \n key stand hit \n 4c \n key stand hole_turned round_closed"
    )
    assert len(rig.events_of(RoundIrregular)) == 1
    assert rig.postings() == []


def test_surrender_is_half_at_once_after_the_check() -> None:
    rig = checked("1 main 10 \n Th Ks 6d 9d \n key surrender \n 1 main 5")
    assert rig.postings() == ["1: spot 1 main -5.00"]


@pytest.mark.parametrize("face", ["9d", "Ad"])
def test_before_the_turn_nothing_reveals_what_the_device_found(face: str) -> None:
    rig = checked(f"1 main 10 \n 2 main 5 \n Ah Th Ks Kh 6d {face}")
    assert rig.postings() == []
    assert rig.desired.display == "Round 1"
