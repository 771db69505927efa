"""The proof that a mystery cycle was honest, from published events alone; no key and no trigger box is needed.

What is proven of a cycle that was hit: every event up to its end was given; the number revealed is the one committed
to; the commitment was published before the share that the table added, or with it; the trigger that both make lies
within the bounds; the meter, counted again from the contributions, stood at or below it before the winning
contribution and above it after; the award, to the spot that contributed, and what was carried follow from that; and
every event says of the meter what follows from the one before.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from controller.core.messages.meter_events import ContributionMade, JackpotHit, MysteryCommitted, MysteryRevealed
from controller.reports.audit.mystery_events import Mystery, TableEvents
from controller.reports.audit.mystery_proof import (
    Bounds,
    award_cents,
    is_hit,
    next_start_units,
    opens_commitment,
    trigger_cents,
)
from controller.reports.audit.sequence_audit import Complaint, Range
from firmware_protocols.trigger_messages import UNITS_PER_CENT


class CycleFinding(NamedTuple):
    """What was found of one cycle. ``faults`` and ``partly`` empty and ``hit``: it is proven. ``notes`` are for people.

    ``partly``: why it was not looked at as a whole.
    """

    cycle: int
    hit: bool
    contributions: int
    trigger_cents: int | None
    award_cents: int | None
    faults: tuple[str, ...]
    notes: tuple[str, ...]
    partly: str = ""

    def proven(self) -> bool:
        """Whether nothing is left to be believed."""
        return self.hit and not self.faults and not self.partly


class Audit(NamedTuple):
    """What was found of all that was given."""

    first: int
    last: int
    missing: tuple[Range, ...]
    cycles: tuple[CycleFinding, ...]
    faults: tuple[str, ...]
    """Of no cycle, or of all of them together."""
    unchecked: tuple[str, ...]
    """What could not be checked, and why."""

    def is_wrong(self) -> bool:
        """Whether anything is."""
        return bool(self.faults) or any(cycle.faults for cycle in self.cycles)


def examine(table_events: TableEvents) -> Audit:
    """The audit of a table's events, cycle by cycle, with what could not be checked."""
    missing = tuple(table_events.numbers.missing())
    mystery = Mystery(table_events, missing)
    cycles, loose = _with_complaints(mystery, list(_cycles(mystery)))
    faults = (*table_events.faults, *loose, *_together(mystery))
    unchecked = (*table_events.numbers.unchecked(), *_unchecked(mystery))
    return Audit(table_events.first, table_events.numbers.last, missing, tuple(cycles), faults, unchecked)


def _with_complaints(mystery: Mystery, cycles: list[CycleFinding]) -> tuple[list[CycleFinding], list[str]]:
    """The cycles with what is wrong with events of theirs; and what is wrong with events of no cycle."""
    loose = [] if cycles else [one.text for one in mystery.complaints]
    found, begins = [], 0
    for place, cycle in enumerate(cycles):
        revealed = mystery.revealed.get(cycle.cycle)
        last = place + 1 == len(cycles)
        later = mystery.committed.get(cycles[place + 1].cycle) if not last else None
        ends = revealed[0] if revealed is not None else later[0] - 1 if later is not None else None
        faults = _of(mystery.complaints, begins, ends)
        remarks = _of(mystery.remarks, begins, ends)
        if last and ends is not None:
            loose += _of(mystery.complaints, ends + 1, None)
        found.append(cycle._replace(faults=(*cycle.faults, *faults), notes=(*cycle.notes, *remarks)))
        begins = (ends or begins) + 1
    return found, loose


def _of(complaints: Iterable[Complaint], begins: int, ends: int | None) -> list[str]:
    """The complaints about any of the events ``begins`` to ``ends`` (None: all that follow), by their numbers."""
    ordered = sorted(complaints, key=lambda one: one.where)
    return [text for (first, last), text in ordered if last >= begins and (ends is None or first <= ends)]


def _cycles(mystery: Mystery) -> Iterator[CycleFinding]:
    """Every cycle, in order, each from what was given of it."""
    first = 1 if mystery.first == 1 else None
    lowest = min(mystery.made, default=0)
    carried: int | None = None
    order = sorted(mystery.committed.keys() | mystery.revealed.keys())
    for place, cycle in enumerate(order):
        committed, revealed = mystery.committed.get(cycle), mystery.revealed.get(cycle)
        began_before = mystery.first > 1 and (place == 0 if committed is None else first is None or first < lowest)
        if committed is None or first is None or began_before:
            faults = () if began_before else ("no commitment was published",)
            partly = f"its commitment or some of its contributions came before event {mystery.first}"
            yield CycleFinding(cycle, revealed is not None, 0, None, None, faults, (), partly if began_before else "")
            carried, first = None, revealed[1].number + 1 if revealed is not None else None
            continue
        following = mystery.committed.get(order[place + 1]) if place + 1 < len(order) else None
        found, last, carried = _examined(mystery, cycle, first, carried, following)
        first = last + 1
        yield found


