"""The performer: fast as it may be, never ahead of the readers. Time here is the null modem's."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from devices.chips.bet_spots import BetSpotsSession
from devices.chips.zone_evidence import MORE_AGREEING
from devices.keypad import KeypadSession
from devices.shoes.shoe import ShoeSession
from firmware_protocols.cards import DECK, Card
from firmware_protocols.readings import CardDrawn, ChipsSeen, KeyPressed, Reading
from simulators.devices.bet_spots import BetSpotsSimulator, Flicker
from simulators.devices.keypad import KeypadSimulator
from simulators.devices.shoe import ShoeSimulator
from simulators.devices.wire import NullModem
from simulators.people.acts import Act, Draw, Lay, Pause, Press, RoundPlayed
from simulators.people.performance import HOLD_S, Performance, perform
from tests.devices.plain import PLAIN

MS = 1_000_000
S = 1_000 * MS
PATIENCE_NS = 10 * S
ZONES: dict[tuple[int, int | None], tuple[int, str]] = {
    (spot, antenna): (spot, zone) for spot in (1, 2) for antenna, zone in ((1, "main"), (2, "insurance"))
}
PLACES = tuple(ZONES.values())
CHIPS = tuple(f"E0040100000000{number:02X}" for number in range(5))
ROUND = RoundPlayed(round=1, wagers=(), hands={}, dealer=(), surrendered=())


class Table:
    """A stage whose three devices hang on null modems that share one clock."""

    def __init__(self, seed: int = 0, flicker: Flicker | None = None) -> None:
        self.shoe = ShoeSimulator(PLAIN)
        self.keypad = KeypadSimulator(PLAIN)
        self.readers = BetSpotsSimulator(
            PLAIN, ZONES, flicker=flicker or Flicker(), chance=random.Random(seed), most_per_answer=3
        )
        self.shoe_line: NullModem[Reading] = NullModem(ShoeSession(PLAIN), self.shoe, PLAIN)
        self.keypad_line: NullModem[Reading] = NullModem(KeypadSession(PLAIN), self.keypad, PLAIN)
        self.bus: NullModem[Reading] = NullModem(BetSpotsSession(PLAIN, ZONES), self.readers, PLAIN)
        # Of an antenna that misses chips more looks must agree.
        self.agreeing = 2 + (MORE_AGREEING if flicker is not None and flicker.missed else 0)
        self.now_ns = 0
        self.slept_s: list[float] = []
        self._release = b""
        for line in (self.shoe_line, self.keypad_line, self.bus):
            line.connect()
        self.run(2 * S)

    def run(self, for_ns: int) -> None:
        self.now_ns += for_ns
        for line in (self.shoe_line, self.keypad_line, self.bus):
            line.run_until(self.now_ns)

    async def sleep(self, seconds: float) -> None:
        self.slept_s.append(seconds)
        self.run(int(seconds * S))

    @property
    def places(self) -> tuple[tuple[int, str], ...]:
        return self.readers.places

    def draw(self, card: Card, *, burn: bool) -> None:
        self.shoe_line.say(self.shoe.draw(card, burn=burn))

    def key_down(self, key: str) -> None:
        down, self._release = self.keypad.press(key)
        self.keypad_line.say(down)

    def key_up(self) -> None:
        self.keypad_line.say(self._release)

    def lay(self, spot: int, zone: str, chips: tuple[str, ...]) -> None:
        self.readers.lay(spot, zone, chips)

    @property
    def shown(self) -> str:
        return self.keypad.shown

    def content(self, spot: int, zone: str) -> tuple[str, ...]:
        return self.readers.content(spot, zone)

    def inventories(self, spot: int, zone: str) -> int:
        return self.readers.inventories(spot, zone)

    def steady(self, spot: int, zone: str) -> int:
        return self.readers.steady(spot, zone)

    async def taken(self) -> bool:
        self.run(MS)
        return True

    async def until(self, condition: Callable[[], bool]) -> bool:
        give_up_ns = self.now_ns + PATIENCE_NS
        while not condition() and self.now_ns < give_up_ns:
            self.run(MS)
        return condition()

    async def perform(self, *acts: Act, speed: float = 1e9) -> Performance:
        performance = await perform(acts, self, speed, sleep=self.sleep, agreeing=self.agreeing)
        # What was said last is still on the line.
        self.run(2 * S)
        return performance

    def chips_seen(self) -> list[ChipsSeen]:
        """What was seen after the empty felt."""
        return [seen for seen in self.bus.readings if isinstance(seen, ChipsSeen)][len(ZONES) :]

    def moments(self) -> list[int]:
        readings = self.shoe_line.readings + self.keypad_line.readings
        return sorted(reading.at_ns for reading in readings if isinstance(reading, (CardDrawn, KeyPressed)))


lays = st.builds(
    Lay,
    st.sampled_from([1, 2]),
    st.sampled_from(["main", "insurance"]),
    st.lists(st.sampled_from(CHIPS), unique=True).map(lambda chips: tuple(sorted(chips))),
)
acts = st.one_of(
    lays,
    lays,
    st.builds(Draw, st.sampled_from(DECK)),
    st.builds(Press, st.sampled_from("KLX"), st.booleans()),
    st.builds(Pause, st.integers(0, 900)),
)


@given(script=st.lists(acts, max_size=14), seed=st.integers(0, 2**32))
@example(script=[Lay(1, "main", CHIPS[:1]), Press("K", held=True), Lay(1, "main", ()), Draw(Card.AC)], seed=0)
@settings(max_examples=40)
async def test_the_evidence_is_the_script_at_any_speed(script: list[Act], seed: int) -> None:
    table = Table(seed, Flicker(missed=100, doubtful=50))
    performance = await table.perform(*script)
    assert performance.impatient == []
    assert performance.acts == len(script)

    expected: dict[tuple[int, str], list[tuple[int, tuple[str, ...]]]] = {place: [] for place in PLACES}
    moments = 0
    content: dict[tuple[int, str], tuple[str, ...]] = dict.fromkeys(PLACES, ())
    for act in script:
        match act:
            case Lay(spot, zone, chips):
                if content[spot, zone] != chips:
                    content[spot, zone] = chips
                    expected[spot, zone].append((moments, chips))
            case Draw() | Press():
                moments += 1
            case _:
                pass

    happened = table.moments()
    assert len(happened) == moments
    for place in PLACES:
        seen = [change for change in table.chips_seen() if (change.spot, change.zone) == place]
        # Each change is reported, and lies whole between the cards and keys it lay between in the script.
        assert [change.chips for change in seen] == [chips for _, chips in expected[place]]
        for change, (before, _) in zip(seen, expected[place], strict=True):
            assert all(at_ns < change.after_ns for at_ns in happened[:before])
            assert all(at_ns > change.by_ns for at_ns in happened[before:])


async def test_cards_and_keys_keep_their_order() -> None:
    table = Table()
    script: list[Act] = [
        Draw(Card("8h")),
        Draw(Card("9h")),
        Press("K"),
        Draw(Card("2c")),
        Press("L"),
        Press("L"),
        Draw(Card("3c")),
    ]
    await table.perform(*script)
    readings = [*table.shoe_line.readings, *table.keypad_line.readings]
    timed = sorted(
        (reading.at_ns, reading.face if isinstance(reading, CardDrawn) else reading.key)
        for reading in readings
        if isinstance(reading, (CardDrawn, KeyPressed))
    )
    assert [what for _, what in timed] == ["8h", "9h", "K", "2c", "L", "L", "3c"]


async def test_a_key_is_held_for_real_whatever_the_speed() -> None:
    table = Table()
    await table.perform(Press("X", held=True), Press("X"))
    presses = [reading for reading in table.keypad_line.readings if isinstance(reading, KeyPressed)]
    assert [press.held for press in presses] == [True, False]
    assert HOLD_S in table.slept_s


async def test_pauses_shrink_with_speed() -> None:
    table = Table()
    await table.perform(Pause(1500), speed=30)
    assert table.slept_s == [0.05]


async def test_chips_laid_together_are_waited_for_once() -> None:
    table = Table()
    script: list[Act] = [Lay(spot, zone, (chip,)) for (spot, zone), chip in zip(PLACES, CHIPS, strict=False)]
    looks: list[int] = []

    def counted() -> Iterator[Act]:
        for act in [*script, ROUND, Pause(0)]:
            looks.append(table.inventories(1, "main"))
            yield act

    await perform(counted(), table, 1, sleep=table.sleep)
    assert looks[len(script)] == looks[0]
    assert 4 <= looks[-1] - looks[0] <= 5


async def test_a_chip_is_seen_gone_before_it_is_seen_elsewhere() -> None:
    table = Table()
    await table.perform(Lay(2, "main", CHIPS[:1]), Draw(Card("8h")), Lay(2, "main", ()), Lay(1, "main", CHIPS[:1]))
    _, gone, back = table.chips_seen()
    assert (gone.spot, back.spot) == (2, 1)
    assert gone.by_ns < back.after_ns


async def test_a_silent_reader_is_not_waited_for_without_end() -> None:
    table = Table()
    table.readers.power(2, on=False)
    lay = Lay(2, "main", CHIPS[:1])
    performance = await table.perform(lay, Draw(Card("8h")), Draw(Card("9h")))
    assert performance.impatient == [Draw(Card("8h"))]
    assert len(table.moments()) == 2


async def test_a_round_is_reported_after_its_last_chips_were_seen() -> None:
    table = Table()
    reported: list[tuple[RoundPlayed, int]] = []
    script: list[Act] = [Lay(1, "main", CHIPS), ROUND]
    await perform(
        script, table, 100, sleep=table.sleep, on_round=lambda one: reported.append((one, len(table.chips_seen())))
    )
    assert reported == [(ROUND, 1)]


async def test_it_asks_for_the_next_act_only_when_it_gets_there() -> None:
    table = Table()
    asked: list[int] = []

    def script() -> Iterator[Act]:
        for card in DECK[:3]:
            asked.append(len(table.moments()))
            yield Draw(card)

    await perform(script(), table, 1, sleep=table.sleep)
    assert asked == [0, 0, 1]


@pytest.mark.parametrize("speed", [0, -1])
async def test_time_cannot_stand_still(speed: float) -> None:
    with pytest.raises(ValueError, match="above 0"):
        await Table().perform(speed=speed)
