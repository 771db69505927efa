"""What a table won by its inventory: closer, credits and drop together, less opener and fills.

The floor enters each count with its slip. Nothing entered is changed afterwards: an entry of the opposite amount puts
it right. Where a table was counted several times, from the first opener to the last closer. Money is integer cents.
"""

from __future__ import annotations

import unicodedata
from collections import Counter as TallyCounter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import pairwise
from typing import Final

import msgspec
from msgspec.structs import replace

from controller.core.messages.floor_events import Count, InventoryEntered, Vouched
from controller.core.messages.inputs import EnterInventory, Ruling
from controller.core.persons import Person, folded
from controller.core.refusal_reason import RefusalReason
from controller.core.table.alert_list import money, named_people
from controller.core.table.count_book import RACKS, CountBook, CountEntry, rack_entries
from controller.core.table.transaction import Transaction
from firmware_protocols.values import Value


class Recount(Value, frozen=True, tag=False):
    """A rack counted where one shift closed and the next opened: what lay there at both counts, in cents."""

    closer_cents: int
    opener_cents: int


class TableInventory(Value, frozen=True, tag=False):
    """A table's counts over a time, in cents; None: nothing of the kind was entered.

    ``opener_cents`` is the rack when the table first opened, ``closer_cents`` when it last closed (None while it is
    open), ``recounts`` are the closers and openers between.
    """

    opener_cents: int | None = None
    closer_cents: int | None = None
    fill_cents: int = 0
    credit_cents: int = 0
    drop_cents: int | None = None
    recounts: tuple[Recount, ...] = ()

    @property
    def win_cents(self) -> int | None:
        """What the table won; None while opener, closer or drop is missing, without which it is not known."""
        if self.opener_cents is None or self.closer_cents is None or self.drop_cents is None:
            return None
        return self.closer_cents + self.credit_cents + self.drop_cents - self.opener_cents - self.fill_cents


def inventory_of(entries: Iterable[InventoryEntered]) -> TableInventory:
    """What these counts, in order, come to."""
    sums: dict[Count, int] = {}
    racks: list[_Rack] = []
    for entry in entries:
        sums[entry.kind] = sums.get(entry.kind, 0) + entry.cents
        if entry.kind in RACKS:
            _count(racks, entry)
    standing = [one for one in racks if not one.taken_back()]
    opened = next((at for at, one in enumerate(standing) if one.kind is Count.OPENER), len(standing))
    # A closer before the first opener is that of a time before, entered late.
    standing = standing[opened:]
    pairs = pairwise(standing[1:])
    closed = bool(standing) and standing[-1].kind is Count.CLOSER
    return TableInventory(
        opener_cents=standing[0].cents if standing else None,
        closer_cents=standing[-1].cents if closed else None,
        fill_cents=sums.get(Count.FILL, 0),
        credit_cents=sums.get(Count.CREDIT, 0),
        drop_cents=sums.get(Count.DROP),
        recounts=tuple(Recount(one.cents, other.cents) for one, other in pairs if one.kind is Count.CLOSER),
    )


@dataclass(slots=True)
class _Rack:
    """A rack as it was counted once, with what was taken back of it."""

    kind: Count
    cents: int
    lowered: bool = False

    def taken_back(self) -> bool:
        """Whether nothing of it stands."""
        return self.lowered and not self.cents


def _count(racks: list[_Rack], entry: InventoryEntered) -> None:
    """An entry of a rack: a new count, or one that takes back the last of its kind or stands in its place."""
    same = next((one for one in reversed(racks) if one.kind is entry.kind), None)
    if same is not None and (entry.cents < 0 or same.taken_back()):
        same.cents += entry.cents
        same.lowered = same.lowered or entry.cents < 0
    else:
        racks.append(_Rack(entry.kind, entry.cents))


SLIPS_LIMIT: Final = 1_000
"""Slips that were remembered, where not all of them are (``House.slips_bounded``)."""

PEOPLE_LIMIT: Final = 2 * SLIPS_LIMIT
"""Entries of who made a count that were remembered there, two people of each slip."""