def _examined(
    mystery: Mystery, cycle: int, first: int, carried: int | None, following: tuple[int, MysteryCommitted] | None
) -> tuple[CycleFinding, int, int | None]:
    """One cycle whose contributions begin with number ``first``; the last of them, and what the next starts with."""
    seq, committed = mystery.committed[cycle]
    faults, notes = [*_start_faults(mystery, cycle, first, carried)], list[str]()
    if cycle in mystery.revealed:
        last = mystery.revealed[cycle][1].number
    elif following is not None:
        last = _answered(mystery, committed, first, following)
    else:
        last = max(mystery.made, default=0)
    own, many = Range(first, last), max(0, last - first + 1)
    made = _of_cycle(mystery.numbers, own)
    missing = _gaps(made, own)
    if missing:
        faults.append(f"{_contributions(missing)}: not given")
    early = [Range(number, number) for number in made if mystery.made[number][0] < seq]
    if early:
        notes.append(f"{_contributions(early)}: kept until the commitment was there")
    meter = committed.start_units + sum(mystery.made[number][1].units for number in made)
    won = _of_cycle(mystery.won, own)
    if cycle not in mystery.revealed:
        faults.extend(f"contribution {number} won, and nothing was revealed" for number in won)
        return CycleFinding(cycle, False, many, None, None, tuple(faults), tuple(notes)), last, None  # noqa: FBT003
    revealed = mystery.revealed[cycle]
    award = award_cents(meter, committed.ceiling_cents)
    faults += _award_faults(mystery, revealed, award)
    faults += _order_faults(mystery, cycle)
    trigger = _trigger(mystery, committed, revealed[1], meter, faults)
    faults.extend(f"contribution {number} won too" for number in won if number != last)
    after = next_start_units(meter, award, committed.reset_cents)
    found = CycleFinding(cycle, True, many, trigger, award, tuple(faults), tuple(notes))  # noqa: FBT003
    return found, last, after


def _start_faults(mystery: Mystery, cycle: int, first: int, carried: int | None) -> Iterator[str]:
    """What is wrong with what a cycle starts with."""
    seq, committed = mystery.committed[cycle]
    start, bounds = committed.start_units, (committed.reset_cents, committed.ceiling_cents)
    if carried is not None and carried != start:
        yield f"the meter starts at {start} units, {carried} follow from the cycle before"
    if carried is None and start < committed.reset_cents * UNITS_PER_CENT:
        yield f"the meter starts at {start} units, below the reset value"
    waiting = sum(made.units for number, (at, made) in mystery.made.items() if number >= first and at < seq)
    stood = mystery.stood[cycle]
    if stood is not None and stood - waiting != start:
        yield (
            f"event {seq}: the box starts at {start} units; the table's meter, without the contributions that waited"
            f" for it, stood at {stood - waiting}"
        )
    parameters = mystery.fold.parameters
    if parameters is not None and bounds != (parameters.reset_cents, parameters.limit_cents):
        yield (
            f"event {seq}: drawn from {bounds[0]} to {bounds[1]} cents, the meter's bounds are"
            f" {parameters.reset_cents} and {parameters.limit_cents}"
        )


def _answered(
    mystery: Mystery, committed: MysteryCommitted, first: int, following: tuple[int, MysteryCommitted]
) -> int:
    """The last contribution of a cycle that was never revealed: the one that won, or the last that a lost box counted.

    Which that is follows from what the box that took over starts with.
    """
    won = [number for number, (seq, _) in mystery.hits.items() if number >= first and seq < following[0]]
    meter, number = committed.start_units, first - 1
    while not won and meter < following[1].start_units and number + 1 in mystery.made:
        number += 1
        meter += mystery.made[number][1].units
    return min(won, default=number)


def _award_faults(mystery: Mystery, revealed: tuple[int, MysteryRevealed], award: int) -> Iterator[str]:
    """What is wrong with the award of a cycle whose meter gives ``award`` cents."""
    number = revealed[1].number
    if number not in mystery.hits:
        yield f"no award was published for contribution {number}"
        return
    seq, hit = mystery.hits[number]
    if hit.cents != award:
        yield f"{hit.cents} cents were awarded, the meter gives {award}"
    if hit.before_cents != hit.cents:
        yield f"event {seq}: {hit.cents} cents out of {hit.before_cents}; a must-hit-by meter is won as a whole"
    if number not in mystery.made:
        return
    made = mystery.made[number][1]
    if _place(hit) != _place(made):
        yield f"event {seq}: won by {_place(hit)}, contribution {number} was made by {_place(made)}"


def _place(event: ContributionMade | JackpotHit) -> str:
    return f"round {event.round} spot {event.spot} {event.bet}"


def _order_faults(mystery: Mystery, cycle: int) -> Iterator[str]:
    """Commitment, winning contribution, award and reveal follow each other."""
    seq, revealed = mystery.revealed[cycle]
    if seq < mystery.committed[cycle][0]:
        yield "it was revealed before it was committed to"
    hit, made = mystery.hits.get(revealed.number), mystery.made.get(revealed.number)
    if hit is not None and seq < hit[0]:
        yield f"it was revealed before the award of event {hit[0]}"
    if hit is not None and made is not None and hit[0] < made[0]:
        yield f"event {hit[0]}: the award came before its contribution"


