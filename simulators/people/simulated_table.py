"""What lies on the table and who sits at it: the state that the people's acts change."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from typing import Final, Literal, assert_never

from firmware_protocols.cards import Card
from firmware_protocols.values import Value
from simulators.chance import Chance, happens, pick
from simulators.people.acts import Act, Draw, Lay, Pause, Press
from simulators.people.box import Box
from simulators.people.deck import LoadedShoe
from simulators.people.house import House
from simulators.people.rack import Rack

SPOTS: Final = range(1, 8)
"""Spots from the dealer's far left: first dealt, first to act."""

MAIN: Final = "main"
INSURANCE: Final = "insurance"
EZ_BUST: Final = "ez_bust"

SPOT_KEYS: Final = "ABCDEFG"
KEY_HIT: Final = "K"
KEY_STAND: Final = "L"
KEY_DOUBLE: Final = "M"
KEY_SPLIT: Final = "N"
KEY_SURRENDER: Final = "O"
KEY_NO_MORE_BETS: Final = "P"
KEY_INSURANCE_CLOSED: Final = "Q"
KEY_EVEN_MONEY: Final = "R"
KEY_HOLE_TURNED: Final = "S"
KEY_ROUND_CLOSED: Final = "T"
KEY_BURN: Final = "X"

CARD_PAUSE_MS: Final = (600, 1200)
"""The time between two cards of a practised dealer."""

FALTER_PAUSE_MS: Final = (700, 2000)
"""How long a dealer who falters holds the next card of a deal."""

LOOK_PAUSE_MS: Final = 1_500
"""The time in which everybody looks at what was dealt, before the first player decides."""

CHECK_PAUSE_MS: Final = (1_500, 2_100)
"""From the last insurance until the device has looked at the hole card, and a losing one is taken."""

HAND_PAUSE_MS: Final = (300, 1500)
"""The time before chips are moved or a key is pressed."""

PICK_UP_PAUSE_MS: Final = (900, 2100)
"""The time before a player picks up what the dealer laid last: the dealer's hand has to leave it."""

SPOT_KEY_PER_MILLE: Final = 250
"""How often a dealer names the spot before an action that may do without."""

StandKey = Literal["always", "sometimes", "never"]


class Habits(Value, frozen=True, tag="habits"):
    """How people behave; rates are per mille.

    ``stand_key``: ``always``: each stand, double, split and surrender has its key; ``sometimes``: half of them;
    ``never``: no play key at all (hit and even money included). ``whims_per_mille``: decisions made at random among the
    legal ones. ``fumbles_per_mille``: chances to touch or swap chips that are taken; not ``touching``, only to swap.
    ``bust_bets_per_mille``: boxes that wager on EZ Bust where it is offered. ``eager_per_mille``: players who bet again
    as soon as their wager is gone, whoever still plays, and doubles and splits made by laying other chips for all.
    ``falters_per_mille``: deals in which the dealer stops for a moment among the cards. ``withdraws_per_mille``: hits
    and stands before which a double is laid and taken back.
    """

    stand_key: StandKey = "always"
    hit_key_per_mille: int = 300
    whims_per_mille: int = 150
    fumbles_per_mille: int = 0
    touching: bool = True
    bust_bets_per_mille: int = 0
    eager_per_mille: int = 0
    falters_per_mille: int = 0
    withdraws_per_mille: int = 0

    @property
    def play_key_per_mille(self) -> int:
        """How often a stand, double, split or surrender is keyed."""
        match self.stand_key:
            case "always":
                return 1000
            case "sometimes":
                return 500
            case "never":
                return 0
            case unknown:
                assert_never(unknown)


