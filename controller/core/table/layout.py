"""What lies on the layout: chips turned into money, zone by zone."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence

import msgspec
from msgspec.structs import replace

from controller.core.messages.alerts import ChipSeenTwice, ChipsExchanged, UnknownChip
from controller.core.messages.events import ChipsChanged, Event
from firmware_protocols.readings import ChipsSeen
from firmware_protocols.values import Value


class Zone(Value, frozen=True, tag=False):
    """The content of one zone: chip ids, and what they count for in cents."""

    spot: int
    name: str
    chips: tuple[str, ...]
    cents: int
    seen_ns: int
    """When this content was first inventoried."""
    values: dict[str, int] = msgspec.field(default_factory=dict)
    """What chips say of their own value, where a reader reads it."""
    doubted: dict[str, int] = msgspec.field(default_factory=dict)
    """Chips heard here that count at another zone or at none yet, with the first moment they may have been here."""
    released: dict[str, int] = msgspec.field(default_factory=dict)
    """Those of them that no other zone hears any more, with the moment since when."""


Felt = dict[str, Zone]
"""Zones by ``spot/name``."""


class FeltHeard(msgspec.Struct, frozen=True):
    """A felt, and the chips that more than one zone of it hears, with these zones."""

    felt: Felt = {}
    heard_twice: dict[str, tuple[str, ...]] = {}

    def of(self, felt: Felt) -> FeltHeard:
        """The same of a felt, this being that of an earlier one."""
        return self if felt is self.felt else FeltHeard(felt, conflicts(felt))

    def zones(self) -> frozenset[str]:
        """The zones that hear a chip which another of them hears, too."""
        return frozenset(name for zones in self.heard_twice.values() for name in zones)

    def after(self, felt: Felt, *, beside: bool) -> FeltHeard:
        """The same of a felt in which one zone has another content; ``beside``: another hears chips that came there."""
        return self.of(felt) if self.heard_twice or beside else FeltHeard(felt, self.heard_twice)


class ZoneChange(Value, frozen=True, tag=False):
    """The value of a zone went from ``before`` to ``after`` cents."""

    spot: int
    zone: str
    before: int
    after: int
    since_ns: int = -1
    """The first moment at which it may have happened, where that is not what its reading says; -1: it is."""
    settles: bool = False
    """Whether it only says at which of two zones a chip lies that both had heard."""


def zone_name(spot: int, zone: str) -> str:
    """The name of a zone in a ``Felt``."""
    return f"{spot}/{zone}"


def exceeds_one_move(lay_cents: int, now_cents: int) -> bool:
    """Whether more came than lay there: no double or split adds as much, and no payment but a natural's."""
    return 0 < lay_cents < now_cents - lay_cents


def worth(chips: Iterable[str], registry: Mapping[str, int], said: Mapping[str, int]) -> int:
    """What chips come to in cents: each what the registry says, else what it says itself, else nothing."""
    return sum(registry.get(chip, said.get(chip, 0)) for chip in chips)


def cents_at(felt: Felt, spot: int, zone: str) -> int:
    """What a zone counts for; 0 where nothing was ever seen."""
    found = felt.get(zone_name(spot, zone))
    return 0 if found is None else found.cents


def heard_elsewhere(felt: Felt, name: str, chips: frozenset[str]) -> bool:
    """Whether another zone than this one hears any of these chips."""
    return bool(chips) and not all(map(chips.isdisjoint, [zone.chips for other, zone in felt.items() if other != name]))


def conflicts(felt: Felt) -> dict[str, tuple[str, ...]]:
    """Chips seen at more than one zone, with the zones."""
    heard, twice = set[str](), set[str]()
    zones = [zone.chips for zone in felt.values()]
    if len(heard.union(*zones)) == sum(map(len, zones)):
        return {}
    for zone in felt.values():
        if not heard.isdisjoint(zone.chips):
            twice.update(heard.intersection(zone.chips))
        heard.update(zone.chips)
    if not twice:
        return {}
    where: dict[str, tuple[str, ...]] = {}
    for name in sorted(felt):
        for chip in felt[name].chips:
            if chip in twice:
                where[chip] = (*where.get(chip, ()), name)
    return where


