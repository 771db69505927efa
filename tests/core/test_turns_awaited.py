"""Doubles and splits that are laid before their hand's turn, at tables where no key says whose turn it is."""

from __future__ import annotations

import pytest

from controller.core.game.hand import seen
from controller.core.inference.lattice import Lattice
from controller.core.inference.observation import CardObserved, ChipsObserved, DatedObservation
from controller.core.messages.events import HandDoubled
from controller.io.files import profile_files
from firmware_protocols.cards import Card
from firmware_protocols.readings import DeviceHealth, HealthState
from tests.core.human import HumanRig, keyless
from tests.core.quick_readers import accused

LOOKS_MS = [350, 500, 700, 1_000]
AT_ITS_CARD = (
    "wait 2.35 / 2 main 100 / wait 0.59 / 6 main 100 / wait 0.51 / 1 main 50 / wait 0.76 / 5 main 10 / wait 5.63 / 7s"
    " / wait 0.55 / Js / wait 0.61 / 6h / wait 0.55 / 8h / wait 0.55 / Kd / wait 0.63 / 9c / wait 0.54 / 5s / wait 0.56"
    " / 3s / wait 0.62 / Ks / wait 0.56 / 6h / wait 4.76 / 5 main 20 / wait 0.49 / 5h / wait 2.65 / 9d / wait 1.31"
    " / 2 main 0 / wait 4.95 / 2h / wait 6.07 / 5s / wait 2.36 / 6 main 0 / wait 1.34 / 5 main 0 / wait 70"
)
"""Nine at spot 5 is doubled just before spot 1 hits 16 to 21, and spot 2 breaks; the dealer makes 21."""

SURRENDERED = (
    "4 main 30 / wait 1.4 / 7 main 20 / wait 4 / deal 6d 4c Js Jc 5h Jc / wait 3.9 / 7 main 40 / wait 2.6"
    " / 4 main 15 / wait 2.2 / 4 main 0 / wait 3.9 / Kc / wait 3.8 / 7 main 0 / wait 70"
)
"""Nine at spot 7 is doubled, and spot 4 gives up 16 then: the dealer has 20."""

DRAWN_ON = (
    "1 main 10 / 2 main 100 / wait 5 / deal 2c 5d 8s 2d 6c Th / wait 5 / 2 main 200 / wait 2 / 3h / wait 2 / 2s"
    " / wait 2 / 4c / wait 2 / 2h / wait 2 / 3c / wait 3 / 9h / wait 5 / 1 main 20 / wait 2 / 2 main 400 / wait 3"
    " / 1 main 0 / wait 1 / 2 main 0 / wait 70"
)
"""Eleven at spot 2 is doubled before spot 1 draws five cards to 18; both have the better of the dealer, at last."""

TAKEN_BACK = (
    "1 main 10 / 2 main 100 / wait 5 / deal Td 5d 8s 6c 2d Th / wait 5 / 2 main 200 / wait 5 / 3h / wait 3 / 2 main 100"
    " / wait 3 / 4h / wait 3 / 6h / wait 4 / 1 main 20 / wait 2 / 2 main 0 / wait 2 / 1 main 0 / wait 70"
)
"""The player at spot 2 lays a double before spot 1 has its card, thinks better of it, and draws to 17 against 18."""


NEXT = "deal Th Td 9c Kd Kc 8s / wait 10"


def played(profile: str, cycle_ms: int, text: str, *, awaited: bool = True) -> HumanRig:
    """The acts at a table without keys; not ``awaited``: by a journal of before."""
    rig = keyless(profile, cycle_ms)
    rig.change_house(turns_awaited=awaited)
    rig.play(text)
    return rig


def test_a_double_reported_once_its_neighbours_card_has_come_waits_for_its_own() -> None:
    rig = played("hollywood-perryville", 700, AT_ITS_CARD)
    assert rig.postings_of(1) == {"spot 2 main -100.00", "spot 5 main -20.00", "spot 6 main -100.00"}
    assert accused(rig) == []


def test_in_a_journal_of_before_it_had_its_neighbours() -> None:
    assert "spot 2 main +100.00" in played("hollywood-perryville", 700, AT_ITS_CARD, awaited=False).postings_of(1)


def test_and_there_one_that_is_reported_in_time_waited_for_as_many_as_four_cards() -> None:
    deal = "2 main 10 / 4 main 10 / wait 6 / deal Js 8c 7s 2s 3c Ah / wait 4 / 4 main 20 / wait 6"
    broke = "Qh / wait 1 / 2 main 0 / wait 2 / 6c / wait 4 / 4 main 0"
    rig = played("borgata", 350, f"{deal} / {broke} / wait 2 / 2 main 10 / 4 main 10 / wait 6 / {NEXT}", awaited=False)
    assert rig.postings_of(1) == {"spot 2 main -10.00", "spot 4 main -20.00"}