def enter(transaction: Transaction, given: EnterInventory, vouched: Vouched) -> RefusalReason | None:
    """Publish a count under the next number.

    A slip that stands already is refused, and a day that has not begun, and a fill or credit of nothing.
    """
    slips, slip = transaction.state.inventory_slips, _slip_key(transaction, given)
    makers = _makers_after(transaction, given)
    if refusal := _too_many(makers.get(_maker(transaction, given), 0)):
        return refusal
    day = day_named(given.gaming_day, transaction.state.gaming_day)
    if refusal := _no_such_time(transaction, given, day):
        return refusal
    if transaction.house.slips_of_something and given.kind in _OPPOSITE and not given.cents:
        exchanged = "of chips exchanged, enter what came as a fill and what went as a credit"
        said = f"a {given.kind} of 0.00 carries nothing: enter the amount on its slip"
        return RefusalReason("invalid_value", f"{said}; {exchanged}")
    stands = _slip_net_cents(transaction, given)
    if given.slip and stands * given.cents > 0:
        return RefusalReason("already_done", f"slip {given.slip} is entered already, with {money(stands)}")
    number = transaction.state.inventory_entries + 1
    if given.slip and transaction.house.slips_bounded:
        slips = slips.with_entry_of_last(slip, given.cents, SLIPS_LIMIT)
    elif given.slip:
        slips = slips.with_entry(slip, given.cents)
    sums, borne_out = transaction.state.inventory_sums, _borne_out(transaction, given)
    transaction.change(
        inventory_entries=number,
        inventory_sums={**sums, given.kind: sums.get(given.kind, 0) + given.cents},
        inventory_slips=slips,
        inventory_days=_days_after(transaction, given, day),
        inventory_makers=makers,
    )
    _note_people(transaction, given, borne_out)
    counted = (number, given.kind, given.cents, given.chips, given.slip)
    known = "" if vouched is msgspec.UNSET else vouched
    transaction.emit(InventoryEntered(*counted, given.who, given.why, day, given.shift, known))
    return None


COUNTS_LIMIT: Final = 5_000
"""Counts that one person, or all at one socket, may enter on a gaming day: a hundred times what a busy table has."""


def _too_many(made: int) -> RefusalReason | None:
    """Why a person may not enter so many counts today, all of which are remembered; None: they may."""
    if made <= COUNTS_LIMIT:
        return None
    said = f"{COUNTS_LIMIT} counts of yours are entered of this gaming day"
    return RefusalReason("too_many_requests", f"{said}: another person enters more, or you do tomorrow")


def _makers_after(transaction: Transaction, given: EnterInventory) -> dict[str, int]:
    """How many counts each has entered today, with this one; empty where no day is known, or in journals of before."""
    state, today = transaction.state, transaction.state.gaming_day
    if not transaction.house.counts_bounded or not today:
        return {}
    made, maker = state.inventory_makers, _maker(transaction, given)
    return {**{one: count for one, count in made.items() if one.startswith(today)}, maker: made.get(maker, 0) + 1}


def _maker(transaction: Transaction, given: EnterInventory) -> str:
    """Who enters a count: by key, which one person has, or by what socket or broker, where a name proves nothing."""
    known = given.vouched.text()
    return f"{transaction.state.gaming_day} {known}{f' {given.who}' if known.startswith('own') else ''}"


def details(given: EnterInventory, day: str) -> str:
    """What a proposed count of a gaming day says beside its kind and amount, in words."""
    counted = " ".join(f"{money(one.value_cents)}x{one.count}" for one in given.chips)
    said = (
        f" of gaming day {day}" if day else "",
        f", {given.shift} shift" if given.shift else "",
        "" if given.gaming_day else ", at the moment of its approval",
        f", slip {given.slip}" if given.slip else "",
        f", chips {counted}" if counted else "",
    )
    return "".join(said)


