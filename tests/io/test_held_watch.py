"""What is reported when the program was held back: only where a card and a key were read at once after it."""

from __future__ import annotations

import pytest

from controller.core.messages.inputs import Input, ReadingsHeld
from controller.io.system.stall_watch import StallWatch
from firmware_protocols.cards import Card
from firmware_protocols.readings import CardDrawn, ChipsSeen, DeviceHealth, HealthState, KeyPressed, Reading

MS = 1_000_000
START_MS = 1000


class Loop:
    """A clock, the readings as a loop would read them, and what was delivered."""

    def __init__(self, bound_ms: int = 150) -> None:
        self.now_ms = START_MS
        self.delivered: list[Input] = []
        self.watch = StallWatch(self, self.delivered.append, bound_ms)

    def monotonic_ns(self) -> int:
        return self.now_ms * MS

    def wall_ns(self) -> int:
        return self.now_ms * MS

    def beats(self, count: int = 3) -> None:
        for _ in range(count):
            self.watch.mark()
            self.now_ms += 50

    def held(self, milliseconds: int) -> None:
        """Since the last mark the loop is away so long."""
        self.watch.mark()
        self.now_ms += milliseconds

    def reads(self, *readings: Reading) -> None:
        for one in readings:
            self.watch.taken(one)

    def card(self, since_ns: int = -1) -> CardDrawn:
        return CardDrawn(self.now_ms * MS, Card("Th"), since_ns=since_ns)

    def key(self) -> KeyPressed:
        return KeyPressed(self.now_ms * MS, "K")

    def held_ms(self) -> list[int]:
        """For how many milliseconds it was held, each time it was reported."""
        return [one.held_ns // MS for one in self.delivered if isinstance(one, ReadingsHeld)]


@pytest.mark.parametrize("is_key_first", [True, False])
def test_a_card_and_a_key_after_a_pause_are_reported_once_and_after_them(is_key_first: bool) -> None:
    loop = Loop()
    loop.beats()
    loop.held(400)
    both: list[Reading] = [loop.key(), loop.card()]
    loop.reads(*(both if is_key_first else both[::-1]), loop.card(), loop.key())
    loop.beats()
    loop.reads(loop.card(), loop.key())
    assert loop.held_ms() == [400]
    assert isinstance(loop.delivered[2], ReadingsHeld)


def test_a_pause_that_began_before_a_mark_was_left_is_one_too() -> None:
    """Stopped with the timer already due, the loop leaves its mark first and reads what waited after it."""
    loop = Loop()
    loop.beats()
    loop.held(400)
    loop.watch.mark()
    loop.now_ms += 1
    loop.reads(loop.card(), loop.key())
    assert loop.held_ms() == [401]


def test_a_key_reported_when_it_is_let_go_belongs_to_the_pause_in_which_it_went_down() -> None:
    loop = Loop()
    loop.held(300)
    pressed = loop.key()
    loop.reads(loop.card())
    loop.beats(4)
    assert loop.held_ms() == []
    loop.reads(pressed)
    assert loop.held_ms() == [300]


def test_a_key_that_went_down_before_the_pause_has_its_order() -> None:
    loop = Loop()
    loop.beats()
    pressed = loop.key()
    loop.now_ms += 10
    loop.held(300)
    loop.reads(loop.card(), pressed)
    assert loop.held_ms() == []


def test_a_key_that_went_down_after_the_pause_has_its_order_too() -> None:
    loop = Loop()
    loop.held(300)
    loop.reads(loop.card())
    loop.beats(2)
    pressed = loop.key()
    loop.beats(2)
    loop.reads(pressed)
    assert loop.held_ms() == []


def test_nothing_is_reported_where_nothing_is_unknown() -> None:
    loop = Loop()
    loop.held(1000)
    # One line keeps its own order; chips carry their own time; a card reported late its own too.
    loop.reads(loop.key(), loop.key(), loop.card(since_ns=0))
    loop.reads(ChipsSeen(1, "main", (), START_MS * MS, loop.now_ms * MS))
    loop.reads(DeviceHealth("shoe", HealthState.READY, loop.now_ms * MS))
    loop.beats()
    loop.held(1000)
    loop.beats()
    loop.reads(loop.key(), loop.card())
    loop.held(149)
    loop.reads(loop.key(), loop.card())
    assert loop.held_ms() == []


def test_a_start_is_no_pause() -> None:
    loop = Loop()
    loop.now_ms += 5000
    loop.reads(loop.key(), loop.card())
    assert loop.held_ms() == []


def test_a_second_pause_is_reported_too() -> None:
    loop = Loop()
    for milliseconds in (200, 150):
        loop.held(milliseconds)
        loop.reads(loop.key(), loop.card())
        loop.beats()
    assert loop.held_ms() == [200, 150]


def test_it_may_be_switched_off() -> None:
    loop = Loop(bound_ms=0)
    loop.held(5000)
    loop.reads(loop.key(), loop.card())
    assert loop.held_ms() == []