def inventory(
    before: FeltHeard, values: Mapping[str, int], seen: ChipsSeen, first_ns: int, last_ns: int
) -> tuple[FeltHeard, tuple[ZoneChange, ...], list[Event]]:
    """Take a zone's new content: the felt after it, the change of its value if it changed, and what is to be reported.

    A chip is worth what the registry says, else what it says itself; an unknown chip counts as nothing. A chip heard at
    two zones counts where it counted before; if that hears it no more, it counts at the other once that has been looked
    at again (``placed_after_look``): a chip that is picked up may for a moment be heard beside. The content may have
    changed from ``first_ns`` to ``last_ns`` of table time.
    """
    name, felt = zone_name(seen.spot, seen.zone), before.felt
    known = felt.get(name)
    already = frozenset(known.chips if known else ())
    heard = Zone(seen.spot, seen.zone, tuple(sorted(set(seen.chips))), 0, seen.by_ns, seen.values)
    after = {**felt, name: heard}
    came = [chip for chip in heard.chips if chip not in already]
    beside = heard_elsewhere(felt, name, frozenset(came))
    disputed = before.after(after, beside=beside).heard_twice
    events: list[Event] = [
        UnknownChip(seen.spot, seen.zone, chip) for chip in came if chip not in values and chip not in seen.values
    ]
    events += [ChipSeenTwice(chip, disputed[chip]) for chip in sorted(disputed) if chip not in before.heard_twice]
    for other, lying in felt.items():
        if lying.doubted or lying.released:
            after[other] = _released(lying, disputed, last_ns)
    doubted = _doubted_at(felt, name, heard.chips, came if beside else (), first_ns)
    zone = after[name] = _counted(_released(replace(heard, doubted=doubted), disputed, last_ns), values)
    was = 0 if known is None else known.cents
    changes: tuple[ZoneChange, ...] = ()
    if zone.cents != was:
        settles = known is not None and bool(before.heard_twice) and _settles(known, zone, values, before.heard_twice)
        changes = (ZoneChange(zone.spot, zone.name, was, zone.cents, -1, settles),)
        events.append(ChipsChanged(zone.spot, zone.name, was, zone.cents, len(zone.chips)))
    elif already and already != frozenset(zone.chips) and zone.cents:
        events.append(ChipsExchanged(zone.spot, zone.name, zone.cents))
    return FeltHeard(after, disputed), changes, events


def _settles(known: Zone, zone: Zone, values: Mapping[str, int], heard_twice: Container[str]) -> bool:
    """Whether of all that is worth anything only chips that two zones had heard went, and none came."""
    # A card in somebody's pocket comes and goes with any chip, and counts as nothing.
    moved = [
        chip
        for chip in {*known.chips} ^ {*zone.chips}
        if values.get(chip, zone.values.get(chip, known.values.get(chip)))
    ]
    return bool(moved) and all(chip in known.chips and chip in heard_twice for chip in moved)


def _counted(zone: Zone, values: Mapping[str, int]) -> Zone:
    """A zone with what its chips come to."""
    here = (chip for chip in zone.chips if chip not in zone.doubted)
    return replace(zone, cents=worth(here, values, zone.values))


def _doubted_at(felt: Felt, name: str, chips: tuple[str, ...], came: Sequence[str], first_ns: int) -> dict[str, int]:
    """The chips heard at a zone that do not count there, with the first moment they may have been there.

    ``came`` are those that came, if another zone hears any of them.
    """
    was = felt.get(name)
    doubted = was.doubted if was is not None else {}
    if not (came or doubted):
        return {}
    new: dict[str, int] = {}
    if came:
        elsewhere = {
            chip for other, zone in felt.items() if other != name for chip in zone.chips if chip not in zone.doubted
        }
        new = {chip: first_ns for chip in came if chip in elsewhere}
    return {**new, **{chip: since_ns for chip, since_ns in doubted.items() if chip in chips}}


def _released(zone: Zone, disputed: Container[str], last_ns: int) -> Zone:
    """A zone with the moments from which it alone hears chips that do not count there yet."""
    if not (zone.doubted or zone.released):
        return zone
    alone = {chip: zone.released.get(chip, last_ns) for chip in zone.doubted if chip not in disputed}
    return zone if alone == zone.released else replace(zone, released=alone)


def placed_after_look(
    felt: Felt, values: Mapping[str, int], spots: Iterable[int], upto_ns: int
) -> tuple[Felt, tuple[ZoneChange, ...], list[Event]]:
    """Every zone of some spots has been looked at since ``upto_ns``: chips that only one hears now count there."""
    waiting = [(name, zone) for name, zone in felt.items() if zone.released]
    if not waiting:
        return felt, (), []
    after, changes, events = dict(felt), list[ZoneChange](), list[Event]()
    looked = frozenset(spots)
    for name, zone in waiting:
        here = (
            {chip for chip, since_ns in zone.released.items() if since_ns <= upto_ns} if zone.spot in looked else set()
        )
        if not here:
            continue
        since_ns = min(zone.doubted[chip] for chip in here)
        doubted = {chip: since for chip, since in zone.doubted.items() if chip not in here}
        alone = {chip: since for chip, since in zone.released.items() if chip not in here}
        after[name] = _counted(replace(zone, doubted=doubted, released=alone), values)
        if after[name].cents != zone.cents:
            changes.append(ZoneChange(zone.spot, zone.name, zone.cents, after[name].cents, since_ns, settles=True))
            events.append(ChipsChanged(zone.spot, zone.name, zone.cents, after[name].cents, len(zone.chips)))
    return after, tuple(changes), events