def unlikely(transaction: Transaction, given: EnterInventory) -> str:
    """Why a count can hardly be true, in words; empty: it may well be.

    The tray holds chips of this table's registry, each once; a drop box holds less than ``_DROP_LIMIT_CENTS``; no more
    is taken back than was entered.
    """
    if transaction.house.proposals_bound:
        return _unlikely_in_day(transaction, given) or _unlikely_itself(transaction, given)
    said = f"{given.kind} {money(given.cents)}"
    stands = transaction.state.inventory_sums.get(given.kind, 0)
    if given.cents < 0 and stands + given.cents < 0:
        return f"{said} takes back more than the {money(stands)} that was entered"
    return _unlikely_itself(transaction, given)


def _unlikely_itself(transaction: Transaction, given: EnterInventory) -> str:
    """Why an entry can hardly be true whatever else was entered; empty: it may well be."""
    said = f"{given.kind} {money(given.cents)}"
    if given.kind is Count.DROP:
        most = _DROP_LIMIT_CENTS
        return "" if given.cents <= most else f"{said} is more than {money(most)}"
    owned = TallyCounter(transaction.house.chips.values())
    most = sum(owned.elements())
    if not owned:
        return ""
    if given.cents > most:
        return f"{said}, and all chips of this table come to {money(most)}"
    missing = next((one for one in given.chips if one.count > owned[one.value_cents]), None)
    if missing is None:
        return ""
    lacks = (
        f"{missing.count} chips of {money(missing.value_cents)}, of which this table has {owned[missing.value_cents]}"
    )
    return f"{said} has {lacks}"


def _unlikely_in_day(transaction: Transaction, given: EnterInventory) -> str:
    """Why an entry can hardly be true after what was entered of its gaming day; empty: it may well be.

    Chips come to the tray and leave it all day, so fills and credits together are held against the registry: no more
    can leave than all of it and what came, and the other way round.
    """
    said, day = f"{given.kind} {money(given.cents)}", _day_of(transaction, given)
    if given.cents < 0 and (left_cents := _left_to_take_back_cents(transaction, given, day)) + given.cents < 0:
        return f"{said} takes back more than the {money(left_cents)} that was entered"
    of_day = f" of gaming day {day}" if day else ""
    before = _sum_of(transaction, day, given.kind)
    if given.kind is Count.DROP:
        after = before + given.cents
        if not before or after <= _DROP_LIMIT_CENTS:
            return ""
        return f"{said} makes the drop{of_day} {money(after)}, more than {money(_DROP_LIMIT_CENTS)}"
    beyond = _beyond_chips(transaction, given, day, of_day) if given.kind in _OPPOSITE else ""
    return f"{said}{beyond}" if beyond else ""


def _beyond_chips(transaction: Transaction, given: EnterInventory, day: str, of_day: str) -> str:
    """That after a fill or credit of a day more chips have come, or gone, than there are; empty: there are so many."""
    most = sum(transaction.house.chips.values())
    sums = {kind: _sum_of(transaction, day, kind) for kind in _OPPOSITE}
    sums[given.kind] += given.cents
    # What is taken back of one leaves more of the other than was carried.
    kind = given.kind if given.cents > 0 else _OPPOSITE[given.kind]
    there = most + sums[_OPPOSITE[kind]]
    if not most or sums[kind] <= there or sums[kind] == given.cents:
        return ""
    chips = f"all chips of this table and its {_OPPOSITE[kind]}s come to {money(there)}"
    return f" makes {kind}s{of_day} {money(sums[kind])}, and {chips}"


# --- who counted ------------------------------------------------------------------------------------


def counted_by_another(transaction: Transaction, given: Ruling | EnterInventory) -> str:
    """What another person counted and an entry takes back, or counts anew, in words; empty: nothing."""
    if not isinstance(given, EnterInventory) or (given.cents >= 0 and given.kind not in RACKS):
        return ""
    known = _taken_back(transaction, given) if given.cents < 0 else _counted_anew(transaction, given)
    own = Person(given.who, given.vouched)
    others = dict.fromkeys(one.person.name for one in known if one.person != own)
    if not others:
        return ""
    does = "takes back" if given.cents < 0 else "stands in the place of"
    return f"{given.kind} {money(given.cents)} {does} what {', '.join(others)} counted"


