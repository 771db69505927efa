"""Whose counts of the rack and the drop box stand, and what stands of each slip: kept so that one more costs no more.

Slips are never forgotten, or one could be entered twice. They lie in parts, by a digest of their number, and an entry
copies the part it changes: of tens of thousands some hundred.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator

import msgspec
from msgspec.structs import replace

from controller.core.messages.floor_events import Count
from controller.core.messages.raised_alerts import RESERVED_EACH
from controller.core.persons import Person, same_proof
from firmware_protocols.values import Value

RACKS = frozenset({Count.OPENER, Count.CLOSER})
"""The kinds that say what lies in the rack, each in the place of the last."""

_WITH_SLIP = "*"
"""In place of a slip: who counted that day gave one with each entry, and is listed under those."""


class CountEntry(Value, frozen=True, tag=False):
    """Who entered a count, and where it belongs; ``slip`` as it is compared, empty: none was given.

    ``rounds``: of a rack, how many rounds had been locked when it was counted.
    """

    kind: Count
    day: str
    shift: str
    slip: str
    person: Person
    rounds: int = 0


class SlipBook(Value, frozen=True, tag=False):
    """What stands of each kind and slip, in cents; what was taken back whole is not there."""

    parts: dict[str, dict[str, int]] = msgspec.field(default_factory=dict)

    def __len__(self) -> int:
        return sum(map(len, self.parts.values()))

    def __contains__(self, slip: str) -> bool:
        return bool(self.net_cents(slip))

    def net_cents(self, slip: str) -> int:
        """What stands of a slip; 0: nothing."""
        return self.parts.get(_part(slip), {}).get(slip, 0) or self.parts.get("", {}).get(slip, 0)

    def with_entry(self, slip: str, cents: int) -> SlipBook:
        """With one more entry of a slip."""
        part = _part(slip)
        kept = {**self.parts.get(part, {}), slip: self.net_cents(slip) + cents}
        if not kept[slip]:
            del kept[slip]
        return SlipBook({**self.parts, part: kept})

    def with_entry_of_last(self, slip: str, cents: int, limit: int) -> SlipBook:
        """The same where only the last ``limit`` slips are remembered, and so all of them in their order."""
        known = {one: net for part in sorted(self.parts, reverse=True) for one, net in self.parts[part].items()}
        known[slip] = known.get(slip, 0) + cents
        if not known[slip]:
            del known[slip]
        return SlipBook({"": dict(list(known.items())[-limit:])})


class CountBook(Value, frozen=True, tag=False):
    """Who entered what stands of the last gaming days, and of slips.

    ``racks`` in the order in which they were counted; in journals that remember a limited number, every entry.
    ``days``: of each other kind on a day who counted it, once for each shift. ``slips``: the same of each slip.
    ``first_day`` and ``last_slip``: by what day entries were last looked through, and the slip of the last one.
    """

    racks: tuple[CountEntry, ...] = ()
    days: dict[str, tuple[CountEntry, ...]] = msgspec.field(default_factory=dict)
    slips: dict[str, dict[str, tuple[CountEntry, ...]]] = msgspec.field(default_factory=dict)
    first_day: str = ""
    last_slip: str = ""

    def __iter__(self) -> Iterator[CountEntry]:
        """Each entry once."""
        yield from self.racks
        for part in self.slips.values():
            for slip, entries in part.items():
                yield from (replace(one, slip=slip) for one in entries)
        yield from (one for entries in self.days.values() for one in entries if one.slip != _WITH_SLIP)

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def of_slip(self, slip: str) -> tuple[CountEntry, ...]:
        """Who entered a slip that is no rack's."""
        return self.slips.get(_part(slip), {}).get(slip, ())

    def of_day(self, kind: Count, day: str) -> tuple[CountEntry, ...]:
        """Who entered counts of a kind on a day, with a slip or without; of no rack."""
        return self.days.get(_day(kind, day), ())

    def cleared(self, first: str, standing: SlipBook, slip: str) -> CountBook:
        """Without what was entered before the day ``first``, but for slips that stand, after an entry of ``slip``."""
        days = {key: entries for key, entries in self.days.items() if key >= first}
        slips = self.slips
        if first != self.first_day:
            slips = {
                part: {one: kept for one, known in of_part.items() if (kept := _left(known, one, first, standing))}
                for part, of_part in slips.items()
            }
        for one in {self.last_slip, slip} - {""}:
            slips = _with_slip(slips, one, _left(self.of_slip(one), one, first, standing))
        return replace(self, days=days, slips=slips, first_day=first, last_slip=slip)

    def with_entry(self, entry: CountEntry, *, few: bool) -> CountBook:
        """With an entry of a kind that is no rack's; ``few``: of those at one socket a few names are enough."""
        slips, day = self.slips, _day(entry.kind, entry.day)
        if entry.slip:
            slips = _with_slip(slips, entry.slip, _added(self.of_slip(entry.slip), replace(entry, slip=""), few=few))
        of_day, unnamed = self.days.get(day, ()), replace(entry, slip="")
        marked = replace(entry, slip=_WITH_SLIP)
        if unnamed not in of_day and not entry.slip:
            # Who gave a slip before keeps the place.
            of_day = tuple(unnamed if one == marked else one for one in of_day)
        if unnamed not in of_day:
            of_day = _added(of_day, marked if entry.slip else unnamed, few=few)
        return replace(self, slips=slips, days={**self.days, day: of_day})


def rack_entries(known: list[CountEntry], entry: CountEntry) -> list[CountEntry]:
    """A rack's entries with one more; who counted the same rack before, under whatever slip, is there once."""
    own = (entry.kind, entry.day, entry.shift)
    others = [one for one in known if (one.kind, one.day, one.shift, one.person) != (*own, entry.person)]
    alike = [one for one in others if (one.kind, one.day, one.shift) == own]
    return others if _is_full(alike, entry) else [*others, entry]


def _added(known: tuple[CountEntry, ...], entry: CountEntry, *, few: bool) -> tuple[CountEntry, ...]:
    if entry in known or (few and _is_full([one for one in known if one.shift == entry.shift], entry)):
        return known
    return (*known, entry)


def _is_full(alike: list[CountEntry], entry: CountEntry) -> bool:
    """Whether as many names as are kept came by one proof already: at a socket anybody gives any name."""
    return sum(same_proof(one.person, entry.person) for one in alike) >= RESERVED_EACH


def _left(known: tuple[CountEntry, ...], slip: str, first: str, standing: SlipBook) -> tuple[CountEntry, ...]:
    """What is kept of a slip's entries: all while it stands, and afterwards those of the last days."""
    return known if slip in standing else tuple(one for one in known if one.day >= first)


def _with_slip(
    slips: dict[str, dict[str, tuple[CountEntry, ...]]], slip: str, entries: tuple[CountEntry, ...]
) -> dict[str, dict[str, tuple[CountEntry, ...]]]:
    part = _part(slip)
    if entries:
        return {**slips, part: {**slips.get(part, {}), slip: entries}}
    if slip not in slips.get(part, {}):
        return slips
    return {**slips, part: {one: kept for one, kept in slips[part].items() if one != slip}}


def _part(slip: str) -> str:
    """The part in which a slip lies, two hexadecimal digits."""
    return hashlib.sha256(slip.encode()).hexdigest()[:2]


def _day(kind: Count, day: str) -> str:
    return f"{day} {kind}"
