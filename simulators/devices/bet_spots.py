"""The chip readers of a bus that does not exist: chips are laid on zones, and sometimes one is missed."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from firmware_protocols import chip_memory
from firmware_protocols.codec import Codec, LineEnd
from firmware_protocols.messages import (
    ChipBlocksRead,
    ChipsInventoried,
    Message,
    ReadChipBlocks,
    ReaderDone,
    ReaderRefused,
    ReadSoftware,
    ResetField,
    SoftwareRead,
    TakeInventory,
)

SOFTWARE: Final = "03030044530D30"
"""Version bytes every reader gives; seven of them, as a real one does."""

_NOT_THERE, _OUT_OF_RANGE = 0x01, 0x11
_BLOCK_BYTES, _CHIP_BLOCKS = 4, 28
_PER_MILLE: Final = 1000


@dataclass(frozen=True, slots=True)
class Flicker:
    """How badly the radio reads, in per mille of inventories.

    ``missed``: one chip of the zone does not answer. ``doubtful``: the same, and the reader warns of it. No zone is
    disturbed more than ``most_in_a_row`` times running.
    """

    missed: int = 0
    doubtful: int = 0
    most_in_a_row: int = 1


STEADY: Final = Flicker()
"""Every inventory is complete."""


@dataclass(slots=True)
class _Zone:
    chips: tuple[str, ...] = ()
    nameless: tuple[int, ...] = ()
    inventories: int = 0
    steady: int = 0
    disturbed: int = 0
    rest: tuple[str, ...] = ()
    rest_doubtful: bool = False


class BetSpotsSimulator:
    """All readers of one bus. ``zones`` maps (address, antenna or None) to (spot, zone).

    An answer holds at most ``most_per_answer`` chips (1 to 255; a short frame of the readers modelled holds 24);
    further ones come when the host asks for more. ``values`` is what chips carry in their own memory, in cents; the
    memory of the others is blank.

    Raises:
        ValueError: flicker without the ``chance`` to draw it from.
    """

    def __init__(
        self,
        codec: Codec,
        zones: Mapping[tuple[int, int | None], tuple[int, str]],
        *,
        flicker: Flicker = STEADY,
        chance: random.Random | None = None,
        most_per_answer: int = 20,
        values: Mapping[str, int] | None = None,
    ) -> None:
        if chance is None and flicker != STEADY:
            raise ValueError("flicker needs a source of chance")
        self._wire = codec.open(LineEnd.DEVICE)
        self._codec = codec
        self._flicker = flicker
        self._chance = chance
        self._most_per_answer = most_per_answer
        self._values = dict(values or {})
        self._spots = dict(zones)
        self._zones = {place: _Zone() for place in zones.values()}
        self._powered = {address: True for address, _ in zones}

    # --- the felt -------------------------------------------------------------------------------------

    @property
    def places(self) -> tuple[tuple[int, str], ...]:
        """Every (spot, zone) there is, in the order given."""
        return tuple(self._zones)

    def lay(self, spot: int, zone: str, chips: Sequence[str]) -> None:
        """The zone's content becomes ``chips``.

        Raises:
            ValueError: no antenna reads that zone.
        """
        content = self._zone(spot, zone)
        content.chips = tuple(chips)
        content.steady = 0

    def lay_strangers(self, spot: int, zone: str, kinds: Sequence[int]) -> None:
        """Phones and cards lie beside the zone's chips: the numbers of their types. Each gives a new number every time.

        Raises:
            ValueError: no antenna reads that zone.
        """
        self._zone(spot, zone).nameless = tuple(kinds)

    def content(self, spot: int, zone: str) -> tuple[str, ...]:
        """The chips truly on a zone.

        Raises:
            ValueError: no antenna reads that zone.
        """
        return self._zone(spot, zone).chips

    def inventories(self, spot: int, zone: str) -> int:
        """How often the zone's inventory has been answered, disturbed or not.

        Raises:
            ValueError: no antenna reads that zone.
        """
        return self._zone(spot, zone).inventories

    def steady(self, spot: int, zone: str) -> int:
        """How many of these in a row, up to the last, were complete and showed the present content.

        Raises:
            ValueError: no antenna reads that zone.
        """
        return self._zone(spot, zone).steady

    def flicker(self, flicker: Flicker) -> None:
        """The radio becomes better or worse.

        Raises:
            ValueError: flicker without the chance to draw it from.
        """
        if self._chance is None and flicker != STEADY:
            raise ValueError("flicker needs a source of chance")
        self._flicker = flicker

    def power(self, address: int, *, on: bool) -> None:
        """Switch a reader on or off; one that is off is silent.

        Raises:
            ValueError: there is no such reader.
        """
        if address not in self._powered:
            raise ValueError(f"no reader {address}; there are {sorted(self._powered)}")
        self._powered[address] = on

    def _zone(self, spot: int, zone: str) -> _Zone:
        found = self._zones.get((spot, zone))
        if found is None:
            raise ValueError(f"no antenna reads spot {spot} {zone}; there are {sorted(self._zones)}")
        return found

    # --- the line -------------------------------------------------------------------------------------

    def receive(self, data: bytes) -> bytes:
        """Requests; the answers to those that came whole."""
        return self._obey(self._wire.feed(data))

    def idle(self) -> bytes:
        """The line has been silent: a request begun is given up."""
        return self._obey(self._wire.idle())

    def _obey(self, messages: tuple[Message, ...]) -> bytes:
        return b"".join(self._wire.encode(answer) for message in messages for answer in self._answer(message))

    def _answer(self, message: Message) -> tuple[Message, ...]:
        match message:
            case ReadSoftware(address=address) if self._powered.get(address):
                return (SoftwareRead(address, SOFTWARE),)
            case ResetField(address=address) if self._powered.get(address):
                return (ReaderDone(address, "reset_field"),)
            case TakeInventory(address=address) if self._powered.get(address):
                return (self._inventory(message),)
            case ReadChipBlocks(address=address) if self._powered.get(address):
                return (self._memory(message),)
            case _:
                return ()

    def _inventory(self, request: TakeInventory) -> Message:
        place = self._spots.get((request.address, request.antenna))
        if place is None:
            return ReaderRefused(request.address, "take_inventory", _OUT_OF_RANGE, "no such antenna")
        zone = self._zones[place]
        if not request.more:
            zone.rest, zone.rest_doubtful = self._read(zone)
        part, zone.rest = zone.rest[: self._most_per_answer], zone.rest[self._most_per_answer :]
        nameless = () if request.more else zone.nameless
        if zone.rest:
            return ChipsInventoried(request.address, part, more=True, nameless=nameless)
        zone.inventories += 1
        return ChipsInventoried(request.address, part, doubtful=zone.rest_doubtful, nameless=nameless)

    def _memory(self, request: ReadChipBlocks) -> Message:
        zones = [self._zones[place] for (address, _), place in self._spots.items() if address == request.address]
        if not any(request.chip in zone.chips for zone in zones):
            return ReaderRefused(request.address, "read_chip_blocks", _NOT_THERE, "no chip in the field")
        wanted = range(request.first_block, request.first_block + request.blocks)
        if wanted.stop > _CHIP_BLOCKS:
            return ReaderRefused(request.address, "read_chip_blocks", _OUT_OF_RANGE, "no such block")
        cents = self._values.get(request.chip)
        memory = (b"" if cents is None else chip_memory.memory_of(cents)).ljust(_CHIP_BLOCKS * _BLOCK_BYTES, b"\0")
        blocks = (memory[block * _BLOCK_BYTES : (block + 1) * _BLOCK_BYTES] for block in wanted)
        return ChipBlocksRead(request.address, tuple(block.hex().upper() for block in blocks), (0,) * request.blocks)

    def _read(self, zone: _Zone) -> tuple[tuple[str, ...], bool]:
        chance, flicker = self._chance, self._flicker
        roll = _PER_MILLE if chance is None else chance.randrange(_PER_MILLE)
        may_be_disturbed = bool(zone.chips) and zone.disturbed < flicker.most_in_a_row
        if chance is None or not may_be_disturbed or roll >= flicker.missed + flicker.doubtful:
            zone.disturbed = 0
            zone.steady += 1
            return zone.chips, False
        zone.disturbed += 1
        zone.steady = 0
        missed = chance.choice(zone.chips)
        return tuple(chip for chip in zone.chips if chip != missed), roll >= flicker.missed