def _taken_back(transaction: Transaction, given: EnterInventory) -> Iterator[CountEntry]:
    """The entries that one may take back: those of its slip, or of its day and of its shift, where both name one."""
    people, day = transaction.state.inventory_people, _day_of(transaction, given)
    known = people.racks
    # An account takes a rack's correction off the last count there, whatever slip is written on it.
    traced = transaction.house.racks_traced and given.kind in RACKS
    any_shift = traced and _exceeds_own_shift(transaction, given, day)
    slip = _slip_key(transaction, given) if given.slip else ""
    own = (given.kind, day, given.shift, slip)
    last = max((at for at, one in enumerate(known) if (one.kind, one.day, one.shift, one.slip) == own), default=-1)
    for at, one in enumerate(known):
        if one.kind is not given.kind:
            continue
        if slip and (not traced or one.slip == slip or last > at):
            about = one.slip == slip
        else:
            about = one.day == day and (any_shift or _may_be_same_shift(given, one))
        if about:
            yield one
    if slip:
        yield from people.of_slip(slip)
    else:
        yield from (one for one in people.of_day(given.kind, day) if _may_be_same_shift(given, one))


def _counted_anew(transaction: Transaction, given: EnterInventory) -> Iterator[CountEntry]:
    """The entries of a rack that one may count anew: of its day, and of its shift where both name one.

    Of another shift the rack is counted anew in any case.
    """
    known, day = transaction.state.inventory_people.racks, _day_of(transaction, given)
    opposite = Count.OPENER if given.kind is Count.CLOSER else Count.CLOSER
    # Where in the list each shift's opposite end was counted last, and the day's.
    last: dict[str | None, int] = {}
    for at, one in enumerate(known):
        if one.kind is opposite and one.day == day:
            last[one.shift] = last[None] = at
    for at, one in enumerate(known):
        if one.kind is not given.kind or one.day != day or not _may_be_same_shift(given, one):
            continue
        since = frozenset(shift for shift in (None, given.shift, one.shift) if last.get(shift, -1) > at)
        if _is_same_end(transaction, given, one, since):
            yield one


def _may_be_same_shift(given: EnterInventory, earlier: CountEntry) -> bool:
    """Whether an entry may be of the shift of an earlier one: both name it, or one names none."""
    return not given.shift or not earlier.shift or given.shift == earlier.shift


def _exceeds_own_shift(transaction: Transaction, given: EnterInventory, day: str) -> bool:
    """Whether more is taken back of a rack than was counted under the shift named, so that it is another's."""
    stands = transaction.state.inventory_days.get(_key(day, given.kind, given.shift), 0)
    return stands + given.cents < 0


def _is_same_end(
    transaction: Transaction, given: EnterInventory, earlier: CountEntry, since: frozenset[str | None]
) -> bool:
    """Whether a rack is counted anew at the end of a shift at which it was counted, named or not.

    It is not once the rack was counted at the shift's other end, and that count stands. Where no round was dealt since,
    that other end is none, unless the rack holds what it held. ``since``: the shifts of the two whose other end was
    counted after the earlier count, and None if any shift's was.
    """
    if not transaction.house.racks_traced:
        return earlier.shift == given.shift
    if _is_undealt_since(transaction, earlier) and not _holds_as_counted(transaction, given, earlier):
        return True
    other = Count.OPENER if given.kind is Count.CLOSER else Count.CLOSER
    if given.shift == earlier.shift or (given.shift and given.kind is Count.CLOSER):
        since -= {None}
    return not since or transaction.state.inventory_days.get(_key(earlier.day, other)) == 0


def _is_undealt_since(transaction: Transaction, earlier: CountEntry) -> bool:
    """Whether no round was dealt since a rack was counted, so that the shift whose end that was is not another's."""
    return transaction.house.recounts_traced and earlier.rounds == transaction.state.rounds


def _holds_as_counted(transaction: Transaction, given: EnterInventory, earlier: CountEntry) -> bool:
    """Whether a rack is counted as what stands of an earlier count of it."""
    key = _key(earlier.day, earlier.kind, earlier.shift or _NO_SHIFT)
    return transaction.state.inventory_days.get(key, 0) == given.cents