def _trigger(
    mystery: Mystery, committed: MysteryCommitted, revealed: MysteryRevealed, meter: int, faults: list[str]
) -> int | None:
    """The trigger of a cycle that was hit; what is wrong with it goes to ``faults``."""
    bounds = Bounds(committed.reset_cents, committed.ceiling_cents)
    try:
        key, share = bytes.fromhex(revealed.key), bytes.fromhex(committed.share)
    except ValueError as error:
        faults.append(f"key or share is not hex: {error}")
        return None
    if not opens_commitment(committed.commitment, key, mystery.identity, committed.cycle, revealed.drawn_cents):
        faults.append("number and key do not open the commitment")
    if not bounds.contains(revealed.drawn_cents):
        faults.append(f"the number {revealed.drawn_cents} lies outside the bounds")
        return None
    trigger = trigger_cents(revealed.drawn_cents, share, mystery.identity, committed.cycle, bounds)
    last = mystery.made.get(revealed.number)
    if not is_hit(meter, trigger):
        faults.append(f"the meter stood at {meter} units, not above the trigger {trigger} cents")
    elif last is not None and meter - last[1].units != committed.start_units and is_hit(meter - last[1].units, trigger):
        faults.append(f"the meter stood above the trigger {trigger} cents before contribution {revealed.number}")
    return trigger


def _together(mystery: Mystery) -> Iterator[str]:
    """What is wrong with all cycles together: keys or shares used twice, a gap in the cycles, one never revealed."""
    keys: dict[str, int] = {}
    for cycle, (_, revealed) in sorted(mystery.revealed.items()):
        if revealed.key in keys:
            yield f"cycle {cycle} has the key of cycle {keys[revealed.key]}"
        keys.setdefault(revealed.key, cycle)
    shares: dict[str, int] = {}
    for cycle, (_, committed) in sorted(mystery.committed.items()):
        if committed.share in shares:
            yield f"cycle {cycle} has the share of cycle {shares[committed.share]}"
        shares.setdefault(committed.share, cycle)
    for before, cycle in pairwise(sorted(mystery.committed)):
        if cycle != before + 1:
            yield f"cycle {cycle} follows cycle {before}"
        if before not in mystery.revealed:
            yield f"cycle {before} was never revealed, and cycle {cycle} began: the box was replaced"
        elif mystery.committed[cycle][0] < mystery.revealed[before][0]:
            yield f"cycle {cycle} was committed to before cycle {before} was revealed"
    after = _after_the_last(mystery)
    missing = _gaps(_of_cycle(mystery.numbers, after), after)
    if missing:
        yield f"{_contributions(missing)}: not given"


def _after_the_last(mystery: Mystery) -> Range:
    """The contributions after the last cycle that was hit, where no other was committed to; they may be none."""
    cycles = sorted(mystery.committed.keys() | mystery.revealed.keys())
    if (cycles and cycles[-1] not in mystery.revealed) or (not cycles and mystery.first > 1):
        return Range(1, 0)
    last = mystery.revealed[cycles[-1]][1].number if cycles else 0
    return Range(last + 1, max(mystery.made, default=0))


def _of_cycle(numbers: Sequence[int], own: Range) -> Sequence[int]:
    """The contributions among these, which are in order, that lie between the first and the last of a cycle."""
    return numbers[bisect_left(numbers, own.first) : bisect_right(numbers, own.last)]


def _gaps(given: Sequence[int], own: Range) -> list[Range]:
    """What is missing of a cycle's contributions: a false number may be too high to count to it one by one."""
    around = pairwise((own.first - 1, *given, own.last + 1))
    return [Range(before + 1, after - 1) for before, after in around if before + 1 < after]


def _unchecked(mystery: Mystery) -> Iterator[str]:
    """What of the mystery could not be checked, and why."""
    if mystery.fold.unrated:
        yield (
            f"{mystery.fold.unrated} contributions came before the meter's parameters were published (meter_opened,"
            " parameters_changed): not held against wager and rate"
        )
    for cycle in sorted(mystery.committed.keys() - mystery.revealed.keys()):
        yield f"cycle {cycle}: its number is not revealed; that it is the one committed to cannot be known before it is"
    waiting = _after_the_last(mystery)
    if waiting.first <= waiting.last:
        yield f"{_contributions([waiting])}: not answered by a box, no cycle was open"


def _contributions(numbers: Iterable[Range]) -> str:
    """``contributions 3, 7 to 9``."""
    joined: list[Range] = []
    for one in numbers:
        if joined and joined[-1].last + 1 == one.first:
            joined[-1] = Range(joined[-1].first, one.last)
        else:
            joined.append(one)
    parts = [str(one.first) if one.first == one.last else f"{one.first} to {one.last}" for one in joined]
    single = len(joined) == 1 and joined[0].first == joined[0].last
    return f"contribution{'' if single else 's'} {', '.join(parts)}"
