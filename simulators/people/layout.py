"""What people lay chips on: zones that readers see, places on sensors, or both under one chip."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from simulators.devices.bet_sensors import BetSensorsSimulator
from simulators.devices.bet_spots import BetSpotsSimulator

Place = tuple[int, str]


class SensedBet:
    """The places of one side bet on a unit of sensors; ``spots`` are those of its sensors in order."""

    def __init__(self, unit: BetSensorsSimulator, bet: str, spots: Sequence[int]) -> None:
        self.unit: Final = unit
        self._sensors = {(spot, bet): number for number, spot in enumerate(spots, start=1)}
        self._content: dict[Place, tuple[str, ...]] = {}
        self._since: dict[Place, int] = {}

    @property
    def places(self) -> tuple[Place, ...]:
        """Every (spot, bet) that is sensed."""
        return tuple(self._sensors)

    def lay(self, place: Place, chips: tuple[str, ...]) -> None:
        """A place's content changes: a sensor is covered by any number of chips."""
        self._content[place], self._since[place] = chips, self.unit.looks
        if chips:
            self.unit.lay(self._sensors[place])
        else:
            self.unit.take(self._sensors[place])

    def content(self, place: Place) -> tuple[str, ...]:
        """A place's content."""
        return self._content.get(place, ())

    def steady(self, place: Place) -> int:
        """How often it was looked since the content last changed."""
        return self.unit.looks - self._since.get(place, 0)


class Layout:
    """Zones and sensors together, as ``perform`` asks of them."""

    def __init__(self, readers: BetSpotsSimulator, sensed: Sequence[SensedBet] = ()) -> None:
        self._readers = readers
        self._sensed = {place: one for one in sensed for place in one.places}

    @property
    def places(self) -> tuple[Place, ...]:
        """Every (spot, zone) that anything sees."""
        return tuple(dict.fromkeys((*self._readers.places, *self._sensed)))

    def lay(self, spot: int, zone: str, chips: tuple[str, ...]) -> None:
        """A place's content changes.

        Raises:
            ValueError: neither an antenna nor a sensor is there.
        """
        place = (spot, zone)
        if place in self._sensed:
            self._sensed[place].lay(place, chips)
        if place in self._readers.places or place not in self._sensed:
            self._readers.lay(spot, zone, chips)

    def content(self, spot: int, zone: str) -> tuple[str, ...]:
        """A place's content.

        Raises:
            ValueError: neither an antenna nor a sensor is there.
        """
        place = (spot, zone)
        return self._sensed[place].content(place) if place in self._sensed else self._readers.content(spot, zone)

    def inventories(self, spot: int, zone: str) -> int:
        """How often whoever looks less often has looked there."""
        place = (spot, zone)
        looks = [self._sensed[place].unit.looks] if place in self._sensed else []
        if place in self._readers.places or not looks:
            looks.append(self._readers.inventories(spot, zone))
        return min(looks)

    def steady(self, spot: int, zone: str) -> int:
        """How many looks in a row showed the present content to all who look there."""
        place = (spot, zone)
        looks = [self._sensed[place].steady(place)] if place in self._sensed else []
        if place in self._readers.places or not looks:
            looks.append(self._readers.steady(spot, zone))
        return min(looks)