def _borne_out(transaction: Transaction, given: EnterInventory) -> frozenset[CountEntry]:
    """The counts that a further one of the same rack repeats: who made them has counted what stands afterwards too."""
    if given.kind not in RACKS:
        return frozenset()
    alike = (one for one in transaction.state.inventory_people.racks if one.kind is given.kind)
    return frozenset(
        one for one in alike if _is_undealt_since(transaction, one) and _holds_as_counted(transaction, given, one)
    )


def _note_people(transaction: Transaction, given: EnterInventory, borne_out: frozenset[CountEntry]) -> None:
    """Keep who entered what stands; of a rack who counted it last, until it is counted at the shift's other end.

    Who made the counts that this one has ``borne_out`` is kept beside.
    """
    if not transaction.house.declarations_traced:
        return
    state, today, day = transaction.state, transaction.state.gaming_day, _day_of(transaction, given)
    first, slip = _first_kept(today) if today else "", _slip_key(transaction, given) if given.slip else ""
    people, bounded, few = state.inventory_people, transaction.house.slips_bounded, transaction.house.counts_bounded
    known = people if bounded else people.racks
    kept = [one for one in known if one.day >= first or one.slip in state.inventory_slips]
    if given.kind in RACKS:
        forgotten = _forgotten_racks(transaction, given, day)
        anew = (day, given.shift)
        kept = [one for one in kept if one.kind not in forgotten or (one.day, one.shift) != anew or one in borne_out]
    people = CountBook() if bounded else people.cleared(first, state.inventory_slips, slip)
    for entry in _entries_of(transaction, given, day, slip):
        if given.kind not in RACKS and not bounded:
            people = people.with_entry(entry, few=few)
        elif few and given.kind in RACKS:
            kept = rack_entries(kept, entry)
        elif entry not in kept:
            kept.append(entry)
    transaction.change(inventory_people=replace(people, racks=tuple(kept[-PEOPLE_LIMIT:] if bounded else kept)))


def _entries_of(transaction: Transaction, given: EnterInventory, day: str, slip: str) -> Iterator[CountEntry]:
    """Who makes a count, one of them or two; nobody makes one by taking something back."""
    if given.cents < 0:
        return
    people = named_people(transaction) or (Person(given.who, given.vouched),)
    rounds = transaction.state.rounds if given.kind in RACKS and transaction.house.recounts_traced else 0
    yield from (CountEntry(given.kind, day, given.shift, slip, one, rounds) for one in dict.fromkeys(people))


def _forgotten_racks(transaction: Transaction, given: EnterInventory, day: str) -> frozenset[Count]:
    """The kinds of a shift's counts of which nothing matters after an entry of a rack, who made them neither."""
    if not transaction.house.racks_traced:
        return RACKS
    stands = transaction.state.inventory_days.get(_key(day, given.kind, given.shift or _NO_SHIFT), 0)
    return frozenset({given.kind}) if given.cents >= 0 or not stands else frozenset()


def restates_past_day(transaction: Transaction, given: EnterInventory) -> bool:
    """Whether a count changes what was entered of a past gaming day, whose account was read.

    What was not entered yet makes that account whole, such as the drop, which is counted the morning after; another
    drop box with a number of its own does, too.
    """
    today, day = transaction.state.gaming_day, _day_of(transaction, given)
    if not transaction.house.proposals_bound or not today or day >= today:
        return False
    if given.cents < 0 or day < _first_kept(today):
        return True
    if given.kind is Count.DROP and given.slip:
        return False
    days = transaction.state.inventory_days
    if given.shift:
        return bool({_key(day, given.kind, given.shift), _key(day, given.kind, _NO_SHIFT)} & days.keys())
    return _key(day, given.kind) in days


_OPPOSITE: Final = {Count.FILL: Count.CREDIT, Count.CREDIT: Count.FILL}
"""What brings the tray the chips that the other takes."""

_DAYS_KEPT: Final = 7
"""Gaming days before this one whose counts are kept: long enough to count the boxes of a weekend and a holiday."""

_NO_SHIFT: Final = "*"
"""Stands for the shift of a count that names none: it is of the moment at which it was entered, or of the whole day."""


