"""The proof that a mystery cycle was honest, from published events alone; no key and no trigger box is needed.

What is proven of a cycle that was hit: the number revealed is the one committed to; the commitment was published before
the share that the table added, or with it; the trigger that both make lies within the bounds; the meter, counted again
from the contributions, stood at or below it before the winning contribution and above it after; and the award and
what was carried follow from that.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import Any, Final, NamedTuple

import msgspec

from controller.formats.mystery_proof import (
    Bounds,
    award_cents,
    commitment,
    is_hit,
    next_start_units,
    trigger_cents,
)
from controller.formats.payloads import TYPE_PREFIX, TYPE_SUFFIX, Envelope
from controller.formats.records import Identity
from firmware_protocols.trigger_messages import UNITS_PER_CENT

MYSTERY_ROW: Final = "must_hit_by_mystery"
"""The row of the awards that a must-hit-by meter pays."""


class NotEvents(ValueError):  # noqa: N818 - named for what it is
    """What was given holds no events of a table."""


class _Committed(msgspec.Struct, frozen=True):
    cycle: int
    commitment: str
    share: str
    start_units: int
    reset_cents: int
    ceiling_cents: int
    seq: int = 0


class _Made(msgspec.Struct, frozen=True):
    number: int
    units: int
    seq: int = 0


class _Hit(msgspec.Struct, frozen=True):
    row: str
    number: int
    cents: int
    seq: int = 0


class _Revealed(msgspec.Struct, frozen=True):
    cycle: int
    number: int
    drawn_cents: int
    key: str
    seq: int = 0


_KINDS: Final[dict[str, type[msgspec.Struct]]] = {
    "mystery_committed": _Committed,
    "contribution_made": _Made,
    "jackpot_hit": _Hit,
    "mystery_revealed": _Revealed,
}


class CycleFound(NamedTuple):
    """What was found of one cycle. ``faults`` empty and ``hit``: it is proven. ``notes`` are for people."""

    cycle: int
    hit: bool
    contributions: int
    trigger_cents: int | None
    award_cents: int | None
    faults: tuple[str, ...]
    notes: tuple[str, ...]


class Told:
    """The events of one table that bear on its mystery, in order."""

    def __init__(self, identity: Identity) -> None:
        self.identity = identity
        self.committed: dict[int, _Committed] = {}
        self.revealed: dict[int, _Revealed] = {}
        self.made: dict[int, _Made] = {}
        self.hits: dict[int, _Hit] = {}
        self.faults: list[str] = []
        self._seqs: dict[int, bytes] = {}

    def take(self, seq: int, kind: str, data: dict[str, Any], raw: bytes) -> None:
        """Take an event; one that was delivered twice counts once."""
        known = self._seqs.setdefault(seq, raw)
        if known != raw:
            self.faults.append(f"event {seq} came twice with different contents")
        if known is not raw:
            return
        try:
            event = msgspec.convert({**data, "seq": seq}, _KINDS[kind])
        except msgspec.ValidationError as error:
            self.faults.append(f"event {seq} is no {kind}: {error}")
            return
        match event:
            case _Committed():
                self._once(self.committed, event.cycle, event, f"a commitment for cycle {event.cycle}")
            case _Revealed():
                self._once(self.revealed, event.cycle, event, f"a reveal of cycle {event.cycle}")
            case _Made() if event.number:
                self._once(self.made, event.number, event, f"contribution {event.number}")
            case _Hit() if event.row == MYSTERY_ROW:
                self._once(self.hits, event.number, event, f"an award for contribution {event.number}")
            case _:
                pass

    def _once(self, found: dict[int, Any], key: int, event: Any, what: str) -> None:  # noqa: ANN401 - one of the above
        if key in found:
            self.faults.append(f"event {event.seq}: {what} was there before, at event {found[key].seq}")
        found.setdefault(key, event)


def read_lines(lines: Iterable[bytes]) -> Told:
    """Events as lines of JSON, each an envelope; what stands before its first brace (a topic) is passed over.

    Other JSON is passed over, and what begins as JSON and is none is a fault: it may have been an event.

    Raises:
        NotEvents: no line is an event, or they are of several tables or epochs.
    """
    told: Told | None = None
    damaged: list[int] = []
    for number, line in enumerate(lines, start=1):
        raw = line[line.find(b"{") :].strip() if b"{" in line else b""
        try:
            envelope = msgspec.json.decode(raw, type=Envelope)
        except msgspec.ValidationError:
            continue
        except (msgspec.DecodeError, UnicodeDecodeError):
            damaged += [number] * bool(raw)
            continue
        identity = _identity(envelope, number)
        told = told or Told(identity)
        if identity != told.identity:
            raise NotEvents(f"line {number}: an event of {identity.text()} among those of {told.identity.text()}")
        kind = envelope.type.removeprefix(TYPE_PREFIX).removesuffix(TYPE_SUFFIX)
        if kind in _KINDS:
            told.take(envelope.seq, kind, envelope.data, raw)
    if told is None:
        raise NotEvents("no line is an event of a table")
    if damaged:
        told.faults.append(f"{len(damaged)} lines are cut short or damaged, the first of them line {damaged[0]}")
    return told


def _identity(envelope: Envelope, line: int) -> Identity:
    parts = [part for part in envelope.source.split("/") if part]
    if len(parts) < 2:
        raise NotEvents(f"line {line}: the source {envelope.source!r} names no table")
    return Identity(parts[-2], parts[-1], envelope.epoch)


def examine(told: Told) -> Iterator[CycleFound]:
    """Every cycle, in order."""
    first = 1
    carried: int | None = None
    for cycle in sorted(told.committed.keys() | told.revealed.keys()):
        committed, revealed = told.committed.get(cycle), told.revealed.get(cycle)
        if committed is None:
            yield CycleFound(cycle, revealed is not None, 0, None, None, ("no commitment was published",), ())
            carried = None
            continue
        found, last, carried = _examined(told, committed, revealed, first, carried)
        first = last + 1
        yield found


def _examined(
    told: Told, committed: _Committed, revealed: _Revealed | None, first: int, carried: int | None
) -> tuple[CycleFound, int, int | None]:
    cycle, faults, notes = committed.cycle, list[str](), list[str]()
    if carried is not None and carried != committed.start_units:
        faults.append(f"the meter starts at {committed.start_units} units, {carried} follow from the cycle before")
    if carried is None and committed.start_units < committed.reset_cents * UNITS_PER_CENT:
        faults.append(f"the meter starts at {committed.start_units} units, below the reset value")
    last = revealed.number if revealed is not None else max(told.made, default=0)
    numbers = range(first, last + 1)
    missing = [number for number in numbers if number not in told.made]
    if missing:
        faults.append(f"{len(missing)} contributions are not published, the first of them {missing[0]}")
    early = [number for number in numbers if number in told.made and told.made[number].seq < committed.seq]
    if early:
        notes.append(f"{len(early)} contributions were kept until the commitment was there")
    meter = committed.start_units + sum(told.made[number].units for number in numbers if number in told.made)
    if revealed is None:
        others = [number for number in numbers if number in told.hits]
        faults.extend(f"contribution {number} won, and nothing was revealed" for number in others)
        return CycleFound(cycle, False, len(numbers), None, None, tuple(faults), tuple(notes)), last, None  # noqa: FBT003
    trigger, award = _hit_examined(told, committed, revealed, meter, faults)
    faults.extend(f"contribution {number} won too" for number in numbers[:-1] if number in told.hits)
    after = next_start_units(meter, award, committed.reset_cents)
    found = CycleFound(cycle, True, len(numbers), trigger, award, tuple(faults), tuple(notes))  # noqa: FBT003
    return found, last, after


def _hit_examined(
    told: Told, committed: _Committed, revealed: _Revealed, meter: int, faults: list[str]
) -> tuple[int | None, int]:
    """Trigger and award of a cycle that was hit; what is wrong with it goes to ``faults``."""
    bounds = Bounds(committed.reset_cents, committed.ceiling_cents)
    award = award_cents(meter, committed.ceiling_cents)
    hit = told.hits.get(revealed.number)
    if hit is None:
        faults.append(f"no award was published for contribution {revealed.number}")
    elif hit.cents != award:
        faults.append(f"{hit.cents} cents were awarded, the meter gives {award}")
    if revealed.seq < committed.seq:
        faults.append("it was revealed before it was committed to")
    try:
        key, share = bytes.fromhex(revealed.key), bytes.fromhex(committed.share)
    except ValueError as error:
        faults.append(f"key or share is not hex: {error}")
        return None, award
    proof = commitment(key, told.identity, committed.cycle, revealed.drawn_cents).hex()
    if proof != committed.commitment:
        faults.append("number and key do not open the commitment")
    if not bounds.reset_cents <= revealed.drawn_cents < bounds.ceiling_cents:
        faults.append(f"the number {revealed.drawn_cents} lies outside the bounds")
        return None, award
    trigger = trigger_cents(revealed.drawn_cents, share, told.identity, committed.cycle, bounds)
    last = told.made.get(revealed.number)
    if not is_hit(meter, trigger):
        faults.append(f"the meter stood at {meter} units, not above the trigger {trigger} cents")
    elif last is not None and meter - last.units != committed.start_units and is_hit(meter - last.units, trigger):
        faults.append(f"the meter stood above the trigger {trigger} cents before contribution {revealed.number}")
    return trigger, award


def ordered(told: Told) -> Iterator[str]:
    """What is wrong with all cycles together: keys used twice, a gap in the cycles, an event that came in two forms."""
    yield from told.faults
    keys: dict[str, int] = {}
    for cycle, revealed in sorted(told.revealed.items()):
        if revealed.key in keys:
            yield f"cycle {cycle} has the key of cycle {keys[revealed.key]}"
        keys.setdefault(revealed.key, cycle)
    cycles = sorted(told.committed)
    for before, cycle in pairwise(cycles):
        if cycle != before + 1:
            yield f"cycle {cycle} follows cycle {before}"
        if before not in told.revealed:
            yield f"cycle {before} was never revealed, and cycle {cycle} began: the box was replaced"
