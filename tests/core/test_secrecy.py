"""Nothing that leaves the process, nor when it leaves, depends on the hole card before it is turned.

Each round is played with every one of the 52 faces in the hole, all other readings the same, and every byte of every
event and of what the devices are sent is compared up to the turn. Commitments differ with the face in truth; here they
are given by number so that nothing else may hide behind them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from typing import NamedTuple

import pytest
from msgspec.structs import replace

from controller.core.messages.events import BettingClosed, CardDrawn, CardOpened, Event, HoleCardRevealed, KeyRead
from controller.core.messages.house import House
from controller.core.messages.inputs import StampedInput
from controller.core.step import step
from controller.core.table.state import State, Table
from firmware_protocols import readings
from firmware_protocols.cards import DECK, Card
from simulators.people.acts import Act, Press, RoundPlayed
from simulators.people.simulated_table import KEY_HOLE_TURNED, StandKey
from tests.core.houses import DEALERS, HABITS, rules_of, simulated
from tests.core.readers import LateRig, SlowRig
from tests.core.rig import Rig, coded, penn

HAND_WRITTEN = {
    "take and pay begins without the key": """
        1 main 10
        2 main 10
        Th 9h 6c Td 8h 9s
        2 main 20
        1 main 20
        1 main 0
        2 main 0
        key round_closed
    """,
    "naturals and insurance wait for it": """
        1 main 10
        2 main 20
        Ah 9h Ac Kd 8h 9s
        2 insurance 10
        key insurance_closed
        key stand
        key hole_turned
        2 insurance 0
        1 main 25
        2 main 0
        key round_closed
    """,
    "everybody breaks": """
        1 main 10
        Th Tc 6d 9s Td
        1 main 0
        key round_closed
    """,
    "a natural alone against a six": """
        1 main 10
        Ah 6c Kd 9s
        1 main 25
        key round_closed
    """,
    "the dealer draws": """
        1 main 10
        Th 2c 6d 3s
        key stand
        5h 6h
        key round_closed
    """,
    "the next round begins without a key": """
        1 main 10
        Th 2c 6d 9s Ts
        1 main 10
        9h 8c 7d
    """,
    "a card too many in an irregular round": """
        1 main 10
        Th Tc 6d 9s
        key stand
        key stand
        Td 9d 4c 5c 6c
        key round_closed
        1 main 20
        9h 8c 7d
    """,
    "irregular while a hand is played": """
        1 main 10
        Th Tc 6d 9s
        key hit stand yes
        5c
        key round_closed
    """,
    "surrender against a ten": """
        3 main 10
        4 main 10
        Th 8h Tc 6d 7d 9s
        3 main 5
        key 3 surrender
        key stand
        key hole_turned
        3 main 0
        key round_closed
    """,
    "closed in the middle": """
        1 main 10
        Th Tc 6d 9s
        key round_closed
        1 main 20
        9h 8c 7d
    """,
    "closed before the deal is over": """
        1 main 10
        Th Tc 6d
        key round_closed
    """,
    "keys that say nothing of it": """
        1 main 10
        Th Tc 6d 9s
        key call_floor undo burn
        9d
        key round_closed
    """,
}


class Hole(NamedTuple):
    """A hole card's reading: how many were stamped before it, and its number."""

    before: int
    number: int


def holes_of(rig: Rig) -> list[Hole]:
    """The hole cards, by the place that the locked wagers give them."""
    boxes = {e.round: sum(wager.bet == "main" for wager in e.wagers) for e in rig.events_of(BettingClosed)}
    drawn = rig.events_of(CardDrawn)
    return [Hole(e.card - 1, e.card) for e in drawn if e.position == 2 * boxes.get(e.round or 0, 99) + 1]


def with_face(stamped: StampedInput, face: Card) -> StampedInput:
    assert isinstance(stamped.input, readings.CardDrawn)
    return replace(stamped, input=replace(stamped.input, face=face))


def before_the_turn(table: Table, rest: list[StampedInput], hole: int) -> Iterator[bytes]:
    """What leaves the process step by step, up to the turn and with it."""
    for stamped in rest:
        stepped = step(table, stamped)
        table = stepped.table
        turns = [
            i for i, event in enumerate(stepped.events) if isinstance(event, HoleCardRevealed) and event.card == hole
        ]
        shown: tuple[Event, ...] = stepped.events[: turns[0] + 1] if turns else stepped.events
        assert not any(isinstance(event, CardOpened) and event.card == hole for event in shown)
        yield coded(shown) if turns else coded((shown, stepped.desired))
        if turns:
            return