def _key(day: str, kind: Count, shift: str = "") -> str:
    """Where what stands of a day is kept; of one shift where that is named."""
    return f"{day} {kind} {shift}".rstrip()


def _day_of(transaction: Transaction, given: EnterInventory) -> str:
    """The gaming day a count belongs to; empty: none was ever reported."""
    today = transaction.state.gaming_day
    return day_named(given.gaming_day, today) or today


def _sum_of(transaction: Transaction, day: str, kind: Count) -> int:
    """What stands of a kind on a day."""
    return transaction.state.inventory_days.get(_key(day, kind), 0)


def _left_to_take_back_cents(transaction: Transaction, given: EnterInventory, day: str) -> int:
    """What a count of its day, shift and slip may take back."""
    days, stands = transaction.state.inventory_days, [_sum_of(transaction, day, given.kind)]
    if given.shift:
        # A count that named no shift may have been of this one.
        own, other = _key(day, given.kind, given.shift), _key(day, given.kind, _NO_SHIFT)
        stands.append(days.get(own, 0) + days.get(other, 0))
    if given.slip:
        stands.append(_slip_net_cents(transaction, given))
    return min(stands)


def _slip_key(transaction: Transaction, given: EnterInventory) -> str:
    """Where what stands of a slip is kept: however it is written, it is one paper."""
    if not transaction.house.floor_claims_checked:
        return f"{given.kind} {given.slip}"
    digits = (str(unicodedata.digit(letter, letter)) for letter in folded(given.slip) if not letter.isspace())
    return f"{given.kind} {''.join(digits)}"


def _slip_net_cents(transaction: Transaction, given: EnterInventory) -> int:
    """What stands of a slip, in cents; what was entered before slips were folded stands as it was written."""
    slips, written = transaction.state.inventory_slips, f"{given.kind} {given.slip}"
    key = _slip_key(transaction, given)
    return slips.net_cents(key) + (slips.net_cents(written) if written != key else 0)


def _first_kept(today: str) -> str:
    """The earliest gaming day whose counts are kept."""
    return (date.fromisoformat(today) - timedelta(_DAYS_KEPT)).isoformat()


def _days_after(transaction: Transaction, given: EnterInventory, named: str) -> dict[str, int]:
    """What stands of each kind on the last gaming days after a count; of a rack, what the last count of it came to."""
    days, today = transaction.state.inventory_days, transaction.state.gaming_day
    if not transaction.house.proposals_bound:
        return days
    first = _first_kept(today) if today else ""
    day = named or today
    if day < first:
        return days
    after = {key: cents for key, cents in days.items() if key >= first}
    rack = given.kind in RACKS
    for key in (_key(day, given.kind), _key(day, given.kind, given.shift or _NO_SHIFT)):
        counted_anew = rack and given.cents >= 0
        after[key] = given.cents + (0 if counted_anew else after.get(key, 0))
    return after


_DROP_LIMIT_CENTS: Final = 100_000_000
"""A million of the house's currency: more than one table's box takes in a day."""

_DAYS_AGO: Final = {"today": 0, "yesterday": 1}


def day_named(asked: str, today: str) -> str:
    """The date of a gaming day that may be given as ``today`` or ``yesterday``; empty: none was given or is known."""
    if asked not in _DAYS_AGO:
        return asked
    return (date.fromisoformat(today) - timedelta(_DAYS_AGO[asked])).isoformat() if today else ""


def _no_such_time(transaction: Transaction, given: EnterInventory, day: str) -> RefusalReason | None:
    """Why a count cannot belong to the gaming day and shift that are given."""
    if not given.gaming_day:
        return None
    today = transaction.state.gaming_day
    if not today:
        return RefusalReason("day_not_begun", "the gaming day is not known until the table has begun one")
    if day > today:
        return RefusalReason("day_not_begun", f"gaming day {day} has not begun; today is {today}")
    house = transaction.house.gaming_day
    shifts = {} if house is None else house.shifts
    if given.shift and given.shift not in shifts:
        known = ", ".join(shifts) or "there are none in its table file"
        return RefusalReason("no_such_shift", f"{given.shift}: no shift of this house: {known}")
    return None
