"""What the table settles and publishes, against what the simulated people know."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import pytest

from controller.core.messages.alerts import RoundIrregular
from controller.core.messages.events import (
    CardDealt,
    CardDrawn,
    CardOpened,
    HandCompleted,
    HandsSplit,
    InsuranceTaken,
    RoundClosed,
    SpotSurrendered,
    WagerSettled,
    WagerUnresolved,
)
from simulators.people.acts import RoundPlayed
from simulators.people.simulated_table import StandKey
from tests.core.houses import DEALERS, HABITS, simulated
from tests.core.readers import LateRig, SlowRig
from tests.core.rig import Rig, settled

Account = dict[tuple[int, int, str], tuple[int, int]]


def true_account(rounds: list[RoundPlayed]) -> Account:
    return {(r.round, w.spot, w.bet): (w.wager_cents, w.net_cents) for r in rounds for w in r.wagers}


def left_open(rig: Rig) -> dict[tuple[int, int, str], tuple[int, ...]]:
    return {(e.round, e.spot, e.bet): e.possible_cents for e in rig.events_of(WagerUnresolved)}


def assert_account(rig: Rig, rounds: list[RoundPlayed]) -> None:
    """Every wager is settled as it truly ended, or open with the truth among what remains possible; none twice."""
    truth, found, still = true_account(rounds), settled(rig.events), left_open(rig)
    assert rig.events_of(RoundIrregular) == []
    assert len(rig.events_of(WagerSettled)) == len(found)
    assert found == {wager: truth[wager] for wager in found}
    assert not found.keys() & still.keys()
    assert truth.keys() <= found.keys() | still.keys()
    for wager, possible in still.items():
        assert truth.get(wager, (0, 0))[1] in possible
        assert len(possible) > 1


def published_facts(rig: Rig, rounds: list[RoundPlayed]) -> Iterator[bool]:
    """Whether each inferred fact is true."""
    by_number = {truth.round: truth for truth in rounds}
    face = {e.card: e.face for e in rig.events_of(CardOpened)}
    for event in rig.events:
        match event:
            case CardDealt(number, card, spot):
                truth = by_number[number]
                mine = truth.dealer if spot == 0 else tuple(c for hand in truth.hands[str(spot)] for c in hand)
                yield card not in face or face[card] in mine
            case HandsSplit(number, spot, hands):
                yield hands <= len(by_number[number].hands[str(spot)])
            case HandCompleted(number, spot, hand, cards):
                yield tuple(face[card] for card in cards) == by_number[number].hands[str(spot)][hand]
            case SpotSurrendered(number, spot):
                yield spot in by_number[number].surrendered
            case InsuranceTaken(number, spot, cents):
                yield (spot, "insurance", cents) in {(w.spot, w.bet, w.wager_cents) for w in by_number[number].wagers}
            case RoundClosed(number, dealer) if dealer:
                yield tuple(face[card] for card in dealer) == by_number[number].dealer
            case _:
                pass


def assert_facts(rig: Rig, rounds: list[RoundPlayed]) -> None:
    judged = list(published_facts(rig, rounds))
    assert judged
    assert all(judged)


def placed(rig: Rig) -> set[object]:
    """Settlements and inferred facts with cards named by their places, so that runs can be compared."""
    place = {e.card: (e.round, e.position) for e in rig.events_of(CardDrawn)}
    found: set[object] = set()
    for event in rig.events:
        match event:
            case CardDealt(number, card, spot):
                found.add(("dealt", number, place[card], spot))
            case HandCompleted(number, spot, hand, cards, total, stake):
                found.add(("played", number, spot, hand, tuple(place[card] for card in cards), total, stake))
            case RoundClosed(number, dealer, plays, outcome):
                found.add(("closed", number, tuple(place[card] for card in dealer), plays, outcome))
            case HandsSplit() | SpotSurrendered() | InsuranceTaken() | WagerUnresolved():
                found.add(event)
            case WagerSettled(number, spot, bet, wager_cents, net_cents, basis):
                found.add(("settled", number, spot, bet, wager_cents, net_cents, basis))
            case _:
                pass
    return found


@pytest.mark.parametrize("stand_key", HABITS)
@pytest.mark.parametrize("name", DEALERS)
def test_nothing_is_settled_or_published_but_the_truth(name: str, stand_key: StandKey) -> None:
    rig, rounds = simulated(name, 11, 24, stand_key, fumbles_per_mille=60)
    assert len(rounds) == 24
    assert_account(rig, rounds)
    assert_facts(rig, rounds)


@pytest.mark.parametrize("name", DEALERS)
def test_with_a_key_for_each_decision_nothing_stays_open(name: str) -> None:
    rig, rounds = simulated(name, 12, 40, "always")
    assert settled(rig.events) == true_account(rounds)
    assert rig.outcomes() == ["settled"] * 40


def test_with_a_key_for_each_decision_every_hand_is_published() -> None:
    rig, rounds = simulated("hollywood-penn-national", 13, 25, "always")
    drawn = [e for e in rig.events_of(CardDrawn) if e.position is not None]
    assert len(rig.events_of(CardDealt)) == len(drawn)
    hands = [hand for truth in rounds for spot, of in truth.hands.items() for hand in of]
    surrendered = sum(len(truth.surrendered) for truth in rounds)
    naturals = sum(1 for truth in rounds for of in truth.hands.values() if len(of) == 1 and is_natural(of[0]))
    assert len(rig.events_of(HandCompleted)) + surrendered == len(hands)
    assert naturals > 0


def is_natural(hand: tuple[str, ...]) -> bool:
    return len(hand) == 2 and {card[0] for card in hand} <= set("ATJQK") and sum(card[0] == "A" for card in hand) == 1


@pytest.mark.parametrize("stand_key", HABITS)
def test_late_confirmations_change_only_when_things_are_published(stand_key: StandKey) -> None:
    name = "hollywood-penn-national"
    punctual, truth = simulated(name, 21, 20, stand_key, fumbles_per_mille=60)
    late, rounds = simulated(name, 21, 20, stand_key, make=LateRig, fumbles_per_mille=60)
    assert rounds == truth
    assert len(late.stamped) < len(punctual.stamped)
    assert_account(late, rounds)
    assert_facts(late, rounds)
    assert placed(late) == placed(punctual)


@pytest.mark.parametrize("looks", [0.5, 0.2])
@pytest.mark.parametrize("stand_key", HABITS)
@pytest.mark.parametrize("name", ["hollywood-penn-national", "classic-shoe-and-pitch"])
def test_readers_that_are_behind_leave_more_open_but_nothing_wrong(
    name: str, stand_key: StandKey, looks: float
) -> None:
    rig, rounds = simulated(name, 31, 12, stand_key, make=partial(SlowRig, looks=looks))
    assert_account(rig, rounds)
    assert_facts(rig, rounds)