@pytest.mark.parametrize("cycle_ms", LOOKS_MS)
def test_the_hand_before_it_may_be_given_up_once_it_lies_there(cycle_ms: int) -> None:
    rig = played("hollywood-penn-national", cycle_ms, SURRENDERED)
    assert rig.postings_of(1) == {"spot 4 main -15.00", "spot 7 main -40.00"}
    assert accused(rig) == []


@pytest.mark.parametrize("cycle_ms", LOOKS_MS)
@pytest.mark.parametrize("profile", ["hollywood-perryville", "classic-shoe-and-pitch"])
def test_however_many_cards_come_first_it_settles_nothing_wrongly(profile: str, cycle_ms: int) -> None:
    rig = played(profile, cycle_ms, DRAWN_ON)
    assert rig.postings_of(1) <= {"spot 1 main +10.00", "spot 2 main +200.00"}
    assert accused(rig) == []


@pytest.mark.parametrize("cycle_ms", LOOKS_MS)
def test_what_is_taken_back_before_its_turn_was_no_double(cycle_ms: int) -> None:
    rig = played("hollywood-perryville", cycle_ms, TAKEN_BACK)
    assert not rig.events_of(HandDoubled)
    assert rig.postings_of(1) <= {"spot 1 main +10.00", "spot 2 main -100.00"}
    assert accused(rig) == []


# --- the plays -------------------------------------------------------------------------------------------


def lattice(profile: str, cards: str, *moves: tuple[int, int] | str) -> Lattice:
    """Two boxes with 10.00 each: the deal, then the second box's chips, in dollars before and after, and cards."""
    rules = profile_files.load(profile, {}).rules
    found, place, now_ns = Lattice.begin(rules, (1000, 1000)), 0, 0
    for move in (*cards.split(), *moves):
        if isinstance(move, str):
            item: CardObserved | ChipsObserved = CardObserved(seen(place, Card(move)))
            place += 1
        else:
            item = ChipsObserved(1, "main", move[0] * 100, move[1] * 100, waits=True)
        now_ns += 10
        found = found.observe(DatedObservation(now_ns, now_ns, item, now_ns))
    return found


def ahead(found: Lattice) -> set[tuple[int, int]]:
    """In each play which box acts, and what the second has laid ahead."""
    return {(node.acting, node.boxes[1].ahead) for node in found.frontier}


PAIR = "Th 8c 9d 6s 8d 7h"
SIXTEEN = "Th Tc 9d 6s 6d 7h"


def test_chips_that_may_wait_lie_there_until_the_turn_and_double_or_split_then() -> None:
    laid = lattice("borgata", PAIR, (10, 20))
    assert {one for one in ahead(laid) if one[0] == 0} == {(0, 1000)}
    drawn = lattice("borgata", PAIR, (10, 20), "Tc", "2h")
    after = {tuple(len(hand.cards) for hand in node.hands) for node in drawn.frontier if node.acting == 1}
    assert (2, 1) in after
    assert all(not node.boxes[1].ahead for node in drawn.frontier if node.acting >= 1)


def test_what_is_taken_back_before_the_turn_lies_there_no_more() -> None:
    assert (0, 0) in ahead(lattice("borgata", PAIR, (10, 20), (20, 10)))
    assert (0, 0) not in ahead(lattice("borgata", PAIR, (10, 20), (20, 15)))


@pytest.mark.parametrize(
    ("profile", "cards", "cents"),
    [("pitch-h17", SIXTEEN, (10, 20)), ("borgata", SIXTEEN, (10, 25)), ("borgata", SIXTEEN, (10, 5))],
)
def test_what_would_make_no_double_does_not_wait(profile: str, cards: str, cents: tuple[int, int]) -> None:
    assert not [one for one in ahead(lattice(profile, cards, cents)) if one[1]]


def test_nor_do_chips_of_a_hand_that_is_in_play_or_more_than_a_double() -> None:
    assert (1, 1000) not in ahead(lattice("borgata", SIXTEEN, "2h", (10, 20)))
    assert (0, 1000) not in ahead(lattice("borgata", SIXTEEN, (10, 20), (20, 30)))


def test_what_no_reader_saw_in_the_round_stays_unseen() -> None:
    rig = keyless("hollywood-perryville", 350)
    rig.play("1 main 10 / 2 main 100 / wait 5 / deal Td 5d 8s 6c 6d Th / wait 5")
    for state in (HealthState.LOST, HealthState.READY):
        rig.give(DeviceHealth("bet_spots/1", state, rig.now_ns))
        rig.play("wait 1")
    rig.play("2 main 200 / wait 6 / 2h / wait 3")
    round_now = rig.table.state.round
    assert round_now is not None
    assert round_now.evidence.outages
    assert any(isinstance(one.item, ChipsObserved) and one.item.waits for one in round_now.evidence.observations)
