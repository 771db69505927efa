"""Whatever happens on the felt, in the air and on the line: what the session says happened did happen, and when."""

from __future__ import annotations

import itertools
import random
from dataclasses import dataclass
from typing import assert_never

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from devices.chips.bet_spots import BetSpotsSession
from firmware_protocols.bet_spots import feig_obid
from firmware_protocols.codec import Codec
from firmware_protocols.readings import ChipsSeen, HealthState, Reading
from simulators.devices.bet_spots import STEADY, BetSpotsSimulator, Flicker
from simulators.devices.wire import NullModem
from simulators.faults.line_faults import NO_FAULTS, Faults, Rates
from tests.devices.plain import PLAIN

MS = 1_000_000
S = 1_000 * MS
ZONES: dict[tuple[int, int | None], tuple[int, str]] = {
    (1, 1): (1, "main"),
    (1, 2): (1, "insurance"),
    (2, 1): (2, "main"),
    (3, None): (3, "main"),
}
PLACES = tuple(ZONES.values())
CHIPS = tuple(f"E0040100000000{number:02X}" for number in range(6))


@dataclass(frozen=True)
class Lay:
    """Chips change on a zone."""

    place: tuple[int, str]
    chips: frozenset[str]


@dataclass(frozen=True)
class Power:
    """A reader is switched."""

    address: int
    on: bool


@dataclass(frozen=True)
class Unplug:
    """The line goes and comes back."""

    for_ms: int


lays = st.builds(Lay, st.sampled_from(PLACES), st.frozensets(st.sampled_from(CHIPS)))
doings = st.one_of(
    lays,
    lays,
    lays,
    st.builds(Power, st.sampled_from([1, 2, 3]), st.booleans()),
    st.builds(Unplug, st.integers(1, 3000)),
)
rates = st.builds(
    Rates,
    drop=st.integers(0, 10),
    flip=st.integers(0, 10),
    insert=st.integers(0, 10),
    split=st.integers(0, 200),
    duplicate=st.integers(0, 50),
)


class Night:
    """A bus under trial, with a record of the truth."""

    def __init__(self, codec: Codec, seed: int, agreeing: int, rates: Rates) -> None:
        chance = random.Random(seed)
        flicker = Flicker(missed=150, doubtful=100, most_in_a_row=agreeing - 1) if agreeing > 1 else STEADY
        self.readers = BetSpotsSimulator(codec, ZONES, flicker=flicker, chance=chance, most_per_answer=4)
        self.faults = Faults(chance, rates)
        session = BetSpotsSession(codec, ZONES, agreeing=agreeing, gap_ns=20 * MS)
        self.modem: NullModem[Reading] = NullModem(
            session, self.readers, codec, paced=True, to_host=self.faults, to_device=self.faults
        )
        self.truth: dict[tuple[int, str], list[tuple[int, tuple[str, ...]]]] = {place: [(0, ())] for place in PLACES}
        self.connected_ns: list[int] = []
        self.connect()

    def connect(self) -> None:
        self.connected_ns.append(self.modem.now_ns)
        self.modem.connect()

    def run(self, for_ns: int) -> None:
        self.modem.run_until(self.modem.now_ns + for_ns)

    def do(self, doing: Lay | Power | Unplug) -> None:
        match doing:
            case Lay(place, chips):
                content = tuple(sorted(chips))
                self.readers.lay(*place, content)
                if content != self.truth[place][-1][1]:
                    self.truth[place].append((self.modem.now_ns, content))
            case Power(address, on):
                self.readers.power(address, on=on)
            case Unplug(for_ms):
                self.modem.disconnect()
                self.run(for_ms * MS)
                self.connect()
            case _:
                assert_never(doing)

    def calm_down(self) -> None:
        """Faults stop, readers are on, and even one left alone for long is asked again."""
        self.faults.rates = NO_FAULTS
        self.readers.flicker(STEADY)
        for address in (1, 2, 3):
            self.readers.power(address, on=True)
        self.run(13 * S)

    def seen(self, place: tuple[int, str]) -> list[ChipsSeen]:
        changes = [reading for reading in self.modem.readings if isinstance(reading, ChipsSeen)]
        return [change for change in changes if (change.spot, change.zone) == place]

    def lay_there(self, place: tuple[int, str], seen: ChipsSeen) -> bool:
        """Whether that content truly lay there at some moment of the interval."""
        history = [*self.truth[place], (self.modem.now_ns, ())]
        return any(
            content == seen.chips and begun_ns <= seen.by_ns and ended_ns >= seen.after_ns
            for (begun_ns, content), (ended_ns, _) in itertools.pairwise(history)
        )

    def assert_ends_true(self) -> None:
        for place in PLACES:
            assert self.seen(place)[-1].chips == self.truth[place][-1][1]


