"""Table and box back to back, without a line between them: whatever each knows, they do not talk in circles.

A message is answered, and the answer may bring another; but where nothing happens outside both fall silent, and the
half-second questions cost a few messages each, in every pair of states that a lost disk, an old copy or a mixed-up
cable can bring about.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controller.trigger_box.entries import BoxEntry
from devices.trigger.mystery_trigger import CHECK_NS, WINDOW, MysteryTriggerSession, TriggerTable
from firmware_protocols.mystery_trigger.tableside import CODEC
from firmware_protocols.readings import DeviceComplained, MysteryAnswered, MysteryReading, Reading
from firmware_protocols.trigger_messages import Contribute, OpenCycle, TriggerWish
from simulators.devices.mystery_trigger import Bounds
from tests.devices.trigger_rig import Box, Make, proper, simulated
from tests.trigger_box.rig import SMALL, BoxDevice, taken_over

NO_HIT: Final = Bounds(reset_cents=10_000, ceiling_cents=10_000_000, most_units=1_000_000)
AMOUNT_UNITS: Final = 100
MOST_AT_ONCE: Final = 6 * WINDOW
"""Messages of both sides until they are silent: a greeting, a cycle that opens, a window of contributions, answers."""

MOST_A_CHECK: Final = 3 * (WINDOW + 3)
"""Messages that a question every half second may bring: it, recalls, a share and a window said again, and answers."""


@dataclass(frozen=True)
class Knows:
    """What one of the two has in its store: contributions answered, and what each was."""

    answered: int
    amount_units: int = AMOUNT_UNITS


class Pair:
    """A session and a box, joined without a line; time stands still while they talk."""

    def __init__(self, box: Box, table: TriggerTable, wish: TriggerWish) -> None:
        self.box = box
        self.session = MysteryTriggerSession(CODEC, table, wish)
        self.now_ns = 0
        self.readings: list[Reading] = []
        self.alarms = 0
        self.session.connected(self.now_ns)

    def talk(self, most: int) -> int:
        """Go on until both are silent; the messages it took, each ended by a zero byte."""
        messages = 0
        while sent := self.session.bytes_to_send():
            answered = self.box.receive(sent)
            messages += sent.count(0) + answered.count(0)
            assert messages <= most, (self.box, self.readings[-6:])
            self.session.receive(answered, self.now_ns)
            self.readings += self.session.readings()
        return messages

    def tick(self, most: int) -> int:
        """The next question is due."""
        self.now_ns += CHECK_NS
        self.session.handle_deadline(self.now_ns)
        return self.talk(most)

    def complaints(self) -> list[str]:
        return [one.code for one in self.readings if isinstance(one, DeviceComplained)]


def share_of(cycle: int) -> OpenCycle:
    return OpenCycle(cycle, hashlib.sha256(b"%d" % cycle).digest())


def wish(knows: Knows, waiting: int, *, cycle: int = 1) -> TriggerWish:
    """What a table wants whose journal knows so much, and where so many contributions have no answer."""
    numbers = range(knows.answered + 1, knows.answered + waiting + 1)
    owed = tuple(Contribute(number, knows.amount_units) for number in numbers)
    return TriggerWish(cycle, 0, knows.answered, share_of(cycle) if cycle else None, owed)


def grown(make: Make, knows: Knows, table: TriggerTable, bounds: Bounds = NO_HIT) -> Box:
    """A box that has counted so much for a table."""
    box = make(bounds, seed=1, noise=True)
    pair = Pair(box, table, TriggerWish())
    pair.talk(MOST_AT_ONCE)
    for number in range(1, knows.answered + 1):
        pair.session.apply(
            TriggerWish(1, 0, number - 1, share_of(1), (Contribute(number, knows.amount_units),)), pair.now_ns
        )
        pair.talk(MOST_AT_ONCE)
    box.power_cycle()
    return box


def quiet(pair: Pair, checks: int = 6) -> None:
    """They fall silent, and stay as good as silent."""
    pair.talk(MOST_AT_ONCE)
    for _ in range(checks):
        pair.tick(MOST_A_CHECK)


TABLE: Final = TriggerTable("harbour", "bj-1", 7)
OTHERS: Final = (TABLE, TriggerTable("harbour", "bj-1", 8), TriggerTable("harbour", "bj-2", 7))


@pytest.mark.parametrize("make", [proper, simulated])
@given(
    box=st.builds(Knows, st.integers(0, 12), st.sampled_from([AMOUNT_UNITS, 2 * AMOUNT_UNITS])),
    table=st.builds(Knows, st.integers(0, 12)),
    waiting=st.integers(0, 12),
    cycle=st.integers(0, 2),
    name=st.sampled_from(OTHERS),
    ended=st.booleans(),
)
def test_in_every_pair_of_states_both_fall_silent(
    make: Make, box: Knows, table: Knows, *, waiting: int, cycle: int, name: TriggerTable, ended: bool
) -> None:
    """Ended, of another epoch or table, set back, ahead or behind, with other amounts."""
    device = grown(make, box, TABLE)
    if ended and isinstance(device, BoxDevice):
        end(device)
    pair = Pair(device, name, wish(table, waiting, cycle=cycle))
    quiet(pair)
    assert len(pair.complaints()) <= 2
    if not ended and name == TABLE and box == Knows(table.answered) and cycle == 1:
        assert [one.number for one in pair.readings if isinstance(one, MysteryAnswered)] == [
            *range(table.answered + 1, table.answered + waiting + 1)
        ]


def end(box: BoxDevice) -> None:
    """Two people take it out of service."""
    entries: tuple[BoxEntry, ...] = box.box.end("ann", "ben", 0)
    box.memory.entries += entries
    box.power_cycle()


@given(number=st.integers(1, 20), answered=st.integers(0, 20), waiting=st.integers(1, 12), cycle=st.integers(0, 2))
def test_a_box_that_took_over_where_the_table_does_not_stand(
    number: int, answered: int, waiting: int, cycle: int
) -> None:
    """What it was sent of the box before it does not fit the journal: it disputes once."""
    pair = Pair(BoxDevice(NO_HIT, entries=taken_over(NO_HIT, 1, number, 0)), TABLE, wish(Knows(answered), waiting))
    quiet(pair)
    assert pair.complaints().count("disputed") <= 2


@pytest.mark.parametrize("make", [proper, simulated])
@given(
    amounts=st.lists(st.integers(1, 2_000_000), min_size=1, max_size=20),
    noise=st.booleans(),
    forgotten=st.integers(0, 20),
)
def test_hits_and_answers_lost_are_no_circle_either(
    make: Make, amounts: list[int], forgotten: int, *, noise: bool
) -> None:
    """Cycles that end while contributions are under way, without noise for the next, and a journal set back."""
    box = make(SMALL, seed=2, noise=True)
    kept: list[MysteryReading] = []
    owed = [Contribute(number, amount) for number, amount in enumerate(amounts, start=1)]
    pair = Pair(box, TABLE, journal_wish(kept, owed))
    box.noise(works=noise)
    for _ in range(8):
        pair.tick(MOST_AT_ONCE)
        kept += [one for one in pair.readings if isinstance(one, MysteryReading)]
        pair.readings.clear()
        pair.session.apply(journal_wish(kept, owed), pair.now_ns)
        pair.talk(MOST_AT_ONCE)
    older = kept[: max(0, len(kept) - forgotten)]
    quiet(Pair(box, TABLE, journal_wish(older, owed)))


def journal_wish(read: list[MysteryReading], owed: list[Contribute]) -> TriggerWish:
    """What a journal with these readings wants."""
    cycles = sum(one.__struct_config__.tag == "mystery_committed" for one in read)
    revealed = sum(one.__struct_config__.tag == "mystery_revealed" for one in read)
    number = sum(isinstance(one, MysteryAnswered) for one in read)
    return TriggerWish(cycles, revealed, number, share_of(cycles) if cycles else None, tuple(owed[number:]))