class SimulatedTable:
    """One table's chips, cards and people. Its methods are acts to be passed on in order."""

    def __init__(self, house: House, rng: Chance, rack: Rack, shoe: LoadedShoe, habits: Habits) -> None:
        self.house = house
        self.rng = rng
        self.rack = rack
        self.shoe = shoe
        self.habits = habits
        self.seated: set[int] = set()
        self.bet_last: frozenset[int] = frozenset()
        """Spots that bet the last round of this shoe; empty while its first is to come."""
        self.zones: dict[tuple[int, str], tuple[str, ...]] = {}
        self.boxes: dict[int, Box] = {}
        self.dealer: tuple[Card, ...] = ()
        self.taken: set[tuple[int, int]] = set()
        """Broken hands (spot, place) whose chips are gone."""
        self.paid: set[int] = set()
        """Spots whose main wager is settled."""
        self.bet_ahead: set[int] = set()
        """Spots whose chips are the next round's bet."""

    @property
    def spots(self) -> range:
        """The betting boxes on the layout."""
        return range(1, self.house.boxes + 1)

    def chips(self, spot: int, zone: str) -> tuple[str, ...]:
        """The chips in a zone."""
        return self.zones.get((spot, zone), ())

    def cents(self, spot: int, zone: str) -> int:
        """What a zone's chips are worth."""
        return self.rack.value_cents(self.chips(spot, zone))

    def pause(self, between_ms: tuple[int, int]) -> Pause:
        """A pause of a human length."""
        shortest, longest = between_ms
        return Pause(shortest + self.rng.randrange(longest - shortest + 1))

    def draw(self, *, dealing: bool = False) -> Generator[Act, None, Card]:
        """Draw the next card, after a pause; ``dealing``: in the deal, which goes twice as fast as the play."""
        pause = self.pause(CARD_PAUSE_MS)
        yield Pause(pause.milliseconds // 2) if dealing else pause
        card = self.shoe.draw()
        yield Draw(card)
        return card

    def press(self, key: str, spot: int | None = None) -> Iterator[Act]:
        """Press a key, after a pause, naming the spot first if one is given."""
        yield self.pause(HAND_PAUSE_MS)
        if spot is not None:
            yield Press(SPOT_KEYS[spot - 1])
            yield self.pause(HAND_PAUSE_MS)
        yield Press(key)

    def press_for(self, spot: int, key: str, per_mille: int) -> Iterator[Act]:
        """Press an action key for the hand in play in ``per_mille`` of cases, now and then naming the spot."""
        if happens(self.rng, per_mille):
            yield from self.press(key, spot if happens(self.rng, SPOT_KEY_PER_MILLE) else None)

    def lay(self, spot: int, zone: str, cents: int) -> Iterator[Act]:
        """Make the zone worth ``cents``, after a pause; nothing happens where it is so already."""
        before = self.chips(spot, zone)
        if self.rack.value_cents(before) != cents:
            yield from self._place(spot, zone, self.rack.change_to(before, cents))

    def pick_up(self, spot: int, cents: int) -> Iterator[Act]:
        """The player leaves so much of what lies in the main zone, once the dealer's hand has left it."""
        before = self.chips(spot, MAIN)
        if self.rack.value_cents(before) != cents:
            yield from self._place(spot, MAIN, self.rack.change_to(before, cents), PICK_UP_PAUSE_MS)

    def is_eager(self) -> bool:
        """Whether a player is in a hurry this time."""
        return bool(self.habits.eager_per_mille) and happens(self.rng, self.habits.eager_per_mille)

    def restack(self, spot: int, cents: int) -> Iterator[Act]:
        """Lay the fewest chips that come to ``cents`` in place of all the main chips of a spot, in one movement."""
        yield from self._place(spot, MAIN, self.rack.restack(self.chips(spot, MAIN), cents))

    def fumble(self, *, touching: bool) -> Iterator[Act]:
        """Now and then swap a spot's main chips for others of the same values or, with ``touching``, lift one."""
        laid = [spot for spot in SPOTS if self.chips(spot, MAIN)]
        if not laid or not happens(self.rng, self.habits.fumbles_per_mille):
            return
        spot = pick(self.rng, laid)
        before = self.chips(spot, MAIN)
        if touching and self.habits.touching and happens(self.rng, 500):
            yield from self._place(spot, MAIN, before[1:])
            yield from self._place(spot, MAIN, before)
        else:
            yield from self._place(spot, MAIN, self.rack.exchange(before))

    def _place(
        self, spot: int, zone: str, chips: tuple[str, ...], between_ms: tuple[int, int] = HAND_PAUSE_MS
    ) -> Iterator[Act]:
        yield self.pause(between_ms)
        self.zones[spot, zone] = chips
        yield Lay(spot, zone, chips)
