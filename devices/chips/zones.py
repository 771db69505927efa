"""The zones and readers of one bus, and the one request outstanding on it: the records the bet-spots session keeps."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from msgspec import Struct

from devices.backoff import PollBackoff
from devices.chips.zone_evidence import Inventory, ZoneEvidence
from firmware_protocols.messages import Command, ReadChipBlocks, ReadSoftware, TakeInventory
from firmware_protocols.readings import HealthState


@dataclass(slots=True, eq=False)
class AntennaZone:
    """One antenna: what it proves, and how long to leave it alone."""

    reader: Reader
    antenna: int | None
    spot: int
    zone: str
    evidence: ZoneEvidence
    backoff: PollBackoff = field(default_factory=PollBackoff)
    doubts: int = 0
    trouble: str = ""

    def due_ns(self) -> int:
        """When it may be asked, or its reader who that is."""
        reader_ns = self.reader.backoff.due_ns
        return max(reader_ns, self.backoff.due_ns) if self.reader.identified else reader_ns

    def is_known(self) -> bool:
        """Whether its content has been reported or confirmed since its reader was last away."""
        return self.evidence.known_ns > self.reader.since_ns


@dataclass(slots=True, eq=False)
class Reader:
    """One reader of the bus. ``since_ns``: when it last returned; ``heard_ns``: when it last answered."""

    address: int
    zones: list[AntennaZone] = field(default_factory=list)
    identified: bool = False
    version: str = ""
    backoff: PollBackoff = field(default_factory=PollBackoff)
    state: HealthState | None = None
    since_ns: int = 0
    heard_ns: int = 0


class Asked(Struct, frozen=True):
    """A request outstanding: who ``reader`` is where ``zone`` is None, else an inventory of it.

    ``damaged``: bytes that could not be read came meanwhile, so many as ``noise`` says; they may have been chips of the
    answer. ``said``: the request's bytes, which an adapter may echo.
    Once its ``inventory`` is whole, the memory of its ``unread`` chips, the first one now.
    """

    reader: Reader
    zone: AntennaZone | None
    begun_ns: int
    chips: frozenset[str] = frozenset()
    parts: int = 0
    doubtful: bool = False
    damaged: bool = False
    noise: int = 0
    inventory: Inventory | None = None
    unread: tuple[str, ...] = ()
    said: bytes = b""
    sent_ns: int = 0
    deadline_ns: int = 0

    def command(self, first_block: int, blocks: int) -> Command:
        """The request in the protocol's words."""
        if self.zone is None:
            return ReadSoftware(self.reader.address)
        if self.unread:
            return ReadChipBlocks(self.reader.address, self.unread[0], first_block, blocks)
        return TakeInventory(self.reader.address, self.zone.antenna, more=self.parts > 0)


def laid_out(
    places: Mapping[tuple[int, int | None], tuple[int, str]], agreeing: int
) -> tuple[dict[int, Reader], list[AntennaZone]]:
    """Readers by address, and zones in the order given, from (address, antenna or None) to (spot, zone)."""
    readers: dict[int, Reader] = {}
    zones: list[AntennaZone] = []
    for (address, antenna), (spot, name) in places.items():
        reader = readers.setdefault(address, Reader(address))
        zone = AntennaZone(reader, antenna, spot, name, ZoneEvidence(agreeing))
        reader.zones.append(zone)
        zones.append(zone)
    return readers, zones