FIVE_CHIPS = frozenset(f"E00401000000000{digit}" for digit in (0, 1, 2, 3, 5))
LAID_AMONG_LOST_LINES: list[tuple[int, Lay | Power | Unplug]] = [
    (2, Unplug(1)),
    (635, Lay((3, "main"), FIVE_CHIPS)),
    (3, Unplug(1)),
    (2, Unplug(1)),
    (354, Unplug(1)),
]
"""The last chip's part of an inventory is damaged, and its request, sent twice, is answered with no chip."""

each_codec = pytest.mark.parametrize("codec", [PLAIN, feig_obid.CODEC], ids=["plain", "feig_obid"])


@each_codec
@given(
    script=st.lists(st.tuples(st.integers(1, 1500), doings), max_size=14),
    seed=st.integers(0, 2**32),
    agreeing=st.sampled_from([1, 2, 2, 3]),
    rates=rates,
)
@example(LAID_AMONG_LOST_LINES, 180693877, 1, Rates(drop=3, flip=7, insert=2, split=1, duplicate=10))
@settings(max_examples=25)
def test_hasty_hands_bad_radio_and_bad_line(
    codec: Codec, script: list[tuple[int, Lay | Power | Unplug]], seed: int, agreeing: int, rates: Rates
) -> None:
    night = Night(codec, seed, agreeing, rates)
    for wait_ms, doing in script:
        night.run(wait_ms * MS)
        night.do(doing)
    night.calm_down()
    night.assert_ends_true()
    for place in PLACES:
        first, *changes = night.seen(place)
        assert first.after_ns in night.connected_ns
        assert night.lay_there(place, first)
        reported = first.chips
        for change in changes:
            # Contents that came and went unseen may be skipped; what is reported was there, and something changed then.
            assert change.chips != reported
            assert change.chips in [content for _, content in night.truth[place]]
            assert any(change.after_ns <= at_ns <= change.by_ns for at_ns, _ in night.truth[place])
            reported = change.chips


@each_codec
@given(
    script=st.lists(lays, max_size=8),
    seed=st.integers(0, 2**32),
    agreeing=st.sampled_from([1, 2, 2, 3]),
)
@settings(max_examples=15)
def test_with_time_between_changes_each_is_reported_with_the_very_moment_inside(
    codec: Codec, script: list[Lay], seed: int, agreeing: int
) -> None:
    night = Night(codec, seed, agreeing, NO_FAULTS)
    night.run(3 * S)
    for number, lay in enumerate(script):
        night.do(lay)
        # Uneven waits, so that changes fall at every moment of a poll.
        night.run(5 * S + number * 37 * MS)
    night.calm_down()
    for place in PLACES:
        seen, truth = night.seen(place), night.truth[place]
        assert [change.chips for change in seen] == [content for _, content in truth]
        for change, (at_ns, _) in zip(seen, truth, strict=True):
            assert change.after_ns <= at_ns <= change.by_ns
    assert not [reading for reading in night.modem.readings if getattr(reading, "state", None) is HealthState.LOST]
