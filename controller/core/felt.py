"""What lies on the layout: chips turned into money, zone by zone."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from controller.core.alerts import ChangeMade, ChipConflict, UnknownChip
from controller.core.events import ChipsChanged, Event
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
    """Chips heard here and at another zone that do not count here, with the first moment they may have been here."""


Felt = dict[str, Zone]
"""Zones by ``spot/name``."""


class Change(Value, frozen=True, tag=False):
    """The value of a zone went from ``before`` to ``after`` cents."""

    spot: int
    zone: str
    before: int
    after: int
    since_ns: int = -1
    """The first moment at which it may have happened, where that is not what its reading says; -1: it is."""
    settles: bool = False
    """Whether it only says at which of two zones a chip lies that both had heard."""


def key(spot: int, zone: str) -> str:
    """The name of a zone in a ``Felt``."""
    return f"{spot}/{zone}"


def cents_at(felt: Felt, spot: int, zone: str) -> int:
    """What a zone counts for; 0 where nothing was ever seen."""
    found = felt.get(key(spot, zone))
    return 0 if found is None else found.cents


def conflicts(felt: Felt) -> dict[str, tuple[str, ...]]:
    """Chips seen at more than one zone, with the zones."""
    where: dict[str, tuple[str, ...]] = {}
    for name in sorted(felt):
        for chip in felt[name].chips:
            where[chip] = (*where.get(chip, ()), name)
    return {chip: zones for chip, zones in where.items() if len(zones) > 1}


def inventory(
    felt: Felt, values: Mapping[str, int], seen: ChipsSeen, first_ns: int
) -> tuple[Felt, tuple[Change, ...], list[Event]]:
    """Take a zone's new content: the felt after it, every zone whose value changed, and what is to be told.

    A chip is worth what the registry says, else what it says itself; an unknown chip counts as nothing. A chip heard at
    two zones counts where it counted before until only one of them hears it: so a reading of one zone may change the
    value of another. ``first_ns`` is the first moment at which the content may have changed.
    """
    name = key(seen.spot, seen.zone)
    known = felt.get(name)
    already = frozenset(known.chips if known else ())
    before_conflicts = conflicts(felt)
    raw = {**felt, name: Zone(seen.spot, seen.zone, tuple(sorted(set(seen.chips))), 0, seen.by_ns, seen.values)}
    disputed = conflicts(raw)
    told: list[Event] = [
        UnknownChip(seen.spot, seen.zone, chip)
        for chip in raw[name].chips
        if chip not in values and chip not in seen.values and chip not in already
    ]
    told.extend(ChipConflict(chip, disputed[chip]) for chip in sorted(disputed) if chip not in before_conflicts)
    doubted = {other: doubted_at(felt, raw, other, disputed, first_ns) for other in raw}
    after: Felt = {}
    changes: list[Change] = []
    left = already.difference(raw[name].chips)
    only_settles = already.issuperset(raw[name].chips) and bool(left) and left.issubset(before_conflicts)
    for other, zone in raw.items():
        counted = [chip for chip in zone.chips if chip not in doubted[other]]
        cents = sum(values.get(chip, zone.values.get(chip, 0)) for chip in counted)
        after[other] = Zone(zone.spot, zone.name, zone.chips, cents, zone.seen_ns, zone.values, doubted[other])
        was = felt[other].cents if other in felt else 0
        if cents != was:
            since_ns = -1 if other == name else min(zone.doubted.values(), default=-1)
            changes.append(Change(zone.spot, zone.name, was, cents, since_ns, only_settles))
            told.append(ChipsChanged(zone.spot, zone.name, was, cents, len(zone.chips)))
        elif other == name and already and already != frozenset(zone.chips) and cents:
            told.append(ChangeMade(zone.spot, zone.name, cents))
    return after, tuple(changes), told


def doubted_at(
    felt: Felt, raw: Felt, name: str, disputed: Mapping[str, tuple[str, ...]], first_ns: int
) -> dict[str, int]:
    """The chips heard at a zone that do not count there, with the first moment they may have been there."""
    found: dict[str, int] = {}
    was = felt.get(name)
    for chip in raw[name].chips:
        if chip not in disputed:
            continue
        here_before = was is not None and chip in was.chips
        if was is not None and here_before and chip in was.doubted:
            found[chip] = was.doubted[chip]
        elif not here_before:
            # It is heard elsewhere too, and was before.
            found[chip] = first_ns
    return found