def assert_hole_is_secret(rig: Rig, every: int = 1) -> int:
    """Try all faces in each ``every``-th hole; how many were tried."""
    holes = holes_of(rig)[::every]
    house: House = rig.house
    table, tables = Table(house, State()), {}
    for index, stamped in enumerate(rig.stamped):
        tables[index] = table
        table = step(table, stamped).table
    for before, number in holes:
        rest = rig.stamped[before:]
        first: list[bytes] | None = None
        for face in DECK:
            published = list(before_the_turn(tables[before], [with_face(rest[0], face), *rest[1:]], number))
            first = published if first is None else first
            assert published == first
    return len(holes)


@pytest.mark.parametrize("stand_key", HABITS)
@pytest.mark.parametrize("name", DEALERS)
def test_no_byte_depends_on_the_hole_card_before_the_turn(name: str, stand_key: StandKey) -> None:
    rig, _ = simulated(name, 41, 5, stand_key, boxes=(1, 4))
    assert assert_hole_is_secret(rig) == 5


@pytest.mark.parametrize("stand_key", HABITS)
def test_nor_when_readers_are_late(stand_key: StandKey) -> None:
    rig, _ = simulated("hollywood-penn-national", 42, 5, stand_key, make=LateRig, boxes=(1, 4))
    assert assert_hole_is_secret(rig) == 5


@pytest.mark.parametrize("stand_key", HABITS)
def test_nor_when_they_are_slow(stand_key: StandKey) -> None:
    make = partial(SlowRig, looks=0.4)
    rig, _ = simulated("hollywood-penn-national", 43, 4, stand_key, make=make, boxes=(1, 3))
    assert assert_hole_is_secret(rig) == 4


class Keyless(Rig):
    """A dealer who never says that the hole card is turned."""

    def perform(self, acts: Iterable[Act]) -> list[RoundPlayed]:
        return super().perform(act for act in acts if not (isinstance(act, Press) and act.key == KEY_HOLE_TURNED))


@pytest.mark.parametrize("stand_key", HABITS)
def test_nor_when_nobody_says_that_it_is_turned(stand_key: StandKey) -> None:
    rig, _ = simulated("hollywood-penn-national", 44, 5, stand_key, make=Keyless, boxes=(1, 4))
    assert not any(isinstance(event, KeyRead) and event.meaning == "hole_turned" for event in rig.events)
    assert rig.events_of(HoleCardRevealed)
    assert assert_hole_is_secret(rig) == 5


@pytest.mark.parametrize("name", HAND_WRITTEN)
def test_nor_in_a_round_dealt_by_hand(name: str) -> None:
    rig = Rig(penn())
    rig.talk(HAND_WRITTEN[name])
    tried = assert_hole_is_secret(rig)
    assert tried == (0 if name == "closed before the deal is over" else 1)
    shown = [
        (type(event), event.card) for event in rig.events_of(HoleCardRevealed, CardOpened) if hasattr(event, "card")
    ]
    for hole in holes_of(rig):
        assert [kind for kind, card in shown if card == hole.number] == [HoleCardRevealed, CardOpened]


def test_nor_where_even_money_is_shown_by_chips() -> None:
    rig = Rig(rules_of("borgata", even_money_shown="chips"))
    rig.talk("""
        1 main 10
        2 main 10
        Ah 9h Ac Kd 8h 9s
        1 main 20
        key stand
        key hole_turned
        key round_closed
    """)
    assert assert_hole_is_secret(rig) == 1


def test_the_hole_card_opens_once_and_after_its_turn() -> None:
    rig, _ = simulated("hollywood-penn-national", 45, 20, "sometimes")
    hidden = {hole.number for hole in holes_of(rig)}
    opened: set[int] = set()
    turned: set[int] = set()
    for event in rig.events:
        match event:
            case HoleCardRevealed(_, card):
                turned.add(card)
            case CardOpened(card):
                assert card not in hidden or card in turned
                assert card not in opened
                opened.add(card)
            case _:
                pass
    assert turned == hidden
    assert hidden <= opened
